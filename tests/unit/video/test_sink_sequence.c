/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards sequences of pictures: names and numbers, contents of each picture with and without alpha, what is refused, that an unfinished sequence
 * leaves nothing, and that one which replaces a longer one leaves none of its pictures.
 */
#include "media.h"

static int start_empty(void **state)
{
	(void)state;
	media_files(true);
	return 0;
}

/* A grey picture of one value: exact through PNG. */
static void write_sequence(const char *target, int planes, int frames, bool overwrite, bool finish)
{
	struct vrs_picture_format format = media_format(20, 10, planes, 0, 0, 8);
	struct vrs_sink_options options = media_options(&format, NULL);
	struct vrs_error err = {0};
	struct vrs_sink *sink;

	options.preset = "veryfast"; /* left out */
	options.crf = 20;
	options.overwrite = overwrite;
	options.threads = 2;
	if (vrs_sink_open(&sink, target, &options, NULL, &err))
		fail_msg("%s", err.text);
	for (int i = 0; i < frames; i++) {
		struct vrs_frame frame;

		assert_int_equal(vrs_frame_alloc(&frame, &format), VRS_OK);
		for (int p = 0; p < planes; p++)
			memset(frame.data[p], p == 3 ? 40 + i : p ? 128 : 100 + i, (size_t)frame.stride_bytes[p] * 10);
		frame.pts = i;
		assert_int_equal(vrs_sink_write(sink, &frame, &err), VRS_OK);
	}
	if (finish)
		assert_int_equal(vrs_sink_finish(sink, &err), VRS_OK);
	vrs_sink_close(sink);
}

static void numbers_and_contents(void **state)
{
	static const char *const patterns[] = {"a_%03d.png", "a_%d.tif"};
	static const char *const third[] = {"a_002.png", "a_2.tif"};

	(void)state;
	for (int i = 0; i < 2; i++) {
		for (int planes = 1; planes <= 4; planes += 3) {
			struct vrs_frame frame;
			struct vrs_source *source;

			write_sequence(media_path(patterns[i]), planes, 4, false, true);
			source = media_open(media_path(third[i]));
			assert_int_equal(vrs_source_read(source, &frame, NULL), VRS_OK);
			assert_int_equal(frame.format.planes, planes);
			if (planes == 1)
				assert_int_equal(media_at(&frame, 0, 7, 3), 102);
			else
				assert_int_equal(media_at(&frame, 3, 7, 3), 42);
			vrs_frame_unref(&frame);
			vrs_source_close(source);
			assert_int_equal(media_files(true), 4);
		}
	}
}

static void a_folder_of_pictures(void **state)
{
	char target[PATH_MAX + 8], first[PATH_MAX + 32];

	(void)state;
	snprintf(target, sizeof target, "png:%s", media_path("pictures"));
	write_sequence(target, 1, 2, false, true);
	snprintf(first, sizeof first, "%s/000001.png", media_path("pictures"));
	assert_true(vrs_path_exists(first));
	assert_int_equal(unlink(first), 0);
	snprintf(first, sizeof first, "%s/000000.png", media_path("pictures"));
	assert_int_equal(unlink(first), 0);
	assert_int_equal(rmdir(media_path("pictures")), 0);
	/* not finished: the folder is gone again */
	write_sequence(target, 1, 2, false, false);
	assert_false(vrs_path_exists(media_path("pictures")));
}

static void unfinished_leaves_nothing(void **state)
{
	(void)state;
	write_sequence(media_path("u_%02d.png"), 1, 3, false, false);
	assert_int_equal(media_files(false), 0);
}

static void replacing(void **state)
{
	struct vrs_picture_format format = media_format(20, 10, 1, 0, 0, 8);
	struct vrs_sink_options options = media_options(&format, NULL);
	struct vrs_error err = {0};
	struct vrs_sink *sink = NULL;

	(void)state;
	write_sequence(media_path("r_%02d.png"), 1, 5, false, true);
	assert_int_equal(vrs_sink_open(&sink, media_path("r_%02d.png"), &options, NULL, &err), VRS_EEXIST);
	assert_non_null(strstr(err.text, "r_00.png already exists"));
	write_sequence(media_path("r_%02d.png"), 1, 2, true, true);
	assert_int_equal(media_files(true), 2);
}

static void refused(void **state)
{
	static const struct {
		const char *target;
		int planes;
		enum vrs_status status;
		const char *message;
	} rows[] = {
		{"j_%d.jpg", 4, VRS_ECONFIG, "no transparency"},
		{"no/such/j_%d.png", 3, VRS_ENOTFOUND, "no folder"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct vrs_picture_format format = media_format(20, 10, rows[i].planes, 0, 0, 8);
		struct vrs_sink_options options = media_options(&format, NULL);
		struct vrs_error err = {0};
		struct vrs_sink *sink = NULL;

		assert_int_equal(vrs_sink_open(&sink, media_path(rows[i].target), &options, NULL, &err), rows[i].status);
		if (!strstr(err.text, rows[i].message))
			fail_msg("row %zu: %s", i, err.text);
	}
	assert_int_equal(media_files(false), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(numbers_and_contents, start_empty),
		cmocka_unit_test_setup(a_folder_of_pictures, start_empty),
		cmocka_unit_test_setup(unfinished_leaves_nothing, start_empty),
		cmocka_unit_test_setup(replacing, start_empty),
		cmocka_unit_test_setup(refused, start_empty),
	};
	return cmocka_run_group_tests(tests, media_setup, media_teardown);
}
