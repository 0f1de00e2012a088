/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A backend executes a concrete graph.  backend_null.c is the template; engine/session/backend_list.c is the list of all.
 */
#ifndef VRS_BACKEND_BACKEND_H
#define VRS_BACKEND_BACKEND_H

#include <vrseg/session.h>

#include "graph/ir.h"

struct vrs_backend_run;

struct vrs_backend {
	const char *name;
	/*
	 * Prepare a concrete graph (shapes inferred, passes run) for execution.  The graph stays alive and unchanged until destroy.
	 * Everything is allocated here; run allocates nothing.
	 */
	enum vrs_status (*create)(struct vrs_backend_run **ret_run, const struct vrs_graph *graph, const struct vrs_session_options *options,
				  struct vrs_error *err);
	/*
	 * (optional) Another run of the same graph, with its own tensors and threads, that shares what never changes, such as packed weights: none:
	 * create again.  The runs can be used at the same time and destroyed in any order.
	 */
	enum vrs_status (*clone)(struct vrs_backend_run **ret_run, const struct vrs_backend_run *of, struct vrs_error *err);
	void (*destroy)(struct vrs_backend_run *run); /* NULL is fine */
	/* Dense buffers of graph inputs and outputs, of their tensors' types, stable for the life of the run, 64-byte aligned. */
	void *(*input)(struct vrs_backend_run *run, int index);
	void *(*output)(struct vrs_backend_run *run, int index);
	enum vrs_status (*run)(struct vrs_backend_run *run, struct vrs_error *err);
	void (*stop_by)(struct vrs_backend_run *run, const atomic_bool *stop); /* (optional) see vrs_session_stop_by */
	void (*info)(const struct vrs_backend_run *run, struct vrs_session_info *info);   /* fills isa, steps, macs and bytes */
	int (*profile)(struct vrs_backend_run *run, const struct vrs_op_profile **ret_rows); /* (optional) none: no rows */
};

extern const struct vrs_backend vrs_backend_null, vrs_backend_ref, vrs_backend_cpu;

#endif
