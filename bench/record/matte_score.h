/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mattes of a run against those of another (agreement with the fp32 reference), or against exact truth. */
#ifndef VRS_BENCH_MATTE_SCORE_H
#define VRS_BENCH_MATTE_SCORE_H

#include <stdbool.h>
#include <stdint.h>

#include <vrseg/layout.h>
#include <vrseg/quality.h>

#include "bench/record/matte_prefixes.h"
#include "bench/record/matte_set.h"

struct vrs_matte_score {
	double iou, mad, boundary_f; /* means over mattes; NaN when nothing was compared */
	int frames;                  /* mattes compared */
};

/*
 * Compare with a reference, matte by matte of the same frame and eye.  Frames of different size are compared in relative coordinates; mattes
 * of different size or cover are both drawn onto one grid of the finer pitch over the union of what they cover.
 * VRS_EINVAL: nothing in common; VRS_ENOMEM.
 */
enum vrs_status vrs_matte_set_compare(const struct vrs_matte_set *set, const struct vrs_matte_set *reference, struct vrs_matte_score *ret_score);

/* Exact truth: frames of 8-bit alpha over the whole picture, in the layout of the video, in a headerless file. */
struct vrs_truth_file {
	const char *path;
	int width, height;
	int64_t frames;
	bool loops;    /* the video begins anew after so many frames; false: of later ones nothing is known */
};

/*
 * Compare with truth over the whole eye (what the matte does not cover is background), every step-th matte, and for changes the one before it.
 * eyes: rectangles of the eyes in the frame, eye_count of them.  prefixes (may be NULL): takes every frame that was compared.  ret_mattes: how many
 * mattes were.  VRS_EIO, VRS_EINVAL, VRS_ENOMEM.
 */
enum vrs_status vrs_matte_set_score(const struct vrs_matte_set *set, const struct vrs_truth_file *truth, const struct vrs_rect eyes[2], int eye_count,
				    int step, struct vrs_matte_prefixes *prefixes, struct vrs_truth_sums *ret_sums, int *ret_mattes,
				    struct vrs_error *err);

#endif
