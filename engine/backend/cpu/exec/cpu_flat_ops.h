/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole float tensors on the CPU, faster than the reference. */
#ifndef VRS_BACKEND_CPU_FLAT_OPS_H
#define VRS_BACKEND_CPU_FLAT_OPS_H

#include "graph/eval.h"

/* Dim i of out is dim perm[i] of x. */
void vrs_cpu_transpose(const struct vrs_graph_tensor *x, const int *perm, const float *in, float *out);
/* Operators of e->node on floats; sums in a fixed order of eight partial sums. */
void vrs_cpu_matmul(const struct vrs_eval *e);
void vrs_cpu_layer_norm(const struct vrs_eval *e);
void vrs_cpu_instance_norm(const struct vrs_eval *e);

#endif
