/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sessions as code of the engine sees them: the graph that they run, and backends that stand in no list. */
#ifndef VRS_SESSION_SESSION_GRAPH_H
#define VRS_SESSION_SESSION_GRAPH_H

#include <vrseg/session.h>

#include "graph/ir.h"

struct vrs_backend;

/*
 * The concrete graph of a session: copy, shapes, passes.  options: backend, device and threads do not count.  graph: all zeros, or one that
 * vrs_graph_fini has ended; the caller ends it with vrs_graph_fini, also after a failure.  Statuses of vrs_session_create.  Thread-safe.
 */
enum vrs_status vrs_session_graph(struct vrs_graph *graph, const struct vrs_model *model, const struct vrs_session_options *options,
				  struct vrs_error *err);
/* A tensor of that graph whose elements are at data. The view borrows both. */
struct vrs_tensor_view vrs_session_view(const struct vrs_graph *graph, int32_t id, void *data);
/* vrs_session_create on this backend, whatever options->backend says. The backend must outlive the session. */
enum vrs_status vrs_session_create_on(struct vrs_session **ret_session, const struct vrs_backend *backend, const struct vrs_model *model,
				      const struct vrs_session_options *options, struct vrs_error *err);

#endif
