/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Command lines and single values from anywhere: each line of the input is one argument.  No input harms, every refusal is a sentence, and
 * a value that is accepted reads back as text that is accepted again with the same result.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vrseg/config.h>

#include "base/mem.h"
#include "quiet.h"
#include "require.h"

#define MAX_ARGS 16
#define MAX_BYTES 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A flag of each type. */
struct flags {
	bool hardware;
	const char *preview, *sizes, *paths;
	struct vrs_flag_texts filters;
	int64_t count;
	double share, seconds, number;
	uint64_t bytes;
	int mode;
	unsigned outcomes;
};

/* --config and --profile would read files of the machine that the test runs on. */
static bool reads_files(const char *arg)
{
	return strncmp(arg, "-c", 2) == 0 || strncmp(arg, "--config", 8) == 0 || strncmp(arg, "--profile", 9) == 0 ||
	       strncmp(arg, "--hardware-profile", 18) == 0;
}

static void check_value(const char *key, const char *text)
{
	struct vrs_config *config = NULL, *again = NULL;
	struct vrs_error err = {0};
	const struct vrs_option *row = vrs_option_find(key);
	char first[VRS_PATH_MAX], second[VRS_PATH_MAX];

	require(vrs_config_create(&config) == VRS_OK && vrs_config_create(&again) == VRS_OK);
	if (vrs_config_set(config, key, text, VRS_SOURCE_FLAG, NULL, &err) != VRS_OK) {
		require(err.status == VRS_ECONFIG && err.text[0]);
	} else {
		require(row && vrs_config_get(config, row->key, first, sizeof first) == VRS_OK);
		require(vrs_config_set(again, row->key, first, VRS_SOURCE_FLAG, NULL, &err) == VRS_OK);
		require(vrs_config_get(again, row->key, second, sizeof second) == VRS_OK && strcmp(first, second) == 0);
	}
	vrs_config_destroy(config);
	vrs_config_destroy(again);
}

static void check_line(int argc, char **argv)
{
	static const struct vrs_cli_action actions[] = {
		{.flag = "preview", .value_name = "TIME", VRS_TEXT_FIELD(struct flags, preview)},
		{.flag = "hardware", VRS_SWITCH_FIELD(struct flags, hardware)},
		{.flag = "filter", .value_name = "TEXT", VRS_TEXTS_FIELD(struct flags, filters)},
		{.flag = "sizes", .value_name = "LIST", VRS_LIST_FIELD(struct flags, sizes)},
		{.flag = "paths", .value_name = "LIST", VRS_NAMES_FIELD(struct flags, paths)},
		{.flag = "count", .value_name = "N", VRS_INT_FIELD(struct flags, count), .min = 1, .max = 10},
		{.flag = "share", .value_name = "PERCENT", VRS_PERCENT_FIELD(struct flags, share), .min = 0.5, .max = 60},
		{.flag = "seconds", .value_name = "TIME", VRS_TIME_FIELD(struct flags, seconds)},
		{.flag = "number", .value_name = "X", VRS_NUMBER_FIELD(struct flags, number), .min = 0, .max = 1},
		{.flag = "bytes", .value_name = "BYTES", VRS_BYTES_FIELD(struct flags, bytes)},
		{.flag = "mode", .value_name = "MODE", VRS_CHOICE_FIELD(struct flags, mode), .choices = "off mark retry"},
		{.flag = "outcomes", .value_name = "LIST", VRS_CHOICES_FIELD(struct flags, outcomes), .choices = "bad worse"},
		{.flag = NULL},
	};
	static const struct vrs_rule rules[] = {
		{"--count --paths=list", VRS_EXCLUDES, "--share INPUT matte.refine", "they differ"},
		{"--mode", VRS_NEEDS, "--sizes=list output.mode=alpha", "it has no other use"},
		{.others = NULL},
	};
	const struct vrs_cli_spec spec = {
		.program = "vrseg", .program_bit = VRS_PROGRAM_VRSEG, .usage = "", .actions = actions, .rules = rules, .min_operands = 0, .max_operands = 2,
	};
	struct vrs_config *config = NULL;
	struct vrs_error err = {0};
	const char **operands = NULL;
	int count = 0;
	enum vrs_status status;
	struct flags flags = {.hardware = false};
	FILE *answers = fopen("/dev/null", "w");

	require(answers && vrs_config_create(&config) == VRS_OK);
	status = vrs_cli_parse(config, &spec, argc, argv, &flags, answers, &operands, &count, &err);
	require(status == VRS_OK || status == VRS_END || (status == VRS_ECONFIG && err.status == status && err.text[0]));
	if (status == VRS_OK) {
		require(count >= 0 && count <= 2 && operands[count] == NULL);
		vrs_free(operands);
	}
	vrs_config_destroy(config);
	(void)fclose(answers);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[MAX_BYTES + 1], *argv[MAX_ARGS + 1] = {(char[]){"vrseg"}};
	int argc = 1, count;
	const struct vrs_option *rows = vrs_option_table(&count);

	if (size > MAX_BYTES)
		return 0;
	be_silent();
	memcpy(text, data, size);
	text[size] = '\0';
	for (char *line = text; line < text + size && argc < MAX_ARGS;) {
		size_t len = strcspn(line, "\n");

		line[len] = '\0';
		if (!reads_files(line))
			argv[argc++] = line;
		line += len + 1;
	}
	check_line(argc, argv);
	for (int i = 1; i + 1 < argc; i++)
		check_value(argv[i], argv[i + 1]);
	if (argc > 1 && size)
		check_value(rows[data[0] % count].key, argv[argc - 1]);
	return 0;
}
