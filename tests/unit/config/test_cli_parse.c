/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards the command line: forms of flags, operands between flags, actions, order of sources, and the sentence of every usual mistake. */
#include "config_check.h"

#include "base/file.h"

struct seen {
	char text[512];
	enum vrs_status answer; /* what the action returns */
};

static enum vrs_status on_action(void *cookie, const char *flag, const char *value, struct vrs_error *err)
{
	struct seen *seen = cookie;
	size_t len = strlen(seen->text);

	(void)err;
	(void)snprintf(seen->text + len, sizeof seen->text - len, "%s=%s;", flag, value ? value : "-");
	return seen->answer;
}

static const struct vrs_cli_action actions[] = {
	{ .flag = "hardware", .help = "Show the machine" },
	{ .flag = "preview", .letter = 'v', .value_name = "TIME", .help = "Write a contact sheet" },
	{ .flag = "filter", .value_name = "TEXT", .help = "Only cases with this text", .repeatable = true },
	{ .flag = NULL },
};

static const struct vrs_cli_spec spec = {
	.program = "vrseg", .program_bit = VRS_PROGRAM_VRSEG, .usage = "vrseg INPUT", .intro = "", .actions = actions, .min_operands = 1,
	.max_operands = 2,
};

/* Parse a line of words separated by blanks. */
static enum vrs_status parse(const struct vrs_cli_spec *with, struct vrs_config *config, const char *line, struct seen *seen,
			     char operands[256], struct vrs_error *err)
{
	static char copy[1024];
	char *argv[64] = { copy };
	const char **list = NULL;
	int argc = 1, count = -1;
	enum vrs_status status;

	(void)snprintf(copy, sizeof copy, "vrseg %s", line);
	for (char *c = copy; *c; c++)
		if (*c == ' ') {
			*c = '\0';
			if (c[1] && c[1] != ' ')
				argv[argc++] = c + 1;
		}
	status = vrs_cli_parse(config, with, argc, argv, on_action, seen, &list, &count, err);
	operands[0] = '\0';
	for (int i = 0; status == VRS_OK && i < count; i++) {
		size_t len = strlen(operands);

		(void)snprintf(operands + len, 256 - len, "%s|", list[i]);
	}
	if (status == VRS_OK)
		assert_null(list[count]);
	vrs_free(list);
	return status;
}

static void parse_ok(struct vrs_config *config, const char *line, const char *expected_operands, const char *expected_actions)
{
	struct seen seen = { .text = "" };
	struct vrs_error err = { 0 };
	char operands[256];

	if (parse(&spec, config, line, &seen, operands, &err) != VRS_OK)
		fail_msg("%s: %s", line, err.text);
	assert_string_equal(operands, expected_operands);
	assert_string_equal(seen.text, expected_actions);
}

static void flags_come_in_all_gnu_forms(void **state)
{
	static const char *const lines[] = {
		"in.mp4 --threads 2 --output out.mp4 --no-fusion --overwrite", "--threads=2 --output=out.mp4 in.mp4 --fusion=false --overwrite=yes",
		"-t 2 -o out.mp4 in.mp4 --no-fusion --overwrite", "-t2 -oout.mp4 --no-fusion --overwrite -- in.mp4",
	};

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		struct vrs_config *config = new_config();
		const struct vrs_settings *settings = vrs_config_settings(config);

		parse_ok(config, lines[i], "in.mp4|", "");
		assert_int_equal(settings->engine.threads, 2);
		assert_string_equal(settings->output.file, "out.mp4");
		assert_false(settings->engine.fusion);
		assert_true(settings->output.overwrite);
		vrs_config_destroy(config);
	}
}

static void dashes_end_flags_and_name_standard_input(void **state)
{
	struct vrs_config *config = new_config();

	(void)state;
	parse_ok(config, "- -- --threads", "-|--threads|", "");
	assert_value(config, "engine.threads", "auto");
	vrs_config_destroy(config);
}

static void negative_values_are_values(void **state)
{
	struct vrs_config *config = new_config();

	(void)state;
	parse_ok(config, "in --crf -1", "in|", "");
	assert_int_equal(vrs_config_settings(config)->output.crf, -1);
	vrs_config_destroy(config);
}

static void the_last_of_repeated_flags_wins(void **state)
{
	struct vrs_config *config = new_config();

	(void)state;
	parse_ok(config, "in --threads 2 --threads 4 --no-audio --audio", "in|", "");
	assert_value(config, "engine.threads", "4");
	assert_value(config, "output.audio", "true");
	vrs_config_destroy(config);
}

static void actions_are_called_in_order(void **state)
{
	struct vrs_config *config = new_config();

	(void)state;
	parse_ok(config, "--filter a in --preview 1:30 --filter=b", "in|", "filter=a;preview=1:30;filter=b;");
	parse_ok(config, "--hardware", "", "hardware=-;");
	parse_ok(config, "-v 3 in", "in|", "preview=3;");
	vrs_config_destroy(config);
}

static void help_ends_the_line(void **state)
{
	static const char *const lines[] = { "--help --nonsense", "-h", "--man", "in --version --threads x", "--list-options" };

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		struct vrs_config *config = new_config();
		struct seen seen = { .answer = VRS_END };
		struct vrs_error err = { 0 };
		char operands[256];

		assert_int_equal(parse(&spec, config, lines[i], &seen, operands, &err), VRS_END);
		assert_true(strlen(seen.text) > 0);
		vrs_config_destroy(config);
	}
}

static void shorthands_of_the_documents(void **state)
{
	struct vrs_config *config = new_config();

	(void)state;
	parse_ok(config, "in --fp16 --batch-size 4 --max-frames 10 --every-nth 2 --fast-mode", "in|", "");
	assert_value(config, "engine.precision", "fp16");
	assert_value(config, "engine.batch_size", "4");
	assert_value(config, "pipeline.max_frames", "10");
	assert_value(config, "pipeline.every_nth", "2");
	assert_value(config, "output.preset", "ultrafast");
	vrs_config_destroy(config);
	config = new_config();
	parse_ok(config, "in --enable-metrics", "in|", "");
	assert_value(config, "report.profile", "true");
	parse_ok(config, "in --precision fp32 --fp16", "in|", "");
	assert_value(config, "engine.precision", "fp32");
	vrs_config_destroy(config);
}

static void mistakes_are_sentences(void **state)
{
	static const char *const cases[][2] = {
		{ "in --treads 2", "unknown option --treads; did you mean --threads?" },
		{ "in --no-fussion", "unknown option --no-fussion; did you mean --no-fusion?" },
		{ "in --hardwar", "unknown option --hardwar; did you mean --hardware?" },
		{ "in --qqqqqqqqqqq", "unknown option --qqqqqqqqqqq; vrseg --help shows all options" },
		{ "in -z", "unknown option -z; vrseg --help shows all options" },
		{ "in --threads", "--threads needs a value: --threads N" },
		{ "in --threads=", "--threads needs a value: --threads N" },
		{ "in -o", "-o needs a value: -o FILE" },
		{ "in --preview", "--preview needs a value: --preview TIME" },
		{ "in --config", "--config needs a value: --config FILE" },
		{ "in --threads two", "--threads: \"two\" is not a whole number (1 to 1024, or auto)" },
		{ "in --threads 2000", "--threads: 2000 is out of range (1 to 1024, or auto)" },
		{ "in -t 2000", "-t: 2000 is out of range (1 to 1024, or auto)" },
		{ "in --output-mode=gren", "--output-mode: \"gren\" is not one of green, matte, alpha, cutout; did you mean \"green\"?" },
		{ "in --no-threads", "--no-threads: --threads takes a value, so it cannot be negated" },
		{ "in --no-fusion=1", "--no-fusion takes no value (\"1\" was given)" },
		{ "in --hardware=x", "--hardware takes no value (\"x\" was given)" },
		{ "in --fusion=maybe", "--fusion: \"maybe\" is neither true nor false" },
		{ "in --preview 1 --preview 2", "--preview is given twice" },
		{ "in --gpu-id 0", "--gpu-id is not available: it needs the OpenCL backend, which is not built yet" },
		{ "a b c", "unexpected argument \"c\"; vrseg takes at most 2" },
		{ "--threads 2", "the input is missing; vrseg --help shows the usage" },
		{ "in --profile fast --fast-mode --profile quality", "--profile: \"fast\" was chosen before, so \"quality\" cannot be; give one" },
		{ "in --profile balancd", "there is no profile \"balancd\"; did you mean \"balanced\"?" },
		{ "in -c no.yaml", "cannot open no.yaml: No such file or directory" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct vrs_config *config = new_config();
		struct seen seen = { .text = "" };
		struct vrs_error err = { 0 };
		char operands[256];

		assert_int_equal(parse(&spec, config, cases[i][0], &seen, operands, &err), VRS_ECONFIG);
		assert_string_equal(err.text, cases[i][1]);
		assert_int_equal(vrs_exit_code(err.status), 2);
		vrs_config_destroy(config);
	}
}

static void long_words_are_cut_in_messages(void **state)
{
	struct vrs_config *config = new_config();
	struct vrs_error err = { 0 };
	char word[600], *argv[] = { (char[]){ "vrseg" }, word, NULL };
	const char **list;
	int count;

	(void)state;
	memset(word, 'a', sizeof word);
	word[0] = word[1] = '-';
	word[sizeof word - 1] = '\0';
	assert_int_equal(vrs_cli_parse(config, &spec, 2, argv, NULL, NULL, &list, &count, &err), VRS_ECONFIG);
	assert_true(strlen(err.text) < 200);
	vrs_config_destroy(config);
}

static void programs_offer_their_own_flags(void **state)
{
	static const struct vrs_cli_spec analyze = {
		.program = "vranalyze", .program_bit = VRS_PROGRAM_VRANALYZE, .usage = "", .max_operands = -1,
	};
	static const struct vrs_cli_spec none = { .program = "vrbench", .program_bit = VRS_PROGRAM_VRBENCH, .usage = "" };
	struct vrs_config *config = new_config();
	struct seen seen = { .text = "" };
	struct vrs_error err = { 0 };
	char operands[256];

	(void)state;
	assert_int_equal(parse(&analyze, config, "a b c d --log-level debug", &seen, operands, &err), VRS_OK);
	assert_string_equal(operands, "a|b|c|d|");
	assert_int_equal(parse(&analyze, config, "a --threads 2", &seen, operands, &err), VRS_ECONFIG);
	assert_non_null(strstr(err.text, "unknown option --threads"));
	assert_int_equal(parse(&none, config, "in", &seen, operands, &err), VRS_ECONFIG);
	assert_string_equal(err.text, "unexpected argument \"in\"; vrbench --help shows the usage");
	vrs_config_destroy(config);
}

/* --log-level and --strict may stand behind what they are about, and a value that another source replaces is not worth a word. */
static void warnings_wait_until_the_line_is_read(void **state)
{
	static const char *const quiet[] = { "--log-level error", "--strict", "", NULL };
	static const char text[] = "sam2_batch: 2\nbatch_size: 16-32\n";

	(void)state;
	for (int i = 0; quiet[i]; i++) {
		struct vrs_config *config = new_config();
		struct seen seen = { .text = "" };
		struct vrs_error err = { 0 };
		char operands[256], line[128];

		(void)snprintf(line, sizeof line, "in --config range.yaml %s", quiet[i]);
		assert_int_equal(vrs_file_replace("range.yaml", text, sizeof text - 1, NULL), VRS_OK);
		capture_start();
		assert_int_equal(parse(&spec, config, line, &seen, operands, &err), VRS_OK);
		assert_int_equal(captured_lines, 0);
		assert_int_equal(vrs_config_open_messages(config, &err), i == 1 ? VRS_ECONFIG : VRS_OK);
		if (i == 1)
			assert_string_equal(err.text, "engine.batch_size (batch_size in range.yaml:2): 16-32 is a range for vrtune to search; 16 is used "
						      "until it has chosen (an error because of --strict)");
		assert_int_equal(captured_lines, i == 2 ? 2 : 0);
		vrs_config_destroy(config);
	}
	assert_int_equal(remove("range.yaml"), 0);
	vrs_log_set_level(VRS_LOG_INFO);
}

/* The range is what vrtune searches. */
static void a_range_is_no_mistake_for_vrtune(void **state)
{
	static const struct vrs_cli_spec tune = { .program = "vrtune", .program_bit = VRS_PROGRAM_VRTUNE, .usage = "" };
	struct vrs_config *config = new_config();
	struct seen seen = { .text = "" };
	struct vrs_error err = { 0 };
	char operands[256];

	(void)state;
	assert_int_equal(parse(&tune, config, "--strict --batch-size 2-4", &seen, operands, &err), VRS_OK);
	assert_int_equal(vrs_config_open_messages(config, &err), VRS_OK);
	vrs_config_destroy(config);
}

static void an_action_hides_a_flag_of_the_table(void **state)
{
	static const struct vrs_cli_action own[] = { { .flag = "overwrite", .help = "Replace the folder" }, { .flag = NULL } };
	static const struct vrs_cli_spec bench = {
		.program = "vrbench", .program_bit = VRS_PROGRAM_VRBENCH, .usage = "", .actions = own, .max_operands = -1,
	};
	struct vrs_config *config = new_config();
	struct seen seen = { .text = "" };
	struct vrs_error err = { 0 };
	char operands[256];

	(void)state;
	assert_int_equal(parse(&bench, config, "--overwrite", &seen, operands, &err), VRS_OK);
	assert_string_equal(seen.text, "overwrite=-;");
	assert_value(config, "output.overwrite", "false");
	vrs_config_destroy(config);
}

static void all_sources_keep_their_order(void **state)
{
	char path[] = "test_cli_parse_XXXXXX.yaml", line[256];
	int file = mkstemps(path, 5);
	FILE *out = fdopen(file, "w");
	struct vrs_config *config = new_config();

	(void)state;
	assert_non_null(out);
	fputs("engine: {threads: 2, streams: 2, batch_size: 2}\noutput: {preset: slow}\n", out);
	fclose(out);
	setenv("VRSEG_ENGINE_STREAMS", "3", 1);
	setenv("VRSEG_ENGINE_BATCH_SIZE", "3", 1);
	(void)snprintf(line, sizeof line, "--batch-size 4 in --config %s --hardware-profile cpu-only --profile quality", path);
	parse_ok(config, line, "in|", "");
	assert_value(config, "engine.batch_size", "4");
	assert_value(config, "engine.streams", "3");
	assert_value(config, "engine.threads", "2");
	assert_value(config, "output.preset", "slow");
	assert_value(config, "engine.backend", "cpu");
	assert_value(config, "output.crf", "18");
	assert_int_equal(vrs_config_source(config, "engine.batch_size"), VRS_SOURCE_FLAG);
	assert_int_equal(vrs_config_source(config, "engine.streams"), VRS_SOURCE_ENV);
	assert_int_equal(vrs_config_source(config, "engine.threads"), VRS_SOURCE_FILE);
	assert_int_equal(vrs_config_source(config, "engine.backend"), VRS_SOURCE_HARDWARE);
	assert_int_equal(vrs_config_source(config, "output.crf"), VRS_SOURCE_PROFILE);
	assert_int_equal(vrs_config_source(config, "matte.gamma"), VRS_SOURCE_DEFAULT);
	unsetenv("VRSEG_ENGINE_STREAMS");
	unsetenv("VRSEG_ENGINE_BATCH_SIZE");
	(void)remove(path);
	vrs_config_destroy(config);
}

static void impossible_calls_are_refused(void **state)
{
	struct vrs_config *config = new_config();
	const char **list;
	int count;

	(void)state;
	assert_int_equal(vrs_cli_parse(NULL, &spec, 0, NULL, NULL, NULL, &list, &count, NULL), VRS_EINVAL);
	assert_int_equal(vrs_cli_parse(config, &spec, 1, NULL, NULL, NULL, &list, &count, NULL), VRS_EINVAL);
	vrs_config_destroy(config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flags_come_in_all_gnu_forms),
		cmocka_unit_test(dashes_end_flags_and_name_standard_input),
		cmocka_unit_test(negative_values_are_values),
		cmocka_unit_test(the_last_of_repeated_flags_wins),
		cmocka_unit_test(actions_are_called_in_order),
		cmocka_unit_test(help_ends_the_line),
		cmocka_unit_test(shorthands_of_the_documents),
		cmocka_unit_test(mistakes_are_sentences),
		cmocka_unit_test(long_words_are_cut_in_messages),
		cmocka_unit_test(programs_offer_their_own_flags),
		cmocka_unit_test(warnings_wait_until_the_line_is_read),
		cmocka_unit_test(a_range_is_no_mistake_for_vrtune),
		cmocka_unit_test(an_action_hides_a_flag_of_the_table),
		cmocka_unit_test(all_sources_keep_their_order),
		cmocka_unit_test(impossible_calls_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
