/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Editing a graph: one tensor in the place of another, nodes back in order. */
#ifndef VRS_GRAPH_PASS_EDIT_H
#define VRS_GRAPH_PASS_EDIT_H

#include "graph/passes.h"

/* Tensors that stand for others. Readers change only in vrs_alias_apply, all at once. */
struct vrs_alias {
	int32_t *to;               /* [tensor] -1: itself */
	size_t cap;
	int32_t count;
};

/*
 * Whoever reads the output of a node shall read tensor `source`, of equal shape and type, and the node dies.  Where the output is one of the
 * graph's, the node that makes `source` makes it from now on; *ret_done is false where that cannot be, and nothing has changed.  VRS_ENOMEM.
 */
enum vrs_status vrs_alias_node(struct vrs_alias *alias, struct vrs_graph *graph, int32_t node, int32_t source, bool *ret_done, struct vrs_error *err);
/* Change all readers, and forget. */
void vrs_alias_apply(struct vrs_alias *alias, struct vrs_graph *graph);
/* Operands of one node. */
void vrs_alias_operands(const struct vrs_alias *alias, struct vrs_node *node);
void vrs_alias_fini(struct vrs_alias *alias);

/* [tensor] the node that alone reads it; -1: none, several, or it is an output of the graph. Free with vrs_free; NULL: out of memory. */
int32_t *vrs_only_readers(const struct vrs_graph *graph);
bool vrs_is_graph_output(const struct vrs_graph *graph, int32_t tensor);
/* Put nodes that were appended in front of their readers; dead nodes go. Ids of tensors stay, ids of nodes change. VRS_ENOMEM. */
enum vrs_status vrs_graph_sort(struct vrs_graph *graph, struct vrs_error *err);

#endif
