/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which element types an operator takes and makes. */
#ifndef VRS_GRAPH_TYPE_RULES_H
#define VRS_GRAPH_TYPE_RULES_H

#include "graph/ir.h"

/* Types of the inputs of a node, which are known. VRS_EUNSUPPORTED names node and type. */
enum vrs_status vrs_node_check_types(const struct vrs_graph *graph, int32_t node, struct vrs_error *err);
/* Type of its output. */
enum vrs_dtype vrs_node_dtype(const struct vrs_graph *graph, const struct vrs_node *node);

#endif
