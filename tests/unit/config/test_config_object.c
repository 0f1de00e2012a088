/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the strength order of sources, values that give way, warnings that come once, copies, and memory running out at any point.
 */
#include "config/config_object.h"
#include "config_check.h"

static void stronger_sources_win_in_any_order(void **state)
{
	(void)state;
	for (int first = VRS_SOURCE_PROFILE; first <= VRS_SOURCE_FLAG; first++)
		for (int second = VRS_SOURCE_PROFILE; second <= VRS_SOURCE_FLAG; second++) {
			struct vrs_config *config = new_config();

			set_ok(config, "engine.threads", "3", (enum vrs_value_source)first);
			set_ok(config, "processing.num_threads", "5", (enum vrs_value_source)second);
			assert_int_equal(vrs_config_settings(config)->engine.threads, second >= first ? 5 : 3);
			assert_int_equal(vrs_config_source(config, "engine.threads"), second >= first ? second : first);
			vrs_config_destroy(config);
		}
}

static void wrong_values_of_weak_sources_are_still_errors(void **state)
{
	struct vrs_config *config = new_config();
	struct vrs_error err = {0};

	(void)state;
	set_ok(config, "engine.threads", "3", VRS_SOURCE_FLAG);
	assert_int_equal(vrs_config_set(config, "engine.threads", "x", VRS_SOURCE_PROFILE, NULL, &err), VRS_ECONFIG);
	assert_value(config, "engine.threads", "3");
	vrs_config_destroy(config);
}

/* compat: true means fp16 unless a precision is given */
static void half_precision_gives_way_to_a_precision(void **state)
{
	struct vrs_config *config = new_config();

	(void)state;
	set_ok(config, "use_fp16", "true", VRS_SOURCE_FILE);
	assert_value(config, "engine.precision", "fp16");
	set_ok(config, "gpu.precision", "fp32", VRS_SOURCE_FILE);
	assert_value(config, "engine.precision", "fp32");
	set_ok(config, "animation.use_half_precision", "yes", VRS_SOURCE_FILE);
	assert_value(config, "engine.precision", "fp32");
	set_ok(config, "use_fp16", "false", VRS_SOURCE_FLAG);
	assert_value(config, "engine.precision", "fp32");
	set_ok(config, "use_fp16", "true", VRS_SOURCE_FLAG);
	assert_value(config, "engine.precision", "fp16");
	vrs_config_destroy(config);
}

static void device_names_map_to_backends(void **state)
{
	struct vrs_config *config = new_config();
	struct vrs_error err = {0};

	(void)state;
	capture_start();
	set_ok(config, "device", "cpu", VRS_SOURCE_FILE);
	assert_value(config, "engine.backend", "cpu");
	assert_int_equal(captured_lines, 0);
	set_ok(config, "device", "cuda", VRS_SOURCE_FILE);
	assert_value(config, "engine.backend", "opencl");
	assert_int_equal(captured_lines, 0); /* whether this build and machine have it is for the job to find out */
	assert_int_equal(vrs_config_set(config, "device", "tpu", VRS_SOURCE_FILE, NULL, &err), VRS_ECONFIG);
	assert_string_equal(err.text, "device: \"tpu\" is not one of cuda, gpu, opencl, cpu, auto");
	vrs_config_destroy(config);
}

static void options_without_effect_warn_once(void **state)
{
	struct vrs_config *config = new_config();

	(void)state;
	capture_start();
	set_ok(config, "clip_batch", "8", VRS_SOURCE_FILE);
	assert_string_equal(captured_log, "1 workload.clip.batch_size (clip_batch) has no effect yet: workloads other than segmentation are not built "
					  "yet\n");
	set_ok(config, "workload.clip.batch_size", "4", VRS_SOURCE_FLAG);
	assert_int_equal(captured_lines, 1);
	assert_value(config, "workload.clip.batch_size", "4");
	captured_log[0] = '\0';
	set_ok(config, "gpu.allow_tf32", "true", VRS_SOURCE_FILE);
	assert_string_equal(captured_log, "1 engine.allow_reduced_accumulate (gpu.allow_tf32) has no effect here: kernels here always sum in float, "
					  "and a CPU has no TF32\n");
	vrs_config_destroy(config);
}

static void strict_makes_warnings_errors(void **state)
{
	struct vrs_config *config = new_config();
	struct vrs_error err = {0};

	(void)state;
	capture_start();
	set_ok(config, "report.strict", "true", VRS_SOURCE_FLAG);
	set_ok(config, "engine.threads", "4", VRS_SOURCE_FILE);
	assert_int_equal(vrs_config_set(config, "lama_batch", "8", VRS_SOURCE_FILE, "my.yaml:3", &err), VRS_ECONFIG);
	assert_string_equal(err.text, "workload.lama.batch_size (my.yaml:3) has no effect yet: workloads other than segmentation are not built yet "
				      "(an error because of --strict)");
	assert_int_equal(vrs_config_source(config, "lama_batch"), VRS_SOURCE_DEFAULT);
	assert_int_equal(vrs_config_set(config, "model.batch_size", "16-32", VRS_SOURCE_FILE, NULL, &err), VRS_ECONFIG);
	assert_int_equal(vrs_config_settings(config)->engine.batch_size, 0);
	assert_int_equal(captured_lines, 0);
	set_ok(config, "report.strict", "false", VRS_SOURCE_FLAG);
	set_ok(config, "lama_batch", "8", VRS_SOURCE_FILE);
	assert_int_equal(captured_lines, 1);
	vrs_config_destroy(config);
}

/* A value that the backend does not read is told with its place; defaults and what reads it are not. */
static void options_of_other_backends_warn(void **state)
{
	struct vrs_config *config = new_config();
	struct vrs_error err = {0};

	(void)state;
	capture_start();
	set_ok(config, "animation.enable_tensorrt", "true", VRS_SOURCE_FILE); /* as it is without being set */
	assert_int_equal(vrs_config_set(config, "gpu_id", "0", VRS_SOURCE_FILE, "my.yaml:4", NULL), VRS_OK);
	assert_int_equal(captured_lines, 0);
	assert_int_equal(vrs_config_warn_backend(config, "opencl", &err), VRS_OK);
	assert_int_equal(vrs_config_warn_backend(config, NULL, &err), VRS_OK);
	assert_int_equal(captured_lines, 0);
	assert_int_equal(vrs_config_warn_backend(config, "cpu", &err), VRS_OK);
	assert_int_equal(vrs_config_warn_backend(config, "cpu", &err), VRS_OK);
	assert_string_equal(captured_log, "1 engine.device (my.yaml:4) has no effect with the backend cpu: it is for --backend opencl\n");
	set_ok(config, "report.strict", "true", VRS_SOURCE_FLAG);
	assert_int_equal(vrs_config_warn_backend(config, "ref", &err), VRS_ECONFIG);
	assert_string_equal(err.text, "engine.device (my.yaml:4) has no effect with the backend ref: it is for --backend opencl (an error because of "
				      "--strict)");
	set_ok(config, "engine.device", "auto", VRS_SOURCE_FLAG);
	assert_int_equal(vrs_config_warn_backend(config, "ref", &err), VRS_OK);
	set_ok(config, "engine.affinity", "auto", VRS_SOURCE_FLAG);
	assert_int_equal(vrs_config_warn_backend(config, "opencl", &err), VRS_OK);
	set_ok(config, "engine.affinity", "cores", VRS_SOURCE_FLAG);
	assert_int_equal(vrs_config_warn_backend(config, "cpu", &err), VRS_OK);
	assert_int_equal(vrs_config_warn_backend(config, "opencl", &err), VRS_ECONFIG); /* a device has no threads to bind */
	assert_non_null(strstr(err.text, "engine.affinity"));
	set_ok(config, "engine.affinity", "auto", VRS_SOURCE_FLAG);
	set_ok(config, "engine.autotune_kernels", "true", VRS_SOURCE_FLAG);
	assert_int_equal(vrs_config_warn_backend(config, "opencl", &err), VRS_ECONFIG); /* its convolutions are timed by engine.device_tune */
	assert_non_null(strstr(err.text, "engine.autotune_kernels"));
	vrs_config_destroy(config);
}

static void ready_options_do_not_warn(void **state)
{
	struct vrs_config *config = new_config();

	(void)state;
	capture_start();
	set_ok(config, "engine.precision", "fp16", VRS_SOURCE_FILE);
	set_ok(config, "engine.threads", "4", VRS_SOURCE_FILE);
	assert_int_equal(captured_lines, 0);
	vrs_config_destroy(config);
}

static void intervals_keep_both_ends(void **state)
{
	struct vrs_config *config = new_config(), *copy = NULL;
	int low = 0, high = 0;

	(void)state;
	capture_start();
	assert_false(vrs_config_interval(config, "engine.batch_size", &low, &high));
	set_ok(config, "model.batch_size", "16-32", VRS_SOURCE_FILE);
	assert_string_equal(captured_log, "1 engine.batch_size (model.batch_size): 16-32 is a range for vrtune to search; 16 is used until it has "
					  "chosen\n");
	assert_int_equal(vrs_config_settings(config)->engine.batch_size, 16);
	assert_int_equal(vrs_config_copy(&copy, config), VRS_OK);
	assert_true(vrs_config_interval(copy, "batch_size", &low, &high));
	assert_int_equal(low, 16);
	assert_int_equal(high, 32);
	set_ok(copy, "model.batch_size", "8", VRS_SOURCE_FILE);
	assert_false(vrs_config_interval(copy, "engine.batch_size", &low, &high));
	assert_true(vrs_config_interval(config, "engine.batch_size", &low, &high));
	vrs_config_destroy(copy);
	vrs_config_destroy(config);
}

static void copies_are_independent(void **state)
{
	struct vrs_config *config = new_config(), *copy = NULL;

	(void)state;
	set_ok(config, "cache.size_gb", "8", VRS_SOURCE_FILE);
	assert_int_equal(vrs_config_copy(&copy, config), VRS_OK);
	set_ok(config, "cache.size_gb", "9", VRS_SOURCE_FILE);
	set_ok(config, "output.file", "x.mp4", VRS_SOURCE_FLAG);
	vrs_config_destroy(config);
	assert_value(copy, "cache.size_gb", "8");
	assert_value(copy, "output.file", "");
	vrs_config_destroy(copy);
}

static void places_are_remembered(void **state)
{
	struct vrs_config *config = new_config();

	(void)state;
	assert_string_equal(vrs_config_where(config, "engine.threads"), "");
	assert_int_equal(vrs_config_set(config, "engine.threads", "2", VRS_SOURCE_FLAG, "--threads", NULL), VRS_OK);
	assert_string_equal(vrs_config_where(config, "engine.threads"), "--threads");
	assert_string_equal(vrs_source_name(vrs_config_source(config, "engine.threads")), "flag");
	assert_string_equal(vrs_source_name(VRS_SOURCE_ENV), "environment");
	assert_string_equal(vrs_source_name((enum vrs_value_source)99), "unknown");
	vrs_config_destroy(config);
}

/* What GPU frameworks call mixed precision is fp16 on a device, bytes with float on a CPU, whichever key comes first; a precision by name stays. */
static void mixed_precision_is_fp16_on_a_device(void **state)
{
	static const struct {
		const char *keys[3][2];
		int precision;
	} cases[] = {
		{{{"mixed_precision", "true"}, {"device", "cuda"}}, VRS_PRECISION_FP16},
		{{{"device", "cuda"}, {"mixed_precision", "true"}}, VRS_PRECISION_FP16},
		{{{"mixed_precision", "true"}}, VRS_PRECISION_MIXED},
		{{{"mixed_precision", "false"}, {"device", "cuda"}}, VRS_PRECISION_AUTO},
		{{{"engine.precision", "mixed"}, {"device", "cuda"}}, VRS_PRECISION_MIXED},
		{{{"engine.precision", "fp32"}, {"mixed_precision", "true"}, {"device", "cuda"}}, VRS_PRECISION_FP32},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct vrs_config *config;
		struct vrs_error err = {0};

		assert_int_equal(vrs_config_create(&config), VRS_OK);
		for (int k = 0; k < 3 && cases[i].keys[k][0]; k++)
			assert_int_equal(vrs_config_set(config, cases[i].keys[k][0], cases[i].keys[k][1], VRS_SOURCE_FILE, "my.yaml:1", &err), VRS_OK);
		assert_int_equal(vrs_config_settle_synonyms(config, &err), VRS_OK);
		assert_int_equal(vrs_config_settings(config)->engine.precision, cases[i].precision);
		assert_int_equal(vrs_config_settle_synonyms(config, &err), VRS_OK); /* once more changes nothing */
		assert_int_equal(vrs_config_settings(config)->engine.precision, cases[i].precision);
		vrs_config_destroy(config);
	}
}

/* What is measured and saved is one value. */
static void ranges_settle(void **state)
{
	struct vrs_config *config = new_config();
	int low, high;

	(void)state;
	set_ok(config, "engine.batch_size", "2-6", VRS_SOURCE_FILE);
	assert_true(vrs_config_interval(config, "engine.batch_size", &low, &high));
	vrs_config_settle_ranges(config);
	assert_false(vrs_config_interval(config, "engine.batch_size", &low, &high));
	assert_value(config, "engine.batch_size", "2");
	assert_int_equal(vrs_config_source(config, "engine.batch_size"), VRS_SOURCE_FILE);
	vrs_config_destroy(config);
}

/* Several values of a tunable option: each is checked, the first counts until one is chosen; of other options and in ranges they are mistakes. */
static void lists_keep_their_values(void **state)
{
	struct vrs_config *config = new_config(), *copy;

	(void)state;
	assert_null(vrs_config_list(config, "engine.precision"));
	set_ok(config, "engine.precision", "bf16,fp32", VRS_SOURCE_FILE);
	set_ok(config, "engine.input_size", "[256x256, 320x320]", VRS_SOURCE_FILE);
	set_ok(config, "engine.threads", "auto, 1", VRS_SOURCE_FILE);
	assert_string_equal(vrs_config_list(config, "engine.precision"), "bf16,fp32");
	assert_string_equal(vrs_config_list(config, "engine.input_size"), "256x256,320x320");
	assert_string_equal(vrs_config_list(config, "engine.threads"), "auto,1");
	assert_value(config, "engine.precision", "bf16,fp32"); /* as a file says it again */
	assert_int_equal(vrs_config_settings(config)->engine.precision, VRS_PRECISION_BF16);
	assert_int_equal(vrs_config_settings(config)->engine.input_size[0], 256);
	assert_int_equal(vrs_config_copy(&copy, config), VRS_OK);
	vrs_config_settle_ranges(copy);
	assert_null(vrs_config_list(copy, "engine.precision"));
	assert_value(copy, "engine.precision", "bf16");
	assert_string_equal(vrs_config_list(config, "engine.precision"), "bf16,fp32");
	set_ok(config, "engine.input_size", "[512, 512]", VRS_SOURCE_FILE); /* one size */
	assert_null(vrs_config_list(config, "engine.input_size"));
	assert_int_equal(vrs_config_set(config, "engine.precision", "bf16,fp33", VRS_SOURCE_FILE, NULL, NULL), VRS_ECONFIG);
	assert_int_equal(vrs_config_set(config, "engine.batch_size", "1,4-8", VRS_SOURCE_FILE, NULL, NULL), VRS_ECONFIG);
	assert_int_equal(vrs_config_set(config, "engine.batch_size", "1,,2", VRS_SOURCE_FILE, NULL, NULL), VRS_ECONFIG);
	assert_int_equal(vrs_config_set(config, "matte.gamma", "0.1,0.2", VRS_SOURCE_FILE, NULL, NULL), VRS_ECONFIG);
	vrs_config_destroy(copy);
	vrs_config_destroy(config);
}

static void modes_refuse_flags_of_others(void **state)
{
	struct vrs_config *config = new_config();
	struct vrs_error err = {0};

	(void)state;
	set_ok(config, "output.crf", "7", VRS_SOURCE_FILE);
	assert_int_equal(vrs_config_set(config, "engine.threads", "2", VRS_SOURCE_FLAG, "--threads", NULL), VRS_OK);
	assert_int_equal(vrs_config_refuse_flags(config, VRS_OPTION_OF_CALIBRATION, "--mode", &err), VRS_OK);
	assert_int_equal(vrs_config_set(config, "output.crf", "8", VRS_SOURCE_FLAG, "--crf", NULL), VRS_OK);
	assert_int_equal(vrs_config_refuse_flags(config, VRS_OPTION_OF_CALIBRATION, "--mode", &err), VRS_ECONFIG);
	assert_string_equal(err.text, "--crf does not go with --mode: it would change nothing");
	vrs_config_destroy(config);
}

static void unknown_keys_and_small_buffers(void **state)
{
	struct vrs_config *config = new_config();
	struct vrs_error err = {0};
	char text[4];

	(void)state;
	assert_int_equal(vrs_config_get(config, "engine.treads", text, sizeof text), VRS_ENOTFOUND);
	assert_int_equal(vrs_config_get(config, "engine.threads", text, sizeof text), VRS_ELIMIT);
	assert_int_equal(vrs_config_source(config, "nothing"), VRS_SOURCE_DEFAULT);
	assert_string_equal(vrs_config_where(config, "nothing"), "");
	assert_int_equal(vrs_config_set(config, "engine.treads", "1", VRS_SOURCE_FLAG, NULL, &err), VRS_ECONFIG);
	assert_string_equal(err.text, "unknown key \"engine.treads\"; did you mean \"engine.threads\"?");
	assert_int_equal(vrs_config_set(config, "qqqqqqqqqqqqqq", "1", VRS_SOURCE_FLAG, NULL, &err), VRS_ECONFIG);
	assert_string_equal(err.text, "unknown key \"qqqqqqqqqqqqqq\"; --list-options shows all keys");
	assert_int_equal(vrs_config_set(NULL, "a", "b", VRS_SOURCE_FLAG, NULL, &err), VRS_EINVAL);
	assert_int_equal(vrs_config_create(NULL), VRS_EINVAL);
	vrs_config_destroy(NULL);
	vrs_config_destroy(config);
}

static enum vrs_status scenario(void)
{
	static const char text[] = "engine:\n  threads: 2\ncache.size_gb: 4\nmodel: {input_size: [512, 512], batch_size: &b 4}\n";
	struct vrs_config *config = NULL, *copy = NULL;
	enum vrs_status status = vrs_config_create(&config);

	if (status == VRS_OK)
		status = vrs_config_load_text(config, text, sizeof text - 1, "t.yaml", VRS_SOURCE_FILE, NULL);
	if (status == VRS_OK)
		status = vrs_config_copy(&copy, config);
	if (status == VRS_OK)
		status = vrs_config_set(copy, "cache.size_gb", "5", VRS_SOURCE_FLAG, NULL, NULL);
	if (status == VRS_OK)
		status = vrs_config_set(copy, "output.preset", "slow,slower", VRS_SOURCE_FLAG, NULL, NULL);
	vrs_config_destroy(copy);
	vrs_config_destroy(config);
	return status;
}

static void running_out_of_memory_is_a_status(void **state)
{
	uint64_t live = vrs_mem_stats().live_bytes;
	int faults = 0;

	(void)state;
	capture_start();
	for (int persistent = 0; persistent < 2; persistent++)
		for (uint64_t n = 1;; n++) {
			enum vrs_status status;
			bool fired;

			vrs_mem_fail_after(n, persistent);
			status = scenario();
			fired = vrs_mem_fault_fired();
			vrs_mem_fail_after(0, false);
			assert_int_equal(vrs_mem_stats().live_bytes, live);
			if (!fired) {
				assert_int_equal(status, VRS_OK);
				break;
			}
			faults++;
			assert_int_equal(status, VRS_ENOMEM);
		}
	assert_true(faults > 20);
}

/* Every option at once: those that a record may set keep their value and source, all others are as if nobody had set them. */
static void records_set_what_was_measured(void **state)
{
	struct vrs_config *config = NULL, *defaults = NULL;
	int count, kept = 0, reset = 0;
	const struct vrs_option *rows = vrs_option_table(&count);

	(void)state;
	assert_int_equal(vrs_config_create(&config), VRS_OK);
	assert_int_equal(vrs_config_create(&defaults), VRS_OK);
	for (int i = 0; i < count; i++) {
		char value[VRS_PATH_MAX];

		if (rows[i].state != VRS_OPT_READY)
			continue;
		assert_int_equal(vrs_config_get(config, rows[i].key, value, sizeof value), VRS_OK);
		if (rows[i].type == VRS_OPT_BOOL || (rows[i].type == VRS_OPT_STRING && rows[i].file != VRS_FILE_NONE))
			(void)snprintf(value, sizeof value, rows[i].type == VRS_OPT_BOOL ? "true" : "stranger");
		assert_int_equal(vrs_config_set(config, rows[i].key, value, VRS_SOURCE_FLAG, NULL, NULL), VRS_OK);
	}
	vrs_config_keep_recorded(config);
	for (int i = 0; i < count; i++) {
		char value[VRS_PATH_MAX], expected[VRS_PATH_MAX];

		if (rows[i].state != VRS_OPT_READY)
			continue;
		bool recorded = vrs_option_is_recorded(&rows[i]);

		kept += recorded;
		reset += !recorded;
		assert_int_equal(vrs_config_source(config, rows[i].key), recorded ? VRS_SOURCE_FLAG : VRS_SOURCE_DEFAULT);
		assert_int_equal(vrs_config_get(config, rows[i].key, value, sizeof value), VRS_OK);
		assert_int_equal(vrs_config_get(defaults, rows[i].key, expected, sizeof expected), VRS_OK);
		if (!recorded)
			assert_string_equal(value, expected);
		else if (vrs_file_is_read(rows[i].file))
			assert_string_equal(value, "stranger");
	}
	assert_true(kept > 50 && reset >= 10);
	assert_string_equal(vrs_config_settings(config)->report.trace, "");
	assert_string_equal(vrs_config_settings(config)->cache.dir, "");
	vrs_config_destroy(config);
	vrs_config_destroy(defaults);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_set_what_was_measured),
		cmocka_unit_test(stronger_sources_win_in_any_order),
		cmocka_unit_test(wrong_values_of_weak_sources_are_still_errors),
		cmocka_unit_test(half_precision_gives_way_to_a_precision),
		cmocka_unit_test(device_names_map_to_backends),
		cmocka_unit_test(options_without_effect_warn_once), cmocka_unit_test(options_of_other_backends_warn),
		cmocka_unit_test(strict_makes_warnings_errors),
		cmocka_unit_test(ready_options_do_not_warn),
		cmocka_unit_test(intervals_keep_both_ends), cmocka_unit_test(lists_keep_their_values),
		cmocka_unit_test(copies_are_independent),
		cmocka_unit_test(places_are_remembered),
		cmocka_unit_test(ranges_settle),
		cmocka_unit_test(mixed_precision_is_fp16_on_a_device),
		cmocka_unit_test(modes_refuse_flags_of_others),
		cmocka_unit_test(unknown_keys_and_small_buffers),
		cmocka_unit_test(running_out_of_memory_is_a_status),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
