/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards short backgrounds that loop: the frame of the time, whatever gaps lie between two times, and however late; whole rounds in a gap are not
 * read, which the bytes that were read tell where the system counts them.  And the shape of pictures: a circle stays one as it is shown, in eyes that
 * are squeezed and with samples that are not square.  And those that break off: they end what is made with them, or stay at their last picture.
 */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compose/backdrop_feed.h"
#include "scratch_folder.h"

#define TEST "test_backdrop_feed"
#define VIDEO "loop.y4m"
#define SIDE 64
#define FRAMES 3 /* of 1/25 s, luma 50, 100 and 150 */

static int make_video(void **state)
{
	uint8_t samples[SIDE * SIDE * 3 / 2];
	FILE *file;
	(void)state;
	if (scratch_folder_enter(TEST) || !(file = fopen(VIDEO, "wb")))
		return -1;
	fprintf(file, "YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C420jpeg\n", SIDE, SIDE);
	for (int i = 0; i < FRAMES; i++) {
		memset(samples, 50 + 50 * i, sizeof samples);
		fprintf(file, "FRAME\n");
		if (fwrite(samples, 1, sizeof samples, file) != sizeof samples)
			return -1;
	}
	return fclose(file);
}

static int drop_video(void **state)
{
	(void)state;
	return scratch_folder_remove(TEST);
}

static struct vrs_backdrop_feed *made_of(const char *name, bool holds)
{
	static const struct vrs_layout layout = {.stereo = VRS_STEREO_MONO, .projection = VRS_PROJECTION_FLAT, .pixel_aspect = 1};
	const struct vrs_backdrop_feed_options options = {.format = {.width = SIDE, .height = SIDE, .planes = 3, .bit_depth = 8, .chroma_shift_x = 1,
		.chroma_shift_y = 1}, .layout = &layout, .sample_aspect = 1, .eyes = 1, .parts = {{0, 0, SIDE, SIDE}}, .threads = 1, .holds = holds};
	struct vrs_backdrop_feed *feed = NULL;
	struct vrs_error err = {0};
	if (vrs_backdrop_feed_create(&feed, name, &options, &err))
		fail_msg("%s", err.text);
	assert_null(vrs_backdrop_feed_picture(feed));
	return feed;
}

static struct vrs_backdrop_feed *made(void)
{
	return made_of(VIDEO, false);
}

/* Number of the frame that is shown. */
static int shown_at(struct vrs_backdrop_feed *feed, double seconds)
{
	struct vrs_frame picture;
	struct vrs_error err = {0};
	if (vrs_backdrop_feed_at(feed, seconds, &picture, &err))
		fail_msg("at %g s: %s", seconds, err.text);
	int number = (picture.data[0][0] - 25) / 50;
	vrs_frame_unref(&picture);
	return number;
}

/* Bytes that this process has read so far; 0: not known. */
static uint64_t bytes_read(void)
{
	uint64_t bytes = 0;
	FILE *file = fopen("/proc/self/io", "r");
	if (file && fscanf(file, "rchar: %" SCNu64, &bytes) != 1)
		bytes = 0;
	if (file)
		fclose(file);
	return bytes;
}

static void test_every_frame(void **state)
{
	struct vrs_backdrop_feed *feed = made();
	(void)state;
	for (int i = 0; i < 20; i++)
		assert_int_equal(shown_at(feed, i / 25.0), i % FRAMES);
	vrs_backdrop_feed_destroy(feed);
}

static void test_gaps(void **state)
{
	static const int64_t gaps[] = {1, 2, 3, 7, 100, 25000001, 1, 1, 250000003, 2}; /* frames */
	(void)state;
	for (int known = 0; known < 2; known++) { /* is the length of a round known before the first gap? */
		struct vrs_backdrop_feed *feed = made();
		uint64_t before = bytes_read();
		int64_t at = 0;
		for (size_t i = known ? 0 : 5; i < sizeof gaps / sizeof gaps[0]; i++) {
			assert_int_equal(shown_at(feed, (double)at / 25), at % FRAMES);
			at += gaps[i];
		}
		assert_int_equal(shown_at(feed, (double)at / 25), at % FRAMES);
		if (before > 0)
			assert_in_range(bytes_read() - before, 0, 100 * FRAMES * SIDE * SIDE * 3 / 2);
		vrs_backdrop_feed_destroy(feed);
	}
}

/* Times that no tick can count. */
static void test_beyond_all_times(void **state)
{
	static const double times[] = {0, 1e17, 1e30, 1e300};
	struct vrs_backdrop_feed *feed = made();
	uint64_t before = bytes_read();
	(void)state;
	for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
		assert_in_range(shown_at(feed, times[i]), 0, FRAMES - 1);
	if (before > 0)
		assert_in_range(bytes_read() - before, 0, 1000 * FRAMES * SIDE * SIDE * 3 / 2);
	vrs_backdrop_feed_destroy(feed);
}

static void test_breaks_off(void **state)
{
	(void)state;
	char command[128];
	snprintf(command, sizeof command, "head -c -100 %s >cut.y4m", VIDEO);
	assert_int_equal(system(command), 0);
	for (int holds = 0; holds < 2; holds++) {
		struct vrs_backdrop_feed *feed = made_of("cut.y4m", holds);
		struct vrs_frame picture;
		struct vrs_error err = {0};
		assert_int_equal(shown_at(feed, 0), 0);
		assert_null(vrs_backdrop_feed_broken(feed));
		for (int i = 1; i < 9 && holds; i += 2) {
			assert_int_equal(shown_at(feed, i / 25.0), 1);
			assert_non_null(strstr(vrs_backdrop_feed_broken(feed)->text, "cut.y4m is truncated: it ends after frame 2"));
		}
		if (!holds)
			assert_int_equal(vrs_backdrop_feed_at(feed, 1 / 25.0, &picture, &err), VRS_EFORMAT);
		vrs_backdrop_feed_destroy(feed);
	}
}

/* One picture whose eyes, shown 200 high and `shown` wide, have a bright circle in the middle. */
static void draw_circle(const char *name, int width, int height, int across, const char *aspect, int shown)
{
	FILE *file = fopen(name, "wb");
	assert_non_null(file);
	fprintf(file, "YUV4MPEG2 W%d H%d F25:1 Ip A%s Cmono\nFRAME\n", width, height, aspect);
	for (int y = 0; y < height; y++)
		for (int x = 0; x < width; x++) {
			double right = (x % (width / across) + 0.5) * across / width * shown - shown / 2.0, down = (y + 0.5) / height * 200 - 100;
			fputc(hypot(right, down) < 60 ? 235 : 16, file);
		}
	assert_int_equal(fclose(file), 0);
}

/* Shown width over height of what is bright in the part. */
static double shape_in(const struct vrs_frame *picture, const struct vrs_rect *part, double aspect)
{
	int left = part->width, right = -1, top = part->height, bottom = -1;
	for (int y = 0; y < part->height; y++)
		for (int x = 0; x < part->width; x++)
			if (picture->data[0][picture->stride_bytes[0] * (part->y + y) + part->x + x] > 125) {
				left = x < left ? x : left;
				right = x > right ? x : right;
				top = y < top ? y : top;
				bottom = y;
			}
	assert_true(right >= left);
	return (right - left + 1) * aspect / (bottom - top + 1);
}

static void test_shapes(void **state)
{
	static const struct {
		const char *name, *aspect; /* of the background */
		int width, height, across, shown;
		struct vrs_layout layout;  /* of the video */
		double sample;
		int video_width, video_height;
	} cases[] = {
		{"square.y4m", "1:1", 400, 200, 1, 400, {.stereo = VRS_STEREO_MONO, .pixel_aspect = 1}, 1, 300, 300},
		{"square.y4m", "1:1", 400, 200, 1, 400, {.stereo = VRS_STEREO_SBS, .pixel_aspect = 2}, 1, 300, 150},
		{"square.y4m", "1:1", 400, 200, 1, 400, {.stereo = VRS_STEREO_TB, .pixel_aspect = 0.5}, 1, 300, 300},
		{"square.y4m", "1:1", 400, 200, 1, 400, {.stereo = VRS_STEREO_MONO, .pixel_aspect = 1}, 4.0 / 3, 300, 200},
		{"square.y4m", "1:1", 400, 200, 1, 400, {.stereo = VRS_STEREO_SBS, .pixel_aspect = 2}, 4.0 / 3, 360, 200},
		{"square.y4m", "1:1", 400, 200, 1, 400, {.stereo = VRS_STEREO_SBS, .pixel_aspect = 2}, 2, 300, 150}, /* says it twice */
		{"flat.y4m", "2:1", 200, 200, 1, 400, {.stereo = VRS_STEREO_MONO, .pixel_aspect = 1}, 1, 300, 100},
		{"flat.y4m", "2:1", 200, 200, 1, 400, {.stereo = VRS_STEREO_MONO, .pixel_aspect = 1}, 1, 200, 200}, /* not the video's, for all its size */
		{"room_HSBS.y4m", "1:1", 400, 200, 2, 400, {.stereo = VRS_STEREO_SBS, .pixel_aspect = 1}, 1, 500, 200},
		{"room_HSBS.y4m", "1:1", 400, 200, 2, 400, {.stereo = VRS_STEREO_SBS, .pixel_aspect = 2}, 1, 300, 200},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct vrs_layout *layout = &cases[i].layout;
		struct vrs_backdrop_feed_options options = {.format = {.width = cases[i].video_width, .height = cases[i].video_height, .planes = 3,
			.bit_depth = 8, .chroma_shift_x = 1, .chroma_shift_y = 1}, .layout = layout, .sample_aspect = cases[i].sample,
			.eyes = vrs_layout_eyes(layout), .threads = 1};
		struct vrs_backdrop_feed *feed = NULL;
		struct vrs_error err = {0};
		draw_circle(cases[i].name, cases[i].width, cases[i].height, cases[i].across, cases[i].aspect, cases[i].shown);
		for (int eye = 0; eye < options.eyes; eye++)
			options.parts[eye] = vrs_layout_eye(layout, cases[i].video_width, cases[i].video_height, eye);
		if (vrs_backdrop_feed_create(&feed, cases[i].name, &options, &err))
			fail_msg("%zu: %s", i, err.text);
		double once = cases[i].sample == 2 ? 1 : cases[i].sample;
		for (int eye = 0; eye < options.eyes; eye++) {
			double shape = shape_in(vrs_backdrop_feed_picture(feed), &options.parts[eye], layout->pixel_aspect * once);
			if (fabs(shape - 1) > 0.05)
				fail_msg("%zu: eye %d shows a circle %.2f times as wide as high", i, eye, shape);
		}
		vrs_backdrop_feed_destroy(feed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_frame),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_beyond_all_times),
		cmocka_unit_test(test_breaks_off),
		cmocka_unit_test(test_shapes),
	};
	return cmocka_run_group_tests_name("backdrop_feed", tests, make_video, drop_video);
}
