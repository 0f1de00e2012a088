/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operators of the IR in plain C with sums in double: the meaning that every other backend is compared with. */
#ifndef VRS_BACKEND_REF_OPS_H
#define VRS_BACKEND_REF_OPS_H

#include "graph/ir.h"

/* Compute one live node of a concrete graph. values[tensor id]: dense floats of constants and of everything computed so far, out included. */
void vrs_ref_run_node(const struct vrs_graph *graph, const struct vrs_node *node, float *const *values);

#endif
