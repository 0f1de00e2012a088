/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the encoding sink: what comes out of a file is what went in (samples, tags, time stamps, audio, side data), encoders get what they
 * ask for and losses are said, and nothing appears under the final name before it is complete.
 */
#include "media.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <libavformat/avformat.h>

/* x264 and x265 lose some bytes of their parameters when they refuse to open (odd sizes, here). */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libx264\nleak:libx265\n";
}

/* A test that failed half-way must not fail the next one. */
static int start_empty(void **state)
{
	(void)state;
	media_files(true);
	return 0;
}

#define VR180 VRS_TEST_DIR "/data/person_vr180_sbs.mp4"

static void read_back_exactly(const char *path, const struct vrs_picture_format *format, int n)
{
	struct vrs_source *source = media_open(path);
	const struct vrs_source_info *info = vrs_source_info(source);
	struct vrs_frame frame;

	assert_int_equal(info->format.matrix, format->matrix);
	assert_int_equal(info->format.range, format->range);
	assert_int_equal(info->format.primaries, format->primaries);
	assert_int_equal(info->format.transfer, format->transfer);
	for (int i = 0; i < n; i++) {
		assert_int_equal(vrs_source_read(source, &frame, NULL), VRS_OK);
		assert_int_equal(frame.format.planes, format->planes);
		assert_int_equal(frame.format.bit_depth, format->bit_depth);
		assert_int_equal(frame.format.width, format->width);
		assert_int_equal(frame.format.height, format->height);
		assert_int_equal(media_difference(&frame, i), 0);
		assert_int_equal(frame.pts * 1000 / vrs_source_info(source)->time_base_den * vrs_source_info(source)->time_base_num, i * 40);
		vrs_frame_unref(&frame);
	}
	assert_int_equal(vrs_source_read(source, &frame, NULL), VRS_END);
	vrs_source_close(source);
}

static void ffv1_is_lossless(void **state)
{
	static const int formats[][4] = {/* planes, shifts, depth */ {3, 1, 1, 8},  {3, 1, 0, 8},  {3, 0, 0, 8},  {4, 1, 1, 8}, {1, 0, 0, 8},
					 {3, 1, 1, 10}, {3, 1, 0, 12}, {3, 0, 0, 16}, {1, 0, 0, 16}};

	(void)state;
	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
		for (int odd = 0; odd < 2; odd++) {
			struct vrs_picture_format format =
				media_format(130 - odd, 70 - odd, formats[i][0], formats[i][1], formats[i][2], formats[i][3]);
			struct vrs_sink_options options = media_options(&format, "ffv1");

			format.range = options.format.range = odd ? VRS_RANGE_FULL : VRS_RANGE_LIMITED;
			format.matrix = options.format.matrix = odd ? VRS_MATRIX_BT2020 : VRS_MATRIX_BT709;
			options.threads = 1 + odd;
			media_write(media_path("a.mkv"), &options, 5);
			read_back_exactly(media_path("a.mkv"), &format, 5);
			assert_int_equal(media_files(true), 1);
		}
	}
}

/* Counts packets and sums sizes of the first audio stream; ret[2] is the last pts in ms. */
static void audio_of(const char *path, int64_t ret[3])
{
	AVFormatContext *in = NULL;
	AVPacket *pkt = av_packet_alloc();
	int index;

	ret[0] = ret[1] = ret[2] = 0;
	assert_true(avformat_open_input(&in, path, NULL, NULL) >= 0);
	assert_true(avformat_find_stream_info(in, NULL) >= 0);
	index = av_find_best_stream(in, AVMEDIA_TYPE_AUDIO, -1, -1, NULL, 0);
	while (av_read_frame(in, pkt) >= 0) {
		if (pkt->stream_index == index) {
			ret[0]++;
			ret[1] += pkt->size;
			ret[2] = av_rescale_q(pkt->pts, in->streams[index]->time_base, (AVRational){1, 1000});
		}
		av_packet_unref(pkt);
	}
	avformat_close_input(&in);
	av_packet_free(&pkt);
}

static struct vrs_sink_options options_for(const struct vrs_source *source, const char *encoder)
{
	const struct vrs_source_info *info = vrs_source_info(source);

	return (struct vrs_sink_options){.encoder = encoder, .crf = -1, .threads = 1, .format = info->format, .fps_num = info->fps_num,
					 .fps_den = info->fps_den, .time_base_num = info->time_base_num, .time_base_den = info->time_base_den,
					 .sar_num = info->sar_num, .sar_den = info->sar_den, .side = &info->side, .audio = true};
}

/* Transcode up to max frames. */
static void transcode(const char *from, const char *to, const char *encoder, const char *preset, int max, bool audio)
{
	struct vrs_source *source = media_open(from);
	struct vrs_sink_options options = options_for(source, encoder);
	struct vrs_error err = {0};
	struct vrs_frame frame;
	struct vrs_sink *sink;

	options.preset = preset;
	options.audio = audio;
	if (vrs_sink_open(&sink, to, &options, source, &err))
		fail_msg("%s", err.text);
	for (int i = 0; i < max && !vrs_source_read(source, &frame, NULL); i++)
		assert_int_equal(vrs_sink_write(sink, &frame, &err), VRS_OK);
	if (vrs_sink_finish(sink, &err))
		fail_msg("%s", err.text);
	vrs_sink_close(sink);
	vrs_source_close(source);
}

static void check_vr180(const char *path, const char *codec, int frames)
{
	struct vrs_source *source = media_open(path);
	const struct vrs_source_info *info = vrs_source_info(source);
	int64_t first_us = 0;
	struct vrs_frame frame;
	int count = 0;

	assert_string_equal(info->codec, codec);
	assert_true(info->side.has_stereo && info->side.has_spherical);
	assert_int_equal(info->side.stereo, VRS_STEREO_SBS);
	assert_int_equal(info->side.projection, VRS_PROJECTION_HEQUIRECT);
	assert_true(info->side.bound_left > 0.2499 && info->side.bound_right < 0.2501);
	assert_int_equal(info->format.matrix, VRS_MATRIX_BT709);
	assert_int_equal(info->format.range, VRS_RANGE_LIMITED);
	while (!vrs_source_read(source, &frame, NULL)) {
		int64_t us = frame.pts * 1000000 * info->time_base_num / info->time_base_den;

		if (count == 0)
			first_us = us; /* Matroska moves everything by the audio's priming, 21 ms */
		assert_true(llabs(us - first_us - count * 1000000LL / 30) < 1100);
		count++;
		vrs_frame_unref(&frame);
	}
	assert_true(first_us >= 0 && first_us < 25000);
	assert_int_equal(count, frames);
	vrs_source_close(source);
}

static void mp4_keeps_everything(void **state)
{
	int64_t before[3], after[3];

	(void)state;
	transcode(VR180, media_path("o.mp4"), "libx264", "ultrafast", 1000, true);
	check_vr180(media_path("o.mp4"), "h264", 60);
	audio_of(VR180, before);
	audio_of(media_path("o.mp4"), after);
	assert_true(before[0] > 50);
	assert_memory_equal(before, after, sizeof before);
	assert_int_equal(media_files(true), 1);
}

static void mkv_keeps_everything(void **state)
{
	int64_t before[3], after[3];

	(void)state;
	transcode(VR180, media_path("o.mkv"), "libx264", "ultrafast", 1000, true);
	check_vr180(media_path("o.mkv"), "h264", 60);
	audio_of(VR180, before);
	audio_of(media_path("o.mkv"), after);
	assert_int_equal(after[0], before[0]);
	assert_int_equal(after[1], before[1]);
	assert_int_equal(media_files(true), 1);
}

static void early_end_cuts_the_audio(void **state)
{
	int64_t audio[3];

	(void)state;
	transcode(VR180, media_path("o.mp4"), "libx264", "ultrafast", 15, true);
	check_vr180(media_path("o.mp4"), "h264", 15);
	audio_of(media_path("o.mp4"), audio);
	assert_true(audio[2] > 500 - 2 * 22 && audio[2] < 500); /* the last packet begins before the end of the last frame */
	transcode(VR180, media_path("silent.mp4"), "libx264", "ultrafast", 3, false);
	audio_of(media_path("silent.mp4"), audio);
	assert_int_equal(audio[0], 0);
	media_files(true);
}

/* The seek moves audio and video by the same amount. */
static void start_keeps_audio_in_sync(void **state)
{
	struct vrs_source_options at = {.start_seconds = 1, .copies = true};
	struct vrs_source *source;
	struct vrs_sink_options options;
	struct vrs_sink *sink;
	struct vrs_frame frame;
	int64_t audio[3];
	int count = 0;

	(void)state;
	assert_int_equal(vrs_source_open(&source, VR180, &at, NULL), VRS_OK);
	options = options_for(source, "libx264");
	options.preset = "ultrafast";
	assert_int_equal(vrs_sink_open(&sink, media_path("o.mp4"), &options, source, NULL), VRS_OK);
	while (!vrs_source_read(source, &frame, NULL)) {
		assert_int_equal(vrs_sink_write(sink, &frame, NULL), VRS_OK);
		count++;
	}
	assert_int_equal(vrs_sink_finish(sink, NULL), VRS_OK);
	vrs_sink_close(sink);
	vrs_source_close(source);
	assert_int_equal(count, 30);
	audio_of(media_path("o.mp4"), audio);
	assert_true(audio[0] >= 46 && audio[0] <= 49); /* one second of 1024 samples at 48 kHz is 46.9 */
	assert_true(audio[2] > 900 && audio[2] < 1010);
	media_files(true);
}

static void variable_rate_is_kept(void **state)
{
	static const int64_t times[] = {0, 40, 41, 200, 1000, 1001, 1040};
	static const char *const names[] = {"v.mkv", "v.mp4"};

	(void)state;
	for (int k = 0; k < 2; k++) {
		struct vrs_picture_format format = media_format(64, 64, 3, 1, 1, 8);
		struct vrs_sink_options options = media_options(&format, "libx264");
		struct vrs_source *source;
		struct vrs_sink *sink;
		struct vrs_frame frame;

		assert_int_equal(vrs_sink_open(&sink, media_path(names[k]), &options, NULL, NULL), VRS_OK);
		for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
			frame = media_frame(&format, (int64_t)i, times[i]);
			assert_int_equal(vrs_sink_write(sink, &frame, NULL), VRS_OK);
		}
		assert_int_equal(vrs_sink_finish(sink, NULL), VRS_OK);
		vrs_sink_close(sink);
		source = media_open(media_path(names[k]));
		for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
			assert_int_equal(vrs_source_read(source, &frame, NULL), VRS_OK);
			assert_int_equal(frame.pts * 1000 / vrs_source_info(source)->time_base_den, times[i]);
			vrs_frame_unref(&frame);
		}
		vrs_source_close(source);
	}
	media_files(true);
}

/* Seconds that a file lasts. */
static double length_of(const char *path)
{
	AVFormatContext *in = NULL;
	double seconds;

	assert_true(avformat_open_input(&in, path, NULL, NULL) >= 0);
	assert_true(avformat_find_stream_info(in, NULL) >= 0);
	seconds = (double)in->duration / AV_TIME_BASE;
	avformat_close_input(&in);
	return seconds;
}

/* The last picture lasts as long as its frame says, where that is not as long as the others; more than a muxer can express is not written. */
static void last_frame_lasts(void **state)
{
	static const struct {
		const char *encoder, *name;
		int64_t duration;
		double seconds;
	} rows[] = {
		{"libx264", "l.mp4", 3000, 3.36}, {"libx264", "l.mkv", 3000, 0.4}, {"ffv1", "l.mkv", 3000, 0.4},  {"mpeg4", "l.mp4", 3000, 3.36},
		{"libx264", "l.mp4", 40, 0.4},    {"libx264", "l.mp4", 20, 0.38},      {"libx264", "l.mp4", 0, 0.4},   {"libx264", "l.mp4", INT64_C(1) << 40, 0.4},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct vrs_picture_format format = media_format(64, 64, 3, 1, 1, 8);
		struct vrs_sink_options options = media_options(&format, rows[i].encoder);
		struct vrs_sink *sink;

		options.overwrite = true;
		assert_int_equal(vrs_sink_open(&sink, media_path(rows[i].name), &options, NULL, NULL), VRS_OK);
		for (int k = 0; k < 10; k++) {
			struct vrs_frame frame = media_frame(&format, k, k * 40);

			frame.duration = k == 9 ? rows[i].duration : 40;
			assert_int_equal(vrs_sink_write(sink, &frame, NULL), VRS_OK);
		}
		assert_int_equal(vrs_sink_finish(sink, NULL), VRS_OK);
		vrs_sink_close(sink);
		if (fabs(length_of(media_path(rows[i].name)) - rows[i].seconds) > 0.002)
			fail_msg("row %zu lasts %g s", i, length_of(media_path(rows[i].name)));
	}
	media_files(true);
}

/* Pauses, and then frames that come fast: the file ends with the last of them, not after the average of all. */
static void burst_after_pauses(void **state)
{
	static const int64_t times[] = {0, 4000, 8000, 8040, 8080, 8120, 8160};
	static const struct {
		const char *encoder, *name;
	} rows[] = {{"libx264", "b.mp4"}, {"libx264", "b.mkv"}, {"mpeg4", "b.mov"}, {"mpeg4", "b.mkv"}, {"ffv1", "b.mkv"}};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct vrs_picture_format format = media_format(64, 64, 3, 1, 1, 8);
		struct vrs_sink_options options = media_options(&format, rows[i].encoder);
		struct vrs_sink *sink;

		options.overwrite = true;
		options.fps_num = 60;
		options.fps_den = 82;
		assert_int_equal(vrs_sink_open(&sink, media_path(rows[i].name), &options, NULL, NULL), VRS_OK);
		for (int k = 0; k < 6; k++) {
			struct vrs_frame frame = media_frame(&format, k, times[k]);

			frame.duration = times[k + 1] - times[k];
			assert_int_equal(vrs_sink_write(sink, &frame, NULL), VRS_OK);
		}
		assert_int_equal(vrs_sink_finish(sink, NULL), VRS_OK);
		vrs_sink_close(sink);
		if (fabs(length_of(media_path(rows[i].name)) - 8.16) > 0.003)
			fail_msg("row %zu lasts %g s", i, length_of(media_path(rows[i].name)));
	}
	media_files(true);
}

static void stereo_kinds(void **state)
{
	static const struct {
		enum vrs_stereo stereo;
		bool inverted;
		const char *name;
		bool kept;
	} rows[] = {
		{VRS_STEREO_SBS, false, "s.mp4", true},	 {VRS_STEREO_TB, false, "s.mp4", true},	  {VRS_STEREO_MONO, false, "s.mp4", true},
		{VRS_STEREO_SBS, true, "s.mp4", false},	 {VRS_STEREO_SBS, false, "s.mov", false}, {VRS_STEREO_SBS, false, "s.mkv", true},
		{VRS_STEREO_TB, false, "s.mkv", true},	 {VRS_STEREO_SBS, true, "s.mkv", true},	  {VRS_STEREO_TB, true, "s.mkv", true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct vrs_stereo_side_data side = {.has_stereo = true, .stereo = rows[i].stereo, .inverted = rows[i].inverted, .has_spherical = true,
						    .projection = VRS_PROJECTION_EQUIRECT, .yaw = 30, .pitch = -10};
		struct vrs_picture_format format = media_format(128, 64, 3, 1, 1, 8);
		struct vrs_sink_options options = media_options(&format, "libx264");
		const struct vrs_source_info *info;
		struct vrs_source *source;

		options.side = &side;
		options.overwrite = true;
		media_log_clear();
		media_write(media_path(rows[i].name), &options, 2);
		assert_int_equal(media_log_count(VRS_LOG_WARNING) > 0, !rows[i].kept); /* what is lost is said */
		source = media_open(media_path(rows[i].name));
		info = vrs_source_info(source);
		if (rows[i].kept) {
			assert_true(info->side.has_stereo && info->side.has_spherical);
			assert_int_equal(info->side.stereo, rows[i].stereo);
			assert_int_equal(info->side.inverted, rows[i].inverted);
			assert_int_equal(info->side.projection, VRS_PROJECTION_EQUIRECT);
			assert_true(info->side.yaw == 30 && info->side.pitch == -10);
		} else {
			assert_false(info->side.has_stereo);
		}
		vrs_source_close(source);
	}
	media_files(true);
}

/* What a container gets when no encoder is named, with and without alpha; and what it is refused. */
static void encoder_by_container(void **state)
{
	static const struct {
		const char *name, *encoder; /* NULL: auto */
		int planes;
		const char *codec, *message;
	} rows[] = {
		{"o.mp4", NULL, 3, "h264", NULL},         {"o.mkv", "auto", 3, "h264", NULL},       {"o.webm", NULL, 3, "vp9", NULL},
		{"o.mov", NULL, 4, "prores", NULL},       {"o.mkv", NULL, 4, "ffv1", NULL},         {"o.webm", NULL, 4, "vp9", NULL},
		{"o.mkv", "utvideo", 4, "utvideo", NULL}, {"o.mov", "qtrle", 4, "qtrle", NULL},     {"o.mp4", NULL, 4, NULL, ".mov (ProRes 4444)"},
		{"o.mp4", "ffv1", 4, NULL, ".mov (ProRes"}, {"o.mkv", "libx264", 4, NULL, "choose --encoder ffv1"},
		{"o.nut", "libvpx-vp9", 4, NULL, ".webm (VP9)"}, {"o.mov", "libx264", 4, NULL, "choose --encoder prores_ks"},
		{"o.h264", NULL, 3, "h264", NULL},        {"o.hevc", NULL, 3, "hevc", NULL},        {"o.m2v", NULL, 3, "mpeg2video", NULL},
		{"o.mjpeg", "auto", 3, "mjpeg", NULL},    {"o.vc2", NULL, 3, "dirac", NULL},        {"o.mxf", "mpeg2video", 3, "mpeg2video", NULL},
		{"o.mxf", NULL, 3, "h264", NULL},         {"o.hevc", NULL, 4, NULL, "cannot hold transparency"},
		{"o.cavs", NULL, 3, NULL, "holds cavs video, which this FFmpeg cannot encode; name it .mkv"},
		{"o.hevc", "libx264", 3, NULL, "choose --encoder libx265"}, {"o.m1v", "mpeg2video", 3, NULL, "choose --encoder mpeg1video"},
		{"o.cavs", "libx264", 3, NULL, "cannot hold video of encoder libx264; name it .mkv"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct vrs_picture_format format = media_format(64, 64, rows[i].planes, 1, 1, 8);
		struct vrs_sink_options options = media_options(&format, rows[i].encoder);
		struct vrs_error err = {0};
		struct vrs_sink *sink = NULL;

		options.preset = "veryfast"; /* left out where an encoder of our choice has none */
		options.crf = 20;
		if (rows[i].message) {
			options.preset = NULL;
			options.crf = -1;
			assert_int_equal(vrs_sink_open(&sink, media_path(rows[i].name), &options, NULL, &err), VRS_ECONFIG);
			if (!strstr(err.text, rows[i].message))
				fail_msg("row %zu: %s", i, err.text);
			continue;
		}
		if (rows[i].encoder && strcmp(rows[i].encoder, "auto") != 0) {
			options.preset = NULL;
			options.crf = -1;
		}
		media_write(media_path(rows[i].name), &options, 2);
		struct vrs_source *source = media_open(media_path(rows[i].name));
		assert_string_equal(vrs_source_info(source)->codec, rows[i].codec);
		vrs_source_close(source);
		media_files(true);
	}
	assert_int_equal(media_files(true), 0);
}

/* Opaque stays opaque where an encoder takes more bits than the picture has. */
static void opaque_is_opaque(void **state)
{
	struct vrs_picture_format format = media_format(64, 64, 4, 1, 1, 8);
	struct vrs_sink_options options = media_options(&format, "prores_ks");
	struct vrs_source *source;
	struct vrs_sink *sink;
	struct vrs_frame frame;

	(void)state;
	assert_int_equal(vrs_sink_open(&sink, media_path("o.mov"), &options, NULL, NULL), VRS_OK);
	assert_int_equal(vrs_frame_alloc(&frame, &format), VRS_OK);
	for (int p = 0; p < 4; p++)
		memset(frame.data[p], p == 3 ? 255 : 100, (size_t)frame.stride_bytes[p] * (size_t)vrs_plane_height(&format, p));
	memset(frame.data[3], 0, (size_t)frame.stride_bytes[3] * 32);
	assert_int_equal(vrs_sink_write(sink, &frame, NULL), VRS_OK);
	assert_int_equal(vrs_sink_finish(sink, NULL), VRS_OK);
	vrs_sink_close(sink);
	source = media_open(media_path("o.mov"));
	assert_int_equal(vrs_source_read(source, &frame, NULL), VRS_OK);
	assert_int_equal(frame.format.planes, 4);
	assert_int_equal(media_at(&frame, 3, 10, 10), 0);
	assert_int_equal(media_at(&frame, 3, 10, 50), (1 << frame.format.bit_depth) - 1);
	vrs_frame_unref(&frame);
	vrs_source_close(source);
	media_files(true);
}

/* Encoders of the build get a pixel format that they take; what is lost is a warning, what is not is none. */
static void encoders_and_losses(void **state)
{
	static const struct {
		const char *encoder, *name;
		int planes, shift_x, shift_y, depth;
		const char *warning; /* NULL: none */
		double mean;         /* absolute difference of luma, in 8-bit steps */
	} rows[] = {
		{"libx264", "o.mp4", 3, 1, 1, 8, NULL, 2},
		{"libx264", "o.mp4", 3, 1, 1, 10, NULL, 2},
		{"libx264", "o.mp4", 1, 0, 0, 8, NULL, 2},
		{"libx265", "o.mp4", 3, 1, 1, 8, NULL, 3},
		{"libvpx-vp9", "o.webm", 3, 1, 1, 8, NULL, 3},
		{"libvpx-vp9", "o.webm", 4, 1, 1, 8, NULL, 3},
		{"prores_ks", "o.mov", 3, 1, 1, 8, NULL, 2},
		{"prores_ks", "o.mov", 4, 0, 0, 10, NULL, 2},
		{"mjpeg", "o.avi", 3, 1, 1, 8, NULL, 3},
		{"mjpeg", "o.avi", 3, 1, 1, 10, "bit depth", 3},
		{"png", "o.mov", 1, 0, 0, 8, NULL, 0},
		{"mpeg4", "o.mp4", 3, 1, 1, 8, NULL, 6},
		{"mpeg4", "o.mp4", 3, 0, 0, 8, "chroma", 6},
		{"mpeg4", "o.mp4", 1, 0, 0, 8, NULL, 6},
		{"utvideo", "o.mkv", 3, 1, 1, 8, NULL, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct vrs_picture_format format = media_format(128, 64, rows[i].planes, rows[i].shift_x, rows[i].shift_y, rows[i].depth);
		struct vrs_sink_options options = media_options(&format, rows[i].encoder);
		struct vrs_source *source;
		struct vrs_frame frame;
		double sum = 0;
		int count = 0, samples = 0;

		options.format.matrix = VRS_MATRIX_BT601; /* that of JPEG: luma stays */
		options.format.range = format.range = strcmp(rows[i].encoder, "png") == 0 ? VRS_RANGE_FULL : VRS_RANGE_LIMITED;
		media_log_clear();
		if (vrs_sink_encoder_has(rows[i].encoder, "crf"))
			options.crf = 10;
		media_write(media_path(rows[i].name), &options, 4);
		if ((media_log_count(VRS_LOG_WARNING) > 0) != (rows[i].warning != NULL) || (rows[i].warning && !strstr(media_log, rows[i].warning)))
			fail_msg("row %zu %s: log is \"%s\"", i, rows[i].encoder, media_log);
		source = media_open(media_path(rows[i].name));
		while (!vrs_source_read(source, &frame, NULL)) {
			int in_depth = rows[i].depth, out_depth = frame.format.bit_depth;
			bool widened = rows[i].planes == 1 ? false : format.range != frame.format.range; /* full-range JPEG */

			for (int y = 4; y < 60; y += 5)
				for (int x = 4; x < 124; x += 5) {
					double want = media_sample(0, x, y, count, in_depth) * (double)(1 << out_depth) / (1 << in_depth);
					double got = media_at(&frame, 0, x, y);

					if (widened)
						got = got * 219 / 255 + 16;
					sum += fabs(got - want) / (1 << (out_depth - 8));
					samples++;
				}
			vrs_frame_unref(&frame);
			count++;
		}
		assert_int_equal(count, 4);
		if (sum / samples > rows[i].mean)
			fail_msg("row %zu %s: luma differs by %g", i, rows[i].encoder, sum / samples);
		vrs_source_close(source);
		media_files(true);
	}
}

static void odd_sizes(void **state)
{
	struct vrs_picture_format format = media_format(131, 67, 3, 1, 1, 8);
	struct vrs_sink_options options = media_options(&format, "libx264");
	struct vrs_source *source;

	(void)state;
	media_log_clear();
	media_write(media_path("o.mp4"), &options, 3);
	assert_non_null(strstr(media_log, "cut to 130x66"));
	source = media_open(media_path("o.mp4"));
	assert_int_equal(vrs_source_info(source)->format.width, 130);
	assert_int_equal(vrs_source_info(source)->format.height, 66);
	vrs_source_close(source);
	media_files(true);
}

struct refusal {
	const char *name, *encoder, *preset;
	int crf;
	enum vrs_status status;
	const char *words;
};

static void refusals_name_the_reason(void **state)
{
	static const struct refusal rows[] = {
		{"a.mkv", "ffv1", "fast", -1, VRS_ECONFIG, "ffv1 has no preset"},
		{"a.mkv", "ffv1", NULL, 20, VRS_ECONFIG, "ffv1 has no crf"},
		{"a.mkv", "libx264", "fats", -1, VRS_ECONFIG, "fats"},
		{"a.mkv", "libx265", "fats", -1, VRS_ECONFIG, "veryslow"},
		{"a.mkv", "libx246", NULL, -1, VRS_ECONFIG, "libx264"},
		{"a.mkv", "aac", NULL, -1, VRS_ECONFIG, "not a video encoder"},
		{"a.webm", "libx264", NULL, -1, VRS_ECONFIG, "webm"},
		{"a.mp3", "libx264", NULL, -1, VRS_ECONFIG, "a.mp3"},
		{"a.xyz", "libx264", NULL, -1, VRS_ECONFIG, ".mp4"},
		{"a", "libx264", NULL, -1, VRS_ECONFIG, ".mp4"},
		{"no/such/a.mp4", "libx264", NULL, -1, VRS_ENOTFOUND, "no folder"},
	};
	struct vrs_picture_format format = media_format(128, 64, 3, 1, 1, 8);

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct vrs_sink_options options = media_options(&format, rows[i].encoder);
		struct vrs_error err = {0};
		struct vrs_sink *sink = NULL;
		enum vrs_status status;

		options.preset = rows[i].preset;
		options.crf = rows[i].crf;
		status = vrs_sink_open(&sink, media_path(rows[i].name), &options, NULL, &err);
		if (status != rows[i].status || !strstr(err.text, rows[i].words))
			fail_msg("row %zu: %s \"%s\"", i, vrs_status_name(status), err.text);
		assert_null(sink);
		assert_int_equal(media_files(false), 0);
	}
}

static uint64_t content(const char *path)
{
	struct vrs_buf buf;
	uint64_t sum = 7;

	assert_int_equal(vrs_file_read(path, 64 << 20, &buf, NULL), VRS_OK);
	for (size_t i = 0; i < buf.len; i++)
		sum = sum * 31 + (uint8_t)buf.data[i];
	vrs_buf_fini(&buf);
	return sum;
}

static void existing_output(void **state)
{
	struct vrs_picture_format format = media_format(128, 64, 3, 1, 1, 8);
	struct vrs_sink_options options = media_options(&format, "ffv1");
	const char *path = media_path("a.mkv");
	struct vrs_error err = {0};
	struct vrs_sink *sink;
	struct vrs_frame frame;
	uint64_t old;

	(void)state;
	media_write(path, &options, 3);
	old = content(path);
	assert_int_equal(vrs_sink_open(&sink, path, &options, NULL, &err), VRS_EEXIST);
	assert_non_null(strstr(err.text, "--overwrite"));
	assert_non_null(strstr(err.text, "a.mkv"));
	options.overwrite = true;
	assert_int_equal(vrs_sink_open(&sink, path, &options, NULL, &err), VRS_OK);
	frame = media_frame(&format, 9, 0);
	assert_int_equal(vrs_sink_write(sink, &frame, NULL), VRS_OK);
	assert_true(content(path) == old); /* until the new one is complete */
	vrs_sink_close(sink);
	assert_true(content(path) == old);
	assert_int_equal(media_files(false), 1); /* closed without finish: nothing is left of it */
	media_write(path, &options, 5);
	assert_true(content(path) != old);
	assert_int_equal(vrs_sink_open(&sink, media_dir, &options, NULL, &err), VRS_ECONFIG);
	media_files(true);
}

/* A file that someone else made during the work is kept, and so is ours. */
static void output_made_meanwhile(void **state)
{
	struct vrs_picture_format format = media_format(128, 64, 3, 1, 1, 8);
	struct vrs_sink_options options = media_options(&format, "ffv1");
	const char *path = media_path("a.mkv");
	struct vrs_error err = {0};
	struct vrs_sink *sink;
	struct vrs_frame frame = media_frame(&format, 0, 0);
	FILE *other;

	(void)state;
	assert_int_equal(vrs_sink_open(&sink, path, &options, NULL, &err), VRS_OK);
	assert_int_equal(vrs_sink_write(sink, &frame, NULL), VRS_OK);
	other = fopen(path, "w");
	fputs("theirs", other);
	fclose(other);
	assert_int_equal(vrs_sink_finish(sink, &err), VRS_EEXIST);
	vrs_sink_close(sink);
	assert_int_equal(media_files(false), 2);
	assert_non_null(strstr(err.text, ".part"));
	media_files(true);
}

static enum vrs_status changed(void *cookie, const char *file, struct vrs_error *err)
{
	assert_true(content(cookie) != 0); /* the old file is still there */
	assert_true(content(file) != content(cookie));
	return vrs_fail(err, VRS_EIO, "the input was changed");
}

/* The caller is asked last, when the file is complete: the old one stays, and nothing of the new one. */
static void refused_when_complete(void **state)
{
	struct vrs_picture_format format = media_format(128, 64, 3, 1, 1, 8);
	struct vrs_sink_options options = media_options(&format, "ffv1");
	const char *path = media_path("a.mkv");
	struct vrs_error err = {0};
	struct vrs_sink *sink;

	(void)state;
	media_write(path, &options, 3);
	uint64_t old = content(path);
	options.overwrite = true;
	options.check = changed;
	options.check_cookie = (void *)(uintptr_t)path;
	assert_int_equal(vrs_sink_open(&sink, path, &options, NULL, &err), VRS_OK);
	struct vrs_frame frame = media_frame(&format, 0, 0);
	assert_int_equal(vrs_sink_write(sink, &frame, NULL), VRS_OK);
	assert_int_equal(vrs_sink_finish(sink, &err), VRS_EIO);
	vrs_sink_close(sink);
	assert_string_equal(err.text, "the input was changed");
	assert_true(content(path) == old);
	assert_int_equal(media_files(false), 1);
	media_files(true);
}

static void input_is_never_the_output(void **state)
{
	struct vrs_picture_format format = media_format(128, 64, 3, 1, 1, 8);
	struct vrs_sink_options options = media_options(&format, "ffv1");
	struct vrs_error err = {0};
	struct vrs_source *source;
	struct vrs_sink *sink;

	(void)state;
	media_write(media_path("a.mkv"), &options, 3);
	assert_int_equal(link(media_path("a.mkv"), media_path("b.mkv")), 0);
	source = media_open(media_path("a.mkv"));
	options.overwrite = true;
	assert_int_equal(vrs_sink_open(&sink, media_path("b.mkv"), &options, source, &err), VRS_ECONFIG);
	assert_non_null(strstr(err.text, "is the input"));
	vrs_source_close(source);
	media_files(true);
}

/* A full disk (here: a limit on file size) is an error that names the file, and leaves nothing. */
static void full_disk(void **state)
{
	struct vrs_picture_format format = media_format(640, 480, 3, 1, 1, 8);
	struct vrs_sink_options options = media_options(&format, "ffv1");
	struct rlimit old, small;
	struct vrs_error err = {0};
	enum vrs_status status = VRS_OK;
	struct vrs_sink *sink;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	small = old;
	small.rlim_cur = 100000;
	assert_int_equal(vrs_sink_open(&sink, media_path("full.mkv"), &options, NULL, &err), VRS_OK);
	setrlimit(RLIMIT_FSIZE, &small);
	for (int i = 0; i < 50 && status == VRS_OK; i++) {
		struct vrs_frame frame = media_frame(&format, i, i * 40);

		status = vrs_sink_write(sink, &frame, &err);
	}
	if (status == VRS_OK)
		status = vrs_sink_finish(sink, &err);
	vrs_sink_close(sink);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(status, VRS_EIO);
	assert_non_null(strstr(err.text, "full.mkv"));
	assert_int_equal(media_files(false), 0);
}

static int live_frames;

static void count_unref(void *owner)
{
	free(owner);
	live_frames--;
}

/* The caller's frame is freed exactly once, whatever the encoder keeps, and also when writing fails. */
static void frame_ownership(void **state)
{
	static const char *const encoders[] = {"libx264", "ffv1", "prores_ks", "png", "mpeg4"};
	struct vrs_picture_format format = media_format(128, 64, 3, 1, 1, 8);

	(void)state;
	for (size_t k = 0; k < sizeof encoders / sizeof encoders[0]; k++) {
		struct vrs_sink_options options = media_options(&format, encoders[k]);
		struct vrs_error err = {0};
		struct vrs_sink *sink;
		int most = 0;

		options.threads = 4;
		options.overwrite = true;
		assert_int_equal(vrs_sink_open(&sink, media_path("o.mkv"), &options, NULL, &err), VRS_OK);
		for (int i = 0; i < 30; i++) {
			uint8_t *block = malloc(128 * 64 * 2);
			struct vrs_frame frame = {.format = format, .pts = i * 40, .index = i, .owner = block, .unref = count_unref};

			memset(block, i * 3, 128 * 64 * 2);
			frame.data[0] = block;
			frame.data[1] = block + 128 * 64;
			frame.data[2] = block + 128 * 64 + 64 * 32;
			frame.stride_bytes[0] = 128;
			frame.stride_bytes[1] = frame.stride_bytes[2] = 64;
			live_frames++;
			if (i == 20)
				frame.format.width = 64; /* refused */
			assert_int_equal(vrs_sink_write(sink, &frame, &err), i == 20 ? VRS_EINVAL : VRS_OK);
			assert_null(frame.owner);
			most = live_frames > most ? live_frames : most;
		}
		if (most > 4) /* three held, and the one being written */
			fail_msg("%s held %d frames", encoders[k], most);
		assert_int_equal(vrs_sink_finish(sink, &err), VRS_OK);
		assert_int_equal(vrs_sink_finish(sink, &err), VRS_EINVAL);
		vrs_sink_close(sink);
		assert_int_equal(live_frames, 0);
	}
	media_files(true);
}

static void no_frames(void **state)
{
	struct vrs_picture_format format = media_format(128, 64, 3, 1, 1, 8);
	struct vrs_sink_options options = media_options(&format, "libx264");
	struct vrs_sink *sink;

	(void)state;
	assert_int_equal(vrs_sink_open(&sink, media_path("o.mp4"), &options, NULL, NULL), VRS_OK);
	assert_int_equal(vrs_sink_finish(sink, NULL), VRS_OK);
	vrs_sink_close(sink);
	vrs_sink_close(NULL);
	assert_int_equal(media_files(true), 1);
}

static void count_line(void *cookie, const char *text)
{
	int *found = cookie;

	found[0]++;
	found[1] += strncmp(text, "libx264 ", 8) == 0 && strstr(text, "[preset] [crf]");
	found[2] += strncmp(text, "ffv1 ", 5) == 0 && !strstr(text, "[crf]");
}

static void list_of_encoders(void **state)
{
	int found[3] = {0};

	(void)state;
	vrs_sink_list_encoders(count_line, found);
	assert_true(found[0] > 20);
	assert_int_equal(found[1], 1);
	assert_int_equal(found[2], 1);
	assert_true(vrs_sink_encoder_has("libx264", "crf") && vrs_sink_encoder_has("libx265", "preset"));
	assert_false(vrs_sink_encoder_has("ffv1", "crf") || vrs_sink_encoder_has("nothing", "crf") || vrs_sink_encoder_has("libx264", "veryfast"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(ffv1_is_lossless, start_empty),
		cmocka_unit_test_setup(mp4_keeps_everything, start_empty),
		cmocka_unit_test_setup(mkv_keeps_everything, start_empty),
		cmocka_unit_test_setup(early_end_cuts_the_audio, start_empty),
		cmocka_unit_test_setup(start_keeps_audio_in_sync, start_empty),
		cmocka_unit_test_setup(variable_rate_is_kept, start_empty),
		cmocka_unit_test_setup(last_frame_lasts, start_empty),
		cmocka_unit_test_setup(burst_after_pauses, start_empty),
		cmocka_unit_test_setup(stereo_kinds, start_empty),
		cmocka_unit_test_setup(encoder_by_container, start_empty),
		cmocka_unit_test_setup(opaque_is_opaque, start_empty),
		cmocka_unit_test_setup(encoders_and_losses, start_empty),
		cmocka_unit_test_setup(odd_sizes, start_empty),
		cmocka_unit_test_setup(refusals_name_the_reason, start_empty),
		cmocka_unit_test_setup(existing_output, start_empty),
		cmocka_unit_test_setup(output_made_meanwhile, start_empty),
		cmocka_unit_test_setup(refused_when_complete, start_empty),
		cmocka_unit_test_setup(input_is_never_the_output, start_empty),
		cmocka_unit_test_setup(full_disk, start_empty),
		cmocka_unit_test_setup(frame_ownership, start_empty),
		cmocka_unit_test_setup(no_frames, start_empty),
		cmocka_unit_test_setup(list_of_encoders, start_empty),
	};
	return cmocka_run_group_tests(tests, media_setup, media_teardown);
}
