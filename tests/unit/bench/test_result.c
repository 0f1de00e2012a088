/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: results.json keeps every value, damage is refused with a sentence that names the place, other schema versions are told apart, and
 * docs/results.schema.json describes every key that is written.
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
#include "base/json.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/str_parse.h"
#include "bench/record/record_fields.h"
#include "bench/record/result.h"

static char path[256];

static int set_up(void **state)
{
	(void)state;
	snprintf(path, sizeof path, "/tmp/vrs-test-result-%d.json", (int)getpid());
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

/* Every judged figure, once not known. */
static void fill_prefixes(struct vrs_matte_prefixes *p, int seed)
{
	p->count = 1 + seed % VRS_MATTE_PREFIXES_MAX;
	for (int i = 0; i < p->count; i++) {
		p->mattes[i] = 2 * (i + 1);
		for (int f = 0; f < VRS_QUALITY_FIGURES; f++)
			p->figures[i][f] = vrs_quality_figure_info((enum vrs_quality_figure)f)->margin > 0 && i + f > 0 ? 0.125F * (float)(i + f) : NAN;
	}
}

/* Give every field of a record a value of its own, by its table. */
static void fill(const struct vrs_field *fields, void *record, int seed)
{
	for (const struct vrs_field *f = fields; f->key; f++) {
		void *p = (char *)record + f->offset;
		double number = f->min + (f->max > 1e6 ? 12.25 + seed : (f->max - f->min) * 0.25);
		switch (f->kind) {
		case VRS_FIELD_DOUBLE:
			*(double *)p = number;
			break;
		case VRS_FIELD_INT:
			*(int *)p = (int)number;
			break;
		case VRS_FIELD_INT64:
			*(int64_t *)p = 1000000007LL * (seed + 1);
			break;
		case VRS_FIELD_BOOL:
			*(bool *)p = true;
			break;
		case VRS_FIELD_TEXT:
			snprintf(p, f->size, "%s %d \"\\\n\xc3\xa4", f->key, seed);
			break;
		case VRS_FIELD_HEX64:
			*(uint64_t *)p = UINT64_C(0xfedcba9876543210) + (unsigned)seed; /* above 2^53 */
			break;
		case VRS_FIELD_STAGES:
			for (int s = 0; s < VRS_STAGE_COUNT; s++)
				((double *)p)[s] = s + 0.5;
			break;
		case VRS_FIELD_ESTIMATE:
			*(struct vrs_estimate *)p = (struct vrs_estimate){2, 1.5, 2.5, 1, 3, 0.978515625, 10, true};
			break;
		case VRS_FIELD_ENUM:
			*(int *)p = seed % f->names->count;
			break;
		case VRS_FIELD_PREFIXES:
			fill_prefixes(p, seed);
			break;
		case VRS_FIELD_MODE:
			*(double *)p = seed ? 59.94 + seed : 0;
			break;
		}
	}
}

static struct vrs_result *full_result(void)
{
	struct vrs_result *result;
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	fill(vrs_result_fields, result, 1);
	vrs_strcpy(result->machine_json, sizeof result->machine_json, "{\"cpu_model\":\"test\",\"threads\":2}");
	for (int i = 0; i < 3; i++) {
		struct vrs_case_result *c = vrs_result_add_case(result);
		fill(vrs_case_fields, c, i);
		for (int k = 0; k < VRS_RUN_STATUS_COUNT; k++)
			fill(vrs_run_fields, vrs_case_result_add_run(c), k);
	}
	vrs_strcpy(result->unavailable[0].key, sizeof result->unavailable[0].key, "cycles");
	vrs_strcpy(result->unavailable[0].reason, sizeof result->unavailable[0].reason, "perf_event_paranoid is 3; counting needs 2 or less");
	result->unavailable_count = 1;
	fill(vrs_profile_run_fields, &result->profile_run, 3);
	for (result->comparison_count = 0; result->comparison_count < 3; result->comparison_count++)
		fill(vrs_comparison_fields, &result->comparisons[result->comparison_count], result->comparison_count);
	for (int i = 0; i < 2; i++) {
		struct vrs_net_profile *p = vrs_result_add_profile(result);
		fill(vrs_profile_fields, p, i);
		p->ops = vrs_calloc(3, sizeof *p->ops);
		assert_non_null(p->ops);
		for (p->op_count = 0; p->op_count < 3 * i; p->op_count++)
			fill(vrs_op_fields, &p->ops[p->op_count], p->op_count);
	}
	return result;
}

static void assert_same_prefixes(const struct vrs_matte_prefixes *x, const struct vrs_matte_prefixes *y)
{
	assert_int_equal(x->count, y->count);
	for (int i = 0; i < x->count; i++) {
		assert_int_equal(x->mattes[i], y->mattes[i]);
		for (int f = 0; f < VRS_QUALITY_FIGURES; f++)
			assert_true((isnan(x->figures[i][f]) && isnan(y->figures[i][f])) || x->figures[i][f] - y->figures[i][f] == 0);
	}
}

static void assert_same(const struct vrs_field *fields, const void *a, const void *b)
{
	for (const struct vrs_field *f = fields; f->key; f++) {
		const char *x = (const char *)a + f->offset, *y = (const char *)b + f->offset;
		const double *dx = (const void *)x, *dy = (const void *)y;
		if (f->kind == VRS_FIELD_DOUBLE || f->kind == VRS_FIELD_MODE)
			assert_true((isnan(*dx) && isnan(*dy)) || fabs(*dx - *dy) <= 1e-12 * fabs(*dx));
		else if (f->kind == VRS_FIELD_TEXT)
			assert_string_equal(x, y);
		else if (f->kind == VRS_FIELD_STAGES)
			for (int s = 0; s < VRS_STAGE_COUNT; s++)
				assert_true((isnan(dx[s]) && isnan(dy[s])) || fabs(dx[s] - dy[s]) < 1e-12);
		else if (f->kind == VRS_FIELD_ESTIMATE)
			assert_int_equal(((const struct vrs_estimate *)(const void *)x)->n, ((const struct vrs_estimate *)(const void *)y)->n);
		else if (f->kind == VRS_FIELD_PREFIXES)
			assert_same_prefixes((const void *)x, (const void *)y);
		else
			assert_memory_equal(x, y, f->kind == VRS_FIELD_INT || f->kind == VRS_FIELD_ENUM ? 4 : f->kind == VRS_FIELD_BOOL ? 1 : 8);
	}
}

static void everything_survives(void **state)
{
	(void)state;
	struct vrs_result *a = full_result(), *b = NULL;
	struct vrs_error err = {.status = VRS_OK};
	vrs_run_init(&a->cases[2].runs[1]); /* a run without any value */
	for (int i = 0; i < 3; i++)
		assert_int_equal(vrs_case_result_summarize(&a->cases[i], NULL), VRS_OK); /* readers do so, too */
	assert_int_equal(vrs_result_write(a, path, &err), VRS_OK);
	assert_int_equal(vrs_result_read(&b, path, &err), VRS_OK);
	assert_same(vrs_result_fields, a, b);
	assert_string_equal(a->machine_json, b->machine_json);
	assert_int_equal(b->unavailable_count, 1);
	assert_same(vrs_profile_run_fields, &a->profile_run, &b->profile_run);
	assert_string_equal(b->unavailable[0].key, "cycles");
	assert_string_equal(b->unavailable[0].reason, a->unavailable[0].reason);
	assert_int_equal(b->case_count, 3);
	for (int i = 0; i < 3; i++) {
		assert_same(vrs_case_fields, &a->cases[i], &b->cases[i]);
		assert_int_equal(b->cases[i].run_count, VRS_RUN_STATUS_COUNT);
		for (int k = 0; k < VRS_RUN_STATUS_COUNT; k++)
			assert_same(vrs_run_fields, &a->cases[i].runs[k], &b->cases[i].runs[k]);
	}
	assert_int_equal(b->profile_count, 2);
	for (int i = 0; i < 2; i++) {
		assert_same(vrs_profile_fields, &a->profiles[i], &b->profiles[i]);
		assert_int_equal(b->profiles[i].op_count, 3 * i);
		for (int k = 0; k < 3 * i; k++)
			assert_same(vrs_op_fields, &a->profiles[i].ops[k], &b->profiles[i].ops[k]);
	}
	assert_int_equal(b->comparison_count, 3);
	for (int i = 0; i < 3; i++)
		assert_same(vrs_comparison_fields, &a->comparisons[i], &b->comparisons[i]);
	assert_true(isnan(b->cases[2].runs[1].fps));
	assert_int_equal(b->cases[2].runs[1].peak_rss_bytes, -1);
	vrs_result_destroy(a);
	vrs_result_destroy(b);
}

static enum vrs_status parse(const char *text, struct vrs_error *err)
{
	struct vrs_result *result = NULL;
	*err = (struct vrs_error){.status = VRS_OK};
	enum vrs_status status = vrs_result_parse(&result, text, strlen(text), "r.json", err);
	if (status == VRS_OK)
		vrs_result_destroy(result);
	return status;
}

#define RUN(text) "{\"schema\":\"vrbench/1\",\"tool_version\":\"1\",\"cases\":[{\"id\":\"a\",\"runs\":[{\"status\":\"oom\"," text "}]}]}"

static void the_place_is_named(void **state)
{
	(void)state;
	static const struct {
		const char *text, *place;
		enum vrs_status status;
	} bad[] = {
		{"{}", "schema is missing", VRS_EFORMAT},
		{"[]", "schema is missing", VRS_EFORMAT},
		{"{\"schema\":\"other/1\"}", "schema is \"other/1\"", VRS_EFORMAT},
		{"{\"schema\":\"vrbench/2\",\"tool_version\":\"9\",\"cases\":[]}", "vrbench/2", VRS_EUNSUPPORTED},
		{"{\"schema\":\"vrbench/1\",\"cases\":[]}", "tool_version is missing", VRS_EFORMAT},
		{"{\"schema\":\"vrbench/1\",\"tool_version\":\"1\"}", "cases must be an array", VRS_EFORMAT},
		{"{\"schema\":\"vrbench/1\",\"tool_version\":\"1\",\"seed\":5,\"cases\":[]}", "seed must be", VRS_EFORMAT},
		{"{\"schema\":\"vrbench/1\",\"tool_version\":\"1\",\"quick\":1,\"cases\":[]}", "quick must be", VRS_EFORMAT},
		{"{\"schema\":\"vrbench/1\",\"tool_version\":\"1\",\"cases\":[{}]}", "cases[0].id is missing", VRS_EFORMAT},
		{"{\"schema\":\"vrbench/1\",\"tool_version\":\"1\",\"cases\":[{\"id\":\"a\"}]}", "cases[0].runs", VRS_EFORMAT},
		{"{\"schema\":\"vrbench/1\",\"tool_version\":\"1\",\"cases\":[{\"id\":\"a\",\"width\":-1,\"runs\":[]}]}", "cases[0].width", VRS_EFORMAT},
		{"{\"schema\":\"vrbench/1\",\"tool_version\":\"1\",\"cases\":[{\"id\":\"a\",\"batch\":1.5,\"runs\":[]}]}", "cases[0].batch", VRS_EFORMAT},
		{"{\"schema\":\"vrbench/1\",\"tool_version\":\"1\",\"cases\":[{\"id\":\"a\",\"fps\":{\"n\":3},\"runs\":[]}]}", "cases[0].fps", VRS_EFORMAT},
		{"{\"schema\":\"vrbench/1\",\"tool_version\":\"1\",\"cases\":[{\"id\":\"a\",\"runs\":[{\"status\":\"fine\"}]}]}", "cases[0].runs[0].status",
		 VRS_EFORMAT},
		{"{\"schema\":\"vrbench/1\",\"tool_version\":\"1\",\"cases\":[{\"id\":\"a\",\"runs\":[{\"status\":\"ok\"}]}]}", "cases[0].runs[0].fps",
		 VRS_EFORMAT},
		{"{\"schema\":\"vrbench/1\",\"tool_version\":\"1\",\"cases\":[{\"id\":\"a\",\"runs\":[{\"status\":\"oom\",\"stage_busy_ms\":{\"decode\":"
		 "\"x\"}}]}]}", "cases[0].runs[0].stage_busy_ms.decode", VRS_EFORMAT},
		{RUN("\"first_mattes\":3"), "cases[0].runs[0].first_mattes must be", VRS_EFORMAT},
		{RUN("\"first_mattes\":{}"), "cases[0].runs[0].first_mattes must be", VRS_EFORMAT},
		{RUN("\"first_mattes\":{\"mattes\":[]}"), "cases[0].runs[0].first_mattes must be", VRS_EFORMAT},
		{RUN("\"first_mattes\":{\"mattes\":[2,2]}"), "cases[0].runs[0].first_mattes must be", VRS_EFORMAT},
		{RUN("\"first_mattes\":{\"mattes\":[1.5]}"), "cases[0].runs[0].first_mattes must be", VRS_EFORMAT},
		{RUN("\"first_mattes\":{\"mattes\":[1,2],\"iou\":[1]}"), "cases[0].runs[0].first_mattes must be", VRS_EFORMAT},
		{RUN("\"first_mattes\":{\"mattes\":[1],\"iou\":[\"a\"]}"), "cases[0].runs[0].first_mattes must be", VRS_EFORMAT},
		{RUN("\"first_mattes\":{\"mattes\":[1],\"iou\":[-1]}"), "cases[0].runs[0].first_mattes must be", VRS_EFORMAT},
		{RUN("\"first_mattes\":{\"mattes\":[1],\"iou\":2}"), "cases[0].runs[0].first_mattes must be", VRS_EFORMAT},
		{"{\"schema\":\"vrbench/1\",\"tool_version\":\"1\",\"cases\":[{\"id\":\"a\",\"runs\":[7]}]}", "cases[0].runs[0]", VRS_EFORMAT},
		{"{\"schema\":\"vrbench/1\",\"tool_version\":\"1\",\"cases\":[{\"id\":\"a\",\"runs\":[]},{\"id\":\"b\",\"runs\":[]},"
		 "{\"id\":\"a\",\"runs\":[]}]}",
		 "two cases have the id \"a\"", VRS_EFORMAT},
		{"{\"schema\":\"vrbench/1\",\"tool_version\":\"1\",\"cases\":[],\"profiles\":3}", "profiles must be an array", VRS_EFORMAT},
		{"{\"schema\":\"vrbench/1\",\"tool_version\":\"1\",\"cases\":[],\"profiles\":[3]}", "profiles[0] must be an object", VRS_EFORMAT},
		{"{\"schema\":\"vrbench/1\",\"tool_version\":\"1\",\"cases\":[],\"unavailable\":[]}", "unavailable", VRS_EFORMAT},
		{"{\"schema\":\"vrbench/1\",\"tool_version\":\"1\",\"cases\":[],\"not_observed\":{\"iou\":3}}", "not_observed.iou", VRS_EFORMAT},
		{"{\"schema\":\"vrbench/1\",\"tool_version\":\"1\",\"cases\":[],\"profiles\":[{\"model\":\"m\"}]}", "profiles[0].ops", VRS_EFORMAT},
		{"{\"schema\":\"vrbench/1\",\"tool_version\":\"1\",\"cases\":[],\"profiles\":[{\"model\":\"m\",\"ops\":[{\"name\":\"a\",\"ms\":-1}]}]}",
		 "profiles[0].ops[0].ms", VRS_EFORMAT},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct vrs_error err = {0};
		assert_int_equal(parse(bad[i].text, &err), bad[i].status);
		if (!strstr(err.text, bad[i].place))
			fail_msg("\"%s\" does not name \"%s\"", err.text, bad[i].place);
		assert_string_equal(err.file, "r.json");
	}
	struct vrs_error err = {0};
	/* Older and newer minor versions, and keys that we do not know, are fine. */
	assert_int_equal(parse("{\"schema\":\"vrbench/1.3\",\"tool_version\":\"1\",\"new_key\":[1],\"cases\":[]}", &err), VRS_OK);
}

/* Cut anywhere or flip any bit: a status, never a crash; cut files are always refused. */
static void truncation_and_bit_flips(void **state)
{
	(void)state;
	struct vrs_result *result = full_result();
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_buf text;
	struct vrs_rng rng;
	assert_int_equal(vrs_result_write(result, path, &err), VRS_OK);
	vrs_result_destroy(result);
	assert_int_equal(vrs_file_read(path, 1 << 20, &text, &err), VRS_OK);
	size_t end = text.len;
	while (end > 0 && (text.data[end - 1] == '\n' || text.data[end - 1] == '}'))
		end--;
	for (size_t cut = 0; cut < end; cut += 97) {
		result = NULL;
		err = (struct vrs_error){.status = VRS_OK};
		assert_int_not_equal(vrs_result_parse(&result, text.data, cut, "cut.json", &err), VRS_OK);
		assert_true(strlen(err.text) > 5);
	}
	vrs_rng_init(&rng, 99);
	for (int i = 0; i < 1500; i++) {
		size_t at = vrs_rng_below(&rng, text.len);
		char old = text.data[at];
		text.data[at] = (char)(old ^ (1 << vrs_rng_below(&rng, 8)));
		result = NULL;
		err = (struct vrs_error){.status = VRS_OK};
		if (vrs_result_parse(&result, text.data, text.len, "flip.json", &err) == VRS_OK)
			vrs_result_destroy(result);
		else
			assert_true(strlen(err.text) > 5 && strcmp(err.file, "flip.json") == 0);
		text.data[at] = old;
	}
	vrs_buf_fini(&text);
}

/* A run takes 17 bytes of text at least and more than a kilobyte of memory. */
static void runs_of_all_cases_are_limited(void **state)
{
	static const char run[] = "{\"status\":\"oom\"}";
	enum { CASES = VRS_RESULT_MAX_ALL_RUNS / VRS_RESULT_MAX_RUNS + 1 };
	struct vrs_buf text;
	struct vrs_result *result;
	struct vrs_error err = {.status = VRS_OK};
	(void)state;
	vrs_buf_init(&text, 64 << 20);
	vrs_buf_printf(&text, "{\"schema\":\"vrbench/1\",\"tool_version\":\"x\",\"default_case\":\"r=16x16/b=0\",\"cases\":[");
	for (int c = 0; c < CASES; c++) {
		vrs_buf_printf(&text, "%s{\"id\":\"r=16x16/b=%d\",\"width\":16,\"height\":16,\"runs\":[", c ? "," : "", c);
		for (int i = 0; i < VRS_RESULT_MAX_RUNS; i++)
			vrs_buf_printf(&text, "%s%s", i ? "," : "", run);
		vrs_buf_printf(&text, "]}");
	}
	vrs_buf_printf(&text, "]}");
	assert_int_equal(vrs_result_parse(&result, vrs_buf_str(&text), text.len, "r", &err), VRS_ELIMIT);
	assert_non_null(strstr(err.text, "more than 400000 runs"));
	vrs_buf_fini(&text);
}

static void summaries(void **state)
{
	(void)state;
	struct vrs_case_result c;
	vrs_case_result_init(&c);
	for (int i = 0; i < 8; i++) {
		struct vrs_run *run = vrs_case_result_add_run(&c);
		run->status = i == 3 ? VRS_RUN_CRASH : VRS_RUN_OK;
		run->fps = 10 + i;
		run->frames = 100;
		run->cpu_seconds = 2;
		run->peak_rss_bytes = 1000 * (i + 1);
		run->stage_busy_ms[VRS_STAGE_ENCODE] = i;
	}
	assert_int_equal(vrs_case_result_summarize(&c, NULL), VRS_OK);
	assert_int_equal(vrs_case_result_ok_runs(&c), 7);
	assert_int_equal(c.fps.n, 7);
	assert_float_equal(c.fps.median, 14, 0);
	assert_true(c.fps.has_interval);
	assert_float_equal(c.cpu_ms_per_frame.median, 20, 1e-9);
	assert_int_equal(c.frame_ms.n, 0);
	assert_true(isnan(c.p99_ms));
	assert_true(c.p99_note[0] != 0);
	size_t encode = offsetof(struct vrs_run, stage_busy_ms) + VRS_STAGE_ENCODE * sizeof(double);
	assert_float_equal(vrs_case_result_median(&c, encode), 4, 0);
	assert_true(isnan(vrs_case_result_median(&c, offsetof(struct vrs_run, iou))));
	c.runs[0].fps = NAN; /* says ok without a value: refused, not skipped */
	assert_int_equal(vrs_case_result_summarize(&c, NULL), VRS_EINVAL);
	vrs_case_result_fini(&c);
}

/* What a file says of its runs together is made anew of the runs that count: it cannot contradict them. */
static void summaries_come_from_runs(void **state)
{
	static const char text[] =
		"{\"schema\":\"vrbench/1\",\"tool_version\":\"1\",\"cases\":[{\"id\":\"a\",\"fps\":{\"median\":99,\"min\":1,\"max\":2,\"n\":7},"
		"\"live_verdict\":\"pass\",\"runs\":[{\"status\":\"ok\",\"fps\":10,\"frames\":100,\"cpu_seconds\":2,"
		"\"live_due\":100,\"live_dropped\":50,\"live_late\":0},"
		"{\"status\":\"ok\",\"fps\":30,\"excluded\":\"others: busy\"},{\"status\":\"crash\",\"fps\":40},{\"status\":\"ok\",\"fps\":12}]},"
		"{\"id\":\"b\",\"fps\":{\"median\":99,\"min\":1,\"max\":2,\"n\":7},\"runs\":[]}]}";
	(void)state;
	struct vrs_result *result;
	struct vrs_error err = {.status = VRS_OK};
	if (vrs_result_parse(&result, text, sizeof text - 1, "changed", &err) != VRS_OK)
		fail_msg("%s", err.text);
	const struct vrs_case_result *c = &result->cases[0];
	assert_int_equal(c->fps.n, 2);
	assert_float_equal(c->fps.median, 11, 0);
	assert_float_equal(c->fps.min, 10, 0);
	assert_float_equal(c->fps.max, 12, 0);
	assert_float_equal(c->cpu_ms_per_frame.median, 20, 1e-9);
	assert_int_equal(c->live_verdict, VRS_OUTCOME_FAIL);
	assert_int_equal(result->cases[1].fps.n, 0);
	vrs_result_destroy(result);
}

/* Of as many runs as an interval takes, it survives a file. */
static void intervals_survive(void **state)
{
	(void)state;
	struct vrs_result *a = NULL, *b = NULL;
	assert_int_equal(vrs_result_create(&a), VRS_OK);
	(void)snprintf(a->tool_version, sizeof a->tool_version, "1");
	struct vrs_case_result *c = vrs_result_add_case(a);
	(void)snprintf(c->id, sizeof c->id, "a");
	for (int i = 0; i < 8; i++) {
		struct vrs_run *run = vrs_case_result_add_run(c);
		run->status = VRS_RUN_OK;
		run->fps = 10 + i;
	}
	assert_int_equal(vrs_case_result_summarize(c, NULL), VRS_OK);
	assert_int_equal(vrs_result_write(a, path, NULL), VRS_OK);
	assert_int_equal(vrs_result_read(&b, path, NULL), VRS_OK);
	assert_true(b->cases[0].fps.has_interval);
	assert_float_equal(b->cases[0].fps.low, a->cases[0].fps.low, 0);
	assert_float_equal(b->cases[0].fps.high, a->cases[0].fps.high, 0);
	vrs_result_destroy(a);
	vrs_result_destroy(b);
}

/* The properties that the schema gives for one kind of object. */
static const cJSON *properties(const cJSON *schema, const char *definition)
{
	const cJSON *part = schema;
	if (definition)
		part = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(schema, "$defs"), definition);
	return cJSON_GetObjectItemCaseSensitive(part, "properties");
}

/* Before vrbench/1.4 the case of the profile was called cell. */
static void old_profile_run(void **state)
{
	static const char text[] = "{\"schema\":\"vrbench/1.3\",\"tool_version\":\"1\",\"cases\":[],\"profile_run\":{\"cell\":\"r=640x320\",\"pairs\":3}}";
	(void)state;
	struct vrs_result *result;
	struct vrs_error err = {.status = VRS_OK};
	if (vrs_result_parse(&result, text, sizeof text - 1, "old", &err) != VRS_OK)
		fail_msg("%s", err.text);
	assert_string_equal(result->profile_run.case_id, "r=640x320");
	assert_int_equal(result->profile_run.pairs, 3);
	vrs_result_destroy(result);
}

/* Before vrbench/1.3 words and sentences were one text; such results stay readable. */
static void old_sentences(void **state)
{
	static const char text[] =
		"{\"schema\":\"vrbench/1.2\",\"tool_version\":\"1\",\"cases\":[{\"id\":\"r=640x320\",\"scope\":\"pipeline_no_io\",\"mode\":\"live@72\","
		"\"soak_verdict\":\"fail: memory grows\",\"live_verdict\":\"pass: 0.00 % of 9 frames\",\"runs\":[]}],"
		"\"comparisons\":[{\"metric\":\"cpu\",\"verdict\":\"INCONCLUSIVE\",\"reason\":\"holm: not proven among the secondary metrics\"}]}";
	(void)state;
	struct vrs_result *result;
	struct vrs_error err = {.status = VRS_OK};
	if (vrs_result_parse(&result, text, sizeof text - 1, "old", &err) != VRS_OK)
		fail_msg("%s", err.text);
	const struct vrs_case_result *c = &result->cases[0];
	assert_int_equal(c->scope, VRS_SCOPE_NO_IO);
	assert_float_equal(c->live_hz, 72, 0);
	assert_int_equal(c->soak_verdict, VRS_OUTCOME_FAIL);
	assert_string_equal(c->soak_note, "memory grows");
	assert_int_equal(c->live_verdict, VRS_OUTCOME_PASS);
	assert_string_equal(c->live_note, "0.00 % of 9 frames");
	assert_int_equal(result->comparisons[0].cause, VRS_CAUSE_HOLM);
	assert_string_equal(result->comparisons[0].reason, "not proven among the secondary metrics");
	vrs_result_destroy(result);
}

/* Words of a case: known ones are values, and a result with others stays readable, without them. */
static void words_of_a_case(void **state)
{
	static const char text[] = "{\"schema\":\"vrbench/1.4\",\"tool_version\":\"1\",\"cases\":["
				   "{\"id\":\"a\",\"axis\":\"default\",\"precision\":\"bf16\",\"layout\":\"tb\",\"input_kind\":\"derived\",\"runs\":[]},"
				   "{\"id\":\"b\",\"precision\":\"fp8\",\"layout\":\"cube\",\"input_kind\":\"recorded\",\"runs\":[]},"
				   "{\"id\":\"c\",\"runs\":[]}]}";
	(void)state;
	struct vrs_result *result;
	struct vrs_error err = {.status = VRS_OK};
	if (vrs_result_parse(&result, text, sizeof text - 1, "words", &err) != VRS_OK)
		fail_msg("%s", err.text);
	assert_true(vrs_case_result_is_default(&result->cases[0]));
	assert_false(vrs_case_result_is_default(&result->cases[1]));
	assert_int_equal(result->cases[0].precision, VRS_PRECISION_BF16);
	assert_int_equal(result->cases[0].layout, VRS_STEREO_TB);
	assert_int_equal(result->cases[0].input_kind, VRS_INPUT_DERIVED);
	for (int i = 1; i < 3; i++) {
		assert_int_equal(result->cases[i].precision, VRS_PRECISION_NOT_KNOWN);
		assert_int_equal(result->cases[i].layout, VRS_STEREO_AUTO);
		assert_int_equal(result->cases[i].input_kind, VRS_INPUT_NOT_KNOWN);
		cJSON *json = cJSON_CreateObject(); /* and what is not known is not written */
		assert_true(vrs_fields_write(json, vrs_case_fields, &result->cases[i]));
		assert_false(cJSON_HasObjectItem(json, "precision") || cJSON_HasObjectItem(json, "layout") || cJSON_HasObjectItem(json, "input_kind"));
		cJSON_Delete(json);
	}
	vrs_result_destroy(result);
}

static void check_fields(const cJSON *schema, const char *definition, const struct vrs_field *fields)
{
	static const char *const types[] = {"number", "integer", "integer", "boolean", "string", "string", "", "", "string", "string"};
	const cJSON *known = properties(schema, definition);
	assert_non_null(known);
	for (const struct vrs_field *f = fields; f->key; f++) {
		const cJSON *property = cJSON_GetObjectItemCaseSensitive(known, f->key);
		if (!property)
			fail_msg("the schema does not know %s of %s", f->key, definition ? definition : "the result");
		const char *type = vrs_json_string(property, "type"), *reference = vrs_json_string(property, "$ref");
		if (f->kind == VRS_FIELD_STAGES)
			assert_string_equal(reference, "#/$defs/stages");
		else if (f->kind == VRS_FIELD_ESTIMATE)
			assert_string_equal(reference, "#/$defs/estimate");
		else if (f->kind == VRS_FIELD_PREFIXES)
			assert_string_equal(reference, "#/$defs/first_mattes");
		else
			assert_string_equal(type, types[f->kind]);
		assert_non_null(vrs_json_string(property, "description"));
	}
}

static void check_object(const cJSON *schema, const char *definition, const cJSON *object)
{
	const cJSON *item;
	cJSON_ArrayForEach(item, object) {
		if (!cJSON_GetObjectItemCaseSensitive(properties(schema, definition), item->string))
			fail_msg("the schema does not know the written key %s", item->string);
	}
}

static void schema_knows_every_key(void **state)
{
	(void)state;
	cJSON *schema, *json;
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_result *result = full_result();
	assert_int_equal(vrs_json_read_file(VRS_SOURCE_DIR "/docs/results.schema.json", 1 << 20, &schema, &err), VRS_OK);
	check_fields(schema, NULL, vrs_result_fields);
	check_fields(schema, "case", vrs_case_fields);
	check_fields(schema, "run", vrs_run_fields);
	check_fields(schema, "profile", vrs_profile_fields);
	check_fields(schema, "op", vrs_op_fields);
	check_fields(schema, "compared", vrs_comparison_fields);
	check_fields(schema, "profile_run", vrs_profile_run_fields);
	assert_int_equal(vrs_result_write(result, path, &err), VRS_OK);
	assert_int_equal(vrs_json_read_file(path, 1 << 20, &json, &err), VRS_OK);
	check_object(schema, NULL, json);
	const cJSON *one = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(json, "cases"), 0);
	check_object(schema, "case", one);
	check_object(schema, "estimate", cJSON_GetObjectItemCaseSensitive(one, "fps"));
	const cJSON *run = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(one, "runs"), 0);
	check_object(schema, "run", run);
	check_object(schema, "profile", cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(json, "profiles"), 1));
	check_object(schema, "stages", cJSON_GetObjectItemCaseSensitive(run, "stage_busy_ms"));
	check_object(schema, "first_mattes", cJSON_GetObjectItemCaseSensitive(run, "first_mattes"));
	cJSON_Delete(schema);
	cJSON_Delete(json);
	vrs_result_destroy(result);
}

/*
 * Mattes, and what an encoder keeps, are compared in one run of a case.  Where a noise gate has excluded that one and another counts in its place,
 * the case still has these figures: they are no times.
 */
static void noise_changes_no_matte(void **state)
{
	(void)state;
	struct vrs_result *result;
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	struct vrs_case_result *c = vrs_result_add_case(result);
	for (int i = 0; i < 2; i++) {
		struct vrs_run *run = vrs_case_result_add_run(c);
		run->status = VRS_RUN_OK;
		run->fps = i ? 30 : 10;
	}
	vrs_strcpy(c->runs[0].excluded, sizeof c->runs[0].excluded, "others: other processes took 40 %");
	c->runs[0].iou = 0.95;
	c->runs[0].agreement = 0.99;
	c->runs[0].encode_ssim = 0.98;
	c->runs[0].output_kbps = 900;
	assert_float_equal(vrs_case_result_median(c, offsetof(struct vrs_run, fps)), 30, 0);
	assert_float_equal(vrs_case_result_median(c, offsetof(struct vrs_run, iou)), 0.95, 0);
	assert_float_equal(vrs_case_result_median(c, offsetof(struct vrs_run, agreement)), 0.99, 0);
	assert_float_equal(vrs_case_result_median(c, offsetof(struct vrs_run, encode_ssim)), 0.98, 0);
	assert_true(isnan(vrs_case_result_median(c, offsetof(struct vrs_run, output_kbps))));
	c->runs[0].status = VRS_RUN_FAILED;
	assert_true(isnan(vrs_case_result_median(c, offsetof(struct vrs_run, iou))));
	vrs_result_destroy(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(noise_changes_no_matte),
		cmocka_unit_test(everything_survives), cmocka_unit_test(the_place_is_named),     cmocka_unit_test(truncation_and_bit_flips),
		cmocka_unit_test(summaries), cmocka_unit_test(summaries_come_from_runs),
		cmocka_unit_test(intervals_survive),
		cmocka_unit_test(schema_knows_every_key), cmocka_unit_test(old_sentences), cmocka_unit_test(old_profile_run),
		cmocka_unit_test(words_of_a_case),     cmocka_unit_test(runs_of_all_cases_are_limited),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
