/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The verdict of a night: the gate over its comparisons (bench/judge/night_gate.h), with a second invocation where the first says SLOWER, and then
 * what the history alone says (bench/judge/night_watch.h).
 */
#ifndef VRS_BENCH_NIGHT_SETTLE_H
#define VRS_BENCH_NIGHT_SETTLE_H

#include "bench/judge/night_watch.h"

/*
 * Judge the comparisons of all cases and metrics as one family, and put gate and gate_reason into the night.  second: the same cases, or some of
 * them, measured by a second invocation; NULL: there is none yet.  *ret_confirm: the verdict waits for one; wanted (NULL: not asked, else one for
 * each case) says which cases it must measure.  VRS_ENOMEM, VRS_EINVAL.
 */
enum vrs_status vrs_night_settle_gate(struct vrs_night_record *night, const struct vrs_night_record *second, bool *ret_confirm, bool *wanted,
				      struct vrs_error *err);
/*
 * Put outcome and reason into the night: the gate's, unless the history alarms, or its build was accepted since.  watch: judged with the night.
 */
void vrs_night_settle(struct vrs_night_record *night, const struct vrs_night_history *history, const struct vrs_night_watch *watch);

#endif
