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
typedef bool vrs_reader_fn(const void *cookie, const struct vrs_graph *graph, int32_t node);
/* Is the tensor read, as first input of live nodes for each of which `may` is true, and as nothing else?  An output of the graph is not. */
bool vrs_is_read_first_by(const struct vrs_graph *graph, int32_t tensor, vrs_reader_fn *may, const void *cookie);
/* Put nodes that were appended in front of their readers; dead nodes go. Ids of tensors stay, ids of nodes change. VRS_ENOMEM. */
enum vrs_status vrs_graph_sort(struct vrs_graph *graph, struct vrs_error *err);

/*
 * Images of a batch: the first dim of the picture, which is the first input of the highest rank.  1 where no input has three dims: rows of a matrix
 * take several times as long apart as together, and no map is made of them whose views could vanish.
 */
int64_t vrs_graph_batch(const struct vrs_graph *graph);
/* All values of a float constant lie within `near` * |value| of value. */
bool vrs_is_constant(const struct vrs_graph *graph, int32_t tensor, double value, double near);
/* A function of two inputs without epilogue. */
bool vrs_is_plain_binary(const struct vrs_node *node, enum vrs_binary op);
/* The node becomes a view: input 0 under the dims of its output. */
void vrs_set_view(const struct vrs_graph *graph, struct vrs_node *node);
/* A node makes the output of a later one, which dies. */
void vrs_take_output(struct vrs_graph *graph, struct vrs_node *node, struct vrs_node *later);

/* A step of a pass at one live node; uses: readers of each tensor when the pass began (vrs_count_uses). */
typedef enum vrs_status vrs_rewrite_fn(struct vrs_graph *graph, const int32_t *uses, struct vrs_node *node, struct vrs_error *err);
/* The step at each live node, in their order, until one fails; it adds no nodes. VRS_ENOMEM and what it returns. */
enum vrs_status vrs_rewrite_nodes(struct vrs_graph *graph, vrs_rewrite_fn *rewrite, struct vrs_error *err);

#endif
