/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards live jobs: quantiles only where enough frames support them, the newest frame winning in a full queue, the bound on frames in flight, the
 * time-out of batches, the numbers of frames in loops of which frames were dropped, and whole jobs at the rate of a file whose output is slowed on
 * purpose: every frame is shown or counted as dropped, a slow frame charges those behind it, latency stays bounded, and time goes on over what was
 * left out.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/latency.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "flow/inflight.h"
#include "pipeline/live_stage.h"
#include "flow/stage_queue.h"

#include <vrseg/pipeline.h>

#include "small_network.h"

#define FLAT_CLIP VRS_TEST_DIR "/data/person_flat.mp4" /* 60 frames, 30 a second */
#define MS 1000000

static void test_quantiles(void **state)
{
	(void)state;
	struct vrs_latency *latency = vrs_calloc(1, sizeof *latency);
	uint64_t ns;
	assert_int_equal(vrs_latency_needs(0.50), 20);
	assert_int_equal(vrs_latency_needs(0.95), 200);
	assert_int_equal(vrs_latency_needs(0.99), 1000);
	for (int i = 0; i < 19; i++)
		vrs_latency_add(latency, 10 * MS);
	assert_false(vrs_latency_quantile(latency, 0.5, &ns));
	vrs_latency_add(latency, 10 * MS);
	assert_true(vrs_latency_quantile(latency, 0.5, &ns));
	assert_int_equal(ns, 10 * MS); /* never above the largest */
	assert_false(vrs_latency_quantile(latency, 0.95, &ns));
	memset(latency, 0, sizeof *latency);
	/* 1 us .. 100 s in steps of 10 us: each quantile within 0.8 % */
	for (uint64_t us = 1; us <= 10000000; us += 10)
		vrs_latency_add(latency, us * 1000);
	static const double quantiles[] = {0.001, 0.5, 0.95, 0.99, 0.9999};
	for (int i = 0; i < 5; i++) {
		assert_true(vrs_latency_quantile(latency, quantiles[i], &ns));
		assert_true(fabs((double)ns / 1e10 / quantiles[i] - 1) < 1.0 / VRS_LATENCY_FINE + 1e-3);
	}
	vrs_latency_add(latency, UINT64_MAX); /* beyond the last bucket */
	assert_true(vrs_latency_quantile(latency, 0.5, &ns));
	vrs_free(latency);
}

static void test_newest_wins(void **state)
{
	(void)state;
	struct vrs_stage_queue *queue;
	int items[8];
	void *old, *got[4];
	uint64_t wait = 0, first;
	assert_int_equal(vrs_stage_queue_create(&queue, 2), VRS_OK);
	for (int i = 0; i < 5; i++) {
		assert_true(vrs_stage_queue_replace(queue, &items[i], &old));
		assert_ptr_equal(old, i < 2 ? NULL : &items[i - 2]);
	}
	assert_int_equal(vrs_stage_queue_depth(queue), 2);
	assert_int_equal(vrs_stage_queue_pop_within(queue, got, 1, 0, &first, &wait), 1);
	assert_ptr_equal(got[0], &items[3]);
	assert_int_equal(first, 0); /* places without gaps, whatever was dropped */
	assert_true(vrs_stage_queue_replace(queue, &items[5], &old));
	assert_null(old);
	assert_int_equal(vrs_stage_queue_pop_within(queue, got, 2, 0, &first, &wait), 2);
	assert_ptr_equal(got[0], &items[4]);
	assert_ptr_equal(got[1], &items[5]);
	assert_int_equal(first, 1);
	assert_int_equal(wait, 0);
	/* a batch that does not fill goes after the time-out */
	assert_true(vrs_stage_queue_replace(queue, &items[6], &old));
	uint64_t begin = vrs_now_ns();
	assert_int_equal(vrs_stage_queue_pop_within(queue, got, 4, 30 * MS, &first, &wait), 1);
	assert_true(vrs_now_ns() - begin >= 30 * MS);
	assert_int_equal(first, 3);
	vrs_stage_queue_abort(queue);
	assert_false(vrs_stage_queue_replace(queue, &items[7], &old));
	vrs_stage_queue_destroy(queue);
}

/* Late ones beside the next ones, and only as many as wait too long; shed ones leave no gap. */
static void test_late_ones(void **state)
{
	(void)state;
	struct vrs_stage_queue *queue;
	int items[8], late = 3;
	void *old, *got[4];
	uint64_t wait = 0, first;
	assert_int_equal(vrs_stage_queue_create(&queue, 5), VRS_OK);
	for (int i = 0; i < 4; i++)
		assert_true(vrs_stage_queue_replace(queue, &items[i], &old));
	assert_int_equal(vrs_stage_queue_pop_late(queue, got, 1, 2, &late, 0, &first, &wait), 3);
	assert_int_equal(late, 2);
	assert_ptr_equal(got[2], &items[2]);
	late = 3;
	assert_true(vrs_stage_queue_replace(queue, &items[4], &old));
	assert_int_equal(vrs_stage_queue_pop_late(queue, got, 1, 2, &late, 0, &first, &wait), 1); /* two wait, which is no more than may */
	assert_int_equal(late, 0);
	for (int i = 5; i < 8; i++)
		assert_true(vrs_stage_queue_replace(queue, &items[i], &old));
	late = 1;
	assert_int_equal(vrs_stage_queue_pop_late(queue, got, 1, 2, &late, 0, &first, &wait), 2);
	assert_int_equal(late, 1);
	assert_int_equal(first, 4);
	assert_ptr_equal(vrs_stage_queue_shed(queue, 1), &items[6]);
	assert_null(vrs_stage_queue_shed(queue, 1));
	assert_int_equal(vrs_stage_queue_pop_within(queue, got, 1, 0, &first, &wait), 1);
	assert_ptr_equal(got[0], &items[7]);
	assert_int_equal(first, 6);
	vrs_stage_queue_destroy(queue);
}

static void test_riders(void **state)
{
	(void)state;
	struct vrs_inflight *flight;
	uint64_t wait = 0;
	assert_int_equal(vrs_inflight_create(&flight, 2, 3), VRS_OK);
	assert_true(vrs_inflight_enter(flight, 2, &wait));
	assert_int_equal(vrs_inflight_add(flight, 2), 2);
	assert_int_equal(vrs_inflight_add(flight, 2), 1);
	assert_int_equal(vrs_inflight_add(flight, 2), 0);
	vrs_inflight_leave(flight, 1);
	assert_true(vrs_inflight_enter(flight, 1, &wait)); /* riders take no place of others */
	vrs_inflight_release(flight, 2);
	assert_int_equal(vrs_inflight_add(flight, 4), 2);
	assert_int_equal(wait, 0);
	vrs_inflight_destroy(flight);
}

/* Frame `seq` of the decoder, in a loop that begins with frame `loop_seq`. */
static void decode_one(struct vrs_flow *flow, uint64_t seq, uint64_t loop_seq)
{
	struct vrs_frame_task *task = vrs_calloc(1, sizeof *task);
	void *old;
	assert_non_null(task);
	task->seq = seq;
	task->loop_seq = loop_seq;
	assert_true(vrs_stage_queue_replace(flow->decoded, task, &old));
	if (old)
		vrs_frame_task_free(old);
}

static void take_one(struct vrs_flow *flow, uint64_t seq, uint64_t loop_seq)
{
	const struct vrs_live_take take = {.group = 1, .room = 1};
	struct vrs_frame_task *task;
	uint64_t wait = 0;
	assert_int_equal(vrs_live_take(&take, flow, &task, &wait), 1);
	assert_int_equal(task->seq, seq);
	assert_int_equal(task->loop_seq, loop_seq);
	assert_int_equal(vrs_frame_task_phase(task), seq - loop_seq);
	vrs_live_leave(flow, task);
	vrs_frame_task_free(task);
}

/* Loops of ten frames, through a queue of two: in each the first frame that was not dropped is the first one. */
static void test_loops(void **state)
{
	(void)state;
	struct vrs_flow flow = {.live = true};
	vrs_flow_init(&flow);
	assert_true(vrs_flow_begin(&flow, 0, 0));
	assert_int_equal(vrs_stage_queue_create(&flow.decoded, 2), VRS_OK);
	assert_int_equal(vrs_inflight_create(&flow.inflight, 0, 0), VRS_OK);
	vrs_live_number(&flow);
	for (uint64_t seq = 0; seq < 5; seq++)
		decode_one(&flow, seq, 0); /* 0 to 2 leave the queue */
	take_one(&flow, 0, 0);
	take_one(&flow, 1, 0);
	for (uint64_t seq = 5; seq < 12; seq++)
		decode_one(&flow, seq, seq / 10 * 10);
	take_one(&flow, 2, 2); /* 10 */
	decode_one(&flow, 12, 10);
	decode_one(&flow, 13, 10); /* 11 leaves */
	take_one(&flow, 3, 2);
	take_one(&flow, 4, 2);
	for (uint64_t seq = 14; seq < 23; seq++)
		decode_one(&flow, seq, seq / 10 * 10); /* 20 leaves too */
	take_one(&flow, 5, 5);
	take_one(&flow, 6, 5);
	for (uint64_t seq = 23; seq < 45; seq++) /* nothing is taken of the fourth loop */
		decode_one(&flow, seq, seq / 10 * 10);
	take_one(&flow, 7, 7);
	take_one(&flow, 8, 7);
	vrs_flow_fini(&flow);
}

struct run {
	struct vrs_job *job;
	int sleep_ms, sleep_at;   /* after each frame, or after the one */
	int await;                /* the first frame waits until that many mattes are ahead, or half a minute */
	_Atomic int mattes, frames, most; /* most: mattes ahead of frames */
};

static void on_matte(void *cookie, int64_t index, int eye, const struct vrs_matte *matte, const struct vrs_rect *covers)
{
	struct run *run = cookie;
	(void)index, (void)eye, (void)matte, (void)covers;
	int ahead = atomic_fetch_add(&run->mattes, 1) + 1 - atomic_load(&run->frames);
	if (ahead > atomic_load(&run->most))
		atomic_store(&run->most, ahead);
}

static void on_frame(void *cookie, const struct vrs_frame_times *times)
{
	struct run *run = cookie;
	assert_int_equal(times->index, atomic_load(&run->frames)); /* shown frames are numbered without gaps */
	for (int i = 0; i < 3000 && times->index == 0 && atomic_load(&run->mattes) < run->await; i++)
		usleep(10000);
	if (run->sleep_ms && (run->sleep_at < 0 || run->sleep_at == times->index))
		usleep((useconds_t)run->sleep_ms * 1000);
	atomic_fetch_add(&run->frames, 1);
}

static struct vrs_settings settings_of(bool live, int frames)
{
	struct vrs_settings settings;
	assert_true(small_network_settings(&settings));
	snprintf(settings.output.file, sizeof settings.output.file, "null:");
	settings.pipeline.live = live;
	settings.pipeline.max_frames = frames;
	settings.engine.streams = 2;
	(void)vrs_strcpy(settings.engine.backend, sizeof settings.engine.backend, "null"); /* what is slow here is slow on purpose */
	return settings;
}

static void run_job(struct run *run, const struct vrs_settings *settings, struct vrs_job_stats *stats)
{
	struct vrs_error err = {0};
	struct vrs_job_callbacks callbacks = {.cookie = run, .on_frame = on_frame, .on_matte = on_matte};
	enum vrs_status status = vrs_job_create(&run->job, FLAT_CLIP, settings, 1, &callbacks, &err);
	if (status == VRS_OK)
		status = vrs_job_run(run->job, &err);
	if (status != VRS_OK)
		print_message("%s\n", err.text);
	assert_int_equal(status, VRS_OK);
	vrs_job_stats(run->job, stats);
	vrs_job_destroy(run->job);
}

/* Every frame is shown or dropped. A machine so busy that decoding falls behind may leave out more than the last one that is asked for. */
static void assert_counts(const struct vrs_job_stats *stats, uint64_t frames)
{
	assert_int_equal(stats->frames_done + stats->live.dropped, stats->live.captured);
	assert_in_range(stats->live.captured, frames, stats->live.skipped ? UINT64_MAX : frames);
}

struct starts {
	uint64_t first_ns, last_ns;
	int frames;
};

static void on_start(void *cookie, const struct vrs_frame_times *times)
{
	struct starts *starts = cookie;
	if (starts->frames++ == 0)
		starts->first_ns = times->intended_ns;
	else
		assert_true(times->intended_ns > starts->last_ns);
	starts->last_ns = times->intended_ns;
	assert_true(times->end_ns[VRS_STAGE_ENCODE] > times->intended_ns);
}

/* The flat clip in a loop, at another rate. */
static void run_loops(struct vrs_settings *settings, int loops, double fps, struct starts *starts, struct vrs_job_stats *stats)
{
	struct vrs_job_callbacks callbacks = {.cookie = starts, .on_frame = on_start};
	struct vrs_error err = {0};
	struct vrs_job *job;
	settings->pipeline.live_fps = fps;
	assert_int_equal(vrs_job_create(&job, FLAT_CLIP, settings, loops, &callbacks, &err), VRS_OK);
	assert_int_equal(vrs_job_run(job, &err), VRS_OK);
	vrs_job_stats(job, stats);
	vrs_job_destroy(job);
	assert_counts(stats, (uint64_t)loops * 60);
}

/* 60 frames of 30 a second, twice, at 200 a second: the last one is meant to begin 119 / 200 s after the first one, whatever was dropped. */
static void test_rate_and_loops(void **state)
{
	(void)state;
	struct vrs_settings settings = settings_of(true, 0);
	struct starts starts = {0};
	struct vrs_error err = {0};
	struct vrs_job_stats stats;
	struct vrs_job *job;
	run_loops(&settings, 2, 200, &starts, &stats);
	assert_int_equal(stats.frames_done, starts.frames);
	/* the newest frame is never dropped, but a machine too busy to decode 200 a second may leave out the last one */
	assert_in_range(starts.last_ns - starts.first_ns, stats.live.skipped ? 0 : 590 * (uint64_t)MS, 600 * (uint64_t)MS);
	settings.pipeline.live = false;
	assert_int_equal(vrs_job_create(&job, FLAT_CLIP, &settings, 1, NULL, &err), VRS_ECONFIG);
	assert_non_null(strstr(err.text, "--live-fps needs --live"));
}

/* Far too fast, so that decoding leaves out the end of some loops: the time of what was left out passes all the same. */
static void test_time_of_loops(void **state)
{
	(void)state;
	enum { LOOPS = 24, LOOP_NS = 60 * MS };
	struct vrs_settings settings = settings_of(true, 0);
	struct starts starts = {0};
	struct vrs_job_stats stats;
	run_loops(&settings, LOOPS, 1000, &starts, &stats);
	assert_in_range(starts.last_ns - starts.first_ns, (LOOPS - 1) * LOOP_NS, LOOPS * LOOP_NS - 1); /* the first frame of a loop is never left out */
}

static void on_again(void *cookie, const struct vrs_frame_times *times)
{
	int *early = cookie;
	*early += times->intended_ns > times->start_ns[VRS_STAGE_DECODE] + MS;
}

/* The film of 60 frames begins anew in the time before its next frame is due, so that this one is not late because of it. */
static void test_again_in_time(void **state)
{
	(void)state;
	int early = 0;
	for (int i = 0; i < 12 && early == 0; i++) { /* a busy machine may take more than the time of a frame: 20 ms at first, 160 ms at last */
		struct vrs_settings settings = settings_of(true, 62);
		struct vrs_job_callbacks callbacks = {.cookie = &early, .on_frame = on_again};
		struct vrs_error err = {0};
		struct vrs_job *job;
		settings.pipeline.live_fps = 50.0 / (1 << i / 3);
		assert_int_equal(vrs_job_create(&job, FLAT_CLIP, &settings, 0, &callbacks, &err), VRS_OK);
		assert_int_equal(vrs_job_run(job, &err), VRS_OK);
		vrs_job_destroy(job);
	}
	assert_true(early > 0);
}

static void test_slow_output(void **state)
{
	(void)state;
	struct run run = {.sleep_ms = 150, .sleep_at = -1};
	struct vrs_settings settings = settings_of(true, 45);
	struct vrs_job_stats stats;
	run_job(&run, &settings, &stats);
	assert_counts(&stats, 45);
	/* 1.5 s of film and what is under way after it, at seven frames a second: at most 16; a busy machine shows fewer */
	assert_in_range(stats.frames_done, 2, 18);
	assert_true(stats.wall_ns >= 44 * (uint64_t)1000 * MS / 30);
	/* five frames are under way or wait, so none is later than some ten of them take; without dropping the last one would be 35 frames late */
	assert_true(stats.live.max_latency_ns >= 150 * MS);
	assert_true(stats.live.max_latency_ns <= 10 * stats.wall_ns / stats.frames_done);
	assert_false(stats.live.known[2]);
	assert_int_equal(stats.live.needs[2], 1000);
}

struct repeats {
	uint64_t last;
	int frames, equal;
};

static void on_repeat(void *cookie, int64_t index, int eye, const struct vrs_matte *matte, const struct vrs_rect *covers)
{
	struct repeats *repeats = cookie;
	uint64_t hash = vrs_hash(VRS_HASH_INIT, covers, sizeof *covers);
	(void)index, (void)eye;
	hash = vrs_hash(hash, matte->data, (size_t)matte->stride * (size_t)matte->height);
	repeats->equal += repeats->frames++ > 0 && hash == repeats->last;
	repeats->last = hash;
}

static void run_slow_network(int late_frames, struct repeats *repeats, struct vrs_job_stats *stats)
{
	struct vrs_settings settings = settings_of(true, 60);
	struct vrs_job_callbacks callbacks = {.cookie = repeats, .on_matte = on_repeat};
	struct vrs_error err = {0};
	struct vrs_job *job;
	(void)vrs_strcpy(settings.engine.backend, sizeof settings.engine.backend, "cpu");
	settings.engine.streams = settings.engine.threads = 1;
	settings.engine.input_size[0] = settings.engine.input_size[1] = 512;
	settings.pipeline.live_fps = 300;
	settings.pipeline.late_frames = late_frames;
	assert_int_equal(vrs_job_create(&job, FLAT_CLIP, &settings, 1, &callbacks, &err), VRS_OK);
	assert_int_equal(vrs_job_run(job, &err), VRS_OK);
	vrs_job_stats(job, stats);
	vrs_job_destroy(job);
	assert_counts(stats, 60);
	assert_int_equal(repeats->frames, stats->frames_done);
}

/* A network of some 10 ms, and a frame every 3 ms. */
static void test_slow_network(void **state)
{
	(void)state;
	struct repeats reuse = {0}, drop = {0};
	struct vrs_job_stats stats;
	run_slow_network(VRS_LATE_DROP, &drop, &stats);
	assert_int_equal(stats.live.reused, 0);
	assert_int_equal(drop.equal, 0);
	run_slow_network(VRS_LATE_REUSE, &reuse, &stats);
	assert_true(stats.live.reused > 0);
	assert_int_equal(stats.live.reused, reuse.equal);
	assert_int_equal(stats.live.reused, stats.frames_reused);
}

/* One hold-up of 600 ms is charged to the frames that came in the meantime, not only to the one that caused it. */
static void test_one_hold_up(void **state)
{
	(void)state;
	struct run run = {.sleep_ms = 600, .sleep_at = 10};
	struct vrs_settings settings = settings_of(true, 45);
	struct vrs_job_stats stats;
	run_job(&run, &settings, &stats);
	assert_counts(&stats, 45);
	assert_true(stats.live.dropped >= 8);
	assert_true(stats.live.max_latency_ns >= 500 * MS);
}

static void test_frames_in_flight(void **state)
{
	(void)state;
	struct vrs_settings settings = settings_of(false, 30);
	struct vrs_job_stats free_stats, stats;
	settings.pipeline.queue_size = 8;
	struct run free_run = {.await = 6};
	run_job(&free_run, &settings, &free_stats);
	assert_true(free_run.most > 4);
	settings.pipeline.frames_in_flight = 2;
	struct run run = {.sleep_ms = 20, .sleep_at = -1};
	run_job(&run, &settings, &stats);
	assert_int_equal(stats.frames_done, 30);
	assert_true(run.most <= 3); /* two, and the one that is being counted */
	assert_true(stats.queue_bytes < free_stats.queue_bytes);
	/* a batch that could never fill is refused */
	struct vrs_error err = {0};
	struct vrs_job *job;
	settings.engine.batch_size = 4;
	assert_int_equal(vrs_job_create(&job, FLAT_CLIP, &settings, 1, NULL, &err), VRS_ECONFIG);
	assert_non_null(strstr(err.text, "less than the 4 frames that fill a batch of 4"));
	settings.pipeline.frames_in_flight = 4;
	struct run batched = {0};
	run_job(&batched, &settings, &stats);
	assert_int_equal(stats.frames_done, 30);
}

/* Ten frames a second in batches of four: the first one of a batch waits 300 ms for the others, or the time-out. */
static void test_batch_timeout(void **state)
{
	(void)state;
	struct vrs_settings settings = settings_of(true, 20);
	struct vrs_job_stats stats;
	settings.pipeline.every_nth = 3;
	settings.engine.batch_size = 4;
	struct run full = {0};
	run_job(&full, &settings, &stats);
	assert_counts(&stats, 20);
	assert_true(stats.live.max_latency_ns >= 295 * MS);
	if (stats.live.known[0])
		assert_true(stats.live.latency_ns[0] >= 95 * MS);
	uint64_t full_ns = stats.live.known[0] ? stats.live.latency_ns[0] : 0;
	settings.pipeline.batch_timeout_ms = 10;
	struct run timed = {0};
	run_job(&timed, &settings, &stats);
	assert_counts(&stats, 20);
	if (stats.live.known[0] && full_ns) /* a machine too busy for ten small pictures a second has dropped some */
		assert_true(stats.live.latency_ns[0] < full_ns);
	settings.pipeline.batch_timeout_ms = 0; /* no frame waits for another one */
	struct run at_once = {0};
	run_job(&at_once, &settings, &stats);
	assert_counts(&stats, 20);
	if (stats.live.known[0] && full_ns)
		assert_true(stats.live.latency_ns[0] < full_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rate_and_loops),
		cmocka_unit_test(test_time_of_loops),
		cmocka_unit_test(test_again_in_time),
		cmocka_unit_test(test_quantiles),
		cmocka_unit_test(test_newest_wins),
		cmocka_unit_test(test_late_ones),
		cmocka_unit_test(test_riders),
		cmocka_unit_test(test_loops),
		cmocka_unit_test(test_slow_network),
		cmocka_unit_test(test_slow_output),
		cmocka_unit_test(test_one_hold_up),
		cmocka_unit_test(test_frames_in_flight),
		cmocka_unit_test(test_batch_timeout),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
