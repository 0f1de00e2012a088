/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the option table as data: every field has one row, every name is unique, defaults and tuner values are legal, rows without effect
 * have no flag and a reason, and every key of the users' documents finds its option.
 */
#include "config_check.h"

#include <ctype.h>

#include "config/option_table.h"
#include "matte/eye_agreement.h"

static const struct vrs_option *table(int *count)
{
	return vrs_option_table(count);
}

/* Nothing, or one of the three and what follows from it; a knob of the tuner is neither one run's nor out of reach of measured runs. */
static void says_what_it_affects(const struct vrs_option *row)
{
	switch (row->affects) {
	case VRS_AFFECTS_NOTHING:
	case VRS_AFFECTS_FILE:
	case VRS_AFFECTS_PICTURE | VRS_AFFECTS_FILE:
	case VRS_AFFECTS_MATTE | VRS_AFFECTS_PICTURE | VRS_AFFECTS_FILE:
		break;
	default:
		fail_msg("%s does not say what it affects", row->key);
	}
	if (row->tunable)
		assert_int_equal(row->traits & (VRS_OPTION_PER_RUN | VRS_OPTION_UNMEASURED), 0);
}

/* A path that pictures depend on names an input, whose content the matte cache and the checkpoint keep in mind. */
static void says_whether_it_names_an_input(const struct vrs_option *row)
{
	bool is_path = row->type == VRS_OPT_STRING && row->size == VRS_PATH_MAX, to_pictures = row->affects & VRS_AFFECTS_PICTURE;

	if (is_path && to_pictures && !vrs_file_is_read(row->file))
		fail_msg("%s: a path that affects pictures is a file that is read", row->key);
}

/* What a record may set names nothing that is written; and no path is without a role, so that none can be forgotten here. */
static void says_whether_records_set_it(const struct vrs_option *row)
{
	bool is_path = row->type == VRS_OPT_STRING && row->size == VRS_PATH_MAX;

	if (row->state == VRS_OPT_READY && is_path != (row->file != VRS_FILE_NONE))
		fail_msg("%s: a path is declared by FIELD_INPUT, FIELD_OUTPUT or FIELD_FOLDER", row->key);
	if (vrs_option_is_recorded(row) && row->file != VRS_FILE_NONE && !vrs_file_is_read(row->file))
		fail_msg("%s: a record of a stranger would choose what is written", row->key);
	if (row->tunable || row->id_letter)
		assert_true(vrs_option_is_recorded(row));
}

static void rows_are_complete(void **state)
{
	int count;
	const struct vrs_option *rows = table(&count);

	(void)state;
	assert_true(count > 70);
	for (int i = 0; i < count; i++) {
		const struct vrs_option *row = &rows[i];

		assert_non_null(strchr(row->key, '.'));
		assert_non_null(row->help);
		assert_true(isupper((unsigned char)row->help[0]) || strncmp(row->help, "green:", 6) == 0);
		assert_true(row->help[strlen(row->help) - 1] != '.');
		assert_non_null(row->default_text);
		if (row->type == VRS_OPT_ENUM)
			assert_non_null(row->choices);
		if (row->type == VRS_OPT_INT || row->type == VRS_OPT_DOUBLE)
			assert_true(row->min < row->max);
		if (row->state == VRS_OPT_READY) {
			assert_non_null(row->flag);
			assert_true(row->programs != 0 && row->programs < 16);
			assert_true(row->offset + row->size <= sizeof(struct vrs_settings));
			assert_int_equal(row->value_name == NULL, row->type == VRS_OPT_BOOL);
			assert_null(row->note);
			says_what_it_affects(row);
			says_whether_records_set_it(row);
		says_whether_it_names_an_input(row);
		} else {
			assert_null(row->flag);
			assert_int_equal(row->letter, 0);
			assert_true(row->offset == SIZE_MAX);
			assert_non_null(row->note);
			assert_null(row->tunable);
			assert_int_equal(row->affects | row->traits, 0);
		}
	}
}

static void every_byte_of_the_settings_has_one_row(void **state)
{
	static unsigned char owner[sizeof(struct vrs_settings)];
	int count, holes = 0;
	const struct vrs_option *rows = table(&count);

	(void)state;
	memset(owner, 0, sizeof owner);
	for (int i = 0; i < count; i++)
		for (size_t k = 0; rows[i].state == VRS_OPT_READY && k < rows[i].size; k++) {
			assert_int_equal(owner[rows[i].offset + k], 0);
			owner[rows[i].offset + k] = 1;
		}
	/* what is left may only be padding: fewer than 8 bytes in a row */
	for (size_t k = 0; k < sizeof owner; k++) {
		holes = owner[k] ? 0 : holes + 1;
		assert_true(holes < 8);
	}
}

static void collect(const char *words, char names[][100], int *n)
{
	for (int j = 0; vrs_words_get(words, j, names[*n], sizeof names[0]); j++) {
		(*n)++;
		assert_true(*n < 400);
	}
}

static void names_are_unique(void **state)
{
	static char names[400][100];
	int count, n = 0;
	const struct vrs_option *rows = table(&count);

	(void)state;
	for (int i = 0; i < count; i++) {
		collect(rows[i].key, names, &n);
		collect(rows[i].aliases ? rows[i].aliases : "", names, &n);
	}
	for (const struct vrs_synonym *s = vrs_synonym_list(); s->keys; s++)
		collect(s->keys, names, &n);
	for (int i = 0; i < n; i++)
		for (int j = 0; j < i; j++)
			if (strcmp(names[i], names[j]) == 0)
				fail_msg("the key %s belongs to two rows", names[i]);
}

static void flags_and_letters_are_unique(void **state)
{
	int count;
	const struct vrs_option *rows = table(&count);

	(void)state;
	for (int i = 0; i < count; i++)
		for (int j = 0; j < i; j++) {
			assert_false(rows[i].flag && rows[j].flag && strcmp(rows[i].flag, rows[j].flag) == 0);
			assert_false(rows[i].flag && vrs_words_have(rows[j].flag_aliases, rows[i].flag, NULL));
			assert_false(rows[i].letter && rows[i].letter == rows[j].letter);
		}
	for (int i = 0; i < count; i++) {
		if (!rows[i].flag)
			continue;
		assert_ptr_equal(vrs_option_find_flag(rows[i].flag, rows[i].programs), &rows[i]);
		assert_null(vrs_option_find_flag(rows[i].flag, 15u & ~rows[i].programs));
		/* "--no-x" must not mean two things */
		assert_true(strncmp(rows[i].flag, "no-", 3) != 0);
	}
}

static void defaults_are_legal_and_print_back(void **state)
{
	int count;
	const struct vrs_option *rows = table(&count);

	(void)state;
	for (int i = 0; i < count; i++) {
		struct vrs_option_value value;
		struct vrs_error err = {0};
		char text[VRS_PATH_MAX];

		if (vrs_option_parse(&rows[i], rows[i].default_text, rows[i].key, &value, &err) != VRS_OK)
			fail_msg("default of %s: %s", rows[i].key, err.text);
		assert_int_equal(vrs_option_print(&rows[i], &value, text, sizeof text), VRS_OK);
		assert_string_equal(text, rows[i].default_text);
	}
}

static void words_for_the_lowest_value_are_not_values(void **state)
{
	int count;
	const struct vrs_option *rows = table(&count);

	(void)state;
	for (int i = 0; i < count; i++)
		if (rows[i].min_name)
			assert_true(isalpha((unsigned char)rows[i].min_name[0]));
}

static void tuner_values_are_legal(void **state)
{
	int count, tunable = 0;
	const struct vrs_option *rows = table(&count);
	char word[64];

	(void)state;
	for (int i = 0; i < count; i++) {
		struct vrs_option_value value;

		tunable += rows[i].tunable != NULL;
		for (int j = 0; vrs_words_get(rows[i].tunable, j, word, sizeof word); j++) {
			assert_int_equal(vrs_option_parse(&rows[i], word, rows[i].key, &value, NULL), VRS_OK);
			assert_int_equal(rows[i].state, VRS_OPT_READY);
		}
	}
	assert_true(tunable >= 5);
	for (size_t i = 0; i < 5; i++) {
		static const char *const keys[] = {"engine.threads", "engine.streams", "engine.batch_size", "engine.input_size", "engine.precision"};

		assert_non_null(vrs_option_find(keys[i])->tunable);
	}
}

static void words_stand_in_the_order_of_their_enums(void **state)
{
	static const struct {
		const char *key;
		const char *word;
		int value;
	} cases[] = {
		{"engine.precision", "auto", VRS_PRECISION_AUTO},
		{"engine.precision", "fp32", VRS_PRECISION_FP32}, {"engine.precision", "fp16", VRS_PRECISION_FP16},
		{"engine.precision", "bf16", VRS_PRECISION_BF16}, {"engine.precision", "int8", VRS_PRECISION_INT8},
		{"engine.precision", "mixed", VRS_PRECISION_MIXED}, {"engine.affinity", "auto", VRS_AFFINITY_AUTO},
		{"engine.affinity", "none", VRS_AFFINITY_NONE}, {"engine.affinity", "cores", VRS_AFFINITY_CORES}, {"matte.view", "auto", VRS_VIEW_AUTO},
		{"engine.auto_size", "normal", VRS_AUTO_SIZE_NORMAL}, {"engine.auto_size", "large", VRS_AUTO_SIZE_LARGE},
		{"matte.view", "whole", VRS_VIEW_WHOLE}, {"matte.view", "centre", VRS_VIEW_CENTRE}, {"output.mode", "green", VRS_MODE_GREEN},
		{"output.mode", "matte", VRS_MODE_MATTE}, {"output.mode", "alpha", VRS_MODE_ALPHA}, {"output.mode", "cutout", VRS_MODE_CUTOUT},
		{"output.alpha_color", "grey", VRS_ALPHA_GREY}, {"output.alpha_color", "red", VRS_ALPHA_RED},
		{"output.alpha_size", "source", VRS_ALPHA_SIZE_SOURCE}, {"output.alpha_size", "exact", VRS_ALPHA_SIZE_EXACT},
		{"output.player", "none", VRS_PLAYER_NONE}, {"output.player", "deovr", VRS_PLAYER_DEOVR},
		{"output.player", "heresphere", VRS_PLAYER_HERESPHERE}, {"output.player", "skybox", VRS_PLAYER_SKYBOX},
		{"output.player", "4xvr", VRS_PLAYER_4XVR}, {"output.player", "xbvr", VRS_PLAYER_XBVR},
		{"input.layout", "auto", VRS_LAYOUT_AUTO}, {"input.layout", "mono", VRS_LAYOUT_MONO},
		{"input.layout", "sbs", VRS_LAYOUT_SBS}, {"input.layout", "tb", VRS_LAYOUT_TB},
		{"input.layout", "rl", VRS_LAYOUT_RL}, {"input.layout", "bt", VRS_LAYOUT_BT}, {"input.layout", "hsbs", VRS_LAYOUT_HSBS},
		{"input.layout", "htb", VRS_LAYOUT_HTB}, {"report.progress", "auto", VRS_PROGRESS_AUTO},
		{"report.progress", "plain", VRS_PROGRESS_PLAIN}, {"report.progress", "json", VRS_PROGRESS_JSON},
		{"report.progress", "none", VRS_PROGRESS_NONE}, {"report.log_level", "error", VRS_LOG_ERROR},
		{"report.log_level", "warning", VRS_LOG_WARNING}, {"report.log_level", "info", VRS_LOG_INFO},
		{"report.log_level", "debug", VRS_LOG_DEBUG}, {"matte.repair_eyes", "none", VRS_EYE_REPAIR_NONE},
		{"matte.repair_eyes", "union", VRS_EYE_REPAIR_UNION}, {"matte.repair_eyes", "mean", VRS_EYE_REPAIR_MEAN},
		{"matte.foreground", "auto", VRS_FOREGROUND_AUTO}, {"matte.foreground", "on", VRS_FOREGROUND_ON},
		{"matte.foreground", "off", VRS_FOREGROUND_OFF},
		{"matte.view_projection", "auto", VRS_VIEW_PROJECTION_AUTO}, {"matte.view_projection", "source", VRS_VIEW_PROJECTION_SOURCE},
		{"matte.view_projection", "gnomonic", VRS_VIEW_PROJECTION_GNOMONIC}, {"pipeline.late_frames", "reuse", VRS_LATE_REUSE},
		{"pipeline.late_frames", "drop", VRS_LATE_DROP}, {"output.tonemap", "auto", VRS_TONEMAP_AUTO},
		{"output.tonemap", "off", VRS_TONEMAP_OFF}, {"output.tonemap", "bt2390", VRS_TONEMAP_BT2390},
		{"engine.device_tune", "none", VRS_DEVICE_TUNE_NONE}, {"engine.device_tune", "fast", VRS_DEVICE_TUNE_FAST},
		{"engine.device_tune", "full", VRS_DEVICE_TUNE_FULL}, {"engine.device_frames", "auto", VRS_DEVICE_FRAMES_AUTO},
		{"engine.device_frames", "on", VRS_DEVICE_FRAMES_ON}, {"engine.device_frames", "off", VRS_DEVICE_FRAMES_OFF},
		{"engine.device_math", "float", VRS_DEVICE_MATH_FLOAT},
		{"engine.device_math", "half", VRS_DEVICE_MATH_HALF}, {"engine.device_math", "dot", VRS_DEVICE_MATH_DOT},
	};
	int words = 0, count;
	const struct vrs_option *rows = table(&count);
	char word[64];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct vrs_option_value value;

		assert_int_equal(vrs_option_parse(vrs_option_find(cases[i].key), cases[i].word, "", &value, NULL), VRS_OK);
		assert_int_equal(value.number, cases[i].value);
	}
	for (int i = 0; i < count; i++)
		for (int j = 0; rows[i].type == VRS_OPT_ENUM && vrs_words_get(rows[i].choices, j, word, sizeof word); j++)
			words++;
	assert_int_equal(words, sizeof cases / sizeof cases[0]); /* a new word needs a line above */
}

static void every_row_is_in_a_section(void **state)
{
	int count;
	const struct vrs_option *rows = table(&count);

	(void)state;
	for (int i = 0; i < count; i++) {
		bool found = false;

		for (const struct vrs_section *s = vrs_section_list(); s->name; s++)
			found = found || (strncmp(rows[i].key, s->name, strlen(s->name)) == 0 && rows[i].key[strlen(s->name)] == '.');
		assert_true(found);
	}
}

/* Key of the documents, canonical key, a value that the documents or the ranges give. */
static const char *const documented[][3] = {
	{"gpu.precision", "engine.precision", "fp16"},
	{"animation.inference_precision", "engine.precision", "fp16"},
	{"animation.use_half_precision", "engine.precision", "true"},
	{"use_half_precision", "engine.precision", "false"},
	{"animation.use_fp16", "engine.precision", "true"},
	{"use_fp16", "engine.precision", "true"},
	{"mixed_precision", "engine.precision", "true"},
	{"gpu.max_vram_usage", "engine.max_memory_fraction", "0.9"},
	{"performance.gpu_memory_fraction", "engine.max_memory_fraction", "0.85"},
	{"gpu.memory_fraction", "engine.max_memory_fraction", "0.05"},
	{"gpu.cudnn_benchmark", "engine.autotune_kernels", "true"},
	{"gpu.cudnn_deterministic", "engine.deterministic", "false"},
	{"gpu.allow_tf32", "engine.allow_reduced_accumulate", "true"},
	{"animation.enable_tensorrt", "engine.program_cache", "false"},
	{"animation.gpu_id", "engine.device", "0"},
	{"engine.device", "engine.device", "0:1"},
	{"device", "engine.backend", "cuda"},
	{"model.batch_size", "engine.batch_size", "16-32"},
	{"animation.batch_size", "engine.batch_size", "4"},
	{"batch_size", "engine.batch_size", "16"},
	{"clip_batch", "workload.clip.batch_size", "128"},
	{"arcface_batch", "workload.arcface.batch_size", "64"},
	{"sam2_batch", "workload.sam2.batch_size", "1"},
	{"lama_batch", "workload.lama.batch_size", "4"},
	{"mediapipe_batch", "workload.mediapipe.batch_size", "32"},
	{"model.input_size", "engine.input_size", "[1024, 1024]"},
	{"model.num_workers", "pipeline.decode_workers", "4"},
	{"num_workers", "pipeline.decode_workers", "256"},
	{"model.prefetch_factor", "pipeline.prefetch", "2"},
	{"performance.prefetch_frames", "pipeline.prefetch", "3"},
	{"processing.num_threads", "engine.threads", "64"},
	{"processing.use_multiprocessing", "pipeline.processes", "true"},
	{"use_multiprocessing", "pipeline.processes", "true"},
	{"processing.max_queue_size", "pipeline.queue_size", "100"},
	{"pipeline.chunk_frames", "pipeline.segment_frames", "none"},
	{"processing.chunk_size", "pipeline.segment_frames", "100"},
	{"processing.enable_caching", "cache.enabled", "true"},
	{"processing.cache_size_gb", "cache.size_gb", "4.0"},
	{"cache_size_gb", "cache.size_gb", "1000"},
	{"performance.target_fps", "target.fps", "90"},
	{"performance.max_latency_ms", "target.max_latency_ms", "50.0"},
	{"performance.auto_tune", "target.auto_tune", "true"},
	{"performance.frame_skip_enabled", "matte.skip_similar", "true"},
	{"performance.frame_skip_threshold", "matte.skip_threshold", "0.92"},
	{"performance.clear_cache_interval", "engine.trim_interval", "200"},
	{"performance.use_async_capture", "pipeline.async_input", "true"},
	{"performance.use_async_output", "pipeline.async_output", "true"},
	{"dataloader.pin_memory", "engine.pinned_memory", "true"},
	{"pin_memory", "engine.pinned_memory", "false"},
	{"dataloader.persistent_workers", "pipeline.persistent_workers", "true"},
	{"engine.streams", "engine.streams", "2"},
	{"engine.fusion", "engine.fusion", "false"},
	{"engine.command_replay", "engine.command_replay", "true"},
	{"engine.buffer_pool", "engine.buffer_pool", "true"},
	{"engine.adaptive_batch", "engine.adaptive_batch", "true"},
	{"pipeline.batch_timeout_ms", "pipeline.batch_timeout_ms", "5"},
	{"pipeline.mmap_input", "pipeline.mmap_input", "true"},
	{"matte.view", "matte.view", "centre"},
	{"matte.scales", "matte.scales", "2"},
	{"matte.early_exit", "matte.early_exit", "true"},
	{"matte.early_exit_threshold", "matte.early_exit_threshold", "0.5"},
	{"tracking.max_num_faces", "matte.max_regions", "1"},
	{"tracking.smoothing_window", "matte.smoothing_window", "3"},
	{"tracking.refine_landmarks", "matte.refine", "false"},
	{"debug.profile_performance", "report.profile", "true"},
	{"points_per_side", "workload.sam2.points_per_side", "32"},
	{"optical_flow_batch", "workload.motion.batch_size", "16"},
	{"embedding_batch", "workload.arcface.embedding_batch", "128"},
	{"face_detection_batch", "workload.sync.face_detection_batch", "32"},
	{"audio_chunk_size", "workload.sync.audio_chunk_size", "16000"},
};

static void documented_keys_find_their_option(void **state)
{
	(void)state;
	capture_start();
	for (size_t i = 0; i < sizeof documented / sizeof documented[0]; i++) {
		const struct vrs_option *row = vrs_option_find(documented[i][0]);
		struct vrs_config *config = new_config();

		assert_non_null(row);
		assert_string_equal(row->key, documented[i][1]);
		set_ok(config, documented[i][0], documented[i][2], VRS_SOURCE_FILE);
		vrs_config_destroy(config);
	}
}

static void unknown_keys_have_a_neighbour(void **state)
{
	static const char *const cases[][2] = {
		{"engine.thread", "engine.threads"}, {"threads", "engine.threads"}, {"gpu.threads", "engine.threads"},
		{"gpu.precison", "gpu.precision"}, {"model.batch_sise", "model.batch_size"}, {"mate.view", "matte.view"},
		{"processing.num_thread", "processing.num_threads"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_null(vrs_option_find(cases[i][0]));
		assert_string_equal(vrs_option_closest_key(cases[i][0]), cases[i][1]);
	}
	assert_null(vrs_option_closest_key("zzzzzzzzzzzzzzzz"));
	assert_null(vrs_option_find(""));
	assert_null(vrs_option_find("gpu.precision animation.inference_precision"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_complete),
		cmocka_unit_test(every_byte_of_the_settings_has_one_row),
		cmocka_unit_test(names_are_unique),
		cmocka_unit_test(flags_and_letters_are_unique),
		cmocka_unit_test(defaults_are_legal_and_print_back),
		cmocka_unit_test(words_for_the_lowest_value_are_not_values),
		cmocka_unit_test(tuner_values_are_legal),
		cmocka_unit_test(words_stand_in_the_order_of_their_enums),
		cmocka_unit_test(every_row_is_in_a_section),
		cmocka_unit_test(documented_keys_find_their_option),
		cmocka_unit_test(unknown_keys_have_a_neighbour),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
