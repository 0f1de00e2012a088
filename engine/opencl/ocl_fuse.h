/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes that one step computes together: their results between have one reader and need no memory. */
#ifndef VRS_OPENCL_OCL_FUSE_H
#define VRS_OPENCL_OCL_FUSE_H

#include "opencl/ocl_plan.h"

/*
 * Squeeze-excitation: average over the map, 1x1 convolution, function, 1x1 convolution, function.  Behind the sums over the map there is so little
 * work that starting kernels is its price; one group of work-items does it for a picture.  The steps of a chain that begins at this node, whose
 * other nodes are marked in plan->node_done.  VRS_EUNSUPPORTED: none begins here, and no step was begun.
 */
enum vrs_status vrs_ocl_fuse_se(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err);
/*
 * 1x1 convolutions of at most 32 channels behind each other, 2 to 4 of them: each pixel goes through all in the registers of a work-item.  The step
 * of a chain that begins at this node, whose other nodes are marked in plan->node_done.  VRS_EUNSUPPORTED: as above.
 */
enum vrs_status vrs_ocl_fuse_chain(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err);
/*
 * Functions of one and two inputs of equal shape: a kernel computes those that end in one value.  mark: before the first node is lowered, marks nodes
 * that another one computes in plan->node_done.  fuse: the step of such another one; VRS_EUNSUPPORTED: it computes only itself, no step was begun.
 */
void vrs_ocl_mark_elementwise(struct vrs_ocl_plan *plan);
enum vrs_status vrs_ocl_fuse_elementwise(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err);

/*
 * Concats, and formulas that read slices, with what they alone read: one step for all inputs.  VRS_EUNSUPPORTED: the node is none, and no step of its
 * own was begun.
 */
enum vrs_status vrs_ocl_fuse_pieces(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err);
/* May its readers' kernels do what the node does? Then it is marked in plan->deferred, and has no step until vrs_ocl_settle. */
bool vrs_ocl_defer(struct vrs_ocl_plan *plan, const struct vrs_node *node);
/* Before other steps of a node, and of those that it computes: the steps of deferred nodes that it reads. */
enum vrs_status vrs_ocl_settle(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err);

#endif
