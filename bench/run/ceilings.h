/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures of runs against what the machine can do at best. */
#ifndef VRS_BENCH_CEILINGS_H
#define VRS_BENCH_CEILINGS_H

#include "bench/record/result.h"

struct vrs_runner;

/*
 * Measure the machine's ceilings before the first run, in a process of its own (the arrays are several times the caches), and write env.json.
 * Once for a result folder: a resumed one has them in its env.json.  A machine that cannot be measured is no error: the result says the reason.
 * VRS_ESTOPPED, VRS_EIO.
 */
enum vrs_status vrs_ceilings_measure(struct vrs_runner *runner, struct vrs_error *err) VRS_MUST_CHECK;

#endif
