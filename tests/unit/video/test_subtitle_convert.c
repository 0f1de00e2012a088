/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the conversion of text subtitles: a text comes out, an empty one is nothing, one that would take minutes is told and left out, and want of
 * memory, which the decoder meets first, is an error, not a subtitle that is missing.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <libavcodec/avcodec.h>
#include <libavutil/mem.h>

#include "video/subtitle_convert.h"

#include <vrseg/log.h>

static int lines;

static void count_line(void *cookie, enum vrs_log_level level, const char *line)
{
	(void)cookie;
	(void)line;
	lines += level <= VRS_LOG_WARNING;
}

static struct vrs_subtitle_convert *open_convert(void)
{
	AVFormatContext *context = avformat_alloc_context();
	AVStream *stream = avformat_new_stream(context, NULL);
	AVCodecParameters *made = avcodec_parameters_alloc();
	struct vrs_subtitle_convert *convert = NULL;
	stream->codecpar->codec_type = AVMEDIA_TYPE_SUBTITLE;
	stream->codecpar->codec_id = AV_CODEC_ID_SUBRIP;
	stream->time_base = (AVRational){1, 1000};
	assert_int_equal(vrs_subtitle_convert_open(&convert, stream, AV_CODEC_ID_MOV_TEXT, made), VRS_OK);
	avcodec_parameters_free(&made);
	avformat_free_context(context);
	return convert;
}

static AVPacket *packet_of(const char *text, size_t size)
{
	AVPacket *packet = av_packet_alloc();
	assert_true(packet && av_new_packet(packet, (int)size) == 0);
	memcpy(packet->data, text, size);
	packet->pts = packet->dts = 1000;
	packet->duration = 500;
	return packet;
}

/* The packet becomes what comes out. */
static int run(struct vrs_subtitle_convert *convert, AVPacket *packet)
{
	int rc = vrs_subtitle_convert_put(convert, packet);
	av_packet_unref(packet);
	return rc < 0 ? rc : vrs_subtitle_convert_take(convert, INT64_MAX, packet);
}

static void a_text_comes_out(void **state)
{
	struct vrs_subtitle_convert *convert = open_convert();
	AVPacket *packet = packet_of("Hello", 5);
	(void)state;
	assert_int_equal(run(convert, packet), 1);
	assert_true(packet->size == 7 && memcmp(packet->data, "\0\5Hello", 7) == 0); /* its length, and it */
	assert_int_equal(packet->pts, 1000);
	av_packet_free(&packet);
	packet = packet_of("", 0);
	assert_int_equal(run(convert, packet), 0);
	av_packet_free(&packet);
	vrs_subtitle_convert_close(convert);
}

static void one_that_is_too_long_is_told(void **state)
{
	static char text[(32 << 10) + 1];
	struct vrs_subtitle_convert *convert = open_convert();
	AVPacket *longest = packet_of(text, sizeof text - 1), *longer = packet_of(text, sizeof text);
	(void)state;
	memset(longest->data, 'x', (size_t)longest->size);
	vrs_log_set_sink(count_line, NULL);
	assert_int_equal(run(convert, longest), 1);
	assert_int_equal(lines, 0);
	assert_int_equal(run(convert, longer), 0);
	assert_int_equal(lines, 1);
	vrs_log_set_sink(NULL, NULL);
	av_packet_free(&longest);
	av_packet_free(&longer);
	vrs_subtitle_convert_close(convert);
}

/* Blocks of up to so many bytes there are, larger ones there are not. */
static void want_of_memory_is_an_error(void **state)
{
	static char text[3000];
	int failed = 0, rc = 0;
	(void)state;
	memset(text, 'x', sizeof text);
	for (size_t most = 64; rc != 1 && most < 1 << 20; most += most / 8) {
		struct vrs_subtitle_convert *convert = open_convert();
		AVPacket *packet = packet_of(text, sizeof text);
		av_max_alloc(most);
		rc = run(convert, packet);
		av_max_alloc(INT_MAX);
		if (rc != 1 && rc != AVERROR(ENOMEM))
			fail_msg("%d with blocks of at most %zu bytes", rc, most);
		failed += rc != 1;
		av_packet_free(&packet);
		vrs_subtitle_convert_close(convert);
	}
	assert_int_equal(rc, 1);
	assert_in_range(failed, 4, 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_comes_out),
		cmocka_unit_test(one_that_is_too_long_is_told),
		cmocka_unit_test(want_of_memory_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
