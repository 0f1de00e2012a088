/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --recipe: flags from a file, put in front of those that were typed. */
#include <stdio.h>
#include <string.h>

#include <vrseg/flags.h>
#include <vrseg/yaml.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "tuner/modes/tune_program.h"

#define RECIPE "recipe"
#define RECIPE_FLAG "--" RECIPE

/* A flag of vrtune, by its row; both NULL: there is none. */
struct known_flag {
	const struct vrs_cli_action *action;
	const struct vrs_option *option;
};

static struct known_flag find_flag(const char *name)
{
	struct known_flag found = {NULL, NULL};
	int rows;
	const struct vrs_option *table = vrs_option_table(&rows);
	for (const struct vrs_cli_action *a = vrs_tune_spec.actions; a->flag; a++)
		if (strcmp(a->flag, name) == 0)
			found.action = a;
	for (int i = 0; !found.action && i < rows; i++)
		if (table[i].flag && (table[i].programs & VRS_PROGRAM_VRTUNE) && strcmp(table[i].flag, name) == 0)
			found.option = &table[i];
	return found;
}

/* Is `arg` that flag: --flag, --flag=VALUE, --no-flag or its letter? */
static bool is_flag(const char *arg, const char *name, char letter)
{
	if (strncmp(arg, "--", 2) != 0)
		return letter && arg[0] == '-' && arg[1] == letter;
	const char *word = strncmp(arg, "--no-", 5) == 0 ? arg + 5 : arg + 2;
	size_t length = strlen(name);
	return strncmp(word, name, length) == 0 && (word[length] == '\0' || word[length] == '=');
}

/* The value of --recipe; NULL: it is not there, or has none, which the parser says. */
static const char *find_recipe(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strncmp(argv[i], RECIPE_FLAG "=", strlen(RECIPE_FLAG "=")) == 0)
			return argv[i] + strlen(RECIPE_FLAG "=");
		if (strcmp(argv[i], RECIPE_FLAG) == 0 && i + 1 < argc)
			return argv[i + 1];
	}
	return NULL;
}

/* "--flag=value" of an entry; "--flag" and "--no-flag" of switches. */
static enum vrs_status make_arg(const struct vrs_yaml *yaml, const struct vrs_yaml_entry *entry, int argc, char **argv, char **ret_arg,
				struct vrs_error *err)
{
	struct known_flag flag = find_flag(entry->key);
	bool is_switch = flag.action ? flag.action->type == VRS_FLAG_SWITCH : flag.option && flag.option->type == VRS_OPT_BOOL;
	char letter = flag.action ? flag.action->letter : flag.option ? flag.option->letter : '\0';
	if (!flag.action && !flag.option)
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "vrtune has no flag --%.80s", entry->key);
	if (strcmp(entry->key, RECIPE) == 0)
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "a recipe names no other recipe");
	if ((entry->kind != VRS_YAML_PLAIN && entry->kind != VRS_YAML_QUOTED) ||
	    (is_switch && strcmp(entry->value, "true") != 0 && strcmp(entry->value, "false") != 0))
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "--%s takes %s", entry->key, is_switch ? "true or false" : "one value");
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (is_flag(argv[i], entry->key, letter))
			return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "the recipe sets --%s; leave out %s, or the recipe", entry->key, argv[i]);
	bool off = is_switch && strcmp(entry->value, "false") == 0;
	if (off && flag.action) /* as it is */
		return VRS_OK;
	size_t size = strlen(entry->key) + strlen(entry->value) + sizeof "--no-=";
	char *arg = vrs_calloc(size, 1);
	if (!arg)
		return vrs_fail_nomem(err);
	snprintf(arg, size, "--%s%s%s%s", off ? "no-" : "", entry->key, is_switch ? "" : "=", is_switch ? "" : entry->value);
	*ret_arg = arg;
	return VRS_OK;
}

enum vrs_status vrs_recipe_apply(struct vrs_recipe *ret, int argc, char **argv, struct vrs_error *err)
{
	const char *name = find_recipe(argc, argv);
	char path[VRS_PATH_MAX];
	struct vrs_yaml yaml = {.count = 0};
	*ret = (struct vrs_recipe){.argc = argc, .argv = argv};
	if (!name)
		return VRS_OK;
	enum vrs_status status = vrs_data_find("recipe", "recipes", name, path, sizeof path, err);
	if (status == VRS_OK)
		status = vrs_yaml_read(&yaml, path, err);
	if (status == VRS_OK) {
		ret->argv = vrs_calloc((size_t)argc + (size_t)yaml.count + 1, sizeof *ret->argv); /* NOLINT(bugprone-sizeof-expression): of pointers */
		if (!ret->argv)
			status = vrs_fail_nomem(err);
	}
	for (int i = 0; status == VRS_OK && i < yaml.count; i++) {
		char *arg = NULL;
		status = make_arg(&yaml, &yaml.entries[i], argc, argv, &arg, err);
		if (arg)
			ret->argv[1 + ret->own++] = arg;
	}
	if (status == VRS_OK) {
		ret->argv[0] = argv[0];
		for (int i = 1; i < argc; i++)
			ret->argv[ret->own + i] = argv[i];
		ret->argc = argc + ret->own;
	}
	vrs_yaml_fini(&yaml);
	return status;
}

void vrs_recipe_fini(struct vrs_recipe *recipe, char **argv)
{
	for (int i = 0; i < recipe->own; i++)
		vrs_free(recipe->argv[1 + i]);
	if (recipe->argv != argv)
		vrs_free(recipe->argv);
}
