/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards targets: pass and fail by the interval's lower end, "not known" with its reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyzer/targets.h"
#include "base/file.h"
#include "unit/analyzer/made_result.h"

static const char *row_status(const struct vrs_table *t, const char *name)
{
	for (int r = 0; r < t->rows; r++)
		if (strcmp(t->cells[r * t->columns], name) == 0)
			return t->cells[r * t->columns + 3];
	return "absent";
}

static void the_default_file_is_judged(void **state)
{
	(void)state;
	struct vrs_result *r = make_result(8);
	struct vrs_findings *f = vrs_findings_create();
	struct vrs_error err = {.status = VRS_OK};
	int failed = -1, invalid = -1;
	strcpy(r->base_config, "target:\n  fps: 19\n");
	if (vrs_target_table(r, VRS_SOURCE_DIR "/configs/targets/default.yaml", f, &failed, &invalid, &err) != VRS_OK)
		fail_msg("%s", err.text);
	const struct vrs_table *t = &f->tables[0];
	assert_string_equal(row_status(t, "fps.vr"), "fail");           /* 20 FPS of 90 */
	assert_string_equal(row_status(t, "target.fps"), "pass");       /* 19.8 at the lower end */
	assert_string_equal(row_status(t, "fps.4k"), "not known");      /* no 3840x2160 case */
	assert_string_equal(row_status(t, "frame_time.p99_ms"), "not known");
	assert_string_equal(row_status(t, "device.max_memory_percent"), "pass"); /* 200 MiB of 1 GiB */
	assert_string_equal(row_status(t, "device.min_utilization_percent"), "fail"); /* 1.5 of 2 CPUs */
	assert_string_equal(row_status(t, "device.max_temperature_c"), "not known");
	assert_true(failed >= 2);
	vrs_findings_destroy(f);
	vrs_result_destroy(r);
}

/* The targets that a configuration names are those of the side of an A/B that is judged. */
static void side_a_has_targets_of_its_own(void **state)
{
	(void)state;
	struct vrs_result *r = make_result(8);
	struct vrs_findings *f = vrs_findings_create();
	struct vrs_error err = {.status = VRS_OK};
	int failed, invalid;
	strcat(r->cases[0].id, "/side=A");
	strcpy(r->default_case, r->cases[0].id);
	strcpy(r->versus_config, "target:\n  fps: 19\n");
	strcpy(r->base_config, "target:\n  fps: 99\n");
	if (vrs_target_table(r, VRS_SOURCE_DIR "/configs/targets/default.yaml", f, &failed, &invalid, &err) != VRS_OK)
		fail_msg("%s", err.text);
	assert_string_equal(row_status(&f->tables[0], "target.fps"), "pass");
	vrs_findings_destroy(f);
	vrs_result_destroy(r);
}

/* Offline latency is held against nothing; a live case of the same size is judged by its P99. */
static void latency_is_that_of_live_runs(void **state)
{
	(void)state;
	struct vrs_result *r = make_result(8);
	struct vrs_error err = {.status = VRS_OK};
	int failed, invalid;
	strcpy(r->base_config, "target:\n  max_latency_ms: 25\n");
	for (int live = 0; live < 2; live++) {
		struct vrs_findings *f = vrs_findings_create();
		for (int c = 0; c < 2; c++)
			for (int i = 0; i < 8; i++)
				r->cases[c].runs[i].latency_p99_ms = c ? 20 : 400;
		if (live) {
			r->cases[1].live_hz = 72;
			r->cases[1].width = 3840;
			r->cases[1].height = 1920;
		}
		assert_int_equal(vrs_target_table(r, VRS_SOURCE_DIR "/configs/targets/default.yaml", f, &failed, &invalid, &err), VRS_OK);
		assert_string_equal(row_status(&f->tables[0], "target.max_latency_ms"), live ? "pass" : "not judged");
		assert_string_equal(row_status(&f->tables[0], "latency.max_ms"), live ? "pass" : "not judged");
		vrs_findings_destroy(f);
	}
	vrs_result_destroy(r);
}

static void mistakes_name_the_line(void **state)
{
	(void)state;
	struct vrs_result *r = make_result(2);
	struct vrs_findings *f = vrs_findings_create();
	struct vrs_error err = {.status = VRS_OK};
	int failed, invalid;
	static const char text[] = "fps:\n  vr: 90\n  moon: 1\n";
	char path[] = "/tmp/test_targets-XXXXXX";
	int fd = mkstemp(path);
	assert_true(fd >= 0 && write(fd, text, sizeof text - 1) == (ssize_t)sizeof text - 1 && close(fd) == 0);
	assert_int_equal(vrs_target_table(r, path, f, &failed, &invalid, &err), VRS_ECONFIG);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(err.line, 3);
	assert_non_null(strstr(err.text, "fps.moon"));
	assert_int_equal(vrs_target_table(r, "absent.yaml", f, &failed, &invalid, NULL), VRS_ENOTFOUND);
	vrs_findings_destroy(f);
	vrs_result_destroy(r);
}

/* A result without a good run, and one that has none of the figures that targets are for, pass nothing. */
static void nothing_that_can_be_judged(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct vrs_result *r = make_result(8);
		struct vrs_findings *f = vrs_findings_create();
		struct vrs_error err = {.status = VRS_OK};
		int failed = -1, invalid = -1;
		char path[] = "/tmp/vrs-test-targets-XXXXXX";
		const char text[] = "fps:\n  4k: 30\n";
		int fd = mkstemp(path);
		assert_true(fd >= 0 && write(fd, text, sizeof text - 1) == (ssize_t)sizeof text - 1);
		close(fd);
		for (int c = 0; c < r->case_count && i == 0; c++)
			for (int k = 0; k < r->cases[c].run_count; k++)
				r->cases[c].runs[k].status = VRS_RUN_CRASH;
		assert_int_equal(vrs_target_table(r, path, f, &failed, &invalid, &err), VRS_OK);
		assert_int_equal(failed, 0);
		assert_int_equal(invalid, 1);
		unlink(path);
		vrs_findings_destroy(f);
		vrs_result_destroy(r);
	}
}

static void disturbed_cases_neither_pass_nor_fail(void **state)
{
	(void)state;
	struct vrs_result *r = make_result(8);
	struct vrs_findings *f = vrs_findings_create();
	int failed = -1, invalid = -1;
	strcpy(r->base_config, "target:\n  fps: 19\n");
	strcpy(r->cases[0].invalid, "other_processes: 8 of 8 runs excluded");
	assert_int_equal(vrs_target_table(r, VRS_SOURCE_DIR "/configs/targets/default.yaml", f, &failed, &invalid, NULL), VRS_OK);
	const struct vrs_table *t = &f->tables[0];
	assert_string_equal(row_status(t, "fps.vr"), "invalid");
	assert_string_equal(row_status(t, "target.fps"), "invalid");
	assert_string_equal(row_status(t, "device.max_memory_percent"), "invalid");
	assert_string_equal(row_status(t, "fps.4k"), "not known");
	assert_string_equal(row_status(t, "fps.1080p_batch_1"), "not known");
	assert_int_equal(failed, 0);
	assert_int_equal(invalid, 5); /* what no frames or sensors were there for is not known */
	assert_non_null(strstr(t->caption, "invalid: the machine was disturbed"));
	vrs_findings_destroy(f);
	vrs_result_destroy(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_default_file_is_judged), cmocka_unit_test(mistakes_name_the_line),
		cmocka_unit_test(nothing_that_can_be_judged), cmocka_unit_test(disturbed_cases_neither_pass_nor_fail),
		cmocka_unit_test(latency_is_that_of_live_runs), cmocka_unit_test(side_a_has_targets_of_its_own),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
