/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text and traffic of a node, for profiles. */
#ifndef VRS_BACKEND_STEP_NAME_H
#define VRS_BACKEND_STEP_NAME_H

#include "graph/ir.h"

/* "conv 3x3/2 3->16 +hswish @128x128": kernel, stride, channels, epilogue, output width x height. */
void vrs_step_name(const struct vrs_graph *graph, const struct vrs_node *node, char *buf, size_t size);
/* Bytes of every tensor that the node reads or writes, each once, as floats. */
uint64_t vrs_step_bytes(const struct vrs_graph *graph, const struct vrs_node *node);
/* Those of its weights among them. */
uint64_t vrs_step_weight_bytes(const struct vrs_graph *graph, const struct vrs_node *node);

/* Multiply-adds of all live nodes. */
uint64_t vrs_graph_macs(const struct vrs_graph *graph);

#endif
