/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards where a start is sought: never in bytes that come once (a pipe), of which nothing is lost then, nor where the demuxer says that it cannot;
 * in files that a playlist names, wherever the playlist comes from.
 */
#include "media.h"

#include <libavformat/avformat.h>

#include "video/av_seek.h"

#define VIDEO VRS_TEST_DIR "/data/person_vr180_sbs_alpha.mkv" /* two seconds, a key frame each 0.4 s */
#define START 1.0

struct opened {
	AVFormatContext *demuxer;
	AVIOContext *bytes;
	FILE *file;
};

static int read_bytes(void *cookie, uint8_t *buf, int size)
{
	size_t n = fread(buf, 1, (size_t)size, cookie);

	return n > 0 ? (int)n : AVERROR_EOF;
}

static int64_t seek_bytes(void *cookie, int64_t offset, int whence)
{
	if (whence & AVSEEK_SIZE)
		return -1;
	return fseek(cookie, (long)offset, whence & ~AVSEEK_FORCE) == 0 ? ftell(cookie) : -1;
}

static void open_bytes(struct opened *o, const char *path, bool seekable)
{
	AVDictionary *settings = NULL;

	o->file = fopen(path, "rb");
	assert_non_null(o->file);
	o->bytes = avio_alloc_context(av_malloc(4096), 4096, 0, o->file, read_bytes, NULL, seekable ? seek_bytes : NULL);
	o->demuxer = avformat_alloc_context();
	assert_true(o->bytes && o->demuxer);
	o->demuxer->pb = o->bytes;
	av_dict_set(&settings, "safe", "0", 0); /* of the list of files: absolute names */
	assert_int_equal(avformat_open_input(&o->demuxer, NULL, NULL, &settings), 0);
	av_dict_free(&settings);
	assert_true(avformat_find_stream_info(o->demuxer, NULL) >= 0);
}

static void close_bytes(struct opened *o)
{
	avformat_close_input(&o->demuxer);
	av_freep(&o->bytes->buffer);
	avio_context_free(&o->bytes);
	fclose(o->file);
}

static void init(struct vrs_av_seek *seek, struct opened *o)
{
	const struct vrs_source_options options = {.start_seconds = START};

	vrs_av_seek_init(seek, o->demuxer, o->demuxer->streams[0], &options);
	assert_true(vrs_av_seek_is_due(seek));
}

/* The time of the next packet, in seconds. */
static double next_time(AVFormatContext *demuxer)
{
	AVPacket *pkt = av_packet_alloc();

	assert_non_null(pkt);
	assert_int_equal(av_read_frame(demuxer, pkt), 0);
	double seconds = (double)pkt->pts * av_q2d(demuxer->streams[pkt->stream_index]->time_base);
	av_packet_free(&pkt);
	return seconds;
}

static void refused(struct opened *o)
{
	struct vrs_av_seek seek;
	struct vrs_error err = {0};
	int64_t at = avio_tell(o->bytes);

	init(&seek, o);
	assert_int_equal(vrs_av_seek_first(&seek, "a pipe", &err), VRS_EUNSUPPORTED);
	assert_non_null(strstr(err.text, "a pipe"));
	assert_false(vrs_av_seek_earlier(&seek));
	assert_true(avio_tell(o->bytes) == at);
	assert_true(next_time(o->demuxer) < 0.001); /* what was read to know the streams is still there */
}

static void test_pipe(void **state)
{
	struct opened o;

	(void)state;
	open_bytes(&o, VIDEO, false);
	refused(&o);
	close_bytes(&o);
}

static void test_demuxer_says_so(void **state)
{
	struct opened o;

	(void)state;
	open_bytes(&o, VIDEO, true);
	o.demuxer->ctx_flags |= AVFMTCTX_UNSEEKABLE; /* a live playlist */
	refused(&o);
	close_bytes(&o);
}

static void sought(const char *path, bool seekable)
{
	struct vrs_av_seek seek;
	struct opened o;

	open_bytes(&o, path, seekable);
	init(&seek, &o);
	assert_int_equal(vrs_av_seek_first(&seek, "a file", NULL), VRS_OK);
	double seconds = next_time(o.demuxer);
	assert_true(seconds > 0.5 && seconds < START);
	close_bytes(&o);
}

static void test_file(void **state)
{
	(void)state;
	sought(VIDEO, true);
}

static void test_list_in_pipe(void **state)
{
	char path[PATH_MAX + 32];

	(void)state;
	snprintf(path, sizeof path, "%s/list", media_dir);
	FILE *list = fopen(path, "w");
	assert_non_null(list);
	fprintf(list, "ffconcat version 1.0\nfile '%s'\nduration 2\n", VIDEO);
	fclose(list);
	sought(path, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_demuxer_says_so),
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_list_in_pipe),
	};
	return cmocka_run_group_tests(tests, media_setup, media_teardown);
}
