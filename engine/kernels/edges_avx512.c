/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels of mattes (edges, smoothing over time) with AVX-512. */
#define EDGES_NAME(op) vrs_##op##__avx512
#include "kernels/edges_template.h"
