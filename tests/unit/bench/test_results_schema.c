/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: docs/results.schema.json holds for what vrbench really writes, key by key, and refuses unknown keys; results of every earlier minor version
 * (tests/files/results) stay readable and keep their figures; a newer major version is refused with one sentence.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/proc.h"
#include "bench/record/record_fields.h"
#include "bench/record/result.h"
#include "json_schema.h"

static cJSON *schema;

static int load_schema(void **state)
{
	(void)state;
	struct vrs_error err = {.status = VRS_OK};
	return vrs_json_read_file(VRS_SOURCE_DIR "/docs/results.schema.json", 1 << 20, &schema, &err) == VRS_OK ? 0 : -1;
}

static int drop_schema(void **state)
{
	(void)state;
	cJSON_Delete(schema);
	return 0;
}

static void expect_valid(const char *path)
{
	struct vrs_error err = {.status = VRS_OK};
	char why[256];
	cJSON *json;
	assert_int_equal(vrs_json_read_file(path, 64 << 20, &json, &err), VRS_OK);
	if (!schema_fits(schema, schema, json, "results", why))
		fail_msg("%s: %s", path, why);
	cJSON_Delete(json);
}

static void remove_folder(const char *folder)
{
	const char *const argv[] = {"rm", "-rf", folder, NULL};
	const struct vrs_proc_options options = {.argv = argv, .output_max = 4096};
	struct vrs_proc_result result;
	struct vrs_error err = {.status = VRS_OK};
	assert_int_equal(vrs_proc_run(&options, &result, &err), VRS_OK);
	vrs_proc_result_fini(&result);
}

/* What is known by plan is the same in every run of a case, and shares are those of the ceilings; the network alone moves no pictures. */
static void expect_shares(const struct vrs_result *r)
{
	for (int i = 0; i < r->case_count; i++) {
		const struct vrs_case_result *c = &r->cases[i];
		for (int k = 0; k < c->run_count; k++) {
			const struct vrs_run *run = &c->runs[k], *first = &c->runs[0];
			if (run->status != VRS_RUN_OK)
				continue;
			if (c->live_hz > 0)
				continue; /* late frames do without the network, maybe all */
			assert_true(run->net_gflop_per_frame > 0 && run->net_gflops > 0);
			assert_true(fabs(run->net_gflop_per_frame - first->net_gflop_per_frame) <= 1e-9);
			assert_true(fabs(run->net_peak_share - run->net_gflops / (r->ceilings.fma_gflops_1 * c->threads)) <= 1e-9);
			assert_int_equal(isnan(run->moved_gbps), c->scope == VRS_SCOPE_NET_ONLY);
			if (isnan(run->moved_gbps))
				continue;
			assert_true(run->moved_bytes_per_frame >= 2 * 1.5 * c->width * c->height); /* compose reads a picture in 4:2:0 and writes one */
			assert_true(fabs(run->memory_share - run->moved_gbps / r->ceilings.triad_gbps) <= 1e-9);
		}
	}
}

static void expect_ceilings_in(const char *folder, const struct vrs_result_ceilings *known)
{
	char path[128];
	cJSON *json;
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_result_ceilings stored;
	snprintf(path, sizeof path, "%s/env.json", folder);
	vrs_result_ceilings_init(&stored);
	assert_int_equal(vrs_json_read_file(path, 1 << 20, &json, &err), VRS_OK);
	assert_int_equal(vrs_result_ceilings_read(json, &stored, path, &err), VRS_OK);
	assert_true(fabs(stored.fma_gflops_1 - known->fma_gflops_1) <= 1e-9);
	assert_true(fabs(stored.triad_gbps - known->triad_gbps) <= 1e-9);
	cJSON_Delete(json);
}

/* A sweep of the program itself, with a profile and the network alone, so that every kind of object is there. */
static void what_vrbench_writes(void **state)
{
	(void)state;
	char folder[64] = "/tmp/vrs-test-schema-XXXXXX", path[128];
	const char *const argv[] = {VRS_BUILD_DIR "/bin/vrbench", "-m", "selfie_segmentation", "--no-refine", "--backend", "ref", "--input-size", "64x64",
				    "--resolution", "128x64", "--runs", "2", "--max-frames", "8", "--duration", "0.2", "--warmup", "0.1",
				    "--scope", "end_to_end,net_only", "--mode", "offline,live@50", "--batch-size", "1,2", "--no-graphs", "--gates", "mark",
				    "--profile-run", "--overwrite", "--output-dir", folder, "synth:128x64,sbs", NULL};
	const struct vrs_proc_options options = {.argv = argv, .timeout_seconds = 300, .output_max = 1 << 16};
	struct vrs_proc_result result;
	struct vrs_error err = {.status = VRS_OK};
	if (access(argv[0], X_OK) != 0 || access(VRS_BUILD_DIR "/../share/vrseg/models/selfie_segmentation.tflite", R_OK) != 0)
		skip();
	assert_non_null(mkdtemp(folder));
	assert_int_equal(vrs_proc_run(&options, &result, &err), VRS_OK);
	if (result.exit_code != 0)
		fail_msg("vrbench: %s", vrs_buf_str(&result.err));
	vrs_proc_result_fini(&result);
	snprintf(path, sizeof path, "%s/results.json", folder);
	expect_valid(path);
	struct vrs_result *read = NULL;
	assert_int_equal(vrs_result_read(&read, path, &err), VRS_OK);
	assert_true(read->case_count >= 4 && read->profile_count >= 1);
	assert_int_equal(read->profile_run.pairs, 5);
	assert_true(isfinite(read->profile_run.overhead_percent) && isfinite(read->profile_run.cpu_overhead_percent));
	assert_true(read->profile_run.overhead_low <= read->profile_run.overhead_high);
	assert_true(read->ceilings.fma_gflops_1 > 0 && read->ceilings.fma_gflops_all > 0 && read->ceilings.triad_gbps > 0);
	assert_true(read->ceilings.threads >= 1 && read->ceilings.isa[0] && !strstr(read->machine_json, "ceilings"));
	expect_shares(read);
	expect_ceilings_in(folder, &read->ceilings);
	int with_usage = 0;
	for (int i = 0; i < read->case_count; i++)
		for (int k = 0; k < read->cases[i].run_count; k++)
			with_usage += read->cases[i].runs[k].user_seconds >= 0 && read->cases[i].runs[k].minor_faults > 0;
	assert_true(with_usage >= 2);
	/* Present or explained: a counter is one or the other, whatever the machine. */
	bool explained = false;
	for (int i = 0; i < read->unavailable_count; i++)
		explained = explained || (strcmp(read->unavailable[i].key, "cycles") == 0 && read->unavailable[i].reason[0]);
	assert_int_equal(read->cases[0].runs[0].cycles > 0, !explained);
	vrs_result_destroy(read);
	remove_folder(folder);
}

static void unknown_keys_are_refused(void **state)
{
	(void)state;
	static const struct {
		const char *text, *place;
	} bad[] = {
		{"{\"schema\":\"vrbench/1.2\",\"tool_version\":\"1\",\"cases\":[],\"colour\":1}", "results.colour"},
		{"{\"schema\":\"vrbench/1\",\"tool_version\":\"1\",\"cases\":[{\"id\":\"a\",\"runs\":[{\"status\":\"ok\",\"fpss\":1}]}]}", "cases[0].runs[0].fpss"},
		{"{\"schema\":\"vrbench/1\",\"tool_version\":\"1\",\"cases\":[{\"id\":\"a\",\"runs\":[{\"status\":\"fine\"}]}]}", "runs[0].status"},
		{"{\"schema\":\"vrbench/1\",\"tool_version\":\"1\",\"cases\":[{\"id\":\"a\",\"runs\":[{\"status\":\"ok\",\"cycles\":1.5}]}]}", "cycles"},
		{"{\"schema\":\"vrbench/1.2\",\"tool_version\":\"1\",\"cases\":[],\"environment\":{\"ceilings\":{\"peak\":1}}}", "ceilings.peak"},
		{"{\"schema\":\"vrbench/2\",\"tool_version\":\"1\",\"cases\":[]}", "results.schema"},
		{"{\"schema\":\"vrbench/1\",\"cases\":[]}", "tool_version"},
		{"{\"schema\":\"vrbench/1\",\"tool_version\":\"1\",\"cases\":[],\"unavailable\":{\"cycles\":3}}", "unavailable.cycles"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char why[256] = "";
		cJSON *json = cJSON_Parse(bad[i].text);
		assert_non_null(json);
		if (schema_fits(schema, schema, json, "results", why) || !strstr(why, bad[i].place))
			fail_msg("%s: \"%s\" does not name %s", bad[i].text, why, bad[i].place);
		cJSON_Delete(json);
	}
}

static void older_versions(void **state)
{
	(void)state;
	static const struct {
		const char *file;
		int cases, runs;
		bool usage; /* CPU time apart, since 1.1 */
	} old[] = {{"three-cases.json", 3, 8, false}, {"sweep-1.0.json", 5, 2, false}, {"sweep-1.1.json", 4, 2, true}};
	for (size_t i = 0; i < sizeof old / sizeof *old; i++) {
		char path[512];
		struct vrs_result *read = NULL;
		struct vrs_error err = {.status = VRS_OK};
		snprintf(path, sizeof path, "%s/files/results/%s", VRS_TEST_DIR, old[i].file);
		expect_valid(path);
		assert_int_equal(vrs_result_read(&read, path, &err), VRS_OK);
		assert_int_equal(read->case_count, old[i].cases);
		for (int c = 0; c < read->case_count; c++) {
			const struct vrs_case_result *one = &read->cases[c];
			assert_int_equal(one->run_count, old[i].runs);
			assert_true(one->fps.n > 0 && one->fps.median > 0 && one->runs[0].frames > 0);
			/* Not known then: absent, not 0. */
			assert_true(one->runs[0].cycles == -1 && isnan(one->runs[0].user_seconds) == !old[i].usage);
			assert_true(isnan(one->runs[0].net_gflops) && isnan(one->runs[0].memory_share) && isnan(read->ceilings.triad_gbps));
		}
		vrs_result_destroy(read);
	}
}

static void newer_versions(void **state)
{
	(void)state;
	struct vrs_result *read = NULL;
	struct vrs_error err = {.status = VRS_OK};
	const char minor[] = "{\"schema\":\"vrbench/1.10\",\"tool_version\":\"1\",\"news\":[1],\"cases\":[]}";
	const char major[] = "{\"schema\":\"vrbench/2\",\"tool_version\":\"1\",\"cases\":[]}";
	assert_int_equal(vrs_result_parse(&read, minor, sizeof minor - 1, "r.json", &err), VRS_OK);
	vrs_result_destroy(read);
	assert_int_equal(vrs_result_parse(&read, major, sizeof major - 1, "r.json", &err), VRS_EUNSUPPORTED);
	assert_string_equal(err.text,
			    "the file has schema vrbench/2, this program reads vrbench/1: use the version of vrseg that wrote it, or a newer one");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_vrbench_writes),
		cmocka_unit_test(unknown_keys_are_refused),
		cmocka_unit_test(older_versions),
		cmocka_unit_test(newer_versions),
	};
	return cmocka_run_group_tests(tests, load_schema, drop_schema);
}
