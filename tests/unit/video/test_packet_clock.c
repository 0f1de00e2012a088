/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards video/packet_clock: a jump of the clock moves all streams by the same, whichever comes first in the file; pauses of one stream, video too,
 * are no jumps; a stamp that nothing goes on from moves no other packet; containers with one clock are left alone; random stamps end; what waits is
 * bounded, and comes out in its order.
 */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/rng.h"
#include "video/packet_clock.h"

#define MOST 16
#define NONE (-1e9)

/* Streams of a row: v video, a audio, s subtitle, each with seconds; what comes out, in its order.  NONE: without a time stamp. */
struct row {
	const char *what, *container, *streams;
	double in[MOST];
	const char *out_streams;
	double out[MOST];
};

static const struct row rows[] = {
	{"regular", "mpegts", "vavav", {0, 0, 1, 1, 2}, "vavav", {0, 0, 1, 1, 2}},
	{"pause of the audio", "mpegts", "vavvvva", {0, 0, 5, 10, 15, 20, 20}, "vavvvva", {0, 0, 5, 10, 15, 20, 20}},
	{"subtitles", "mpegts", "vsvvvvs", {0, 1, 9, 18, 27, 36, 36}, "vsvvvvs", {0, 1, 9, 18, 27, 36, 36}},
	{"pause of the video", "mpegts", "vaaaava", {0, 0, 8, 16, 24, 24, 25}, "vaaaava", {0, 0, 8, 16, 24, 24, 25}},
	{"pause of both", "mpegts", "vava", {0, 0, 24, 24}, "vava", {0, 0, 1, 1}},
	{"jump ahead", "mpegts", "vavava", {0, 0, 1, 1, 102, 102}, "vavava", {0, 0, 1, 1, 2, 2}},
	{"jump back", "mpegts", "vavavs", {100, 100, 101, 101, 0, 1}, "vavavs", {100, 100, 101, 101, 102, 103}},
	{"short part again", "mpegts", "vavavavavs", {0, 0, 1, 1, 2, 2, 0, 0, 1, 2}, "vavavavavs", {0, 0, 1, 1, 2, 2, 3, 3, 4, 5}},
	{"sound of a short part late", "mpegts", "vavavvaava", {0, 0, 1, 1, 2, 0, 2, 0, 1, 1}, "vavavvaava", {0, 0, 1, 1, 2, 3, 2, 3, 4, 4}},
	{"sound of a short part first", "mpegts", "vavavaava", {0, 0, 1, 1, 2, 2, 0, 0, 1}, "vavavavaa", {0, 0, 1, 1, 2, 2, 3, 3, 4}},
	{"pause after a short part", "mpegts", "vavavavava", {0, 0, 1, 1, 2, 2, 0, 0, 6, 6}, "vavavavava", {0, 0, 1, 1, 2, 2, 3, 3, 9, 9}},
	{"one wrong picture", "mpegts", "vavavavava", {0, 0, 1, 1, 5, 5, 2, 6, 7, 7}, "vavavavava", {0, 0, 1, 1, 5, 5, 6, 6, 7, 7}},
	{"one wrong picture ahead", "mpegts", "vavavavava", {0, 0, 1, 1, 6, 2, 2, 3, 3, 4}, "vavavavava", {0, 0, 1, 1, 6, 2, 2, 3, 3, 4}},
	{"audio jumps first", "mpegts", "vavaav", {0, 0, 1, 102, 103, 102}, "vavvaa", {0, 0, 1, 2, 2, 3}},
	{"audio jumps last", "mpegts", "vavavaa", {0, 0, 1, 1, 102, 2, 102}, "vavavaa", {0, 0, 1, 1, 2, 2, 2}},
	{"wrong audio", "mpegts", "vaavavv", {0, 0, 500, 1, 1, 3, 4}, "vavvaav", {0, 0, 1, 3, NONE, 1, 4}},
	{"wrong subtitle", "mpegts", "vsvvv", {0, 500, 1, 3, 4}, "vvvsv", {0, 1, 3, 500, 4}},
	{"sound to the end", "mpegts", "vaaa", {0, 0, 500, 501}, "vaaa", {0, 0, NONE, NONE}},
	{"wrong before the video", "mpegts", "aavav", {5, 0, 5, 6, 6}, "avaav", {5, 5, NONE, 6, 6}},
	{"one clock", "matroska", "vavav", {0, 0, 50, 50, 0}, "vavav", {0, 0, 50, 50, 0}},
};

static const char kinds[] = "vas";

static AVFormatContext *open_container(const char *name)
{
	static const enum AVMediaType types[] = {AVMEDIA_TYPE_VIDEO, AVMEDIA_TYPE_AUDIO, AVMEDIA_TYPE_SUBTITLE};
	AVFormatContext *demuxer = avformat_alloc_context();

	demuxer->iformat = av_find_input_format(name);
	assert_non_null(demuxer->iformat);
	for (int i = 0; i < 3; i++) {
		AVStream *stream = avformat_new_stream(demuxer, NULL);

		stream->codecpar->codec_type = types[i];
		stream->time_base = i == 1 ? (AVRational){1, 48000} : (AVRational){1, 90000};
	}
	demuxer->streams[0]->avg_frame_rate = (AVRational){1, 1};
	return demuxer;
}

static void compare(const struct row *row, int *got, const AVFormatContext *demuxer, const AVPacket *pkt)
{
	double time = pkt->dts == AV_NOPTS_VALUE ? NONE : (double)pkt->dts * av_q2d(demuxer->streams[pkt->stream_index]->time_base);
	int i = (*got)++;

	if (row->out_streams[i] != kinds[pkt->stream_index] || fabs(row->out[i] - time) > 1e-3)
		fail_msg("%s: packet %d is %c at %g", row->what, i, kinds[pkt->stream_index], time);
	assert_true(pkt->pts == pkt->dts);
}

static void compare_waiting(const struct row *row, int *got, struct vrs_packet_clock *clock, bool all)
{
	AVPacket *pkt;

	while ((pkt = vrs_packet_clock_next(clock, all))) {
		compare(row, got, clock->demuxer, pkt);
		av_packet_free(&pkt);
	}
}

/* One that does not wait goes on. */
static bool goes_on(struct vrs_packet_clock *clock, AVPacket *pkt)
{
	bool waits;

	assert_int_equal(vrs_packet_clock_other(clock, pkt, true, &waits), VRS_OK);
	return !waits;
}

static void table(void **state)
{
	(void)state;
	for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
		AVFormatContext *demuxer = open_container(rows[r].container);
		struct vrs_packet_clock clock;
		int got = 0;

		assert_int_equal(vrs_packet_clock_init(&clock, demuxer, demuxer->streams[0]), VRS_OK);
		for (int i = 0; rows[r].streams[i]; i++) {
			AVPacket *pkt = av_packet_alloc();

			assert_int_equal(av_new_packet(pkt, 1), 0);
			pkt->stream_index = rows[r].streams[i] == 'v' ? 0 : rows[r].streams[i] == 'a' ? 1 : 2;
			pkt->pts = pkt->dts = llround(rows[r].in[i] / av_q2d(demuxer->streams[pkt->stream_index]->time_base));
			bool video = pkt->stream_index == 0;

			if (video)
				vrs_packet_clock_video(&clock, pkt);
			if (video || goes_on(&clock, pkt))
				compare(&rows[r], &got, demuxer, pkt);
			if (video)
				compare_waiting(&rows[r], &got, &clock, false);
			av_packet_free(&pkt);
		}
		compare_waiting(&rows[r], &got, &clock, true);
		assert_int_equal(rows[r].out_streams[got], '\0');
		vrs_packet_clock_fini(&clock);
		avformat_free_context(demuxer);
	}
}

/* Whatever comes, each packet comes out once. */
static void random_stamps(void **state)
{
	struct vrs_rng rng;

	(void)state;
	vrs_rng_init(&rng, 7);
	for (int round = 0; round < 200; round++) {
		AVFormatContext *demuxer = open_container("mpegts");
		struct vrs_packet_clock clock;
		AVPacket *pkt, *other = av_packet_alloc();
		int in = 0, out = 0;

		assert_int_equal(vrs_packet_clock_init(&clock, demuxer, demuxer->streams[0]), VRS_OK);
		for (int i = 0; i < 300; i++) {
			assert_int_equal(av_new_packet(other, 1), 0);
			other->stream_index = (int)vrs_rng_below(&rng, 3);
			other->pts = (int64_t)vrs_rng_next(&rng) >> vrs_rng_below(&rng, 64);
			other->dts = vrs_rng_below(&rng, 4) ? other->pts : AV_NOPTS_VALUE;
			in += other->stream_index != 0;
			if (other->stream_index == 0)
				vrs_packet_clock_video(&clock, other);
			else
				out += goes_on(&clock, other);
			av_packet_unref(other);
			for (; (pkt = vrs_packet_clock_next(&clock, i == 299)); out++)
				av_packet_free(&pkt);
			if (i % 100 == 99 && round % 2) {
				vrs_packet_clock_restart(&clock);
				in = out = 0;
			}
		}
		assert_int_equal(in, out);
		av_packet_free(&other);
		vrs_packet_clock_fini(&clock);
		avformat_free_context(demuxer);
	}
}

static void put_far_away(struct vrs_packet_clock *clock, AVPacket *pkt, int number, int size)
{
	assert_int_equal(av_new_packet(pkt, size), 0);
	pkt->stream_index = 1;
	pkt->pos = number;
	pkt->pts = pkt->dts = INT64_C(48000) * (5000 + number);
	assert_false(goes_on(clock, pkt));
}

/* Audio goes on after a jump, and no more video comes. */
static void what_waits_is_bounded(void **state)
{
	static const struct {
		int count, size, most;
	} cases[] = {{5000, 1, VRS_CLOCK_MOST_PACKETS}, {100, 1 << 20, VRS_CLOCK_MOST_BYTES >> 20}, {3, VRS_CLOCK_MOST_BYTES + 1, 1}};

	(void)state;
	for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
		AVFormatContext *demuxer = open_container("mpegts");
		struct vrs_packet_clock clock;
		AVPacket *pkt = av_packet_alloc();
		int in = 0, out = 0;

		assert_int_equal(vrs_packet_clock_init(&clock, demuxer, demuxer->streams[0]), VRS_OK);
		pkt->pts = pkt->dts = 0;
		vrs_packet_clock_video(&clock, pkt);
		pkt->stream_index = 1;
		assert_true(goes_on(&clock, pkt));
		av_packet_free(&pkt);
		while (in < cases[c].count) {
			AVPacket *other = av_packet_alloc();

			put_far_away(&clock, other, in++, cases[c].size);
			av_packet_free(&other);
			assert_true(in - out <= cases[c].most);
			while (vrs_packet_clock_is_full(&clock) && (pkt = vrs_packet_clock_next(&clock, false))) {
				assert_int_equal(pkt->pos, out++);
				av_packet_free(&pkt);
			}
		}
		for (; (pkt = vrs_packet_clock_next(&clock, true)); av_packet_free(&pkt))
			assert_int_equal(pkt->pos, out++);
		assert_int_equal(in, out);
		assert_false(vrs_packet_clock_is_full(&clock));
		vrs_packet_clock_fini(&clock);
		avformat_free_context(demuxer);
	}
}

/* Streams that nobody wants tell where they are, and keep nothing. */
static void the_unwanted_do_not_wait(void **state)
{
	AVFormatContext *demuxer = open_container("mpegts");
	AVPacket *pkt = av_packet_alloc();
	struct vrs_packet_clock clock;
	bool waits;

	(void)state;
	assert_int_equal(vrs_packet_clock_init(&clock, demuxer, demuxer->streams[0]), VRS_OK);
	pkt->pts = pkt->dts = 0;
	vrs_packet_clock_video(&clock, pkt);
	pkt->stream_index = 1;
	for (int second = 0; second < 6000; second += second < 16 ? 8 : 1) {
		pkt->pts = pkt->dts = INT64_C(48000) * (second < 24 ? second : second + 5000);
		assert_int_equal(vrs_packet_clock_other(&clock, pkt, false, &waits), VRS_OK);
		assert_false(waits);
	}
	assert_null(vrs_packet_clock_next(&clock, true));
	pkt->stream_index = 0;
	pkt->pts = pkt->dts = INT64_C(90000) * 16; /* a pause, as the audio has gone on */
	vrs_packet_clock_video(&clock, pkt);
	assert_int_equal(pkt->pts, INT64_C(90000) * 16);
	av_packet_free(&pkt);
	vrs_packet_clock_fini(&clock);
	avformat_free_context(demuxer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table),
		cmocka_unit_test(random_stamps),
		cmocka_unit_test(what_waits_is_bounded),
		cmocka_unit_test(the_unwanted_do_not_wait),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
