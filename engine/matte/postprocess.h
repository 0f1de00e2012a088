/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From the network's output to the final matte, at matte size: numbers to alpha, smoothing over time, edges drawn to the picture's, cutoff and
 * gamma, larger or smaller, softer.
 *
 * vrs_alpha_from_output may run in any order; a vrs_postprocess keeps the past of one eye and must see its frames in order.  Some settings need
 * frames to come: then mattes come out vrs_temporal_latency frames later.
 */
#ifndef VRS_MATTE_POSTPROCESS_H
#define VRS_MATTE_POSTPROCESS_H

#include <stddef.h>

#include <vrseg/frame.h>

#include "matte/scene_cut.h"
#include "matte/temporal.h"

/* What the network's numbers mean; the values are those of enum vrs_output_kind. */
enum vrs_alpha_kind { VRS_ALPHA_PROBABILITY, VRS_ALPHA_LOGITS, VRS_ALPHA_SOFTMAX2 };

/*
 * n alphas in 0..1 from n pixels of `channels` floats, of which number `channel` is read; softmax2 gives the share of that one among the first two.
 * NaN counts as background.
 */
void vrs_alpha_from_output(float *dst, const float *src, size_t n, int channels, int channel, enum vrs_alpha_kind kind);

struct vrs_postprocess_options {
	struct vrs_temporal_options temporal; /* size of the matte, smoothing over time; keeps_luma goes by the filter */
	int refine_radius;  /* guided filter, matte pixels; 0: none */
	double refine_eps, refine_limit; /* as vrs_guided_create */
	double cutoff;      /* alpha below becomes 0, the rest is stretched; 0..0.95 */
	double gamma;       /* exponent of alpha, above 0 */
	double grow;        /* people larger by so many pixels of the picture; below 0: smaller */
	double feather;     /* half width of the softened edge, pixels of the picture; 0: as it is */
};

struct vrs_postprocess;

/* VRS_EINVAL: a value out of range; VRS_ENOMEM. */
enum vrs_status vrs_postprocess_create(struct vrs_postprocess **ret_postprocess, struct vrs_arena *arena,
				       const struct vrs_postprocess_options *options);
/* Does it need the luma of the frames? */
bool vrs_postprocess_needs_luma(const struct vrs_postprocess_options *options);
/* Forget the past, as at the first frame. */
void vrs_postprocess_reset(struct vrs_postprocess *postprocess);
/*
 * The next frame of this eye: as struct vrs_temporal_frame says, whose data must stay until the next call of vrs_postprocess_take.  Where the view of
 * the frame before was another part of the picture, its past is moved along, and what it did not cover has no past.  The signature decides about
 * scene cuts, where smoothing starts anew; returns true at a cut.
 */
bool vrs_postprocess_push(struct vrs_postprocess *postprocess, const struct vrs_temporal_frame *frame);
/*
 * The next finished matte into dst (rows of dst->stride bytes), and the part that it covers into *ret_view (may be NULL).  Call once after each push,
 * and with end until it returns false when no more frames come.  False: no matte is finished.
 */
bool vrs_postprocess_take(struct vrs_postprocess *postprocess, bool end, struct vrs_matte *dst, struct vrs_rect *ret_view);
/* As vrs_temporal_archive and vrs_temporal_waiting. */
bool vrs_postprocess_archive(struct vrs_postprocess *postprocess, struct vrs_archive *archive, const struct vrs_rect *eye);
int vrs_postprocess_waiting(const struct vrs_postprocess *postprocess);

#endif
