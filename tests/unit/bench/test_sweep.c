/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards: which cases a sweep has, in which order; list syntax; filters; sweep files; every file in configs/sweeps loads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "bench/plan/sweep.h"
#include "small_network.h"

static const struct vrs_bench_input input = {
	.width = 2048, .height = 1024, .eyes = 2, .batch = 2, .threads = 1, .streams = 1, .layout = VRS_STEREO_SBS, .cpus = 2};
static struct vrs_config *base;

static int set_up(void **state)
{
	(void)state;
	/* what auto is depends on the CPU */
	if (vrs_config_create(&base) != VRS_OK || !small_network_config(base))
		return -1;
	return vrs_config_set(base, "engine.precision", "fp32", VRS_SOURCE_FLAG, NULL, NULL) == VRS_OK ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	vrs_config_destroy(base);
	return 0;
}

static struct vrs_config *shared_base;

/* A base for one test. */
static int other_base(void **state)
{
	shared_base = base;
	return set_up(state);
}

static int old_base(void **state)
{
	tear_down(state);
	base = shared_base;
	return 0;
}

static void set(struct vrs_sweep *sweep, const char *name, const char *values)
{
	assert_int_equal(vrs_sweep_set(sweep, name, values, NULL), VRS_OK);
}

/* Ids of a sweep, one a line. */
static void ids(const struct vrs_sweep *sweep, char *text, size_t size)
{
	struct vrs_case *cases;
	struct vrs_error err = {.status = VRS_OK};
	int count;
	size_t used = 0;
	text[0] = 0;
	assert_int_equal(vrs_sweep_cases(sweep, base, &input, &cases, &count, &err), VRS_OK);
	for (int i = 0; i < count; i++) {
		char id[VRS_CASE_ID_MAX];
		assert_int_equal(vrs_case_id(&cases[i], base, input.width, input.height, id, sizeof id, &err), VRS_OK);
		used += (size_t)snprintf(text + used, size - used, "%s\n", id);
		assert_true(used < size);
	}
	vrs_free(cases);
}

static void one_at_a_time(void **state)
{
	(void)state;
	struct vrs_sweep sweep = {.cross_precision = true};
	char text[4096];
	set(&sweep, "resolution", "own,vr4k");
	set(&sweep, "engine.batch_size", "1,2,4");
	set(&sweep, "precision", "fp32,fp16");
	set(&sweep, "engine.threads", "1:2:1");
	ids(&sweep, text, sizeof text);
	assert_string_equal(text, "r=2048x1024/b=2/p=fp32/t=1\n" /* the default comes first */
				  "r=3840x1920/b=2/p=fp32/t=1\n"
				  "r=2048x1024/b=1/p=fp32/t=1\n"
				  "r=2048x1024/b=4/p=fp32/t=1\n"
				  "r=2048x1024/b=2/p=fp16/t=1\n"
				  "r=2048x1024/b=2/p=fp32/t=2\n"
				  "r=3840x1920/b=2/p=fp16/t=1\n");
}

static void product_and_ranges(void **state)
{
	(void)state;
	struct vrs_sweep sweep = {.mode = VRS_SWEEP_PRODUCT};
	char text[4096];
	set(&sweep, "engine.batch_size", "1-4*2");
	set(&sweep, "output.preset", "ultrafast, medium");
	ids(&sweep, text, sizeof text);
	assert_string_equal(text, "r=2048x1024/b=2/p=fp32/t=1/output.preset=ultrafast\n"
				  "r=2048x1024/b=1/p=fp32/t=1/output.preset=ultrafast\n"
				  "r=2048x1024/b=1/p=fp32/t=1/output.preset=medium\n"
				  "r=2048x1024/b=2/p=fp32/t=1/output.preset=medium\n"
				  "r=2048x1024/b=4/p=fp32/t=1/output.preset=ultrafast\n"
				  "r=2048x1024/b=4/p=fp32/t=1/output.preset=medium\n");
}

/* A backend that does not have the default precision is measured in the first that it has, and a precision on the first backend that has it. */
static void values_that_go_together(void **state)
{
	(void)state;
	struct vrs_sweep sweep = {.cross_precision = true};
	char text[4096];
	if (!vrs_backend_name("opencl"))
		skip();
	assert_int_equal(vrs_config_set(base, "engine.precision", "bf16", VRS_SOURCE_FLAG, NULL, NULL), VRS_OK);
	set(&sweep, "engine.backend", "cpu,opencl");
	set(&sweep, "engine.precision", "fp16,fp32,bf16");
	ids(&sweep, text, sizeof text);
	assert_string_equal(text, "r=2048x1024/b=2/p=bf16/t=1/engine.backend=cpu\n"
				  "r=2048x1024/b=2/p=fp16/t=1/engine.backend=opencl\n"
				  "r=2048x1024/b=2/p=fp16/t=1/engine.backend=cpu\n"
				  "r=2048x1024/b=2/p=fp32/t=1/engine.backend=cpu\n");
	set(&sweep, "engine.device", "0,1");
	set(&sweep, "resolution", "own,640x320");
	ids(&sweep, text, sizeof text);
	assert_non_null(strstr(text, "r=2048x1024/b=2/p=fp16/t=1/engine.backend=opencl/engine.device=1\n"));
	assert_null(strstr(text, "p=bf16/t=1/engine.backend=opencl"));
	assert_int_equal(vrs_config_set(base, "engine.precision", "fp32", VRS_SOURCE_FLAG, NULL, NULL), VRS_OK);
	assert_int_equal(vrs_config_set(base, "engine.backend", "opencl", VRS_SOURCE_FLAG, NULL, NULL), VRS_OK);
	sweep = (struct vrs_sweep){.cross_precision = true};
	set(&sweep, "engine.backend", "opencl,cpu");
	set(&sweep, "engine.precision", "fp32,bf16");
	set(&sweep, "resolution", "own,640x320");
	ids(&sweep, text, sizeof text);
	assert_string_equal(text, "r=2048x1024/b=2/p=fp32/t=1/engine.backend=opencl\n"
				  "r=2048x1024/b=2/p=fp32/t=1/engine.backend=cpu\n"
				  "r=2048x1024/b=2/p=bf16/t=1/engine.backend=cpu\n"
				  "r=640x320/b=2/p=fp32/t=1/engine.backend=opencl\n"
				  "r=640x320/b=2/p=bf16/t=1/engine.backend=cpu\n");
}

/* Scopes and modes are part of the name; the network alone is one case, whatever the clips and rates. */
static void scopes_and_modes(void **state)
{
	(void)state;
	struct vrs_sweep sweep = {.mode = VRS_SWEEP_PRODUCT};
	char text[4096];
	set(&sweep, "scope", "end_to_end,net_only");
	set(&sweep, "mode", "offline,live@72");
	set(&sweep, "resolution", "own,640x320");
	ids(&sweep, text, sizeof text);
	assert_string_equal(text, "r=2048x1024/b=2/p=fp32/t=1\n"
				  "r=640x320/b=2/p=fp32/t=1\n"
				  "r=2048x1024/b=2/p=fp32/t=1/mode=live@72\n"
				  "r=640x320/b=2/p=fp32/t=1/mode=live@72\n"
				  "r=2048x1024/b=2/p=fp32/t=1/scope=net_only\n");
	struct vrs_error err = {.status = VRS_OK};
	assert_int_equal(vrs_sweep_set(&sweep, "mode", "live", &err), VRS_ECONFIG);
	assert_int_equal(vrs_sweep_set(&sweep, "scope", "fast", &err), VRS_ECONFIG);
}

/* Thousands of cases are made in no time: 16 x 16 x 16. */
static void large_products(void **state)
{
	(void)state;
	struct vrs_sweep sweep = {.mode = VRS_SWEEP_PRODUCT};
	struct vrs_case *cases;
	struct vrs_error err = {.status = VRS_OK};
	int count;
	set(&sweep, "engine.batch_size", "1:16:1");
	set(&sweep, "engine.threads", "1:16:1");
	set(&sweep, "engine.streams", "1:15:1");
	assert_int_equal(vrs_sweep_cases(&sweep, base, &input, &cases, &count, &err), VRS_OK);
	assert_int_equal(count, 16 * 16 * 15);
	vrs_free(cases);
}

static void filters(void **state)
{
	(void)state;
	struct vrs_sweep sweep = {.filter = "/b=[14]/", .skip = "b=4"};
	struct vrs_case *cases;
	struct vrs_error err = {.status = VRS_OK};
	char text[512];
	int count;
	set(&sweep, "engine.batch_size", "1,2,4");
	ids(&sweep, text, sizeof text);
	assert_string_equal(text, "r=2048x1024/b=1/p=fp32/t=1\n");
	sweep.filter = "no such case";
	assert_int_equal(vrs_sweep_cases(&sweep, base, &input, &cases, &count, &err), VRS_ECONFIG);
	sweep.filter = "(";
	assert_int_equal(vrs_sweep_cases(&sweep, base, &input, &cases, &count, &err), VRS_ECONFIG);
	assert_non_null(strstr(err.text, "--filter"));
}

static void defaults_of_all(void **state)
{
	(void)state;
	struct vrs_sweep sweep = {.cross_precision = true};
	char text[16384];
	set(&sweep, "engine.threads", "4"); /* what is set stays */
	assert_int_equal(vrs_sweep_defaults(&sweep, &input, NULL), VRS_OK);
	assert_int_equal(vrs_sweep_axis(&sweep, "resolution")->count, 7);
	assert_int_equal(vrs_sweep_axis(&sweep, "engine.batch_size")->count, 6);
	assert_int_equal(vrs_sweep_axis(&sweep, "engine.precision")->count, 5);
	assert_int_equal(vrs_sweep_axis(&sweep, "engine.threads")->count, 1);
	ids(&sweep, text, sizeof text);
	assert_int_equal(strncmp(text, "r=2048x1024/b=2/p=fp32/t=4\n", 27), 0);
	assert_non_null(strstr(text, "r=7680x4320/b=2/p=fp16/t=4\n"));
	assert_non_null(strstr(text, "r=2048x1024/b=2/p=int8/t=4\n"));
	assert_non_null(strstr(text, "r=7680x4320/b=2/p=int8/t=4\n"));
	vrs_sweep_drop(&sweep, "resolution");
	assert_null(vrs_sweep_axis(&sweep, "resolution"));
	assert_int_equal(sweep.axis_count, 3);
}

/* The case called default is what vrseg does by itself, though the built-in values of an axis do not hold it; named values are left as they are. */
static void the_default_is_the_base(void **state)
{
	(void)state;
	struct vrs_sweep sweep = {.cross_precision = true}, named = {.cross_precision = true};
	char text[4096];
	assert_int_equal(vrs_config_set(base, "engine.precision", "bf16", VRS_SOURCE_FLAG, NULL, NULL), VRS_OK);
	assert_int_equal(vrs_config_set(base, "engine.batch_size", "6", VRS_SOURCE_FLAG, NULL, NULL), VRS_OK);
	assert_int_equal(vrs_sweep_quick(&sweep, &input, NULL), VRS_OK);
	ids(&sweep, text, sizeof text);
	assert_int_equal(strncmp(text, "r=2048x1024/b=6/p=bf16/t=1\n", 27), 0);
	assert_non_null(strstr(text, "r=3840x1920/b=6/p=bf16/t=1\n"));
	assert_non_null(strstr(text, "r=2048x1024/b=4/p=bf16/t=1\n"));
	assert_non_null(strstr(text, "r=2048x1024/b=6/p=fp32/t=1\n"));
	assert_int_equal(vrs_sweep_set(&named, "engine.precision", "fp16,fp32", NULL), VRS_OK);
	assert_int_equal(vrs_sweep_quick(&named, &input, NULL), VRS_OK);
	ids(&named, text, sizeof text);
	assert_int_equal(strncmp(text, "r=2048x1024/b=6/p=fp16/t=1\n", 27), 0);
	assert_null(strstr(text, "bf16"));
}

/* Words for the same value are one case: it would be measured twice for nothing. */
static void equal_configurations_are_one_case(void **state)
{
	(void)state;
	struct vrs_sweep sweep = {.axis_count = 0};
	char text[1024];
	set(&sweep, "engine.threads", "auto,1,2"); /* auto is 1 here */
	set(&sweep, "matte.follow", "true,yes,on");
	ids(&sweep, text, sizeof text);
	assert_string_equal(text, "r=2048x1024/b=2/p=fp32/t=1/matte.follow=true\nr=2048x1024/b=2/p=fp32/t=2/matte.follow=true\n");
}

/* A sweep over what runs set themselves would measure the same configuration several times. */
static void what_runs_override_is_refused(void **state)
{
	(void)state;
	int count, refused = 0;
	const struct vrs_option *rows = vrs_option_table(&count);
	for (int i = 0; i < count; i++) {
		struct vrs_sweep sweep = {.axis_count = 0};
		struct vrs_error err = {.status = VRS_OK};
		if (rows[i].state != VRS_OPT_READY)
			continue;
		enum vrs_status status = vrs_sweep_set(&sweep, rows[i].key, rows[i].type == VRS_OPT_INT ? "3" : "true", &err);
		assert_int_equal(status == VRS_OK, !(rows[i].traits & VRS_OPTION_UNMEASURED));
		refused += status != VRS_OK;
	}
	assert_true(refused > 20);
	struct vrs_sweep sweep = {.axis_count = 0};
	struct vrs_error err = {.status = VRS_OK};
	assert_int_equal(vrs_sweep_set(&sweep, "cache.enabled", "true,false", &err), VRS_ECONFIG);
	assert_string_equal(err.text, "cache.enabled cannot be measured: runs set it themselves, or have no use for it");
}

static void bad_lists(void **state)
{
	(void)state;
	static const char *const bad[][2] = {
		{"resolution", "1920x1081"}, {"resolution", "5k"},      {"resolution", "1920x1080,,own"}, {"engine.batch_size", "5000"},
		{"engine.batch_size", "two"}, {"engine.batch_size", ""}, {"engine.batch_size", "4-1*2"},  {"no.such.key", "1"},
		{"workload.clip.batch_size", "1"}, {"engine.threads", "1,-2"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct vrs_sweep sweep = {.axis_count = 0};
		struct vrs_error err = {.status = VRS_OK};
		assert_int_equal(vrs_sweep_set(&sweep, bad[i][0], bad[i][1], &err), VRS_ECONFIG);
		assert_int_equal(sweep.axis_count, 0);
		assert_true(strlen(err.text) > 10);
	}
}

static void sweep_files(void **state)
{
	(void)state;
	char path[128];
	struct vrs_sweep sweep = {.axis_count = 0};
	struct vrs_error err = {.status = VRS_OK};
	static const char good[] =
		"mode: product\naxes:\n  resolution: [own, 640x320]\n  engine:\n    precision: [fp32, fp16]\n  output.preset: ultrafast\n";
	static const char wrong[] = "mode: product\naxes:\n  engine.precison: [fp32]\n";
	snprintf(path, sizeof path, "/tmp/vrs-test-sweep-%d.yaml", (int)getpid());
	assert_int_equal(vrs_file_replace(path, good, strlen(good), NULL), VRS_OK);
	assert_int_equal(vrs_sweep_load(&sweep, path, &err), VRS_OK);
	assert_int_equal(sweep.mode, VRS_SWEEP_PRODUCT);
	assert_int_equal(sweep.axis_count, 3);
	assert_int_equal(vrs_file_replace(path, wrong, strlen(wrong), NULL), VRS_OK);
	assert_int_equal(vrs_sweep_load(&sweep, path, &err), VRS_ECONFIG);
	assert_int_equal(err.line, 3);
	unlink(path);
	assert_int_equal(vrs_sweep_load(&sweep, "no-such-sweep", &err), VRS_ECONFIG);
}

static void shipped_sweeps_load(void **state)
{
	(void)state;
	DIR *dir = opendir(VRS_SOURCE_DIR "/configs/sweeps");
	int files = 0;
	assert_non_null(dir);
	for (struct dirent *entry; (entry = readdir(dir));) {
		char path[512];
		struct vrs_sweep sweep = {.axis_count = 0};
		struct vrs_error err = {.status = VRS_OK};
		if (!strstr(entry->d_name, ".yaml") || strcmp(entry->d_name, "techniques.yaml") == 0) /* pairs, not axes: test_techniques.c */
			continue;
		snprintf(path, sizeof path, VRS_SOURCE_DIR "/configs/sweeps/%s", entry->d_name);
		if (vrs_sweep_load(&sweep, path, &err) != VRS_OK)
			fail_msg("%s: %s", entry->d_name, err.text);
		struct vrs_case *cases;
		int count;
		assert_int_equal(vrs_sweep_cases(&sweep, base, &input, &cases, &count, &err), VRS_OK);
		assert_true(count > 1);
		vrs_free(cases);
		files++;
	}
	closedir(dir);
	assert_true(files >= 3);
}

/* all.yaml is there to be copied: what vrbench --all measures, it names. */
static void all_yaml_has_the_axes_of_all(void **state)
{
	(void)state;
	struct vrs_sweep file = {.axis_count = 0}, all = {.axis_count = 0};
	assert_int_equal(vrs_sweep_load(&file, VRS_SOURCE_DIR "/configs/sweeps/all.yaml", NULL), VRS_OK);
	assert_int_equal(vrs_sweep_defaults(&all, &input, NULL), VRS_OK);
	assert_int_equal(file.axis_count, all.axis_count);
	for (int i = 0; i < all.axis_count; i++) {
		const struct vrs_axis *axis = vrs_sweep_axis(&file, all.axes[i].key);
		assert_non_null(axis);
		if (strcmp(axis->key, "engine.threads") == 0) /* the machine's */
			continue;
		assert_int_equal(axis->count, all.axes[i].count);
		for (int k = 0; k < axis->count; k++)
			assert_string_equal(axis->values[k], all.axes[i].values[k]);
	}
	assert_int_equal(vrs_sweep_axis(&file, "engine.precision")->count, 5); /* every one that there is */
}

static void time_estimates(void **state)
{
	(void)state;
	const struct vrs_recorder_rules rules = {.warmup_min_seconds = 3, .warmup_max_seconds = 60, .warmup_min_frames = 30, .duration_seconds = 10,
						 .min_frames = 60};
	double small = vrs_sweep_run_seconds(1920, 1080, 2, &rules), large = vrs_sweep_run_seconds(7680, 4320, 2, &rules);
	assert_true(small > 13 && small < 25);
	assert_true(large > small);
	assert_true(large < 60 + 30 + 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(values_that_go_together, other_base, old_base),
		cmocka_unit_test(one_at_a_time), cmocka_unit_test(product_and_ranges),  cmocka_unit_test(filters),
		cmocka_unit_test(scopes_and_modes), cmocka_unit_test(large_products),
		cmocka_unit_test_setup_teardown(the_default_is_the_base, other_base, old_base),
		cmocka_unit_test(defaults_of_all), cmocka_unit_test(equal_configurations_are_one_case),
		cmocka_unit_test(what_runs_override_is_refused),
		cmocka_unit_test(bad_lists),         cmocka_unit_test(sweep_files),
		cmocka_unit_test(shipped_sweeps_load), cmocka_unit_test(time_estimates),
		cmocka_unit_test(all_yaml_has_the_axes_of_all),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
