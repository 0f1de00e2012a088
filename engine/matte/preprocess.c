/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/preprocess.h"

#include <string.h>

#include "kernels/picture.h"
#include "matte/hdr_transfer.h"
#include "matte/plane_scaler.h"
#include "matte/yuv_color.h"

#define NEUTRAL_CHROMA 16384 /* sample15 of 2^(depth - 1) */

struct vrs_preprocess {
	struct vrs_preprocess_options options;
	struct vrs_rect rect;             /* looked at now */
	struct vrs_color_kernel_args color;
	struct vrs_hdr_curve *hdr;        /* NULL: the picture is not HDR */
	int planes;                       /* 1: grey, chroma rows stay neutral */
	struct vrs_plane_scaler scaler[3];
	uint16_t *row[3];                 /* scaled rows, sample15 */
	uint8_t *luma;                    /* of the caller; NULL: none */
};

enum vrs_status vrs_preprocess_create(struct vrs_preprocess **ret_preprocess, struct vrs_arena *arena, const struct vrs_preprocess_options *options)
{
	if (vrs_picture_format_check(&options->format) || !vrs_rect_fits(&options->rect, &options->format) || options->width < 1 || options->height < 1)
		return VRS_EINVAL;
	struct vrs_preprocess *pre = vrs_arena_calloc(arena, 1, sizeof *pre);
	if (!pre)
		return VRS_ENOMEM;
	pre->options = *options;
	pre->rect = options->rect;
	pre->planes = options->format.planes == 1 ? 1 : 3;
	vrs_yuv_kernel_args(&pre->color, &options->format, options->bgr, options->mean, options->scale);
	const struct vrs_rect *eye = options->eye.width > 0 ? &options->eye : NULL;
	enum vrs_status status = vrs_hdr_curve_create(&pre->hdr, arena, &options->format);
	for (int p = 0; p < 3 && status == VRS_OK; p++) {
		pre->row[p] = vrs_arena_calloc(arena, (size_t)options->width, sizeof *pre->row[p]);
		if (!pre->row[p])
			status = VRS_ENOMEM;
		else if (p < pre->planes)
			status = vrs_plane_scaler_init(&pre->scaler[p], arena, &options->format, p, eye, &options->rect, options->width, options->height);
		else
			for (int x = 0; x < options->width; x++)
				pre->row[p][x] = NEUTRAL_CHROMA;
	}
	*ret_preprocess = pre;
	return status;
}

enum vrs_status vrs_preprocess_place(struct vrs_preprocess *preprocess, const struct vrs_rect *rect)
{
	const struct vrs_rect *most = &preprocess->options.rect, before = preprocess->rect;
	if (!vrs_rect_fits(rect, &preprocess->options.format) || rect->width > most->width || rect->height > most->height)
		return VRS_EINVAL;
	if (memcmp(rect, &before, sizeof before) == 0)
		return VRS_OK;
	preprocess->rect = *rect;
	enum vrs_status status = VRS_OK;
	for (int p = 0; p < preprocess->planes && status == VRS_OK; p++)
		status = vrs_plane_scaler_place(&preprocess->scaler[p], rect);
	return status;
}

void vrs_preprocess_keep_luma(struct vrs_preprocess *preprocess, uint8_t *luma)
{
	preprocess->luma = luma;
}

/* Network values of a row of sample15. */
static void color_row(const struct vrs_preprocess *preprocess, const uint16_t *const row[3], float *dst)
{
	const struct vrs_preprocess_options *o = &preprocess->options;
	vrs_picture_kernels()->color_rgb_f32(dst, row[0], row[1], row[2], o->width, &preprocess->color);
	if (preprocess->hdr)
		vrs_hdr_curve_run(preprocess->hdr, dst, o->width, o->bgr, o->mean, o->scale);
}

void vrs_preprocess_run(struct vrs_preprocess *preprocess, const struct vrs_frame *frame, float *dst, struct vrs_scene_signature *ret_signature)
{
	int width = preprocess->options.width, height = preprocess->options.height;
	const uint16_t *const row[3] = {preprocess->row[0], preprocess->row[1], preprocess->row[2]};
	if (ret_signature)
		vrs_scene_signature_begin(ret_signature);
	for (int i = 0; i < height; i++) {
		for (int p = 0; p < preprocess->planes; p++)
			vrs_plane_scaler_row(&preprocess->scaler[p], frame, i, preprocess->row[p]);
		color_row(preprocess, row, dst + (size_t)i * (size_t)width * 3);
		if (ret_signature)
			vrs_scene_signature_row(ret_signature, preprocess->row[0], i, width, height);
		if (preprocess->luma)
			for (int x = 0; x < width; x++)
				preprocess->luma[(size_t)i * (size_t)width + (size_t)x] = (uint8_t)(preprocess->row[0][x] >> 7);
	}
	if (ret_signature)
		vrs_scene_signature_end(ret_signature);
}

void vrs_preprocess_scale(struct vrs_preprocess *preprocess, const struct vrs_frame *frame, uint16_t *const planes[3])
{
	size_t width = (size_t)preprocess->options.width;
	for (int p = 0; p < 3; p++)
		for (int i = 0; i < preprocess->options.height; i++)
			if (p < preprocess->planes)
				vrs_plane_scaler_row(&preprocess->scaler[p], frame, i, planes[p] + (size_t)i * width);
			else
				memcpy(planes[p] + (size_t)i * width, preprocess->row[p], width * sizeof *planes[p]); /* neutral */
}

void vrs_preprocess_color(struct vrs_preprocess *preprocess, const uint16_t *const planes[3], float *dst, struct vrs_scene_signature *ret_signature)
{
	int width = preprocess->options.width, height = preprocess->options.height;
	if (ret_signature)
		vrs_scene_signature_begin(ret_signature);
	for (int i = 0; i < height; i++) {
		size_t at = (size_t)i * (size_t)width;
		const uint16_t *const row[3] = {planes[0] + at, planes[1] + at, planes[2] + at};
		color_row(preprocess, row, dst + at * 3);
		if (ret_signature)
			vrs_scene_signature_row(ret_signature, row[0], i, width, height);
	}
	if (ret_signature)
		vrs_scene_signature_end(ret_signature);
}
