/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the rate of videos in containers without a time stamp for each frame: it is that of the frames, whatever the time base of the source (H.264
 * in MXF, in an MPEG program stream and alone said 12800 frames a second).  Frames of no such rate are refused before the work, or told after it.
 */
#include "media.h"

#include <math.h>

#include <libavformat/avformat.h>

#define FRAMES 50

/* x265 loses some bytes of its parameters when it refuses to open. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libx264\nleak:libx265\n";
}

static int start_empty(void **state)
{
	(void)state;
	media_files(true);
	return 0;
}

/* 29.97 frames a second, in the time base of the options. */
static int64_t even_pts(const struct vrs_sink_options *options, int index)
{
	return llround(index * 1001.0 / 30000 * options->time_base_den / options->time_base_num);
}

static enum vrs_status encode(const char *name, const struct vrs_sink_options *options, struct vrs_source *source, int64_t late,
			      struct vrs_error *err)
{
	struct vrs_sink *sink;
	enum vrs_status status = vrs_sink_open(&sink, media_path(name), options, source, err);

	if (status != VRS_OK)
		return status;
	for (int i = 0; i < FRAMES && status == VRS_OK; i++) {
		struct vrs_frame frame = media_frame(&options->format, i, even_pts(options, i) + (i >= FRAMES / 2 ? late : 0));

		status = vrs_sink_write(sink, &frame, err);
	}
	if (status == VRS_OK)
		status = vrs_sink_finish(sink, err);
	vrs_sink_close(sink);
	return status;
}

/* The rate that a reader finds, and where it has times, the duration. */
static void check_rate(const char *what, const char *name)
{
	AVFormatContext *file = NULL;
	double rate, length;

	assert_int_equal(avformat_open_input(&file, media_path(name), NULL, NULL), 0);
	assert_true(avformat_find_stream_info(file, NULL) >= 0);
	rate = av_q2d(file->streams[0]->r_frame_rate);
	length = file->duration == AV_NOPTS_VALUE ? 0 : (double)file->duration / AV_TIME_BASE;
	avformat_close_input(&file);
	if (fabs(rate - 30000.0 / 1001) > 0.01)
		fail_msg("%s: %g frames/s", what, rate);
	if (strcmp(name, "o.mxf") == 0 && fabs(length - FRAMES * 1001.0 / 30000) > 0.05)
		fail_msg("%s: %g s", what, length);
}

static void rate_is_that_of_frames(void **state)
{
	static const struct {
		const char *encoder, *name;
	} rows[] = {
		{"libx264", "o.mxf"}, {"mpeg2video", "o.mxf"}, {"libx264", "o.h264"},    {"libx265", "o.hevc"},   {"libx264", "o.mpg"},
		{"libx264", "o.vob"}, {"libx264", "o.dvd"},    {"mpeg1video", "o.mpg"}, {"mpeg2video", "o.vob"}, {"mpeg1video", "o.m1v"},
		{"libx264", "o.avi"}, {"mpeg2video", "o.m2v"},
	};
	static const int bases[] = {12800, 1000, 90000};
	struct vrs_picture_format format = media_format(352, 288, 3, 1, 1, 8);
	struct vrs_error err = {0};
	char what[100];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		for (size_t b = 0; b < sizeof bases / sizeof bases[0] && vrs_sink_encoder_exists(rows[i].encoder); b++) {
			struct vrs_sink_options options = media_options(&format, rows[i].encoder);

			snprintf(what, sizeof what, "%s in %s from 1/%d", rows[i].encoder, rows[i].name, bases[b]);
			options.fps_num = 30000;
			options.fps_den = 1001;
			options.time_base_den = bases[b];
			options.preset = vrs_sink_encoder_has(rows[i].encoder, "preset") ? "ultrafast" : NULL;
			if (encode(rows[i].name, &options, NULL, 0, &err))
				fail_msg("%s: %s", what, err.text);
			check_rate(what, rows[i].name);
			media_files(true);
		}
}

static void refuse(const char *encoder, const char *name, int fps, struct vrs_source *source, const char *words)
{
	struct vrs_picture_format format = media_format(352, 288, 3, 1, 1, 8);
	struct vrs_sink_options options = media_options(&format, encoder);
	struct vrs_error err = {0};

	options.fps_num = fps;
	if (encode(name, &options, source, 0, &err) != VRS_ECONFIG || !strstr(err.text, words))
		fail_msg("%s in %s: \"%s\"", encoder, name, err.text);
}

static void no_such_rate(void **state)
{
	static const char *const names[] = {"o.mxf", "o.h264", "o.mpg", "o.vob", "o.dvd"};
	struct vrs_picture_format format = media_format(352, 288, 3, 1, 1, 8);
	struct vrs_sink_options options = media_options(&format, "libx264");
	struct vrs_error err = {0};
	struct vrs_source *source;

	(void)state;
	assert_int_equal(encode("late.mp4", &options, NULL, 30000, &err), VRS_OK);
	source = media_open(media_path("late.mp4"));
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		refuse("libx264", names[i], 25, source, "varies or is not known; name it .mkv or .mp4");
		refuse("libx264", names[i], 0, NULL, "varies or is not known");
	}
	refuse("mpeg1video", "o.m1v", 100, NULL, "encoder mpeg1video has no rate of 100 frames/s");
	assert_int_equal(media_files(false), 1);
	assert_int_equal(encode("o.avi", &options, source, 0, &err), VRS_OK);
	vrs_source_close(source);
}

/* Nobody foresaw the gap. */
static void gaps_are_told(void **state)
{
	struct vrs_picture_format format = media_format(352, 288, 3, 1, 1, 8);
	struct vrs_sink_options options = media_options(&format, "libx264");
	struct vrs_error err = {0};

	(void)state;
	options.fps_num = 30000;
	options.fps_den = 1001;
	options.overwrite = true;
	for (int i = 0; i < 6; i++) {
		static const char *const names[] = {"o.mxf", "o.h264", "o.y4m", "o.mpg", "o.mkv", "o.avi"};

		media_log_clear();
		assert_int_equal(encode(names[i], &options, NULL, 1500, &err), VRS_OK);
		if ((strstr(media_log, "up to 1.5 s away") != NULL) != (i < 3))
			fail_msg("%s: %s", names[i], media_log);
	}
}

/* Readers of these take a rate of their own. */
static void no_rate_is_told(void **state)
{
	static const struct {
		const char *encoder, *name;
	} rows[] = {{"mjpeg", "o.mjpeg"}, {"libx264", "o.h264"}, {"mpeg2video", "o.m2v"}, {"mjpeg", "o.mkv"}};
	struct vrs_picture_format format = media_format(352, 288, 3, 1, 1, 8);
	struct vrs_error err = {0};

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct vrs_sink_options options = media_options(&format, rows[i].encoder);

		options.fps_num = 24;
		options.overwrite = true;
		media_log_clear();
		assert_int_equal(encode(rows[i].name, &options, NULL, 0, &err), VRS_OK);
		if ((strstr(media_log, "does not say its frame rate, 24 here") != NULL) != (i == 0))
			fail_msg("%s: %s", rows[i].name, media_log);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(rate_is_that_of_frames, start_empty),
		cmocka_unit_test_setup(no_such_rate, start_empty),
		cmocka_unit_test_setup(gaps_are_told, start_empty), cmocka_unit_test_setup(no_rate_is_told, start_empty),
	};
	return cmocka_run_group_tests(tests, media_setup, media_teardown);
}
