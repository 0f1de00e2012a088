/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels of mattes (edges, smoothing over time) in plain C: the reference. */
#define EDGES_NAME(op) vrs_##op##__ref
#include "kernels/edges_template.h"
