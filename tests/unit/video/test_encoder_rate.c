/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards quality, bit rate and lossless: more quality is a larger and closer picture with encoders of several scales, lossless is exact, bit
 * rates are kept, and what an encoder cannot do is refused with what can.
 */
#include "media.h"

#include <math.h>
#include <sys/stat.h>

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

/* Bytes of the file, and the mean difference of luma to what was written. */
static int64_t encode(const char *name, const struct vrs_sink_options *options, int frames, double *ret_difference)
{
	struct vrs_source *source;
	struct vrs_frame frame;
	struct stat st;
	double sum = 0, samples = 0;

	media_write(media_path(name), options, frames);
	assert_int_equal(stat(media_path(name), &st), 0);
	source = media_open(media_path(name));
	for (int i = 0; i < frames; i++) {
		assert_int_equal(vrs_source_read(source, &frame, NULL), VRS_OK);
		for (int y = 0; y < frame.format.height; y++)
			for (int x = 0; x < frame.format.width; x++, samples++)
				sum += fabs(media_at(&frame, 0, x, y) - (double)media_sample(0, x, y, i, frame.format.bit_depth));
		vrs_frame_unref(&frame);
	}
	vrs_source_close(source);
	media_files(true);
	*ret_difference = sum / samples;
	return st.st_size;
}

static void quality_is_a_scale(void **state)
{
	static const struct {
		const char *encoder, *name;
	} rows[] = {{"libx264", "o.mp4"}, {"libx265", "o.mp4"}, {"libvpx-vp9", "o.webm"}, {"mpeg4", "o.mp4"}, {"mpeg2video", "o.mkv"}};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		int64_t before = 0;
		double difference = 0, first = 0;

		for (int quality = 5; quality <= 95; quality += 30) {
			struct vrs_picture_format format = media_format(160, 96, 3, 1, 1, 8);
			struct vrs_sink_options options = media_options(&format, rows[i].encoder);
			int64_t bytes;

			options.quality = 1 + quality;
			bytes = encode(rows[i].name, &options, 4, &difference);
			if (bytes <= before)
				fail_msg("%s: quality %d gives %lld bytes, less gave %lld", rows[i].encoder, quality, (long long)bytes, (long long)before);
			before = bytes;
			first = quality == 5 ? difference : first;
		}
		assert_true(difference < first / 2);
	}
}

static void lossless_is_exact(void **state)
{
	static const struct {
		const char *encoder, *name;
		int depth;
	} rows[] = {{"libx264", "o.mp4", 8},    {"libx264", "o.mkv", 10}, {"libx265", "o.mp4", 8}, {"libx265", "o.mp4", 10},
		    {"libvpx-vp9", "o.webm", 8}, {"ffv1", "o.mkv", 10},    {"utvideo", "o.mkv", 8}};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct vrs_picture_format format = media_format(98, 64, 3, 1, 1, rows[i].depth);
		struct vrs_sink_options options = media_options(&format, rows[i].encoder);
		double difference;

		options.lossless = true;
		(void)encode(rows[i].name, &options, 3, &difference);
		if (difference != 0)
			fail_msg("%s with %d bits: lossless differs by %g", rows[i].encoder, rows[i].depth, difference);
	}
}

static void bit_rates_are_kept(void **state)
{
	static const int64_t rates[] = {150000, 600000};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct vrs_picture_format format = media_format(320, 192, 3, 1, 1, 8);
		struct vrs_sink_options options = media_options(&format, "libx264");
		double difference, seconds = 4;
		int64_t bytes;

		options.bit_rate = rates[i];
		bytes = encode("o.mkv", &options, (int)(25 * seconds), &difference);
		assert_in_range(bytes * 8, (int64_t)(0.6 * seconds * (double)rates[i]), (int64_t)(1.5 * seconds * (double)rates[i]));
	}
}

static void refused(void **state)
{
	static const struct {
		const char *encoder;
		int crf, quality;
		int64_t bit_rate;
		bool lossless;
		const char *preset, *message;
	} rows[] = {
		{"libx264", 20, 51, 0, false, NULL, "give one of them"},
		{"libx264", -1, 51, 0, true, NULL, "give one of them"},
		{"libx264", -1, 0, VRS_BIT_RATE_SOURCE, false, NULL, "--bitrate 20M"},
		{"ffv1", -1, 51, 0, false, NULL, "no quality setting"},
		{"ffv1", -1, 0, 1000000, false, NULL, "lossless and has no bit rate"},
		{"mpeg4", -1, 0, 0, true, NULL, "ffv1 or utvideo"},
		{"png", -1, 0, 0, true, NULL, "--encoder ffv1"},
		{"libvpx-vp9", -1, 0, 0, false, "quick", "does not know the preset quick"},
		{"h264_vaapi", -1, 0, 0, false, NULL, "h264_vaapi"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct vrs_picture_format format = media_format(64, 64, 3, 1, 1, 8);
		struct vrs_sink_options options = media_options(&format, rows[i].encoder);
		struct vrs_error err = {0};
		struct vrs_sink *sink = NULL;

		options.crf = rows[i].crf;
		options.quality = rows[i].quality;
		options.bit_rate = rows[i].bit_rate;
		options.lossless = rows[i].lossless;
		options.preset = rows[i].preset;
		if (strstr(rows[i].encoder, "vaapi") && !vrs_sink_open(&sink, media_path("o.mkv"), &options, NULL, &err)) {
			vrs_sink_close(sink); /* this machine has such a device */
			continue;
		}
		if (!err.text[0])
			assert_int_equal(vrs_sink_open(&sink, media_path("o.mkv"), &options, NULL, &err), VRS_ECONFIG);
		if (!strstr(err.text, rows[i].message))
			fail_msg("row %zu: %s", i, err.text);
	}
	media_files(true);
}

/* Where no device is, the usual encoder does the work, and that is said once. */
static void hardware_falls_back(void **state)
{
	struct vrs_picture_format format = media_format(256, 160, 3, 1, 1, 8);
	struct vrs_sink_options options = media_options(&format, "hardware");
	struct vrs_source *source;

	(void)state;
	media_log_clear();
	options.preset = "veryfast";
	options.crf = 20;
	media_write(media_path("o.mp4"), &options, 2);
	assert_int_equal(media_log_count(VRS_LOG_WARNING) + (strstr(media_log, "hardware encoder h264_") != NULL), 1);
	source = media_open(media_path("o.mp4"));
	assert_string_equal(vrs_source_info(source)->codec, "h264");
	vrs_source_close(source);
	media_files(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(quality_is_a_scale, start_empty), cmocka_unit_test_setup(lossless_is_exact, start_empty),
		cmocka_unit_test_setup(bit_rates_are_kept, start_empty), cmocka_unit_test_setup(refused, start_empty),
		cmocka_unit_test_setup(hardware_falls_back, start_empty),
	};
	return cmocka_run_group_tests(tests, media_setup, media_teardown);
}
