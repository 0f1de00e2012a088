/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From the network's output to the final matte, at matte size: numbers to alpha, smoothing over time, cutoff and gamma.
 *
 * vrs_alpha_from_output may run in any order; vrs_postprocess_run keeps the past of one eye and must see its frames in order.
 */
#ifndef VRS_MATTE_POSTPROCESS_H
#define VRS_MATTE_POSTPROCESS_H

#include <stddef.h>

#include <vrseg/frame.h>

#include "matte/scene_cut.h"

/* What the network's numbers mean; the values are those of enum vrs_output_kind. */
enum vrs_alpha_kind { VRS_ALPHA_PROBABILITY, VRS_ALPHA_LOGITS, VRS_ALPHA_SOFTMAX2 };

/*
 * n alphas in 0..1 from n pixels of `channels` floats, of which number `channel` is read; softmax2 gives the share of that one among the first two.
 * NaN counts as background.
 */
void vrs_alpha_from_output(float *dst, const float *src, size_t n, int channels, int channel, enum vrs_alpha_kind kind);

struct vrs_postprocess_options {
	int width, height;  /* of the matte */
	double smoothing;   /* weight of the newest matte, 0..1; 1: no smoothing */
	double cutoff;      /* alpha below becomes 0, the rest is stretched; 0..0.95 */
	double gamma;       /* exponent of alpha, above 0 */
};

struct vrs_postprocess;

/* VRS_EINVAL: a value out of range; VRS_ENOMEM. */
enum vrs_status vrs_postprocess_create(struct vrs_postprocess **ret_postprocess, const struct vrs_postprocess_options *options);
void vrs_postprocess_destroy(struct vrs_postprocess *postprocess); /* NULL is fine */
/* Forget the past, as at the first frame. */
void vrs_postprocess_reset(struct vrs_postprocess *postprocess);
/*
 * Next matte of this eye into dst (rows of dst->stride bytes).  view is the part of the picture that it covers (NULL: always the same); where the one
 * before covered another part, its past is moved along, and what it did not cover has no past.  signature (may be NULL) decides about scene cuts,
 * where smoothing starts anew; returns true at a cut.
 */
bool vrs_postprocess_run(struct vrs_postprocess *postprocess, const float *alpha, const struct vrs_rect *view,
			 const struct vrs_scene_signature *signature, struct vrs_matte *dst);

#endif
