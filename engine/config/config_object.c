/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The configuration object: settings plus, per row, who set the value.  Every source ends in vrs_config_assign, which checks first, so a
 * wrong value is an error even where a stronger source has already decided.
 */
#include "config/config_object.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "config/option_table.h"

static enum vrs_status set_default(struct vrs_settings *settings, const struct vrs_option *row)
{
	struct vrs_option_value value;

	if (row->state != VRS_OPT_READY)
		return VRS_OK;
	if (vrs_option_parse(row, row->default_text, row->key, &value, NULL) != VRS_OK)
		return VRS_EINTERNAL; /* test_option_table proves that no row comes here */
	vrs_option_store(row, &value, settings);
	return VRS_OK;
}

static enum vrs_status set_defaults(struct vrs_config *config)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);
	enum vrs_status status = VRS_OK;

	for (int i = 0; i < count && status == VRS_OK; i++)
		status = set_default(&config->settings, &rows[i]);
	return status;
}

static struct vrs_config *alloc_config(void)
{
	struct vrs_config *config = vrs_calloc(1, sizeof *config);
	int count;

	(void)vrs_option_table(&count);
	if (!config)
		return NULL;
	config->states = vrs_calloc((size_t)count, sizeof *config->states);
	if (config->states)
		return config;
	vrs_free(config);
	return NULL;
}

enum vrs_status vrs_config_create(struct vrs_config **ret_config)
{
	if (!ret_config)
		return VRS_EINVAL;
	struct vrs_config *config = alloc_config();
	if (!config)
		return VRS_ENOMEM;
	enum vrs_status status = set_defaults(config);
	if (status != VRS_OK) {
		vrs_config_destroy(config);
		return status;
	}
	*ret_config = config;
	return VRS_OK;
}

void vrs_config_destroy(struct vrs_config *config)
{
	int count;

	if (!config)
		return;
	(void)vrs_option_table(&count);
	for (int i = 0; config->states && i < count; i++)
		vrs_free(config->states[i].text);
	vrs_free(config->states);
	vrs_free(config->files);
	vrs_free(config);
}

enum vrs_status vrs_config_copy(struct vrs_config **ret_config, const struct vrs_config *from)
{
	int count;

	if (!ret_config || !from)
		return VRS_EINVAL;
	struct vrs_config *config = alloc_config();
	if (!config)
		return VRS_ENOMEM;
	(void)vrs_option_table(&count);
	config->settings = from->settings;
	config->program = from->program;
	config->holds_warnings = from->holds_warnings;
	for (int i = 0; i < count; i++) {
		config->states[i] = from->states[i];
		config->states[i].text = NULL;
		if (!from->states[i].text)
			continue;
		config->states[i].text = vrs_strdup(from->states[i].text);
		if (!config->states[i].text) {
			vrs_config_destroy(config);
			return VRS_ENOMEM;
		}
	}
	for (int i = 0; i < from->file_count; i++)
		if (vrs_config_add_file(config, &from->files[i], NULL) != VRS_OK) {
			vrs_config_destroy(config);
			return VRS_ENOMEM;
		}
	*ret_config = config;
	return VRS_OK;
}

const struct vrs_settings *vrs_config_settings(const struct vrs_config *config)
{
	return &config->settings;
}

/*
 * Replace the value of a synonym by that of its target.  *ret_value NULL: this value leaves the option as it is ("use_fp16: false").
 */
static enum vrs_status map_synonym(const struct vrs_synonym *synonym, const struct vrs_assignment *a, char *buf, size_t size,
				   const char **ret_value, struct vrs_error *err)
{
	const char *first_value = strchr(synonym->map, '=');
	bool is_bool = first_value && strncmp(synonym->map, "true=", 5) == 0, on;
	const char *word = a->value;
	char pair[64], list[128] = "";

	if (is_bool && vrs_parse_bool(a->value, &on))
		word = on ? "true" : "false";
	for (int i = 0; vrs_words_get(synonym->map, i, pair, sizeof pair); i++) {
		char *equals = strchr(pair, '=');
		size_t len = strlen(list);

		*equals = '\0';
		if (strcmp(pair, word) == 0) {
			*ret_value = equals[1] ? buf : NULL;
			return vrs_strcpy(buf, size, equals + 1) ? VRS_OK : VRS_EINTERNAL;
		}
		(void)snprintf(list + len, sizeof list - len, "%s%s", i ? ", " : "", pair);
	}
	return vrs_fail(err, VRS_ECONFIG, "%s: \"%.80s\" is not one of %s", a->label, a->value, list);
}

static enum vrs_status fail_unknown_key(const struct vrs_assignment *a, struct vrs_error *err)
{
	const char *closest = vrs_option_closest_key(a->key);

	if (closest)
		return vrs_fail(err, VRS_ECONFIG, "unknown key \"%.120s\"; did you mean \"%s\"?", a->label, closest);
	return vrs_fail(err, VRS_ECONFIG, "unknown key \"%.120s\"; --list-options shows all keys", a->label);
}

/* True when a value of this source may replace the present one.  On the command line the last one does, shorthand or not. */
static bool is_stronger(const struct vrs_row_state *state, enum vrs_value_source source, bool weak)
{
	if (source != state->source)
		return source > state->source;
	return source == VRS_SOURCE_DEFAULT || source == VRS_SOURCE_FLAG || !weak || state->weak;
}

/* Values for the tuner to search: "a,b,c", in YAML also [a, b, c].  Of sizes only with an x, since [512, 512] is one. */
static bool is_list(const struct vrs_option *row, const char *text)
{
	return row->tunable && row->state == VRS_OPT_READY && (text[0] == '[' || strchr(text, ',')) &&
	       (row->type != VRS_OPT_SIZE2 || strchr(text, 'x'));
}

static enum vrs_status add_word(struct vrs_buf *list, const char *word, const char *label, struct vrs_error *err)
{
	enum vrs_status status = vrs_buf_printf(list, "%s%s", list->len ? "," : "", word);

	if (status == VRS_ELIMIT)
		return vrs_fail(err, VRS_ECONFIG, "%s: the list is too long", label);
	return status == VRS_OK ? VRS_OK : vrs_fail_nomem(err);
}

/* The value at *p, checked, joins the list; *p is then behind it. */
static enum vrs_status parse_item(const struct vrs_option *row, const char **p, const char *label, struct vrs_option_value *ret_value,
				  struct vrs_buf *list, struct vrs_error *err)
{
	char word[VRS_NAME_MAX];
	size_t length = strcspn(*p, ", []");

	if (length >= sizeof word)
		return vrs_fail(err, VRS_ECONFIG, "%s: a value of the list is too long", label);
	if (length == 0 && (!**p || strchr(",]", **p)))
		return vrs_fail(err, VRS_ECONFIG, "%s: a value of the list is missing", label);
	memcpy(word, *p, length);
	word[length] = '\0';
	*p += length;
	enum vrs_status status = length ? vrs_option_parse(row, word, label, ret_value, err) : VRS_OK; /* the caller tells of a bracket */
	if (status == VRS_OK && ret_value->is_interval)
		status = vrs_fail(err, VRS_ECONFIG, "%s: a list holds values, not the range %s", label, word);
	return status == VRS_OK ? add_word(list, word, label, err) : status;
}

/* "a, b" up to the end, or within brackets. */
static enum vrs_status parse_items(const struct vrs_option *row, const char *text, const char *label, struct vrs_option_value *ret_first,
				   struct vrs_buf *list, struct vrs_error *err)
{
	const char *p = text + strspn(text, " ");
	bool in_brackets = *p == '[';
	struct vrs_option_value value = {0};
	enum vrs_status status = VRS_OK;

	p += in_brackets;
	for (bool more = true, first = true; status == VRS_OK && more; first = false) {
		p += strspn(p, " ");
		status = parse_item(row, &p, label, &value, list, err);
		if (first)
			*ret_first = value;
		p += strspn(p, " ");
		more = *p == ',';
		p += more;
	}
	if (status != VRS_OK)
		return status;
	if (in_brackets && *p++ != ']')
		p = text; /* not closed */
	if (p[strspn(p, " ")])
		return vrs_fail(err, VRS_ECONFIG, "%s: \"%.80s\" is no list; write a,b,c or [a, b, c]", label, text);
	return VRS_OK;
}

/* Each value checked, and the words one after another without blanks; ret_value is the first. */
static enum vrs_status parse_list(const struct vrs_option *row, const char *text, const char *label, struct vrs_option_value *ret_value, char *buf,
				  size_t size, struct vrs_error *err)
{
	struct vrs_buf list;

	vrs_buf_init(&list, size - 1);
	enum vrs_status status = parse_items(row, text, label, ret_value, &list, err);
	if (status == VRS_OK && !vrs_strcpy(buf, size, vrs_buf_str(&list)))
		status = VRS_ELIMIT;
	vrs_buf_fini(&list);
	return status;
}

static enum vrs_status store(struct vrs_config *config, const struct vrs_option *row, const struct vrs_assignment *a,
			     const struct vrs_option_value *value, const char *text, bool weak, struct vrs_error *err)
{
	struct vrs_row_state *state = &config->states[vrs_option_index(row)], next = {
		.source = a->source, .weak = weak, .is_interval = value->is_interval, .low = value->low, .high = value->high,
	};

	(void)vrs_strcpy(next.label, sizeof next.label, a->label); /* shown only; a cut path is fine */
	(void)vrs_strcpy(next.where, sizeof next.where, a->where);
	if (row->state != VRS_OPT_READY || is_list(row, text)) {
		next.text = vrs_strdup(text);
		if (!next.text)
			return vrs_fail(err, VRS_ENOMEM, "out of memory while setting %s", a->label);
	}
	enum vrs_status status = config->holds_warnings ? VRS_OK : vrs_config_warn_row(config, row, &next, text, err);
	if (status != VRS_OK) {
		vrs_free(next.text);
		return status;
	}
	if (row->state == VRS_OPT_READY)
		vrs_option_store(row, value, &config->settings);
	vrs_free(state->text);
	*state = next;
	return VRS_OK;
}

enum vrs_status vrs_config_assign(struct vrs_config *config, const struct vrs_assignment *assignment, struct vrs_error *err)
{
	const struct vrs_synonym *synonym = vrs_synonym_find(assignment->key);
	const struct vrs_option *row = vrs_option_find(assignment->key);
	const char *text = assignment->value;
	struct vrs_option_value value;
	char mapped[64], printed[VRS_PATH_MAX];
	bool weak = synonym && synonym->weak;
	enum vrs_status status;

	if (!row)
		return fail_unknown_key(assignment, err);
	if (synonym) {
		status = map_synonym(synonym, assignment, mapped, sizeof mapped, &text, err);
		if (status != VRS_OK || !text)
			return status;
	}
	bool list = is_list(row, text);
	status = list ? parse_list(row, text, assignment->label, &value, printed, sizeof printed, err) :
			vrs_option_parse(row, text, assignment->label, &value, err);
	if (status != VRS_OK)
		return status;
	if (!is_stronger(&config->states[vrs_option_index(row)], assignment->source, weak)) {
		config->states[vrs_option_index(row)].prevails |= *text != '\0';
		return VRS_OK;
	}
	if (!list)
		status = vrs_option_print(row, &value, printed, sizeof printed);
	if (status == VRS_OK)
		status = store(config, row, assignment, &value, printed, weak, err);
	return status;
}

/* Whether the value that the option has comes from the first pair of the synonym. */
static bool is_from_synonym(const struct vrs_config *config, const struct vrs_option *row, const struct vrs_synonym *synonym)
{
	char pair[64], text[64];

	if (!config->states[vrs_option_index(row)].weak || !vrs_words_get(synonym->map, 0, pair, sizeof pair) ||
	    vrs_config_text(config, row, text, sizeof text) != VRS_OK)
		return false;
	return strcmp(strchr(pair, '=') + 1, text) == 0;
}

enum vrs_status vrs_config_settle_synonyms(struct vrs_config *config, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;

	if (strcmp(config->settings.engine.backend, "opencl") != 0)
		return VRS_OK;
	for (const struct vrs_synonym *s = vrs_synonym_list(); status == VRS_OK && s->keys; s++) {
		const struct vrs_option *row = vrs_option_find(s->target);

		if (!s->on_device || !is_from_synonym(config, row, s))
			continue;
		const struct vrs_row_state state = config->states[vrs_option_index(row)];
		const struct vrs_assignment on_device = {
			.key = s->target, .value = s->on_device, .source = state.source, .label = state.label, .where = state.where,
		};
		status = vrs_config_assign(config, &on_device, err);
	}
	return status;
}

enum vrs_status vrs_config_set(struct vrs_config *config, const char *key, const char *value, enum vrs_value_source source, const char *where,
			       struct vrs_error *err)
{
	struct vrs_assignment assignment = {
		.key = key, .value = value, .source = source, .label = where && *where ? where : key, .where = where ? where : "",
	};

	if (!config || !key || !value)
		return vrs_fail(err, VRS_EINVAL, "vrs_config_set needs a configuration, a key and a value");
	return vrs_config_assign(config, &assignment, err);
}

enum vrs_status vrs_config_text(const struct vrs_config *config, const struct vrs_option *row, char *buf, size_t size)
{
	const struct vrs_row_state *state = &config->states[vrs_option_index(row)];
	struct vrs_option_value value;

	if (row->state != VRS_OPT_READY || state->text)
		return vrs_strcpy(buf, size, state->text ? state->text : row->default_text) ? VRS_OK : VRS_ELIMIT;
	vrs_option_load(row, &config->settings, &value);
	value.is_interval = state->is_interval;
	value.low = state->low;
	value.high = state->high;
	return vrs_option_print(row, &value, buf, size);
}

enum vrs_status vrs_config_get(const struct vrs_config *config, const char *key, char *buf, size_t size)
{
	const struct vrs_option *row = vrs_option_find(key);

	return row ? vrs_config_text(config, row, buf, size) : VRS_ENOTFOUND;
}

enum vrs_value_source vrs_config_source(const struct vrs_config *config, const char *key)
{
	const struct vrs_option *row = vrs_option_find(key);

	return row ? config->states[vrs_option_index(row)].source : VRS_SOURCE_DEFAULT;
}

const char *vrs_source_name(enum vrs_value_source source)
{
	static const char *const names[] = {"default", "profile", "hardware", "file", "environment", "flag"};

	return (size_t)source < sizeof names / sizeof names[0] ? names[source] : "unknown";
}

const char *vrs_config_where(const struct vrs_config *config, const char *key)
{
	const struct vrs_option *row = vrs_option_find(key);

	return row ? config->states[vrs_option_index(row)].where : "";
}

enum vrs_status vrs_config_refuse_flags(const struct vrs_config *config, unsigned used, const char *mode, struct vrs_error *err)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);

	for (int i = 0; i < count; i++)
		if (config->states[i].source == VRS_SOURCE_FLAG && !(rows[i].traits & used))
			return vrs_fail(err, VRS_ECONFIG, "%s does not go with %s: it would change nothing", config->states[i].where, mode);
	return VRS_OK;
}

void vrs_settings_reset(struct vrs_settings *settings, const struct vrs_option *row)
{
	(void)set_default(settings, row); /* has worked before */
}

void vrs_settings_keep(struct vrs_settings *settings, unsigned traits)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);

	for (int i = 0; i < count; i++)
		if (!(rows[i].traits & traits))
			(void)set_default(settings, &rows[i]); /* has worked before */
}

bool vrs_settings_smooth(const struct vrs_settings *settings)
{
	bool is_open = !(settings->matte.motion_gate > 0) && !(settings->matte.motion_gate < 0);
	return !is_open && (settings->matte.smoothing < 1 || settings->matte.smoothing_window > 1);
}

bool vrs_config_interval(const struct vrs_config *config, const char *key, int *ret_low, int *ret_high)
{
	const struct vrs_option *row = vrs_option_find(key);
	const struct vrs_row_state *state = row ? &config->states[vrs_option_index(row)] : NULL;

	if (!state || !state->is_interval)
		return false;
	*ret_low = state->low;
	*ret_high = state->high;
	return true;
}

const char *vrs_config_list(const struct vrs_config *config, const char *key)
{
	const struct vrs_option *row = vrs_option_find(key);

	return row && row->state == VRS_OPT_READY ? config->states[vrs_option_index(row)].text : NULL;
}

bool vrs_config_is_fixed(const struct vrs_config *config, const char *key)
{
	int low, high;

	return vrs_config_source(config, key) > VRS_SOURCE_PROFILE && !vrs_config_interval(config, key, &low, &high) && !vrs_config_list(config, key);
}

void vrs_config_unset(struct vrs_config *config, const struct vrs_option *row)
{
	struct vrs_row_state *state = &config->states[vrs_option_index(row)];

	vrs_free(state->text);
	*state = (struct vrs_row_state){.source = VRS_SOURCE_DEFAULT};
	(void)set_default(&config->settings, row); /* has worked before */
}

void vrs_config_keep_recorded(struct vrs_config *config)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);

	for (int i = 0; i < count; i++)
		if (!vrs_option_is_recorded(&rows[i]))
			vrs_config_unset(config, &rows[i]);
}

void vrs_config_settle_ranges(struct vrs_config *config)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);

	for (int i = 0; i < count; i++) {
		config->states[i].is_interval = false;
		if (rows[i].state != VRS_OPT_READY)
			continue;
		vrs_free(config->states[i].text);
		config->states[i].text = NULL;
	}
}
