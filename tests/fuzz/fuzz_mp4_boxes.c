/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fuzzes video/mp4_boxes: any bytes end in bounded work, reads stay inside the file, and what is said has a meaning. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "video/mp4_boxes.h"

struct bytes {
	const uint8_t *data;
	size_t size;
	int reads;
};

static bool read_bytes(void *cookie, int64_t at, void *data, size_t size)
{
	struct bytes *bytes = cookie;

	if (at < 0 || ++bytes->reads > 200000)
		abort();
	if ((uint64_t)at > bytes->size || size > bytes->size - (size_t)at)
		return false;
	memcpy(data, bytes->data + at, size);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes bytes = {data, size, 0};
	struct vrs_mp4_boxes boxes;

	vrs_mp4_boxes_walk(&boxes, read_bytes, &bytes, (int64_t)size);
	if (boxes.count < 0 || boxes.count > VRS_MP4_TRACKS_MAX)
		abort();
	for (int i = 0; i < boxes.count; i++) {
		struct vrs_stereo_side_data side = {0};

		vrs_mp4_boxes_apply(&boxes, boxes.tracks[i].id, &side);
		if ((side.has_stereo && side.stereo == VRS_STEREO_AUTO) || side.fov_degrees < 0 || side.fov_degrees > 360 || side.foreign > 15)
			abort();
	}
	for (int i = 0; i < boxes.sounds_count; i++) {
		const struct vrs_mp4_sound *sound = &boxes.sounds[i];

		for (int k = 1; k < VRS_MP4_ENTRY_DEPTH; k++)
			if (sound->at[k] <= sound->at[k - 1] || sound->at[k] >= sound->end)
				abort();
		if (sound->end > (int64_t)size || (sound->spatial_size && sound->spatial_at <= sound->at[VRS_MP4_ENTRY_DEPTH - 1]) ||
		    sound->spatial_at + sound->spatial_size > sound->end)
			abort();
	}
	return 0;
}
