/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rules about a device that the network runs on: gaps between its kernels, transfers that nothing hides, kernels too small for it, a host that does
 * not keep it busy, its memory.  All but the last take the times of a call by the device's own clock (struct vrs_net_profile).
 */
#ifndef VRS_BENCH_BOTTLENECK_DEVICE_H
#define VRS_BENCH_BOTTLENECK_DEVICE_H

#include "bench/judge/bottleneck_finder.h"

/* Add what they find, in this order, while there is room; nothing where the network ran on the host. */
void vrs_bottleneck_device_rules(struct vrs_finder *f);

#endif
