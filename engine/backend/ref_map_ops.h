/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reference operators on maps [N][H][W][C]; arguments as vrs_ref_run_node. */
#ifndef VRS_BACKEND_REF_MAP_OPS_H
#define VRS_BACKEND_REF_MAP_OPS_H

#include "graph/ir.h"

void vrs_ref_conv(const struct vrs_graph *graph, const struct vrs_node *node, float *const *values);
void vrs_ref_deconv(const struct vrs_graph *graph, const struct vrs_node *node, float *const *values);
void vrs_ref_pool(const struct vrs_graph *graph, const struct vrs_node *node, float *const *values);
void vrs_ref_global_avg(const struct vrs_graph *graph, const struct vrs_node *node, float *const *values);
void vrs_ref_resize(const struct vrs_graph *graph, const struct vrs_node *node, float *const *values);
/* Write y through the node's epilogue to element i of its output. */
void vrs_ref_store(const struct vrs_node *node, float *const *values, size_t i, double y);

#endif
