/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards whole jobs on the bundled clips: the same bytes for any threads, streams, batch and queue size; loops with state reset and flat memory;
 * stop; counters; and that an error in any stage ends the job with its message instead of hanging.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/stop.h"

#include <vrseg/log.h>
#include <vrseg/pipeline.h>

#include "scratch_folder.h"
#include "small_network.h"

#define VR_CLIP VRS_TEST_DIR "/data/person_vr180_sbs.mp4"
#define FLAT_CLIP VRS_TEST_DIR "/data/person_flat.mp4"

/*
 * ThreadSanitizer takes minutes of CPU for a hundred frames: every way of running threads remains, but with one kind of each job.  Races do not
 * depend on the precision of a network nor on how a matte is made, and bytes are compared in all other builds.  AddressSanitizer looks at every kind
 * of job, with the first and the last way of running threads and one between.
 */
#if defined(__SANITIZE_THREAD__)
enum { SLOW = 1, NEXT_WAY = 1 };
#elif defined(__SANITIZE_ADDRESS__)
enum { SLOW = 0, NEXT_WAY = 3 };
#else
enum { SLOW = 0, NEXT_WAY = 1 };
#endif

static struct vrs_settings defaults(void)
{
	struct vrs_settings settings;
	assert_true(small_network_settings(&settings));
	snprintf(settings.output.file, sizeof settings.output.file, "null:");
	settings.output.overwrite = true;
	return settings;
}

static void assert_ok(enum vrs_status status, const struct vrs_error *err)
{
	if (status != VRS_OK)
		print_message("%s: %s\n", vrs_status_name(status), err->text);
	assert_int_equal(status, VRS_OK);
}

/* Run to the end; the hash file's text into a new string. */
static char *hashes(struct vrs_settings *settings, const char *clip, int loops)
{
	struct vrs_error err = {0};
	struct vrs_job *job;
	struct vrs_buf text;
	snprintf(settings->output.file, sizeof settings->output.file, "hash:frames.txt");
	assert_ok(vrs_job_create(&job, clip, settings, loops, NULL, &err), &err);
	assert_ok(vrs_job_run(job, &err), &err);
	vrs_job_destroy(job);
	assert_ok(vrs_file_read("frames.txt", 1 << 20, &text, &err), &err);
	char *copy = vrs_strdup(vrs_buf_str(&text));
	vrs_buf_fini(&text);
	assert_non_null(copy);
	return copy;
}

static int line_count(const char *text)
{
	int n = 0;
	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static void test_same_bytes(void **state)
{
	(void)state;
	static const struct {
		int threads, streams, batch, queue, decode;
	} ways[] = {{1, 1, 0, 4, 1}, {2, 1, 0, 4, 2}, {1, 3, 0, 4, 2}, {1, 1, 1, 1, 1}, {1, 2, 3, 2, 1}, {1, 2, 4, 1, 3}, {2, 2, 16, 8, 2}};
	static const struct {
		const char *clip;
		enum vrs_precision precision;
	} kinds[] = {{VR_CLIP, VRS_PRECISION_FP32}, {FLAT_CLIP, VRS_PRECISION_FP32}, {VR_CLIP, VRS_PRECISION_BF16}, {VR_CLIP, VRS_PRECISION_FP16}};
	for (size_t k = 0; k < (SLOW ? 1 : sizeof kinds / sizeof kinds[0]); k++) {
		char *first = NULL;
		for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
			struct vrs_settings settings = defaults();
			settings.pipeline.max_frames = 11;
			settings.matte.smoothing = 0.5;
			settings.engine.threads = ways[i].threads;
			settings.engine.streams = ways[i].streams;
			settings.engine.batch_size = ways[i].batch;
			settings.pipeline.queue_size = ways[i].queue;
			settings.pipeline.decode_threads = ways[i].decode;
			settings.engine.precision = kinds[k].precision;
			char *text = hashes(&settings, kinds[k].clip, 1);
			assert_int_equal(line_count(text), 11);
			if (!first) {
				first = text;
				continue;
			}
			assert_string_equal(text, first);
			vrs_free(text);
		}
		vrs_free(first);
	}
}

/* The same bytes for every way of running, with what reuses mattes and what looks ahead. */
static void test_same_bytes_over_time(void **state)
{
	(void)state;
	static const struct {
		int window, stride;
		double threshold; /* of similar frames; 0: off */
		bool refine;
		int regions, scales;
		const char *clip;
	} kinds[] = {{5, 1, 0, true, 1, 1, VR_CLIP}, {1, 3, 0, false, 1, 1, VR_CLIP}, {1, 1, 0.9, false, 1, 1, VR_CLIP},
		{4, 2, 0.9, true, 1, 2, VR_CLIP}, {3, 1, 0, false, 3, 1, "synth:960x480,sbs,hequirect,frames=13,people=3"},
		{1, 2, 0.9, true, 2, 2, "synth:960x480,sbs,hequirect,frames=13,people=2"}};
	static const int ways[][3] = {{1, 0, 4}, {3, 0, 4}, {2, 3, 2}, {2, 16, 8}}; /* streams, batch, queue */
	for (size_t k = SLOW ? 5 : 0; k < sizeof kinds / sizeof kinds[0]; k++) { /* the last has all of it */
		char *first = NULL;
		for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
			struct vrs_settings settings = defaults();
			settings.pipeline.max_frames = 13;
			settings.matte.smoothing_window = kinds[k].window;
			settings.matte.stride = kinds[k].stride;
			settings.matte.skip_similar = kinds[k].threshold > 0;
			settings.matte.skip_threshold = kinds[k].threshold;
			settings.matte.refine = kinds[k].refine;
			settings.matte.max_regions = kinds[k].regions;
			settings.matte.scales = kinds[k].scales;
			settings.matte.grow = -1.5;
			settings.matte.feather = 2;
			settings.engine.streams = ways[i][0];
			settings.engine.batch_size = ways[i][1];
			settings.pipeline.queue_size = ways[i][2];
			char *text = hashes(&settings, kinds[k].clip, 1);
			assert_int_equal(line_count(text), 13);
			if (first)
				assert_string_equal(text, first);
			else
				first = vrs_strdup(text);
			vrs_free(text);
		}
		vrs_free(first);
	}
}

/* The hash that ends line n. */
static void hash_of_line(const char *text, int n, char ret_hash[64])
{
	for (; n > 0; n--)
		text = strchr(text, '\n') + 1;
	const char *end = strchr(text, '\n');
	const char *begin = end;
	while (begin > text && begin[-1] != ' ')
		begin--;
	assert_true(end - begin < 64);
	memcpy(ret_hash, begin, (size_t)(end - begin));
	ret_hash[end - begin] = 0;
}

/* Smoothing would carry the end of one loop into the next; with the reset each loop gives the same pictures. */
static void test_loops_start_anew(void **state)
{
	(void)state;
	struct vrs_settings settings = defaults();
	settings.matte.smoothing = 0.2;
	settings.pipeline.every_nth = 7;
	char *text = hashes(&settings, FLAT_CLIP, 3);
	int frames = line_count(text) / 3;
	assert_int_equal(frames, 9);
	assert_int_equal(line_count(text), 27);
	for (int i = 0; i < frames; i++) {
		char a[64], b[64], c[64];
		hash_of_line(text, i, a);
		hash_of_line(text, i + frames, b);
		hash_of_line(text, i + 2 * frames, c);
		assert_string_equal(a, b);
		assert_string_equal(a, c);
	}
	vrs_free(text);
}

static void test_every_nth_and_max_frames(void **state)
{
	(void)state;
	struct vrs_settings settings = defaults();
	settings.pipeline.max_frames = 13;
	settings.matte.follow = false; /* a frame depends on those before it otherwise */
	char *all = hashes(&settings, FLAT_CLIP, 1), a[64], b[64];
	settings.pipeline.every_nth = 4;
	settings.pipeline.max_frames = 3;
	char *some = hashes(&settings, FLAT_CLIP, 1);
	assert_int_equal(line_count(some), 3);
	for (int i = 0; i < 3; i++) {
		hash_of_line(all, 4 * i, a);
		hash_of_line(some, i, b);
		assert_string_equal(a, b);
	}
	vrs_free(all);
	vrs_free(some);
}

struct observer {
	struct vrs_job *job;
	int64_t frames, mattes;
	int stop_at;              /* vrs_job_stop after so many frames; 0: never */
	uint64_t live_bytes[8];   /* after each 60 frames */
	bool broken;              /* by on_frame; on_matte runs at the same time and has its own */
	bool matte_broken;
};

static void on_frame(void *cookie, const struct vrs_frame_times *times)
{
	struct observer *o = cookie;
	o->broken |= times->index != o->frames;
	for (int s = 0; s < VRS_STAGE_COUNT; s++)
		o->broken |= times->end_ns[s] < times->start_ns[s] || (s > 0 && times->start_ns[s] < times->start_ns[s - 1]);
	o->frames++;
	if (o->frames % 60 == 0 && o->frames / 60 <= 8)
		o->live_bytes[o->frames / 60 - 1] = vrs_mem_stats().live_bytes;
	if (o->stop_at && o->frames == o->stop_at)
		vrs_job_stop(o->job);
}

static void on_matte(void *cookie, int64_t index, int eye, const struct vrs_matte *matte, const struct vrs_rect *covers)
{
	struct observer *o = cookie;
	o->matte_broken |= index != o->mattes / 2 || eye != o->mattes % 2 || matte->width != 256 || covers->width < 1 ||
		covers->x < eye * 1024 || covers->x + covers->width > (eye + 1) * 1024;
	o->mattes++;
}

static enum vrs_status observe(struct observer *o, const struct vrs_settings *settings, const char *clip, int loops, struct vrs_job_stats *stats,
			       struct vrs_error *err)
{
	struct vrs_job_callbacks callbacks = {.cookie = o, .on_frame = on_frame, .on_matte = strcmp(clip, VR_CLIP) == 0 ? on_matte : NULL};
	assert_ok(vrs_job_create(&o->job, clip, settings, loops, &callbacks, err), err);
	enum vrs_status status = vrs_job_run(o->job, err);
	vrs_job_stats(o->job, stats);
	assert_int_equal(vrs_job_run(o->job, NULL), VRS_EINVAL);
	vrs_job_destroy(o->job);
	return status;
}

static void test_counters_and_callbacks(void **state)
{
	(void)state;
	struct vrs_settings settings = defaults();
	settings.pipeline.max_frames = 12;
	settings.engine.streams = 2;
	settings.engine.batch_size = 4;
	struct observer o = {0};
	struct vrs_job_stats stats;
	struct vrs_error err = {0};
	assert_ok(observe(&o, &settings, VR_CLIP, 1, &stats, &err), &err);
	assert_false(o.broken || o.matte_broken);
	assert_int_equal(o.frames, 12);
	assert_int_equal(o.mattes, 24);
	assert_int_equal(stats.frames_done, 12);
	assert_int_equal(stats.frames_total, 12);
	assert_int_equal(stats.loop_frames, 0);
	assert_true(stats.wall_ns > 0 && stats.cpu_ns > 0 && stats.peak_rss_bytes > 0 && stats.queue_bytes > 0);
	for (int s = 0; s < VRS_STAGE_COUNT; s++) {
		assert_int_equal(stats.stage[s].frames, 12);
		assert_true(stats.stage[s].busy_ns > 0);
		assert_true(stats.stage[s].busy_ns <= 2 * stats.wall_ns);
	}
}

/* An input that begins anew tells how many frames it holds, those between the n-th included. */
static void test_frames_of_a_loop(void **state)
{
	(void)state;
	struct vrs_settings settings = defaults();
	settings.pipeline.every_nth = 7;
	struct observer o = {0};
	struct vrs_job_stats stats;
	struct vrs_error err = {0};
	assert_ok(observe(&o, &settings, FLAT_CLIP, 2, &stats, &err), &err);
	assert_int_equal(o.frames, 18);
	assert_int_equal(stats.loop_frames, 60);
}

/* Frames, queues and sessions are made before the run: our own memory is the same after each loop. */
static void test_memory_is_flat(void **state)
{
	(void)state;
	struct vrs_settings settings = defaults();
	settings.engine.streams = 2;
	struct observer o = {0};
	struct vrs_job_stats stats;
	struct vrs_error err = {0};
	uint64_t before = vrs_mem_stats().live_bytes;
	assert_ok(observe(&o, &settings, FLAT_CLIP, 6, &stats, &err), &err);
	assert_int_equal(o.frames, 360);
	/* what differs is how many frames are on their way: small structs, no pictures */
	for (int i = 1; i < 6; i++)
		assert_in_range(o.live_bytes[i] + 32768 - o.live_bytes[0], 0, 65536);
	assert_int_equal(vrs_mem_stats().live_bytes, before);
}

static void test_stop_saves(void **state)
{
	(void)state;
	struct vrs_settings settings = defaults();
	snprintf(settings.output.file, sizeof settings.output.file, "hash:stopped.txt");
	struct observer o = {.stop_at = 5};
	struct vrs_job_stats stats;
	struct vrs_error err = {0};
	assert_int_equal(observe(&o, &settings, FLAT_CLIP, 0, &stats, &err), VRS_ESTOPPED);
	assert_true(o.frames >= 5 && o.frames < 60);
	struct vrs_buf text;
	assert_ok(vrs_file_read("stopped.txt", 1 << 20, &text, &err), &err);
	assert_int_equal(line_count(vrs_buf_str(&text)), o.frames);
	vrs_buf_fini(&text);
	/* a signal does the same */
	vrs_stop_request();
	memset(&o, 0, sizeof o);
	err = (struct vrs_error){0};
	assert_int_equal(observe(&o, &settings, FLAT_CLIP, 0, &stats, &err), VRS_ESTOPPED);
	assert_int_equal(o.frames, 0);
	vrs_stop_reset();
}

static enum vrs_status create_only(const struct vrs_settings *settings, const char *clip, struct vrs_error *err)
{
	struct vrs_job *job = NULL;
	*err = (struct vrs_error){0};
	enum vrs_status status = vrs_job_create(&job, clip, settings, 1, NULL, err);
	vrs_job_destroy(job);
	return status;
}

static void test_refusals(void **state)
{
	(void)state;
	struct vrs_error err = {0};
	struct vrs_settings settings = defaults();
	assert_int_equal(create_only(&settings, VRS_TEST_DIR "/data/missing.mp4", &err), VRS_ENOTFOUND);
	assert_non_null(strstr(err.text, "missing.mp4"));
	assert_int_equal(create_only(&settings, VRS_TEST_DIR "/data/README.md", &err), VRS_EFORMAT);
	settings.output.file[0] = 0;
	assert_int_equal(create_only(&settings, FLAT_CLIP, &err), VRS_ECONFIG);
	settings = defaults();
	settings.engine.input_size[0] = 250;
	settings.engine.input_size[1] = 256;
	assert_int_equal(create_only(&settings, FLAT_CLIP, &err), VRS_ECONFIG);
	assert_non_null(strstr(err.text, "multiples of 16"));
	settings = defaults();
	settings.output.overwrite = false;
	snprintf(settings.output.file, sizeof settings.output.file, "exists.mp4");
	FILE *f = fopen(settings.output.file, "w");
	assert_non_null(f);
	fclose(f);
	assert_int_equal(create_only(&settings, FLAT_CLIP, &err), VRS_EEXIST);
	unlink(settings.output.file);
	settings = defaults();
	snprintf(settings.engine.model, sizeof settings.engine.model, "no_such_network");
	assert_true(create_only(&settings, FLAT_CLIP, &err) != VRS_OK);
	assert_non_null(strstr(err.text, "no_such_network"));
}

/* Decode: the file breaks off in the middle. Encode: the target cannot take the bytes. */
static void test_errors_of_stages(void **state)
{
	(void)state;
	static const char path[] = "cut.mkv";
	struct vrs_buf clip;
	struct vrs_error err = {0};
	struct vrs_job *job;
	assert_ok(vrs_file_read(FLAT_CLIP, 1 << 26, &clip, &err), &err);
	/* garbage over a third in the middle: packets that cannot be decoded */
	for (size_t i = clip.len / 3; i < clip.len / 3 * 2; i++)
		clip.data[i] = (char)(i * 131 >> 3);
	assert_ok(vrs_file_replace(path, clip.data, clip.len, &err), &err);
	vrs_buf_fini(&clip);
	struct vrs_settings settings = defaults();
	settings.pipeline.queue_size = 1;
	settings.engine.streams = 2;
	enum vrs_status status = vrs_job_create(&job, path, &settings, 1, NULL, &err);
	if (status == VRS_OK) {
		status = vrs_job_run(job, &err); /* skipped packets or an error are both fine; hanging or crashing is not */
		vrs_job_destroy(job);
	}
	assert_true(status == VRS_OK || err.text[0]);
	if (access("/dev/full", W_OK) == 0) {
		err = (struct vrs_error){0};
		snprintf(settings.output.file, sizeof settings.output.file, "y4m:/dev/full");
		status = vrs_job_create(&job, FLAT_CLIP, &settings, 1, NULL, &err);
		if (status == VRS_OK) {
			status = vrs_job_run(job, &err);
			vrs_job_destroy(job);
		}
		assert_int_equal(status, VRS_ENOSPC);
		assert_true(err.text[0]);
	}
}

/* Memory runs out at the n-th allocation, before or during the run: an error with a text, nothing leaked, no hang. */
static void test_out_of_memory(void **state)
{
	(void)state;
	struct vrs_settings settings = defaults();
	settings.pipeline.max_frames = 6;
	settings.engine.streams = 2;
	uint64_t before = vrs_mem_stats().live_bytes;
	int failures = 0;
	for (uint64_t n = 1; n < 4000; n += 1 + n / 6) {
		struct vrs_error err = {0};
		struct vrs_job *job = NULL;
		vrs_mem_fail_after(n, false);
		enum vrs_status status = vrs_job_create(&job, FLAT_CLIP, &settings, 1, NULL, &err);
		if (status == VRS_OK)
			status = vrs_job_run(job, &err);
		vrs_job_destroy(job);
		bool fired = vrs_mem_fault_fired();
		vrs_mem_fail_after(0, false);
		if (status != VRS_OK) {
			assert_true(fired);
			assert_true(err.text[0]);
			failures++;
		}
		assert_int_equal(vrs_mem_stats().live_bytes, before);
	}
	assert_true(failures > 5);
}

static int setup(void **state)
{
	(void)state;
	vrs_log_set_level(VRS_LOG_ERROR);
	return scratch_folder_enter("job");
}

static int teardown(void **state)
{
	(void)state;
	static const char *const names[] = {"frames.txt", "stopped.txt", "cut.mkv"};
	for (int i = 0; i < 3; i++)
		unlink(names[i]);
	return scratch_folder_leave("job");
}

/* Holds the first matte until the job is over, as a stage that hangs does. */
static void hold_matte(void *cookie, int64_t index, int eye, const struct vrs_matte *matte, const struct vrs_rect *covers)
{
	const unsigned *held_us = cookie;
	(void)eye, (void)matte, (void)covers;
	if (index == 0)
		usleep(*held_us);
}

static void test_hanging_stage_is_named(void **state)
{
	(void)state;
	unsigned held_us = 1500000;
	struct vrs_settings settings = defaults();
	struct vrs_job_callbacks callbacks = {.cookie = &held_us, .on_matte = hold_matte};
	struct vrs_error err = {0};
	struct vrs_job *job;
	settings.pipeline.frame_timeout = 0.5;
	assert_ok(vrs_job_create(&job, FLAT_CLIP, &settings, 0, &callbacks, &err), &err);
	assert_int_equal(vrs_job_run(job, &err), VRS_ETIMEOUT);
	assert_non_null(strstr(err.text, "more than 0.5 s: postprocess does not end"));
	vrs_job_destroy(job);
	settings.pipeline.frame_timeout = 0; /* for ever */
	settings.pipeline.max_frames = 3;
	assert_ok(vrs_job_create(&job, FLAT_CLIP, &settings, 1, &callbacks, &err), &err);
	assert_ok(vrs_job_run(job, &err), &err);
	vrs_job_destroy(job);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_bytes),
		cmocka_unit_test(test_same_bytes_over_time),
		cmocka_unit_test(test_loops_start_anew),
		cmocka_unit_test(test_every_nth_and_max_frames),
		cmocka_unit_test(test_frames_of_a_loop),
		cmocka_unit_test(test_counters_and_callbacks),
		cmocka_unit_test(test_memory_is_flat),
		cmocka_unit_test(test_stop_saves),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_errors_of_stages),
		cmocka_unit_test(test_out_of_memory),
		cmocka_unit_test(test_hanging_stage_is_named),
	};
	return cmocka_run_group_tests_name("job", tests, setup, teardown);
}
