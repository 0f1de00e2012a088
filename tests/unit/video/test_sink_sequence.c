/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards sequences of pictures: names and numbers, contents of each picture with and without alpha, what is refused, that an unfinished sequence
 * leaves nothing of its own and replaces nothing, and that pictures which it did not make stay.  Who checks pictures sees the new ones before they
 * have their names.
 */
#include <sys/stat.h>

#include "media.h"

static int start_empty(void **state)
{
	(void)state;
	media_files(true);
	return 0;
}

/* Full range, as pictures have it: values stay. */
static struct vrs_picture_format picture_format(int planes)
{
	struct vrs_picture_format format = media_format(20, 10, planes, 0, 0, 8);

	format.range = VRS_RANGE_FULL;
	return format;
}

/* A grey picture of one value: exact through PNG. */
static void write_sequence(const char *target, int planes, int frames, bool overwrite, bool finish)
{
	struct vrs_picture_format format = picture_format(planes);
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
	struct vrs_picture_format format = picture_format(1);
	struct vrs_sink_options options = media_options(&format, NULL);
	struct vrs_error err = {0};
	struct vrs_sink *sink = NULL;

	(void)state;
	write_sequence(media_path("r_%02d.png"), 1, 5, false, true);
	assert_int_equal(vrs_sink_open(&sink, media_path("r_%02d.png"), &options, NULL, &err), VRS_EEXIST);
	assert_non_null(strstr(err.text, "r_00.png already exists"));
	media_log_clear();
	write_sequence(media_path("r_%02d.png"), 1, 5, true, true);
	assert_int_equal(media_log_count(VRS_LOG_WARNING), 0);
	assert_int_equal(media_files(true), 5);
}

/* What a picture of write_sequence holds; each has one value. */
static int value_of(const char *name)
{
	struct vrs_source *source = media_open(media_path(name));
	struct vrs_frame frame;
	int value;

	assert_int_equal(vrs_source_read(source, &frame, NULL), VRS_OK);
	value = (int)media_at(&frame, 0, 7, 3);
	vrs_frame_unref(&frame);
	vrs_source_close(source);
	return value;
}

/* Who made the pictures after the last is not known: they may be anybody's. */
static void others_stay(void **state)
{
	(void)state;
	write_sequence(media_path("o_%02d.png"), 1, 5, false, true);
	assert_int_equal(rename(media_path("o_04.png"), media_path("o_01.png")), 0); /* of value 104 */
	media_log_clear();
	write_sequence(media_path("o_%02d.png"), 1, 2, true, true);
	assert_non_null(strstr(media_log, "o_02.png is left"));
	assert_int_equal(value_of("o_01.png"), 101);
	assert_int_equal(value_of("o_02.png"), 102);
	assert_int_equal(media_files(true), 4);
}

/* As when the disk fills up in the middle. */
static void unfinished_replaces_nothing(void **state)
{
	(void)state;
	write_sequence(media_path("u_%02d.png"), 1, 5, false, true);
	assert_int_equal(rename(media_path("u_04.png"), media_path("u_01.png")), 0);
	write_sequence(media_path("u_%02d.png"), 1, 3, true, false);
	assert_int_equal(value_of("u_00.png"), 100);
	assert_int_equal(value_of("u_01.png"), 104);
	assert_int_equal(media_files(true), 4);
}

static int seen_value, seen_pictures;

static enum vrs_status look(void *cookie, const char *file, struct vrs_error *err)
{
	struct vrs_source *source = media_open(file);
	struct vrs_frame frame;

	for (seen_pictures = 0; vrs_source_read(source, &frame, NULL) == VRS_OK; seen_pictures++) {
		seen_value = (int)media_at(&frame, 0, 7, 3);
		vrs_frame_unref(&frame);
	}
	vrs_source_close(source);
	return cookie ? vrs_fail(err, VRS_EIO, "not as meant") : VRS_OK;
}

/* Pictures of value 60 to `target`, looked at before they have their names. */
static enum vrs_status write_looked_at(const char *target, int frames, bool refuse)
{
	struct vrs_picture_format format = picture_format(1);
	struct vrs_sink_options options = media_options(&format, NULL);
	struct vrs_error err = {0};
	struct vrs_sink *sink;

	options.overwrite = true;
	options.check = look;
	options.check_cookie = refuse ? &seen_value : NULL;
	assert_int_equal(vrs_sink_open(&sink, target, &options, NULL, &err), VRS_OK);
	for (int i = 0; i < frames; i++) {
		struct vrs_frame frame;

		assert_int_equal(vrs_frame_alloc(&frame, &format), VRS_OK);
		memset(frame.data[0], 60, (size_t)frame.stride_bytes[0] * 10);
		frame.pts = i;
		assert_int_equal(vrs_sink_write(sink, &frame, &err), VRS_OK);
	}
	enum vrs_status status = vrs_sink_finish(sink, &err);

	vrs_sink_close(sink);
	return status;
}

static void checked_before_the_names(void **state)
{
	static const char *const targets[] = {"k_%02d.png", "k_00.png", "k_%02d.tif", "k_00.tif"};
	static const char *const first[] = {"k_00.png", "k_00.png", "k_00.tif", "k_00.tif"};

	(void)state;
	for (int i = 0; i < 4; i++) {
		int pictures = i % 2 ? 1 : 3;

		write_sequence(media_path(targets[i]), 1, pictures, false, true);
		seen_value = 0;
		assert_int_equal(write_looked_at(media_path(targets[i]), pictures, true), VRS_EIO);
		assert_int_equal(seen_value, 60);
		assert_int_equal(seen_pictures, pictures);
		assert_int_equal(value_of(first[i]), 100);
		assert_int_equal(write_looked_at(media_path(targets[i]), pictures, false), VRS_OK);
		assert_int_equal(value_of(first[i]), 60);
		assert_int_equal(media_files(true), pictures);
	}
}

/* What cannot be replaced is found before the first picture is. */
static void a_folder_in_the_way(void **state)
{
	struct vrs_picture_format format = picture_format(1);
	struct vrs_sink_options options = media_options(&format, NULL);
	struct vrs_error err = {0};
	struct vrs_sink *sink;
	enum vrs_status status = VRS_OK;

	(void)state;
	options.overwrite = true;
	write_sequence(media_path("w_%02d.png"), 1, 1, false, true);
	assert_int_equal(mkdir(media_path("w_01.png"), 0777), 0);
	assert_int_equal(vrs_sink_open(&sink, media_path("w_%02d.png"), &options, NULL, &err), VRS_OK);
	for (int i = 0; i < 2 && status == VRS_OK; i++) {
		struct vrs_frame frame = media_frame(&format, i, i);

		status = vrs_sink_write(sink, &frame, &err);
	}
	if (status == VRS_OK)
		status = vrs_sink_finish(sink, &err);
	vrs_sink_close(sink);
	assert_int_equal(status, VRS_ECONFIG);
	assert_non_null(strstr(err.text, "w_01.png is not a file"));
	assert_int_equal(rmdir(media_path("w_01.png")), 0);
	assert_int_equal(value_of("w_00.png"), 100);
	assert_int_equal(media_files(true), 1);
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
		struct vrs_picture_format format = picture_format(rows[i].planes);
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
		cmocka_unit_test_setup(others_stay, start_empty),
		cmocka_unit_test_setup(unfinished_replaces_nothing, start_empty),
		cmocka_unit_test_setup(checked_before_the_names, start_empty),
		cmocka_unit_test_setup(a_folder_in_the_way, start_empty),
		cmocka_unit_test_setup(refused, start_empty),
	};
	return cmocka_run_group_tests(tests, media_setup, media_teardown);
}
