/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What sessions that were cloned from each other share: the plan with its packed weights, which never changes, and where their threads run.
 *
 * Weights exist once, also on a machine with several memory nodes: the networks at hand have 0.4 to 50 MB of them, which a stream reads once an
 * inference, 2 to 200 ms; that is 0.25 GB/s for a stream, and a link between nodes carries a hundred times as much.
 */
#ifndef VRS_BACKEND_CPU_SHARED_H
#define VRS_BACKEND_CPU_SHARED_H

#include <stdatomic.h>

#include <vrseg/session.h>

#include "backend/cpu/exec/cpu_rows.h"
#include "machine/places.h"

struct vrs_cpu_shared {
	struct vrs_cpu_plan plan;
	struct vrs_places *places;  /* NULL: threads are not bound */
	atomic_int users;           /* runs */
	atomic_int streams;         /* runs ever made: each takes the places after those of the one before */
};

/* With one user; the statuses of vrs_cpu_tune_plan. */
enum vrs_status vrs_cpu_shared_create(struct vrs_cpu_shared **ret_shared, const struct vrs_graph *graph, int threads,
				      const struct vrs_session_options *options, struct vrs_error *err);
struct vrs_cpu_shared *vrs_cpu_shared_ref(struct vrs_cpu_shared *shared);
void vrs_cpu_shared_unref(struct vrs_cpu_shared *shared); /* NULL is fine */

/* Memory of one run, on the memory nodes of its threads where those are bound. */
struct vrs_cpu_memory {
	char *arena;
	struct vrs_cpu_thread *threads; /* plan->threads of them */
};

/* first_place: of thread 0. VRS_ENOMEM; free it after a failure too. */
enum vrs_status vrs_cpu_memory_init(struct vrs_cpu_memory *memory, const struct vrs_cpu_shared *shared, int first_place, bool profile);
void vrs_cpu_memory_fini(struct vrs_cpu_memory *memory, const struct vrs_cpu_plan *plan);

#endif
