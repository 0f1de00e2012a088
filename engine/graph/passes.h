/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Graph rewrites.  Each takes a validated graph with inferred shapes and leaves one; the results of the graph stay the same up to the
 * rounding of float.  Ids stay valid: removed nodes are marked dead.  Order and reasons: pass_list.c.
 * Rewrites that change the order of sums belong to a backend (backend/cpu_plan_rewrite.c), so that the reference stays the reference.
 */
#ifndef VRS_GRAPH_PASSES_H
#define VRS_GRAPH_PASSES_H

#include "graph/ir.h"

/* Evaluate a node with inferred shapes if all its inputs are constants and the result is not out of proportion: the node dies. VRS_ENOMEM. */
enum vrs_status vrs_node_fold(struct vrs_graph *graph, int32_t node, struct vrs_error *err);
enum vrs_status vrs_pass_const_fold(struct vrs_graph *graph, struct vrs_error *err);
/* Nodes whose output nobody reads. */
enum vrs_status vrs_pass_dead_code(struct vrs_graph *graph, struct vrs_error *err);
/* x * relu6(x + 3) / 6 and its relatives, written as several nodes, become one unary node. */
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
 * Number of readers of every tensor: live nodes (each input, residual and scale counts once) and outputs of the graph.  Free with vrs_free;
 * NULL: out of memory.  Merging a tensor's single reader into its producer changes the count of that tensor alone.
 */
int32_t *vrs_count_uses(const struct vrs_graph *graph);
/* Shape of two tensors equal. */
bool vrs_same_shape(const struct vrs_graph *graph, int32_t a, int32_t b);
/* Live node that computes tensor id; NULL: constant, graph input. */
struct vrs_node *vrs_producer(const struct vrs_graph *graph, int32_t id);

#endif
