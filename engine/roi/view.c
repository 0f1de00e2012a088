/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "roi/view.h"

#include <math.h>

/* VR180 eyes are square; without metadata only their shape tells. */
static bool shows_half_sphere(const struct vrs_layout *layout, const struct vrs_rect *eye)
{
	switch (layout->projection) {
	case VRS_PROJECTION_HEQUIRECT:
	case VRS_PROJECTION_FISHEYE:
		return true;
	case VRS_PROJECTION_UNKNOWN:
		return layout->stereo != VRS_STEREO_MONO && eye->width * 10 > eye->height * 9 && eye->width * 9 < eye->height * 10;
	case VRS_PROJECTION_FLAT:
	case VRS_PROJECTION_EQUIRECT:
		break;
	}
	return false;
}

/* Centred part of [at, at + length) of about share * length, beginning at a multiple of step and a multiple of step long. */
static void centre_part(int at, int length, double share, int step, int *ret_at, int *ret_length)
{
	int part = (int)lrint(length * share / step) * step;
	part = part < step ? step : part;
	if (part >= length) {
		*ret_at = at;
		*ret_length = length;
		return;
	}
	*ret_at = at + (length - part) / 2 / step * step;
	*ret_length = part;
}

struct vrs_rect vrs_view_rect(const struct vrs_layout *layout, const struct vrs_settings *settings, const struct vrs_picture_format *format, int eye)
{
	struct vrs_rect whole = vrs_layout_eye(layout, format->width, format->height, eye);
	bool centre = settings->matte.view == VRS_VIEW_CENTRE || (settings->matte.view == VRS_VIEW_AUTO && shows_half_sphere(layout, &whole));
	if (!centre)
		return whole;
	struct vrs_rect view;
	centre_part(whole.x, whole.width, settings->matte.view_size, 1 << format->chroma_shift_x, &view.x, &view.width);
	centre_part(whole.y, whole.height, settings->matte.view_size, 1 << format->chroma_shift_y, &view.y, &view.height);
	return view;
}
