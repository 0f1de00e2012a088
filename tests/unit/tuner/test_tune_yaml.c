/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the file that a search leaves: it holds the chosen values and what the user set, nothing else, and its comments say what each value beat,
 * what the choice costs and spares, and the command that measures it again, which a shell reads as it is meant.
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

#include "base/str_parse.h"
#include "tuner/tune_yaml.h"

static char text[16384];

static struct vrs_search_result make_result(void)
{
	struct vrs_search_result r = {.best_id = "best", .default_id = "base", .sentence = "best is 1.20 times as fast.", .feasible = true, .verified = true,
				      .best_figures = {.fps = {.n = 8, .median = 66}, .low_fps = 63, .quality = 0.949, .has_truth = true,
						       .kbps = 1400, .ssim = 0.994, .peak_bytes = 150 << 20},
				      .default_figures = {.fps = {.n = 8, .median = 55}, .quality = 0.95, .kbps = 1000, .ssim = 0.995}};
	(void)vrs_strcpy(r.tie, sizeof r.tie, "other");
	assert_int_equal(vrs_case_set(&r.best, "output.preset", "superfast", NULL), VRS_OK);
	return r;
}

/* The file of a result for this base, as text. */
static void save(const struct vrs_search_result *r, const struct vrs_config *base, const char *name, const char *input)
{
	const struct vrs_objective objective = {.max_iou_loss = 0.005, .max_encode_loss = 0.002, .min_fps = 60, .max_kbps = 2000,
						 .memory_limit_bytes = 200 << 20};
	static struct vrs_machine machine;
	char folder[] = "/tmp/vrs-tune-yaml-XXXXXX", path[128];
	struct vrs_error err = {.status = VRS_OK};
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	snprintf(path, sizeof path, "%s", name);
	if (vrs_tune_yaml_write(r, &objective, base, &machine, input, path, &err) != VRS_OK)
		fail_msg("%s", err.text);
	FILE *in = fopen(path, "r");
	assert_non_null(in);
	text[fread(text, 1, sizeof text - 1, in)] = '\0';
	fclose(in);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(folder), 0);
}

static void has(const char *line)
{
	const char *at = strstr(text, line);
	if (!at || (at[strlen(line)] != '\n' && at[strlen(line)] != ' '))
		fail_msg("\"%s\" is not in\n%s", line, text);
}

static int keys(void)
{
	int count = 0;
	for (const char *p = text; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		count += strncmp(p, "  ", 2) == 0;
		if (*p == '\0')
			break;
	}
	return count;
}

static void says_what_was_found(void **state)
{
	(void)state;
	struct vrs_search_result r = make_result();
	struct vrs_config *base;
	assert_int_equal(vrs_config_create(&base), VRS_OK);
	save(&r, base, "my.yaml", "film.mp4");
	has("# best is 1.20 times as fast.");
	has("# Chosen: output.preset: superfast; it was veryfast");
	has("# Output: 1400 kbit/s; default 1000");
	has("# Speed: at least 60 FPS; measured 63 FPS, 5.0 % to spare");
	has("# Bit rate: at most 2000 kbit/s; measured 1400 kbit/s, 30.0 % to spare");
	has("# IoU: at least 0.945; measured 0.949, 0.4 % to spare");
	has("# SSIM: at least 0.993; measured 0.994, 0.1 % to spare");
	has("# Memory: at most 200 MiB; measured 150 MiB, 25.0 % to spare");
	has("# Cannot be told from it: other");
	has("# Check again with: vrbench --versus default -c my.yaml film.mp4");
	has("  preset: superfast");
	assert_int_equal(keys(), 1);
	vrs_config_destroy(base);
}

/* The command decides by what the search decided by; where it does not, the line says what it compares. */
static void the_check_is_about_the_goal(void **state)
{
	static const struct {
		enum vrs_goal goal;
		bool by_value;
		const char *line;
	} cases[] = {
		{VRS_GOAL_SIZE, true, "# Check again with: vrbench --versus default -c my.yaml --decide-by size film.mp4"},
		{VRS_GOAL_QUALITY, true, "# Check again with: vrbench --versus default -c my.yaml --decide-by iou film.mp4"},
		{VRS_GOAL_LIVE, false, "# Check again with: vrbench --versus default -c my.yaml --mode live@72 film.mp4"},
		{VRS_GOAL_LIVE, true, "# Compare the latencies of both with: vrbench --versus default -c my.yaml --mode live@72 film.mp4"},
		{VRS_GOAL_THROUGHPUT, true, "# Compare the speeds of both with: vrbench --versus default -c my.yaml film.mp4"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct vrs_search_result r = make_result();
		struct vrs_config *base;
		r.goal = cases[i].goal;
		r.by_value = cases[i].by_value;
		r.best.live_hz = r.goal == VRS_GOAL_LIVE ? 72 : 0;
		assert_int_equal(vrs_config_create(&base), VRS_OK);
		save(&r, base, "my.yaml", "film.mp4");
		has(cases[i].line);
		vrs_config_destroy(base);
	}
}

/* Figures of another size or scope are checked at that size and scope. */
static void checks_what_was_measured(void **state)
{
	(void)state;
	struct vrs_search_result r = make_result();
	struct vrs_config *base;
	r.best.width = 3840;
	r.best.height = 1920;
	r.best.scope = VRS_SCOPE_NO_IO;
	assert_int_equal(vrs_config_create(&base), VRS_OK);
	save(&r, base, "my.yaml", "film.mp4");
	has("with: vrbench --versus default -c my.yaml --resolution 3840x1920 --scope pipeline_no_io film.mp4");
	vrs_config_destroy(base);
}

/* What the user set stays in the file, so side A is the same command with the former value. */
static void keeps_what_the_user_set(void **state)
{
	(void)state;
	struct vrs_search_result r = make_result();
	struct vrs_config *base;
	assert_int_equal(vrs_config_create(&base), VRS_OK);
	assert_int_equal(vrs_config_set(base, "matte.gamma", "1.1", VRS_SOURCE_FLAG, "--gamma", NULL), VRS_OK);
	assert_int_equal(vrs_config_set(base, "output.overwrite", "true", VRS_SOURCE_FLAG, "--overwrite", NULL), VRS_OK);
	save(&r, base, "my tuned.yaml", "it's $mine.mp4");
	has("# Check again with: vrbench --versus output.preset=veryfast -c 'my tuned.yaml' 'it'\\''s $mine.mp4'");
	has("  gamma: 1.1");
	assert_int_equal(keys(), 2);
	vrs_config_destroy(base);
}

static void a_default_needs_no_check(void **state)
{
	(void)state;
	struct vrs_search_result r = make_result();
	struct vrs_config *base;
	r.best.value_count = 0;
	r.keeps_default = true;
	assert_int_equal(vrs_config_create(&base), VRS_OK);
	save(&r, base, "my.yaml", NULL);
	has("# Input: built-in synthetic clip");
	assert_null(strstr(text, "Check again"));
	assert_int_equal(keys(), 0);
	vrs_config_destroy(base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_what_was_found), cmocka_unit_test(the_check_is_about_the_goal), cmocka_unit_test(checks_what_was_measured),
		cmocka_unit_test(keeps_what_the_user_set),
		cmocka_unit_test(a_default_needs_no_check),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
