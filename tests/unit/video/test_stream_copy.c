/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards what is copied beside the video: nothing is lost, however much lies before the first picture; pauses of one stream of an MPEG-TS stay (the
 * three subtitles of a minute were moved to its beginning), and where its clock jumps, all streams keep their distance.  Audio that a muxer refuses
 * as damaged (a datagram was lost) is left out, with one warning and a count; all else of the recording is kept.  Audio of other programs than that
 * of the video is not copied.  Where memory for a packet fails, that is an error, and not the end of the video.  After a stop, what was encoded is
 * saved, with its audio: also where that is over long before and the rest of the file lies on a slow disk, which read() is here.
 */
#include "media.h"

#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/opt.h>
#include <libavutil/samplefmt.h>

#include "base/clock.h"
#include "base/stop.h"

#define FRAMES 250 /* ten seconds */
#define RATE 48000
#define SAMPLE_BYTES 4
#define MOST_PACKETS 3000
#define LONG_FRAMES 1250
#define STOP_FRAMES 100 /* that are encoded before a stop */
#define SLOW_READ 4096
#define ADTS_HEADER 7

typedef ssize_t read_function(int fd, void *to, size_t size);

static const char *slow_path; /* NULL: none */
static uint64_t slow_ns;      /* for SLOW_READ bytes of it */
static off_t slow_read;       /* bytes that were read of it */
static bool two_programs;     /* of what write_file writes: the first has both tracks, and the second the video and the last of them */

/* Instead of the C library's. */
ssize_t read(int fd, void *to, size_t size)
{
	static read_function *next;
	struct stat file, slow;
	if (!next) {
		void *symbol = dlsym(RTLD_NEXT, "read");
		memcpy(&next, &symbol, sizeof next);
	}
	if (!slow_path || fstat(fd, &file) != 0 || stat(slow_path, &slow) != 0 || file.st_ino != slow.st_ino || file.st_dev != slow.st_dev)
		return next(fd, to, size);
	vrs_sleep_until_ns(vrs_now_ns() + slow_ns);
	ssize_t got = next(fd, to, size < SLOW_READ ? size : SLOW_READ);
	slow_read += got > 0 ? got : 0;
	return got;
}

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
	uint8_t data[2000]; /* what each begins with */
};

/* A silent packet. */
static void fill_silence(struct track *track, enum AVCodecID codec, enum AVSampleFormat format)
{
	AVCodecContext *context = avcodec_alloc_context3(avcodec_find_encoder(codec));
	AVFrame *frame = av_frame_alloc();
	AVPacket *pkt = av_packet_alloc();

	context->sample_rate = RATE;
	context->sample_fmt = format;
	av_channel_layout_default(&context->ch_layout, 2);
	assert_int_equal(avcodec_open2(context, NULL, NULL), 0);
	frame->nb_samples = context->frame_size;
	frame->format = format;
	assert_int_equal(av_channel_layout_copy(&frame->ch_layout, &context->ch_layout), 0);
	assert_int_equal(av_frame_get_buffer(frame, 0), 0);
	assert_true(av_samples_set_silence(frame->data, 0, frame->nb_samples, 2, format) >= 0);
	while (avcodec_receive_packet(context, pkt) != 0)
		assert_int_equal(avcodec_send_frame(context, frame), 0);
	track->codec = codec;
	track->bytes = pkt->size;
	track->duration = (double)frame->nb_samples / RATE;
	assert_in_range(pkt->size, 1, sizeof track->data);
	memcpy(track->data, pkt->data, (size_t)pkt->size);
	av_packet_free(&pkt);
	av_frame_free(&frame);
	avcodec_free_context(&context);
}

static void fill_sound(struct track *track)
{
	fill_silence(track, AV_CODEC_ID_MP2, AV_SAMPLE_FMT_S16);
}

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
	memcpy(pkt->data, track->data, sizeof track->data < (size_t)pkt->size ? sizeof track->data : (size_t)pkt->size);
	pkt->stream_index = index;
	pkt->pts = pkt->dts = llround(time / av_q2d(out->streams[index]->time_base));
	pkt->duration = llround(track->duration / av_q2d(out->streams[index]->time_base));
	pkt->flags |= AV_PKT_FLAG_KEY;
	assert_true(av_write_frame(out, pkt) >= 0);
	av_packet_free(&pkt);
}

/* The end of a copy of packets. */
static void close_copy(AVFormatContext *in, AVFormatContext *out, AVPacket *pkt)
{
	assert_true(av_write_trailer(out) >= 0);
	avio_closep(&out->pb);
	avformat_free_context(out);
	avformat_close_input(&in);
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
	for (unsigned i = 0; two_programs && i < 4; i++) {
		static const unsigned streams[] = {1, 2, 0, 2};

		assert_non_null(av_new_program(out, (int)i / 2 + 1));
		av_program_add_stream_index(out, (int)i / 2 + 1, streams[i]);
	}
	assert_true(avio_open(&out->pb, to, AVIO_FLAG_WRITE) >= 0);
	(void)av_opt_set(out->priv_data, "pes_payload_size", "0", 0); /* MPEG-TS: a time stamp for each packet */
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
	close_copy(in, out, pkt);
}

/* A copy whose clock is a quarter of an hour ahead. */
static void write_late(const char *from, const char *to)
{
	AVFormatContext *in = NULL, *out = NULL;
	AVPacket *pkt = av_packet_alloc();

	assert_true(avformat_open_input(&in, from, NULL, NULL) >= 0);
	assert_true(avformat_find_stream_info(in, NULL) >= 0);
	assert_true(avformat_alloc_output_context2(&out, NULL, NULL, to) >= 0);
	for (unsigned i = 0; i < in->nb_streams; i++)
		assert_true(avcodec_parameters_copy(avformat_new_stream(out, NULL)->codecpar, in->streams[i]->codecpar) >= 0);
	assert_true(avio_open(&out->pb, to, AVIO_FLAG_WRITE) >= 0);
	(void)av_opt_set(out->priv_data, "pes_payload_size", "0", 0);
	assert_true(avformat_write_header(out, NULL) >= 0);
	while (av_read_frame(in, pkt) >= 0) {
		pkt->pts += INT64_C(900) * 90000;
		pkt->dts += INT64_C(900) * 90000;
		assert_true(av_write_frame(out, pkt) >= 0);
		av_packet_unref(pkt);
	}
	close_copy(in, out, pkt);
}

/* Packets of a stream of a file, and where they begin, counted from the first of the video. */
static struct track read_track(const char *path, int index)
{
	AVFormatContext *in = NULL;
	AVPacket *pkt = av_packet_alloc();
	struct track ret = {0};
	double first = NAN;

	assert_true(avformat_open_input(&in, path, NULL, NULL) >= 0);
	while (av_read_frame(in, pkt) >= 0) {
		if (pkt->stream_index == index && ret.count < MOST_PACKETS)
			ret.times[ret.count++] = (double)pkt->pts * av_q2d(in->streams[index]->time_base);
		if (pkt->stream_index == 0 && isnan(first))
			first = (double)pkt->pts * av_q2d(in->streams[0]->time_base);
		av_packet_unref(pkt);
	}
	for (int i = 0; i < ret.count; i++)
		ret.times[i] -= first;
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

typedef AVPacket *packet_alloc_function(void);

static int allocs, failing_alloc; /* of this program, from the opened sink on; the one that fails, 0: none */

static bool is_own(void *address)
{
	Dl_info caller, own;

	return dladdr(address, &caller) && dladdr(media_dir, &own) && caller.dli_fbase == own.dli_fbase;
}

/* Instead of FFmpeg's. */
AVPacket *av_packet_alloc(void)
{
	static packet_alloc_function *next;

	if (!next) {
		void *symbol = dlsym(RTLD_NEXT, "av_packet_alloc");

		memcpy(&next, &symbol, sizeof next);
	}
	if (is_own(__builtin_return_address(0)) && ++allocs == failing_alloc)
		return NULL;
	return next();
}

static struct vrs_sink *open_copy(const char *to, struct vrs_source *source)
{
	const struct vrs_source_info *info = vrs_source_info(source);
	struct vrs_sink_options options = {.encoder = "libx264", .preset = "ultrafast", .crf = -1, .threads = 1, .format = info->format,
					   .fps_num = info->fps_num, .fps_den = info->fps_den, .time_base_num = info->time_base_num,
					   .time_base_den = info->time_base_den, .sar_num = 1, .sar_den = 1, .audio = true, .overwrite = true};
	struct vrs_error err = {0};
	struct vrs_sink *sink;

	if (vrs_sink_open(&sink, to, &options, source, &err))
		fail_msg("%s", err.text);
	return sink;
}

/* The first failure; an allocation that fails, 0: none. */
static enum vrs_status try_transcode(const char *from, const char *to, int fails, struct vrs_error *err)
{
	struct vrs_source *source = media_open(from);
	struct vrs_sink *sink = open_copy(to, source);
	enum vrs_status status;
	struct vrs_frame frame;

	allocs = 0;
	failing_alloc = fails;
	while ((status = vrs_source_read(source, &frame, err)) == VRS_OK && (status = vrs_sink_write(sink, &frame, err)) == VRS_OK)
		;
	if (status == VRS_END)
		status = vrs_sink_finish(sink, err);
	failing_alloc = 0;
	vrs_sink_close(sink);
	vrs_source_close(source);
	return status;
}

static void transcode(const char *from, const char *to)
{
	struct vrs_error err = {0};

	if (try_transcode(from, to, 0, &err) != VRS_OK)
		fail_msg("%s", err.text);
}

static void assert_same_times(const struct track *before, const struct track *after)
{
	if (before->count != after->count)
		fail_msg("%d packets became %d", before->count, after->count);
	for (int i = 0; i < before->count; i++)
		if (after->times[i] < before->times[i] - 0.0015 || after->times[i] > before->times[i] + 0.0015)
			fail_msg("packet %d was at %g, and is at %g", i, before->times[i], after->times[i]);
}

/* A subtitle that shows nothing. */
static const struct track subtitles = {.codec = AV_CODEC_ID_DVB_SUBTITLE, .count = 3, .times = {1, 20, 45}, .duration = 1, .bytes = 6,
				       .data = {0x0f, 0x80, 0, 1, 0, 0}};

/* Sound of so many seconds, but for a pause. */
static void fill_times(struct track *track, double length, double pause_begin, double pause_end)
{
	fill_sound(track);
	track->count = 0;
	for (double time = 0; time < length; time += track->duration)
		if (time < pause_begin || time >= pause_end)
			track->times[track->count++] = time;
}

static void pauses_stay(void **state)
{
	static const double pauses[][2] = {{60, 60}, {10, 25}, {0.5, 16}, {2, 49}};
	static struct track tracks[2], before, after;

	(void)state;
	tracks[1] = subtitles;
	make_video(media_path("silent.mp4"), LONG_FRAMES);
	for (size_t i = 0; i < sizeof pauses / sizeof pauses[0]; i++) {
		fill_times(&tracks[0], 50, pauses[i][0], pauses[i][1]);
		write_file(media_path("silent.mp4"), media_path("in.ts"), tracks, 2, 0.3);
		transcode(media_path("in.ts"), media_path("out.mkv"));
		for (int k = 1; k < 3; k++) {
			before = read_track(media_path("in.ts"), k);
			after = read_track(media_path("out.mkv"), k);
			assert_int_equal(before.count, tracks[k - 1].count);
			assert_same_times(&before, &after);
		}
	}
	media_files(true);
}

static void append(const char *from, const char *to)
{
	static char bytes[1 << 16];
	FILE *in = fopen(from, "rb"), *out = fopen(to, "ab");
	size_t got;

	assert_non_null(in);
	assert_non_null(out);
	while ((got = fread(bytes, 1, sizeof bytes, in)) > 0)
		assert_int_equal(fwrite(bytes, 1, got, out), got);
	(void)fclose(in);
	assert_int_equal(fclose(out), 0);
}

/* The same recording three times, one after the other, the last time in another place of the clock. */
static void check_jumps(int frames)
{
	static const char *const names[] = {"one.ts", "one.ts", "late.ts"};
	static struct track tracks[2], video, one, all;
	double length = frames / 25.0;

	tracks[1] = subtitles;
	tracks[1].count = 1;
	fill_times(&tracks[0], length, 60, 60);
	make_video(media_path("silent.mp4"), frames);
	write_file(media_path("silent.mp4"), media_path("one.ts"), tracks, 2, 0.3);
	write_late(media_path("one.ts"), media_path("late.ts"));
	for (int i = 0; i < 3; i++)
		append(media_path(names[i]), media_path("in.ts"));
	transcode(media_path("in.ts"), media_path("out.mkv"));
	video = read_track(media_path("out.mkv"), 0);
	assert_int_equal(video.count, 3 * frames);
	for (int k = 1; k < 3; k++) {
		one = read_track(media_path("one.ts"), k);
		all = read_track(media_path("out.mkv"), k);
		assert_int_equal(all.count, 3 * one.count);
		for (int i = 0; i < all.count; i++) {
			double expected = one.times[i % one.count] + length * (i / one.count);

			if (fabs(all.times[i] - expected) > 0.1)
				fail_msg("stream %d, packet %d of %d: at %g, not %g", k, i, one.count, all.times[i], expected);
		}
	}
	media_files(true);
}

static void jumps_move_all_streams(void **state)
{
	(void)state;
	check_jumps(2 * FRAMES);
	check_jumps(FRAMES + 15); /* hardly more than is taken for a jump */
}

static void other_programs_stay_away(void **state)
{
	static struct track tracks[2], copied;

	(void)state;
	fill_times(&tracks[0], 8, 2, 3);
	fill_times(&tracks[1], 10, 60, 60);
	make_video(media_path("silent.mp4"), FRAMES);
	two_programs = true;
	write_file(media_path("silent.mp4"), media_path("in.ts"), tracks, 2, 0.3);
	two_programs = false;
	media_log_clear();
	transcode(media_path("in.ts"), media_path("out.mkv"));
	copied = read_track(media_path("out.mkv"), 1);
	assert_same_times(&tracks[1], &copied);
	assert_int_equal(read_track(media_path("out.mkv"), 2).count, 0);
	assert_int_equal(media_log_count(VRS_LOG_WARNING), 0);
	media_files(true);
}

/* AAC with headers of its own, as in MPEG-TS; muxers of .mkv and .mp4 take the headers away. */
static void fill_adts(struct track *track, double length)
{
	*track = (struct track){0};
	fill_silence(track, AV_CODEC_ID_AAC, AV_SAMPLE_FMT_FLTP);
	memmove(track->data + ADTS_HEADER, track->data, (size_t)track->bytes);
	track->bytes += ADTS_HEADER;
	const uint8_t header[ADTS_HEADER] = {0xff, 0xf1, 0x4c, 0x80, (uint8_t)(track->bytes >> 3), (uint8_t)((track->bytes & 7) << 5 | 0x1f), 0xfc};
	memcpy(track->data, header, sizeof header);
	for (double time = 0; time < length; time += track->duration)
		track->times[track->count++] = time;
}

/* Zeros over the headers of so many packets, far from one another. */
static void damage_adts(const char *path, const struct track *track, int count)
{
	struct vrs_buf file = {0};
	int found = 0;

	assert_int_equal(vrs_file_read(path, 1 << 24, &file, NULL), VRS_OK);
	for (char *at = file.data; (at = memmem(at, file.len - (size_t)(at - file.data), track->data, ADTS_HEADER)); at++, found++)
		if (found % 100 == 50 && found / 100 < count)
			memset(at, 0, ADTS_HEADER);
	assert_int_equal(found, track->count);
	assert_int_equal(vrs_file_replace(path, file.data, file.len, NULL), VRS_OK);
	vrs_buf_fini(&file);
}

static void check_damaged_audio(const char *name, int damaged)
{
	static struct track sound, after;

	fill_adts(&sound, FRAMES / 25.0);
	make_video(media_path("silent.mp4"), FRAMES);
	write_file(media_path("silent.mp4"), media_path("in.ts"), &sound, 1, 0.3);
	damage_adts(media_path("in.ts"), &sound, damaged);
	media_log_clear();
	transcode(media_path("in.ts"), media_path(name));
	assert_int_equal(read_track(media_path(name), 0).count, FRAMES);
	after = read_track(media_path(name), 1);
	assert_int_equal(after.count, sound.count - damaged);
	assert_in_range(lround(after.times[after.count - 1] * 1000), lround(sound.times[sound.count - 1] * 1000) - 2, INT_MAX); /* to the end */
	assert_non_null(strstr(media_log, "damaged audio after frame"));
	assert_int_equal(media_log_count(VRS_LOG_WARNING), damaged > 1 ? 2 : 1);
	assert_int_equal(strstr(media_log, "packets of audio and subtitles are left out in all") != NULL, damaged > 1);
	media_files(true);
}

static void damaged_audio_is_left_out(void **state)
{
	(void)state;
	check_damaged_audio("out.mkv", 1);
	check_damaged_audio("out.mp4", 1);
	check_damaged_audio("out.mov", 4);
}

/* Each allocation of a packet fails once: the job fails, or makes what it makes otherwise. */
static int check_memory(void)
{
	static struct track before[2], after;
	int failed = 0, total;

	transcode(media_path("in.ts"), media_path("out.mkv"));
	total = allocs;
	for (int k = 0; k < 2; k++)
		before[k] = read_track(media_path("out.mkv"), k);
	for (int i = 1; i <= total; i++) {
		struct vrs_error err = {0};
		enum vrs_status status = try_transcode(media_path("in.ts"), media_path("out.mkv"), i, &err);

		failed += status == VRS_ENOMEM;
		for (int k = 0; k < 2 && status == VRS_OK; k++) {
			after = read_track(media_path("out.mkv"), k);
			assert_same_times(&before[k], &after);
		}
		if (status != VRS_OK && status != VRS_ENOMEM)
			fail_msg("allocation %d: %s", i, err.text);
	}
	return failed;
}

static void no_memory_is_no_end(void **state)
{
	enum { FEW = 15 };
	static struct track sound;
	int count;

	(void)state;
	fill_times(&sound, FEW / 25.0, 60, 60);
	make_video(media_path("silent.mp4"), FEW);
	write_file(media_path("silent.mp4"), media_path("one.ts"), &sound, 1, 0.3);
	write_late(media_path("one.ts"), media_path("late.ts"));
	append(media_path("one.ts"), media_path("in.ts"));
	append(media_path("late.ts"), media_path("in.ts"));
	count = check_memory();
	assert_true(count > 2 * sound.count); /* each is put into the relay, and some wait for the clock */
	for (int i = sound.count / 2; i < sound.count; i++) /* these wait to the end */
		sound.times[i] += 500;
	write_file(media_path("silent.mp4"), media_path("in.ts"), &sound, 1, 0.3);
	assert_true(check_memory() > sound.count);
	media_files(true);
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

/* As a job does that is asked to stop in the middle; seconds: that reading the rest takes. 42: what was encoded is saved. */
static int stop_in_the_middle(const char *from, const char *to, bool asked, double seconds)
{
	struct vrs_source *source = media_open(from);
	struct vrs_sink *sink = open_copy(to, source);
	struct vrs_frame frame;
	struct stat st;
	bool done = stat(from, &st) == 0;

	vrs_stop_install();
	vrs_stop_hold();
	for (int i = 0; done && i < STOP_FRAMES; i++)
		done = vrs_source_read(source, &frame, NULL) == VRS_OK && vrs_sink_write(sink, &frame, NULL) == VRS_OK;
	slow_ns = (uint64_t)(seconds * 1e9 * SLOW_READ / (double)st.st_size);
	slow_path = seconds > 0 ? from : NULL;
	if (asked)
		raise(SIGINT);
	done = done && vrs_sink_finish(sink, NULL) == VRS_OK;
	vrs_stop_release();
	vrs_sink_close(sink);
	vrs_source_close(source);
	return !done ? 1 : slow_read > st.st_size / 2 ? 2 : 42;
}

static void check_stop(const char *from, const char *to, bool asked, double seconds)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0)
		_exit(stop_in_the_middle(from, to, asked, seconds));
	assert_true(child > 0 && waitpid(child, &status, 0) == child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 42);
}

/* What lies within two seconds of the last frame takes longer to read than a stop waits for a step. */
static void a_stop_with_short_audio(void **state)
{
	static struct track tracks[1], audio;

	(void)state;
	fill_times(&tracks[0], 1, 60, 60);
	make_video(media_path("silent.mp4"), LONG_FRAMES);
	write_file(media_path("silent.mp4"), media_path("in.mkv"), tracks, 1, 0);
	check_stop(media_path("in.mkv"), media_path("out.mkv"), true, 160);
	audio = read_track(media_path("out.mkv"), 1);
	assert_same_times(&tracks[0], &audio);
	assert_int_equal(read_track(media_path("out.mkv"), 0).count, STOP_FRAMES);
	media_files(true);
}

/* All audio lies behind the video, and reading is fast: nothing is lost. */
static void a_stop_with_late_audio(void **state)
{
	static struct track tracks[1], usual, stopped;

	(void)state;
	fill_times(&tracks[0], 50, 60, 60);
	make_video(media_path("silent.mp4"), LONG_FRAMES);
	write_file(media_path("silent.mp4"), media_path("in.mkv"), tracks, 1, -1000);
	check_stop(media_path("in.mkv"), media_path("usual.mkv"), false, 0);
	check_stop(media_path("in.mkv"), media_path("stopped.mkv"), true, 0);
	usual = read_track(media_path("usual.mkv"), 1);
	stopped = read_track(media_path("stopped.mkv"), 1);
	assert_in_range(usual.count, 100, MOST_PACKETS);
	assert_same_times(&usual, &stopped);
	assert_int_equal(read_track(media_path("stopped.mkv"), 0).count, STOP_FRAMES);
	media_files(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(much_before_the_first_picture, start_empty),
		cmocka_unit_test_setup(pauses_stay, start_empty),
		cmocka_unit_test_setup(jumps_move_all_streams, start_empty),
		cmocka_unit_test_setup(other_programs_stay_away, start_empty),
		cmocka_unit_test_setup(damaged_audio_is_left_out, start_empty),
		cmocka_unit_test_setup(no_memory_is_no_end, start_empty),
		cmocka_unit_test_setup(a_stop_with_short_audio, start_empty),
		cmocka_unit_test_setup(a_stop_with_late_audio, start_empty),
	};
	return cmocka_run_group_tests(tests, media_setup, media_teardown);
}
