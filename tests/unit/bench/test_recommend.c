/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: a recommendation needs proof from shared rounds and good mattes; else the default stays and the file says so and loads; the file names the
 * cases that each value stands on, with intervals, and says of each resolution whether its best case is proven.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/figures/case_summary.h"
#include "base/file.h"
#include "base/str_parse.h"
#include "bench/judge/recommend.h"
#include "bench/plan/default_values.h"

static void add_case(struct vrs_result *result, const char *id, int width, double fps, double agreement, int rounds)
{
	struct vrs_case_result *c = vrs_result_add_case(result);
	vrs_strcpy(c->id, sizeof c->id, id);
	c->precision = VRS_PRECISION_FP32;
	c->width = width;
	c->height = width / 2;
	c->batch = 2;
	c->threads = 1;
	for (int r = 1; r <= rounds; r++) {
		struct vrs_run *run = vrs_case_result_add_run(c);
		run->status = VRS_RUN_OK;
		run->round = r;
		run->frames = 100;
		run->fps = fps * (1 + 0.003 * ((r * 7) % 5 - 2));
		run->agreement = agreement;
	}
	assert_int_equal(vrs_case_result_summarize(c, NULL), VRS_OK);
}

static struct vrs_result *make(int rounds, double agreement, double other_fps)
{
	struct vrs_result *result;
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	vrs_strcpy(result->default_case, sizeof result->default_case, "r=2048x1024/b=2/p=fp32/t=1");
	add_case(result, result->default_case, 2048, 20, 1, rounds);
	add_case(result, "r=2048x1024/b=4/p=fp32/t=2/output.preset=ultrafast", 2048, other_fps, agreement, rounds);
	add_case(result, "r=640x320/b=2/p=fp32/t=1", 640, 200, 1, rounds); /* another clip does not compete */
	assert_int_equal(vrs_recommend(result), VRS_OK);
	return result;
}

static void proven_gain(void **state)
{
	(void)state;
	struct vrs_result *result = make(10, 0.999, 24);
	assert_string_equal(result->recommended_case, "r=2048x1024/b=4/p=fp32/t=2/output.preset=ultrafast");
	assert_non_null(strstr(result->recommendation, "+20.0 %"));
	vrs_result_destroy(result);
}

/* Where no mattes were compared, only what makes the same ones competes: no other network, and not half of the frames. */
static void without_agreement(void **state)
{
	static const struct {
		const char *id, *model;
		bool takes_part;
	} others[] = {
		{"r=2048x1024/b=4/p=fp32/t=2/output.preset=ultrafast", "selfie", true},
		{"r=2048x1024/b=2/p=fp32/t=1/m=selfie", "selfie", true},
		{"r=2048x1024/b=2/p=fp32/t=1/m=other", "other", false},
		{"r=2048x1024/b=2/p=fp32/t=1/pipeline.every_nth=2", "selfie", false},
	};
	(void)state;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		struct vrs_result *result;
		assert_int_equal(vrs_result_create(&result), VRS_OK);
		vrs_strcpy(result->default_case, sizeof result->default_case, "r=2048x1024/b=2/p=fp32/t=1");
		add_case(result, result->default_case, 2048, 20, NAN, 10);
		add_case(result, others[i].id, 2048, 40, NAN, 10);
		vrs_strcpy(result->cases[0].model, sizeof result->cases[0].model, "selfie");
		vrs_strcpy(result->cases[1].model, sizeof result->cases[1].model, others[i].model);
		assert_int_equal(vrs_recommend(result), VRS_OK);
		assert_string_equal(result->recommended_case, others[i].takes_part ? others[i].id : result->default_case);
		vrs_result_destroy(result);
	}
}

static void the_default_stays(void **state)
{
	(void)state;
	static const struct {
		int rounds;
		double agreement, fps;
		const char *words;
	} cases[] = {
		{7, 1, 40, "fewer than 8 shared rounds"}, /* twice as fast, but not enough pairs */
		{10, 0.9, 40, "nothing else was measured"}, /* fast with bad mattes */
		{10, 1, 20.1, "below 2 %"},
		{10, 1, 15, "no other case was faster"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct vrs_result *result = make(cases[i].rounds, cases[i].agreement, cases[i].fps);
		assert_string_equal(result->recommended_case, result->default_case);
		if (!strstr(result->recommendation, cases[i].words))
			fail_msg("\"%s\" does not say \"%s\"", result->recommendation, cases[i].words);
		vrs_result_destroy(result);
	}
}

/* A case that runs no network is the bound of the rest of the job, however fast it is. */
static void no_network_is_no_setting(void **state)
{
	(void)state;
	struct vrs_result *result = make(10, 0.999, 19);
	add_case(result, "r=2048x1024/b=2/p=fp32/t=1/engine.backend=null", 2048, 80, NAN, 10);
	vrs_strcpy(result->cases[result->case_count - 1].backend, sizeof result->cases[0].backend, "null");
	struct vrs_holm_family kept = {.base = NULL};
	struct vrs_recommend_row row;
	assert_int_equal(vrs_recommend(result), VRS_OK);
	assert_string_equal(result->recommended_case, result->default_case);
	assert_non_null(strstr(result->recommendation, "no other case was faster"));
	for (int i = 0; i < result->case_count; i++) {
		assert_int_equal(vrs_recommend_best(result, i, &kept, &row), VRS_OK);
		assert_true(row.best != &result->cases[result->case_count - 1]);
		assert_true(i > 0 || (row.best && row.width == result->cases[0].width));
	}
	vrs_holm_family_fini(&kept);
	vrs_result_destroy(result);
}

static void no_default(void **state)
{
	(void)state;
	struct vrs_result *result = make(10, 1, 24);
	vrs_strcpy(result->default_case, sizeof result->default_case, "r=1x1/b=1/p=fp32/t=1");
	assert_int_equal(vrs_recommend(result), VRS_OK);
	assert_string_equal(result->recommended_case, "");
	assert_non_null(strstr(result->recommendation, "nothing can be recommended"));
	vrs_result_destroy(result);
}

/* What auto comes to. */
static const struct vrs_bench_input input = {.batch = 2, .threads = 1, .streams = 1};

static void the_file_loads(void **state)
{
	(void)state;
	char path[128];
	struct vrs_config *base, *read;
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_buf text;
	snprintf(path, sizeof path, "/tmp/vrs-test-recommend-%d.yaml", (int)getpid());
	assert_int_equal(vrs_config_create(&base), VRS_OK);
	assert_int_equal(vrs_config_set(base, "output.crf", "23", VRS_SOURCE_FLAG, NULL, &err), VRS_OK);
	for (int rounds = 3; rounds <= 10; rounds += 7) {
		struct vrs_result *result = make(rounds, 1, 24);
		/* a line break in a name ends no comment: what stands behind it would be a setting */
		strcpy(result->input, "clip\noutput.file: evil.mkv\n#.mp4");
		strcpy(result->recommendation, "why\noutput.overwrite: true");
		assert_int_equal(vrs_recommend_write(result, base, &input, path, &err), VRS_OK);
		assert_int_equal(vrs_config_create(&read), VRS_OK);
		if (vrs_config_load_file(read, path, VRS_SOURCE_FILE, &err) != VRS_OK)
			fail_msg("%s", err.text);
		const struct vrs_settings *s = vrs_config_settings(read);
		assert_int_equal(s->output.crf, 23);
		assert_string_equal(s->output.file, "");
		assert_false(s->output.overwrite);
		assert_int_equal(s->engine.batch_size, rounds == 10 ? 4 : 0);
		assert_int_equal(s->engine.threads, rounds == 10 ? 2 : 0);
		assert_string_equal(s->output.preset, rounds == 10 ? "ultrafast" : "veryfast");
		vrs_config_destroy(read);
		assert_int_equal(vrs_file_read(path, 1 << 16, &text, &err), VRS_OK);
		assert_non_null(strstr(vrs_buf_str(&text), "#   640x320"));
		assert_non_null(strstr(vrs_buf_str(&text), "#     clip: clip\\x0aoutput.file: evil.mkv\\x0a#.mp4 ("));
		assert_non_null(strstr(vrs_buf_str(&text), rounds == 10 ? "FPS [" : "(n=3)"));
		vrs_buf_fini(&text);
		vrs_result_destroy(result);
	}
	vrs_config_destroy(base);
	unlink(path);
}

static void expect_words(const char *text, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strstr(text, words[i]))
			{
			fprintf(stderr, "%s", text);
			fail_msg("\"%s\" is not there", words[i]);
		}
}

/* A reader can follow every value to the cases that it stands on. */
static void the_file_names_its_evidence(void **state)
{
	(void)state;
	static const char *const words[] = {
		"#   r=2048x1024/b=4/p=fp32/t=2/output.preset=ultrafast\n#     24.0 FPS [",
		"#   r=2048x1024/b=2/p=fp32/t=1 (the default)\n#     20.0 FPS [",
		"# proven: +20.0 % [",
		"#   engine.batch_size: 4, the default case had 2\n#     alone proven: +10.0 % [",
		"speed over 10 shared rounds; case r=2048x1024/b=4/p=fp32/t=1\n",
		"#   engine.threads: 2, the default case had 1\n#     alone: not measured\n",
		"#   output.preset: ultrafast\n#     alone proven, but below the margin: +0.5 % [",
		/* Each resolution with its own proof. */
		"#   2048x1024: r=2048x1024/b=4/p=fp32/t=2/output.preset=ultrafast\n#     24.0 FPS [",
		"against the default's values: proven: +20.0 % [",
		"#   640x320: r=640x320/b=2/p=fp32/t=1\n",
		"against the default's values: is the default\n",
		"#   1024x512: r=1024x512/b=4/p=fp32/t=1\n",
		"against the default's values: not proven: +50.0 % speed over 3 shared rounds, 8 are needed\n",
		"#   512x256: r=512x256/b=4/p=fp32/t=1\n#     90.0 FPS",
		"(n=3) INVALID; against the default's values: not proven: no round in which both ran well and undisturbed, 8 are needed\n",
	};
	char path[128];
	struct vrs_config *base;
	struct vrs_buf text;
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_result *result = make(10, 1, 24);
	snprintf(path, sizeof path, "/tmp/vrs-test-evidence-%d.yaml", (int)getpid());
	add_case(result, "r=2048x1024/b=4/p=fp32/t=1", 2048, 22, 1, 10);
	add_case(result, "r=2048x1024/b=2/p=fp32/t=1/output.preset=ultrafast", 2048, 20.1, 1, 10);
	add_case(result, "r=1024x512/b=2/p=fp32/t=1", 1024, 60, 1, 3);
	add_case(result, "r=1024x512/b=4/p=fp32/t=1", 1024, 90, 1, 3);
	add_case(result, "r=512x256/b=2/p=fp32/t=1", 512, 60, 1, 3);
	add_case(result, "r=512x256/b=4/p=fp32/t=1", 512, 90, 1, 3);
	for (int i = 0; i < 3; i++) /* no round is left in which both were undisturbed */
		strcpy(result->cases[result->case_count - 1].runs[i].excluded, "steal: 9 % stolen");
	assert_int_equal(vrs_case_result_summarize(&result->cases[result->case_count - 1], NULL), VRS_OK);
	strcpy(result->cases[result->case_count - 1].invalid, "steal: 3 of 3 runs excluded");
	assert_int_equal(vrs_recommend(result), VRS_OK);
	assert_int_equal(vrs_config_create(&base), VRS_OK);
	assert_int_equal(vrs_recommend_write(result, base, &input, path, &err), VRS_OK);
	assert_int_equal(vrs_file_read(path, 1 << 16, &text, &err), VRS_OK);
	expect_words(vrs_buf_str(&text), words, sizeof words / sizeof *words);
	vrs_buf_fini(&text);
	vrs_config_destroy(base);
	vrs_result_destroy(result);
	unlink(path);
}

/* An axis without the base's own value: the default case was measured with the first one, and so is what the file says, whoever set the base's. */
static void expect_measured_default(enum vrs_value_source source)
{
	static const char *const ids[] = {"r=2048x1024/b=2/p=bf16/t=4/output.preset=fast", "r=2048x1024/b=2/p=bf16/t=8/output.preset=medium"};
	char path[128];
	struct vrs_config *base, *read;
	struct vrs_result *result;
	struct vrs_error err = {.status = VRS_OK};
	snprintf(path, sizeof path, "/tmp/vrs-test-default-%d.yaml", (int)getpid());
	assert_int_equal(vrs_config_create(&base), VRS_OK);
	if (source != VRS_SOURCE_DEFAULT)
		assert_int_equal(vrs_config_set(base, "output.preset", "medium", source, NULL, &err), VRS_OK);
	assert_int_equal(vrs_config_create(&read), VRS_OK);
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	vrs_strcpy(result->default_case, sizeof result->default_case, ids[0]);
	for (int i = 0; i < 2; i++)
		add_case(result, ids[i], 2048, 20 - i, 1, 10);
	assert_int_equal(vrs_recommend(result), VRS_OK);
	assert_string_equal(result->recommended_case, ids[0]);
	if (vrs_recommend_write(result, base, &input, path, &err) != VRS_OK || vrs_config_load_file(read, path, VRS_SOURCE_FILE, &err) != VRS_OK)
		fail_msg("%s", err.text);
	const struct vrs_settings *s = vrs_config_settings(read);
	assert_string_equal(s->output.preset, "fast");
	assert_int_equal(s->engine.threads, 4);    /* auto is one here */
	assert_int_equal(s->engine.batch_size, 0); /* auto is two */
	vrs_config_destroy(read);
	/* The same of a record, which says itself what auto is. */
	vrs_strcpy(result->own_case, sizeof result->own_case, "r=2048x1024/b=2/p=bf16/t=1/s=1");
	assert_int_equal(vrs_default_values_apply(base, result, NULL, &err), VRS_OK);
	s = vrs_config_settings(base);
	assert_string_equal(s->output.preset, "fast");
	assert_true(s->engine.threads == 4 && s->engine.batch_size == 0);
	vrs_config_destroy(base);
	vrs_result_destroy(result);
	unlink(path);
}

/* What batch and precision does a record's default case of b=2/p=fp32 give, where all cases have these? */
static void expect_shared(const char *own_case, int batch, int precision)
{
	static const char *const ids[] = {"r=2048x1024/b=2/p=fp32/t=4/output.preset=fast", "r=2048x1024/b=2/p=fp32/t=4/output.preset=medium"};
	struct vrs_config *base;
	struct vrs_result *result;
	struct vrs_error err = {.status = VRS_OK};
	assert_int_equal(vrs_config_create(&base), VRS_OK);
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	vrs_strcpy(result->default_case, sizeof result->default_case, ids[0]);
	vrs_strcpy(result->own_case, sizeof result->own_case, own_case);
	for (int i = 0; i < 2; i++)
		add_case(result, ids[i], 2048, 20 - i, 1, 10);
	assert_int_equal(vrs_default_values_apply(base, result, NULL, &err), VRS_OK);
	const struct vrs_settings *s = vrs_config_settings(base);
	assert_int_equal(s->engine.batch_size, batch);
	assert_int_equal(s->engine.precision, precision);
	vrs_config_destroy(base);
	vrs_result_destroy(result);
}

/* A value that no case varies may be the only one of an axis: it stays auto only where the record says that auto is the same. */
static void shared_values_are_kept(void **state)
{
	(void)state;
	expect_shared("r=2048x1024/b=1/p=bf16/t=1/s=1", 2, VRS_PRECISION_FP32);
	expect_shared("r=2048x1024/b=2/p=bf16/t=1/s=1", 0, VRS_PRECISION_FP32);
	expect_shared("r=2048x1024/b=1/p=fp32/t=1/s=1", 2, VRS_PRECISION_AUTO);
	expect_shared("", 2, VRS_PRECISION_FP32); /* an older record */
}

static void the_default_is_what_was_measured(void **state)
{
	(void)state;
	for (int source = VRS_SOURCE_DEFAULT; source <= VRS_SOURCE_FLAG; source++)
		expect_measured_default((enum vrs_value_source)source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(proven_gain), cmocka_unit_test(without_agreement),
		cmocka_unit_test(the_default_stays),
		cmocka_unit_test(no_network_is_no_setting),
		cmocka_unit_test(no_default),
		cmocka_unit_test(the_file_loads),
		cmocka_unit_test(the_default_is_what_was_measured),
		cmocka_unit_test(shared_values_are_kept),
		cmocka_unit_test(the_file_names_its_evidence),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
