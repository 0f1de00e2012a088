/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Graph rewrites.  Each takes a validated graph with inferred shapes and leaves one; the results of the graph stay the same up to the
 * rounding of float.  Ids of tensors stay valid; those of nodes change where a pass adds some.  Order and reasons: pass_list.c.
 * Rewrites that change the order of sums belong to a backend (backend/cpu/plan/cpu_plan_rewrite.c), so that the reference stays the reference.
 */
#ifndef VRS_GRAPH_PASSES_H
#define VRS_GRAPH_PASSES_H

#include "graph/ir.h"

/*
 * Evaluate a node with inferred shapes if all its inputs are constants and neither the result nor the work is out of proportion: the node dies.
 * VRS_ENOMEM; VRS_ELIMIT when constants have no room any more.
 */
enum vrs_status vrs_node_fold(struct vrs_graph *graph, int32_t node, struct vrs_error *err);
enum vrs_status vrs_pass_const_fold(struct vrs_graph *graph, struct vrs_error *err);
/* Nodes whose output nobody reads. */
enum vrs_status vrs_pass_dead_code(struct vrs_graph *graph, struct vrs_error *err);
/* Products of rows keep the images of a batch apart. */
enum vrs_status vrs_pass_batch(struct vrs_graph *graph, struct vrs_error *err);
/* Instance norms over groups of channels that a view made channels become norms with groups. */
enum vrs_status vrs_pass_group_norm(struct vrs_graph *graph, struct vrs_error *err);
/* Transpositions cancel, merge, and move out of the way (pass_layout.c). */
enum vrs_status vrs_pass_layout(struct vrs_graph *graph, struct vrs_error *err);
/* Elements that the transpositions of a graph move: what vrs_pass_layout makes smaller. */
int64_t vrs_layout_cost(const struct vrs_graph *graph);
/* Nodes that change nothing go; reshapes of reshapes merge; means over height and width become global averages. */
enum vrs_status vrs_pass_identity(struct vrs_graph *graph, struct vrs_error *err);
/* Of nodes that compute the same, one stays. */
enum vrs_status vrs_pass_common(struct vrs_graph *graph, struct vrs_error *err);
/* Products with constant matrices become 1x1 convolutions. */
enum vrs_status vrs_pass_matmul(struct vrs_graph *graph, struct vrs_error *err);
/* (1 - u) * h + u * c becomes h + u * (c - h). */
enum vrs_status vrs_pass_lerp(struct vrs_graph *graph, struct vrs_error *err);
/* Constant factors and terms, one a channel or one for all, go into the weights and biases of the convolution before or behind them. */
enum vrs_status vrs_pass_affine(struct vrs_graph *graph, struct vrs_error *err);
/* x * relu6(x + 3) / 6, Mish, GELU and their relatives, written as several nodes, become one unary node; clips and PReLU something plainer. */
enum vrs_status vrs_pass_act_pattern(struct vrs_graph *graph, struct vrs_error *err);
/* Zero padding of height and width moves into the convolution that alone reads it. */
enum vrs_status vrs_pass_pad(struct vrs_graph *graph, struct vrs_error *err);
/* A unary node moves into the epilogue of the conv, deconv or binary node that feeds nothing else. */
enum vrs_status vrs_pass_activation(struct vrs_graph *graph, struct vrs_error *err);
/* conv(x * s), s being [N,1,1,C], where the product has no other reader and the kernel is 1x1: s becomes the conv's scale. */
enum vrs_status vrs_pass_se_scale(struct vrs_graph *graph, struct vrs_error *err);
/* An addition of equal shapes moves into the epilogue of a conv, deconv or binary node that feeds one side of it and nothing else. */
enum vrs_status vrs_pass_residual(struct vrs_graph *graph, struct vrs_error *err);

/*
 * For tests: constants and dead code, and of the passes of vrs_passes_run those whose bit is set, in their order (pass_list.c).
 */
enum vrs_status vrs_passes_run_some(struct vrs_graph *graph, uint32_t passes, struct vrs_error *err);
int vrs_pass_count(void);

/*
 * Inputs and outputs of four dims that are [N][C][H][W] become [N][H][W][C], with transpositions behind and before them: not a pass, but what
 * a session asks for before it runs them.  Nothing to do unless graph->nchw.  VRS_ENOMEM, VRS_ELIMIT.
 */
enum vrs_status vrs_graph_use_nhwc(struct vrs_graph *graph, struct vrs_error *err);

/*
 * Number of readers of every tensor: live nodes (each input, residual and scale counts once) and outputs of the graph.  Free with vrs_free;
 * NULL: out of memory.  Merging a tensor's single reader into its producer changes the count of that tensor alone.
 */
int32_t *vrs_count_uses(const struct vrs_graph *graph);
/* Shape of two tensors equal. */
bool vrs_same_shape(const struct vrs_graph *graph, int32_t a, int32_t b);
/* Live node that computes tensor id; NULL: constant, graph input. */
struct vrs_node *vrs_producer(const struct vrs_graph *graph, int32_t id);

#endif
