/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels of mattes (edges, smoothing over time) with AVX2. */
#define EDGES_NAME(op) vrs_##op##__avx2
#include "kernels/edges_template.h"
