/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards short backgrounds that loop: the frame of the time, whatever gaps lie between two times, and however late; whole rounds in a gap are not
 * read, which the bytes that were read tell where the system counts them.
 */
#include <inttypes.h>
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

static struct vrs_backdrop_feed *made(void)
{
	static const struct vrs_layout layout = {.stereo = VRS_STEREO_MONO, .projection = VRS_PROJECTION_FLAT, .pixel_aspect = 1};
	const struct vrs_backdrop_feed_options options = {.format = {.width = SIDE, .height = SIDE, .planes = 3, .bit_depth = 8, .chroma_shift_x = 1,
		.chroma_shift_y = 1}, .layout = &layout, .eyes = 1, .parts = {{0, 0, SIDE, SIDE}}, .threads = 1};
	struct vrs_backdrop_feed *feed = NULL;
	struct vrs_error err = {0};
	if (vrs_backdrop_feed_create(&feed, VIDEO, &options, &err))
		fail_msg("%s", err.text);
	assert_null(vrs_backdrop_feed_picture(feed));
	return feed;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_frame),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_beyond_all_times),
	};
	return cmocka_run_group_tests_name("backdrop_feed", tests, make_video, drop_video);
}
