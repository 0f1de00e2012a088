/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where threads of computation run: the cores that this process may use (hwloc's allowed set and the scheduler's affinity), in the order in which
 * threads should take them: fast kinds of core first, then node by node, so that the threads of one stream share caches and memory.
 *
 * Binding is advice: in containers and under resource managers the system may refuse it, and then threads run where they did.
 */
#ifndef VRS_MACHINE_PLACES_H
#define VRS_MACHINE_PLACES_H

#include <sched.h>
#include <stdbool.h>

#include <vrseg/status.h>

struct vrs_places;

/* NUMA nodes of the machine by the kernel's list, without a look at the whole machine; 1 where there is none. */
int vrs_topology_nodes(void);

/*
 * nodes false: a place is a core; true: all allowed cores of its node, among which the system moves the thread.
 * VRS_EUNSUPPORTED: hwloc cannot read this system; VRS_ENOMEM.  Takes some 2 ms.
 */
enum vrs_status vrs_places_create(struct vrs_places **ret_places, bool nodes);
void vrs_places_destroy(struct vrs_places *places); /* NULL is fine */
int vrs_places_count(const struct vrs_places *places);
/* Index of the node of a place; places are taken modulo their count, here and below. */
int vrs_places_node(const struct vrs_places *places, int place);
/* The processors of a place. */
const cpu_set_t *vrs_places_set(const struct vrs_places *places, int place);
/*
 * First place of stream number `stream` (from 0) of `threads` threads each: streams follow each other, and one that fits into a node does not
 * begin where it would lie in two.
 */
int vrs_places_first(const struct vrs_places *places, int stream, int threads);

/* Bind the calling thread; false: refused, or a machine is replayed. */
bool vrs_places_bind(const struct vrs_places *places, int place);
/*
 * Bind the calling thread for a while: *before gets where it may run now, for vrs_places_leave.  False: refused, or places is NULL; then nothing is
 * changed, also by vrs_places_leave.
 */
bool vrs_places_enter(const struct vrs_places *places, int place, cpu_set_t *before);
void vrs_places_leave(const cpu_set_t *before);

#endif
