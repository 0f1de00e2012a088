/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the layout pass share: permutations, transposed copies of tensors, and the rules by operator. */
#ifndef VRS_GRAPH_PASS_LAYOUT_H
#define VRS_GRAPH_PASS_LAYOUT_H

#include "graph/passes.h"

/* Dim i of the result is dim at[i] of the source. */
struct vrs_perm {
	int rank;
	int at[VRS_MAX_RANK];
};

struct vrs_perm vrs_perm_of(const struct vrs_graph *graph, const struct vrs_node *transpose);
struct vrs_perm vrs_perm_identity(int rank);
struct vrs_perm vrs_perm_inverse(const struct vrs_perm *perm);
/* First `first`, then `second`. */
struct vrs_perm vrs_perm_compose(const struct vrs_perm *first, const struct vrs_perm *second);
bool vrs_perm_is_identity(const struct vrs_perm *perm);
/* Only dims of 1 change places: the elements stay in order. dims: of the source. */
bool vrs_perm_is_free(const struct vrs_perm *perm, const int64_t *dims);
/* result[i] = dims[at[i]] */
void vrs_perm_dims(const struct vrs_perm *perm, const int64_t *dims, int64_t *ret_dims);
/* Bit at[i] of the result for bit i of mask: axes of the result named as axes of the source. */
uint32_t vrs_perm_axes(const struct vrs_perm *perm, uint32_t mask);

struct vrs_layout {
	struct vrs_graph *graph;
	struct vrs_error *err;
	int32_t *newest;           /* [tensor] last transpose node that reads it; -1: none */
	size_t newest_cap;
	int32_t newest_count;
	int32_t *before;           /* [node] transpose of the same tensor found before it; -1: none */
	size_t before_cap;
	int32_t *uses;             /* of tensors when the sweep began */
	int32_t uses_count;
	bool careful;              /* never leave a transpose to other readers and make a second one */
};

/* Tensor transposed by perm: itself, an earlier copy, a constant or a new node. Id or negative status. */
int32_t vrs_layout_transposed(struct vrs_layout *layout, int32_t tensor, const struct vrs_perm *perm);
/* The tensor under other dims of as many elements. Id or negative status. */
int32_t vrs_layout_reshaped(struct vrs_layout *layout, int32_t tensor, int rank, const int64_t *dims);
/* An earlier transposed copy of the tensor, which may be a constant; -1: none. */
int32_t vrs_layout_copy_of(const struct vrs_layout *layout, int32_t tensor, const struct vrs_perm *perm);
/* Elements that vrs_layout_transposed would have to move at run time. */
int64_t vrs_layout_transposed_cost(struct vrs_layout *layout, int32_t tensor, const struct vrs_perm *perm);
/* Register a transpose node, so that later requests find it. */
enum vrs_status vrs_layout_note(struct vrs_layout *layout, int32_t node);
void vrs_layout_fini(struct vrs_layout *layout);

/*
 * The transpose that makes a tensor; NULL: none.  A transpose that only moves dims of 1 counts too.
 */
struct vrs_node *vrs_layout_transpose_of(const struct vrs_graph *graph, int32_t tensor);

/*
 * Node number id reads transposes: let it read their sources (transposed copies of what else it reads) and transpose its result instead.
 * *ret_moved tells if it did.
 */
enum vrs_status vrs_layout_sink(struct vrs_layout *layout, int32_t id, bool *ret_moved);
/*
 * The reshape from dims x to dims y of a tensor that lies transposed: perm makes dims x from the stored tensor.  Fills the dims that the
 * stored tensor can be reshaped to and the permutation that makes dims y of them; false: the dims that are merged do not lie together.
 */
bool vrs_layout_view(const struct vrs_perm *perm, const int64_t *x, int x_rank, const int64_t *y, int y_rank, int64_t *ret_dims,
		     struct vrs_perm *ret_perm);

#endif
