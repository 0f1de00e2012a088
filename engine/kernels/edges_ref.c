/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels of mattes (edges, smoothing over time) in plain C: the reference. */
#define EDGES_NAME(op) vrs_##op##__ref
#define EDGES_INIT vrs_edges_init__ref
#include "kernels/edges_template.h"
