/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compose/alpha_frame.h"

#include <string.h>

#include "base/mem.h"

struct vrs_alpha_frame {
	struct vrs_picture_format format;
	struct vrs_frame neutral;      /* chroma of grey pictures, shared by all frames; empty: they bring their own */
};

struct pair {
	struct vrs_frame picture, alpha;
};

struct vrs_picture_format vrs_alpha_frame_format(const struct vrs_picture_format *source)
{
	struct vrs_picture_format format = *source;
	if (source->planes == 1)
		format.chroma_shift_x = format.chroma_shift_y = 1;
	format.planes = 4;
	return format;
}

static enum vrs_status make_neutral(struct vrs_alpha_frame *cutout)
{
	struct vrs_picture_format chroma = cutout->format;
	chroma.planes = 1;
	chroma.width = vrs_plane_width(&cutout->format, 1);
	chroma.height = vrs_plane_height(&cutout->format, 1);
	enum vrs_status status = vrs_frame_alloc(&cutout->neutral, &chroma);
	int value = 1 << (chroma.bit_depth - 1);
	for (int y = 0; y < chroma.height && status == VRS_OK; y++)
		vrs_samples_fill(cutout->neutral.data[0] + cutout->neutral.stride_bytes[0] * y, value, chroma.width, vrs_sample_bytes(&chroma));
	return status;
}

enum vrs_status vrs_alpha_frame_create(struct vrs_alpha_frame **ret_cutout, const struct vrs_picture_format *source)
{
	struct vrs_alpha_frame *cutout = vrs_calloc(1, sizeof *cutout);
	if (!cutout)
		return VRS_ENOMEM;
	cutout->format = vrs_alpha_frame_format(source);
	enum vrs_status status = source->planes == 1 ? make_neutral(cutout) : VRS_OK;
	if (status != VRS_OK) {
		vrs_alpha_frame_destroy(cutout);
		return status;
	}
	*ret_cutout = cutout;
	return VRS_OK;
}

void vrs_alpha_frame_destroy(struct vrs_alpha_frame *cutout)
{
	if (!cutout)
		return;
	vrs_frame_unref(&cutout->neutral);
	vrs_free(cutout);
}

static void pair_unref(void *owner)
{
	struct pair *pair = owner;
	vrs_frame_unref(&pair->picture);
	vrs_frame_unref(&pair->alpha);
	vrs_free(pair);
}

enum vrs_status vrs_alpha_frame_join(const struct vrs_alpha_frame *cutout, struct vrs_frame *frame, struct vrs_frame *alpha)
{
	struct pair *pair = vrs_alloc(sizeof *pair);
	if (!pair) {
		vrs_frame_unref(frame);
		vrs_frame_unref(alpha);
		return VRS_ENOMEM;
	}
	*pair = (struct pair){.picture = *frame, .alpha = *alpha};
	frame->format = cutout->format;
	for (int p = 1; p < 3 && cutout->neutral.data[0]; p++) {
		frame->data[p] = cutout->neutral.data[0];
		frame->stride_bytes[p] = cutout->neutral.stride_bytes[0];
	}
	frame->data[3] = alpha->data[0];
	frame->stride_bytes[3] = alpha->stride_bytes[0];
	frame->writable = false;
	frame->owner = pair;
	frame->unref = pair_unref;
	memset(alpha, 0, sizeof *alpha);
	return VRS_OK;
}
