/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packages, cores, NUMA nodes, caches and kinds of core through hwloc, and the processors that this process may use. */
#ifndef VRS_MACHINE_TOPOLOGY_H
#define VRS_MACHINE_TOPOLOGY_H

#include <hwloc.h>

#include <vrseg/machine.h>

/*
 * Fill packages .. l3_instances of the machine, with absent lines for what hwloc does not show. allowed_threads is without the quota.
 * Where hwloc fails, processors are counted by affinity and everything else is absent.  Not thread-safe in replay (sets the environment).
 */
void vrs_topology_read(struct vrs_machine *machine);
/* Number of processors that the scheduler lets this process use; 0: not known. Without hwloc's look at the whole machine, which takes 2 ms. */
int vrs_topology_affinity(void);
/* The running machine's topology, or the replayed one's; NULL: hwloc cannot read it.  hwloc_topology_destroy. */
hwloc_topology_t vrs_topology_load(void);
/* Processors that the machine, its control groups and the scheduler's affinity leave to this process; NULL: no memory.  hwloc_bitmap_free. */
hwloc_bitmap_t vrs_topology_allowed(hwloc_topology_t topology);

#endif
