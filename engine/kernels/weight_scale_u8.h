/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scale of the weights of one output in 8 bits, for every backend. */
#ifndef VRS_KERNELS_WEIGHT_SCALE_U8_H
#define VRS_KERNELS_WEIGHT_SCALE_U8_H

#include <stddef.h>
#include <stdint.h>

/*
 * q = w / scale as vrs_quantize_weights (weight_pack_u8.h) rounds it, with the scale of least squared error among a few, which is returned; the
 * sum of all q goes to ret_sum.
 */
float vrs_quantize_weights_best(int8_t *q, const float *w, size_t count, int32_t *ret_sum);

#endif
