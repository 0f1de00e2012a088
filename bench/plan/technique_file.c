/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file of techniques: reading, and every check that needs no clip. */
#include <regex.h>
#include <stdio.h>
#include <string.h>

#include <vrseg/yaml.h>

#include "base/mem.h"
#include "base/str_parse.h"
#include "bench/plan/sweep.h"
#include "bench/plan/technique.h"

static const char *const goal_names[] = {"speed", "latency", "cpu", "memory", "quality", "start"};
static const char *const kind_names[] = {"pair", "missing", "always", "elsewhere"};

const char *vrs_technique_goal_name(enum vrs_technique_goal goal)
{
	return goal_names[goal];
}

const char *vrs_technique_kind_name(enum vrs_technique_kind kind)
{
	return kind_names[kind];
}

static int find_word(const char *const *names, size_t count, const char *word)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], word) == 0)
			return (int)i;
	return -1;
}

/* The technique of "techniques.NAME.FIELD", made when it is new; *ret_field is what follows the name. */
static enum vrs_status find_technique(struct vrs_technique_list *list, const struct vrs_yaml *yaml, const struct vrs_yaml_entry *entry,
				      struct vrs_technique **ret, const char **ret_field, struct vrs_error *err)
{
	static const char prefix[] = "techniques.";
	char name[sizeof list->items[0].name];
	const char *begin = entry->key + sizeof prefix - 1, *dot;
	if (strncmp(entry->key, prefix, sizeof prefix - 1) != 0)
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "a file of techniques has the key techniques, not \"%s\"", entry->key);
	dot = strchr(begin, '.');
	if (!dot || dot == begin || (size_t)(dot - begin) >= sizeof name || strspn(begin, "abcdefghijklmnopqrstuvwxyz0123456789-") < (size_t)(dot - begin))
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "\"%s\" is no technique: a name of small letters, digits and -, with keys below it",
				     begin);
	snprintf(name, sizeof name, "%.*s", (int)(dot - begin), begin);
	*ret_field = dot + 1;
	for (int i = 0; i < list->count; i++)
		if (strcmp(list->items[i].name, name) == 0) {
			*ret = &list->items[i];
			return VRS_OK;
		}
	if (list->count == VRS_TECHNIQUES_MAX)
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "there are more than %d techniques", VRS_TECHNIQUES_MAX);
	*ret = &list->items[list->count++];
	vrs_strcpy((*ret)->name, sizeof (*ret)->name, name);
	return VRS_OK;
}

/* One option of a side, tried on a configuration, so that a word that no option takes is found before hours go by. */
static enum vrs_status take_value(struct vrs_technique_side *side, const char *key, const struct vrs_yaml *yaml, const struct vrs_yaml_entry *entry,
				  struct vrs_error *err)
{
	const struct vrs_option *row = vrs_option_find(key);
	struct vrs_error why = {.status = VRS_OK};
	struct vrs_config *config = NULL;
	if (!row)
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "there is no option \"%s\" (--list-options shows all)", key);
	if (row->state != VRS_OPT_READY)
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "%s has no effect, so there is nothing to measure", row->key);
	if (side->count == VRS_TECHNIQUE_MAX_VALUES)
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "a side has at most %d options", VRS_TECHNIQUE_MAX_VALUES);
	struct vrs_case_value *value = &side->values[side->count++];
	if (!vrs_strcpy(value->key, sizeof value->key, row->key) || !vrs_strcpy(value->value, sizeof value->value, entry->value))
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "the value of %s is too long", row->key);
	enum vrs_status status = vrs_config_create(&config);
	if (status == VRS_OK)
		status = vrs_config_set(config, row->key, value->value, VRS_SOURCE_FILE, NULL, &why);
	vrs_config_destroy(config);
	return status == VRS_OK ? VRS_OK : vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "%s", why.text[0] ? why.text : vrs_status_str(status));
}

static enum vrs_status take_text(char *to, size_t size, const struct vrs_yaml *yaml, const struct vrs_yaml_entry *entry, struct vrs_error *err)
{
	if (entry->value[0] && vrs_strcpy(to, size, entry->value))
		return VRS_OK;
	return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "%s wants a text of 1 to %zu characters", entry->key, size - 1);
}

static enum vrs_status take_field(struct vrs_technique *t, const char *field, const struct vrs_yaml *yaml, const struct vrs_yaml_entry *entry,
				  struct vrs_error *err)
{
	struct vrs_case probe = {.value_count = 0};
	struct vrs_error why = {.status = VRS_OK};
	int kind = find_word(kind_names, sizeof kind_names / sizeof *kind_names, field), goal;
	if (strncmp(field, "off.", 4) == 0)
		return take_value(&t->off, field + 4, yaml, entry, err);
	if (strncmp(field, "on.", 3) == 0)
		return take_value(&t->on, field + 3, yaml, entry, err);
	if (kind > VRS_TECHNIQUE_PAIR) {
		if (t->kind != VRS_TECHNIQUE_PAIR)
			return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "%s has two reasons not to be a pair", t->name);
		t->kind = (enum vrs_technique_kind)kind;
		return take_text(t->reason, sizeof t->reason, yaml, entry, err);
	}
	if (strcmp(field, "where") == 0)
		return take_text(t->where, sizeof t->where, yaml, entry, err);
	if (strcmp(field, "mode") == 0) {
		if (vrs_case_set_mode(&probe, entry->value, &why) != VRS_OK)
			return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "%s", why.text);
		t->live_hz = probe.live_hz;
		return VRS_OK;
	}
	if (strcmp(field, "eyes") == 0) {
		t->eyes = strcmp(entry->value, "2") == 0 ? 2 : 0;
		return t->eyes ? VRS_OK : vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "eyes can only be 2");
	}
	if (strcmp(field, "improves") != 0)
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG,
				     "a technique has the keys improves, where, mode, eyes, off, on, missing, always and elsewhere, not \"%s\"", field);
	goal = find_word(goal_names, sizeof goal_names / sizeof *goal_names, entry->value);
	if (goal < 0)
		return vrs_yaml_fail(yaml, entry, err, VRS_ECONFIG, "improves must be speed, latency, cpu, memory, quality or start, not \"%s\"", entry->value);
	t->has_goal = true;
	t->goal = (enum vrs_technique_goal)goal;
	return VRS_OK;
}

static bool same_side(const struct vrs_technique_side *a, const struct vrs_technique_side *b)
{
	if (a->count != b->count)
		return false;
	for (int i = 0; i < a->count; i++) {
		int k = 0;
		while (k < b->count && (strcmp(a->values[i].key, b->values[k].key) != 0 || strcmp(a->values[i].value, b->values[k].value) != 0))
			k++;
		if (k == b->count)
			return false;
	}
	return true;
}

static bool has_key(const struct vrs_technique_side *side, const char *key)
{
	for (int i = 0; i < side->count; i++)
		if (strcmp(side->values[i].key, key) == 0)
			return true;
	return false;
}

/* What one side sets and the other leaves to the command would be no switch. */
static bool same_keys(const struct vrs_technique *t)
{
	for (int i = 0; i < t->off.count; i++)
		if (!has_key(&t->on, t->off.values[i].key))
			return false;
	return t->on.count == t->off.count;
}

static enum vrs_status check_technique(const struct vrs_technique *t, const char *path, struct vrs_error *err)
{
	bool live = t->live_hz > 0, given = t->off.count + t->on.count > 0;
	if (t->kind != VRS_TECHNIQUE_PAIR)
		return given || t->has_goal ? vrs_fail_at(err, VRS_ECONFIG, path, 0, 0, "%s is %s, so it has no pair", t->name,
							  vrs_technique_kind_name(t->kind))
					    : VRS_OK;
	if (!t->has_goal || !given)
		return vrs_fail_at(err, VRS_ECONFIG, path, 0, 0, "%s needs improves, off and on, or one of missing, always and elsewhere", t->name);
	if (!same_keys(t) || same_side(&t->off, &t->on))
		return vrs_fail_at(err, VRS_ECONFIG, path, 0, 0, "off and on of %s must set the same options, to different values", t->name);
	if (live && (t->goal == VRS_TECHNIQUE_SPEED || t->goal == VRS_TECHNIQUE_QUALITY))
		return vrs_fail_at(err, VRS_ECONFIG, path, 0, 0, "%s cannot improve %s in live mode: the rate is given, and frames may be dropped", t->name,
				   vrs_technique_goal_name(t->goal));
	return VRS_OK;
}

static enum vrs_status compile(regex_t *regex, const char *pattern, const char *flag, struct vrs_error *err)
{
	char why[128];
	int code = regcomp(regex, pattern ? pattern : "", REG_EXTENDED | REG_NOSUB);
	if (code == 0)
		return VRS_OK;
	regerror(code, regex, why, sizeof why);
	return vrs_fail(err, VRS_ECONFIG, "%s \"%s\" is not a regular expression: %s", flag, pattern, why);
}

/* Keep the names that match filter and not skip. */
static enum vrs_status choose(struct vrs_technique_list *list, const char *filter, const char *skip, struct vrs_error *err)
{
	regex_t want, not_want;
	int kept = 0, all = list->count;
	enum vrs_status status = compile(&want, filter, "--filter", err);
	if (status != VRS_OK)
		return status;
	status = compile(&not_want, skip, "--skip", err);
	for (int i = 0; i < list->count && status == VRS_OK; i++)
		if (regexec(&want, list->items[i].name, 0, NULL, 0) == 0 && (!skip || regexec(&not_want, list->items[i].name, 0, NULL, 0) != 0))
			list->items[kept++] = list->items[i];
	regfree(&want);
	if (status != VRS_OK)
		return status;
	regfree(&not_want);
	list->count = kept;
	return kept > 0 ? VRS_OK : vrs_fail(err, VRS_ECONFIG, "none of the %d techniques is left after --filter and --skip (--list shows them)", all);
}

static enum vrs_status take_yaml(struct vrs_technique_list *list, const struct vrs_yaml *yaml, const char *path, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	for (int i = 0; status == VRS_OK && i < yaml->count; i++) {
		struct vrs_technique *t = NULL;
		const char *field = NULL;
		status = find_technique(list, yaml, &yaml->entries[i], &t, &field, err);
		if (status == VRS_OK)
			status = take_field(t, field, yaml, &yaml->entries[i], err);
	}
	for (int i = 0; status == VRS_OK && i < list->count; i++)
		status = check_technique(&list->items[i], path, err);
	if (status == VRS_OK && list->count == 0)
		status = vrs_fail_at(err, VRS_ECONFIG, path, 0, 0, "the file has no techniques");
	return status;
}

enum vrs_status vrs_technique_list_parse(struct vrs_technique_list *ret_list, const char *text, size_t size, const char *name, struct vrs_error *err)
{
	struct vrs_yaml yaml;
	memset(ret_list, 0, sizeof *ret_list);
	enum vrs_status status = vrs_yaml_parse(&yaml, text, size, name, err);
	if (status == VRS_OK)
		status = take_yaml(ret_list, &yaml, name, err);
	vrs_yaml_fini(&yaml);
	return status;
}

static enum vrs_status read_list(struct vrs_technique_list *list, const char *path, struct vrs_error *err)
{
	struct vrs_yaml yaml;
	enum vrs_status status = vrs_yaml_read(&yaml, path, err);
	if (status == VRS_OK)
		status = take_yaml(list, &yaml, path, err);
	vrs_yaml_fini(&yaml);
	return status;
}

enum vrs_status vrs_technique_list_load(struct vrs_technique_list **ret_list, const char *name_or_path, const char *filter, const char *skip,
					struct vrs_error *err)
{
	char path[VRS_PATH_MAX];
	enum vrs_status status = vrs_sweep_find(name_or_path, path, err);
	if (status != VRS_OK)
		return status;
	struct vrs_technique_list *list = vrs_calloc(1, sizeof *list);
	if (!list)
		return vrs_fail(err, VRS_ENOMEM, "there is not enough memory for the techniques");
	status = read_list(list, path, err);
	if (status == VRS_OK)
		status = choose(list, filter, skip, err);
	if (status == VRS_OK) {
		*ret_list = list;
		return VRS_OK;
	}
	vrs_free(list);
	if (status != VRS_EFORMAT && status != VRS_ENOTFOUND && status != VRS_ELIMIT)
		return status;
	if (err)
		err->status = VRS_ECONFIG; /* the place stays */
	return VRS_ECONFIG;
}
