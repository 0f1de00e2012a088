/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Scene cuts from a small signature of the network's input: a 16 x 16 thumbnail and a histogram of luma.  A cut needs both to change: motion moves
 * the thumbnail but hardly the histogram; a fade or a flash shifts the histogram gradually or keeps the thumbnail's structure.  And how alike two
 * pictures are.
 */
#ifndef VRS_MATTE_SCENE_CUT_H
#define VRS_MATTE_SCENE_CUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/archive.h"

#define VRS_SCENE_SIDE 16
#define VRS_SCENE_BINS 32

struct vrs_scene_signature {
	uint32_t samples;
	uint32_t sum[VRS_SCENE_SIDE * VRS_SCENE_SIDE];   /* while collecting: sums of sample15 >> 7 */
	uint32_t count[VRS_SCENE_SIDE * VRS_SCENE_SIDE];
	float mean[VRS_SCENE_SIDE * VRS_SCENE_SIDE];     /* 0..255 */
	float histogram[VRS_SCENE_BINS];                 /* shares, sum 1 */
	uint32_t bins[VRS_SCENE_BINS];
};

void vrs_scene_signature_begin(struct vrs_scene_signature *signature);
/* Add row i of a width x height picture; row holds sample15. Every second sample of every second row counts. */
void vrs_scene_signature_row(struct vrs_scene_signature *signature, const uint16_t *row, int i, int width, int height);
void vrs_scene_signature_end(struct vrs_scene_signature *signature);
/* What comparing needs of a finished one. */
bool vrs_scene_signature_archive(struct vrs_scene_signature *signature, struct vrs_archive *archive);
/* True if b begins a new scene after a. */
bool vrs_scene_cut(const struct vrs_scene_signature *a, const struct vrs_scene_signature *b);
/*
 * 1 - (largest mean absolute difference of any 16 x 16 block) / 255, blocks at the right and lower edge as far as they go; 1: equal.  A mean over the
 * whole picture would not notice a hand that moves.  Both pictures have height * width bytes of luma.
 */
double vrs_similarity(const uint8_t *a, const uint8_t *b, int width, int height);

#endif
