/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which values no run of a result has, and why: nothing is absent in silence. */
#ifndef VRS_BENCH_NOT_OBSERVED_H
#define VRS_BENCH_NOT_OBSERVED_H

#include <vrseg/machine.h>

#include "bench/record/result.h"

/*
 * Fill result->unseen from the good runs of jobs (the network alone has none of these values); empty while there are none.  machine has read its
 * sensors, for the reasons; NULL: it is not known.
 */
void vrs_not_observed_find(struct vrs_result *result, const struct vrs_machine *machine);

#endif
