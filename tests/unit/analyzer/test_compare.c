/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards results side by side: cases are paired by their ids in whatever order, every difference around them is named, what may be said follows from
 * rounds, machine, input and mattes, and the command that settles the rest can be typed as it stands.
 */
#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <vrseg/exit_codes.h>

#include "analyzer/compare.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/rng.h"
#include "unit/analyzer/found.h"
#include "unit/analyzer/made_result.h"

static struct vrs_compare_outcome compare(const struct vrs_result *a, const struct vrs_result *b, struct vrs_findings *f)
{
	const struct vrs_compare_side x = {a, "a folder/results.json", 'A'}, y = {b, "b", 'B'};
	const struct vrs_compare_options options = {.now = time(NULL), .explain = true};
	struct vrs_compare_outcome o;
	assert_int_equal(vrs_compare_results(&x, &y, &options, f, &o, NULL), VRS_OK);
	assert_int_equal(vrs_findings_finish(f), VRS_OK);
	return o;
}

/* Text of a column in the row whose first cells are these; NULL: no such row. */
static const char *cell_of(const struct vrs_findings *f, const char *table, const char *first, const char *second, int column)
{
	const struct vrs_table *t = found_table(f, table);
	for (int r = 0; r < t->rows; r++)
		if (strcmp(t->cells[r * t->columns], first) == 0 && (!second || strcmp(t->cells[r * t->columns + 1], second) == 0))
			return t->cells[r * t->columns + column];
	return NULL;
}

/* A case that ran in A and does not in B is told, and the exit code says so, whatever the others are. */
static void a_case_that_fails(void **state)
{
	struct vrs_result *a = make_result(8), *b = make_result(8);
	struct vrs_findings *f = vrs_findings_create();
	char line[448], words[300];
	(void)state;
	strcpy(b->started_utc, "2026-01-02T00:00:00Z");
	for (int i = 0; i < b->cases[3].run_count; i++) {
		b->cases[3].runs[i].status = VRS_RUN_CRASH;
		strcpy(b->cases[3].runs[i].reason, "ended by signal 11 (Segmentation fault)");
	}
	struct vrs_compare_outcome o = compare(a, b, f);
	assert_int_equal(o.failed, 1);
	assert_int_equal(o.exit_code, VRS_EXIT_INVALID);
	assert_ptr_equal(o.decides, &a->cases[3]);
	vrs_compare_line(&o, line, sizeof line);
	assert_string_equal(line, "VERDICT INVALID metric=fps reason=failed failed=1");
	vrs_compare_sentence(&o, words, sizeof words);
	assert_non_null(strstr(words, "did not run in B"));
	assert_non_null(strstr(words, "Segmentation fault"));
	vrs_findings_destroy(f);
	f = vrs_findings_create();
	for (int i = 0; i < b->case_count; i++) /* nothing is left that runs */
		for (int r = 0; r < b->cases[i].run_count; r++)
			b->cases[i].runs[r].status = VRS_RUN_CRASH;
	o = compare(a, b, f);
	assert_int_equal(o.exit_code, VRS_EXIT_INVALID);
	vrs_findings_destroy(f);
	vrs_result_destroy(a);
	vrs_result_destroy(b);
}

static void pairs_go_by_id(void **state)
{
	struct vrs_result *a = make_result(8), *b = make_result(8);
	struct vrs_findings *f = vrs_findings_create();
	struct vrs_case_result swap = b->cases[0];
	(void)state;
	strcpy(b->started_utc, "2026-01-02T00:00:00Z");
	b->cases[0] = b->cases[5];
	b->cases[5] = swap;
	strcpy(b->cases[2].id, "r=7680x3840/b=9/p=fp32/t=1");
	for (int i = 0; i < 8; i++)
		b->cases[3].runs[i].fps /= 2;
	struct vrs_compare_outcome o = compare(a, b, f);
	assert_int_equal(o.shared, 5);
	assert_int_equal(o.exit_code, VRS_EXIT_INCONCLUSIVE);
	assert_string_equal(o.decides->id, "r=3840x1920/b=4/p=fp32/t=1"); /* where they differ most */
	assert_string_equal(cell_of(f, "compare-b", a->cases[3].id, "FPS", 4), "-50.0 %");
	assert_string_equal(cell_of(f, "compare-b", a->cases[0].id, "FPS", 4), "+0.0 %");
	assert_string_equal(cell_of(f, "compare-b", a->cases[0].id, "FPS", 5), "INCONCLUSIVE");
	assert_string_equal(cell_of(f, "compare-b", a->cases[0].id, "IoU with truth", 5), "EQUIVALENT");
	assert_null(cell_of(f, "compare-b", a->cases[2].id, "FPS", 4));
	assert_non_null(found_note(f, "unshared"));
	assert_true(found_table(f, "explain-b")->rows > 15);
	vrs_findings_destroy(f);
	vrs_result_destroy(a);
	vrs_result_destroy(b);
}

/* One case is a little slower, another much faster: the second one is where they differ most, and the sentence says in which direction. */
static void the_largest_difference_speaks(void **state)
{
	struct vrs_result *a = make_result(8), *b = make_result(8);
	struct vrs_findings *f = vrs_findings_create();
	char words[300], line[448];
	(void)state;
	for (int i = 0; i < 8; i++) {
		b->cases[0].runs[i].fps *= 0.99;
		b->cases[3].runs[i].fps *= 2.5;
	}
	struct vrs_compare_outcome o = compare(a, b, f);
	assert_ptr_equal(o.decides, &a->cases[3]);
	assert_string_equal(cell_of(f, "compare-b", a->cases[3].id, "FPS", 4), "+150.0 %");
	vrs_compare_sentence(&o, words, sizeof words);
	assert_non_null(strstr(words, "INCONCLUSIVE in fps: B is 150.0 % faster where they differ most"));
	vrs_compare_words(&o, words, sizeof words);
	assert_string_equal(words, "INCONCLUSIVE, is 150.0 % faster in fps");
	vrs_compare_line(&o, line, sizeof line);
	assert_string_equal(line, "VERDICT INCONCLUSIVE metric=fps delta=-60.0% reason=no_shared_rounds");
	vrs_findings_destroy(f);
	f = vrs_findings_create();
	o = compare(b, a, f);
	assert_string_equal(o.decides->id, a->cases[3].id);
	vrs_compare_sentence(&o, words, sizeof words);
	assert_non_null(strstr(words, "B costs +150.0 % where they differ most"));
	vrs_findings_destroy(f);
	vrs_result_destroy(a);
	vrs_result_destroy(b);
}

static void the_same_is_equivalent(void **state)
{
	struct vrs_result *a = make_result(8), *b = make_result(8);
	struct vrs_findings *f = vrs_findings_create();
	(void)state;
	struct vrs_compare_outcome o = compare(a, b, f);
	assert_true(o.same);
	assert_int_equal(o.exit_code, VRS_EXIT_OK);
	b->cases[4].runs[7].stage_cpu_ms[0] = 1.25; /* one value of one run makes another measurement */
	vrs_findings_destroy(f);
	f = vrs_findings_create();
	o = compare(a, b, f);
	assert_false(o.same);
	assert_int_equal(o.exit_code, VRS_EXIT_INCONCLUSIVE);
	vrs_findings_destroy(f);
	vrs_result_destroy(a);
	vrs_result_destroy(b);
}

/* A result without truth, or without a clock, beside one with it: the figure stands there, and who lacks it. */
static void a_figure_of_one_side_is_shown(void **state)
{
	struct vrs_result *a = make_result(8), *b = make_result(8);
	struct vrs_findings *f = vrs_findings_create();
	(void)state;
	for (int i = 0; i < 8; i++) {
		b->cases[0].runs[i].iou = NAN;
		a->cases[0].runs[i].load_ms = NAN;
		b->cases[0].runs[i].load_ms = 123;
	}
	struct vrs_compare_outcome o = compare(a, b, f);
	assert_int_equal(o.worse + o.better, 0);
	assert_string_equal(cell_of(f, "compare-b", a->cases[0].id, "IoU with truth", 5), "B has none");
	assert_true(strlen(cell_of(f, "compare-b", a->cases[0].id, "IoU with truth", 2)) > 3);
	assert_string_equal(cell_of(f, "compare-b", a->cases[0].id, "IoU with truth", 3), "");
	assert_string_equal(cell_of(f, "compare-b", a->cases[0].id, "start (ms)", 5), "A has none");
	assert_non_null(strstr(cell_of(f, "compare-b", a->cases[0].id, "start (ms)", 3), "123"));
	vrs_findings_destroy(f);
	vrs_result_destroy(a);
	vrs_result_destroy(b);
}

static void mattes_are_judged_without_rounds(void **state)
{
	struct vrs_result *a = make_result(8), *b = make_result(8);
	struct vrs_findings *f = vrs_findings_create();
	char line[512];
	(void)state;
	for (int i = 0; i < 8; i++)
		b->cases[0].runs[i].iou = 0.94;
	struct vrs_compare_outcome o = compare(a, b, f);
	assert_int_equal(o.exit_code, VRS_EXIT_REGRESSION);
	assert_int_equal(o.worse, 1);
	vrs_compare_line(&o, line, sizeof line);
	assert_string_equal(line, "VERDICT WORSE metric=quality figures=1");
	vrs_findings_destroy(f);
	f = vrs_findings_create();
	o = compare(b, a, f);
	assert_int_equal(o.exit_code, VRS_EXIT_INCONCLUSIVE); /* better mattes settle nothing about speed */
	assert_int_equal(o.better, 1);
	vrs_findings_destroy(f);
	a->cases[0].runs[0].quality_frames = 24; /* of other frames: not judged */
	b->cases[0].runs[0].quality_frames = 20;
	f = vrs_findings_create();
	o = compare(a, b, f);
	assert_int_equal(o.worse, 0);
	vrs_findings_destroy(f);
	vrs_result_destroy(a);
	vrs_result_destroy(b);
}

static void differences_are_named(void **state)
{
	struct vrs_result *a = make_result(2), *b = make_result(2);
	struct vrs_findings *f = vrs_findings_create();
	(void)state;
	(void)vrs_strcpy(a->machine_json, sizeof a->machine_json,
			 "{\"cpu\":{\"model\":\"X\",\"microcode\":\"0x1\"},\"gpus\":[1,2],\"memory\":{\"available_bytes\":1}}");
	(void)vrs_strcpy(b->machine_json, sizeof b->machine_json,
			 "{\"cpu\":{\"model\":\"X\",\"microcode\":\"0x2\"},\"gpus\":[1],\"memory\":{\"available_bytes\":2},"
			 "\"build\":{\"compiler\":\"13\"}}");
	(void)vrs_strcpy(a->base_config, sizeof a->base_config, "engine:\n  threads: 2\n  streams: 1\n");
	(void)vrs_strcpy(b->base_config, sizeof b->base_config, "engine:\n  threads: 4\noutput:\n  preset: fast\n");
	a->input_hash = 1;
	b->input_hash = 2;
	b->fingerprint = 9;
	struct vrs_compare_outcome o = compare(a, b, f);
	assert_int_equal(o.exit_code, VRS_EXIT_INCOMPARABLE);
	assert_int_equal(o.hindrance, VRS_OTHER_MACHINE);
	assert_string_equal(cell_of(f, "environment-b", "cpu.microcode", NULL, 2), "0x2");
	assert_string_equal(cell_of(f, "environment-b", "build", NULL, 1), "not recorded");
	assert_string_equal(cell_of(f, "environment-b", "gpus[1]", NULL, 1), "2");
	assert_string_equal(cell_of(f, "environment-b", "engine.threads", NULL, 2), "4");
	assert_string_equal(cell_of(f, "environment-b", "engine.streams", NULL, 2), "the default");
	assert_string_equal(cell_of(f, "environment-b", "output.preset", NULL, 1), "the default");
	assert_non_null(cell_of(f, "environment-b", "input_hash", NULL, 1));
	assert_null(cell_of(f, "environment-b", "cpu.model", NULL, 1));
	assert_null(cell_of(f, "environment-b", "memory.available_bytes", NULL, 1)); /* differs from one minute to the next */
	assert_string_equal(cell_of(f, "compare-b", a->cases[0].id, "FPS", 5), ""); /* no word on times of different machines */
	vrs_findings_destroy(f);
	vrs_result_destroy(a);
	vrs_result_destroy(b);
}

static void devices_are_apart(void **state)
{
	(void)state;
	for (int same = 0; same < 2; same++) {
		struct vrs_result *a = make_result(2), *b = make_result(3);
		struct vrs_findings *f = vrs_findings_create();
		(void)vrs_strcpy(a->cases[0].device, sizeof a->cases[0].device, "card");
		(void)vrs_strcpy(b->cases[0].device, sizeof b->cases[0].device, "card");
		(void)vrs_strcpy(b->cases[0].driver, sizeof b->cases[0].driver, same ? "" : "2.0");
		struct vrs_compare_outcome o = compare(a, b, f);
		assert_int_equal(o.hindrance, same ? VRS_NO_SHARED_ROUNDS : VRS_OTHER_DEVICE);
		assert_true(same || o.exit_code == VRS_EXIT_INCOMPARABLE);
		assert_true(same || cell_of(f, "compare-b", a->cases[0].id, "FPS", 5)[0] == '\0');
		vrs_findings_destroy(f);
		vrs_result_destroy(a);
		vrs_result_destroy(b);
	}
}

static void without_a_shared_case_nothing_is_compared(void **state)
{
	struct vrs_result *a = make_result(8), *b = make_result(8);
	struct vrs_findings *f = vrs_findings_create();
	(void)state;
	b->case_count = 1;
	strcpy(b->cases[0].id, "another");
	struct vrs_compare_outcome o = compare(a, b, f);
	assert_int_equal(o.hindrance, VRS_NO_SHARED_CASE);
	assert_int_equal(o.exit_code, VRS_EXIT_INCOMPARABLE);
	assert_non_null(found_note(f, "no-shared-case"));
	vrs_findings_destroy(f);
	b->case_count = 6;
	vrs_result_destroy(a);
	vrs_result_destroy(b);
}

static void the_command_can_be_typed(void **state)
{
	struct vrs_result *a = make_result(2), *b = make_result(2);
	const struct vrs_compare_side x = {a, "a folder/it's.json", 'A'}, y = {b, "b", 'B'};
	char command[1400];
	(void)state;
	(void)vrs_strcpy(b->base_config, sizeof b->base_config, "matte:\n  refine: false\nengine:\n  threads: 2\n");
	vrs_compare_command(&x, &y, &b->cases[0], command, sizeof command);
	assert_string_equal(command, "vrbench --versus 'a folder/it'\\''s.json' --case r=3840x1920/b=2/p=fp32/t=1 --no-refine "
				     "--batch-size 2 --precision fp32 --threads 1 clips/person.mp4");
	/* Side A of an A/B has started from settings of its own. */
	(void)vrs_strcpy(b->versus_config, sizeof b->versus_config, "output:\n  preset: medium\n");
	(void)vrs_strcpy(b->cases[1].id, sizeof b->cases[1].id, "r=1920x1080/b=2/p=fp32/t=1/side=A");
	vrs_compare_command(&x, &y, &b->cases[1], command, sizeof command);
	assert_string_equal(command, "vrbench --versus 'a folder/it'\\''s.json' --case r=1920x1080/b=2/p=fp32/t=1/side=A --preset medium "
				     "--batch-size 2 --precision fp32 --threads 1 clips/person.mp4");
	(void)vrs_strcpy(a->tool_version, sizeof a->tool_version, "0.0.9");
	(void)vrs_strcpy(a->command, sizeof a->command, "../old/bin/vrbench --all");
	vrs_compare_command(&x, &y, &b->cases[0], command, sizeof command);
	assert_string_equal(command, "vrbench --versus ../old/bin/vrbench --resolution 3840x1920 --no-refine --batch-size 2 --precision fp32 --threads 1 "
				     "clips/person.mp4");
	vrs_result_destroy(a);
	vrs_result_destroy(b);
}

static double normal(struct vrs_rng *rng)
{
	return sqrt(-2 * log(1 - vrs_rng_unit(rng))) * cos(6.283185307179586 * vrs_rng_unit(rng));
}

/* Many cases of one invocation: the drift of all, and the noise of each. */
static struct vrs_result *make_many(int cases, double cost, struct vrs_rng *rng)
{
	struct vrs_result *result;
	double drift = 0.015 * normal(rng) - log1p(cost);
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	for (int i = 0; i < cases; i++) {
		struct vrs_case_result *c = add_case(result, 3840, 1920, i + 1, "fp32", 1, 20 + i, 0.95, 6);
		for (int r = 0; r < 6; r++)
			c->runs[r].fps = (20 + i) * exp(drift + 0.03 * normal(rng));
	}
	return result;
}

/* How many of 100 comparisons of 20 cases say SLOWER, of invocations that differ by a change of all cases and by drift. */
static int slower_of_100(double cost, struct vrs_rng *rng)
{
	int slower = 0;
	for (int n = 0; n < 100; n++) {
		struct vrs_result *a = make_many(20, 0, rng), *b = make_many(20, cost, rng);
		struct vrs_findings *f = vrs_findings_create();
		strcpy(b->started_utc, "2026-01-02T00:00:00Z");
		struct vrs_compare_outcome o = compare(a, b, f);
		assert_true(isfinite(o.headline.p));
		slower += o.headline.verdict == VRS_VERDICT_SLOWER;
		vrs_findings_destroy(f);
		vrs_result_destroy(a);
		vrs_result_destroy(b);
	}
	return slower;
}

static void replace_record(const char *folder, const struct vrs_noise_record *r)
{
	char pattern[128], *text;
	glob_t found;
	snprintf(pattern, sizeof pattern, "%s/vrseg/calibration/*.json", folder);
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	assert_int_equal(vrs_noise_record_print(r, &text), VRS_OK);
	assert_int_equal(vrs_file_replace(found.gl_pathv[0], text, strlen(text), NULL), VRS_OK);
	vrs_json_free_text(text);
	globfree(&found);
}

/* The worst of many cases is no likelier to be slower by chance than one alone: they are one family.  A large change of all is found. */
static void many_cases_raise_few_alarms(void **state)
{
	static const double levels[] = {-1.3, 0.4, 1.1, -0.5, 0.9, -1.2, 0.6, 0.2}; /* calibrations, in deviations */
	struct vrs_result *one = make_result(6);
	struct vrs_noise_record r;
	struct vrs_rng rng;
	char folder[64], command[96];
	(void)state;
	snprintf(folder, sizeof folder, "/tmp/vrs-test-compare-%d", (int)getpid());
	assert_int_equal(setenv("XDG_STATE_HOME", folder, 1), 0);
	vrs_rng_init(&rng, 11);
	vrs_noise_record_init(&r);
	vrs_noise_record_class(&one->cases[0], r.class_name, sizeof r.class_name);
	r.run_cv = 0.03;
	assert_int_equal(vrs_noise_record_store(&r, NULL), VRS_OK); /* as one that has just been made; then the hours before it */
	for (int i = 0; i < 8; i++) {
		struct vrs_noise_level *l = &r.levels[i];
		*l = (struct vrs_noise_level){.created = r.created - (8 - i) * 3600, .subject = 1, .level = 20 * exp(0.015 * levels[i])};
		snprintf(l->started_utc, sizeof l->started_utc, "hour %d", i);
	}
	r.level_count = 8;
	replace_record(folder, &r);
	int alarms = slower_of_100(0, &rng), found = slower_of_100(0.25, &rng);
	printf("20 cases: %d %% alarms without a change, %d %% of changes by 25 %% found\n", alarms, found);
	assert_true(alarms <= 5);
	assert_true(found >= 90);
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	assert_int_equal(system(command), 0);
	assert_int_equal(setenv("XDG_STATE_HOME", "/nonexistent", 1), 0);
	vrs_result_destroy(one);
}

static void without_memory_nothing_is_said(void **state)
{
	struct vrs_result *a = make_result(3), *b = make_result(3);
	const struct vrs_compare_side x = {a, "a", 'A'}, y = {b, "b", 'B'};
	const struct vrs_compare_options options = {.now = 1, .explain = true};
	bool fired = true;
	(void)state;
	strcpy(b->started_utc, "2026-01-02T00:00:00Z");
	for (uint64_t n = 1; fired; n += n < 50 ? 1 : 61) {
		struct vrs_findings *f = vrs_findings_create();
		struct vrs_compare_outcome o;
		vrs_mem_fail_after(n, false);
		enum vrs_status status = vrs_compare_results(&x, &y, &options, f, &o, NULL);
		if (status == VRS_OK)
			status = vrs_findings_finish(f);
		fired = vrs_mem_fault_fired();
		vrs_mem_fail_after(0, false);
		assert_int_equal(status, fired ? VRS_ENOMEM : VRS_OK);
		vrs_findings_destroy(f);
	}
	vrs_result_destroy(a);
	vrs_result_destroy(b);
}

static int set_up(void **state)
{
	(void)state;
	return setenv("XDG_STATE_HOME", "/nonexistent", 1); /* no calibration of whoever runs this */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_case_that_fails), cmocka_unit_test(pairs_go_by_id), cmocka_unit_test(the_largest_difference_speaks),
		cmocka_unit_test(the_same_is_equivalent),
		cmocka_unit_test(a_figure_of_one_side_is_shown), cmocka_unit_test(mattes_are_judged_without_rounds),
		cmocka_unit_test(differences_are_named), cmocka_unit_test(the_command_can_be_typed),
		cmocka_unit_test(many_cases_raise_few_alarms), cmocka_unit_test(devices_are_apart),
		cmocka_unit_test(without_a_shared_case_nothing_is_compared), cmocka_unit_test(without_memory_nothing_is_said),
	};
	return cmocka_run_group_tests(tests, set_up, NULL);
}
