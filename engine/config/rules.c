/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What goes with what: rows in, one sentence out.  See struct vrs_rule for the words. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/str_parse.h"
#include "config/cli_common.h"
#include "config/config_object.h"
#include "config/option_table.h"

#define WORD_MAX 96

/* A word in its pieces. */
struct word {
	char name[WORD_MAX];  /* "--runs", "INPUT", "output.mode" */
	const char *value;    /* behind "="; NULL: none */
};

static bool split_word(const char *text, struct word *ret)
{
	if (!vrs_strcpy(ret->name, sizeof ret->name, text))
		return false;
	char *equals = strchr(ret->name, '=');
	ret->value = equals ? equals + 1 : NULL;
	if (equals)
		*equals = '\0';
	return true;
}

static bool is_flag(const struct word *word)
{
	return strncmp(word->name, "--", 2) == 0;
}

static const struct vrs_cli_action *own_flag(const struct vrs_cli_spec *spec, const struct word *word)
{
	return spec && is_flag(word) ? vrs_cli_find_action(spec, word->name + 2) : NULL;
}

/* The option that a word is about, by its flag or by its key; NULL: none. */
static const struct vrs_option *option_of(const struct vrs_cli_spec *spec, const struct word *word)
{
	if (!is_flag(word))
		return vrs_option_find(word->name);
	return spec && !own_flag(spec, word) ? vrs_option_find_flag(word->name + 2, spec->program_bit) : NULL;
}

static bool option_holds(const struct vrs_settings *settings, const struct vrs_option *row, const struct word *word)
{
	struct vrs_option_value value;
	char text[VRS_PATH_MAX], wanted[VRS_PATH_MAX];

	if (!row || row->state != VRS_OPT_READY)
		return false;
	if (vrs_option_text(row, settings, text, sizeof text) != VRS_OK)
		return false;
	if (word->value)
		return strcmp(text, word->value) == 0;
	if (vrs_option_parse(row, row->default_text, row->key, &value, NULL) != VRS_OK || vrs_option_print(row, &value, wanted, sizeof wanted) != VRS_OK)
		return false;
	return strcmp(text, wanted) != 0;
}

static bool flag_holds(const struct vrs_rule_facts *facts, const struct word *word)
{
	const struct vrs_cli_action *flag = own_flag(facts->spec, word);
	const struct vrs_option *row = option_of(facts->spec, word);

	if (flag)
		return facts->given[flag - facts->spec->actions] &&
		       (!word->value || vrs_flag_is_list(flag, *(const char *const *)((const char *)facts->flags + flag->offset)));
	if (row)
		return vrs_config_source(facts->config, row->key) == VRS_SOURCE_FLAG && (!word->value || option_holds(facts->settings, row, word));
	return facts->common_given && vrs_cli_common_given(word->name + 2, facts->common_given);
}

static bool holds(const struct vrs_rule_facts *facts, const struct word *word)
{
	if (is_flag(word))
		return flag_holds(facts, word);
	if (strcmp(word->name, "INPUT") == 0)
		return facts->input_count > 0;
	if (strcmp(word->name, "INPUTS") == 0)
		return facts->input_count > 1 || (facts->input_count == 1 && vrs_path_is_dir(facts->inputs[0]));
	return option_holds(facts->settings, vrs_option_find(word->name), word);
}

/* The value of a bool that a word is about. */
static bool is_on(const struct vrs_option *row, const struct word *word)
{
	return word->value ? strcmp(word->value, "true") == 0 : strcmp(row->default_text, "true") != 0;
}

/* By their names a word is found that was meant for an option. */
static void show_inputs(const struct vrs_rule_facts *facts, char *buf, size_t size)
{
	if (facts->input_count > 1)
		(void)snprintf(buf, size, "several inputs (%.60s, %.60s%s)", facts->inputs[0], facts->inputs[1], facts->input_count > 2 ? ", ..." : "");
	else
		(void)snprintf(buf, size, "the folder %.60s", facts->input_count ? facts->inputs[0] : "");
}

/* As the user would write it: "--output-mode alpha", "--no-follow", "the input film.mp4". */
static void show(const struct vrs_rule_facts *facts, const struct word *word, char *buf, size_t size)
{
	const struct vrs_option *row = option_of(facts->spec, word);

	if (is_flag(word) && !(row && word->value))
		(void)snprintf(buf, size, "%s%s", word->value ? "a list of " : "", word->name);
	else if (!row && strcmp(word->name, "INPUTS") == 0)
		show_inputs(facts, buf, size);
	else if (!row)
		(void)snprintf(buf, size, "%s%.60s", facts->input_count ? "the input " : "an input", facts->input_count ? facts->inputs[0] : "");
	else if (row->type == VRS_OPT_BOOL)
		(void)snprintf(buf, size, "--%s%s", is_on(row, word) ? "" : "no-", row->flag);
	else
		(void)snprintf(buf, size, "--%s%s%s", row->flag, word->value ? " " : "", word->value ? word->value : "");
}

/* As it was given, where that is not the command line: "pipeline.sandbox: true (my.yaml:3)", "VRSEG_OUTPUT_FOV". */
static bool show_place(const struct vrs_rule_facts *facts, const struct word *word, char *buf, size_t size)
{
	const struct vrs_option *row = facts->config && !is_flag(word) ? option_of(facts->spec, word) : NULL;
	enum vrs_value_source source = row ? vrs_config_source(facts->config, row->key) : VRS_SOURCE_DEFAULT;
	const char *where = row ? vrs_config_where(facts->config, row->key) : "";

	if (source == VRS_SOURCE_DEFAULT || source == VRS_SOURCE_FLAG || !*where)
		return false;
	const char *value = word->value ? word->value : row->type != VRS_OPT_BOOL ? "" : is_on(row, word) ? "true" : "false";
	if (source == VRS_SOURCE_ENV)
		(void)snprintf(buf, size, "%s%s%s", where, *value ? "=" : "", value);
	else
		(void)snprintf(buf, size, "%s%s%s (%s)", row->key, *value ? ": " : "", value, where);
	return true;
}

static void show_given(const struct vrs_rule_facts *facts, const struct word *word, char *buf, size_t size)
{
	if (!show_place(facts, word, buf, size))
		show(facts, word, buf, size);
}

/* The first word of the list that holds. */
static bool find_holding(const struct vrs_rule_facts *facts, const char *words, struct word *ret)
{
	char text[WORD_MAX];

	for (int i = 0; vrs_words_get(words, i, text, sizeof text); i++)
		if (split_word(text, ret) && holds(facts, ret))
			return true;
	return false;
}

/* "--live" or "--versus or --resume" */
static void show_all(const struct vrs_rule_facts *facts, const char *words, char *buf, size_t size)
{
	char text[WORD_MAX];
	struct word word;
	size_t len = 0;

	buf[0] = '\0';
	for (int i = 0; vrs_words_get(words, i, text, sizeof text) && split_word(text, &word); i++) {
		(void)snprintf(buf + len, size - len, "%s", i ? " or " : "");
		len = strlen(buf);
		show(facts, &word, buf + len, size - len);
		len = strlen(buf);
	}
}

static enum vrs_status check(const struct vrs_rule *rule, const struct vrs_rule_facts *facts, struct vrs_error *err)
{
	struct word first, other;
	char subject[320], object[320];

	if (rule->when && !find_holding(facts, rule->when, &first))
		return VRS_OK;
	if (find_holding(facts, rule->others, &other) == (rule->kind == VRS_NEEDS))
		return VRS_OK;
	if (!rule->when)
		return vrs_fail(err, VRS_ECONFIG, "%s", rule->because);
	show_given(facts, &first, subject, sizeof subject);
	if (rule->kind == VRS_NEEDS)
		show_all(facts, rule->others, object, sizeof object);
	else
		show_given(facts, &other, object, sizeof object);
	return vrs_fail(err, VRS_ECONFIG, "%s %s %s: %s", subject, rule->kind == VRS_NEEDS ? "needs" : "does not go with", object, rule->because);
}

enum vrs_status vrs_rules_check(const struct vrs_rule *rules, const struct vrs_rule_facts *facts, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;

	for (; rules && rules->others && status == VRS_OK; rules++)
		status = check(rules, facts, err);
	return status;
}

bool vrs_rule_word_known(const struct vrs_cli_spec *spec, const char *text)
{
	struct word word;
	struct vrs_option_value value;

	if (!split_word(text, &word))
		return false;
	if (strcmp(word.name, "INPUT") == 0 || strcmp(word.name, "INPUTS") == 0)
		return spec && !word.value;
	const struct vrs_cli_action *flag = own_flag(spec, &word);
	if (flag)
		return !word.value || flag->type == VRS_FLAG_LIST || flag->type == VRS_FLAG_NAMES;
	const struct vrs_option *row = option_of(spec, &word);
	return row && row->state == VRS_OPT_READY && (!word.value || vrs_option_parse(row, word.value, row->key, &value, NULL) == VRS_OK);
}

enum vrs_status vrs_config_check(const struct vrs_config *config, const struct vrs_settings *settings, struct vrs_error *err)
{
	const struct vrs_rule_facts facts = {.settings = settings, .config = config};
	enum vrs_status status = vrs_rules_check(vrs_option_rules, &facts, err);

	return status == VRS_OK ? vrs_rules_check(vrs_use_rules, &facts, err) : status;
}

enum vrs_status vrs_settings_check(const struct vrs_settings *settings, struct vrs_error *err)
{
	return vrs_config_check(NULL, settings, err);
}

/* The row of a word of a rule, where its value changes nothing beside the settings and nobody typed it; NULL: it counts. */
static const struct vrs_option *needless(const struct vrs_rule *rule, char *text, const struct vrs_config *config)
{
	const struct vrs_rule_facts facts = {.settings = vrs_config_settings(config)};
	struct word word, other;

	if (!split_word(text, &word) || !holds(&facts, &word))
		return NULL;
	if (find_holding(&facts, rule->others, &other) == (rule->kind == VRS_NEEDS))
		return NULL;
	const struct vrs_option *row = vrs_option_find(word.name);
	return vrs_config_source(config, row->key) == VRS_SOURCE_FLAG ? NULL : row;
}

struct rule_place {
	const struct vrs_rule *rule;
	int word;
};

/* The next of them from a place of vrs_use_rules on; NULL: there are no more. */
static const struct vrs_option *next_needless(const struct vrs_config *config, struct rule_place *at)
{
	char text[WORD_MAX];

	for (; at->rule->others; at->rule++, at->word = 0)
		while (vrs_words_get(at->rule->when, at->word++, text, sizeof text)) {
			const struct vrs_option *row = needless(at->rule, text, config);
			if (row)
				return row;
		}
	return NULL;
}

void vrs_config_effective(const struct vrs_config *config, struct vrs_settings *ret_settings)
{
	struct rule_place at = {.rule = vrs_use_rules};

	*ret_settings = *vrs_config_settings(config);
	for (const struct vrs_option *row; (row = next_needless(config, &at));)
		vrs_settings_reset(ret_settings, row);
}

void vrs_config_drop_needless(struct vrs_config *config)
{
	struct rule_place at = {.rule = vrs_use_rules};

	for (const struct vrs_option *row; (row = next_needless(config, &at));)
		vrs_config_unset(config, row);
}
