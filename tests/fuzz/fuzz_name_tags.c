/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzzes vr/name_tags (also without its tags), the layout decision, and names of synthetic clips, which journals hold: any name gives a bounded
 * answer without contradiction.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "require.h"
#include "video/synth_name.h"
#include "vr/name_tags.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_synthetic(const char *text)
{
	struct vrs_synth_name name;
	struct vrs_rect eyes[2];

	if (vrs_synth_name_parse(&name, text, NULL) != VRS_OK)
		return;
	require(name.width >= 64 && name.width <= 16384 && name.height >= 64 && name.height <= 16384 && name.stereo != VRS_STEREO_AUTO &&
		name.projection != VRS_PROJECTION_UNKNOWN && name.fps >= 1 && name.frames >= 0 && (name.bits == 8 || name.bits == 10));
	int count = vrs_synth_eyes(&name, eyes);
	for (int i = 0; i < count; i++)
		require(eyes[i].x >= 0 && eyes[i].y >= 0 && eyes[i].width > 0 && eyes[i].height > 0 && eyes[i].x + eyes[i].width <= name.width &&
			eyes[i].y + eyes[i].height <= name.height);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = vrs_alloc(size + 1);
	struct vrs_name_tags tags;
	struct vrs_layout layout;

	if (!name)
		return 0;
	memcpy(name, data, size);
	name[size] = '\0';
	check_synthetic(name);
	vrs_name_tags_parse(&tags, name);
	char stripped[64];
	if (vrs_name_tags_strip(stripped, sizeof stripped, name) && (!memchr(stripped, '\0', sizeof stripped) || strlen(stripped) > size))
		abort();
	enum vrs_status status = vrs_layout_decide(&layout, NULL, NULL, name, size > 0 ? data[0] * 16 : 0, size > 1 ? data[1] * 16 : 0, NULL);
	if (status != VRS_OK && !tags.cube_map)
		abort();
	if (status != VRS_OK) {
		vrs_free(name);
		return 0;
	}
	if (!(layout.pixel_aspect > 0))
		abort();
	if (!memchr(tags.stereo_tag, '\0', sizeof tags.stereo_tag) || !memchr(tags.projection_tag, '\0', sizeof tags.projection_tag) ||
	    !memchr(layout.reason, '\0', sizeof layout.reason) || layout.stereo == VRS_STEREO_AUTO ||
	    (layout.right_eye_first && vrs_layout_eyes(&layout) != 2))
		abort();
	vrs_free(name);
	return 0;
}
