/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards video/packet_relay: order and limit per stream, streams that nobody wants cost nothing, memory stays bounded. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

#include <libavutil/avutil.h>

#include <vrseg/log.h>

#include "video/packet_relay.h"

static void put(struct vrs_packet_relay *relay, int stream, int64_t dts, int size)
{
	AVPacket *pkt = av_packet_alloc();

	assert_non_null(pkt);
	assert_int_equal(av_new_packet(pkt, size), 0);
	memset(pkt->data, stream, size < 16 ? (size_t)size : 16);
	pkt->stream_index = stream;
	pkt->dts = dts;
	assert_int_equal(vrs_packet_relay_put(relay, pkt), VRS_OK);
	assert_null(pkt->data); /* moved or dropped */
	av_packet_free(&pkt);
}

static int take_all(struct vrs_packet_relay *relay, int stream, int64_t limit)
{
	AVPacket *pkt = av_packet_alloc();
	int64_t last = INT64_MIN;
	int count = 0;

	while (vrs_packet_relay_take(relay, stream, limit, pkt, NULL)) {
		assert_int_equal(pkt->stream_index, stream);
		assert_int_equal(pkt->data[0], stream);
		assert_true(pkt->dts == AV_NOPTS_VALUE || (pkt->dts >= last && pkt->dts < limit));
		last = pkt->dts;
		av_packet_unref(pkt);
		count++;
	}
	av_packet_free(&pkt);
	return count;
}

static const bool candidates[4] = {false, true, true, true};

static void streams_are_independent(void **state)
{
	const bool wanted[4] = {false, true, true, false};
	struct vrs_packet_relay *relay;
	AVPacket *pkt = av_packet_alloc();
	bool waiting;

	(void)state;
	assert_int_equal(vrs_packet_relay_create(&relay, candidates, 4, VRS_RELAY_MAX_BYTES), VRS_OK);
	for (int i = 0; i < 100; i++) {
		put(relay, 0, i, 10); /* video: not relayed */
		put(relay, 1, i, 10);
		put(relay, 2, i * 1000, 10);
		put(relay, 3, i, 10);
	}
	assert_true(vrs_packet_relay_wants(relay, 3));
	assert_true(vrs_packet_relay_claim(relay, wanted));
	for (int i = 0; i < 5; i++)
		assert_int_equal(vrs_packet_relay_wants(relay, i), i == 1 || i == 2);
	assert_int_equal(take_all(relay, 0, INT64_MAX), 0);
	assert_int_equal(take_all(relay, 3, INT64_MAX), 0);
	assert_int_equal(take_all(relay, 1, 50), 50);
	assert_int_equal(take_all(relay, 2, 1), 1);
	assert_false(vrs_packet_relay_take(relay, 1, 50, pkt, &waiting));
	assert_true(waiting);
	assert_int_equal(take_all(relay, 1, INT64_MAX), 50);
	assert_false(vrs_packet_relay_take(relay, 1, 50, pkt, &waiting));
	assert_false(waiting);
	assert_false(vrs_packet_relay_claim(relay, wanted)); /* one sink only */
	av_packet_free(&pkt);
	vrs_packet_relay_destroy(relay); /* with 99 packets inside */
}

static void unclaimed_packets_are_given_up(void **state)
{
	struct vrs_packet_relay *relay;

	(void)state;
	assert_int_equal(vrs_packet_relay_create(&relay, candidates, 4, VRS_RELAY_MAX_BYTES), VRS_OK);
	for (int i = 0; i < 5; i++)
		put(relay, 1, i, 1 << 20);
	vrs_packet_relay_begin(relay);
	put(relay, 1, 5, 1);
	assert_int_equal(take_all(relay, 1, INT64_MAX), 0);
	assert_false(vrs_packet_relay_claim(relay, candidates)); /* too late, and it says so */
	vrs_packet_relay_destroy(relay);
}

/* What lies before the first picture waits for the sink, whose opening comes after it. */
static void much_before_the_first_picture(void **state)
{
	struct vrs_packet_relay *relay;

	(void)state;
	for (int over = 0; over < 2; over++) {
		assert_int_equal(vrs_packet_relay_create(&relay, candidates, 4, 20 << 20), VRS_OK);
		for (int i = 0; i < 20 + over; i++)
			put(relay, 1, i, 1 << 20);
		assert_int_equal(vrs_packet_relay_claim(relay, candidates), !over);
		assert_int_equal(take_all(relay, 1, INT64_MAX), over ? 0 : 20);
		vrs_packet_relay_destroy(relay);
	}
}

static void ignore(void *cookie, enum vrs_log_level level, const char *line)
{
	int *warnings = cookie;

	(void)line;
	*warnings += level == VRS_LOG_WARNING;
}

static void memory_is_bounded(void **state)
{
	struct vrs_packet_relay *relay;
	int warnings = 0;
	int kept;

	(void)state;
	vrs_log_set_sink(ignore, &warnings);
	assert_int_equal(vrs_packet_relay_create(&relay, candidates, 4, VRS_RELAY_MAX_BYTES), VRS_OK);
	assert_true(vrs_packet_relay_claim(relay, candidates));
	for (int i = 0; i < 80; i++)
		put(relay, 1, i, 8 << 20);
	kept = take_all(relay, 1, INT64_MAX);
	assert_int_equal(kept, VRS_RELAY_MAX_BYTES / (8 << 20));
	assert_int_equal(warnings, 1);
	vrs_packet_relay_stop(relay);
	put(relay, 1, 0, 10);
	assert_int_equal(take_all(relay, 1, INT64_MAX), 0);
	vrs_packet_relay_destroy(relay);
	vrs_packet_relay_destroy(NULL);
	vrs_log_set_sink(NULL, NULL);
}

/* A job that may use little memory ends where another would go on: neither loses audio for it. */
static void more_than_the_job_may_use(void **state)
{
	struct vrs_packet_relay *relay;
	AVPacket *pkt = av_packet_alloc();

	(void)state;
	assert_non_null(pkt);
	assert_int_equal(vrs_packet_relay_create(&relay, candidates, 4, VRS_RELAY_MAX_BYTES), VRS_OK);
	assert_true(vrs_packet_relay_claim(relay, candidates));
	vrs_packet_relay_bound(relay, 0);
	for (uint64_t bytes = 0; bytes < VRS_RELAY_LEAST_BYTES; bytes += 1 << 20)
		put(relay, 1, (int64_t)bytes, 1 << 20);
	assert_false(vrs_packet_relay_has_room(relay));
	assert_int_equal(av_new_packet(pkt, 1), 0);
	pkt->stream_index = 1;
	assert_int_equal(vrs_packet_relay_put(relay, pkt), VRS_ELIMIT);
	assert_null(pkt->data);
	assert_int_equal(take_all(relay, 1, INT64_MAX), VRS_RELAY_LEAST_BYTES >> 20);
	av_packet_free(&pkt);
	vrs_packet_relay_destroy(relay);
}

/* Small packets: the limit is one of memory, not that of a queue of FFmpeg's (131072 packets), and it holds for what a packet takes itself. */
static void many_packets(void **state)
{
	static const struct {
		uint64_t max_bytes;
		int count, kept;
	} rows[] = {{VRS_RELAY_MAX_BYTES, 140000, 140000}, {1 << 20, 5000, 4096}};
	int warnings = 0;

	(void)state;
	vrs_log_set_sink(ignore, &warnings);
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		struct vrs_packet_relay *relay;

		assert_int_equal(vrs_packet_relay_create(&relay, candidates, 4, rows[r].max_bytes), VRS_OK);
		assert_true(vrs_packet_relay_claim(relay, candidates));
		for (int i = 0; i < rows[r].count; i++)
			put(relay, 1, i, 1);
		assert_int_equal(vrs_packet_relay_has_room(relay), r == 0);
		assert_int_equal(take_all(relay, 1, INT64_MAX), rows[r].kept);
		assert_true(vrs_packet_relay_has_room(relay));
		vrs_packet_relay_destroy(relay);
	}
	assert_int_equal(warnings, 1);
	vrs_log_set_sink(NULL, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams_are_independent),
		cmocka_unit_test(unclaimed_packets_are_given_up),
		cmocka_unit_test(much_before_the_first_picture),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(more_than_the_job_may_use),
		cmocka_unit_test(many_packets),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
