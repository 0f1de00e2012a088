/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Mattes from a one-stage detector with prototype masks (YOLACT, arXiv 1904.02689; YOLOv8-seg): every detection carries a box and the weights of a
 * linear combination of prototype maps; the sigmoid of that sum, inside the box, is its mask.  The matte is the largest mask at each pixel.
 *
 * Boxes come in two forms.  Grids are the raw heads [h][w][4 * bins + classes + prototypes]: distances left, top, right, bottom from the cell's
 * centre in cells, each the mean of a softmax over bins (arXiv 2006.04388), then logits of classes, then weights.  Lists are exported networks with
 * decoded boxes [4 + classes + prototypes][anchors]: centre x, centre y, width, height in input pixels, probabilities of classes, weights.
 */
#ifndef VRS_MATTE_DETECTION_H
#define VRS_MATTE_DETECTION_H

#include <stddef.h>

#include <vrseg/status.h>

#include "base/mem.h"

struct vrs_detector_options {
	int input_width, input_height; /* pixels that boxes are measured in */
	int classes, person;           /* number, and the one that counts */
	int prototypes;                /* maps, 1..1024 */
	float threshold;               /* least probability of a detection */
	float overlap;                 /* IoU above which the weaker of two boxes is dropped */
};

struct vrs_detector;

/* VRS_EINVAL: a value out of range; VRS_ENOMEM. */
enum vrs_status vrs_detector_create(struct vrs_detector **ret_detector, struct vrs_arena *arena, const struct vrs_detector_options *options);
/* Forget all detections. */
void vrs_detector_begin(struct vrs_detector *detector);
/* Floats of a grid cell for so many bins a side of the box. */
int vrs_detector_grid_channels(const struct vrs_detector_options *options, int bins);
/* Add what a grid or a list holds; weights are copied. The strongest VRS_DETECTOR_MAX detections are kept. bins 1..64. */
#define VRS_DETECTOR_MAX 256
void vrs_detector_add_grid(struct vrs_detector *detector, const float *grid, int height, int width, int bins);
void vrs_detector_add_list(struct vrs_detector *detector, const float *list, int anchors);
/*
 * Drop overlapping boxes and write the matte: alpha [height][width] in 0..1 from prototypes [height][width][options.prototypes].
 * Returns the number of persons.
 */
int vrs_detector_matte(struct vrs_detector *detector, const float *prototypes, int height, int width, float *alpha);

#endif
