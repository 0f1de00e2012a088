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
#include <vrseg/log.h>

#include "base/mem.h"

#define MAX_ARGS 16
#define MAX_BYTES 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void be_silent(void *cookie, enum vrs_log_level level, const char *line)
{
	(void)cookie;
	(void)level;
	(void)line;
}

static enum vrs_status on_action(void *cookie, const char *flag, const char *value, struct vrs_error *err)
{
	(void)cookie;
	(void)value;
	(void)err;
	return strcmp(flag, "help") == 0 ? VRS_END : VRS_OK;
}

/* --config and --profile would read files of the machine that the test runs on. */
static bool reads_files(const char *arg)
{
	return strncmp(arg, "-c", 2) == 0 || strncmp(arg, "--config", 8) == 0 || strncmp(arg, "--profile", 9) == 0 ||
	       strncmp(arg, "--hardware-profile", 18) == 0;
}

static void check_value(const char *key, const char *text)
{
	struct vrs_config *config = NULL, *again = NULL;
	struct vrs_error err = { 0 };
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
		{ .flag = "preview", .value_name = "TIME" }, { .flag = "hardware" }, { .flag = "filter", .value_name = "TEXT", .repeatable = true },
		{ .flag = NULL },
	};
	const struct vrs_cli_spec spec = {
		.program = "vrseg", .program_bit = VRS_PROGRAM_VRSEG, .usage = "", .actions = actions, .min_operands = 0, .max_operands = 2,
	};
	struct vrs_config *config = NULL;
	struct vrs_error err = { 0 };
	const char **operands = NULL;
	int count = 0;
	enum vrs_status status;

	require(vrs_config_create(&config) == VRS_OK);
	status = vrs_cli_parse(config, &spec, argc, argv, on_action, NULL, &operands, &count, &err);
	require(status == VRS_OK || status == VRS_END || (status == VRS_ECONFIG && err.status == status && err.text[0]));
	if (status == VRS_OK) {
		require(count >= 0 && count <= 2 && operands[count] == NULL);
		vrs_free(operands);
	}
	vrs_config_destroy(config);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[MAX_BYTES + 1], *argv[MAX_ARGS + 1] = { (char[]){ "vrseg" } };
	int argc = 1, count;
	const struct vrs_option *rows = vrs_option_table(&count);

	if (size > MAX_BYTES)
		return 0;
	vrs_log_set_sink(be_silent, NULL);
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
