/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/plan/case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/str_parse.h"
#include "bench/record/frame_metrics.h"

/* Letters of ids, in the order in which they are written; the option table says whose they are. */
static const char id_letters[] = "bptsnme";

static const struct vrs_option *row_of_letter(char letter)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);
	for (int i = 0; i < count; i++)
		if (rows[i].id_letter == letter)
			return &rows[i];
	return NULL;
}

const char *vrs_case_get(const struct vrs_case *c, const char *key)
{
	for (int i = 0; i < c->value_count; i++)
		if (strcmp(c->values[i].key, key) == 0)
			return c->values[i].value;
	return NULL;
}

bool vrs_case_same_values(const struct vrs_case *a, const struct vrs_case *b)
{
	bool same = a->value_count == b->value_count;
	for (int i = 0; same && i < a->value_count; i++) {
		const char *other = vrs_case_get(b, a->values[i].key);
		same = other && strcmp(other, a->values[i].value) == 0;
	}
	return same;
}

enum vrs_status vrs_case_set(struct vrs_case *c, const char *key, const char *value, struct vrs_error *err)
{
	const struct vrs_option *row = vrs_option_find(key);
	if (!row)
		return vrs_fail(err, VRS_ECONFIG, "there is no option \"%s\" (--list-options shows all)", key);
	if (!vrs_option_is_recorded(row)) /* ids of cases come from records, and go into them */
		return vrs_fail(err, VRS_ECONFIG, "a case does not set %s", row->key);
	struct vrs_case_value entry;
	if (!vrs_strcpy(entry.key, sizeof entry.key, row->key) || !vrs_strcpy(entry.value, sizeof entry.value, value))
		return vrs_fail(err, VRS_ELIMIT, "the value of %s is longer than %zu characters", row->key, sizeof entry.value - 1);
	for (int i = 0; i < c->value_count; i++)
		if (strcmp(c->values[i].key, entry.key) == 0) {
			c->values[i] = entry;
			return VRS_OK;
		}
	if (c->value_count == VRS_CASE_MAX_VALUES)
		return vrs_fail(err, VRS_ELIMIT, "a case sets at most %d options", VRS_CASE_MAX_VALUES);
	c->values[c->value_count++] = entry;
	return VRS_OK;
}

enum vrs_status vrs_case_set_scope(struct vrs_case *c, const char *scope, struct vrs_error *err)
{
	char known[96];
	int value;
	vrs_names_join(&vrs_scope_names, known, sizeof known);
	if (!vrs_name_find(&vrs_scope_names, scope, &value))
		return vrs_fail(err, VRS_ECONFIG, "scope must be %s, not \"%.60s\"", known, scope);
	c->scope = (enum vrs_scope)value;
	return VRS_OK;
}

enum vrs_status vrs_case_set_mode(struct vrs_case *c, const char *mode, struct vrs_error *err)
{
	return vrs_mode_parse(mode, &c->live_hz) ? VRS_OK
						 : vrs_fail(err, VRS_ECONFIG, "mode must be offline or live@HZ such as live@72, not \"%.60s\"", mode);
}

/* "[512, 512]" and "512x512" are one value; ids use the second. "0" of a count is "auto". */
static void id_value(const struct vrs_option *row, const char *value, char *text, size_t size)
{
	int pair[2];
	if (row && row->type == VRS_OPT_SIZE2 && vrs_parse_size2(value, 0, 1 << 20, pair))
		snprintf(text, size, "%dx%d", pair[0], pair[1]);
	else if (row && row->type == VRS_OPT_INT && row->id_letter && strcmp(value, "0") == 0)
		vrs_strcpy(text, size, "auto");
	else
		vrs_strcpy(text, size, value);
}

static bool is_escaped(unsigned char c)
{
	return c == '/' || c == '%' || c < 32 || c == 127;
}

size_t vrs_case_id_part(const struct vrs_option *row, const char *value)
{
	char text[sizeof(struct vrs_case_value)];
	size_t length = strlen("/=") + (row->id_letter ? 1 : strlen(row->key));
	id_value(row, value, text, sizeof text);
	for (const unsigned char *p = (const unsigned char *)text; *p; p++)
		length += is_escaped(*p) ? strlen("%00") : 1;
	return length;
}

static enum vrs_status append_part(struct vrs_buf *id, const char *name, const struct vrs_option *row, const char *value)
{
	char text[sizeof(struct vrs_case_value)];
	id_value(row, value, text, sizeof text);
	enum vrs_status status = vrs_buf_printf(id, "/%s=", name);
	for (const unsigned char *p = (const unsigned char *)text; *p && status == VRS_OK; p++)
		status = is_escaped(*p) ? vrs_buf_printf(id, "%%%02X", *p) : vrs_buf_append(id, p, 1);
	return status;
}

static int compare_value(const void *a, const void *b)
{
	const struct vrs_case_value *const *x = a, *const *y = b;
	return strcmp((*x)->key, (*y)->key);
}

static enum vrs_status append_short(struct vrs_buf *id, const struct vrs_case *c, const struct vrs_config *base)
{
	enum vrs_status status = VRS_OK;
	for (const char *letter = id_letters; *letter && status == VRS_OK; letter++) {
		const struct vrs_option *row = row_of_letter(*letter);
		const char name[2] = {*letter, 0}, *value = row ? vrs_case_get(c, row->key) : NULL;
		char text[192];
		if (!value && row && row->id_always && base && vrs_config_get(base, row->key, text, sizeof text) == VRS_OK)
			value = text;
		if (value)
			status = append_part(id, name, row, value);
	}
	return status;
}

static enum vrs_status append_others(struct vrs_buf *id, const struct vrs_case *c)
{
	const struct vrs_case_value *others[VRS_CASE_MAX_VALUES];
	size_t count = 0;
	for (int i = 0; i < c->value_count; i++) {
		const struct vrs_option *row = vrs_option_find(c->values[i].key);
		if (!row || !row->id_letter)
			others[count++] = &c->values[i];
	}
	/* NOLINTNEXTLINE(bugprone-sizeof-expression): of pointers */
	qsort(others, count, sizeof *others, compare_value);
	for (size_t i = 0; i < count; i++) {
		enum vrs_status status = append_part(id, others[i]->key, vrs_option_find(others[i]->key), others[i]->value);
		if (status != VRS_OK)
			return status;
	}
	return VRS_OK;
}

enum vrs_status vrs_case_id(const struct vrs_case *c, const struct vrs_config *base, int input_width, int input_height, char *ret_id, size_t size,
			    struct vrs_error *err)
{
	struct vrs_buf id;
	char mode[24];
	vrs_buf_init(&id, size - 1);
	int w = c->width ? c->width : input_width, h = c->height ? c->height : input_height;
	enum vrs_status status = vrs_buf_printf(&id, "r=%dx%d", w, h);
	if (status == VRS_OK)
		status = append_short(&id, c, base);
	if (status == VRS_OK)
		status = append_others(&id, c);
	if (status == VRS_OK && c->side)
		status = vrs_buf_printf(&id, "/side=%c", c->side);
	if (status == VRS_OK && c->scope != VRS_SCOPE_END_TO_END)
		status = append_part(&id, "scope", NULL, vrs_name_of(&vrs_scope_names, c->scope));
	if (status == VRS_OK && c->live_hz > 0)
		status = append_part(&id, "mode", NULL, vrs_mode_text(c->live_hz, mode, sizeof mode));
	if (status == VRS_OK)
		vrs_strcpy(ret_id, size, vrs_buf_str(&id));
	vrs_buf_fini(&id);
	return status == VRS_OK ? VRS_OK : vrs_fail(err, status, "the id of a case is longer than %zu characters", size - 1);
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Undo %XX in place; false when malformed. */
static bool unescape(char *text)
{
	char *out = text;
	for (const char *in = text; *in; in++) {
		if (*in != '%') {
			*out++ = *in;
			continue;
		}
		int high = hex_digit(in[1]), low = high < 0 ? -1 : hex_digit(in[2]);
		if (low < 0 || high * 16 + low == 0)
			return false;
		*out++ = (char)(high * 16 + low);
		in += 2;
	}
	*out = 0;
	return true;
}

static enum vrs_status parse_part(char *part, struct vrs_case *c, struct vrs_error *err)
{
	char shown[96];
	vrs_strcpy(shown, sizeof shown, part);
	char *equals = strchr(part, '=');
	if (!equals || equals == part || !equals[1])
		return vrs_fail(err, VRS_ECONFIG, "\"%s\" in a case id is not NAME=VALUE", shown);
	*equals = 0;
	char *name = part, *value = equals + 1;
	if (!unescape(value))
		return vrs_fail(err, VRS_ECONFIG, "\"%s\" in a case id has a damaged %%XX escape", shown);
	if (strcmp(name, "r") == 0) {
		int size[2];
		if (c->width || !vrs_parse_size2(value, 1, 32768, size))
			return vrs_fail(err, VRS_ECONFIG, "\"%s\" in a case id is not one r=WIDTHxHEIGHT", shown);
		c->width = size[0];
		c->height = size[1];
		return VRS_OK;
	}
	if (strcmp(name, "side") == 0) {
		if (c->side || (strcmp(value, "A") != 0 && strcmp(value, "B") != 0))
			return vrs_fail(err, VRS_ECONFIG, "\"%s\" in a case id is not one side=A or side=B", shown);
		c->side = value[0];
		return VRS_OK;
	}
	if (strcmp(name, "scope") == 0)
		return vrs_case_set_scope(c, value, err);
	if (strcmp(name, "mode") == 0)
		return vrs_case_set_mode(c, value, err);
	const struct vrs_option *row = name[0] && !name[1] ? row_of_letter(name[0]) : vrs_option_find(name);
	if (row && vrs_case_get(c, row->key))
		return vrs_fail(err, VRS_ECONFIG, "\"%s\" appears twice in a case id", name);
	bool is_auto = row && row->type == VRS_OPT_INT && row->id_letter && strcmp(value, "auto") == 0;
	return vrs_case_set(c, row ? row->key : name, is_auto ? "0" : value, err);
}

enum vrs_status vrs_case_parse(const char *id, struct vrs_case *ret_case, struct vrs_error *err)
{
	char text[VRS_CASE_ID_MAX];
	if (!vrs_strcpy(text, sizeof text, id))
		return vrs_fail(err, VRS_ECONFIG, "a case id has at most %zu characters", sizeof text - 1);
	struct vrs_case c = {.value_count = 0};
	char *rest = text;
	for (char *part; (part = strsep(&rest, "/"));) {
		enum vrs_status status = parse_part(part, &c, err);
		if (status != VRS_OK)
			return status;
	}
	if (!c.width)
		return vrs_fail(err, VRS_ECONFIG, "the case id \"%s\" has no r=WIDTHxHEIGHT", id);
	*ret_case = c;
	return VRS_OK;
}

enum vrs_status vrs_case_config(const struct vrs_case *c, const struct vrs_config *base, struct vrs_config **ret_config, struct vrs_error *err)
{
	struct vrs_config *config;
	const char *rate = NULL;
	enum vrs_status status = vrs_config_copy(&config, base);
	if (status != VRS_OK)
		return vrs_fail(err, status, "cannot copy the configuration: %s", vrs_status_str(status));
	for (int i = 0; i < c->value_count && status == VRS_OK; i++) {
		status = vrs_config_set(config, c->values[i].key, c->values[i].value, VRS_SOURCE_FLAG, "case", err);
		if (status == VRS_OK)
			status = vrs_config_outrank(config, c->values[i].key, &rate, err);
	}
	if (status != VRS_OK) {
		vrs_config_destroy(config);
		return status;
	}
	vrs_config_drop_needless(config); /* what the base says for other cases */
	*ret_config = config;
	return VRS_OK;
}

void vrs_case_file_name(const char *id, char *ret_name, size_t size)
{
	vrs_strcpy(ret_name, size, id);
	bool changed = strlen(id) >= size;
	for (char *p = ret_name; *p; p++) {
		bool plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || strchr(".-_=", *p);
		changed |= !plain && *p != '/';
		*p = *p == '/' ? ',' : plain ? *p : '_';
	}
	/* Two ids that differ only in replaced characters still get two names. */
	if (changed && size > 20) {
		size_t length = strlen(ret_name);
		if (length > size - 18)
			length = size - 18;
		snprintf(ret_name + length, size - length, "-%016llx", (unsigned long long)vrs_hash_str(VRS_HASH_INIT, id));
	}
}
