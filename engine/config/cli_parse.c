/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The command line.  Option flags are assigned while the line is read; profile, hardware file, configuration files and environment follow
 * in any order, since a stronger source is never replaced by a weaker one.
 */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "config/cli_common.h"
#include "config/config_object.h"
#include "config/option_table.h"

#define MAX_ARGS 65536

/* The flags that every program has, but --help and its like. */
struct common {
	struct vrs_flag_texts configs, images;
	const char *profile, *hardware;
	bool fast;
};

#define JOB (VRS_PROGRAM_VRSEG | VRS_PROGRAM_VRBENCH | VRS_PROGRAM_VRTUNE)

const struct vrs_cli_action vrs_cli_common[] = {
	{.flag = "config", .letter = 'c', .value_name = "FILE", .brief = "read options from a YAML file", .file = VRS_FILE_READ,
	 .help = "Read options from a YAML file", VRS_TEXTS_FIELD(struct common, configs)},
	{.flag = "profile", .value_name = "NAME", .brief = "fast, balanced or quality", .file = VRS_FILE_READ,
	 .help = "Start from a profile: fast, balanced or quality, or a YAML file", .programs = JOB, VRS_TEXT_FIELD(struct common, profile)},
	{.flag = "hardware-profile", .value_name = "NAME", .help = "Load settings for a kind of machine: a name from configs/hardware, or a YAML file",
	 .programs = JOB, .file = VRS_FILE_READ, VRS_TEXT_FIELD(struct common, hardware)},
	{.flag = "fast-mode", .help = "Same as --profile fast", .programs = JOB, VRS_SWITCH_FIELD(struct common, fast)},
	{.flag = "image", .value_name = "PICTURE", .help = "Same as the input PICTURE: a still image is an input like any other", .programs = JOB,
	 VRS_TEXTS_FIELD(struct common, images)},
	{.flag = "h", .letter = 'h', .help = "Show the most used options"},
	{.flag = "help", .help = "Show all options"},
	{.flag = "man", .help = "Print the manual page (pipe it into man -l -)"},
	{.flag = "version", .help = "Show version, commit and compiler"},
	{.flag = "list-options", .help = "Show all options with keys, ranges, defaults and states"},
	{.flag = NULL},
};

static const struct vrs_rule common_rules[] = {
	{"--fast-mode", VRS_EXCLUDES, "--profile", "it is --profile fast"},
	{.others = NULL},
};

/* What the line asked for besides option values. */
struct parse {
	struct vrs_config *config;
	const struct vrs_cli_spec *spec;
	void *flags;                 /* the program's */
	FILE *answers;
	struct vrs_error *err;
	char **argv;
	int argc, next;              /* next: argument to read */
	const char **operands;
	int operand_count;
	struct common common;
	bool given[VRS_MAX_FLAGS];   /* of the spec */
	bool common_given[sizeof vrs_cli_common / sizeof vrs_cli_common[0]];
};

bool vrs_cli_offers(const struct vrs_cli_spec *spec, const struct vrs_cli_action *flag)
{
	return !flag->programs || (flag->programs & spec->program_bit);
}

static const struct vrs_cli_action *find_action(const struct vrs_cli_spec *spec, const struct vrs_cli_action *list, const char *flag, char letter)
{
	for (; list && list->flag; list++) {
		bool named = flag ? strcmp(list->flag, flag) == 0 || vrs_words_have(list->aliases, flag, NULL) : letter && list->letter == letter;
		if (named && vrs_cli_offers(spec, list))
			return list;
	}
	return NULL;
}

const struct vrs_cli_action *vrs_cli_find_action(const struct vrs_cli_spec *spec, const char *flag)
{
	return find_action(spec, spec->actions, flag, 0);
}

bool vrs_cli_common_given(const char *flag, const bool *given)
{
	for (int i = 0; vrs_cli_common[i].flag; i++)
		if (strcmp(vrs_cli_common[i].flag, flag) == 0)
			return given[i];
	return false;
}

/* Value of a flag: behind "=", else the next argument. NULL with an error when there is none. */
static const char *take_value(struct parse *p, const char *shown, const char *attached, const char *value_name)
{
	if (attached)
		return attached;
	/* A flag where the value should be: "-o --max-frames 1" forgot the name. A value that begins so goes in as --flag=--value. */
	bool looks_like_flag = p->next < p->argc && strncmp(p->argv[p->next], "--", 2) == 0;
	if (p->next < p->argc && !looks_like_flag)
		return p->argv[p->next++];
	(void)vrs_fail(p->err, VRS_ECONFIG, "%s needs a value: %s %s", shown, shown, value_name ? value_name : "VALUE");
	return NULL;
}

static enum vrs_status refuse_value(struct parse *p, const char *shown, const char *attached)
{
	if (!attached)
		return VRS_OK;
	return vrs_fail(p->err, VRS_ECONFIG, "%s takes no value (\"%.80s\" was given)", shown, attached);
}

static enum vrs_status assign(struct parse *p, const char *key, const char *value, const char *shown)
{
	struct vrs_assignment a = {.key = key, .value = value, .source = VRS_SOURCE_FLAG, .label = shown, .where = shown};

	return vrs_config_assign(p->config, &a, p->err);
}

/* A flag that is no option: one of the program's, or of those that all programs have. */
static enum vrs_status plain_flag(struct parse *p, const struct vrs_cli_action *flag, bool own, const char *shown, const char *attached)
{
	bool *given = own ? &p->given[flag - p->spec->actions] : &p->common_given[flag - vrs_cli_common];
	enum vrs_status status = VRS_OK;
	const char *value = NULL;

	if (flag->value_name) {
		value = take_value(p, shown, attached, flag->value_name);
		status = value ? VRS_OK : VRS_ECONFIG;
	} else {
		status = refuse_value(p, shown, attached);
	}
	if (status != VRS_OK)
		return status;
	if (*given && !flag->repeatable)
		return vrs_fail(p->err, VRS_ECONFIG, "%s is given twice", shown);
	*given = true;
	if (flag->type == VRS_FLAG_ANSWER)
		return vrs_cli_answer(p->spec, flag->flag, p->answers);
	return vrs_flag_store(flag, shown, value, own ? p->flags : &p->common, p->err);
}

/* No value is one: no file, no area. */
static bool takes_none(const struct vrs_option *row)
{
	return !row->default_text[0] && strcmp(row->key, "output.file") != 0;
}

static enum vrs_status option_flag(struct parse *p, const struct vrs_option *row, const char *shown, const char *attached)
{
	if (row->type == VRS_OPT_BOOL)
		return assign(p, row->key, attached ? attached : "true", shown);
	const char *value = take_value(p, shown, attached, row->value_name);
	if (!value)
		return VRS_ECONFIG;
	if (!*value && !takes_none(row)) /* a variable that is not set, as in -o "$OUT" */
		return vrs_fail(p->err, VRS_ECONFIG, "%s needs a value: %s %s", shown, shown, row->value_name);
	return assign(p, row->key, value, shown);
}

/* No value undoes that of a weaker source; where there is none, it is the variable again. */
static enum vrs_status check_emptied(struct parse *p)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);
	char text[VRS_PATH_MAX];

	for (int i = 0; i < count; i++) {
		const struct vrs_row_state *state = &p->config->states[i];

		if (state->source != VRS_SOURCE_FLAG || state->prevails || !takes_none(&rows[i]))
			continue;
		if (vrs_config_text(p->config, &rows[i], text, sizeof text) == VRS_OK && !*text)
			return vrs_fail(p->err, VRS_ECONFIG, "%s needs a value: %s %s", state->label, state->label, rows[i].value_name);
	}
	return VRS_OK;
}

/* A flag that the users' documents name and whose option is not built yet: say so instead of "unknown". */
static const struct vrs_option *find_planned(const char *flag)
{
	char key[128];

	if (!vrs_strcpy(key, sizeof key, flag))
		return NULL;
	for (char *c = key; *c; c++)
		if (*c == '-')
			*c = '_';
	const struct vrs_option *row = vrs_option_find(key);
	return row && row->state != VRS_OPT_READY ? row : NULL;
}

static enum vrs_status fail_unknown_flag(struct parse *p, const char *flag, const char *shown)
{
	const struct vrs_option *planned = find_planned(flag);
	char closest[80];

	if (planned)
		return vrs_fail(p->err, VRS_ECONFIG, "%s is not available: %s", shown, planned->note);
	if (vrs_cli_closest_flag(p->spec, flag, closest, sizeof closest))
		return vrs_fail(p->err, VRS_ECONFIG, "unknown option %.100s; did you mean --%s?", shown, closest);
	return vrs_fail(p->err, VRS_ECONFIG, "unknown option %.100s; %s --help shows all options", shown, p->spec->program);
}

/* A flag by its name, or by its letter (flag NULL); false: there is none. */
static bool known_flag(struct parse *p, const char *flag, char letter, const char *shown, const char *attached, enum vrs_status *ret_status)
{
	unsigned program = p->spec->program_bit;
	const struct vrs_cli_action *own = find_action(p->spec, p->spec->actions, flag, letter);
	const struct vrs_cli_action *action = own ? own : find_action(p->spec, vrs_cli_common, flag, letter);
	const struct vrs_option *row = flag ? vrs_option_find_flag(flag, program) : vrs_option_find_letter(letter, program);

	if (action)
		*ret_status = plain_flag(p, action, own != NULL, shown, attached);
	else if (row)
		*ret_status = option_flag(p, row, shown, attached);
	return action || row;
}

/* "--flag", "--flag=value", "--no-flag" */
static enum vrs_status long_flag(struct parse *p, const char *arg)
{
	const char *equals = strchr(arg, '='), *attached = equals ? equals + 1 : NULL;
	size_t len = equals ? (size_t)(equals - arg) : strlen(arg);
	char shown[128];
	const char *flag = shown + 2;
	enum vrs_status status;

	if (len >= sizeof shown)
		return vrs_fail(p->err, VRS_ECONFIG, "unknown option %.60s...; %s --help shows all options", arg, p->spec->program);
	memcpy(shown, arg, len);
	shown[len] = '\0';
	if (known_flag(p, flag, 0, shown, attached, &status))
		return status;
	const struct vrs_synonym *synonym = vrs_synonym_find_flag(flag, p->spec->program_bit);
	if (synonym) /* the flag's name is one of the synonym's keys */
		return assign(p, flag, attached ? attached : "true", shown);
	const struct vrs_option *row = strncmp(flag, "no-", 3) == 0 ? vrs_option_find_flag(flag + 3, p->spec->program_bit) : NULL;
	if (row && row->type != VRS_OPT_BOOL)
		return vrs_fail(p->err, VRS_ECONFIG, "%s: --%s takes a value, so it cannot be negated", shown, flag + 3);
	if (row) {
		status = refuse_value(p, shown, attached);
		return status == VRS_OK ? assign(p, row->key, "false", shown) : status;
	}
	return fail_unknown_flag(p, flag, shown);
}

/* "-o FILE", "-oFILE"; letters are not bundled, since all but -h take a value. */
static enum vrs_status short_flag(struct parse *p, const char *arg)
{
	const char shown[3] = {'-', arg[1], '\0'};
	enum vrs_status status;

	if (known_flag(p, NULL, arg[1], shown, arg[2] ? arg + 2 : NULL, &status))
		return status;
	return vrs_fail(p->err, VRS_ECONFIG, "unknown option %.40s; %s --help shows all options", arg, p->spec->program);
}

static enum vrs_status read_line(struct parse *p)
{
	bool flags_ended = false;

	while (p->next < p->argc) {
		const char *arg = p->argv[p->next++];
		enum vrs_status status = VRS_OK;

		if (flags_ended || arg[0] != '-' || !arg[1])
			p->operands[p->operand_count++] = arg;
		else if (strcmp(arg, "--") == 0)
			flags_ended = true;
		else if (arg[1] == '-')
			status = long_flag(p, arg);
		else
			status = short_flag(p, arg);
		if (status != VRS_OK)
			return status;
	}
	for (int i = 0; i < p->common.images.count; i++) /* each came with an argument of its own, so that there is room */
		p->operands[p->operand_count++] = p->common.images.items[i];
	return VRS_OK;
}

static bool any_given(const struct parse *p)
{
	for (int i = 0; p->spec->actions && p->spec->actions[i].flag; i++)
		if (p->given[i])
			return true;
	return false;
}

static enum vrs_status check_operands(const struct parse *p)
{
	const struct vrs_cli_spec *spec = p->spec;

	if (spec->max_operands == 0 && p->operand_count > 0)
		return vrs_fail(p->err, VRS_ECONFIG, "unexpected argument \"%.200s\"; %s --help shows the usage", p->operands[0], spec->program);
	if (spec->max_operands > 0 && p->operand_count > spec->max_operands)
		return vrs_fail(p->err, VRS_ECONFIG, "unexpected argument \"%.200s\"; %s takes at most %d", p->operands[spec->max_operands],
				spec->program, spec->max_operands);
	if (p->operand_count < spec->min_operands && !any_given(p))
		return vrs_fail(p->err, VRS_ECONFIG, "the input is missing; %s --help shows the usage", spec->program);
	return VRS_OK;
}

static enum vrs_status load_sources(struct parse *p)
{
	enum vrs_status status = vrs_config_load_env(p->config, p->err);

	const char *profile = p->common.fast ? "fast" : p->common.profile;

	for (int i = 0; status == VRS_OK && i < p->common.configs.count; i++)
		status = vrs_config_load_file(p->config, p->common.configs.items[i], VRS_SOURCE_FILE, p->err);
	if (status == VRS_OK && p->common.hardware)
		status = vrs_config_load_hardware(p->config, p->common.hardware, p->err);
	if (status == VRS_OK && profile)
		status = vrs_config_load_profile(p->config, profile, p->err);
	if (status == VRS_OK)
		status = check_emptied(p);
	if (status == VRS_OK)
		status = vrs_config_settle_synonyms(p->config, p->err);
	return status == VRS_OK ? vrs_config_settle_rivals(p->config, p->err) : status;
}

static enum vrs_status check_rules(const struct parse *p)
{
	struct vrs_settings settings = *vrs_config_settings(p->config);
	const struct vrs_rule_facts facts = {
		.settings = &settings, .config = p->config, .spec = p->spec, .given = p->given, .flags = p->flags,
		.common_given = p->common_given, .inputs = p->operands, .input_count = p->operand_count,
	};
	enum vrs_status status = vrs_rules_check(common_rules, &facts, p->err);
	bool is_open = false;

	for (int i = 0; p->spec->actions && p->spec->actions[i].flag; i++) {
		if (p->given[i] && p->spec->actions[i].is_mode && p->spec->actions[i].traits)
			vrs_settings_keep(&settings, p->spec->actions[i].traits);
		is_open |= p->given[i] && p->spec->actions[i].sets_options;
	}
	if (status == VRS_OK)
		status = vrs_rules_check(p->spec->rules, &facts, p->err);
	return status == VRS_OK && !is_open ? vrs_rules_check(p->spec->value_rules, &facts, p->err) : status;
}

/* Another flag of the program beside that of a mode. */
static enum vrs_status check_beside(const struct parse *p, const struct vrs_cli_action *mode, const struct vrs_cli_action *flag)
{
	if (flag->is_mode)
		return vrs_fail(p->err, VRS_ECONFIG, "--%s does not go with --%s: each is all that one run does", flag->flag, mode->flag);
	if (mode->traits && !(flag->traits & mode->traits))
		return vrs_fail(p->err, VRS_ECONFIG, "--%s does not go with --%s: it would change nothing", flag->flag, mode->flag);
	return VRS_OK;
}

static enum vrs_status check_mode(const struct parse *p, const struct vrs_cli_action *mode)
{
	enum vrs_status status = VRS_OK;
	char shown[64];

	for (int i = 0; status == VRS_OK && p->spec->actions[i].flag; i++)
		if (p->given[i] && &p->spec->actions[i] != mode)
			status = check_beside(p, mode, &p->spec->actions[i]);
	if (status != VRS_OK || !mode->traits)
		return status;
	(void)snprintf(shown, sizeof shown, "--%s", mode->flag);
	return vrs_config_refuse_flags(p->config, mode->traits, shown, p->err);
}

static enum vrs_status check_modes(const struct parse *p)
{
	enum vrs_status status = VRS_OK;

	for (int i = 0; status == VRS_OK && p->spec->actions && p->spec->actions[i].flag; i++)
		if (p->given[i] && p->spec->actions[i].is_mode)
			status = check_mode(p, &p->spec->actions[i]);
	return status;
}

static enum vrs_status add_files(const struct parse *p, const struct vrs_cli_action *flag, const void *flags)
{
	const char *name = flag->value_name ? flag->value_name : "";
	struct vrs_file_use use = {.flag = flag->flag, .role = flag->file};
	const void *field = (const char *)flags + flag->offset;
	const struct vrs_flag_texts *texts = field;
	enum vrs_status status = VRS_OK;

	VRS_ASSERT(flag->file != VRS_FILE_NONE || !strstr(name, "FILE")); /* what names a file says which */
	if (flag->file == VRS_FILE_NONE || !vrs_cli_offers(p->spec, flag))
		return VRS_OK;
	use.form = flag->type == VRS_FLAG_NAMES ? VRS_FILE_LIST : strchr(name, '=') ? VRS_FILE_BEHIND_EQUALS : VRS_FILE_NAME;
	if (flag->type != VRS_FLAG_TEXTS) {
		use.text = *(const char *const *)field;
		return use.text ? vrs_config_add_file(p->config, &use, p->err) : VRS_OK;
	}
	for (int i = 0; status == VRS_OK && i < texts->count; i++) {
		use.text = texts->items[i];
		status = vrs_config_add_file(p->config, &use, p->err);
	}
	return status;
}

static enum vrs_status check_files(const struct parse *p)
{
	enum vrs_status status = VRS_OK;

	for (int i = 0; status == VRS_OK && vrs_cli_common[i].flag; i++)
		status = add_files(p, &vrs_cli_common[i], &p->common);
	for (int i = 0; status == VRS_OK && p->spec->actions && p->spec->actions[i].flag; i++)
		status = add_files(p, &p->spec->actions[i], p->flags);
	for (int i = 0; status == VRS_OK && i < p->operand_count; i++)
		status = vrs_config_add_file(p->config, &(struct vrs_file_use){.text = p->operands[i], .role = VRS_FILE_READ}, p->err);
	return status == VRS_OK ? vrs_config_check_files(p->config, &p->config->settings, NULL, p->err) : status;
}

enum vrs_status vrs_cli_parse(struct vrs_config *config, const struct vrs_cli_spec *spec, int argc, char **argv, void *flags, FILE *answers,
			      const char ***ret_operands, int *ret_operand_count, struct vrs_error *err)
{
	struct parse p = {
		.config = config, .spec = spec, .flags = flags, .answers = answers, .err = err, .argv = argv, .argc = argc, .next = 1,
	};

	if (!config || !spec || !argv || !ret_operands || !ret_operand_count || argc > MAX_ARGS)
		return vrs_fail(err, VRS_EINVAL, "the command line cannot be read");
	p.operands = vrs_calloc((size_t)(argc > 0 ? argc : 0) + 1, sizeof *p.operands);
	if (!p.operands)
		return vrs_fail(err, VRS_ENOMEM, "out of memory while reading the command line");
	config->program = spec->program_bit;
	config->holds_warnings = true;
	enum vrs_status status = read_line(&p);
	if (status == VRS_OK)
		status = check_operands(&p);
	if (status == VRS_OK)
		status = load_sources(&p);
	if (status == VRS_OK)
		status = check_modes(&p);
	if (status == VRS_OK)
		status = check_rules(&p);
	if (status == VRS_OK)
		status = check_files(&p);
	if (status != VRS_OK) {
		vrs_free(p.operands);
		return status;
	}
	*ret_operands = p.operands;
	*ret_operand_count = p.operand_count;
	return VRS_OK;
}
