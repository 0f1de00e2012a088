/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a session takes from a model: the graph as imported, never changed after loading. */
#ifndef VRS_GRAPH_MODEL_GRAPH_H
#define VRS_GRAPH_MODEL_GRAPH_H

#include <vrseg/model.h>

#include "graph/ir.h"

const struct vrs_graph *vrs_model_graph(const struct vrs_model *model);
/* A model from a ready graph, which is copied (tests and generated networks). VRS_EFORMAT as vrs_graph_validate; VRS_ENOMEM. */
enum vrs_status vrs_model_from_graph(struct vrs_model **ret_model, const struct vrs_graph *graph, const char *name, struct vrs_error *err)
	VRS_MUST_CHECK;

#endif
