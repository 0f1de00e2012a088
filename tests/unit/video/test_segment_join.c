/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the joining of segments: a read that fails in the rest of the audio is an error and no end, whatever the demuxer makes of it; segments of
 * few frames, anywhere, on a clock whose tick is a frame; an audio track that ends early does not bring the whole file into memory, and nothing of
 * the others is lost.
 */
#include "media.h"

#include <libavformat/avformat.h>

#include "video/av_reader.h"
#include "video/segment_join.h"
#include "video/source_kind.h"

#define FRAMES 60
#define PACKET 90
#define VR180 VRS_TEST_DIR "/data/person_vr180_sbs.mp4" /* has sound */

/* x265 loses some bytes when an encoder closes. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libx265\n";
}

static struct vrs_sink_options options_for(const struct vrs_source *source)
{
	const struct vrs_source_info *info = vrs_source_info(source);

	return (struct vrs_sink_options){.encoder = "libx264", .preset = "ultrafast", .crf = -1, .threads = 1, .format = info->format,
					 .fps_num = info->fps_num, .fps_den = info->fps_den, .time_base_num = info->time_base_num,
					 .time_base_den = info->time_base_den, .sar_num = 1, .sar_den = 1, .audio = true, .overwrite = true};
}

/* All of a source, as a segment or with its sound as a whole video. */
static void encode(const char *from, const char *to, bool segment)
{
	struct vrs_source *source = media_open(from);
	struct vrs_sink_options options = options_for(source);
	struct vrs_error err = {0};
	struct vrs_frame frame;
	struct vrs_sink *sink;

	options.segment_of = segment ? to : NULL;
	if (vrs_sink_open(&sink, to, &options, source, &err))
		fail_msg("%s", err.text);
	while (vrs_source_read(source, &frame, NULL) == VRS_OK)
		assert_int_equal(vrs_sink_write(sink, &frame, &err), VRS_OK);
	if (vrs_sink_finish(sink, &err))
		fail_msg("%s", err.text);
	vrs_sink_close(sink);
	vrs_source_close(source);
}

static int (*read_really)(void *opaque, uint8_t *buf, int size);
static const AVIOContext *broken;
static int64_t error_at;

/* Demuxers tell of an error in other ways, depending on what they were about to read. */
static int read_until_error(void *opaque, uint8_t *buf, int size)
{
	int64_t left = error_at - broken->pos;

	return left > 0 ? read_really(opaque, buf, size < left ? size : (int)left) : AVERROR(EIO);
}

/* Where a packet in the middle begins. */
static int64_t middle_of(const char *path)
{
	AVFormatContext *in = NULL;
	AVPacket *pkt = av_packet_alloc();
	int64_t place = 0;

	assert_true(avformat_open_input(&in, path, NULL, NULL) >= 0);
	for (int i = 0; i < PACKET; i++) {
		assert_true(av_read_frame(in, pkt) >= 0);
		place = pkt->pos;
		av_packet_unref(pkt);
	}
	avformat_close_input(&in);
	av_packet_free(&pkt);
	return place;
}

static enum vrs_status join_broken(const char *input, const char *part, const char *to, int64_t place, bool keep_partial, struct vrs_error *err)
{
	const struct vrs_source_options how = {.threads = 1, .copies = true, .keep_partial = keep_partial};
	struct vrs_segment_file segment = {.frames = FRAMES};
	struct vrs_source *source;
	enum vrs_status status;
	int bad = -1;

	snprintf(segment.path, sizeof segment.path, "%s", part);
	assert_int_equal(vrs_source_open(&source, input, &how, err), VRS_OK);
	struct vrs_sink_options options = options_for(source);

	broken = source->reader->demuxer->pb;
	error_at = place;
	read_really = source->reader->demuxer->pb->read_packet;
	source->reader->demuxer->pb->read_packet = read_until_error;
	status = vrs_segment_join(to, &options, source, &segment, 1, true, &bad, err);
	assert_int_equal(bad, -1); /* a segment is not to blame */
	vrs_source_close(source);
	return status;
}

static void errors_in_the_rest_of_the_audio(void **state)
{
	static const char *const names[] = {"in.mp4", "in.mkv", "in.mov", "in.ts", "in.avi", "in.flv"};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const char *input = media_path(names[i]), *part = media_path("part"), *to = media_path("out.mkv");
		struct vrs_error err = {0};

		encode(VR180, input, false);
		encode(input, part, true);
		int64_t middle = middle_of(input);

		for (int k = 0; k < 3; k++)
			if (join_broken(input, part, to, middle + 4 * k, false, &err) != VRS_EIO || !strstr(err.text, names[i]))
				fail_msg("%s: %s \"%s\"", names[i], vrs_status_name(err.status), err.text);
		assert_int_equal(media_files(false), 2);
		media_log_clear();
		if (join_broken(input, part, to, middle, true, &err))
			fail_msg("%s: %s", names[i], err.text);
		assert_non_null(strstr(media_log, "cannot read"));
		media_files(true);
	}
}

/* Frames first..first+count-1 of the pattern as a segment; its clock begins with it. */
static void write_segment(struct vrs_segment_file *file, const char *encoder, const char *path, int ticks, int first, int count)
{
	struct vrs_picture_format format = media_format(64, 48, 3, 1, 1, 8);
	struct vrs_sink_options options = media_options(&format, encoder);
	struct vrs_error err = {0};
	struct vrs_sink *sink;

	options.segment_of = path;
	options.overwrite = true;
	options.time_base_den = 25 * ticks;
	if (vrs_sink_open(&sink, path, &options, NULL, &err))
		fail_msg("%s", err.text);
	for (int i = 0; i < count; i++) {
		struct vrs_frame frame = media_frame(&format, first + i, i * ticks);

		assert_int_equal(vrs_sink_write(sink, &frame, &err), VRS_OK);
	}
	if (vrs_sink_finish(sink, &err))
		fail_msg("%s", err.text);
	vrs_sink_close(sink);
	*file = (struct vrs_segment_file){.frames = count, .first_pts = first * ticks};
	snprintf(file->path, sizeof file->path, "%s", path);
}

/* The pattern's index of a picture after lossy coding: the one nearby that differs least. */
static int recognise(const struct vrs_frame *frame, int near)
{
	int best = -1, least = 1 << 30;

	for (int i = near - 3; i <= near + 3; i++) {
		int sum = 0;

		for (int y = 0; y < frame->format.height; y++)
			for (int x = 0; x < frame->format.width; x++)
				sum += abs((int)media_at(frame, 0, x, y) - (int)media_sample(0, x, y, i, 8));
		if (sum < least) {
			least = sum;
			best = i;
		}
	}
	return best;
}

/* All frames of the pattern, in order and at their times. */
static void check_joined(const char *path, int frames)
{
	struct vrs_source *source = media_open(path);
	const struct vrs_source_info *info = vrs_source_info(source);
	struct vrs_frame frame;
	int n = 0;

	while (vrs_source_read(source, &frame, NULL) == VRS_OK) {
		double at = (double)frame.pts * info->time_base_num / info->time_base_den * 25;

		if (recognise(&frame, n) != n || at < n - 0.1 || at > n + 0.1)
			fail_msg("%s: frame %d is %d, at %g", path, n, recognise(&frame, n), at);
		vrs_frame_unref(&frame);
		n++;
	}
	assert_int_equal(n, frames);
	vrs_source_close(source);
}

/*
 * Encoders give the first packets of a video decoding times before its first picture, as far as later B frames need; a segment of few frames ends
 * before that, and the next one's would then lie before its end.
 */
static void segments_of_few_frames(void **state)
{
	static const char *const encoders[] = {"libx264", "libx265", "mpeg4"}, *const names[] = {"out.mp4", "out.mkv", "out.mov"};
	const struct vrs_picture_format format = media_format(64, 48, 3, 1, 1, 8);

	(void)state;
	for (int i = 0; i < 3 * 2 * 3; i++) {
		const int lengths[] = {1 + i % 3, 20, 2, 1, 1, 9, 1}, ticks = 1 + i / 3 % 2;
		const char *encoder = encoders[i / 6];
		struct vrs_sink_options options = media_options(&format, encoder);
		struct vrs_segment_file files[7];
		struct vrs_error err = {0};
		int frames = 0, bad = -1;

		options.time_base_den = 25 * ticks;
		options.overwrite = true;
		for (int k = 0; k < 7; k++) {
			char name[] = "a";

			name[0] = (char)(name[0] + k);
			write_segment(&files[k], encoder, media_path(name), ticks, frames, lengths[k]);
			frames += lengths[k];
		}
		const char *to = media_path(names[i % 3]);

		if (vrs_segment_join(to, &options, NULL, files, 7, true, &bad, &err))
			fail_msg("%s, %d frames, %d ticks, into %s: segment %d: %s", encoder, lengths[0], ticks, to, bad, err.text);
		check_joined(to, frames);
	}
	media_files(true);
}

/* Neither of them is damaged: making one again would not help. */
static void segments_of_two_encoders(void **state)
{
	const struct vrs_picture_format format = media_format(64, 48, 3, 1, 1, 8);
	struct vrs_sink_options options = media_options(&format, "libx264");
	struct vrs_segment_file files[2];
	struct vrs_error err = {0};
	int bad = -1;

	(void)state;
	options.overwrite = true;
	write_segment(&files[0], "libx264", media_path("a"), 1, 0, 4);
	write_segment(&files[1], "mpeg4", media_path("b"), 1, 4, 4);
	assert_int_equal(vrs_segment_join(media_path("out.mkv"), &options, NULL, files, 2, true, &bad, &err), VRS_ECONFIG);
	assert_int_equal(bad, -1);
	assert_non_null(strstr(err.text, "encoded in another way than the first one; --no-resume starts anew"));
	media_files(true);
}

#define LONG_FRAMES 500
#define SAMPLES 1024
#define SAMPLE_BYTES 4
#define SMALL_RELAY (UINT64_C(1) << 20) /* five seconds of PCM */

/* A silent video and PCM of so many packets a track. */
static void add_sound(const char *from, const char *to, const int packets[2])
{
	AVFormatContext *in = NULL, *out = NULL;
	AVPacket *pkt = av_packet_alloc();
	int written[2] = {0, 0};

	assert_true(avformat_open_input(&in, from, NULL, NULL) >= 0);
	assert_true(avformat_alloc_output_context2(&out, NULL, NULL, to) >= 0);
	for (int i = 0; i < 3; i++) {
		AVStream *stream = avformat_new_stream(out, NULL);

		stream->time_base = (AVRational){1, 48000};
		if (i == 0) {
			assert_true(avcodec_parameters_copy(stream->codecpar, in->streams[0]->codecpar) >= 0);
			stream->codecpar->codec_tag = 0;
			continue;
		}
		stream->codecpar->codec_type = AVMEDIA_TYPE_AUDIO;
		stream->codecpar->codec_id = AV_CODEC_ID_PCM_S16LE;
		stream->codecpar->sample_rate = 48000;
		stream->codecpar->bits_per_coded_sample = 16;
		stream->codecpar->block_align = SAMPLE_BYTES;
		av_channel_layout_default(&stream->codecpar->ch_layout, 2);
	}
	assert_true(avio_open(&out->pb, to, AVIO_FLAG_WRITE) >= 0);
	assert_true(avformat_write_header(out, NULL) >= 0);
	while (av_read_frame(in, pkt) >= 0) {
		int64_t samples = av_rescale_q(pkt->pts, in->streams[0]->time_base, (AVRational){1, 48000});

		av_packet_rescale_ts(pkt, in->streams[0]->time_base, out->streams[0]->time_base);
		assert_true(av_interleaved_write_frame(out, pkt) >= 0);
		for (int i = 0; i < 2; i++)
			while (written[i] < packets[i] && (int64_t)written[i] * SAMPLES <= samples) {
				assert_true(av_new_packet(pkt, SAMPLES * SAMPLE_BYTES) >= 0);
				memset(pkt->data, 0, (size_t)pkt->size);
				pkt->stream_index = 1 + i;
				pkt->pts = pkt->dts = av_rescale_q((int64_t)written[i]++ * SAMPLES, (AVRational){1, 48000}, out->streams[1 + i]->time_base);
				pkt->duration = av_rescale_q(SAMPLES, (AVRational){1, 48000}, out->streams[1 + i]->time_base);
				assert_true(av_interleaved_write_frame(out, pkt) >= 0);
			}
	}
	assert_true(av_write_trailer(out) >= 0);
	avio_closep(&out->pb);
	avformat_free_context(out);
	avformat_close_input(&in);
	av_packet_free(&pkt);
}

/* Packets of each stream. */
static void count_packets(const char *path, int ret[3])
{
	AVFormatContext *in = NULL;
	AVPacket *pkt = av_packet_alloc();

	memset(ret, 0, 3 * sizeof *ret);
	assert_true(avformat_open_input(&in, path, NULL, NULL) >= 0);
	while (av_read_frame(in, pkt) >= 0) {
		ret[pkt->stream_index]++;
		av_packet_unref(pkt);
	}
	avformat_close_input(&in);
	av_packet_free(&pkt);
}

static void join_with_small_relay(const char *input, const char *part, const char *to, bool whole)
{
	static const bool candidates[3] = {false, true, true};
	struct vrs_segment_file segment = {.frames = LONG_FRAMES};
	struct vrs_source *source = media_open(input);
	struct vrs_sink_options options = options_for(source);
	struct vrs_error err = {0};

	snprintf(segment.path, sizeof segment.path, "%s", part);
	struct vrs_packet_relay *large = source->reader->relay;
	AVPacket *pkt = av_packet_alloc();

	assert_int_equal(vrs_packet_relay_create(&source->reader->relay, candidates, 3, SMALL_RELAY), VRS_OK);
	for (int i = 1; i < 3; i++)
		while (vrs_packet_relay_take(large, i, INT64_MAX, pkt, NULL))
			assert_int_equal(vrs_packet_relay_put(source->reader->relay, pkt), VRS_OK);
	av_packet_free(&pkt);
	vrs_packet_relay_destroy(large);
	if (vrs_segment_join(to, &options, source, &segment, 1, whole, NULL, &err))
		fail_msg("%s", err.text);
	vrs_source_close(source);
}

static void a_track_that_ends_early(void **state)
{
	static const int shares[][2] = {{900, 900}, {900, 100}, {100, 900}, {900, 1}};
	struct vrs_picture_format format = media_format(64, 64, 3, 1, 1, 8);
	struct vrs_sink_options options = media_options(&format, "libx264");

	(void)state;
	options.preset = "ultrafast";
	media_write(media_path("silent.mp4"), &options, LONG_FRAMES);
	encode(media_path("silent.mp4"), media_path("part"), true);
	for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
		for (int whole = 0; whole < 2; whole++) {
			int before[3], after[3];

			media_log_clear();
			add_sound(media_path("silent.mp4"), media_path("in.mkv"), shares[i]);
			count_packets(media_path("in.mkv"), before);
			assert_int_equal(before[1], shares[i][0]);
			join_with_small_relay(media_path("in.mkv"), media_path("part"), media_path("out.mkv"), whole);
			count_packets(media_path("out.mkv"), after);
			if (after[0] != LONG_FRAMES || before[1] != after[1] || before[2] != after[2])
				fail_msg("%d and %d packets became %d and %d", before[1], before[2], after[1], after[2]);
			assert_int_equal(media_log_count(VRS_LOG_WARNING), 0);
		}
	media_files(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_in_the_rest_of_the_audio),
		cmocka_unit_test(segments_of_few_frames),
		cmocka_unit_test(segments_of_two_encoders),
		cmocka_unit_test(a_track_that_ends_early),
	};
	return cmocka_run_group_tests(tests, media_setup, media_teardown);
}
