/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the rule by which a live job leaves frames undecoded, with decoders and a clock that are simulated: a fast decoder decodes everything, one
 * that is a little too slow keeps up without unreferenced frames, a far too slow one jumps, its lag stays bounded; after a hold-up everything is
 * decoded again, tries that fail become rarer, and a decoder that waits for its input is not blamed, nor for how long its sender was silent.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pipeline/live_skip.h"

#define MS INT64_C(1000000)
#define FRAME (20 * MS) /* 50 frames a second */

/* Every third frame is referenced, every 50th is a key frame. */
struct decoder {
	struct vrs_live_skip rule;
	int64_t now, cost;       /* of decoding one frame */
	int64_t frame, jump_to;  /* the next one; where a jump ends */
	bool unreferenced;
	int decoded, skipped, jumps, tries;
	int64_t worst_lag;
};

/* The next frame that is decoded; frames in between are left out. */
static void decode(struct decoder *d)
{
	for (; (d->unreferenced && d->frame % 3 != 0) || (d->jump_to && (d->frame < d->jump_to || d->frame % 50 != 0)); d->frame++)
		d->skipped++;
	d->jump_to = 0;
	int64_t due = d->frame * FRAME, waited = due > d->now ? due - d->now : 0;
	d->now += waited + d->cost;
	d->decoded++;
	d->frame++;
	int64_t lag = d->now - due;
	d->worst_lag = lag > d->worst_lag ? lag : d->worst_lag;
	enum vrs_live_skip_step step = vrs_live_skip_next(&d->rule, d->now, lag, waited, FRAME);
	if (step == VRS_LIVE_SKIP_UNREFERENCED || step == VRS_LIVE_SKIP_NOTHING)
		d->unreferenced = step == VRS_LIVE_SKIP_UNREFERENCED;
	d->tries += step == VRS_LIVE_SKIP_NOTHING;
	if (step == VRS_LIVE_SKIP_JUMP) {
		d->jumps++;
		d->jump_to = d->frame + lag / FRAME;
	}
}

static struct decoder run(int64_t cost, int seconds)
{
	struct decoder d = {.cost = cost};
	while (d.now < seconds * 1000 * MS)
		decode(&d);
	return d;
}

static void test_fast(void **state)
{
	(void)state;
	struct decoder d = run(19 * MS, 60);
	assert_int_equal(d.skipped, 0);
	assert_in_range(d.decoded, 2990, 3001);
}

static void test_a_little_slow(void **state)
{
	(void)state;
	struct decoder d = run(25 * MS, 60); /* 40 of 50 frames a second: without two thirds of them it is fast */
	assert_int_equal(d.jumps, 0);
	assert_true(d.skipped > 0);
	assert_true(d.worst_lag < 200 * MS);
	assert_in_range(d.tries, 2, 8); /* 1 + 2 + 4 + 8 + 16 + 32 s; without doubling it were some 35 */
}

static void test_far_too_slow(void **state)
{
	(void)state;
	struct decoder d = run(150 * MS, 60); /* without unreferenced frames 60 ms would be left for each */
	assert_true(d.jumps >= 5);
	assert_true(d.worst_lag < 1000 * MS + 10 * 150 * MS);
	assert_true(d.decoded > 200); /* of 400 at most: a jump that ends before its key frame is due leaves it idle for a second at most */
	assert_int_equal(d.decoded + d.skipped, d.frame);
}

static void test_hold_up(void **state)
{
	(void)state;
	struct decoder d = {.cost = 5 * MS};
	while (d.now < 5000 * MS)
		decode(&d);
	assert_int_equal(d.skipped, 0);
	d.now += 400 * MS;
	while (d.now < 6000 * MS)
		decode(&d);
	assert_true(d.skipped > 0);
	while (d.now < 10000 * MS)
		decode(&d);
	assert_false(d.unreferenced);
	assert_int_equal(d.jumps, 0);
	assert_int_equal(d.tries, 1);
	/* long after, it counts as the first time again */
	assert_int_equal(d.rule.patience_ns, 1000 * MS);
	d.now += 400 * MS;
	while (d.now < 20000 * MS)
		decode(&d);
	assert_int_equal(d.rule.patience_ns, 1000 * MS);
}

/* Frames that are late because the sender was silent come to a decoder that waited for them. */
static void test_silent_sender(void **state)
{
	(void)state;
	struct vrs_live_skip rule = {0};
	for (int i = 0; i < 100; i++)
		assert_int_equal(vrs_live_skip_next(&rule, 5000 * MS + i * FRAME, 5000 * MS, 15 * MS, FRAME), VRS_LIVE_SKIP_KEEP);
	assert_int_equal(vrs_live_skip_next(&rule, 8000 * MS, 5000 * MS, 0, FRAME), VRS_LIVE_SKIP_UNREFERENCED);
	assert_int_equal(vrs_live_skip_next(&rule, 8100 * MS, 5000 * MS, 0, FRAME), VRS_LIVE_SKIP_KEEP); /* the step has to show first */
	assert_int_equal(vrs_live_skip_next(&rule, 8600 * MS, 5000 * MS, 0, FRAME), VRS_LIVE_SKIP_JUMP);
}

/* Its time stamps go on where they were, so that all that comes is late, and the decoder has little time to wait. */
static void test_sender_that_paused(void **state)
{
	(void)state;
	struct vrs_live_skip rule = {0};
	int64_t now = 25000 * MS, late = 20000 * MS;
	assert_int_equal(vrs_live_skip_next(&rule, now, late, 20000 * MS, FRAME), VRS_LIVE_SKIP_KEEP);
	for (int i = 1; i <= 5; i++)
		assert_int_equal(vrs_live_skip_next(&rule, now + i * FRAME, late, MS, FRAME), VRS_LIVE_SKIP_KEEP);
	assert_int_equal(vrs_live_skip_next(&rule, now + 6 * FRAME, late, MS, FRAME), VRS_LIVE_SKIP_UNREFERENCED);
	for (int i = 7; i <= 50; i++)
		assert_int_equal(vrs_live_skip_next(&rule, now + i * FRAME, late, MS, FRAME), VRS_LIVE_SKIP_KEEP);
	/* a backlog that is no older than the silence */
	assert_int_equal(vrs_live_skip_next(&rule, now + 51 * FRAME, late, MS, FRAME), VRS_LIVE_SKIP_JUMP);
	assert_int_equal(rule.lag_ns, 51 * FRAME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fast),
		cmocka_unit_test(test_a_little_slow),
		cmocka_unit_test(test_far_too_slow),
		cmocka_unit_test(test_hold_up),
		cmocka_unit_test(test_silent_sender),
		cmocka_unit_test(test_sender_that_paused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
