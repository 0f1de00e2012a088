/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "machine/places.h"

#include <stdlib.h>

#include <hwloc.h>
#include <hwloc/cpukinds.h>

#include "base/mem.h"
#include "machine/sysfs.h"
#include "machine/topology.h"

struct place {
	cpu_set_t cpus;
	int kind;                   /* hwloc's rank: higher is faster */
	int node, core;             /* logical indices */
};

struct vrs_places {
	bool bindable;              /* the running machine, not a replayed one */
	int count;
	struct place *places;
};

int vrs_topology_nodes(void)
{
	char list[1024];
	int nodes = 0;
	hwloc_bitmap_t set;

	if (!vrs_sysfs_text(list, sizeof list, "/sys/devices/system/node/online"))
		return 1;
	set = hwloc_bitmap_alloc();
	if (set && hwloc_bitmap_list_sscanf(set, list) == 0)
		nodes = hwloc_bitmap_weight(set);
	hwloc_bitmap_free(set);
	return nodes > 1 ? nodes : 1;
}

static void add_cpus(cpu_set_t *to, hwloc_const_bitmap_t from)
{
	for (int cpu = hwloc_bitmap_first(from); cpu >= 0 && cpu < CPU_SETSIZE; cpu = hwloc_bitmap_next(from, cpu))
		CPU_SET((size_t)cpu, to);
}

/* The node that holds a core; 0 where there is but one, or none that is known. */
static int node_of(hwloc_topology_t topology, hwloc_obj_t core)
{
	hwloc_obj_t node = NULL;

	while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)))
		if (node->cpuset && hwloc_bitmap_isincluded(core->cpuset, node->cpuset))
			return (int)node->logical_index;
	return 0;
}

static int by_preference(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind > y->kind ? -1 : 1;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return (x->core > y->core) - (x->core < y->core);
}

/* A core without a core object (some virtual machines list only processors) is its processor. */
static hwloc_obj_type_t core_type(hwloc_topology_t topology)
{
	return hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
}

static void read_cores(hwloc_topology_t topology, hwloc_const_bitmap_t allowed, struct vrs_places *places)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	hwloc_obj_t core = NULL;

	while (set && (core = hwloc_get_next_obj_by_type(topology, core_type(topology), core))) {
		struct place *place = &places->places[places->count];
		int kind;

		hwloc_bitmap_and(set, core->cpuset, allowed);
		CPU_ZERO(&place->cpus);
		add_cpus(&place->cpus, set);
		if (CPU_COUNT(&place->cpus) == 0)
			continue;
		kind = hwloc_cpukinds_get_by_cpuset(topology, set, 0);
		place->kind = kind < 0 ? 0 : kind;
		place->node = node_of(topology, core);
		place->core = (int)core->logical_index;
		places->count++;
	}
	hwloc_bitmap_free(set);
}

/* Every place becomes the cores of its node. */
static enum vrs_status widen(struct vrs_places *places)
{
	cpu_set_t *cores = vrs_calloc((size_t)places->count, sizeof *cores);

	if (!cores)
		return VRS_ENOMEM;
	for (int i = 0; i < places->count; i++)
		cores[i] = places->places[i].cpus;
	for (int i = 0; i < places->count; i++)
		for (int k = 0; k < places->count; k++)
			if (places->places[k].node == places->places[i].node)
				CPU_OR(&places->places[i].cpus, &places->places[i].cpus, &cores[k]);
	vrs_free(cores);
	return VRS_OK;
}

static enum vrs_status read_places(hwloc_topology_t topology, bool nodes, struct vrs_places *places)
{
	hwloc_bitmap_t allowed = vrs_topology_allowed(topology);
	int cores = hwloc_get_nbobjs_by_type(topology, core_type(topology));

	places->places = vrs_calloc((size_t)(cores > 0 ? cores : 1), sizeof *places->places);
	if (allowed && places->places && cores > 0)
		read_cores(topology, allowed, places);
	hwloc_bitmap_free(allowed);
	if (!places->places)
		return VRS_ENOMEM;
	if (places->count == 0)
		return VRS_EUNSUPPORTED;
	qsort(places->places, (size_t)places->count, sizeof *places->places, by_preference);
	return nodes ? widen(places) : VRS_OK;
}

enum vrs_status vrs_places_create(struct vrs_places **ret_places, bool nodes)
{
	struct vrs_places *places = vrs_calloc(1, sizeof *places);
	hwloc_topology_t topology = places ? vrs_topology_load() : NULL;
	enum vrs_status status = !places ? VRS_ENOMEM : topology ? read_places(topology, nodes, places) : VRS_EUNSUPPORTED;

	if (topology)
		hwloc_topology_destroy(topology);
	if (status != VRS_OK) {
		vrs_places_destroy(places);
		return status;
	}
	places->bindable = !vrs_sysfs_replay();
	*ret_places = places;
	return VRS_OK;
}

void vrs_places_destroy(struct vrs_places *places)
{
	if (!places)
		return;
	vrs_free(places->places);
	vrs_free(places);
}

int vrs_places_count(const struct vrs_places *places)
{
	return places->count;
}

int vrs_places_node(const struct vrs_places *places, int place)
{
	return places->places[place % places->count].node;
}

const cpu_set_t *vrs_places_set(const struct vrs_places *places, int place)
{
	return &places->places[place % places->count].cpus;
}

/* Places from `place` on that are of its node and kind. */
static int room(const struct vrs_places *places, int place)
{
	const struct place *at = &places->places[place];
	int end = place;

	while (end < places->count && places->places[end].node == at->node && places->places[end].kind == at->kind)
		end++;
	return end - place;
}

int vrs_places_first(const struct vrs_places *places, int stream, int threads)
{
	int first = 0;

	for (int s = 0;; s++) {
		int left = room(places, first), next = (first + left) % places->count;

		/* What is left here is too little, but the next node would do. */
		if (threads > left && threads <= room(places, next))
			first = next;
		if (s == stream)
			return first;
		first = (first + threads) % places->count;
	}
}

/* Not pthread_setaffinity_np, which names the thread by its number: the sandbox cannot tell that from other processes' (base/syscall_filter.c). */
bool vrs_places_bind(const struct vrs_places *places, int place)
{
	return places->bindable && sched_setaffinity(0, sizeof(cpu_set_t), vrs_places_set(places, place)) == 0;
}

bool vrs_places_enter(const struct vrs_places *places, int place, cpu_set_t *before)
{
	if (places && places->bindable && sched_getaffinity(0, sizeof *before, before) == 0 &&
	    vrs_places_bind(places, place))
		return true;
	CPU_ZERO(before);
	return false;
}

void vrs_places_leave(const cpu_set_t *before)
{
	if (CPU_COUNT(before) > 0)
		(void)sched_setaffinity(0, sizeof *before, before); /* it was there before, so it may go back */
}
