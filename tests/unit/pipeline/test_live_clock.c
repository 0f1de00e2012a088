/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the clock of live jobs: intended starts of a paced file, and of what a server gives when it is asked; of what sets its own pace, with a
 * sender, a network and a decoder that are simulated: lateness is what it is after ten hours of a sender whose clock is slow or fast, a late packet
 * is late and moves nothing, a backlog is seen as long as it lasts, also behind a silent network and where a busy CPU holds up a read, and a sender
 * that paused is not late for ever.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pipeline/live_clock.h"

#define MS INT64_C(1000000)
#define FRAME (40 * MS) /* 25 frames a second */
#define SECOND 25       /* in frames */
#define HOUR (3600 * SECOND)

static int64_t start_of(struct vrs_live_clock *clock, int64_t pts, int64_t now_ns)
{
	const struct vrs_live_arrival arrival = {.now_ns = now_ns, .frame_ns = FRAME};
	return vrs_live_clock_start(clock, pts, &arrival);
}

static void test_paced_clock(void **state)
{
	(void)state;
	struct vrs_live_clock clock = {.paced = true, .time_base_num = 1, .time_base_den = 1000};
	assert_int_equal(vrs_live_clock_due(&clock, 700, 5 * MS), 5 * MS); /* the first frame begins at once */
	assert_int_equal(start_of(&clock, 700, 5 * MS), 5 * MS);
	assert_int_equal(vrs_live_clock_due(&clock, 740, 6 * MS), 45 * MS);
	/* frames that come late keep the start that they were meant to have, also after a long hold-up */
	assert_int_equal(start_of(&clock, 740, 500 * MS), 45 * MS);
	assert_int_equal(start_of(&clock, 780, 501 * MS), 85 * MS);
	assert_int_equal(start_of(&clock, 2780, 502 * MS), 2085 * MS);
	assert_int_equal(start_of(&clock, 60700, 90005 * MS), 60005 * MS);
}

static int64_t pulled_start(struct vrs_live_clock *clock, int64_t pts, int64_t now_ns, int64_t data_ns)
{
	const struct vrs_live_arrival arrival = {.now_ns = now_ns, .waited_ns = data_ns, .data_ns = data_ns, .frame_ns = FRAME};
	return vrs_live_clock_start(clock, pts, &arrival);
}

/* Seconds come at once, then a wait for the next: short ones move nothing, longer ones all that follows, and a slow decoder nothing. */
static void test_pulled_clock(void **state)
{
	(void)state;
	struct vrs_live_clock clock = {.paced = true, .pulled = true, .time_base_num = 1, .time_base_den = 1000};
	assert_int_equal(pulled_start(&clock, 0, 900 * MS, 900 * MS), 900 * MS);
	assert_int_equal(vrs_live_clock_due(&clock, 6000, 901 * MS), 6900 * MS); /* what is there early waits */
	assert_int_equal(pulled_start(&clock, 6000, 6900 * MS, 0), 6900 * MS);
	assert_int_equal(pulled_start(&clock, 6040, 7080 * MS, 150 * MS), 6940 * MS);
	assert_int_equal(pulled_start(&clock, 6080, 7085 * MS, 0), 6980 * MS); /* made up for */
	assert_int_equal(pulled_start(&clock, 6120, 9020 * MS, 1950 * MS), 9020 * MS - 50 * MS); /* of which we needed a part ourselves */
	assert_int_equal(vrs_live_clock_due(&clock, 6160, 9021 * MS), 9010 * MS);
	assert_int_equal(pulled_start(&clock, 6160, 12000 * MS, 10 * MS), 9010 * MS);
	/* frames that are there in time take the stall back, and no more than that */
	int64_t frame = 6200;
	for (int i = 0; i < 3000; i++, frame += 40)
		(void)pulled_start(&clock, frame, vrs_live_clock_due(&clock, frame, 0), 0);
	assert_int_equal(vrs_live_clock_due(&clock, frame, 0), (900 + frame) * MS);
}

/* A film of 25 frames a second that is played at 50: time stamps count half. */
static void test_other_rate(void **state)
{
	(void)state;
	struct vrs_live_clock clock = {.paced = true, .time_base_num = 1, .time_base_den = 1000, .own_fps = 25, .fps = 50};
	assert_int_equal(start_of(&clock, 700, 5 * MS), 5 * MS);
	assert_int_equal(start_of(&clock, 741, 30 * MS), 25 * MS); /* jitter of a coarse clock does not count */
	assert_int_equal(vrs_live_clock_due(&clock, 780, 31 * MS), 45 * MS);
}

static void test_arrival_clock(void **state)
{
	(void)state;
	struct vrs_live_clock clock = {.time_base_num = 1, .time_base_den = 1000};
	assert_int_equal(start_of(&clock, 0, 300 * MS), 300 * MS);
	assert_int_equal(vrs_live_clock_due(&clock, 40, 301 * MS), 301 * MS); /* never waits */
	/* a backlog comes faster than its time stamps: a frame cannot begin after it came, and the later ones follow it */
	assert_int_equal(start_of(&clock, 40, 310 * MS), 310 * MS);
	assert_int_equal(start_of(&clock, 80, 360 * MS), 350 * MS);
	assert_int_equal(start_of(&clock, 120, 500 * MS), 390 * MS);
}

/* Frames come in order, each when it was sent and has crossed the network, and are decoded one after the other. */
struct line {
	struct vrs_live_clock clock;
	double slow_ppm;          /* the sender's clock against ours */
	int64_t pause, stall;     /* added to when frames are sent; until then the network is silent */
	int64_t cost;             /* of decoding a frame */
	int64_t frame;            /* the next one */
	int64_t arrived, now;
	uint64_t noise;
	int64_t lag, late;        /* of the last one: by the clock, and in truth */
};

static const int64_t usual = 10 * MS; /* what decoding costs but where a test says otherwise; no lateness */

static double draw(struct line *line) /* 0 to 1 */
{
	line->noise = line->noise * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(line->noise >> 11) / 9007199254740992.0;
}

/* 4 ms as a rule, and a third of a second now and then. */
static int64_t jitter(struct line *line)
{
	double ms = -4 * log(1 - draw(line));
	return llround((draw(line) < 0.002 ? 300 : ms) * (double)MS);
}

static void one_frame(struct line *line)
{
	int64_t sent = llround((double)(line->frame * FRAME) * (1 + line->slow_ppm / 1e6)) + line->pause;
	int64_t arrived = sent + jitter(line);
	if (arrived < line->stall)
		arrived = line->stall;
	line->arrived = arrived > line->arrived ? arrived : line->arrived;
	int64_t waited = line->arrived > line->now ? line->arrived - line->now : 0;
	int64_t held_up = line->frame % 64 == 0 ? 15 * MS : MS / 5; /* reads take their time, where others use the CPU too */
	line->now += waited + held_up + line->cost;
	const struct vrs_live_arrival arrival = {.now_ns = line->now, .waited_ns = waited + held_up, .frame_ns = FRAME};
	line->lag = line->now - vrs_live_clock_start(&line->clock, line->frame * 3600, &arrival);
	line->late = line->now - sent - usual;
	line->frame++;
}

/* No frame's lag is further from the truth. */
static void run(struct line *line, int frames, int64_t tolerance)
{
	for (int i = 0; i < frames; i++) {
		one_frame(line);
		assert_in_range(line->lag - line->late + tolerance, 0, 2 * tolerance);
	}
}

static void pass(struct line *line, int frames)
{
	for (int i = 0; i < frames; i++)
		one_frame(line);
}

/* After two seconds, in which a frame has come that was not late. */
static struct line line_of(double slow_ppm)
{
	struct line line = {.clock = {.time_base_num = 1, .time_base_den = 90000}, .slow_ppm = slow_ppm, .cost = usual, .noise = 1};
	pass(&line, 2 * SECOND);
	return line;
}

static void ten_hours(double slow_ppm)
{
	struct line line = line_of(slow_ppm);
	run(&line, 5 * HOUR, 4 * MS);
	line.cost = FRAME + 8 * MS; /* too slow */
	run(&line, 60 * SECOND, 8 * MS);
	assert_true(line.lag > 10000 * MS);
	line.cost = FRAME - MS / 2; /* as fast as they come, with reading: the backlog stays */
	run(&line, 600 * SECOND, 45 * MS);
	assert_true(line.lag > 5000 * MS);
	line.cost = usual;
	pass(&line, 60 * SECOND); /* it is worked off, and the clock has time to look at what comes */
	assert_true(line.lag < 500 * MS);
	run(&line, 5 * HOUR, 4 * MS);
}

static void test_slow_sender(void **state)
{
	(void)state;
	ten_hours(50);
}

static void test_fast_sender(void **state)
{
	(void)state;
	ten_hours(-50);
}

/* The network is silent for three seconds, and the decoder only a little faster than the frames come. */
static void test_stall(void **state)
{
	(void)state;
	for (int at = 0; at < 6; at++) { /* wherever the clock is in its window */
		struct line line = line_of(50);
		line.cost = usual + 25 * MS;
		pass(&line, 20 * SECOND + at * SECOND);
		int64_t off = line.lag - line.late;
		line.stall = line.now + 3000 * MS;
		for (int i = 0; i < 60 * SECOND; i++) {
			one_frame(&line);
			assert_in_range(line.lag - line.late - off + 8 * MS, 0, 16 * MS);
		}
		assert_true(line.lag < 400 * MS);
	}
}

/* Its time stamps go on where they were. */
static void test_pause(void **state)
{
	(void)state;
	struct line line = line_of(50);
	run(&line, 60 * SECOND, 4 * MS);
	line.pause = 20000 * MS;
	one_frame(&line);
	assert_in_range(line.lag, 19900 * MS, 20400 * MS);
	pass(&line, 10 * SECOND);
	for (int i = 0; i < 60 * SECOND; i++) {
		one_frame(&line);
		assert_true(line.lag < 400 * MS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paced_clock),
		cmocka_unit_test(test_pulled_clock),
		cmocka_unit_test(test_other_rate),
		cmocka_unit_test(test_arrival_clock),
		cmocka_unit_test(test_slow_sender),
		cmocka_unit_test(test_fast_sender),
		cmocka_unit_test(test_stall),
		cmocka_unit_test(test_pause),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
