/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards the command line: forms of flags, operands between flags, actions, order of sources, and the sentence of every usual mistake. */
#include "config_check.h"

#include "base/file.h"
#include "config/cli_common.h"
#include "config/option_table.h"

/* The flags of a program, and what they were as one text. */
struct seen {
	char text[512];
	bool hardware, ghost;
	const char *preview, *sizes, *paths, *shape;
	struct vrs_flag_texts filters;
	int64_t count;
	double share, seconds, number;
	uint64_t bytes;
	int mode;
	unsigned outcomes;
};

static const struct vrs_cli_action actions[] = {
	{.flag = "hardware", .help = "Show the machine", VRS_SWITCH_FIELD(struct seen, hardware)},
	{.flag = "preview", .letter = 'v', .value_name = "TIME", .help = "Write a contact sheet", VRS_TEXT_FIELD(struct seen, preview)},
	{.flag = "filter", .value_name = "TEXT", .help = "Only cases with this text", VRS_TEXTS_FIELD(struct seen, filters)},
	{.flag = "sizes", .value_name = "LIST", .help = "Sizes", VRS_LIST_FIELD(struct seen, sizes)},
	{.flag = "paths", .value_name = "LIST", .help = "Files", VRS_NAMES_FIELD(struct seen, paths)},
	{.flag = "shape", .value_name = "WORD", .help = "Form", VRS_TEXT_FIELD(struct seen, shape), .choices = "text json"},
	{.flag = "count", .aliases = "number-of tally", .value_name = "N", .help = "Number", VRS_INT_FIELD(struct seen, count), .min = 1, .max = 10},
	{.flag = "share", .value_name = "PERCENT", .help = "Share", VRS_PERCENT_FIELD(struct seen, share), .min = 0.5, .max = 60},
	{.flag = "seconds", .value_name = "TIME", .help = "Time", VRS_TIME_FIELD(struct seen, seconds)},
	{.flag = "number", .value_name = "X", .help = "Number", VRS_NUMBER_FIELD(struct seen, number), .min = 0, .max = 1},
	{.flag = "bytes", .value_name = "BYTES", .help = "Memory", VRS_BYTES_FIELD(struct seen, bytes)},
	{.flag = "mode", .value_name = "MODE", .help = "Mode", VRS_CHOICE_FIELD(struct seen, mode), .choices = "off mark retry"},
	{.flag = "outcomes", .value_name = "LIST", .help = "Outcomes", VRS_CHOICES_FIELD(struct seen, outcomes), .choices = "bad worse"},
	{.flag = "ghost", .help = "Of another program", VRS_SWITCH_FIELD(struct seen, ghost), .programs = VRS_PROGRAM_VRTUNE},
	{.flag = NULL},
};

static const struct vrs_rule rules[] = {
	{"--count", VRS_EXCLUDES, "--share --hardware", "they count the same"},
	{"--mode --outcomes", VRS_NEEDS, "--sizes=list --bytes", "one value has no mode"},
	{"--shape", VRS_EXCLUDES, "INPUT", "it has a form already"},
	{"--seconds", VRS_NEEDS, "matte.refine=true output.mode=alpha", "nothing else takes time"},
	{"--number", VRS_EXCLUDES, "matte.follow=false --threads", "it follows"},
	{"--paths", VRS_EXCLUDES, "--paths=list", "it takes one"},
	{"--bytes", VRS_EXCLUDES, "INPUTS", "it is about one file"},
	{"--resume=true", VRS_EXCLUDES, "--preview", "a picture has no end"},
	{.others = NULL},
};

static const struct vrs_cli_spec spec = {
	.program = "vrseg", .summary = "cut", .program_bit = VRS_PROGRAM_VRSEG, .usage = "vrseg INPUT", .intro = "", .examples = "",
	.actions = actions, .rules = rules, .min_operands = 1,
	.max_operands = 2,
};

static void add(struct seen *seen, const char *flag, const char *value)
{
	size_t len = strlen(seen->text);

	if (value)
		(void)snprintf(seen->text + len, sizeof seen->text - len, "%s=%s;", flag, value);
}

static void render(struct seen *seen)
{
	add(seen, "hardware", seen->hardware ? "-" : NULL);
	add(seen, "preview", seen->preview);
	for (int i = 0; i < seen->filters.count; i++)
		add(seen, "filter", seen->filters.items[i]);
}

/* Parse a line of words separated by blanks. */
static enum vrs_status parse(const struct vrs_cli_spec *with, struct vrs_config *config, const char *line, struct seen *seen,
			     char operands[256], struct vrs_error *err)
{
	static char copy[1024];
	char *argv[64] = {copy};
	const char **list = NULL;
	int argc = 1, count = -1;
	enum vrs_status status;
	FILE *answers;

	(void)snprintf(copy, sizeof copy, "vrseg %s", line);
	for (char *c = copy; *c; c++)
		if (*c == ' ') {
			*c = '\0';
			if (c[1] && c[1] != ' ')
				argv[argc++] = c + 1;
		}
	answers = fopen("/dev/null", "w");
	assert_non_null(answers);
	status = vrs_cli_parse(config, with, argc, argv, seen, answers, &list, &count, err);
	(void)fclose(answers);
	render(seen);
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
	struct seen seen = {.text = ""};
	struct vrs_error err = {0};
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

/* --image names an input, behind those that stand alone. */
static void an_image_is_an_input(void **state)
{
	struct vrs_config *config = new_config();

	(void)state;
	parse_ok(config, "--image portrait.jpg -t 1", "portrait.jpg|", "");
	vrs_config_destroy(config);
	config = new_config();
	parse_ok(config, "--image=b.jpg a.mp4", "a.mp4|b.jpg|", "");
	vrs_config_destroy(config);
}

/* Former names of flags, of options and of a program, mean the same; messages have the name that was written. */
static void former_names_of_flags_work(void **state)
{
	static const char *const lines[] = {"in --segment-frames 7 --count 3", "in --chunk-frames 7 --number-of 3", "in --chunk-frames=7 --tally=3"};
	struct vrs_error err = {0};
	struct seen seen = {.text = ""};
	char operands[256];

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		struct vrs_config *config = new_config();

		seen.count = 0;
		if (parse(&spec, config, lines[i], &seen, operands, &err) != VRS_OK)
			fail_msg("%s: %s", lines[i], err.text);
		assert_int_equal(seen.count, 3);
		assert_int_equal(vrs_config_settings(config)->pipeline.segment_frames, 7);
		vrs_config_destroy(config);
	}
	struct vrs_config *config = new_config();

	assert_int_equal(parse(&spec, config, "in --tally 11", &seen, operands, &err), VRS_ECONFIG);
	assert_string_equal(err.text, "--tally wants a whole number from 1 to 10, not \"11\"");
	assert_int_equal(parse(&spec, config, "in --tally 1 --count 2", &seen, operands, &err), VRS_ECONFIG);
	assert_string_equal(err.text, "--count is given twice");
	vrs_config_destroy(config);
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

static void flags_of_the_program_are_stored(void **state)
{
	struct vrs_config *config = new_config();

	(void)state;
	parse_ok(config, "--filter a in --preview 1:30 --filter=b", "in|", "preview=1:30;filter=a;filter=b;");
	parse_ok(config, "--hardware", "", "hardware=-;");
	parse_ok(config, "-v 3 in", "in|", "preview=3;");
	vrs_config_destroy(config);
}

static void values_have_types(void **state)
{
	struct vrs_config *config = new_config();
	struct seen seen = {.text = ""};
	struct vrs_error err = {0};
	char operands[256];

	(void)state;
	assert_int_equal(parse(&spec, config, "in --sizes 1,2 --paths a:b --count 7 --seconds 1:30 --number 0.25 --bytes 2K --mode mark --refine "
			       "--outcomes worse,bad", &seen, operands, &err), VRS_OK);
	assert_string_equal(seen.sizes, "1,2");
	assert_string_equal(seen.paths, "a:b");
	assert_int_equal(seen.count, 7);
	assert_true(seen.seconds > 89.9 && seen.seconds < 90.1);
	assert_true(seen.number > 0.2 && seen.number < 0.3);
	assert_int_equal(seen.bytes, 2048);
	assert_int_equal(seen.mode, 1);
	assert_int_equal(seen.outcomes, 3);
	assert_int_equal(parse(&spec, config, "in --share 2% --shape=json --bytes 1 --outcomes none", &seen, operands, &err), VRS_ECONFIG);
	assert_true(seen.share > 0.0199 && seen.share < 0.0201);
	assert_string_equal(seen.shape, "json");
	assert_int_equal(seen.outcomes, 0);
	vrs_config_destroy(config);
}

/* What a flag conflicts with or needs is said with both names and the reason. */
static void rules_are_checked(void **state)
{
	static const char *const cases[][2] = {
		{"in --count 2 --hardware", "--count does not go with --hardware: they count the same"},
		{"in --mode off", "--mode needs a list of --sizes or --bytes: one value has no mode"},
		{"in --outcomes bad --sizes 3", "--outcomes needs a list of --sizes or --bytes: one value has no mode"},
		{"in --shape text", "--shape does not go with the input in: it has a form already"},
		{"in --seconds 2 --no-refine", "--seconds needs --refine or --output-mode alpha: nothing else takes time"},
		{"in --number 1 --no-follow", "--number does not go with --no-follow: it follows"},
		{"in --number 1 --threads auto", "--number does not go with --threads: it follows"},
		{"in --paths a,b", "--paths does not go with a list of --paths: it takes one"},
		{"in on --bytes 3", "--bytes does not go with several inputs (in, on): it is about one file"},
		{"/proc --bytes 3", "--bytes does not go with the folder /proc: it is about one file"},
		{"in --resume --preview 3", "--resume does not go with --preview: a picture has no end"},
		{NULL, NULL},
	};
	static const char *const good[] = {"in --mode off --sizes 1:9:2", "in --mode off --bytes 3", "--shape text", "in --seconds 2 --output-mode alpha",
					    "in --number 1 --follow", "in --paths a:b", "in --no-resume --preview 3", "in --preview 3"};

	(void)state;
	for (int i = 0; cases[i][0]; i++) {
		struct vrs_config *config = new_config();
		struct seen seen = {.text = ""};
		struct vrs_error err = {0};
		char operands[256];

		assert_int_equal(parse(&spec, config, cases[i][0], &seen, operands, &err), VRS_ECONFIG);
		assert_string_equal(err.text, cases[i][1]);
		vrs_config_destroy(config);
	}
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		struct vrs_config *config = new_config();
		struct seen seen = {.text = ""};
		struct vrs_error err = {0};
		char operands[256];

		if (parse(&spec, config, good[i], &seen, operands, &err) != VRS_OK)
			fail_msg("%s: %s", good[i], err.text);
		vrs_config_destroy(config);
	}
}

static void check_words(const struct vrs_cli_spec *with, const char *words)
{
	char word[96];

	for (int i = 0; vrs_words_get(words, i, word, sizeof word); i++)
		if (!vrs_rule_word_known(with, word))
			fail_msg("a rule names %s, which does not exist", word);
}

static void check_rule_words(const struct vrs_cli_spec *with, const struct vrs_rule *list)
{
	for (; list->others; list++) {
		check_words(with, list->when);
		check_words(with, list->others);
		assert_non_null(list->because);
	}
}

/* The rules of options hold whatever set them. */
static void settings_are_checked(void **state)
{
	static const char *const cases[][5] = {
		{"pipeline.processes", "true", "pipeline.live", "true",
		 "--processes does not go with --live: it is for videos that are made in segments"},
		{"pipeline.processes", "true", "pipeline.segment_frames", "none",
		 "--processes does not go with --segment-frames none: it is for videos that are made in segments"},
		{"output.player", "deovr", "output.mode", "matte",
		 "--player needs --output-mode alpha or --output-mode green: players use no other video for passthrough"},
		{"output.player", "deovr", "output.mode", "green", NULL},
		{"engine.backend", "ref", "engine.precision", "mixed", "--backend ref does not go with --precision mixed: it computes in fp32, fp16 or bf16"},
		{"engine.backend", "ref", "engine.precision", "bf16", NULL},
		{"pipeline.processes", "true", "pipeline.segment_frames", "50", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct vrs_config *config = new_config();
		struct vrs_error err = {0};

		set_ok(config, cases[i][0], cases[i][1], VRS_SOURCE_FILE);
		set_ok(config, cases[i][2], cases[i][3], VRS_SOURCE_ENV);
		assert_int_equal(vrs_settings_check(vrs_config_settings(config), &err), cases[i][4] ? VRS_ECONFIG : VRS_OK);
		assert_string_equal(err.text, cases[i][4] ? cases[i][4] : "");
		vrs_config_destroy(config);
	}
}

/* A rule about a flag that is gone would never hold. */
static void rules_name_what_exists(void **state)
{
	static const char *const unknown[] = {"--hardwear", "--hardware=list", "--ghost", "matte.refines", "output.mode=beta", "engine.buffer_pool",
		"VIDEO"};

	(void)state;
	check_rule_words(&spec, rules);
	check_rule_words(NULL, vrs_option_rules);
	check_rule_words(NULL, vrs_use_rules);
	for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
		assert_false(vrs_rule_word_known(&spec, unknown[i]));
}

static void help_ends_the_line(void **state)
{
	static const char *const lines[] = {"--help --nonsense", "-h", "--man", "in --version --threads x", "--list-options"};

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		struct vrs_config *config = new_config();
		struct seen seen = {.text = ""};
		struct vrs_error err = {0};
		char operands[256];

		assert_int_equal(parse(&spec, config, lines[i], &seen, operands, &err), VRS_END);
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
	parse_ok(config, "in --precision fp32 --fp16", "in|", ""); /* the last one, as of any two flags */
	assert_value(config, "engine.precision", "fp16");
	parse_ok(config, "in --fp16 --precision auto", "in|", "");
	assert_value(config, "engine.precision", "auto");
	parse_ok(config, "in --precision int8 --fp16=false", "in|", "");
	assert_value(config, "engine.precision", "int8");
	vrs_config_destroy(config);
}

static void mistakes_are_sentences(void **state)
{
	static const char *const cases[][2] = {
		{"in --treads 2", "unknown option --treads; did you mean --threads?"},
		{"in --no-fussion", "unknown option --no-fussion; did you mean --no-fusion?"},
		{"in --hardwar", "unknown option --hardwar; did you mean --hardware?"},
		{"in --qqqqqqqqqqq", "unknown option --qqqqqqqqqqq; vrseg --help shows all options"},
		{"in -z", "unknown option -z; vrseg --help shows all options"},
		{"in --threads", "--threads needs a value: --threads N"},
		{"in --threads=", "--threads needs a value: --threads N"},
		{"in -o", "-o needs a value: -o FILE"},
		{"in --output=", "--output needs a value: --output FILE"},
		{"in --exclude=", "--exclude needs a value: --exclude BOX|PICTURE"},
		{"in --raw-format=", "--raw-format needs a value: --raw-format NAME"},
		{"in --preview", "--preview needs a value: --preview TIME"},
		{"in --config", "--config needs a value: --config FILE"},
		{"in --threads two", "--threads: \"two\" is not a whole number (1 to 1024, 0 or auto)"},
		{"in --threads 2000", "--threads: 2000 is out of range (1 to 1024, 0 or auto)"},
		{"in -t 2000", "-t: 2000 is out of range (1 to 1024, 0 or auto)"},
		{"in --output-mode=gren", "--output-mode: \"gren\" is not one of green, matte, alpha, cutout; did you mean \"green\"?"},
		{"in --backend cuda", "--backend: \"cuda\" is not one of auto, cpu, ref, null, opencl; did you mean \"opencl\"?"},
		{"in --backend tensorrt", "--backend: \"tensorrt\" is not one of auto, cpu, ref, null, opencl"},
		{"in --precision false", "--precision: \"false\" is not one of auto, fp32, fp16, bf16, int8, mixed"},
		{"in --no-threads", "--no-threads: --threads takes a value, so it cannot be negated"},
		{"in --no-fusion=1", "--no-fusion takes no value (\"1\" was given)"},
		{"in --hardware=x", "--hardware takes no value (\"x\" was given)"},
		{"in --fusion=maybe", "--fusion: \"maybe\" is neither true nor false"},
		{"in --preview 1 --preview 2", "--preview is given twice"},
		{"in --preview=", "--preview needs a value: --preview TIME"},
		{"in --count 11", "--count wants a whole number from 1 to 10, not \"11\""},
		{"in --share 61%", "--share wants percent such as 2 or 2%, from 0.5 to 60, not \"61%\""},
		{"in --seconds 0", "--seconds wants a time above 0 such as 30, 90s or 2m, not \"0\""},
		{"in --number 2", "--number wants a number from 0 to 1, not \"2\""},
		{"in --bytes 0", "--bytes wants bytes such as 512M or 4G, not \"0\""},
		{"in --mode on", "--mode wants off, mark or retry, not \"on\""},
		{"in --shape html", "--shape wants text or json, not \"html\""},
		{"in --outcomes bad,good", "--outcomes wants bad, worse (several separated by commas) or none, not \"bad,good\""},
		{"in --ghost", "unknown option --ghost; vrseg --help shows all options"},
		{"in --lama-batch", "--lama-batch is not available: workloads other than segmentation are not built yet"},
		{"a b c", "unexpected argument \"c\"; vrseg takes at most 2"},
		{"--threads 2", "the input is missing; vrseg --help shows the usage"},
		{"in --fast-mode --profile quality", "--fast-mode does not go with --profile: it is --profile fast"},
		{"in --profile balancd", "there is no profile \"balancd\"; did you mean \"balanced\"?"},
		{"in -c no.yaml", "cannot open no.yaml: No such file or directory"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct vrs_config *config = new_config();
		struct seen seen = {.text = ""};
		struct vrs_error err = {0};
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
	struct vrs_error err = {0};
	char word[600], *argv[] = {(char[]){"vrseg"}, word, NULL};
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
	static const struct vrs_cli_spec none = {.program = "vrbench", .program_bit = VRS_PROGRAM_VRBENCH, .usage = ""};
	struct vrs_config *config = new_config();
	struct seen seen = {.text = ""};
	struct vrs_error err = {0};
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
	static const char *const quiet[] = {"--log-level error", "--strict", "", NULL};
	static const char text[] = "sam2_batch: 2\nbatch_size: 16-32\n";

	(void)state;
	for (int i = 0; quiet[i]; i++) {
		struct vrs_config *config = new_config();
		struct seen seen = {.text = ""};
		struct vrs_error err = {0};
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
	static const struct vrs_cli_spec tune = {.program = "vrtune", .program_bit = VRS_PROGRAM_VRTUNE, .usage = ""};
	struct vrs_config *config = new_config();
	struct seen seen = {.text = ""};
	struct vrs_error err = {0};
	char operands[256];

	(void)state;
	assert_int_equal(parse(&tune, config, "--strict --batch-size 2-4", &seen, operands, &err), VRS_OK);
	assert_int_equal(vrs_config_open_messages(config, &err), VRS_OK);
	vrs_config_destroy(config);
}

static void an_action_hides_a_flag_of_the_table(void **state)
{
	static const struct vrs_cli_action own[] = {{.flag = "overwrite", .help = "Replace the folder", VRS_SWITCH_FIELD(struct seen, hardware)},
						     {.flag = NULL}};
	static const struct vrs_cli_spec bench = {
		.program = "vrbench", .program_bit = VRS_PROGRAM_VRBENCH, .usage = "", .actions = own, .max_operands = -1,
	};
	struct vrs_config *config = new_config();
	struct seen seen = {.text = ""};
	struct vrs_error err = {0};
	char operands[256];

	(void)state;
	assert_int_equal(parse(&bench, config, "--overwrite", &seen, operands, &err), VRS_OK);
	assert_true(seen.hardware);
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
		cmocka_unit_test(an_image_is_an_input),
		cmocka_unit_test(former_names_of_flags_work),
		cmocka_unit_test(dashes_end_flags_and_name_standard_input),
		cmocka_unit_test(negative_values_are_values),
		cmocka_unit_test(the_last_of_repeated_flags_wins),
		cmocka_unit_test(flags_of_the_program_are_stored),
		cmocka_unit_test(values_have_types),
		cmocka_unit_test(rules_are_checked),
		cmocka_unit_test(settings_are_checked),
		cmocka_unit_test(rules_name_what_exists),
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
