/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the eyes of a decided layout lie in a frame; names of layouts and projections, and projections as the user writes them. */
#include <vrseg/layout.h>

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/names.h"
#include "base/str_parse.h"

#define WHOLE_TURN 360

static const char *const stereos[] = {"auto", "mono", "sbs", "tb"};
static const char *const projection_names[] = {"unknown", "flat", "hequirect", "equirect", "fisheye"};
static const struct vrs_names projections = VRS_NAMES(projection_names);
const struct vrs_names vrs_stereo_names = VRS_NAMES(stereos);

int vrs_layout_eyes(const struct vrs_layout *layout)
{
	return layout->stereo == VRS_STEREO_SBS || layout->stereo == VRS_STEREO_TB ? 2 : 1;
}

/* The half at `position` (0 or 1) of a length: both halves equal and even, beginning at even samples; a rest in the middle stays out. */
static void half(int length, int position, int *ret_start, int *ret_length)
{
	*ret_length = (length / 2) & ~1;
	*ret_start = position ? (length - *ret_length) & ~1 : 0;
}

struct vrs_rect vrs_layout_eye(const struct vrs_layout *layout, int w, int h, int eye)
{
	struct vrs_rect rect = {0, 0, w, h};
	int position = layout->right_eye_first ? !eye : eye;

	if (layout->stereo == VRS_STEREO_SBS) {
		half(w, position, &rect.x, &rect.width);
		rect.height = h > 1 ? h & ~1 : h;
	} else if (layout->stereo == VRS_STEREO_TB) {
		half(h, position, &rect.y, &rect.height);
		rect.width = w > 1 ? w & ~1 : w;
	}
	return rect;
}

bool vrs_layout_is_whole_turn(const struct vrs_layout *layout)
{
	return layout->projection == VRS_PROJECTION_EQUIRECT && (layout->fov_degrees == 0 || layout->fov_degrees >= WHOLE_TURN);
}

int vrs_layout_circle(const struct vrs_layout *layout, const struct vrs_picture_format *format)
{
	int width = 0, whole = (1 << format->chroma_shift_x) - 1;
	for (int i = 0; i < vrs_layout_eyes(layout); i++) {
		struct vrs_rect eye = vrs_layout_eye(layout, format->width, format->height, i);
		width = eye.width;
		if ((width & whole) || (eye.x && eye.x != width))
			return 0;
	}
	return vrs_layout_is_whole_turn(layout) ? width : 0;
}

const char *vrs_stereo_name(enum vrs_stereo stereo)
{
	return vrs_name_of(&vrs_stereo_names, stereo);
}

const char *vrs_projection_name(enum vrs_projection projection)
{
	return vrs_name_of(&projections, projection);
}

/* A member that is added here makes other outputs, and the text has to say it. */
_Static_assert(offsetof(struct vrs_layout, reason) == 2 * sizeof(double) + 4 * sizeof(int) + sizeof(bool) &&
	       sizeof(struct vrs_layout) < offsetof(struct vrs_layout, reason) + 256 + sizeof(double), /* nothing behind it */
	       "struct vrs_layout has a member that vrs_layout_describe does not know");

void vrs_layout_describe(char ret_text[VRS_LAYOUT_TEXT], const struct vrs_layout *layout)
{
	static const char *const sources[] = {"the option", "side data", "the name", "the projection", "the shape"};
	static const struct vrs_names source_names = VRS_NAMES(sources);

	snprintf(ret_text, VRS_LAYOUT_TEXT, "%s by %s, %s by %s of %.15g degrees, samples %.15g wide%s", vrs_stereo_name(layout->stereo),
		 vrs_name_of(&source_names, (int)layout->source), vrs_projection_name(layout->projection),
		 vrs_name_of(&source_names, (int)layout->projection_source), layout->fov_degrees, layout->pixel_aspect,
		 layout->right_eye_first ? ", right eye first" : "");
}

static bool parse_projection(const char *text, enum vrs_projection *ret_projection, double *ret_fov_degrees)
{
	size_t length = strcspn(text, ":");
	int projection = VRS_PROJECTION_UNKNOWN;
	double fov = 0;
	char name[16] = "";

	if (length < sizeof name)
		memcpy(name, text, length);
	if (strcmp(text, "auto") != 0 && (!vrs_name_find(&projections, name, &projection) || projection == VRS_PROJECTION_UNKNOWN))
		return false;
	if (text[length] && !vrs_parse_double(text + length + 1, 1, projection == VRS_PROJECTION_FLAT ? 170 : 360, &fov))
		return false;
	*ret_projection = projection;
	*ret_fov_degrees = fov;
	return true;
}

enum vrs_status vrs_projection_ask(struct vrs_layout_request *request, const char *text, struct vrs_error *err)
{
	if (!parse_projection(text, &request->projection, &request->fov_degrees))
		return vrs_fail(err, VRS_ECONFIG, "--projection takes auto, flat, hequirect, equirect or fisheye, with degrees after a colon such as "
				"fisheye:190, not \"%s\"", text);
	return VRS_OK;
}
