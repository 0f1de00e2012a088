/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which values no run of a result has, and why: nothing is absent in silence. */
#ifndef VRS_BENCH_UNAVAILABLE_H
#define VRS_BENCH_UNAVAILABLE_H

#include <vrseg/machine.h>

#include "bench/record/result.h"

/*
 * Fill result->unavailable from the good runs of jobs (the network alone has none of these values); empty while there are none.  machine has read its
 * sensors, for the reasons; NULL: it is not known.
 */
void vrs_unavailable_find(struct vrs_result *result, const struct vrs_machine *machine);

#endif
