/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compose/exclude_option.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/str_parse.h"
#include "video/source.h"

#define SAME_SHAPE 0.03 /* of the ratio of width to height */

/* Four shares between commas, up to `end`. */
static bool parse_box(const char *text, const char *end, double ret[4])
{
	for (int i = 0; i < 4; i++) {
		char number[32];
		const char *stop = i < 3 ? memchr(text, ',', (size_t)(end - text)) : end;
		size_t n = stop ? (size_t)(stop - text) : sizeof number;
		if (n >= sizeof number)
			return false;
		memcpy(number, text, n);
		number[n] = 0;
		if (!vrs_parse_double(number, 0, 1, &ret[i]))
			return false;
		text = stop + 1;
	}
	return ret[2] > 0 && ret[3] > 0;
}

/* All boxes into all eyes; false: the text is something else. */
static bool add_boxes(struct vrs_exclusion *const exclusions[2], int eyes, const char *text)
{
	for (;;) {
		double box[4];
		const char *end = strchr(text, ';') ? strchr(text, ';') : text + strlen(text);
		if (!parse_box(text, end, box))
			return false;
		for (int eye = 0; eye < eyes; eye++)
			vrs_exclusion_add_box(exclusions[eye], box);
		if (!*end)
			return true;
		text = end + 1;
	}
}

static bool same_shape(int width, int height, int other_width, int other_height)
{
	double ratio = (double)width * other_height / ((double)height * other_width);
	return fabs(ratio - 1) <= SAME_SHAPE;
}

static enum vrs_status add_picture(struct vrs_exclusion *const exclusions[2], const char *path, const struct vrs_layout *layout, int width,
				   int height, struct vrs_error *err)
{
	const struct vrs_source_options options = {.threads = 1};
	struct vrs_source *source;
	struct vrs_frame picture = {0};
	enum vrs_status status = vrs_source_open(&source, path, &options, err);
	if (status != VRS_OK)
		return status;
	status = vrs_source_read(source, &picture, err);
	int w = picture.format.width, h = picture.format.height, eyes = vrs_layout_eyes(layout);
	for (int i = 0; i < eyes && status == VRS_OK; i++) {
		struct vrs_rect eye = vrs_layout_eye(layout, width, height, i), rect = {0, 0, w, h};
		bool of_eye = same_shape(w, h, eye.width, eye.height);
		if (!of_eye && !same_shape(w, h, width, height)) {
			status = vrs_fail(err, VRS_ECONFIG, "%s has %dx%d pixels: a picture for --exclude has the shape of an eye (%dx%d) or of the "
					  "frame (%dx%d)", path, w, h, eye.width, eye.height, width, height);
			break;
		}
		if (!of_eye)
			rect = vrs_layout_eye(layout, w, h, i);
		status = vrs_exclusion_set_picture(exclusions[i], &picture, &rect);
		if (status != VRS_OK)
			vrs_fail(err, status, "cannot use %s for --exclude: %s", path, vrs_status_str(status));
	}
	vrs_frame_unref(&picture);
	vrs_source_close(source);
	return status;
}

/* What was meant as a box: numbers, or four words between commas where no file has that name. */
static bool looks_like_boxes(const char *text)
{
	int commas = 0;
	for (const char *p = text; *p; p++)
		commas += *p == ',';
	return strspn(text, "0123456789.,;- ") == strlen(text) || (commas >= 3 && !strpbrk(text, "/:") && !vrs_path_exists(text));
}

enum vrs_status vrs_exclude_open(struct vrs_exclusion *ret[2], struct vrs_arena *arena, const char *text, const struct vrs_layout *layout, int width,
				 int height, struct vrs_error *err)
{
	if (!text[0])
		return VRS_OK;
	int eyes = vrs_layout_eyes(layout);
	for (int i = 0; i < eyes; i++) {
		struct vrs_rect eye = vrs_layout_eye(layout, width, height, i);
		enum vrs_status status = vrs_exclusion_create(&ret[i], arena, eye.width, eye.height, vrs_layout_is_whole_turn(layout));
		if (status != VRS_OK)
			return vrs_fail(err, status, "no memory for what --exclude takes out");
	}
	if (add_boxes(ret, eyes, text))
		return VRS_OK;
	if (looks_like_boxes(text))
		return vrs_fail(err, VRS_ECONFIG, "--exclude takes a box x,y,width,height in shares of the eye, such as 0.3,0.8,0.4,0.2, or a picture; "
				"\"%s\" is neither", text);
	return add_picture(ret, text, layout, width, height, err);
}
