/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the tests of video: a scratch folder, frames with a known pattern, and a log that can be asked. */
#ifndef VRS_TEST_MEDIA_H
#define VRS_TEST_MEDIA_H

#include <dirent.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <unistd.h>
#include <cmocka.h>

#include <vrseg/frame.h>
#include <vrseg/log.h>

#include "base/file.h"
#include "video/sink.h"
#include "video/source.h"

static char media_dir[PATH_MAX];
static char media_log[65536]; /* everything logged since media_log_clear, with level digits in front */

static void media_on_log(void *cookie, enum vrs_log_level level, const char *line)
{
	size_t len = strlen(media_log);

	(void)cookie;
	snprintf(media_log + len, sizeof media_log - len, "%d %s\n", level, line);
}

__attribute__((unused)) static void media_log_clear(void)
{
	media_log[0] = '\0';
}

/* Number of logged lines of a level. */
__attribute__((unused)) static int media_log_count(enum vrs_log_level level)
{
	int count = 0;

	for (const char *line = media_log; *line; line = strchr(line, '\n') + 1)
		count += line[0] - '0' == (int)level;
	return count;
}

static int media_setup(void **state)
{
	(void)state;
	snprintf(media_dir, sizeof media_dir, "%s/tests/media.XXXXXX", VRS_BUILD_DIR);
	vrs_log_set_sink(media_on_log, NULL);
	return mkdtemp(media_dir) ? 0 : -1;
}

/* Number of entries in the scratch folder; remove deletes them. */
static int media_files(bool remove_them)
{
	DIR *dir = opendir(media_dir);
	struct dirent *entry;
	char path[PATH_MAX + 300];
	int count = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		snprintf(path, sizeof path, "%s/%s", media_dir, entry->d_name);
		if (remove_them)
			unlink(path);
		count++;
	}
	closedir(dir);
	return count;
}

static int media_teardown(void **state)
{
	(void)state;
	media_files(true);
	vrs_log_set_sink(NULL, NULL);
	return rmdir(media_dir);
}

/* Path in the scratch folder; valid until four more calls. */
__attribute__((unused)) static const char *media_path(const char *name)
{
	static char paths[4][PATH_MAX + 300];
	static int next;

	next = (next + 1) % 4;
	snprintf(paths[next], sizeof paths[next], "%s/%s", media_dir, name);
	return paths[next];
}

__attribute__((unused)) static struct vrs_picture_format media_format(int w, int h, int planes, int shift_x, int shift_y, int depth)
{
	return (struct vrs_picture_format){.width = w, .height = h, .planes = planes, .chroma_shift_x = shift_x, .chroma_shift_y = shift_y,
					   .bit_depth = depth, .matrix = VRS_MATRIX_BT709, .range = VRS_RANGE_LIMITED, .primaries = 1, .transfer = 1};
}

/* Sample of the pattern: slow gradients with some texture, different on each plane and frame, within the limited range of the depth. */
static unsigned media_sample(int p, int x, int y, int64_t index, int depth)
{
	unsigned v = 16 + (unsigned)(x * (p + 1) + y * 2 + index * 5 + ((x * 7 + y * 13 + p) & 3)) % 200;

	return v << (depth - 8) | ((unsigned)x & ((1u << (depth - 8)) - 1));
}

/* A frame of the pattern. */
__attribute__((unused)) static struct vrs_frame media_frame(const struct vrs_picture_format *format, int64_t index, int64_t pts)
{
	struct vrs_frame frame;

	assert_int_equal(vrs_frame_alloc(&frame, format), VRS_OK);
	frame.index = index;
	frame.pts = pts;
	for (int p = 0; p < format->planes; p++)
		for (int y = 0; y < vrs_plane_height(format, p); y++)
			for (int x = 0; x < vrs_plane_width(format, p); x++) {
				unsigned v = media_sample(p, x, y, index, format->bit_depth);
				uint8_t *row = frame.data[p] + y * frame.stride_bytes[p];

				if (format->bit_depth > 8)
					((uint16_t *)(void *)row)[x] = (uint16_t)v;
				else
					row[x] = (uint8_t)v;
			}
	return frame;
}

static unsigned media_at(const struct vrs_frame *frame, int p, int x, int y)
{
	const uint8_t *row = frame->data[p] + y * frame->stride_bytes[p];

	return frame->format.bit_depth > 8 ? ((const uint16_t *)(const void *)row)[x] : row[x];
}

/* Largest difference of a frame from the pattern. */
__attribute__((unused)) static int media_difference(const struct vrs_frame *frame, int64_t index)
{
	int worst = 0;

	for (int p = 0; p < frame->format.planes; p++)
		for (int y = 0; y < vrs_plane_height(&frame->format, p); y++)
			for (int x = 0; x < vrs_plane_width(&frame->format, p); x++) {
				int d = (int)media_at(frame, p, x, y) - (int)media_sample(p, x, y, index, frame->format.bit_depth);

				worst = abs(d) > worst ? abs(d) : worst;
			}
	return worst;
}

/* 25 fps at a time base of 1/1000. */
__attribute__((unused)) static struct vrs_sink_options media_options(const struct vrs_picture_format *format, const char *encoder)
{
	return (struct vrs_sink_options){.encoder = encoder, .crf = -1, .threads = 1, .format = *format, .fps_num = 25, .fps_den = 1,
					 .time_base_num = 1, .time_base_den = 1000, .sar_num = 1, .sar_den = 1, .audio = true};
}

/* Write n frames of the pattern, 40 ms apart, and finish. */
__attribute__((unused)) static void media_write(const char *path, const struct vrs_sink_options *options, int n)
{
	struct vrs_error err = {0};
	struct vrs_sink *sink;

	if (vrs_sink_open(&sink, path, options, NULL, &err))
		fail_msg("%s", err.text);
	for (int i = 0; i < n; i++) {
		struct vrs_frame frame = media_frame(&options->format, i, i * 40);

		if (vrs_sink_write(sink, &frame, &err))
			fail_msg("%s", err.text);
		assert_null(frame.owner);
	}
	if (vrs_sink_finish(sink, &err))
		fail_msg("%s", err.text);
	vrs_sink_close(sink);
}

__attribute__((unused)) static struct vrs_source *media_open(const char *path)
{
	const struct vrs_source_options options = {.copies = true};
	struct vrs_error err = {0};
	struct vrs_source *source;

	if (vrs_source_open(&source, path, &options, &err))
		fail_msg("%s", err.text);
	return source;
}

__attribute__((unused)) static void media_assert_same(const struct vrs_frame *a, const struct vrs_frame *b)
{
	for (int p = 0; p < a->format.planes; p++)
		for (int y = 0; y < vrs_plane_height(&a->format, p); y++)
			assert_memory_equal(a->data[p] + y * a->stride_bytes[p], b->data[p] + y * b->stride_bytes[p],
					    (size_t)(vrs_plane_width(&a->format, p) * vrs_sample_bytes(&a->format)));
}

#endif
