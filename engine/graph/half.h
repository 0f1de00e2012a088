/* SPDX-License-Identifier: GPL-3.0-or-later */
/* binary16 (IEEE 754) and bfloat16 <-> binary32, without any instruction set: round to nearest even, subnormals, infinities and NaN kept. */
#ifndef VRS_GRAPH_HALF_H
#define VRS_GRAPH_HALF_H

#include <stddef.h>
#include <stdint.h>

float vrs_half_to_float(uint16_t half);
uint16_t vrs_half_from_float(float value); /* above 65504 + half a unit: infinity */
/* count halves at any address, little-endian as files have them. */
void vrs_half_to_floats(float *to, const void *halves, size_t count);
float vrs_bf16_to_float(uint16_t bits);
uint16_t vrs_bf16_from_float(float value);

#endif
