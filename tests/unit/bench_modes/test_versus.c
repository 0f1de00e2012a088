/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: an A/B from --versus to the exit code, with made-up children of exact speeds: a build that is 20 % slower must be found (exit code 10), the
 * same build must not; balanced order of the sides; resuming after any round; what names side A; a build that cannot be compared with.
 */
#include "unit/bench/fake_runner.h"

#include <math.h>

#include "base/clock.h"
#include "base/str_parse.h"
#include "bench/modes/versus_mode.h"
#include "bench/plan/versus.h"
#include "bench/run/clip.h"
#include "bench/run/runner_state.h"
#include "bench/run/slow_pace.h"

static char program_a[180], other[180];

/*
 * A build as a shell script. Its rate is RATE with a little noise that depends on how often it was called; the file log tells the order of calls.
 * Broken settings (threads 7) fail, as an older build fails on what it does not know.
 */
static const char script[] =
	FAKE_CHILD
	"schema=%s\n"
	"case $request in\n"
	"  *'\"engine.threads\":\"7\"'*) refuse VRS_EFORMAT 'no such thing' ;;\n"
	"esac\n"
	FAKE_PROBE
	"printf %c >> \"$FAKE_LOG\"\n"
	"n=$(wc -c < \"$FAKE_LOG\")\n"
	"rate=$((%d + n * 37 %% 11 * 4))\n" /* hundredths of a frame a second */
	"reply \"\\\"fps\\\":$((rate / 100)).$(printf %%02d $((rate %% 100))),"
	"\\\"frames\\\":100,\\\"wall_seconds\\\":2,\\\"cpu_seconds\\\":3,\\\"frame_median_ms\\\":20,\\\"peak_rss_bytes\\\":100000000\"\n";

static void write_program(const char *path, const char *schema, char letter, int rate)
{
	char text[4096];
	snprintf(text, sizeof text, script, schema, letter, rate);
	assert_int_equal(fake_write_program(path, text), 0);
}

static int set_up(void **state)
{
	(void)state;
	int rc = fake_set_up("versus", script);
	snprintf(program_a, sizeof program_a, "%s/a.sh", folder);
	snprintf(other, sizeof other, "%s/other", folder);
	return rc;
}

static struct vrs_runner_options options(const struct vrs_runner_side *side)
{
	struct vrs_runner_options o = fake_options();
	o.plan.timeout_seconds = 20;
	o.plan.rounds = 20;
	o.versus = side;
	return o;
}

/* The whole way: runner, rounds, looks, verdict. */
static struct vrs_comparison compare_builds(int rate_a, int rate_b, int max_pairs, struct vrs_compare_details *details)
{
	const struct vrs_runner_side side = {.label = "another build", .program = program_a, .config = base};
	struct vrs_runner_options o = options(&side);
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_runner *runner;
	struct vrs_comparison c;
	write_program(program_a, "vrbench-run/1", 'A', rate_a);
	write_program(program, "vrbench-run/1", 'B', rate_b);
	if (vrs_runner_create(&runner, &o, base, &err) != VRS_OK)
		fail_msg("%s", err.text);
	if (vrs_versus_measure(runner, 0, 0, max_pairs, &c, details, &err) != VRS_OK)
		fail_msg("%s", err.text);
	assert_int_equal(vrs_runner_finish(runner, true, &err), VRS_OK);
	vrs_runner_destroy(runner);
	return c;
}

/* A gate that cannot fail is worse than none. */
static void twenty_percent_is_exit_10(void **state)
{
	(void)state;
	static struct vrs_compare_details details;
	char order[100], path[200];
	struct vrs_comparison c = compare_builds(5000, 4000, 20, &details);
	assert_int_equal(c.verdict, VRS_VERDICT_SLOWER);
	assert_int_equal(vrs_verdict_exit_code(&c), 10);
	assert_float_equal(c.change, 0.25, 0.01);
	assert_int_equal(c.pairs, 8); /* so clear that the first look decides */
	fake_read_log(order, sizeof order);
	assert_int_equal(strlen(order), 16);
	for (int block = 0; block < 4; block++) /* of two rounds one begins with A and one with B */
		if (strncmp(order + 4 * block, "ABBA", 4) != 0 && strncmp(order + 4 * block, "BAAB", 4) != 0)
			fail_msg("order %s", order);
	/* What the file says is what was decided. */
	struct vrs_result *result;
	struct vrs_error err = {.status = VRS_OK};
	snprintf(path, sizeof path, "%s/results.json", result_dir);
	assert_int_equal(vrs_result_read(&result, path, &err), VRS_OK);
	assert_string_equal(result->versus, "another build");
	assert_int_equal(result->case_count, 2);
	assert_string_equal(result->comparisons[0].metric, "fps");
	assert_int_equal(result->comparisons[0].verdict, VRS_VERDICT_SLOWER);
	assert_string_equal(result->comparisons[1].metric, "cpu");
	assert_int_equal(result->comparisons[1].verdict, VRS_VERDICT_EQUIVALENT);
	vrs_result_destroy(result);
}

static void the_same_is_equivalent(void **state)
{
	(void)state;
	static struct vrs_compare_details details;
	struct vrs_comparison c = compare_builds(5000, 5000, 20, &details);
	assert_int_equal(c.verdict, VRS_VERDICT_EQUIVALENT);
	assert_int_equal(vrs_verdict_exit_code(&c), 0);
	assert_true(c.mde > 0 && c.mde < 0.02); /* said with every "no change" */
}

static void faster_and_few(void **state)
{
	(void)state;
	static struct vrs_compare_details details;
	struct vrs_comparison c = compare_builds(4000, 5000, 20, &details);
	assert_int_equal(c.verdict, VRS_VERDICT_FASTER);
	assert_int_equal(vrs_verdict_exit_code(&c), 0);
	fake_fresh(NULL);
	c = compare_builds(4000, 5000, 3, &details);
	assert_int_equal(c.verdict, VRS_VERDICT_INCONCLUSIVE);
	assert_int_equal(vrs_verdict_exit_code(&c), 11);
	assert_int_equal(c.cause, VRS_CAUSE_FEW_RUNS);
}

/* A side that never runs makes no verdict about speed. */
static void a_side_that_fails(void **state)
{
	(void)state;
	static struct vrs_compare_details details;
	const struct vrs_runner_side side = {.label = "another build", .program = program_a, .config = base};
	struct vrs_runner_options o = options(&side);
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_runner *runner;
	struct vrs_comparison c;
	write_program(program_a, "vrbench-run/1", 'A', 5000);
	write_program(program, "vrbench-run/1", 'B', 5000);
	assert_int_equal(vrs_runner_create(&runner, &o, base, &err), VRS_OK);
	assert_int_equal(vrs_file_replace(program, "#!/bin/sh\nkill -SEGV $$\n", 24, NULL), VRS_OK);
	assert_int_equal(vrs_versus_measure(runner, 0, 0, 20, &c, &details, &err), VRS_OK);
	assert_int_equal(c.verdict, VRS_VERDICT_INVALID);
	assert_int_equal(vrs_verdict_exit_code(&c), 12);
	if (!strstr(c.reason, "side B") || !strstr(c.reason, "signal 11"))
		fail_msg("%s", c.reason);
	vrs_runner_destroy(runner);
}

/* Stopped after any number of runs and gone on with: the same pairs and the same verdict, no run made twice. */
static void stop_and_resume(void **state)
{
	(void)state;
	static struct vrs_compare_details details;
	char path[200], log[100];
	struct vrs_buf whole;
	struct vrs_error err = {.status = VRS_OK};
	compare_builds(5000, 4000, 20, &details);
	snprintf(path, sizeof path, "%s/journal.jsonl", result_dir);
	assert_int_equal(vrs_file_read(path, 1 << 22, &whole, &err), VRS_OK);
	for (int keep = 1; keep <= 17; keep += 4) {
		size_t length = 0;
		for (int lines = 0; lines < keep; length++)
			lines += whole.data[length] == '\n';
		assert_int_equal(vrs_file_replace(path, whole.data, length, &err), VRS_OK);
		const struct vrs_runner_side again = {.program = program_a}, wrong = {.program = program};
		struct vrs_runner_options o = options(NULL);
		struct vrs_runner *runner;
		struct vrs_comparison c;
		o.resume = true;
		o.input = NULL;
		fake_read_log(log, sizeof log);
		size_t before = strlen(log);
		assert_int_equal(vrs_runner_create(&runner, &o, base, &err), VRS_ECONFIG); /* the journal starts no program */
		o.versus = &wrong;
		assert_int_equal(vrs_runner_create(&runner, &o, base, NULL), VRS_ECONFIG);
		o.versus = &again;
		err = (struct vrs_error){.status = VRS_OK};
		if (vrs_runner_create(&runner, &o, base, &err) != VRS_OK)
			fail_msg("%s", err.text);
		assert_int_equal(vrs_versus_measure(runner, 0, 0, 20, &c, &details, &err), VRS_OK);
		fake_read_log(log, sizeof log);
		assert_int_equal(strlen(log) - before, 17 - keep);
		assert_int_equal(c.verdict, VRS_VERDICT_SLOWER);
		assert_int_equal(c.pairs, 8);
		assert_int_equal(vrs_runner_result(runner)->case_count, 2);
		vrs_runner_destroy(runner);
	}
	vrs_buf_fini(&whole);
}

/* Another schema, no answer, settings that it does not know: told before anything is measured. */
static void builds_that_cannot_be_compared(void **state)
{
	(void)state;
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_runner *runner;
	struct vrs_config *seven;
	const struct vrs_runner_side side = {.label = "another build", .program = other, .config = base};
	struct vrs_runner_options o = options(&side);
	write_program(program, "vrbench-run/1", 'B', 5000);
	write_program(other, "vrbench-run/2", 'A', 5000);
	assert_int_equal(vrs_runner_create(&runner, &o, base, &err), VRS_ECONFIG);
	assert_non_null(strstr(err.text, "does not answer --run-case"));
	assert_non_null(strstr(err.text, "vrbench-run/2"));
	assert_int_equal(vrs_file_replace(other, "#!/bin/sh\necho hello\n", 21, NULL), VRS_OK);
	assert_int_equal(vrs_runner_create(&runner, &o, base, &err), VRS_ECONFIG);
	assert_non_null(strstr(err.text, other));
	assert_int_equal(vrs_config_copy(&seven, base), VRS_OK);
	assert_int_equal(vrs_config_set(seven, "engine.threads", "7", VRS_SOURCE_FLAG, NULL, &err), VRS_OK);
	const struct vrs_runner_side unfit = {.label = "seven threads", .config = seven};
	o = options(&unfit);
	assert_int_equal(vrs_runner_create(&runner, &o, base, &err), VRS_EFORMAT);
	assert_non_null(strstr(err.text, "side A (seven threads): no such thing"));
	vrs_config_destroy(seven);
}

static void make_result(const char *path)
{
	struct vrs_result *result;
	struct vrs_error err = {.status = VRS_OK};
	static const char *const ids[] = {"r=640x480/b=1/p=fp32/t=1", "r=320x240/b=2/p=fp16/t=2/output.preset=fast"};
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	vrs_strcpy(result->tool_version, sizeof result->tool_version, "1");
	vrs_strcpy(result->input, sizeof result->input, "/there/film.mp4");
	vrs_strcpy(result->base_config, sizeof result->base_config, "output:\n  crf: 31\n");
	vrs_strcpy(result->default_case, sizeof result->default_case, ids[0]);
	vrs_strcpy(result->recommended_case, sizeof result->recommended_case, ids[1]);
	for (int i = 0; i < 2; i++) {
		struct vrs_case_result *c = vrs_result_add_case(result);
		vrs_strcpy(c->id, sizeof c->id, ids[i]);
		c->scope = VRS_SCOPE_NO_IO;
	}
	assert_int_equal(vrs_result_write(result, path, &err), VRS_OK);
	vrs_result_destroy(result);
}

static struct vrs_versus_side resolve(const char *what, const char *id)
{
	struct vrs_versus_side side;
	struct vrs_error err = {.status = VRS_OK};
	if (vrs_versus_resolve(what, id, base, &side, &err) != VRS_OK)
		fail_msg("%s: %s", what, err.text);
	return side;
}

static void what_names_side_a(void **state)
{
	(void)state;
	char path[200];
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_versus_side side;
	assert_int_equal(vrs_config_set(base, "engine.streams", "3", VRS_SOURCE_FLAG, NULL, &err), VRS_OK);
	assert_int_equal(vrs_config_set(base, "output.crf", "31", VRS_SOURCE_FLAG, NULL, &err), VRS_OK);
	snprintf(path, sizeof path, "%s/results.json", folder);
	make_result(path);
	side = resolve(path, NULL); /* the recommended case, over the file's base and not over ours */
	const struct vrs_settings *s = vrs_config_settings(side.config);
	assert_int_equal(s->engine.threads, 2);
	assert_int_equal(s->engine.streams, 0);
	assert_int_equal(s->output.crf, 31);
	assert_string_equal(s->output.preset, "fast");
	assert_int_equal(side.width, 320);
	assert_string_equal(side.input, "/there/film.mp4");
	assert_int_equal(side.scope, VRS_SCOPE_NO_IO);
	assert_string_equal(side.program, "");
	vrs_versus_side_fini(&side);
	side = resolve(folder, "r=640x480/b=1/p=fp32/t=1"); /* its folder does too */
	assert_int_equal(vrs_config_settings(side.config)->engine.threads, 1);
	vrs_versus_side_fini(&side);
	assert_int_equal(vrs_versus_resolve(path, "r=1x1", base, &side, &err), VRS_ENOTFOUND); /* exit code 13: no baseline */
	assert_non_null(strstr(err.text, "no case \"r=1x1\""));
	side = resolve("engine.input_size=[512, 512],output.preset=medium", NULL);
	s = vrs_config_settings(side.config);
	assert_int_equal(s->engine.input_size[0], 512);
	assert_string_equal(s->output.preset, "medium");
	assert_int_equal(s->engine.streams, 3); /* the rest is ours */
	assert_int_equal(s->output.crf, 31);
	vrs_versus_side_fini(&side);
	side = resolve("output.quality=50", NULL); /* not beside our crf */
	assert_int_equal(vrs_config_settings(side.config)->output.quality, 50);
	assert_int_equal(vrs_config_source(side.config, "output.crf"), VRS_SOURCE_DEFAULT);
	vrs_versus_side_fini(&side);
	assert_int_equal(vrs_versus_resolve("output.crf=18,output.quality=50", NULL, base, &side, &err), VRS_ECONFIG);
	assert_string_equal(err.text, "output.quality does not go with output.crf: each decides on size and quality; give one of them");
	side = resolve("default", NULL);
	assert_int_equal(vrs_config_settings(side.config)->engine.streams, 0);
	vrs_versus_side_fini(&side);
	write_program(program_a, "vrbench-run/1", 'A', 1);
	side = resolve(program_a, NULL);
	assert_string_equal(side.program, program_a);
	assert_int_equal(vrs_config_settings(side.config)->engine.streams, 3);
	vrs_versus_side_fini(&side);
	snprintf(path, sizeof path, "%s/my.yaml", folder);
	assert_int_equal(vrs_file_replace(path, "engine:\n  threads: 5\n", 21, NULL), VRS_OK);
	side = resolve(path, NULL);
	assert_int_equal(vrs_config_settings(side.config)->engine.threads, 5);
	assert_int_equal(vrs_config_settings(side.config)->engine.streams, 0);
	vrs_versus_side_fini(&side);
	assert_int_equal(vrs_versus_resolve(path, "r=1x1", base, &side, &err), VRS_ECONFIG);
	assert_int_equal(vrs_versus_resolve("no-such-thing", NULL, base, &side, &err), VRS_ENOTFOUND);
	assert_int_equal(vrs_versus_resolve("no.such.key=3", NULL, base, &side, &err), VRS_ECONFIG);
	assert_int_equal(vrs_versus_resolve("engine.threads=1,precision", NULL, base, &side, &err), VRS_ECONFIG);
}

/* Each block of two rounds is balanced, and which side begins depends on the seed. */
static void balanced_order(void **state)
{
	(void)state;
	int begins[2] = {0, 0};
	for (uint64_t seed = 0; seed < 50; seed++)
		for (int block = 0; block < 4; block++) {
			int one[2] = {0, 1}, two[2] = {0, 1};
			vrs_side_order(seed, 2 * block + 1, one);
			vrs_side_order(seed, 2 * block + 2, two);
			assert_int_equal(one[0], two[1]);
			assert_int_equal(one[0] + one[1], 1);
			begins[one[0]]++;
		}
	assert_in_range(begins[0], 70, 130);
}

/* Frames that come every 2 ms are let through every 3 ms when half as much is asked for on top. */
static void pace_is_held(void **state)
{
	(void)state;
	struct vrs_slow_pace pace = {0};
	enum { FRAMES = 60 };
	uint64_t begin = 0;
	for (int i = 0; i < VRS_SLOW_PACE_SKIP + VRS_SLOW_PACE_LEARN + FRAMES; i++) {
		if (i == VRS_SLOW_PACE_SKIP + VRS_SLOW_PACE_LEARN)
			begin = vrs_now_ns();
		vrs_sleep_until_ns(vrs_now_ns() + 2000000);
		vrs_slow_pace_frame(&pace, 0.5);
	}
	assert_true(pace.pace_ns >= 2e6);
	assert_true((double)(vrs_now_ns() - begin) >= 1.49 * pace.pace_ns * FRAMES);
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN); /* as in the programs: a child that ends early is a failed run */
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(twenty_percent_is_exit_10, fake_fresh), cmocka_unit_test_setup(the_same_is_equivalent, fake_fresh),
		cmocka_unit_test_setup(faster_and_few, fake_fresh),            cmocka_unit_test_setup(a_side_that_fails, fake_fresh),
		cmocka_unit_test_setup(stop_and_resume, fake_fresh),           cmocka_unit_test_setup(builds_that_cannot_be_compared, fake_fresh),
		cmocka_unit_test_setup(what_names_side_a, fake_fresh),         cmocka_unit_test(balanced_order),
		cmocka_unit_test(pace_is_held),
	};
	return cmocka_run_group_tests(tests, set_up, fake_tear_down);
}
