/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cuts of regions that are finer than rows. */
#ifndef VRS_BACKEND_CPU_PLAN_SHARE_H
#define VRS_BACKEND_CPU_PLAN_SHARE_H

#include "backend/cpu/plan/cpu_plan_sweep.h"

/* A dense layer on a map of one pixel that all threads work on together. */
bool vrs_cpu_op_shares_channels(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op);
/*
 * Is it such a layer, which is a region of its own?  With values of 16 bits also one that would share its channels with other numbers of threads:
 * regions must not depend on that.  Asked while regions are made.
 */
bool vrs_cpu_op_stands_alone(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op);
/* Is a region cut into shares instead of bands? */
bool vrs_cpu_plan_shares(const struct vrs_cpu_plan *plan, const struct vrs_cpu_region *region, int shares);
/* As vrs_cpu_sweep_band, for share number `share` of `shares` of such a region. */
enum vrs_status vrs_cpu_plan_share(struct vrs_cpu_sweep *sweep, int share, int shares, bool emit);

#endif
