/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From nodes to steps: one function an operator, in the table of ocl_lower.c.  A function returns VRS_EUNSUPPORTED, and has begun no step, for what
 * its kernels do not cover (a type, a rank, weights that are computed); the node is then computed on the host.
 */
#ifndef VRS_OPENCL_OCL_LOWER_H
#define VRS_OPENCL_OCL_LOWER_H

#include "opencl/ocl_plan.h"

typedef enum vrs_status vrs_ocl_lower_fn(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err);

/* The node's steps, on the device or on the host, or none yet where its readers may do its work (ocl_fuse.h). Statuses of vrs_ocl_plan_complete. */
enum vrs_status vrs_ocl_lower(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err);
/* The same without waiting for readers. */
enum vrs_status vrs_ocl_lower_now(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err);

vrs_ocl_lower_fn vrs_ocl_lower_unary, vrs_ocl_lower_binary, vrs_ocl_lower_reshape; /* ocl_lower_element.c */
vrs_ocl_lower_fn vrs_ocl_lower_cast, vrs_ocl_lower_where, vrs_ocl_lower_quant; /* ocl_lower_typed.c */
vrs_ocl_lower_fn vrs_ocl_lower_conv;       /* ocl_lower_conv.c */
vrs_ocl_lower_fn vrs_ocl_lower_deconv;     /* ocl_lower_deconv.c */
vrs_ocl_lower_fn vrs_ocl_lower_pool, vrs_ocl_lower_global_avg; /* ocl_lower_pool.c */
vrs_ocl_lower_fn vrs_ocl_lower_resize;     /* ocl_lower_resize.c */
vrs_ocl_lower_fn vrs_ocl_lower_concat, vrs_ocl_lower_slice, vrs_ocl_lower_transpose, vrs_ocl_lower_expand, vrs_ocl_lower_tile; /* ocl_lower_move.c */
vrs_ocl_lower_fn vrs_ocl_lower_pad, vrs_ocl_lower_gather; /* ocl_lower_pad.c */
vrs_ocl_lower_fn vrs_ocl_lower_reduce, vrs_ocl_lower_arg_reduce, vrs_ocl_lower_softmax; /* ocl_lower_reduce.c */
vrs_ocl_lower_fn vrs_ocl_lower_layer_norm, vrs_ocl_lower_instance_norm; /* ocl_lower_norm.c */
vrs_ocl_lower_fn vrs_ocl_lower_matmul;     /* ocl_lower_matmul.c */

#endif
