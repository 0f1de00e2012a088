/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scalar activations, shared by the reference kernels. */
#ifndef VRS_KERNELS_ACT_H
#define VRS_KERNELS_ACT_H

#include "kernels/kernels.h"

/* Value of one output element after the epilogue; pixel and channel address the residual. */
float vrs_epilogue_apply(const struct vrs_epilogue *epilogue, float x, ptrdiff_t pixel, ptrdiff_t channel);

#endif
