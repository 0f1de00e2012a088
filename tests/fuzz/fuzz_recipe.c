/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recipes of vrtune from strangers: no input harms, a refusal is a sentence, what was typed stays as it was and comes last, and each flag of
 * the recipe is one of vrtune's, given once and never a recipe again.  The parser then takes or refuses them as if they had been typed.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vrseg/config.h>

#include "base/mem.h"
#include "libfyaml_leak.h"
#include "quiet.h"
#include "require.h"
#include "scratch.h"
#include "tuner/modes/tune_program.h"

#define MAX_BYTES 8192
#define TYPED 5

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_known(const char *name, size_t length)
{
	const struct vrs_option *rows;
	int count;
	bool known = false;

	for (const struct vrs_cli_action *a = vrs_tune_spec.actions; a->flag != NULL; a++)
		known = known || (strlen(a->flag) == length && memcmp(a->flag, name, length) == 0);
	rows = vrs_option_table(&count);
	for (int i = 0; i < count; i++)
		known = known || (rows[i].flag != NULL && strlen(rows[i].flag) == length && memcmp(rows[i].flag, name, length) == 0);
	return known;
}

/* Its name without dashes and value, of a switch that is off without "no-". */
static const char *name_of(const char *arg, size_t *ret_length)
{
	const char *name = arg + 2;

	require(strncmp(arg, "--", 2) == 0);
	if (strncmp(name, "no-", 3) == 0 && !is_known(name, strcspn(name, "=")))
		name += 3;
	*ret_length = strcspn(name, "=");
	return name;
}

static void check_own(const struct vrs_recipe *recipe)
{
	for (int i = 1; i <= recipe->own; i++) {
		size_t length, other;
		const char *name = name_of(recipe->argv[i], &length);

		require(is_known(name, length) && !(length == strlen("recipe") && memcmp(name, "recipe", length) == 0));
		require(!(length == strlen("budget") && memcmp(name, "budget", length) == 0)); /* it is typed */
		for (int k = 1; k < i; k++) {
			const char *before = name_of(recipe->argv[k], &other);

			require(other != length || memcmp(before, name, length) != 0);
		}
	}
}

static void parse(const struct vrs_recipe *recipe)
{
	struct vrs_tune_args args = vrs_tune_args_default();
	struct vrs_config *config = NULL;
	struct vrs_error err = {0};
	const char **operands = NULL;
	int count = 0;
	FILE *answers = fopen("/dev/null", "w");

	require(answers != NULL && vrs_config_create(&config) == VRS_OK);
	enum vrs_status status = vrs_cli_parse(config, &vrs_tune_spec, recipe->argc, recipe->argv, &args, answers, &operands, &count, &err);

	require(status != VRS_END && (status == VRS_OK || err.text[0] != '\0'));
	if (status == VRS_OK)
		require(count == 1 && strcmp(operands[0], "a.mp4") == 0 && args.optimize);
	vrs_free(operands);
	vrs_config_destroy(config);
	(void)fclose(answers);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t live = vrs_mem_stats().live_bytes;
	struct vrs_error err = {0};
	struct vrs_recipe recipe;
	char path[256], flag[300];
	char *typed[TYPED + 1] = {(char[]){"vrtune"}, (char[]){"--auto-optimize"}, flag, (char[]){"--budget=90s"}, (char[]){"a.mp4"}};

	if (size > MAX_BYTES)
		return 0;
	be_silent();
	scratch_write(scratch_path(path, sizeof path, "recipe.yaml"), data, size);
	(void)snprintf(flag, sizeof flag, "--recipe=%s", path);
	if (vrs_recipe_apply(&recipe, TYPED, typed, &err) == VRS_OK) {
		require(recipe.own >= 0 && recipe.argc == TYPED + recipe.own && recipe.argv[0] == typed[0] && recipe.argv[recipe.argc] == NULL);
		for (int i = 1; i < TYPED; i++)
			require(recipe.argv[recipe.own + i] == typed[i]);
		check_own(&recipe);
		parse(&recipe);
	} else {
		require(err.status != VRS_OK && err.text[0] != '\0');
	}
	vrs_recipe_fini(&recipe, typed);
	require(vrs_mem_stats().live_bytes == live);
	return 0;
}
