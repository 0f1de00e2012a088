/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards video/packet_history: where another decoder begins, which frames it has given before, and that no more bytes are kept than allowed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <libavformat/avformat.h>

#include "video/packet_history.h"

static void add(struct vrs_packet_history *history, int bytes, bool is_key)
{
	AVPacket *packet = av_packet_alloc();
	assert_true(packet && av_new_packet(packet, bytes) == 0);
	packet->flags = is_key ? AV_PKT_FLAG_KEY : 0;
	vrs_packet_history_add(history, packet);
	av_packet_free(&packet);
}

/* A key frame in four; frames come `delay` packets late.  *ret_number: of the first packet that another decoder is given. */
static void restart_after(int packets, int delay, int64_t expected)
{
	struct vrs_packet_history history = {.limit_bytes = 1 << 20};
	int64_t number;
	for (int i = 0; i < packets; i++) {
		add(&history, 100, i % 4 == 0);
		if (i >= delay)
			assert_true(vrs_packet_history_take(&history, i - delay));
	}
	assert_true(vrs_packet_history_reaches(&history));
	vrs_packet_history_restart(&history);
	assert_non_null(vrs_packet_history_next(&history, &number));
	assert_int_equal(number, expected);
	for (int64_t i = number; i < packets; i++) /* those that have come are left out, once */
		assert_int_equal(vrs_packet_history_take(&history, i), i >= packets - delay);
	vrs_packet_history_clear(&history);
}

static void begins_two_key_frames_before(void **state)
{
	(void)state;
	restart_after(3, 0, 0);
	restart_after(11, 0, 4);
	restart_after(12, 5, 0); /* the frame to come is in the second group */
	restart_after(16, 5, 4);
}

static void gives_packets_again(void **state)
{
	struct vrs_packet_history history = {.limit_bytes = 1 << 20};
	int64_t number;
	(void)state;
	add(&history, 10, true);
	add(&history, 20, false);
	assert_null(vrs_packet_history_next(&history, &number));
	assert_int_equal(number, 2);
	vrs_packet_history_restart(&history);
	assert_int_equal(vrs_packet_history_next(&history, &number)->size, 10);
	assert_int_equal(vrs_packet_history_next(&history, &number)->size, 20);
	assert_int_equal(number, 1);
	assert_null(vrs_packet_history_next(&history, &number));
	vrs_packet_history_clear(&history);
	assert_false(vrs_packet_history_reaches(&history));
}

static void keeps_to_its_limit(void **state)
{
	struct vrs_packet_history history = {.limit_bytes = 1000}, none = {.limit_bytes = 0};
	int64_t number;
	(void)state;
	for (int i = 0; i < 100; i++) {
		add(&history, 300, i == 0);
		assert_true(history.bytes <= 1000);
	}
	assert_false(vrs_packet_history_reaches(&history)); /* its key frame is gone */
	for (int i = 0; i < 4; i++) {
		add(&history, 300, true);
		assert_true(history.bytes <= 1000);
		assert_true(vrs_packet_history_take(&history, 100 + i));
	}
	assert_true(vrs_packet_history_reaches(&history));
	add(&none, 1, true);
	assert_false(vrs_packet_history_reaches(&none));
	assert_null(vrs_packet_history_next(&none, &number));
	assert_int_equal(number, 1);
	vrs_packet_history_clear(&history);
	vrs_packet_history_clear(&none);
}

/* One key frame and a long tail: looking for the start must not cost by its length. */
static void holds_a_long_group(void **state)
{
	struct vrs_packet_history history = {.limit_bytes = 64 << 20};
	(void)state;
	for (int i = 0; i < 200000; i++) {
		add(&history, 8, i == 0);
		assert_true(vrs_packet_history_take(&history, i));
	}
	assert_int_equal(history.count, 200000);
	vrs_packet_history_clear(&history);
}

static void limits(void **state)
{
	AVFormatContext *demuxer = avformat_alloc_context();
	AVStream *stream = avformat_new_stream(demuxer, NULL);
	const AVInputFormat *format = av_find_input_format("matroska");
	(void)state;
	demuxer->iformat = format;
	stream->codecpar->codec_id = AV_CODEC_ID_H264;
	assert_int_equal(vrs_packet_history_limit(demuxer, stream), 32 << 20);
	demuxer->bit_rate = 16000000;
	assert_int_equal(vrs_packet_history_limit(demuxer, stream), 20000000);
	stream->codecpar->bit_rate = INT64_MAX;
	assert_int_equal(vrs_packet_history_limit(demuxer, stream), 64 << 20);
	stream->codecpar->bit_rate = 1;
	assert_int_equal(vrs_packet_history_limit(demuxer, stream), 4 << 20);
	stream->codecpar->codec_id = AV_CODEC_ID_RAWVIDEO;
	assert_int_equal(vrs_packet_history_limit(demuxer, stream), 0);
	avformat_free_context(demuxer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(begins_two_key_frames_before), cmocka_unit_test(gives_packets_again),
					   cmocka_unit_test(keeps_to_its_limit), cmocka_unit_test(holds_a_long_group), cmocka_unit_test(limits)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
