/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the FFmpeg source: what it says of a file, order and time stamps of frames, seeking and rewinding, standard input, also a socket that falls
 * silent, and every way in which an input can be wrong: the error names the file, nothing crashes, nothing leaks.
 */
#include "media.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <libavformat/avformat.h>

#include "base/rng.h"
#include "base/stop.h"
#include "video/av_support.h"

#define HELD 40 /* frames, more than a decoder has in its pools */

#define FLAT VRS_TEST_DIR "/data/person_flat.mp4"
#define VR180 VRS_TEST_DIR "/data/person_vr180_sbs.mp4"
#define ALPHA VRS_TEST_DIR "/data/person_flat_alpha.mkv"

/* x265 loses some bytes when an encoder closes. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libx265\n";
}

/* Copy packets of one media type (or both: AVMEDIA_TYPE_UNKNOWN) of `from` into `to`, without decoding. */
static void remux(const char *from, const char *to, const char *muxer_name, enum AVMediaType only, const char *movflags)
{
	AVFormatContext *in = NULL, *out = NULL;
	AVDictionary *options = NULL;
	AVPacket *pkt = av_packet_alloc();
	int map[8];

	assert_true(avformat_open_input(&in, from, NULL, NULL) >= 0);
	assert_true(avformat_find_stream_info(in, NULL) >= 0);
	assert_true(avformat_alloc_output_context2(&out, NULL, muxer_name, to) >= 0);
	for (unsigned i = 0; i < in->nb_streams; i++) {
		AVStream *stream;

		map[i] = -1;
		if (only != AVMEDIA_TYPE_UNKNOWN && in->streams[i]->codecpar->codec_type != only)
			continue;
		stream = avformat_new_stream(out, NULL);
		avcodec_parameters_copy(stream->codecpar, in->streams[i]->codecpar);
		stream->codecpar->codec_tag = 0;
		stream->time_base = in->streams[i]->time_base;
		map[i] = stream->index;
	}
	assert_true(avio_open(&out->pb, to, AVIO_FLAG_WRITE) >= 0);
	if (movflags)
		av_dict_set(&options, "movflags", movflags, 0);
	assert_true(avformat_write_header(out, &options) >= 0);
	av_dict_free(&options);
	while (av_read_frame(in, pkt) >= 0) {
		int index = map[pkt->stream_index];

		if (index >= 0) {
			av_packet_rescale_ts(pkt, in->streams[pkt->stream_index]->time_base, out->streams[index]->time_base);
			pkt->stream_index = index;
			if (av_interleaved_write_frame(out, pkt) < 0)
				fail_msg("cannot make %s", to);
		}
		av_packet_unref(pkt);
	}
	assert_true(av_write_trailer(out) >= 0);
	avio_closep(&out->pb);
	avformat_free_context(out);
	avformat_close_input(&in);
	av_packet_free(&pkt);
}

/* Read to the end; returns the number of frames, the last status in *ret_status. Checks order on the way. */
static int read_all(struct vrs_source *source, enum vrs_status *ret_status, struct vrs_error *err)
{
	struct vrs_frame frame;
	int64_t last = INT64_MIN;
	int count = 0;

	while (!(*ret_status = vrs_source_read(source, &frame, err))) {
		assert_true(frame.pts > last);
		assert_int_equal(frame.index, count);
		assert_true(frame.duration > 0);
		assert_memory_equal(&frame.format, &vrs_source_info(source)->format, sizeof frame.format);
		last = frame.pts;
		count++;
		vrs_frame_unref(&frame);
	}
	return count;
}

static void info_of_the_clips(void **state)
{
	struct vrs_source *source = media_open(VR180);
	const struct vrs_source_info *info = vrs_source_info(source);

	(void)state;
	assert_int_equal(info->format.width, 2048);
	assert_int_equal(info->format.height, 1024);
	assert_int_equal(info->format.planes, 3);
	assert_int_equal(info->format.bit_depth, 8);
	assert_int_equal(info->format.matrix, VRS_MATRIX_BT709);
	assert_int_equal(info->format.range, VRS_RANGE_LIMITED);
	assert_string_equal(info->codec, "h264");
	assert_non_null(strstr(info->container, "mp4"));
	assert_int_equal(info->fps_num, 30 * info->fps_den);
	assert_int_equal(info->frames, 60);
	assert_true(info->duration_seconds == 2.0);
	assert_true(info->bit_rate > 1000000 && info->bit_rate < 5000000);
	assert_true(info->has_audio);
	assert_false(info->converted);
	assert_true(info->side.has_stereo && info->side.has_spherical && !info->side.inverted);
	assert_int_equal(info->side.stereo, VRS_STEREO_SBS);
	assert_int_equal(info->side.projection, VRS_PROJECTION_HEQUIRECT);
	assert_true(info->side.bound_left > 0.2499 && info->side.bound_left < 0.2501);
	vrs_source_close(source);

	source = media_open(FLAT);
	info = vrs_source_info(source);
	assert_int_equal(info->format.matrix, VRS_MATRIX_BT601);
	assert_false(info->has_audio || info->side.has_stereo || info->side.has_spherical);
	vrs_source_close(source);

	source = media_open(ALPHA);
	info = vrs_source_info(source);
	assert_int_equal(info->format.planes, 1);
	assert_int_equal(info->format.range, VRS_RANGE_FULL);
	vrs_source_close(source);
}

static void frames_in_order_with_times(void **state)
{
	struct vrs_source *source = media_open(FLAT);
	enum vrs_status status;
	struct vrs_frame frame;

	(void)state;
	assert_int_equal(vrs_source_read(source, &frame, NULL), VRS_OK);
	assert_int_equal(frame.pts, 0);
	assert_int_equal(frame.duration * 30, 15360);
	vrs_frame_unref(&frame);
	assert_int_equal(vrs_source_rewind(source, NULL), VRS_OK);
	assert_int_equal(read_all(source, &status, NULL), 60);
	assert_int_equal(status, VRS_END);
	assert_int_equal(vrs_source_read(source, &frame, NULL), VRS_END); /* stays at the end */
	vrs_source_close(source);
	vrs_source_close(NULL);
}

static uint64_t sum_of(const struct vrs_frame *frame)
{
	uint64_t sum = 0;

	for (int y = 0; y < frame->format.height; y += 3)
		for (int x = 0; x < frame->format.width; x += 3)
			sum = sum * 31 + media_at(frame, 0, x, y);
	return sum;
}

/* What frame number n shows, reading from the start. */
static uint64_t sum_at(const char *path, int n)
{
	struct vrs_source *source = media_open(path);
	struct vrs_frame frame;
	uint64_t sum = 0;

	for (int i = 0; i <= n; i++) {
		assert_int_equal(vrs_source_read(source, &frame, NULL), VRS_OK);
		sum = sum_of(&frame);
		vrs_frame_unref(&frame);
	}
	vrs_source_close(source);
	return sum;
}

static void start_is_exact_to_the_frame(void **state)
{
	static const int starts[] = {1, 7, 30, 59};

	(void)state;
	for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
		struct vrs_source_options options = {.start_seconds = (starts[i] - 0.4) / 30.0};
		struct vrs_source *source;
		enum vrs_status status;
		struct vrs_frame frame;

		assert_int_equal(vrs_source_open(&source, FLAT, &options, NULL), VRS_OK);
		assert_int_equal(vrs_source_read(source, &frame, NULL), VRS_OK);
		assert_true(sum_of(&frame) == sum_at(FLAT, starts[i]));
		assert_true(frame.pts >= 0 && frame.pts < 512);
		assert_int_equal(frame.index, 0);
		vrs_frame_unref(&frame);
		assert_int_equal(vrs_source_rewind(source, NULL), VRS_OK);
		assert_int_equal(read_all(source, &status, NULL), 60 - starts[i]);
		assert_int_equal(status, VRS_END);
		vrs_source_close(source);
	}
}

static void start_after_the_end_is_an_error(void **state)
{
	struct vrs_source_options options = {.start_seconds = 100};
	struct vrs_error err = {0};
	struct vrs_source *source;

	(void)state;
	assert_int_equal(vrs_source_open(&source, FLAT, &options, &err), VRS_EFORMAT);
	assert_non_null(strstr(err.text, "person_flat.mp4"));
}

/*
 * H.264 in AVI, 25 frames a second: pictures are told two late, and the last two come without a time; they lie behind those before them, wherever
 * the start is.
 */
static void starts_near_the_end_of_avi(void **state)
{
	static const struct {
		double start;
		int frames;
	} rows[] = {{0, 50}, {1.99, 2}, {2.02, 1}, {2.05, 0}, {10, 0}};
	struct vrs_picture_format format = media_format(176, 144, 3, 1, 1, 8);
	struct vrs_sink_options to = media_options(&format, "libx264");
	const char *path = media_path("late.avi");

	(void)state;
	to.preset = "veryfast"; /* has B-pictures */
	media_write(path, &to, 50);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct vrs_source_options options = {.start_seconds = rows[i].start};
		struct vrs_source *source;
		enum vrs_status status;

		assert_int_equal(vrs_source_open(&source, path, &options, NULL), rows[i].frames ? VRS_OK : VRS_EFORMAT);
		if (rows[i].frames == 0)
			continue;
		assert_int_equal(read_all(source, &status, NULL), rows[i].frames);
		assert_int_equal(status, VRS_END);
		vrs_source_close(source);
	}
	media_files(true);
}

static void rewind_repeats_the_same_frames(void **state)
{
	static const char *const paths[] = {FLAT, VR180, ALPHA};

	(void)state;
	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
		struct vrs_source *source = media_open(paths[i]);
		uint64_t first[12];
		struct vrs_frame frame;

		for (int round = 0; round < 3; round++) {
			for (int k = 0; k < 12; k++) {
				assert_int_equal(vrs_source_read(source, &frame, NULL), VRS_OK);
				if (round == 0)
					first[k] = sum_of(&frame);
				assert_true(first[k] == sum_of(&frame));
				assert_int_equal(frame.index, k);
				vrs_frame_unref(&frame);
			}
			while (round == 1 && !vrs_source_read(source, &frame, NULL)) /* once from the end */
				vrs_frame_unref(&frame);
			assert_int_equal(vrs_source_rewind(source, NULL), VRS_OK);
		}
		vrs_source_close(source);
	}
}

/* MPEG-TS begins at 1.4 s and lands on other packets when seeking; an elementary stream has no time stamps at all. */
static void other_containers(void **state)
{
	static const char *const names[] = {"t.ts", "t.h264", "t.mov", "t.mkv", "frag.mp4"};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const char *path = media_path(names[i]);
		struct vrs_source *source;
		enum vrs_status status;
		struct vrs_frame frame;
		uint64_t sum;

		remux(FLAT, path, NULL, AVMEDIA_TYPE_VIDEO, strcmp(names[i], "frag.mp4") == 0 ? "frag_keyframe+empty_moov" : NULL);
		source = media_open(path);
		assert_int_equal(vrs_source_read(source, &frame, NULL), VRS_OK);
		assert_true(frame.pts < (int64_t)vrs_source_info(source)->time_base_den / 5);
		sum = sum_of(&frame);
		vrs_frame_unref(&frame);
		for (int round = 0; round < 2; round++) {
			assert_int_equal(vrs_source_rewind(source, NULL), VRS_OK);
			if (read_all(source, &status, NULL) != 60 || status != VRS_END)
				fail_msg("%s round %d: %s", names[i], round, vrs_status_name(status));
		}
		assert_int_equal(vrs_source_rewind(source, NULL), VRS_OK);
		assert_int_equal(vrs_source_read(source, &frame, NULL), VRS_OK);
		assert_true(sum_of(&frame) == sum);
		vrs_frame_unref(&frame);
		vrs_source_close(source);
		unlink(path);
	}
}

static void standard_input(void **state)
{
	int saved = dup(STDIN_FILENO), file = open(ALPHA, O_RDONLY), pipe_fds[2];
	struct vrs_error err = {0};
	enum vrs_status status;
	struct vrs_source *source;

	(void)state;
	assert_true(saved >= 0 && file >= 0 && pipe(pipe_fds) == 0);
	if (fork() == 0) { /* a real pipe: no seeking */
		char block[65536];
		ssize_t n;

		close(pipe_fds[0]);
		while ((n = read(file, block, sizeof block)) > 0)
			if (write(pipe_fds[1], block, (size_t)n) != n)
				_exit(1);
		_exit(0);
	}
	close(pipe_fds[1]);
	dup2(pipe_fds[0], STDIN_FILENO);
	source = media_open("-");
	assert_int_equal(read_all(source, &status, NULL), 60);
	assert_int_equal(status, VRS_END);
	assert_int_equal(vrs_source_rewind(source, &err), VRS_EUNSUPPORTED);
	assert_non_null(strstr(err.text, "standard input"));
	vrs_source_close(source);
	dup2(saved, STDIN_FILENO);
	close(saved);
	close(file);
	close(pipe_fds[0]);
}

static void write_file(const char *path, const void *data, size_t size)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static void check_refused(const char *path, enum vrs_status want, const char *words)
{
	struct vrs_error err = {0};
	struct vrs_source *source = NULL;
	enum vrs_status status = vrs_source_open(&source, path, NULL, &err);

	if (status != want || !strstr(err.text, words) || !strstr(err.text, vrs_path_base(path)))
		fail_msg("%s: %s \"%s\"", path, vrs_status_name(status), err.text);
	assert_null(source);
}

enum { SENT = 20, SENT_WIDTH = 64, SENT_HEIGHT = 48 };

/* The frames, and then nothing more, though the other side stays open. */
static void send_frames(int fd)
{
	static const char head[] = "YUV4MPEG2 W64 H48 F25:1 Ip A1:1 C420jpeg\n";
	static const char frame[6 + SENT_WIDTH * SENT_HEIGHT * 3 / 2] = "FRAME\n";

	assert_int_equal(write(fd, head, sizeof head - 1), sizeof head - 1);
	for (int i = 0; i < SENT; i++)
		assert_int_equal(write(fd, frame, sizeof frame), sizeof frame);
}

static void *ask_to_stop(void *cookie)
{
	usleep(300000);
	vrs_stop_request();
	return cookie;
}

/* A wish to stop ends the wait, with all frames that came; who else has the socket finds it as it was. */
static void a_silent_socket_ends(void **state)
{
	int saved = dup(STDIN_FILENO), pair[2];
	struct vrs_error err = {0};
	enum vrs_status status;
	pthread_t thread;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	send_frames(pair[1]);
	dup2(pair[0], STDIN_FILENO);
	struct vrs_source *source = media_open("-");

	assert_int_equal(pthread_create(&thread, NULL, ask_to_stop, NULL), 0);
	assert_int_equal(read_all(source, &status, &err), SENT);
	pthread_join(thread, NULL);
	assert_int_equal(status, VRS_ESTOPPED);
	vrs_source_close(source);
	vrs_stop_reset();
	assert_int_equal(fcntl(pair[0], F_GETFL) & O_NONBLOCK, 0);
	dup2(saved, STDIN_FILENO);
	close(saved);
	close(pair[0]);
	close(pair[1]);
}

static void wrong_inputs_are_named(void **state)
{
	char text[4096];
	struct vrs_rng rng;

	(void)state;
	check_refused(media_path("missing.mp4"), VRS_ENOTFOUND, "No such file");
	check_refused(media_path("missing/a.mp4"), VRS_ENOTFOUND, "No such file");
	check_refused(VRS_TEST_DIR "/data", VRS_EIO, "is a folder");
	write_file(media_path("empty.mp4"), "", 0);
	check_refused(media_path("empty.mp4"), VRS_EFORMAT, "is empty");
	memset(text, 'a', sizeof text);
	write_file(media_path("text.txt"), text, sizeof text);
	check_refused(media_path("text.txt"), VRS_EFORMAT, "");
	memset(text, 0, sizeof text);
	write_file(media_path("zeros.mp4"), text, sizeof text);
	check_refused(media_path("zeros.mp4"), VRS_EFORMAT, "");
	vrs_rng_init(&rng, 9);
	for (size_t i = 0; i < sizeof text; i++)
		text[i] = (char)vrs_rng_next(&rng);
	write_file(media_path("noise.mkv"), text, sizeof text);
	check_refused(media_path("noise.mkv"), VRS_EFORMAT, "");
	remux(VR180, media_path("audio.m4a"), "ipod", AVMEDIA_TYPE_AUDIO, NULL);
	check_refused(media_path("audio.m4a"), VRS_EFORMAT, "no video stream");
	write_file(media_path("locked.mp4"), text, sizeof text);
	chmod(media_path("locked.mp4"), 0);
	if (geteuid() != 0)
		check_refused(media_path("locked.mp4"), VRS_EIO, "Permission denied");
	media_files(true);
}

/* A play list on disk is not followed to the network; an address is opened when the user names it, and its server cannot name files. */
static void no_network(void **state)
{
	static const char list[] = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nhttp://127.0.0.1:1/a.ts\n#EXT-X-ENDLIST\n";

	(void)state;
	write_file(media_path("list.m3u8"), list, sizeof list - 1);
	check_refused(media_path("list.m3u8"), VRS_EFORMAT, "");
	check_refused("http://127.0.0.1:1/a.mp4", VRS_EIO, "Connection refused");
	check_refused("/dev/video977", VRS_ENOTFOUND, "no capture device");
	media_files(true);
}

static void names_with_colons_and_percents(void **state)
{
	static const char *const names[] = {"a:b.mkv", "100%d.mkv", "concat:x.mkv", " [1] ä.mkv"};
	struct vrs_picture_format format = media_format(64, 32, 3, 1, 1, 8);
	struct vrs_sink_options options = media_options(&format, "ffv1");

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		enum vrs_status status;
		struct vrs_source *source;

		media_write(media_path(names[i]), &options, 3);
		source = media_open(media_path(names[i]));
		assert_int_equal(read_all(source, &status, NULL), 3);
		vrs_source_close(source);
	}
	assert_int_equal(media_files(true), 4);
}

static struct vrs_buf load(const char *path)
{
	struct vrs_buf buf;

	assert_int_equal(vrs_file_read(path, 16 << 20, &buf, NULL), VRS_OK);
	return buf;
}

/* Spoil each tag of a Matroska file that tells how long a track is. */
static void hide_durations(struct vrs_buf *data)
{
	static const char tag[] = "DURATION";

	for (char *at = data->data; (at = memmem(at, data->len - (size_t)(at - data->data), tag, sizeof tag - 1)); at++)
		*at = 'X';
}

/* Cut at many places: an error that names the file, at the latest when the end comes too early. */
static void truncated_files(void **state)
{
	static const struct {
		const char *path, *name, *movflags;
		bool matroska, hide;
	} files[] = {{FLAT, "cut.mp4", NULL, false, false}, {VR180, "faststart.mp4", "faststart", false, false}, {ALPHA, "cut.mkv", NULL, true, false},
		     {ALPHA, "untagged.mkv", NULL, true, true}};

	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		const char *whole = media_path("whole");
		struct vrs_buf data;

		remux(files[i].path, whole, files[i].matroska ? "matroska" : "mp4", AVMEDIA_TYPE_UNKNOWN, files[i].movflags);
		data = load(whole);
		if (files[i].hide)
			hide_durations(&data);
		for (size_t k = 1; k < 20; k++) {
			const char *path = media_path(files[i].name);
			struct vrs_error err = {0};
			struct vrs_source *source;
			enum vrs_status status;

			write_file(path, data.data, data.len * k / 20);
			media_log_clear();
			status = vrs_source_open(&source, path, NULL, &err);
			if (status == VRS_OK) {
				(void)read_all(source, &status, &err);
				vrs_source_close(source);
			}
			if (status != VRS_EFORMAT || !strstr(err.text, files[i].name))
				fail_msg("%s cut to %zu/20: %s \"%s\"", files[i].name, k, vrs_status_name(status), err.text);
		}
		vrs_buf_fini(&data);
		media_files(true);
	}
}

/*
 * A Matroska file that was written to a pipe says neither how large it is nor, for certain, how long: its end is the end, unless that lies in the
 * middle of an element.
 */
static void no_stated_size_is_no_truncation(void **state)
{
	static const char segment[] = "\x18\x53\x80\x67\x01", cues[] = "\x1C\x53\xBB\x6B";
	const char *path = media_path("piped.mkv");
	enum vrs_status status = VRS_OK;
	struct vrs_error err = {0};
	struct vrs_buf data;
	struct vrs_source *source;
	char *at, *index;

	(void)state;
	remux(ALPHA, path, "matroska", AVMEDIA_TYPE_UNKNOWN, NULL);
	data = load(path);
	hide_durations(&data);
	at = memmem(data.data, data.len, segment, sizeof segment - 1);
	assert_non_null(at);
	memset(at + sizeof segment - 1, 0xFF, 7);
	index = at;
	for (char *next; (next = memmem(index + 1, data.len - (size_t)(index + 1 - data.data), cues, sizeof cues - 1));)
		index = next;
	assert_true(index > at);
	for (int whole = 0; whole < 2; whole++) {
		write_file(path, data.data, whole ? (size_t)(index - data.data) : data.len / 2);
		source = media_open(path);
		assert_true(read_all(source, &status, &err) > 3);
		assert_int_equal(status, whole ? VRS_END : VRS_EFORMAT);
		vrs_source_close(source);
	}
	vrs_buf_fini(&data);
	media_files(true);
}

/* Single bits changed all over: an answer in the end, and where it is an error, the file's name in it. */
static void flipped_bits(void **state)
{
	static const struct {
		const char *path, *name;
	} files[] = {{FLAT, "flip.mp4"}, {ALPHA, "flip.mkv"}};
	struct vrs_rng rng;
	int refused = 0, damaged = 0;

	(void)state;
	vrs_rng_init(&rng, 77);
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		struct vrs_buf data = load(files[i].path);

		for (int k = 0; k < 60; k++) {
			const char *path = media_path(files[i].name);
			/* half of them in the first and last kilobytes, where the structure is */
			size_t range = k & 1 ? data.len : 4096;
			size_t at = (size_t)vrs_rng_below(&rng, range);
			struct vrs_error err = {0};
			struct vrs_source *source;
			enum vrs_status status;

			if (k % 4 == 2)
				at = data.len - 1 - at;
			data.data[at] = (char)(data.data[at] ^ 1 << (k % 8));
			write_file(path, data.data, data.len);
			data.data[at] = (char)(data.data[at] ^ 1 << (k % 8));
			media_log_clear();
			status = vrs_source_open(&source, path, NULL, &err);
			if (status == VRS_OK) {
				(void)read_all(source, &status, &err);
				damaged += strstr(media_log, "damaged") != NULL;
				vrs_source_close(source);
			}
			refused += status != VRS_END;
			if (status != VRS_END && !strstr(err.text, files[i].name))
				fail_msg("%s byte %zu: %s \"%s\"", files[i].name, at, vrs_status_name(status), err.text);
		}
		vrs_buf_fini(&data);
	}
	assert_true(refused > 0);
	assert_true(damaged > 0);
	media_files(true);
}

/*
 * No memory for a picture in the middle is lack of memory, and not damage that is concealed, in every decoder and whichever thread of it asks; a job
 * that has seen it tries again with less.
 */
static void no_memory_for_a_picture(void **state)
{
	static const struct {
		const char *path, *encoder;
	} kinds[] = {{"m.mp4", "libx264"}, {"m.mkv", "ffv1"}, {"m.avi", "mpeg4"}, {"h.mp4", "libx265"}, {"m.ts", "mpeg2video"}};
	struct vrs_picture_format format = media_format(320, 240, 3, 1, 1, 8);

	(void)state;
	for (size_t i = 0; i < 2 * sizeof kinds / sizeof kinds[0]; i++) {
		const char *path = media_path(kinds[i / 2].path);
		const struct vrs_source_options how = {.threads = i % 2 ? 3 : 1};
		struct vrs_sink_options options = media_options(&format, kinds[i / 2].encoder);
		enum vrs_status status = VRS_OK;
		struct vrs_frame frames[HELD] = {0};
		struct vrs_source *source;
		struct vrs_error err = {0};
		int held = 0;

		options.overwrite = true;
		options.preset = strstr(options.encoder, "libx26") ? "ultrafast" : NULL;
		media_write(path, &options, HELD + 1);
		assert_int_equal(vrs_source_open(&source, path, &how, NULL), VRS_OK);
		av_max_alloc(50000);
		while (held < HELD && (status = vrs_source_read(source, &frames[held], &err)) == VRS_OK)
			held++; /* none comes back, so that each needs memory */
		av_max_alloc(VRS_AV_MAX_ALLOC);
		if (status != VRS_ENOMEM || !strstr(err.text, kinds[i / 2].path))
			fail_msg("%s, %d threads: %s \"%s\" after %d frames", kinds[i / 2].path, how.threads, vrs_status_name(status), err.text, held);
		while (held > 0)
			vrs_frame_unref(&frames[--held]);
		vrs_source_close(source);
	}
	media_files(true);
}

/* A burst of garbage inside the pictures: skipped, counted, and told once. */
static void damage_is_counted_and_told_once(void **state)
{
	struct vrs_buf data = load(FLAT);
	const char *path = media_path("burst.mp4");
	struct vrs_source *source;
	enum vrs_status status;
	int frames;

	(void)state;
	for (size_t k = 2; k < 9; k++)
		memset(data.data + data.len * k / 10, 0x5a, 300);
	write_file(path, data.data, data.len);
	media_log_clear();
	source = media_open(path);
	frames = read_all(source, &status, NULL);
	assert_int_equal(status, VRS_END);
	assert_true(frames > 40 && frames <= 60);
	if (media_log_count(VRS_LOG_WARNING) != 1)
		fail_msg("not one warning: %s", media_log);
	assert_non_null(strstr(media_log, "burst.mp4"));
	vrs_source_close(source);
	assert_int_equal(media_log_count(VRS_LOG_WARNING), 2); /* the total at the end */
	vrs_buf_fini(&data);
	media_files(true);
}

/* Number of frames, and a sum over all of them in their order. */
static int sum_all(const char *path, int threads, uint64_t *ret_sum)
{
	const struct vrs_source_options how = {.threads = threads};
	struct vrs_source *source;
	struct vrs_frame frame;
	int frames = 0;

	*ret_sum = 0;
	assert_int_equal(vrs_source_open(&source, path, &how, NULL), VRS_OK);
	while (vrs_source_read(source, &frame, NULL) == VRS_OK) {
		*ret_sum = *ret_sum * 31 + sum_of(&frame) + (uint64_t)frame.pts;
		vrs_frame_unref(&frame);
		frames++;
	}
	vrs_source_close(source);
	return frames;
}

/* Few flipped bits, which a decoder conceals: by as many threads as it has, and by what lay in memory before, were it not for the reader. */
static void damage_looks_alike_with_any_threads(void **state)
{
	const char *path = media_path("flipped.mp4");

	(void)state;
	for (uint32_t seed = 1; seed <= 4; seed++) {
		struct vrs_buf data = load(FLAT);
		uint32_t random = seed * 2654435761u;
		uint64_t one, more;

		for (int i = 0; i < 6; i++) {
			random = random * 1664525u + 1013904223u;
			data.data[data.len / 6 + (size_t)random % (data.len / 2)] ^= (uint8_t)(1 << (random >> 29));
		}
		write_file(path, data.data, data.len);
		vrs_buf_fini(&data);
		int frames = sum_all(path, 1, &one);

		for (int threads = 2; threads <= 7; threads++) {
			int count = sum_all(path, threads, &more);

			if (count != frames || more != one)
				fail_msg("seed %u, %d threads: %d frames, not the %d of one thread, or others", seed, threads, count, frames);
		}
	}
	media_files(true);
}

/* Frames may outlive the source, and many may be held at once. */
static void frames_outlive_the_source(void **state)
{
	struct vrs_source *source = media_open(FLAT);
	struct vrs_frame held[40];
	uint64_t sums[40];

	(void)state;
	for (int i = 0; i < 40; i++) {
		assert_int_equal(vrs_source_read(source, &held[i], NULL), VRS_OK);
		sums[i] = sum_of(&held[i]);
	}
	vrs_source_close(source);
	for (int i = 0; i < 40; i++) {
		assert_true(sum_of(&held[i]) == sums[i]);
		vrs_frame_unref(&held[i]);
	}
}

/* What is said to be writable is nobody's reference: scribbling on it changes no later frame. */
static void writable_frames_are_free(void **state)
{
	static const char *const paths[] = {FLAT, ALPHA};

	(void)state;
	for (size_t k = 0; k < sizeof paths / sizeof paths[0]; k++) {
		struct vrs_source *clean = media_open(paths[k]), *scribbled = media_open(paths[k]);
		struct vrs_frame a, b;

		while (!vrs_source_read(clean, &a, NULL)) {
			assert_int_equal(vrs_source_read(scribbled, &b, NULL), VRS_OK);
			assert_true(sum_of(&a) == sum_of(&b));
			for (int y = 0; b.writable && y < b.format.height; y++)
				memset(b.data[0] + y * b.stride_bytes[0], 0xff, (size_t)b.format.width);
			vrs_frame_unref(&a);
			vrs_frame_unref(&b);
		}
		vrs_source_close(clean);
		vrs_source_close(scribbled);
	}
}

static void wrong_arguments(void **state)
{
	struct vrs_source_options options = {.threads = -1};
	struct vrs_source *source;

	(void)state;
	assert_int_equal(vrs_source_open(&source, FLAT, &options, NULL), VRS_EINVAL);
	options = (struct vrs_source_options){.start_seconds = -1};
	assert_int_equal(vrs_source_open(&source, FLAT, &options, NULL), VRS_EINVAL);
	assert_int_equal(vrs_source_open(&source, "", NULL, NULL), VRS_EINVAL);
	assert_int_equal(vrs_source_open(NULL, FLAT, NULL, NULL), VRS_EINVAL);
	options = (struct vrs_source_options){.threads = 1};
	assert_int_equal(vrs_source_open(&source, FLAT, &options, NULL), VRS_OK);
	vrs_source_close(source);
}

static enum vrs_status halve_threads(void *cookie, const struct vrs_stream_shape *shape, struct vrs_decoder_choice *choice, struct vrs_error *err)
{
	(void)err;
	*(struct vrs_stream_shape *)cookie = *shape;
	choice->threads /= 2;
	choice->spare_bytes = 0; /* for larger pictures; there are none */
	return VRS_OK;
}

static enum vrs_status refuse_stream(void *cookie, const struct vrs_stream_shape *shape, struct vrs_decoder_choice *choice, struct vrs_error *err)
{
	(void)cookie;
	(void)shape;
	(void)choice;
	return vrs_fail(err, VRS_ELIMIT, "too large");
}

/* Whoever opens a video is told what it is before the decoder opens, and chooses the decoder's threads, or refuses it. */
static void threads_are_chosen(void **state)
{
	(void)state;
	struct vrs_stream_shape shape = {0};
	struct vrs_source_options options = {.threads = 6, .on_stream = halve_threads, .cookie = &shape};
	struct vrs_source *source = NULL;
	struct vrs_error err = {0};
	assert_int_equal(vrs_source_open(&source, FLAT, &options, NULL), VRS_OK);
	assert_int_equal(vrs_source_info(source)->decoder_threads, 3);
	assert_string_equal(shape.codec, "h264");
	assert_int_equal(shape.width, 640);
	assert_int_equal(shape.height, 480);
	assert_true(shape.frame_bytes >= 640 * 480 * 3 / 2 && shape.frame_bytes < 640 * 480 * 2);
	assert_true(shape.level > 0);
	struct vrs_frame frame;
	assert_int_equal(vrs_source_read(source, &frame, NULL), VRS_OK);
	vrs_frame_unref(&frame);
	vrs_source_close(source);
	options.on_stream = refuse_stream;
	assert_int_equal(vrs_source_open(&source, FLAT, &options, &err), VRS_ELIMIT);
	assert_string_equal(err.text, "too large");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(info_of_the_clips),
		cmocka_unit_test(threads_are_chosen),
		cmocka_unit_test(frames_in_order_with_times),
		cmocka_unit_test(start_is_exact_to_the_frame),
		cmocka_unit_test(start_after_the_end_is_an_error),
		cmocka_unit_test(starts_near_the_end_of_avi),
		cmocka_unit_test(rewind_repeats_the_same_frames),
		cmocka_unit_test(other_containers),
		cmocka_unit_test(standard_input),
		cmocka_unit_test(a_silent_socket_ends),
		cmocka_unit_test(wrong_inputs_are_named),
		cmocka_unit_test(no_network),
		cmocka_unit_test(names_with_colons_and_percents),
		cmocka_unit_test(truncated_files),
		cmocka_unit_test(no_stated_size_is_no_truncation),
		cmocka_unit_test(flipped_bits),
		cmocka_unit_test(no_memory_for_a_picture),
		cmocka_unit_test(damage_is_counted_and_told_once),
		cmocka_unit_test(damage_looks_alike_with_any_threads),
		cmocka_unit_test(frames_outlive_the_source),
		cmocka_unit_test(writable_frames_are_free),
		cmocka_unit_test(wrong_arguments),
	};
	return cmocka_run_group_tests(tests, media_setup, media_teardown);
}
