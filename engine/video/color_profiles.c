/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/color_profiles.h"

#include <pthread.h>
#include <string.h>

#include <libavutil/intreadwrite.h>

#include <vrseg/log.h>

#include "base/mem.h"

#define NO_PROFILE (-1)
#define JPEG_HEAD ((size_t)18) /* of a segment */
#define JPEG_SEGMENT (UINT16_MAX - JPEG_HEAD + 2) /* most bytes of a profile in one */

/* From this index on, until the next run. */
struct run {
	int64_t index;
	int profile; /* place in `different`, or NO_PROFILE */
};

struct vrs_color_profiles {
	pthread_mutex_t lock; /* guards everything below */
	int64_t latest;       /* index that was noted last */
	AVBufferRef *different[VRS_MOST_PROFILES];
	int different_count;
	struct run *runs;
	size_t run_count, run_room;
};

enum vrs_status vrs_color_profiles_create(struct vrs_color_profiles **ret_profiles)
{
	struct vrs_color_profiles *profiles = vrs_calloc(1, sizeof *profiles);

	if (!profiles)
		return VRS_ENOMEM;
	(void)pthread_mutex_init(&profiles->lock, NULL); /* default attributes cannot fail on Linux */
	profiles->latest = -1;
	*ret_profiles = profiles;
	return VRS_OK;
}

void vrs_color_profiles_destroy(struct vrs_color_profiles *profiles)
{
	if (!profiles)
		return;
	for (int i = 0; i < profiles->different_count; i++)
		av_buffer_unref(&profiles->different[i]);
	(void)pthread_mutex_destroy(&profiles->lock);
	vrs_free(profiles->runs);
	vrs_free(profiles);
}

/* Its place among the different ones, where it is put if it is new. */
static enum vrs_status find(struct vrs_color_profiles *profiles, const uint8_t *data, size_t size, int *ret_place)
{
	int place = 0;

	*ret_place = NO_PROFILE;
	if (!data)
		return VRS_OK;
	while (place < profiles->different_count &&
	       (profiles->different[place]->size != size || memcmp(profiles->different[place]->data, data, size) != 0))
		place++;
	if (place == VRS_MOST_PROFILES) {
		vrs_log_once("color-profiles", VRS_LOG_WARNING, "the pictures have more than %d colour profiles (ICC); those beyond are left out",
			     VRS_MOST_PROFILES);
		return VRS_OK;
	}
	if (place == profiles->different_count) {
		AVBufferRef *copy = av_buffer_alloc(size);

		if (!copy)
			return VRS_ENOMEM;
		memcpy(copy->data, data, size);
		profiles->different[profiles->different_count++] = copy;
	}
	*ret_place = place;
	return VRS_OK;
}

static enum vrs_status add_run(struct vrs_color_profiles *profiles, int64_t index, int place)
{
	int before = profiles->run_count > 0 ? profiles->runs[profiles->run_count - 1].profile : NO_PROFILE;

	if (place == before)
		return VRS_OK;
	if (profiles->run_count == profiles->run_room) {
		size_t room = profiles->run_room ? 2 * profiles->run_room : 16;
		struct run *runs = vrs_realloc_array(profiles->runs, room, sizeof *runs);

		if (!runs)
			return VRS_ENOMEM;
		profiles->runs = runs;
		profiles->run_room = room;
	}
	profiles->runs[profiles->run_count++] = (struct run){index, place};
	return VRS_OK;
}

enum vrs_status vrs_color_profiles_note(struct vrs_color_profiles *profiles, int64_t index, const uint8_t *data, size_t size)
{
	enum vrs_status status = VRS_OK;
	int place;

	pthread_mutex_lock(&profiles->lock);
	if (index > profiles->latest) {
		status = find(profiles, data, size, &place);
		if (status == VRS_OK)
			status = add_run(profiles, index, place);
		if (status == VRS_OK)
			profiles->latest = index;
	}
	pthread_mutex_unlock(&profiles->lock);
	return status;
}

bool vrs_color_profiles_any(struct vrs_color_profiles *profiles)
{
	pthread_mutex_lock(&profiles->lock);
	bool any = profiles->different_count > 0;
	pthread_mutex_unlock(&profiles->lock);
	return any;
}

/* The one of this index; NULL: none. */
static const AVBufferRef *at_index(const struct vrs_color_profiles *profiles, int64_t index)
{
	size_t low = 0, high = profiles->run_count; /* the runs before `low` begin at or before the index, those from `high` on behind it */

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (profiles->runs[middle].index <= index)
			low = middle + 1;
		else
			high = middle;
	}
	int place = low > 0 ? profiles->runs[low - 1].profile : NO_PROFILE;

	return place != NO_PROFILE ? profiles->different[place] : NULL;
}

/* A reference of the caller's, or NULL: none. */
static enum vrs_status refer(struct vrs_color_profiles *profiles, int64_t index, AVBufferRef **ret)
{
	pthread_mutex_lock(&profiles->lock);
	const AVBufferRef *profile = at_index(profiles, index);

	*ret = profile ? av_buffer_ref(profile) : NULL;
	pthread_mutex_unlock(&profiles->lock);
	return profile && !*ret ? VRS_ENOMEM : VRS_OK;
}

enum vrs_status vrs_color_profiles_give(struct vrs_color_profiles *profiles, int64_t index, AVFrame *frame)
{
	AVBufferRef *profile;
	enum vrs_status status = refer(profiles, index, &profile);

	if (!profile || av_frame_new_side_data_from_buf(frame, AV_FRAME_DATA_ICC_PROFILE, profile))
		return status;
	av_buffer_unref(&profile);
	return VRS_ENOMEM;
}

/* Where segments may be put: behind the start of the picture and JFIF's own, which is the first. 0: it is no picture. */
static size_t jpeg_place(const AVPacket *jpeg)
{
	const uint8_t *data = jpeg->data;
	size_t place = 2;

	if (jpeg->size < 6 || data[0] != 0xff || data[1] != 0xd8)
		return 0;
	if (data[2] == 0xff && data[3] == 0xe0)
		place += 2 + (size_t)AV_RB16(data + 4);
	return place < (size_t)jpeg->size ? place : 0;
}

/* Segments of application 2, numbered from 1. */
static void write_segments(uint8_t *to, const AVBufferRef *profile, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t done = i * JPEG_SEGMENT, bytes = profile->size - done < JPEG_SEGMENT ? profile->size - done : JPEG_SEGMENT;

		AV_WB16(to, 0xffe2);
		AV_WB16(to + 2, (uint16_t)(bytes + JPEG_HEAD - 2));
		memcpy(to + 4, "ICC_PROFILE", 12);
		to[16] = (uint8_t)(i + 1);
		to[17] = (uint8_t)count;
		memcpy(to + JPEG_HEAD, profile->data + done, bytes);
		to += JPEG_HEAD + bytes;
	}
}

enum vrs_status vrs_color_profiles_give_jpeg(struct vrs_color_profiles *profiles, int64_t index, AVPacket *jpeg)
{
	AVBufferRef *profile;
	enum vrs_status status = refer(profiles, index, &profile);
	size_t place = jpeg_place(jpeg), old = (size_t)jpeg->size, count, bytes;

	if (!profile)
		return status;
	count = (profile->size + JPEG_SEGMENT - 1) / JPEG_SEGMENT;
	bytes = profile->size + count * JPEG_HEAD;
	if (place > 0 && count <= UINT8_MAX && av_grow_packet(jpeg, (int)bytes) < 0) {
		status = VRS_ENOMEM;
	} else if (place > 0 && count <= UINT8_MAX) {
		memmove(jpeg->data + place + bytes, jpeg->data + place, old - place);
		write_segments(jpeg->data + place, profile, count);
	}
	av_buffer_unref(&profile);
	return status;
}
