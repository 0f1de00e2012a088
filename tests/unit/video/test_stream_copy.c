/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards what is copied beside the video: nothing is lost, however much lies before the first picture.
 */
#include "media.h"

#include <math.h>

#include <libavformat/avformat.h>

#define FRAMES 250 /* ten seconds */
#define RATE 48000
#define SAMPLE_BYTES 4
#define MOST_PACKETS 1000

static int start_empty(void **state)
{
	(void)state;
	media_files(true);
	return 0;
}

/* Packets of one stream: where they begin, in seconds. */
struct track {
	enum AVCodecID codec;
	int count;
	double times[MOST_PACKETS], duration;
	int bytes; /* of a packet */
};

static void add_track(AVFormatContext *out, const struct track *track)
{
	AVStream *stream = avformat_new_stream(out, NULL);

	stream->codecpar->codec_id = track->codec;
	stream->codecpar->codec_type = avcodec_get_type(track->codec);
	stream->time_base = (AVRational){1, RATE};
	if (stream->codecpar->codec_type != AVMEDIA_TYPE_AUDIO)
		return;
	stream->codecpar->sample_rate = RATE;
	stream->codecpar->bits_per_coded_sample = 16;
	stream->codecpar->block_align = SAMPLE_BYTES;
	av_channel_layout_default(&stream->codecpar->ch_layout, 2);
}

static void write_track_packet(AVFormatContext *out, int index, const struct track *track, double time)
{
	AVPacket *pkt = av_packet_alloc();

	assert_true(av_new_packet(pkt, track->bytes) >= 0);
	memset(pkt->data, 0, (size_t)pkt->size);
	pkt->stream_index = index;
	pkt->pts = pkt->dts = llround(time / av_q2d(out->streams[index]->time_base));
	pkt->duration = llround(track->duration / av_q2d(out->streams[index]->time_base));
	pkt->flags |= AV_PKT_FLAG_KEY;
	assert_true(av_write_frame(out, pkt) >= 0);
	av_packet_free(&pkt);
}

/* The pictures of `video` with tracks whose packets come `ahead` seconds early in the file. */
static void write_file(const char *video, const char *to, const struct track *tracks, int count, double ahead)
{
	AVFormatContext *in = NULL, *out = NULL;
	AVPacket *pkt = av_packet_alloc();
	int written[4] = {0};
	AVStream *stream;

	assert_true(avformat_open_input(&in, video, NULL, NULL) >= 0);
	assert_true(avformat_alloc_output_context2(&out, NULL, NULL, to) >= 0);
	stream = avformat_new_stream(out, NULL);
	assert_true(avcodec_parameters_copy(stream->codecpar, in->streams[0]->codecpar) >= 0);
	stream->codecpar->codec_tag = 0;
	for (int i = 0; i < count; i++)
		add_track(out, &tracks[i]);
	assert_true(avio_open(&out->pb, to, AVIO_FLAG_WRITE) >= 0);
	assert_true(avformat_write_header(out, NULL) >= 0);
	for (bool more = true; more;) {
		more = av_read_frame(in, pkt) >= 0;
		double now = more ? (double)pkt->dts * av_q2d(in->streams[0]->time_base) : 1e9;

		for (int i = 0; i < count; i++)
			while (written[i] < tracks[i].count && tracks[i].times[written[i]] - ahead <= now)
				write_track_packet(out, 1 + i, &tracks[i], tracks[i].times[written[i]++]);
		if (!more)
			break;
		av_packet_rescale_ts(pkt, in->streams[0]->time_base, stream->time_base);
		pkt->stream_index = 0;
		assert_true(av_write_frame(out, pkt) >= 0);
		av_packet_unref(pkt);
	}
	assert_true(av_write_trailer(out) >= 0);
	avio_closep(&out->pb);
	avformat_free_context(out);
	avformat_close_input(&in);
	av_packet_free(&pkt);
}

/* Packets of a stream of a file, and where they begin. */
static struct track read_track(const char *path, int index)
{
	AVFormatContext *in = NULL;
	AVPacket *pkt = av_packet_alloc();
	struct track ret = {0};

	assert_true(avformat_open_input(&in, path, NULL, NULL) >= 0);
	while (av_read_frame(in, pkt) >= 0) {
		if (pkt->stream_index == index && ret.count < MOST_PACKETS)
			ret.times[ret.count++] = (double)pkt->pts * av_q2d(in->streams[index]->time_base);
		av_packet_unref(pkt);
	}
	avformat_close_input(&in);
	av_packet_free(&pkt);
	return ret;
}

static void make_video(const char *path, int frames)
{
	struct vrs_picture_format format = media_format(64, 64, 3, 1, 1, 8);
	struct vrs_sink_options options = media_options(&format, "libx264");

	options.preset = "ultrafast";
	media_write(path, &options, frames);
}

static void transcode(const char *from, const char *to)
{
	struct vrs_source *source = media_open(from);
	const struct vrs_source_info *info = vrs_source_info(source);
	struct vrs_sink_options options = {.encoder = "libx264", .preset = "ultrafast", .crf = -1, .threads = 1, .format = info->format,
					   .fps_num = info->fps_num, .fps_den = info->fps_den, .time_base_num = info->time_base_num,
					   .time_base_den = info->time_base_den, .sar_num = 1, .sar_den = 1, .audio = true, .overwrite = true};
	struct vrs_error err = {0};
	struct vrs_frame frame;
	struct vrs_sink *sink;

	if (vrs_sink_open(&sink, to, &options, source, &err))
		fail_msg("%s", err.text);
	while (vrs_source_read(source, &frame, NULL) == VRS_OK)
		assert_int_equal(vrs_sink_write(sink, &frame, &err), VRS_OK);
	if (vrs_sink_finish(sink, &err))
		fail_msg("%s", err.text);
	vrs_sink_close(sink);
	vrs_source_close(source);
}

static void assert_same_times(const struct track *before, const struct track *after)
{
	if (before->count != after->count)
		fail_msg("%d packets became %d", before->count, after->count);
	for (int i = 0; i < before->count; i++)
		if (after->times[i] < before->times[i] - 0.0015 || after->times[i] > before->times[i] + 0.0015)
			fail_msg("packet %d was at %g, and is at %g", i, before->times[i], after->times[i]);
}

static void much_before_the_first_picture(void **state)
{
	static struct track sound = {.codec = AV_CODEC_ID_PCM_S16LE, .count = 480, .bytes = 20000}; /* 9.6 MB */
	struct track before, after;

	(void)state;
	sound.duration = sound.bytes / SAMPLE_BYTES / (double)RATE;
	for (int i = 0; i < sound.count; i++)
		sound.times[i] = sound.duration * i;
	make_video(media_path("silent.mp4"), FRAMES);
	write_file(media_path("silent.mp4"), media_path("in.mkv"), &sound, 1, 1000);
	media_log_clear();
	transcode(media_path("in.mkv"), media_path("out.mkv"));
	before = read_track(media_path("in.mkv"), 1);
	after = read_track(media_path("out.mkv"), 1);
	assert_int_equal(before.count, sound.count);
	assert_same_times(&before, &after);
	assert_int_equal(media_log_count(VRS_LOG_WARNING), 0);
	media_files(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(much_before_the_first_picture, start_empty),
	};
	return cmocka_run_group_tests(tests, media_setup, media_teardown);
}
