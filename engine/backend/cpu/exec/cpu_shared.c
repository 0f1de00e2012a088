/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * First touch: a page of memory lies on the node of the thread that writes to it first.  The creating thread goes to each place in turn and makes
 * there what the thread of that place will use: its scratch memory, and, where the threads of one session lie on several nodes, its band of every
 * tensor, the largest tensors first, since memory is used for one tensor after the other.
 */
#include "backend/cpu/exec/cpu_shared.h"

#include <stdlib.h>

#include "backend/cpu/exec/cpu_tune.h"
#include "backend/cpu/plan/cpu_plan.h"
#include "base/assert.h"
#include "base/mem.h"
#include "machine/cpu_features.h"

#define PAGE_BYTES 4096

/* Threads are bound where that was asked for, or where there is more than one memory node. */
static enum vrs_status find_places(enum vrs_affinity affinity, struct vrs_places **ret_places)
{
	bool nodes = affinity == VRS_AFFINITY_AUTO;
	if (affinity == VRS_AFFINITY_NONE || (nodes && vrs_topology_nodes() < 2))
		return VRS_OK;
	enum vrs_status status = vrs_places_create(ret_places, nodes);
	return status == VRS_EUNSUPPORTED ? VRS_OK : status; /* an advice: threads run where the system likes */
}

enum vrs_status vrs_cpu_shared_create(struct vrs_cpu_shared **ret_shared, const struct vrs_graph *graph, int threads,
				      const struct vrs_session_options *options, struct vrs_error *err)
{
	struct vrs_cpu_shared *shared = vrs_calloc(1, sizeof *shared);
	cpu_set_t before;
	if (!shared || find_places(options->affinity, &shared->places) != VRS_OK) {
		vrs_free(shared);
		return vrs_fail(err, VRS_ENOMEM, "out of memory for the plan of a network");
	}
	atomic_init(&shared->users, 1);
	(void)vrs_places_enter(shared->places, 0, &before);
	enum vrs_status status = vrs_cpu_tune_plan(&shared->plan, graph, vrs_cpu_features(), threads, options, err);
	vrs_places_leave(&before);
	if (status != VRS_OK) {
		vrs_cpu_shared_unref(shared);
		return status;
	}
	*ret_shared = shared;
	return VRS_OK;
}

struct vrs_cpu_shared *vrs_cpu_shared_ref(struct vrs_cpu_shared *shared)
{
	int before = atomic_fetch_add(&shared->users, 1);
	VRS_ASSERT(before > 0); /* whoever shares holds a reference */
	(void)before;
	return shared;
}

void vrs_cpu_shared_unref(struct vrs_cpu_shared *shared)
{
	if (!shared || atomic_fetch_sub(&shared->users, 1) > 1)
		return;
	vrs_cpu_plan_fini(&shared->plan);
	vrs_places_destroy(shared->places);
	vrs_free(shared);
}

/* Values of the arena by size, to be touched in that order. */
struct extent {
	size_t offset, row_bytes;
	int64_t rows;
};

static int by_size(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;
	size_t m = x->row_bytes * (size_t)x->rows, n = y->row_bytes * (size_t)y->rows;
	return m != n ? (m > n ? -1 : 1) : (x->offset > y->offset) - (x->offset < y->offset);
}

static void touch(char *arena, const struct extent *extent, int thread, int threads)
{
	size_t from = extent->offset + (size_t)(extent->rows * thread / threads) * extent->row_bytes;
	VRS_ASSERT(thread >= 0 && thread < threads);
	size_t to = extent->offset + (size_t)(extent->rows * (thread + 1) / threads) * extent->row_bytes;
	for (size_t at = from; at < to; at += PAGE_BYTES)
		((volatile char *)arena)[at] = 0;
}

static enum vrs_status touch_bands(char *arena, const struct vrs_cpu_shared *shared, int first_place)
{
	const struct vrs_cpu_plan *plan = &shared->plan;
	struct extent *extents = vrs_calloc((size_t)plan->value_count + 1, sizeof *extents);
	int count = 0;
	cpu_set_t before;
	if (!extents)
		return VRS_ENOMEM;
	for (int i = 0; i < plan->value_count; i++) {
		const struct vrs_cpu_value *v = &plan->values[i];
		if (v->in_arena)
			extents[count++] = (struct extent){v->arena_offset, vrs_cpu_row_floats(v) * vrs_cpu_value_size(v),
				(int64_t)(v->one_image ? 1 : v->images) * v->height};
	}
	qsort(extents, (size_t)count, sizeof *extents, by_size);
	for (int i = 0; i < count; i++) {
		for (int t = 0; t < plan->threads; t++) {
			(void)vrs_places_enter(shared->places, first_place + t, &before);
			touch(arena, &extents[i], t, plan->threads);
			vrs_places_leave(&before);
		}
	}
	vrs_free(extents);
	return VRS_OK;
}

static bool on_one_node(const struct vrs_cpu_shared *shared, int first_place)
{
	for (int t = 1; shared->places && t < shared->plan.threads; t++)
		if (vrs_places_node(shared->places, first_place + t) != vrs_places_node(shared->places, first_place))
			return false;
	return true;
}

/* What thread t uses, made where it will run. */
static enum vrs_status init_thread(struct vrs_cpu_memory *memory, const struct vrs_cpu_shared *shared, int t, int first_place, bool profile)
{
	cpu_set_t before;
	(void)vrs_places_enter(shared->places, first_place + t, &before);
	enum vrs_status status = VRS_OK;
	if (t == 0 && !memory->arena) {
		memory->arena = vrs_cpu_arena_create(&shared->plan, false);
		status = memory->arena ? VRS_OK : VRS_ENOMEM;
	}
	if (status == VRS_OK)
		status = vrs_cpu_thread_init(&memory->threads[t], &shared->plan, memory->arena, profile);
	vrs_places_leave(&before);
	return status;
}

enum vrs_status vrs_cpu_memory_init(struct vrs_cpu_memory *memory, const struct vrs_cpu_shared *shared, int first_place, bool profile)
{
	enum vrs_status status = VRS_OK;
	*memory = (struct vrs_cpu_memory){.threads = vrs_calloc((size_t)shared->plan.threads, sizeof *memory->threads)};
	if (!memory->threads)
		return VRS_ENOMEM;
	if (!on_one_node(shared, first_place)) {
		memory->arena = vrs_cpu_arena_create(&shared->plan, true);
		status = memory->arena ? touch_bands(memory->arena, shared, first_place) : VRS_ENOMEM;
	}
	for (int t = 0; status == VRS_OK && t < shared->plan.threads; t++)
		status = init_thread(memory, shared, t, first_place, profile);
	return status;
}

void vrs_cpu_memory_fini(struct vrs_cpu_memory *memory, const struct vrs_cpu_plan *plan)
{
	for (int t = 0; memory->threads && t < plan->threads; t++)
		vrs_cpu_thread_fini(&memory->threads[t]);
	vrs_free(memory->threads);
	vrs_cpu_arena_destroy(plan, memory->arena);
	*memory = (struct vrs_cpu_memory){.arena = NULL};
}
