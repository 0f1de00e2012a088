/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards what encoders are told of time: whatever the time base of the source, each makes one packet of each frame, with the frame's time stamp, and
 * keeps the bit rate that was asked for (libtheora took 1/12800 for the rate of frames, and dropped most of them; MPEG-4 kept a fifth of the rate).
 * Pauses that Ogg would need more packets for than anybody waits for are refused at once.
 */
#include "media.h"

#include <math.h>

#include <libavformat/avformat.h>

#define FRAMES 100
#define RATE 3000000

/* x264 and x265 lose some bytes of their parameters when they refuse to open. */
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

/* The pattern, moving, with noise that no encoder can foretell. */
static struct vrs_frame noisy_frame(const struct vrs_picture_format *format, int64_t index, int64_t pts)
{
	struct vrs_frame frame = media_frame(format, index, pts);
	uint32_t seed = (uint32_t)index * 2654435761u + 1;

	for (int y = 0; y < format->height; y++)
		for (int x = 0; x < format->width; x++) {
			uint8_t *sample = frame.data[0] + y * frame.stride_bytes[0] + x;

			seed = seed * 1664525u + 1013904223u;
			*sample = (uint8_t)(16 + (*sample + (seed >> 25)) % 200);
		}
	return frame;
}

/* What a file says of its video's packets. */
struct packets {
	int count;
	int64_t bytes;
	double worst; /* seconds by which a time stamp lies away from its frame's, at most */
};

static struct packets read_packets(const char *path, const double *times)
{
	AVFormatContext *file = NULL;
	AVPacket *pkt = av_packet_alloc();
	struct packets ret = {0};
	double seen[4 * FRAMES] = {0};

	assert_int_equal(avformat_open_input(&file, path, NULL, NULL), 0);
	while (av_read_frame(file, pkt) >= 0) {
		double time = (double)pkt->pts * av_q2d(file->streams[0]->time_base);
		int k = ret.count++;

		assert_in_range(ret.count, 1, 4 * FRAMES);
		for (; k > 0 && seen[k - 1] > time; k--)
			seen[k] = seen[k - 1];
		seen[k] = time;
		ret.bytes += pkt->size;
		av_packet_unref(pkt);
	}
	for (int i = 0; i < ret.count && i < FRAMES; i++)
		ret.worst = fmax(ret.worst, fabs(seen[i] - seen[0] - (times[i] - times[0])));
	av_packet_free(&pkt);
	avformat_close_input(&file);
	return ret;
}

static void encode(const char *path, const struct vrs_sink_options *options, struct vrs_source *source, const double *times, struct packets *ret)
{
	struct vrs_error err = {0};
	struct vrs_sink *sink;

	if (vrs_sink_open(&sink, path, options, source, &err))
		fail_msg("%s in %s: %s", options->encoder, path, err.text);
	for (int i = 0; i < FRAMES; i++) {
		struct vrs_frame frame = noisy_frame(&options->format, i, llround(times[i] * options->time_base_den / options->time_base_num));

		if (vrs_sink_write(sink, &frame, &err))
			fail_msg("%s in %s: %s", options->encoder, path, err.text);
	}
	if (vrs_sink_finish(sink, &err))
		fail_msg("%s in %s: %s", options->encoder, path, err.text);
	vrs_sink_close(sink);
	*ret = read_packets(path, times);
}

/* Encoders whose rate control or format knows no time stamps, and others; those that are not there are passed over. */
static const struct {
	const char *encoder, *name;
} rows[] = {
	{"libtheora", "o.nut"}, {"libtheora", "o.ogg"}, {"libtheora", "o.ogv"}, {"libtheora", "o.mkv"}, {"mpeg4", "o.nut"},      {"mpeg4", "o.mp4"},
	{"mpeg4", "o.avi"},     {"libxvid", "o.nut"},   {"wmv1", "o.nut"},      {"wmv2", "o.mkv"},      {"msmpeg4v2", "o.nut"},  {"msmpeg4", "o.nut"},
	{"flv", "o.nut"},       {"h261", "o.nut"},      {"h263", "o.nut"},      {"h263p", "o.nut"},     {"mpeg1video", "o.mkv"}, {"mpeg2video", "o.mkv"},
	{"mjpeg", "o.nut"},     {"speedhq", "o.nut"},   {"snow", "o.nut"},       {"vc2", "o.mkv"},
	{"libx264", "o.mkv"},   {"libx265", "o.mkv"},   {"libvpx", "o.mkv"},    {"libsvtav1", "o.mkv"},
};

static void check(const char *what, const char *name, const struct packets *got, double worst)
{
	if (got->count != FRAMES)
		fail_msg("%s in %s: %d packets of %d frames", what, name, got->count, FRAMES);
	if (got->worst > worst)
		fail_msg("%s in %s: a time stamp is wrong by %g s", what, name, got->worst);
}

/* 25 frames a second. */
static void fill_even(double times[FRAMES])
{
	for (int i = 0; i < FRAMES; i++)
		times[i] = i / 25.0;
}

static void rates_in_every_time_base(void **state)
{
	static const int bases[][2] = {{1, 12800}, {1, 1000}, {1, 90000}};
	double times[FRAMES], seconds = FRAMES / 25.0;
	int known = 0;

	(void)state;
	fill_even(times);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct vrs_picture_format format = media_format(176, 144, 3, 1, 1, 8);
		struct vrs_sink_options options = media_options(&format, rows[i].encoder);
		struct packets got;

		if (!vrs_sink_encoder_exists(rows[i].encoder))
			continue;
		known++;
		options.bit_rate = RATE;
		options.overwrite = true;
		options.preset = strncmp(options.encoder, "libvpx", 6) == 0 || vrs_sink_encoder_has(options.encoder, "crf") ? "ultrafast" : NULL;
		for (int b = 0; b < (options.preset ? 1 : 3); b++) {
			options.time_base_num = bases[b][0];
			options.time_base_den = bases[b][1];
			encode(media_path(rows[i].name), &options, NULL, times, &got);
			check(rows[i].encoder, rows[i].name, &got, 0.0011); /* a tick of Matroska */
			if ((double)got.bytes * 8 < 0.7 * RATE * seconds || (double)got.bytes * 8 > 1.5 * RATE * seconds)
				fail_msg("%s in 1/%d: %lld kb/s of %d", rows[i].encoder, bases[b][1], (long long)((double)got.bytes / seconds / 125), RATE / 1000);
			media_files(true);
		}
	}
	assert_true(known > 10);
}

/* Half a second at 50 frames a second, then one at 8 and so on; as a source, so that the sink can know that its rate is variable. */
static void variable_rates_stay(void **state)
{
	struct vrs_picture_format format = media_format(176, 144, 3, 1, 1, 8);
	struct vrs_sink_options options = media_options(&format, "libx264");
	double times[FRAMES], seconds;
	struct packets got;

	(void)state;
	for (int i = 0; i < FRAMES; i++)
		times[i] = i == 0 ? 0 : times[i - 1] + (i % 33 < 25 ? 0.02 : 0.125);
	seconds = times[FRAMES - 1];
	options.fps_num = options.fps_den = 0;
	encode(media_path("vfr.mp4"), &options, NULL, times, &got);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct vrs_source *source = media_open(media_path("vfr.mp4"));
		const struct vrs_source_info *info = vrs_source_info(source);

		options = media_options(&format, rows[i].encoder);
		options.fps_num = info->fps_num;
		options.fps_den = info->fps_den;
		options.bit_rate = RATE;
		options.overwrite = true;
		options.preset = vrs_sink_encoder_has(options.encoder, "crf") ? "ultrafast" : NULL;
		if (vrs_sink_encoder_exists(rows[i].encoder)) {
			encode(media_path(rows[i].name), &options, source, times, &got);
			check(rows[i].encoder, rows[i].name, &got, strncmp(rows[i].name, "o.og", 4) == 0 ? 0.5 / 20 : 0.0011);
			if (!options.preset && ((double)got.bytes * 8 < 0.6 * RATE * seconds || (double)got.bytes * 8 > 1.7 * RATE * seconds))
				fail_msg("%s in %s: %lld kb/s of %d", rows[i].encoder, rows[i].name, (long long)((double)got.bytes / seconds / 125),
					 RATE / 1000);
		}
		vrs_source_close(source);
	}
	media_files(true);
}

/* Rate control may repeat pictures, which readers do not see as frames: it is said. */
static void repeated_pictures_are_told(void **state)
{
	struct vrs_picture_format format = media_format(352, 288, 3, 1, 1, 8);
	struct vrs_sink_options options = media_options(&format, "libtheora");
	double times[FRAMES];
	struct packets got;

	(void)state;
	if (!vrs_sink_encoder_exists("libtheora"))
		skip();
	fill_even(times);
	media_log_clear();
	options.bit_rate = 5000;
	encode(media_path("o.nut"), &options, NULL, times, &got);
	check("libtheora", "o.nut", &got, 0.001);
	assert_int_equal(media_log_count(VRS_LOG_WARNING), 1);
	assert_non_null(strstr(media_log, "too few"));
	media_files(true);
}

/* Nothing asked for: quality, and no frame is dropped. */
static void theora_by_default(void **state)
{
	struct vrs_picture_format format = media_format(176, 144, 3, 1, 1, 8);
	struct vrs_sink_options options = media_options(&format, "auto");
	double times[FRAMES];
	struct packets got;

	(void)state;
	if (!vrs_sink_encoder_exists("libtheora"))
		skip();
	fill_even(times);
	options.fps_num = options.fps_den = 0; /* not known: so it must not matter */
	encode(media_path("o.ogv"), &options, NULL, times, &got);
	check("auto", "o.ogv", &got, 0.001);
	media_files(true);
}

/* Ten frames, the last one this many seconds late. */
static enum vrs_status encode_pause(const char *path, int64_t pause, struct vrs_error *err)
{
	struct vrs_picture_format format = media_format(176, 144, 3, 1, 1, 8);
	struct vrs_sink_options options = media_options(&format, "libtheora");
	enum vrs_status status = VRS_OK;
	struct vrs_sink *sink;

	options.overwrite = true;
	assert_int_equal(vrs_sink_open(&sink, path, &options, NULL, err), VRS_OK);
	for (int i = 0; i < 10 && status == VRS_OK; i++) {
		struct vrs_frame frame = media_frame(&format, i, i * 40 + (i == 9 ? pause * 1000 : 0));

		status = vrs_sink_write(sink, &frame, err);
	}
	if (status == VRS_OK)
		status = vrs_sink_finish(sink, err);
	vrs_sink_close(sink);
	return status;
}

static void pauses_of_theora(void **state)
{
	static const int64_t refused[] = {14 * 365 * INT64_C(86400), 16 * 86400, INT64_MAX / 1000 - 1};
	struct vrs_error err = {0};

	(void)state;
	if (!vrs_sink_encoder_exists("libtheora"))
		skip();
	for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
		assert_int_equal(encode_pause(media_path("o.ogv"), refused[i], &err), VRS_EUNSUPPORTED);
		assert_non_null(strstr(err.text, "too long for Ogg"));
		assert_int_equal(media_files(false), 0);
	}
	if (encode_pause(media_path("o.ogv"), 3600, &err))
		fail_msg("%s", err.text);
	if (encode_pause(media_path("o.mkv"), refused[0], &err))
		fail_msg("%s", err.text);
	media_files(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(rates_in_every_time_base, start_empty), cmocka_unit_test_setup(variable_rates_stay, start_empty),
		cmocka_unit_test_setup(repeated_pictures_are_told, start_empty), cmocka_unit_test_setup(theora_by_default, start_empty),
		cmocka_unit_test_setup(pauses_of_theora, start_empty),
	};
	return cmocka_run_group_tests(tests, media_setup, media_teardown);
}
