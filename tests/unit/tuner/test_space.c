/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards the tuner's space: what the user set stays, intervals bound a knob, worker counts stop at the machine, --only is checked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tuner/space.h"
#include "tuner/space_reject.h"

#include "small_network.h"

static struct vrs_config *make_config(void)
{
	struct vrs_config *config = NULL;
	assert_int_equal(vrs_config_create(&config), VRS_OK);
	assert_true(small_network_config(config)); /* takes frames in parallel, and any batch */
	return config;
}

static const struct vrs_knob *find_knob(const struct vrs_space *space, const char *key)
{
	for (int i = 0; i < space->count; i++)
		if (strcmp(space->knobs[i].row->key, key) == 0)
			return &space->knobs[i];
	return NULL;
}

/* The reason for which something is not tried; NULL: it is not among that. */
static const char *reason_of(const struct vrs_space *space, const char *what)
{
	for (int i = 0; i < space->rejected_count; i++)
		if (strcmp(space->rejected[i].what, what) == 0)
			return space->rejected[i].why;
	return NULL;
}

static void workers_stop_at_the_machine(void **state)
{
	(void)state;
	struct vrs_config *config = make_config();
	struct vrs_space space;
	assert_int_equal(vrs_space_build(&space, config, &(struct vrs_bench_input){.cpus = 2}, NULL, NULL), VRS_OK);
	const struct vrs_knob *threads = find_knob(&space, "engine.threads");
	assert_non_null(threads);
	assert_int_equal(threads->count, 2);
	assert_string_equal(threads->values[0], "1");
	assert_string_equal(threads->values[1], "2");
	const struct vrs_knob *decoders = find_knob(&space, "pipeline.decode_workers");
	assert_non_null(decoders);
	assert_int_equal(decoders->count, 2);
	const struct vrs_knob *precision = find_knob(&space, "engine.precision");
	assert_non_null(precision);
	assert_string_not_equal(precision->default_value, "auto"); /* what it is here: no candidate measures the same again */
	for (int i = 0; i < precision->count; i++)
		assert_string_not_equal(precision->values[i], precision->default_value);
	vrs_config_destroy(config);
}

static void what_the_user_set_stays(void **state)
{
	(void)state;
	struct vrs_config *config = make_config();
	struct vrs_space space;
	assert_int_equal(vrs_config_set(config, "engine.threads", "1", VRS_SOURCE_FLAG, "--threads", NULL), VRS_OK);
	assert_int_equal(vrs_space_build(&space, config, &(struct vrs_bench_input){.cpus = 4}, NULL, NULL), VRS_OK);
	assert_null(find_knob(&space, "engine.threads"));
	assert_non_null(strstr(space.fixed, "engine.threads (flag)"));
	vrs_config_destroy(config);
}

static void an_interval_bounds_the_knob(void **state)
{
	(void)state;
	struct vrs_config *config = make_config();
	struct vrs_space space;
	assert_int_equal(vrs_config_set(config, "engine.batch_size", "4-12", VRS_SOURCE_FILE, NULL, NULL), VRS_OK);
	assert_int_equal(vrs_space_build(&space, config, &(struct vrs_bench_input){.cpus = 4}, "batch_size", NULL), VRS_OK);
	assert_int_equal(space.count, 1);
	/* the low end is what the search starts from: as a candidate it would be measured twice under two names */
	assert_string_equal(space.knobs[0].default_value, "4");
	assert_int_equal(space.knobs[0].count, 2);
	assert_string_equal(space.knobs[0].values[0], "8");
	assert_string_equal(space.knobs[0].values[1], "12");
	vrs_space_thin(&space, 1);
	assert_string_equal(space.knobs[0].values[0], "12");
	vrs_config_destroy(config);
}

/* A list is what the knob tries, in its order and beyond the table; the first value is the default, and a quick search leaves none out. */
static void a_list_is_the_knob(void **state)
{
	(void)state;
	struct vrs_config *config = make_config();
	struct vrs_space space;
	assert_int_equal(vrs_config_set(config, "output.preset", "fast, slow, medium, veryfast", VRS_SOURCE_FILE, NULL, NULL), VRS_OK);
	assert_int_equal(vrs_space_build(&space, config, &(struct vrs_bench_input){.cpus = 2}, "preset", NULL), VRS_OK);
	vrs_space_thin(&space, 2);
	assert_int_equal(space.count, 1);
	assert_string_equal(space.knobs[0].default_value, "fast");
	assert_int_equal(space.knobs[0].count, 3);
	assert_string_equal(space.knobs[0].values[0], "slow");
	assert_string_equal(space.knobs[0].values[2], "veryfast");
	assert_string_equal(space.fixed, "");
	vrs_config_destroy(config);
}

static void only_is_checked(void **state)
{
	(void)state;
	struct vrs_config *config = make_config();
	struct vrs_space space;
	struct vrs_error err = {.status = VRS_OK};
	assert_int_equal(vrs_space_build(&space, config, &(struct vrs_bench_input){.cpus = 2}, "gpu.precision engine.streams", NULL), VRS_OK);
	assert_int_equal(space.count, 2);
	assert_int_equal(vrs_space_build(&space, config, &(struct vrs_bench_input){.cpus = 2}, "feather", &err), VRS_ECONFIG);
	assert_non_null(strstr(err.text, "\"feather\" cannot be tuned; --only takes "));
	vrs_config_destroy(config);
}

/* Where the user asks for quality otherwise, the encoder does not read the option; and the space says so. */
static void what_has_no_effect_is_no_knob(void **state)
{
	(void)state;
	struct vrs_config *config = make_config();
	struct vrs_space space;
	assert_int_equal(vrs_space_build(&space, config, &(struct vrs_bench_input){.cpus = 2}, "crf preset", NULL), VRS_OK);
	assert_int_equal(space.count, 2);
	assert_int_equal(space.rejected_count, 0);
	assert_int_equal(vrs_config_set(config, "output.bitrate", "20M", VRS_SOURCE_FLAG, "--bitrate", NULL), VRS_OK);
	assert_int_equal(vrs_space_build(&space, config, &(struct vrs_bench_input){.cpus = 2}, "crf preset", NULL), VRS_OK);
	assert_int_equal(space.count, 1);
	assert_string_equal(space.knobs[0].row->key, "output.preset");
	assert_string_equal(reason_of(&space, "output.crf"), "output.bitrate decides");
	vrs_config_destroy(config);
}

/* Without a calibration 8 bits would calibrate in every run. */
static void eight_bits_are_calibrated_first(void **state)
{
	(void)state;
	struct vrs_config *config = make_config();
	struct vrs_space space;
	assert_int_equal(vrs_space_build(&space, config, &(struct vrs_bench_input){.cpus = 2}, "precision", NULL), VRS_OK);
	assert_int_equal(space.count, 1);
	for (int i = 0; i < space.knobs[0].count; i++)
		assert_true(strcmp(space.knobs[0].values[i], "int8") != 0 && strcmp(space.knobs[0].values[i], "mixed") != 0);
	assert_string_equal(reason_of(&space, "engine.precision int8 mixed"), "the network is not calibrated (vrseg --calibrate)");
	assert_true(space.lacks_calibration);
	vrs_config_destroy(config);
}

/* Every tunable option acts on a stage, so that the search knows when to try it. */
static void every_knob_has_stages(void **state)
{
	(void)state;
	int rows;
	const struct vrs_option *table = vrs_option_table(&rows);
	for (int i = 0; i < rows; i++)
		if (table[i].tunable)
			assert_int_not_equal(vrs_knob_stages(&table[i]), 0);
	assert_int_equal(vrs_knob_stages(vrs_option_find("output.preset")), 1u << VRS_STAGE_ENCODE);
	assert_int_equal(vrs_knob_stages(vrs_option_find("pipeline.decode_workers")), 1u << VRS_STAGE_DECODE);
	assert_true(vrs_knob_stages(vrs_option_find("engine.threads")) >> VRS_STAGE_INFERENCE & 1);
	assert_true(vrs_knob_stages(vrs_option_find("pipeline.queue_size")) >> VRS_STAGE_ENCODE & 1);
}

static void a_thin_space_keeps_a_spread(void **state)
{
	(void)state;
	struct vrs_config *config = make_config();
	struct vrs_space space;
	assert_int_equal(vrs_space_build(&space, config, &(struct vrs_bench_input){.cpus = 4}, "batch_size precision", NULL), VRS_OK);
	vrs_space_thin(&space, 2);
	const struct vrs_knob *batch = find_knob(&space, "engine.batch_size"), *precision = find_knob(&space, "engine.precision");
	assert_int_equal(batch->count, 2);
	assert_string_equal(batch->values[0], "1");
	assert_string_equal(batch->values[1], "8");
	assert_int_equal(precision->count, 2); /* of bf16, fp32 and fp16 without the default */
	vrs_config_destroy(config);
}

/* Frames of a recurrent network go one after another, with at most 12 regions of two eyes in a batch; what is dropped for that is said. */
static void a_recurrent_network_has_fewer_values(void **state)
{
	(void)state;
	struct vrs_config *config = make_config();
	struct vrs_space space;
	assert_int_equal(vrs_space_build(&space, config, &(struct vrs_bench_input){.cpus = 4}, "streams batch_size", NULL), VRS_OK);
	const struct vrs_knob *batch = find_knob(&space, "engine.batch_size");
	assert_non_null(find_knob(&space, "engine.streams"));
	assert_string_equal(batch->values[batch->count - 1], "32");
	assert_int_equal(vrs_config_set(config, "engine.model", "example_recurrent", VRS_SOURCE_FLAG, NULL, NULL), VRS_OK);
	assert_int_equal(vrs_space_build(&space, config, &(struct vrs_bench_input){.cpus = 4}, "streams batch_size", NULL), VRS_OK);
	const struct vrs_knob *streams = find_knob(&space, "engine.streams");
	batch = find_knob(&space, "engine.batch_size");
	assert_true(!streams || (streams->count == 1 && strcmp(streams->values[0], "1") == 0));
	assert_string_equal(batch->values[batch->count - 1], "16");
	assert_non_null(strstr(reason_of(&space, "engine.streams 2 4"), "the network example_recurrent is recurrent"));
	assert_non_null(strstr(reason_of(&space, "engine.batch_size 32"), "the network example_recurrent is recurrent"));
	vrs_config_destroy(config);
}

/* Sizes that the network cannot divide are known before a run. */
static void sizes_are_divisible(void **state)
{
	(void)state;
	struct vrs_config *config = make_config();
	struct vrs_space space;
	assert_int_equal(vrs_config_set(config, "engine.input_size", "128x128,200x200,256x256", VRS_SOURCE_FLAG, "--input-size", NULL), VRS_OK);
	assert_int_equal(vrs_space_build(&space, config, &(struct vrs_bench_input){.cpus = 2}, "input_size", NULL), VRS_OK);
	assert_int_equal(space.knobs[0].count, 1);
	assert_string_equal(space.knobs[0].values[0], "256x256");
	assert_non_null(strstr(reason_of(&space, "engine.input_size 200x200"), "must be multiples of"));
	vrs_config_destroy(config);
}

/* Every option that the tuner knows is in the space or has a reason; --only takes also those that nothing can measure, and says why. */
static void nothing_is_left_out_silently(void **state)
{
	(void)state;
	static const char *const keys[] = {"pipeline.prefetch", "pipeline.frames_in_flight", "matte.follow", "matte.early_exit",
		"matte.smoothing", "matte.scales", "engine.backend", "pipeline.processes", "pipeline.process_count", "pipeline.segment_frames"};
	struct vrs_config *config = make_config();
	struct vrs_space space;
	assert_int_equal(vrs_space_build(&space, config, &(struct vrs_bench_input){.cpus = 2}, NULL, NULL), VRS_OK);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		assert_int_equal(find_knob(&space, keys[i]) != NULL, reason_of(&space, keys[i]) == NULL);
	assert_non_null(find_knob(&space, "matte.scales"));
	vrs_space_reject_costs(&space);
	assert_null(find_knob(&space, "matte.scales"));
	assert_null(find_knob(&space, "matte.smoothing"));
	assert_non_null(strstr(reason_of(&space, "matte.scales"), "--objective quality"));
	const struct vrs_knob *prefetch = find_knob(&space, "pipeline.prefetch");
	assert_string_equal(prefetch->default_value, "4"); /* auto: the queue */
	assert_int_equal(vrs_space_build(&space, config, &(struct vrs_bench_input){.cpus = 2}, "processes backend", NULL), VRS_OK);
	assert_int_equal(space.count, 0);
	assert_int_equal(space.rejected_count, 2);
	vrs_config_destroy(config);
}

/* FFmpeg has its own encoder of MPEG-4 everywhere; what it lacks is said. */
static void encoders_are_there(void **state)
{
	(void)state;
	struct vrs_config *config = make_config();
	struct vrs_space space;
	assert_int_equal(vrs_space_build(&space, config, &(struct vrs_bench_input){.cpus = 2}, "encoder", NULL), VRS_OK);
	for (int i = 0; i < space.count; i++)
		for (int v = 0; v < space.knobs[i].count; v++)
			assert_true(vrs_job_has_encoder(space.knobs[i].values[v], NULL));
	assert_int_equal(vrs_config_set(config, "output.encoder", "auto, mpeg4, libnothing", VRS_SOURCE_FILE, NULL, NULL), VRS_OK);
	assert_int_equal(vrs_space_build(&space, config, &(struct vrs_bench_input){.cpus = 2}, "encoder", NULL), VRS_OK);
	assert_int_equal(space.knobs[0].count, 1);
	assert_string_equal(space.knobs[0].values[0], "mpeg4");
	assert_non_null(strstr(reason_of(&space, "output.encoder libnothing"), "no such encoder"));
	assert_true(vrs_job_has_encoder("auto", "preset") && vrs_job_has_encoder("mpeg4", NULL) && !vrs_job_has_encoder("mpeg4", "preset"));
	vrs_config_destroy(config);
}

/* Memory for batches of at most 11. */
static enum vrs_rejection memory_rejects(const void *cookie, const struct vrs_case *c, char *why, size_t size)
{
	(void)cookie;
	const char *batch = vrs_case_get(c, "engine.batch_size"), *preset = vrs_case_get(c, "output.preset");
	snprintf(why, size, "memory: needs %s times what there is", batch ? batch : "-");
	return (batch && atoi(batch) > 11) || (preset && strcmp(preset, "medium") == 0) ? VRS_REJECTION_MEMORY : VRS_REJECTION_NONE;
}

/* The same values for another reason, whose words begin alike. */
static enum vrs_rejection words_reject(const void *cookie, const struct vrs_case *c, char *why, size_t size)
{
	return memory_rejects(cookie, c, why, size) == VRS_REJECTION_NONE ? VRS_REJECTION_NONE : VRS_REJECTION_OTHER;
}

/* What does not fit into memory is not run; the largest batch that fits is found between the powers of two. */
static void memory_bounds_the_batch(void **state)
{
	(void)state;
	struct vrs_config *config = make_config();
	struct vrs_space space;
	assert_int_equal(vrs_space_build(&space, config, &(struct vrs_bench_input){.cpus = 2}, "batch_size preset", NULL), VRS_OK);
	struct vrs_space other = space;
	vrs_space_reject(&other, words_reject, NULL);
	for (int k = 0; k < other.count; k++)
		for (int v = 0; v < other.knobs[k].count; v++)
			assert_string_not_equal(other.knobs[k].values[v], "11"); /* no bound that lies between was looked for */
	vrs_space_reject(&space, memory_rejects, NULL);
	const struct vrs_knob *batch = find_knob(&space, "engine.batch_size"), *preset = find_knob(&space, "output.preset");
	static const char *const values[] = {"1", "2", "4", "8", "11"};
	assert_int_equal(batch->count, 5);
	for (int i = 0; i < 5; i++)
		assert_string_equal(batch->values[i], values[i]);
	assert_string_equal(reason_of(&space, "engine.batch_size 16"), "memory: needs 16 times what there is");
	for (int i = 0; i < preset->count; i++)
		assert_string_not_equal(preset->values[i], "medium");
	vrs_config_destroy(config);
}

int main(void)
{
	assert_int_equal(setenv("XDG_CACHE_HOME", "/nonexistent", 1), 0); /* no calibration of this machine */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(eight_bits_are_calibrated_first),
		cmocka_unit_test(what_has_no_effect_is_no_knob), cmocka_unit_test(every_knob_has_stages),
		cmocka_unit_test(workers_stop_at_the_machine), cmocka_unit_test(what_the_user_set_stays), cmocka_unit_test(an_interval_bounds_the_knob),
		cmocka_unit_test(only_is_checked), cmocka_unit_test(a_list_is_the_knob), cmocka_unit_test(a_thin_space_keeps_a_spread),
		cmocka_unit_test(a_recurrent_network_has_fewer_values),
		cmocka_unit_test(sizes_are_divisible), cmocka_unit_test(nothing_is_left_out_silently),
		cmocka_unit_test(memory_bounds_the_batch), cmocka_unit_test(encoders_are_there),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
