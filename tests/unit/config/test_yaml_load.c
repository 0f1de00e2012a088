/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards configuration files: every block of the users' documents loads and means what it says, mistakes are sentences with a place, a file
 * with a mistake changes nothing, and what is written reads back equal.
 */
#include "config_check.h"

#include <dirent.h>

#include "base/file.h"

#define YAML_DIR VRS_TEST_DIR "/files/yaml/"

static struct vrs_config *load_file_ok(const char *name)
{
	struct vrs_config *config = new_config();
	struct vrs_error err = {0};
	char path[512];

	(void)snprintf(path, sizeof path, "%s%.200s", YAML_DIR, name);
	if (vrs_config_load_file(config, path, VRS_SOURCE_FILE, &err) != VRS_OK)
		fail_msg("%s:%d:%d: %s", name, err.line, err.column, err.text);
	return config;
}

static void every_block_of_the_documents_loads(void **state)
{
	DIR *dir = opendir(YAML_DIR);
	struct dirent *entry;
	int files = 0;

	(void)state;
	capture_start();
	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		struct vrs_config *config;
		char *text;

		if (strncmp(entry->d_name, "good-", 5) != 0)
			continue;
		config = load_file_ok(entry->d_name);
		text = written(config, VRS_WRITE_CHANGED);
		assert_non_null(strstr(text, ": ")); /* at least one value arrived */
		free(text);
		vrs_config_destroy(config);
		files++;
	}
	closedir(dir);
	assert_int_equal(files, 37);
}

static void values_of_the_documents_arrive(void **state)
{
	static const char *const cases[][3] = {
		{"good-tuning-guide-049.yaml", "engine.precision", "fp16"},
		{"good-tuning-guide-067.yaml", "engine.max_memory_fraction", "0.9"}, /* the null below it leaves it alone */
		{"good-tuning-guide-080.yaml", "engine.deterministic", "false"},
		{"good-tuning-guide-122.yaml", "engine.input_size", "[1024, 1024]"},
		{"good-tuning-guide-136.yaml", "pipeline.decode_workers", "4"},
		{"good-tuning-guide-155.yaml", "engine.threads", "32"},
		{"good-tuning-guide-168.yaml", "pipeline.queue_size", "100"},
		{"good-tuning-guide-196.yaml", "target.max_latency_ms", "50"},
		{"good-tuning-guide-328.yaml", "engine.batch_size", "16-32"},
		{"good-tuning-guide-373.yaml", "target.fps", "30"},
		{"good-animation-guide-023.yaml", "engine.precision", "fp16"},
		{"good-animation-guide-023.yaml", "engine.batch_size", "4"},
		{"good-animation-guide-023.yaml", "matte.skip_threshold", "0.92"},
		{"good-animation-guide-240.yaml", "matte.refine", "false"}, /* an indented block */
		{"good-techniques-472.yaml", "pipeline.queue_size", "100"},
		{"good-template-cpu-only.yaml", "engine.backend", "cpu"},
		{"good-template-scripts.yaml", "engine.backend", "opencl"},
		{"good-template-high-throughput.yaml", "engine.precision", "mixed"},
		{"good-template-high-throughput.yaml", "workload.clip.batch_size", "128"},
		{"good-template-loader.yaml", "engine.batch_size", "128"},
	};

	(void)state;
	capture_start();
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct vrs_config *config = load_file_ok(cases[i][0]);

		assert_value(config, cases[i][1], cases[i][2]);
		assert_int_equal(vrs_config_source(config, cases[i][1]), VRS_SOURCE_FILE);
		vrs_config_destroy(config);
	}
}

static void bad_files_are_refused_with_a_sentence(void **state)
{
	static const struct {
		const char *name;
		int line, column;
		const char *message;
	} cases[] = {
		{"bad-unknown-key", 4, 3, "unknown key \"model.batch_sise\"; did you mean \"model.batch_size\"?"},
		{"bad-type", 2, 3, "processing.num_threads: \"many\" is not a whole number (1 to 1024, 0 or auto)"},
		{"bad-range", 2, 3, "engine.batch_size: 300 is out of range (1 to 256, 0 or auto)"},
		{"bad-missing-value", 2, 3, "gpu.precision: the value is missing; write one or remove the line"},
		{"bad-choice", 2, 3, "gpu.precision: \"fp61\" is not one of auto, fp32, fp16, bf16, int8, mixed; did you mean \"fp16\"?"},
		{"bad-twice", 4, 3,
		  "animation.inference_precision and gpu.precision (line 2) both mean engine.precision, but differ; keep one"},
		{"bad-duplicate", 3, 3, "engine.threads is given twice; the first time in line 2"},
		{"bad-list", 1, 1, "the file must hold \"key: value\" lines"},
		{"bad-two-documents", 3, 1, "a second document begins here; one file holds one document"},
		{"bad-nesting", 1, 32, "the values are nested more than 8 deep"},
		{"bad-merge", 2, 1, "merge keys (<<) are not used in this file"},
		{"bad-alias", 3, 11, "the alias *all names no single value before it (lists and mappings cannot be repeated by alias)"},
		{"bad-syntax", 2, 6, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct vrs_config *config = new_config();
		struct vrs_error err = {0};
		char path[512], shown[900], place[600];
		char *text;

		(void)snprintf(path, sizeof path, "%s%s.yaml", YAML_DIR, cases[i].name);
		assert_int_equal(vrs_config_load_file(config, path, VRS_SOURCE_FILE, &err), VRS_ECONFIG);
		assert_int_equal(vrs_exit_code(err.status), 2);
		if (cases[i].message)
			assert_string_equal(err.text, cases[i].message);
		else
			assert_non_null(strstr(err.text, "this is not valid YAML: "));
		assert_int_equal(err.line, cases[i].line);
		assert_int_equal(err.column, cases[i].column);
		(void)snprintf(place, sizeof place, "%s:%d:%d: ", path, err.line, err.column);
		vrs_error_str(&err, shown, sizeof shown);
		assert_int_equal(strncmp(shown, place, strlen(place)), 0);
		text = written(config, VRS_WRITE_CHANGED);
		assert_string_equal(text, ""); /* nothing of the file has arrived */
		free(text);
		vrs_config_destroy(config);
	}
}

static void order_in_the_file_does_not_matter_for_half_precision(void **state)
{
	static const char *const texts[] = {
		"use_fp16: true\nengine.precision: fp32\n",
		"engine.precision: fp32\nuse_fp16: true\n",
		"gpu: {precision: fp32}\nanimation: {use_half_precision: true}\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct vrs_config *config = new_config();

		load_ok(config, texts[i], VRS_SOURCE_FILE);
		assert_value(config, "engine.precision", "fp32");
		vrs_config_destroy(config);
	}
}

static void shorthands_may_not_contradict_each_other(void **state)
{
	static const char text[] = "use_fp16: true\nmixed_precision: true\n";
	struct vrs_config *config = new_config();
	struct vrs_error err = {0};

	(void)state;
	assert_int_equal(vrs_config_load_text(config, text, sizeof text - 1, "t.yaml", VRS_SOURCE_FILE, &err), VRS_ECONFIG);
	assert_string_equal(err.text, "mixed_precision and use_fp16 (line 1) both mean engine.precision, but differ; keep one");
	load_ok(config, "use_fp16: true\nmixed_precision: false\nanimation: {use_half_precision: true}\n", VRS_SOURCE_FILE);
	assert_value(config, "engine.precision", "fp16");
	vrs_config_destroy(config);
}

static void twins_are_compared_by_value(void **state)
{
	struct vrs_config *config = new_config();

	(void)state;
	load_ok(config, "engine.threads: 2\nnum_threads: 02\nengine.input_size: 256x256\nmodel.input_size: [256, 256]\n", VRS_SOURCE_FILE);
	assert_value(config, "engine.threads", "2");
	vrs_config_destroy(config);
}

static void lists_are_written_as_lists(void **state)
{
	static const char *const cases[][2] = {
		{"4]]]  ,[[8", "--x: \"4]]]  ,[[8\" is no list; write a,b,c or [a, b, c]"},
		{"4 8,2", "--x: \"4 8,2\" is no list; write a,b,c or [a, b, c]"},
		{"[4, 8", "--x: \"[4, 8\" is no list; write a,b,c or [a, b, c]"},
		{"[4, [8]]", "--x: \"[4, [8]]\" is no list; write a,b,c or [a, b, c]"},
		{"4,8,", "--x: a value of the list is missing"},
		{"[]", "--x: a value of the list is missing"},
		{"[4, x]", "--x: \"x\" is not a whole number (1 to 256, 0 or auto)"},
	};
	struct vrs_config *config = new_config();
	struct vrs_error err = {0};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_int_equal(vrs_config_set(config, "engine.batch_size", cases[i][0], VRS_SOURCE_FLAG, "--x", &err), VRS_ECONFIG);
		assert_string_equal(err.text, cases[i][1]);
	}
	load_ok(config, "batch_size: [4]\nengine.input_size: [256x192]\n", VRS_SOURCE_FILE); /* a list of one is that one */
	assert_value(config, "engine.batch_size", "4");
	assert_value(config, "engine.input_size", "[256, 192]");
	assert_null(vrs_config_list(config, "engine.batch_size"));
	vrs_config_destroy(config);
}

static void null_and_empty_sections_change_nothing(void **state)
{
	struct vrs_config *config = new_config();
	char *text;

	(void)state;
	load_ok(config, "gpu:\nmodel: {}\nengine:\n  threads: null\n  precision: ~\nworkload:\n", VRS_SOURCE_FILE);
	text = written(config, VRS_WRITE_CHANGED);
	assert_string_equal(text, "");
	free(text);
	vrs_config_destroy(config);
}

static void lists_are_for_sizes_and_the_tuner(void **state)
{
	struct vrs_config *config = new_config();
	struct vrs_error err = {0};
	static const char text[] = "pipeline:\n  max_frames: [1, 2]\n", gap[] = "output:\n  preset: [fast, '']\n";
	char *saved;

	(void)state;
	assert_int_equal(vrs_config_load_text(config, text, sizeof text - 1, "t.yaml", VRS_SOURCE_FILE, &err), VRS_ECONFIG);
	assert_string_equal(err.text, "pipeline.max_frames: one value is expected, not a list");
	assert_int_equal(vrs_config_load_text(config, gap, sizeof gap - 1, "t.yaml", VRS_SOURCE_FILE, &err), VRS_ECONFIG);
	assert_string_equal(err.text, "output.preset: a value of the list is missing");
	load_ok(config, "engine:\n  threads: [1, 2]\n  input_size: [256x256, 320x320]\noutput:\n  preset: [fast, slow]\n", VRS_SOURCE_FILE);
	saved = written(config, VRS_WRITE_CHANGED); /* and back */
	vrs_config_destroy(config);
	config = new_config();
	load_ok(config, saved, VRS_SOURCE_FILE);
	free(saved);
	assert_string_equal(vrs_config_list(config, "engine.threads"), "1,2");
	assert_string_equal(vrs_config_list(config, "engine.input_size"), "256x256,320x320");
	assert_string_equal(vrs_config_list(config, "output.preset"), "fast,slow");
	vrs_config_destroy(config);
}

static void missing_files_are_wrong_usage(void **state)
{
	struct vrs_config *config = new_config();
	struct vrs_error err = {0};

	(void)state;
	assert_int_equal(vrs_config_load_file(config, "does/not/exist.yaml", VRS_SOURCE_FILE, &err), VRS_ECONFIG);
	assert_string_equal(err.text, "cannot open does/not/exist.yaml: No such file or directory");
	assert_int_equal(vrs_exit_code(err.status), 2);
	vrs_config_destroy(config);
}

static void assert_same_values(const struct vrs_config *a, const struct vrs_config *b)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);

	for (int i = 0; i < count; i++) {
		char text[VRS_PATH_MAX];

		assert_int_equal(vrs_config_get(a, rows[i].key, text, sizeof text), VRS_OK);
		assert_value(b, rows[i].key, text);
	}
	assert_memory_equal(vrs_config_settings(a), vrs_config_settings(b), sizeof(struct vrs_settings));
}

static void written_files_read_back_equal(void **state)
{
	static const char text[] =
		"engine: {threads: 3, batch_size: 4-8, input_size: 512x288, precision: fp16, fusion: no, deterministic: false, model: /a b/n.tflite}\n"
		"output: {file: 'we\"ird: #1 \\ name.mp4', mode: matte, color: '#123456', preset: 'null', crf: -1, encoder: '- x', audio: off}\n"
		"matte: {gamma: 0.3333333333333333, view: whole, skip_threshold: 0.5}\n"
		"target: {fps: 59.94}\nreport: {log_level: debug, log_file: \"\"}\ncache.size_gb: 3\nworkload: {clip: {batch_size: 7}}\n"
		"engine.device: \"0:1\"\npipeline.max_frames: 2147483647\n";

	(void)state;
	capture_start();
	for (enum vrs_config_extent extent = VRS_WRITE_ALL; extent <= VRS_WRITE_CHANGED; extent++) {
		struct vrs_config *config = new_config(), *again = new_config();
		char *first, *second;

		load_ok(config, text, VRS_SOURCE_FILE);
		assert_string_equal(vrs_config_settings(config)->output.file, "we\"ird: #1 \\ name.mp4");
		first = written(config, extent);
		load_ok(again, first, VRS_SOURCE_FILE);
		assert_same_values(config, again);
		second = written(again, extent);
		assert_true(strlen(second) > 0);
		free(first);
		free(second);
		vrs_config_destroy(config);
		vrs_config_destroy(again);
	}
}

static void every_row_reads_back_what_it_writes(void **state)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);

	(void)state;
	capture_start();
	for (int i = 0; i < count; i++) {
		struct vrs_config *config = new_config(), *again = new_config();
		char *text;

		set_ok(config, rows[i].key, rows[i].default_text, VRS_SOURCE_FLAG);
		text = written(config, VRS_WRITE_CHANGED);
		load_ok(again, text, VRS_SOURCE_FILE);
		assert_same_values(config, again);
		assert_int_equal(vrs_config_source(again, rows[i].key), VRS_SOURCE_FILE);
		free(text);
		vrs_config_destroy(config);
		vrs_config_destroy(again);
	}
}

/* What a tool saves for later runs must not say how its own run went: "overwrite" in it would replace a user's film. */
static void what_is_written_for_later_holds_the_job_alone(void **state)
{
	int count, left_out = 0;
	const struct vrs_option *rows = vrs_option_table(&count);

	(void)state;
	capture_start();
	for (int i = 0; i < count; i++) {
		struct vrs_config *config = new_config();
		bool per_run = rows[i].traits & VRS_OPTION_PER_RUN;
		char *text;

		set_ok(config, rows[i].key, rows[i].default_text, VRS_SOURCE_ENV);
		text = written(config, VRS_WRITE_JOB);
		if ((*text == '\0') != per_run)
			fail_msg("%s: \"%s\"", rows[i].key, text);
		left_out += per_run;
		free(text);
		vrs_config_destroy(config);
	}
	assert_true(left_out > 10);
}

static void dump_names_the_source_of_each_value(void **state)
{
	struct vrs_config *config = new_config();
	char *text;

	(void)state;
	capture_start();
	load_ok(config, "gpu:\n  precision: fp16\nmodel:\n  batch_size: 16-32\ntarget:\n  auto_tune: true\n", VRS_SOURCE_FILE);
	assert_int_equal(vrs_config_set(config, "engine.threads", "2", VRS_SOURCE_FLAG, "--threads", NULL), VRS_OK);
	assert_int_equal(vrs_config_set(config, "pipeline.queue_size", "8", VRS_SOURCE_ENV, "VRSEG_PIPELINE_QUEUE_SIZE", NULL), VRS_OK);
	text = written(config, VRS_WRITE_CHANGED);
	assert_string_equal(text, "engine:\n"
				  "  precision: fp16                       # file t.yaml:2\n"
				  "  threads: 2                            # flag --threads\n"
				  "  batch_size: 16-32                     # file t.yaml:4\n"
				  "pipeline:\n"
				  "  queue_size: 8                         # frames; environment VRSEG_PIPELINE_QUEUE_SIZE\n"
				  "target:\n"
				  "  auto_tune: true                       # file t.yaml:6\n");
	free(text);
	text = written(config, VRS_WRITE_ALL);
	assert_non_null(strstr(text, "\n  streams: auto                         # default\n"));
	assert_null(strstr(text, "trim_interval")); /* rows without effect show only where they are set */
	free(text);
	vrs_config_destroy(config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_block_of_the_documents_loads),
		cmocka_unit_test(values_of_the_documents_arrive),
		cmocka_unit_test(bad_files_are_refused_with_a_sentence),
		cmocka_unit_test(order_in_the_file_does_not_matter_for_half_precision),
		cmocka_unit_test(shorthands_may_not_contradict_each_other),
		cmocka_unit_test(twins_are_compared_by_value),
		cmocka_unit_test(lists_are_written_as_lists),
		cmocka_unit_test(null_and_empty_sections_change_nothing),
		cmocka_unit_test(lists_are_for_sizes_and_the_tuner),
		cmocka_unit_test(missing_files_are_wrong_usage),
		cmocka_unit_test(written_files_read_back_equal),
		cmocka_unit_test(every_row_reads_back_what_it_writes),
		cmocka_unit_test(what_is_written_for_later_holds_the_job_alone),
		cmocka_unit_test(dump_names_the_source_of_each_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
