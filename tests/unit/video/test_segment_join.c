/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the joining of segments: a read that fails in the rest of the audio is an error and no end, whatever the demuxer makes of it; segments of
 * few frames, anywhere, on a clock whose tick is a frame.
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

	options.segment = segment;
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
	const struct vrs_source_options how = {.threads = 1, .keep_partial = keep_partial};
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

	options.segment = true;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_in_the_rest_of_the_audio),
		cmocka_unit_test(segments_of_few_frames),
	};
	return cmocka_run_group_tests(tests, media_setup, media_teardown);
}
