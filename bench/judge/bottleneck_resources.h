/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules about what a job runs on: memory, idle CPUs, latency of live frames, heat, other programs. */
#ifndef VRS_BENCH_BOTTLENECK_RESOURCES_H
#define VRS_BENCH_BOTTLENECK_RESOURCES_H

#include "bench/judge/bottleneck_finder.h"

/* Other processes on our CPUs; sets f->crowded, which further rules look at. */
void vrs_bottleneck_others_rule(struct vrs_finder *f);
/* Add what they find, in this order, while there is room. */
void vrs_bottleneck_resource_rules(struct vrs_finder *f);

#endif
