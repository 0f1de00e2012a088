/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * YAML text to a flat list, from libfyaml's event stream.  Events, not documents: aliases arrive as names and are looked up among recorded
 * values, whose repetitions have a limit, so a small file cannot grow into a large one, and nesting is counted before anything is stored.
 */
#include <vrseg/yaml.h>

#include <libfyaml.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/printable.h"
#include "base/str_parse.h"

struct anchor {
	char name[64];
	char *value;
	enum vrs_yaml_kind kind;
};

struct reader {
	struct vrs_yaml *yaml;
	size_t capacity;
	struct vrs_error *err;
	struct fy_parser *parser;
	struct fy_diag *diag;
	char key[VRS_YAML_MAX_KEY + 1]; /* dotted key of the value to come */
	size_t prefix[VRS_YAML_MAX_DEPTH + 1]; /* length of the key in front of each open mapping */
	int first_entry[VRS_YAML_MAX_DEPTH + 1]; /* entries that existed when the mapping began */
	int depth;                      /* open mappings */
	bool want_value;                /* a key was read */
	bool document_seen;
	int line, column;               /* of the event, or of the key while a value is wanted */
	int key_line, key_column;
	struct anchor anchors[VRS_YAML_MAX_ANCHORS];
	int anchor_count;
	size_t repeated;                /* bytes, by aliases */
};

static enum vrs_status fail(struct reader *r, enum vrs_status status, const char *fmt, ...) VRS_PRINTF(3, 4);

static enum vrs_status fail(struct reader *r, enum vrs_status status, const char *fmt, ...)
{
	char text[400];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	return vrs_fail_at(r->err, status, r->yaml->name, r->line, r->column, "%s", text);
}

static char *copy_text(const char *text, size_t len)
{
	char *copy = vrs_alloc(len + 1);

	if (copy) {
		memcpy(copy, text, len);
		copy[len] = '\0';
	}
	return copy;
}

/* Text of a scalar, owned by the caller; checks length and NUL bytes, which a C string would hide. */
static enum vrs_status take_scalar(struct reader *r, struct fy_token *token, char **ret_text, enum vrs_yaml_kind *ret_kind)
{
	size_t len = 0;
	const char *text = token ? fy_token_get_text(token, &len) : "";
	bool plain = !token || fy_token_scalar_style(token) == FYSS_PLAIN;

	if (!text)
		return fail(r, VRS_ENOMEM, "out of memory while reading a value");
	if (len > VRS_YAML_MAX_VALUE)
		return fail(r, VRS_ELIMIT, "the value has %zu bytes, more than the limit of %d", len, VRS_YAML_MAX_VALUE);
	if (memchr(text, '\0', len))
		return fail(r, VRS_EFORMAT, "the value holds a NUL character");
	*ret_text = copy_text(text, len);
	if (!*ret_text)
		return fail(r, VRS_ENOMEM, "out of memory while reading a value");
	*ret_kind = plain ? VRS_YAML_PLAIN : VRS_YAML_QUOTED;
	if (plain && !len)
		*ret_kind = VRS_YAML_EMPTY;
	if (plain &&
	    (strcmp(*ret_text, "null") == 0 || strcmp(*ret_text, "Null") == 0 || strcmp(*ret_text, "NULL") == 0 || strcmp(*ret_text, "~") == 0))
		*ret_kind = VRS_YAML_NULL;
	return VRS_OK;
}

static void free_items(char **items, int count)
{
	for (int i = 0; i < count; i++)
		vrs_free(items[i]);
	vrs_free(items);
}

static void free_entry(struct vrs_yaml_entry *entry)
{
	free_items(entry->items, entry->item_count);
	vrs_free(entry->key);
	vrs_free(entry->value);
}

/* Append an entry for the key at hand; takes over value and items, also on failure. */
static enum vrs_status add_entry(struct reader *r, char *value, enum vrs_yaml_kind kind, char **items, int item_count)
{
	struct vrs_yaml_entry entry = {
		.key = vrs_strdup(r->key), .value = value, .kind = kind, .items = items, .item_count = item_count,
		.line = r->key_line, .column = r->key_column,
	};
	const struct vrs_yaml_entry *twin = vrs_yaml_find(r->yaml, r->key);
	enum vrs_status status = VRS_OK;
	void *array = r->yaml->entries;

	if (!entry.key)
		status = fail(r, VRS_ENOMEM, "out of memory while reading a value");
	if (status == VRS_OK && twin) {
		r->line = r->key_line;
		r->column = r->key_column;
		status = fail(r, VRS_EFORMAT, "%s is given twice; the first time in line %d", r->key, twin->line);
	}
	if (status == VRS_OK && r->yaml->count == VRS_YAML_MAX_ENTRIES)
		status = fail(r, VRS_ELIMIT, "the file has more than %d values", VRS_YAML_MAX_ENTRIES);
	if (status == VRS_OK &&
	    vrs_array_grow(&array, &r->capacity, (size_t)r->yaml->count + 1, sizeof entry, VRS_YAML_MAX_ENTRIES) != VRS_OK)
		status = fail(r, VRS_ENOMEM, "out of memory while reading a value");
	if (status != VRS_OK) {
		free_entry(&entry);
		return status;
	}
	r->yaml->entries = array;
	r->yaml->entries[r->yaml->count++] = entry;
	r->want_value = false;
	return VRS_OK;
}

static enum vrs_status record_anchor(struct reader *r, struct fy_token *anchor, const char *value, enum vrs_yaml_kind kind)
{
	struct anchor *slot = &r->anchors[r->anchor_count];
	size_t len = 0;
	const char *name = fy_token_get_text(anchor, &len);

	if (!name || len >= sizeof slot->name)
		return fail(r, VRS_ELIMIT, "the name of an anchor is longer than %zu bytes", sizeof slot->name - 1);
	if (r->anchor_count == VRS_YAML_MAX_ANCHORS)
		return fail(r, VRS_ELIMIT, "the file has more than %d anchors", VRS_YAML_MAX_ANCHORS);
	slot->value = vrs_strdup(value);
	if (!slot->value)
		return fail(r, VRS_ENOMEM, "out of memory while reading a value");
	memcpy(slot->name, name, len);
	slot->name[len] = '\0';
	slot->kind = kind;
	r->anchor_count++;
	return VRS_OK;
}

/* The latest value recorded under the alias's name. */
static enum vrs_status take_alias(struct reader *r, struct fy_token *token, char **ret_text, enum vrs_yaml_kind *ret_kind)
{
	size_t len = 0;
	const char *name = token ? fy_token_get_text(token, &len) : NULL;

	for (int i = r->anchor_count - 1; name && i >= 0; i--) {
		if (strlen(r->anchors[i].name) != len || memcmp(r->anchors[i].name, name, len) != 0)
			continue;
		r->repeated += strlen(r->anchors[i].value);
		if (r->repeated > VRS_YAML_MAX_REPEATED)
			return fail(r, VRS_ELIMIT, "aliases repeat more than %d bytes", VRS_YAML_MAX_REPEATED);
		*ret_kind = r->anchors[i].kind;
		*ret_text = vrs_strdup(r->anchors[i].value);
		return *ret_text ? VRS_OK : fail(r, VRS_ENOMEM, "out of memory while reading a value");
	}
	return fail(r, VRS_EFORMAT, "the alias *%.*s names no single value before it (lists and mappings cannot be repeated by alias)",
		    (int)(len < 60 ? len : 60), name ? name : "");
}

/* Text of a scalar or alias event. */
static enum vrs_status take_value(struct reader *r, struct fy_event *event, char **ret_text, enum vrs_yaml_kind *ret_kind)
{
	if (event->type == FYET_ALIAS)
		return take_alias(r, event->alias.anchor, ret_text, ret_kind);
	if (event->scalar.tag)
		return fail(r, VRS_EFORMAT, "tags such as !!str are not used in this file");
	enum vrs_status status = take_scalar(r, event->scalar.value, ret_text, ret_kind);
	if (status == VRS_OK && event->scalar.anchor) {
		status = record_anchor(r, event->scalar.anchor, *ret_text, *ret_kind);
		if (status != VRS_OK)
			vrs_free(*ret_text);
	}
	return status;
}

static enum vrs_status take_key(struct reader *r, struct fy_event *event)
{
	char *text = NULL;
	enum vrs_yaml_kind kind;
	size_t prefix = r->prefix[r->depth], len;

	if (event->type != FYET_SCALAR)
		return fail(r, VRS_EFORMAT, "a key must be a word");
	enum vrs_status status = take_value(r, event, &text, &kind);
	if (status != VRS_OK)
		return status;
	len = strlen(text);
	if (!len)
		status = fail(r, VRS_EFORMAT, "a key is missing before \":\"");
	else if (strcmp(text, "<<") == 0)
		status = fail(r, VRS_EFORMAT, "merge keys (<<) are not used in this file");
	else if (prefix + (prefix > 0) + len > VRS_YAML_MAX_KEY)
		status = fail(r, VRS_ELIMIT, "the key is longer than %d bytes", VRS_YAML_MAX_KEY);
	else
		(void)snprintf(r->key + prefix, sizeof r->key - prefix, "%s%s", prefix ? "." : "", text);
	vrs_free(text);
	r->want_value = true;
	r->key_line = r->line;
	r->key_column = r->column;
	return status;
}

static enum vrs_status open_mapping(struct reader *r)
{
	if (r->depth == VRS_YAML_MAX_DEPTH)
		return fail(r, VRS_ELIMIT, "the values are nested more than %d deep", VRS_YAML_MAX_DEPTH);
	r->depth++;
	r->prefix[r->depth] = r->depth == 1 ? 0 : strlen(r->key);
	r->first_entry[r->depth] = r->yaml->count;
	r->want_value = false;
	return VRS_OK;
}

static enum vrs_status close_mapping(struct reader *r)
{
	enum vrs_status status = VRS_OK;

	if (r->depth > 1 && r->yaml->count == r->first_entry[r->depth]) {
		char *empty = copy_text("", 0);

		r->key[r->prefix[r->depth]] = '\0';
		if (!empty)
			return fail(r, VRS_ENOMEM, "out of memory while reading a value");
		status = add_entry(r, empty, VRS_YAML_EMPTY, NULL, 0);
	}
	r->depth--;
	r->want_value = false;
	return status;
}

/* "[a, b]" of the items. */
static char *join_items(char **items, int count)
{
	struct vrs_buf buf;

	vrs_buf_init(&buf, (size_t)VRS_YAML_MAX_ITEMS * (VRS_YAML_MAX_VALUE + 2) + 2);
	enum vrs_status status = vrs_buf_puts(&buf, "[");
	for (int i = 0; status == VRS_OK && i < count; i++)
		status = vrs_buf_printf(&buf, "%s%s", i ? ", " : "", items[i]);
	if (status == VRS_OK)
		status = vrs_buf_puts(&buf, "]");
	char *text = status == VRS_OK ? vrs_strdup(vrs_buf_str(&buf)) : NULL;
	vrs_buf_fini(&buf);
	return text;
}

static enum vrs_status next_event(struct reader *r, struct fy_event **ret_event);

static enum vrs_status read_joined(struct reader *r, char **ret_text);

/* nested: inside of another list, where no further one may begin. */
static enum vrs_status read_items(struct reader *r, bool nested, char **items, int *count)
{
	for (;;) {
		struct fy_event *event;
		enum vrs_yaml_kind kind;
		enum vrs_status status = next_event(r, &event);
		bool ends;

		if (status != VRS_OK)
			return status;
		if (!event)
			return fail(r, VRS_EFORMAT, "the list does not end");
		ends = event->type == FYET_SEQUENCE_END;
		if (ends)
			status = VRS_OK;
		else if (event->type != FYET_SCALAR && event->type != FYET_ALIAS && (nested || event->type != FYET_SEQUENCE_START))
			status = fail(r, VRS_EFORMAT, "%s: a list may hold words, numbers and lists of these only", r->key);
		else if (*count == VRS_YAML_MAX_ITEMS)
			status = fail(r, VRS_ELIMIT, "%s: the list has more than %d items", r->key, VRS_YAML_MAX_ITEMS);
		else if (event->type == FYET_SEQUENCE_START)
			status = read_joined(r, &items[*count]);
		else
			status = take_value(r, event, &items[*count], &kind);
		if (status == VRS_OK && !ends)
			(*count)++;
		fy_parser_event_free(r->parser, event);
		if (status != VRS_OK || ends)
			return status;
	}
}

/* The items of a list and "[a, b]" of them; both are the caller's, or none is with an error. */
static enum vrs_status take_list(struct reader *r, bool nested, char ***ret_items, int *ret_count, char **ret_text)
{
	char **items = vrs_calloc(VRS_YAML_MAX_ITEMS + 1, sizeof *items);
	int count = 0;

	if (!items)
		return fail(r, VRS_ENOMEM, "out of memory while reading a list");
	enum vrs_status status = read_items(r, nested, items, &count);
	*ret_text = status == VRS_OK ? join_items(items, count) : NULL;
	if (status == VRS_OK && !*ret_text)
		status = fail(r, VRS_ENOMEM, "out of memory while reading a list");
	if (status != VRS_OK) {
		free_items(items, count);
		return status;
	}
	*ret_items = items;
	*ret_count = count;
	return VRS_OK;
}

/* A list in a list is one item of it: "[a, b]". */
static enum vrs_status read_joined(struct reader *r, char **ret_text)
{
	char **items = NULL;
	int count = 0;
	enum vrs_status status = take_list(r, true, &items, &count, ret_text);

	if (status != VRS_OK)
		return status;
	free_items(items, count);
	if (strlen(*ret_text) <= VRS_YAML_MAX_VALUE)
		return VRS_OK;
	vrs_free(*ret_text);
	return fail(r, VRS_ELIMIT, "%s: a list in the list has more than %d bytes", r->key, VRS_YAML_MAX_VALUE);
}

static enum vrs_status read_list(struct reader *r)
{
	char **items = NULL, *text = NULL;
	int count = 0;
	enum vrs_status status = take_list(r, false, &items, &count, &text);

	return status != VRS_OK ? status : add_entry(r, text, VRS_YAML_LIST, items, count);
}

/* An event where a value is expected. */
static enum vrs_status read_value(struct reader *r, struct fy_event *event)
{
	char *text = NULL;
	enum vrs_yaml_kind kind;

	if (event->type == FYET_MAPPING_START)
		return open_mapping(r);
	if (event->type == FYET_SEQUENCE_START)
		return read_list(r);
	enum vrs_status status = take_value(r, event, &text, &kind);
	if (status != VRS_OK)
		return status;
	if (kind == VRS_YAML_NULL)
		text[0] = '\0';
	return add_entry(r, text, kind, NULL, 0);
}

/* An event outside the top mapping. */
static enum vrs_status read_outside(struct reader *r, struct fy_event *event)
{
	switch (event->type) {
	case FYET_DOCUMENT_START:
		if (r->document_seen)
			return fail(r, VRS_EFORMAT, "a second document begins here; one file holds one document");
		r->document_seen = true;
		return VRS_OK;
	case FYET_MAPPING_START:
		return open_mapping(r);
	case FYET_SCALAR:
		if (!event->scalar.value || fy_token_get_text_length(event->scalar.value) == 0)
			return VRS_OK; /* an empty file, or one of comments only */
		return fail(r, VRS_EFORMAT, "the file must hold \"key: value\" lines");
	case FYET_SEQUENCE_START:
	case FYET_ALIAS:
		return fail(r, VRS_EFORMAT, "the file must hold \"key: value\" lines");
	default:
		return VRS_OK;
	}
}

static enum vrs_status read_event(struct reader *r, struct fy_event *event)
{
	if (r->depth == 0)
		return read_outside(r, event);
	if (event->type == FYET_MAPPING_END)
		return close_mapping(r);
	return r->want_value ? read_value(r, event) : take_key(r, event);
}

/* Turn what libfyaml reports into one sentence with a place. */
static enum vrs_status syntax_error(struct reader *r)
{
	void *iterator = NULL;
	const struct fy_diag_error *error = fy_diag_errors_iterate(r->diag, &iterator);

	if (!error)
		return fail(r, VRS_EFORMAT, "this is not valid YAML");
	r->line = error->line > 0 ? error->line : 0;
	r->column = error->column > 0 ? error->column : 0;
	return fail(r, VRS_EFORMAT, "this is not valid YAML: %s", error->msg ? error->msg : "syntax error");
}

/* *ret_event NULL: the stream has ended. */
static enum vrs_status next_event(struct reader *r, struct fy_event **ret_event)
{
	*ret_event = fy_parser_parse(r->parser);
	if (!*ret_event)
		return fy_parser_get_stream_error(r->parser) ? syntax_error(r) : VRS_OK;
	const struct fy_mark *mark = fy_event_start_mark(*ret_event);
	if (mark) {
		r->line = mark->line + 1;
		r->column = mark->column + 1 - ((*ret_event)->type == FYET_ALIAS); /* its mark is behind the "*" */
	}
	return VRS_OK;
}

static enum vrs_status read_stream(struct reader *r)
{
	for (;;) {
		struct fy_event *event;
		enum vrs_status status = next_event(r, &event);

		if (status != VRS_OK || !event)
			return status;
		status = read_event(r, event);
		fy_parser_event_free(r->parser, event);
		if (status != VRS_OK)
			return status;
	}
}

/* libfyaml prints to standard error unless its messages are collected. */
static void discard_output(struct fy_diag *diag, void *user, const char *buf, size_t len)
{
	(void)diag;
	(void)user;
	(void)buf;
	(void)len;
}

static enum vrs_status open_parser(struct reader *r, const char *text, size_t size)
{
	struct fy_diag_cfg diag_cfg;
	struct fy_parse_cfg parse_cfg = {.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_DISABLE_MMAP_OPT};

	fy_diag_cfg_default(&diag_cfg);
	diag_cfg.fp = NULL;
	diag_cfg.output_fn = discard_output;
	diag_cfg.colorize = false;
	r->diag = fy_diag_create(&diag_cfg);
	if (!r->diag)
		return fail(r, VRS_ENOMEM, "out of memory while opening the parser");
	fy_diag_set_collect_errors(r->diag, true);
	parse_cfg.diag = r->diag;
	r->parser = fy_parser_create(&parse_cfg);
	if (!r->parser || fy_parser_set_string(r->parser, text, size) != 0)
		return fail(r, VRS_ENOMEM, "out of memory while opening the parser");
	return VRS_OK;
}

static void close_reader(struct reader *r)
{
	for (int i = 0; i < r->anchor_count; i++)
		vrs_free(r->anchors[i].value);
	if (r->diag)
		fy_diag_destroy(r->diag); /* frees the collected errors, which a mere unref leaves behind; the parser has its own reference */
	if (r->parser)
		fy_parser_destroy(r->parser);
}

static bool is_control(uint8_t c)
{
	return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
}

/*
 * VRS_EFORMAT with line and column unless text is UTF-8 without control characters and directives.  libfyaml 0.7 does not return from a
 * directive that holds invalid UTF-8, and takes a time that grows with the square of the blank lines in a row of a text: VRS_ELIMIT beyond
 * VRS_YAML_MAX_BLANK_LINES of them.
 */
static enum vrs_status check_text(const char *text, size_t size, const char *name, struct vrs_error *err)
{
	const uint8_t *s = (const uint8_t *)text;
	int line = 1, column = 1, blank_lines = 0;

	for (size_t i = 0; i < size;) {
		size_t len = vrs_utf8_length(text + i, size - i);

		if (!len)
			return vrs_fail_at(err, VRS_EFORMAT, name, line, column, "the file is not UTF-8 text (byte 0x%02x)", s[i]);
		if (is_control(s[i]))
			return vrs_fail_at(err, VRS_EFORMAT, name, line, column, "the file holds the control character 0x%02x", s[i]);
		if (s[i] == '%' && column == 1)
			return vrs_fail_at(err, VRS_EFORMAT, name, line, column, "lines that begin with %% (directives) are not used in this file");
		if (!strchr(" \t\r\n", s[i]))
			blank_lines = -1; /* the line that this stands in is none */
		column++;
		if (s[i] == '\n' || (s[i] == '\r' && (i + 1 == size || s[i + 1] != '\n'))) {
			line++;
			column = 1;
			if (++blank_lines > VRS_YAML_MAX_BLANK_LINES)
				return vrs_fail_at(err, VRS_ELIMIT, name, line, column, "more than %d blank lines in a row", VRS_YAML_MAX_BLANK_LINES);
		}
		i += len;
	}
	return VRS_OK;
}

enum vrs_status vrs_yaml_parse(struct vrs_yaml *ret_yaml, const char *text, size_t size, const char *name, struct vrs_error *err)
{
	struct reader *r;

	if (!ret_yaml)
		return vrs_fail(err, VRS_EINVAL, "vrs_yaml_parse needs a place for the result");
	memset(ret_yaml, 0, sizeof *ret_yaml);
	if (!text && size)
		return vrs_fail(err, VRS_EINVAL, "vrs_yaml_parse needs a text");
	(void)vrs_strcpy(ret_yaml->name, sizeof ret_yaml->name, name ? name : "(text)"); /* for messages; a cut name is fine */
	if (size > VRS_YAML_MAX_BYTES)
		return vrs_fail_at(err, VRS_ELIMIT, ret_yaml->name, 0, 0, "the file has %zu bytes, more than the limit of %d", size,
				   VRS_YAML_MAX_BYTES);
	if (size == 0)
		return VRS_OK;
	enum vrs_status status = check_text(text, size, ret_yaml->name, err);
	if (status != VRS_OK)
		return status;
	r = vrs_calloc(1, sizeof *r);
	if (!r)
		return vrs_fail(err, VRS_ENOMEM, "out of memory while reading %s", ret_yaml->name);
	r->yaml = ret_yaml;
	r->err = err;
	status = open_parser(r, text, size);
	if (status == VRS_OK)
		status = read_stream(r);
	close_reader(r);
	vrs_free(r);
	return status;
}

enum vrs_status vrs_yaml_read(struct vrs_yaml *ret_yaml, const char *path, struct vrs_error *err)
{
	struct vrs_buf buf;

	memset(ret_yaml, 0, sizeof *ret_yaml);
	enum vrs_status status = vrs_file_read(path, VRS_YAML_MAX_BYTES, &buf, err);
	if (status == VRS_ELIMIT)
		return vrs_fail(err, status, "%s is not a YAML file: none may be larger than %d KiB", path, VRS_YAML_MAX_BYTES / 1024);
	if (status != VRS_OK)
		return status;
	status = vrs_yaml_parse(ret_yaml, vrs_buf_str(&buf), buf.len, path, err);
	vrs_buf_fini(&buf);
	return status;
}

void vrs_yaml_fini(struct vrs_yaml *yaml)
{
	if (!yaml)
		return;
	for (int i = 0; i < yaml->count; i++)
		free_entry(&yaml->entries[i]);
	vrs_free(yaml->entries);
	yaml->entries = NULL;
	yaml->count = 0;
}

const struct vrs_yaml_entry *vrs_yaml_find(const struct vrs_yaml *yaml, const char *key)
{
	for (int i = 0; i < yaml->count; i++)
		if (strcmp(yaml->entries[i].key, key) == 0)
			return &yaml->entries[i];
	return NULL;
}

enum vrs_status vrs_yaml_fail(const struct vrs_yaml *yaml, const struct vrs_yaml_entry *entry, struct vrs_error *err, enum vrs_status status,
			      const char *fmt, ...)
{
	char text[400];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	return vrs_fail_at(err, status, yaml->name, entry ? entry->line : 0, entry ? entry->column : 0, "%s", text);
}
