/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text to value and back, one function per type.  Every message says what is wrong and what would be right. */

#include <stdio.h>
#include <string.h>

#include "base/str_parse.h"
#include "config/option_table.h"

#include <vrseg/config.h>

/* Shortest decimal form that reads back as the same double. */
static void print_double(double value, char *buf, size_t size)
{
	double back;

	for (int digits = 6; digits <= 17; digits++) {
		(void)snprintf(buf, size, "%.*g", digits, value);
		if (vrs_parse_double(buf, -1e308, 1e308, &back) && !(back < value) && !(back > value))
			return;
	}
}

double vrs_option_least(const struct vrs_option *row, bool *ret_open)
{
	bool apart = row->min_name && !row->takes_min;

	*ret_open = apart && row->type == VRS_OPT_DOUBLE && !(row->min < 0);
	if (!apart || *ret_open)
		return row->min;
	return row->type == VRS_OPT_INT ? row->min + 1 : 0;
}

bool vrs_option_is_word_number(const struct vrs_option *row, const char *text)
{
	int64_t number;

	return row && row->takes_min && vrs_parse_int(text, (int64_t)row->min, (int64_t)row->min, &number);
}

/* May the number be written? */
static bool is_number_of(const struct vrs_option *row, double number)
{
	bool open;
	double least = vrs_option_least(row, &open);

	return number <= row->max && (open ? number > least : number >= least); /* NaN is not */
}

void vrs_option_range_text(const struct vrs_option *row, char *buf, size_t size)
{
	bool is_int = row->type == VRS_OPT_INT, open;
	char low[32], high[32];
	const char *unit = row->unit ? row->unit : "";

	buf[0] = '\0';
	if (!is_int && row->type != VRS_OPT_DOUBLE)
		return;
	/* a number that is the same as the word is said beside it */
	print_double(vrs_option_least(row, &open) + (row->takes_min ? 1 : 0), low, sizeof low);
	print_double(row->max, high, sizeof high);
	if (is_int && row->max >= 2147483647)
		(void)snprintf(buf, size, "%s or more%s%s", low, *unit ? " " : "", unit);
	else
		(void)snprintf(buf, size, "%s%s%s to %s%s%s", open ? "above " : "", low, open ? "," : "", high, *unit ? " " : "", unit);
	if (row->min_name) {
		size_t len = strlen(buf);

		if (row->takes_min)
			(void)snprintf(buf + len, size - len, ", %.0f or %s", row->min, row->min_name);
		else
			(void)snprintf(buf + len, size - len, ", or %s", row->min_name);
	}
}

static enum vrs_status parse_bool(const struct vrs_option *row, const char *text, const char *label, struct vrs_option_value *value,
				  struct vrs_error *err)
{
	(void)row;
	if (vrs_parse_bool(text, &value->flag))
		return VRS_OK;
	return vrs_fail(err, VRS_ECONFIG, "%s: \"%.80s\" is neither true nor false", label, text);
}

/* "16-32" for rows that the tuner searches; false when it is no interval at all. */
static bool parse_interval(const struct vrs_option *row, const char *text, struct vrs_option_value *value)
{
	const char *dash = *text ? strchr(text + 1, '-') : NULL;
	char low_text[32];
	const int64_t least = (int64_t)row->min + (row->min_name ? 1 : 0); /* what the word stands for is no end of a range */
	int64_t low, high;

	if (!row->tunable || !dash || (size_t)(dash - text) >= sizeof low_text)
		return false;
	memcpy(low_text, text, (size_t)(dash - text));
	low_text[dash - text] = '\0';
	if (!vrs_parse_int(low_text, least, (int64_t)row->max, &low) || !vrs_parse_int(dash + 1, low, (int64_t)row->max, &high))
		return false;
	value->is_interval = true;
	value->low = (int)low;
	value->high = (int)high;
	value->number = (int)low;
	return true;
}

static enum vrs_status parse_int(const struct vrs_option *row, const char *text, const char *label, struct vrs_option_value *value,
				 struct vrs_error *err)
{
	char range[96];
	int64_t number;
	double real;

	if (vrs_parse_int(text, (int64_t)row->min, (int64_t)row->max, &number) && is_number_of(row, (double)number)) {
		value->number = (int)number;
		return VRS_OK;
	}
	if (parse_interval(row, text, value))
		return VRS_OK;
	vrs_option_range_text(row, range, sizeof range);
	if (vrs_parse_int(text, INT64_MIN, INT64_MAX, &number) ||
	    (vrs_parse_double(text, -1e308, 1e308, &real) && (real < row->min || real > row->max)))
		return vrs_fail(err, VRS_ECONFIG, "%s: %.80s is out of range (%s)", label, text, range);
	return vrs_fail(err, VRS_ECONFIG, "%s: \"%.80s\" is not a whole number (%s)", label, text, range);
}

static enum vrs_status parse_double(const struct vrs_option *row, const char *text, const char *label, struct vrs_option_value *value,
				    struct vrs_error *err)
{
	char range[96];
	double any;
	bool known = vrs_parse_double(text, -1e308, 1e308, &any) || (row->clock && vrs_parse_duration(text, &any));

	if (known && is_number_of(row, any)) {
		value->real = any;
		return VRS_OK;
	}
	vrs_option_range_text(row, range, sizeof range);
	if (known)
		return vrs_fail(err, VRS_ECONFIG, "%s: %.80s is out of range (%s)", label, text, range);
	return vrs_fail(err, VRS_ECONFIG, "%s: \"%.80s\" is not a %s (%s)", label, text, row->clock ? "time such as 12.5 or 1:30" : "number", range);
}

/* What a synonym of the option makes of the word ("device: cuda"), into buf; false: no synonym knows it. */
static bool choice_of_synonym(const struct vrs_option *row, const char *word, char *buf, size_t size)
{
	char pair[64];

	for (const struct vrs_synonym *s = vrs_synonym_list(); s->keys; s++)
		for (int i = 0; strcmp(s->target, row->key) == 0 && vrs_words_get(s->map, i, pair, sizeof pair); i++) {
			char *equals = strchr(pair, '=');

			*equals = '\0';
			if (strcmp(pair, word) == 0 && equals[1] != '\0')
				return vrs_strcpy(buf, size, equals + 1);
		}
	return false;
}

static enum vrs_status fail_choice(const struct vrs_option *row, const char *text, const char *label, struct vrs_error *err)
{
	char list[192], closest[64];

	vrs_words_join(row->choices, ", ", list, sizeof list);
	if (choice_of_synonym(row, text, closest, sizeof closest) || vrs_words_closest(row->choices, text, closest, sizeof closest))
		return vrs_fail(err, VRS_ECONFIG, "%s: \"%.80s\" is not one of %s; did you mean \"%s\"?", label, text, list, closest);
	return vrs_fail(err, VRS_ECONFIG, "%s: \"%.80s\" is not one of %s", label, text, list);
}

static enum vrs_status parse_enum(const struct vrs_option *row, const char *text, const char *label, struct vrs_option_value *value,
				  struct vrs_error *err)
{
	if (vrs_words_have(row->choices, text, &value->number))
		return VRS_OK;
	return fail_choice(row, text, label, err);
}

static bool has_control_characters(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			return true;
	return false;
}

static enum vrs_status parse_string(const struct vrs_option *row, const char *text, const char *label, struct vrs_option_value *value,
				    struct vrs_error *err)
{
	size_t size = row->size ? row->size : sizeof value->text;

	if (row->choices && !vrs_words_have(row->choices, text, NULL))
		return fail_choice(row, text, label, err);
	if (has_control_characters(text))
		return vrs_fail(err, VRS_ECONFIG, "%s: the text holds a control character, such as a line break", label);
	if (!vrs_strcpy(value->text, size, text))
		return vrs_fail(err, VRS_ECONFIG, "%s: the text is longer than %zu bytes", label, size - 1);
	return VRS_OK;
}

static enum vrs_status parse_size2(const struct vrs_option *row, const char *text, const char *label, struct vrs_option_value *value,
				   struct vrs_error *err)
{
	int size[2];
	int64_t max = (int64_t)row->max;

	if (vrs_parse_size2(text, 1, max, size)) {
		memcpy(value->size2, size, sizeof size);
		return VRS_OK;
	}
	if (vrs_parse_size2(text, INT32_MIN, INT32_MAX, size))
		return vrs_fail(err, VRS_ECONFIG, "%s: %.80s is out of range (1 to %.0f each way%s%s)", label, text, row->max, row->min_name ? ", or " : "",
				row->min_name ? row->min_name : "");
	return vrs_fail(err, VRS_ECONFIG, "%s: \"%.80s\" is not a size; write WIDTHxHEIGHT (512x512) or [512, 512]", label, text);
}

static enum vrs_status parse_color(const struct vrs_option *row, const char *text, const char *label, struct vrs_option_value *value,
				   struct vrs_error *err)
{
	(void)row;
	if (vrs_parse_color(text, value->color))
		return VRS_OK;
	return vrs_fail(err, VRS_ECONFIG, "%s: \"%.80s\" is not a colour; write six hexadecimal digits (00ff00)", label, text);
}

enum vrs_status vrs_option_parse(const struct vrs_option *row, const char *text, const char *label, struct vrs_option_value *ret_value,
				 struct vrs_error *err)
{
	static enum vrs_status (*const parsers[])(const struct vrs_option *, const char *, const char *, struct vrs_option_value *,
						  struct vrs_error *) = {
		[VRS_OPT_BOOL] = parse_bool,     [VRS_OPT_INT] = parse_int,     [VRS_OPT_DOUBLE] = parse_double, [VRS_OPT_ENUM] = parse_enum,
		[VRS_OPT_STRING] = parse_string, [VRS_OPT_SIZE2] = parse_size2, [VRS_OPT_COLOR] = parse_color,
	};

	memset(ret_value, 0, sizeof *ret_value);
	if (row->min_name && strcmp(text, row->min_name) == 0) {
		if (row->type == VRS_OPT_DOUBLE)
			ret_value->real = row->min;
		else if (row->type == VRS_OPT_INT)
			ret_value->number = (int)row->min;
		return VRS_OK;
	}
	if (!*text && row->type != VRS_OPT_STRING)
		return vrs_fail(err, VRS_ECONFIG, "%s: the value is missing", label);
	return parsers[row->type](row, text, label, ret_value, err);
}

void vrs_option_store(const struct vrs_option *row, const struct vrs_option_value *value, struct vrs_settings *settings)
{
	memcpy((char *)settings + row->offset, value->text, row->size); /* parse_string has checked the length */
}

void vrs_option_load(const struct vrs_option *row, const struct vrs_settings *settings, struct vrs_option_value *ret_value)
{
	memset(ret_value, 0, sizeof *ret_value);
	memcpy(ret_value->text, (const char *)settings + row->offset, row->size);
}

enum vrs_status vrs_option_text(const struct vrs_option *row, const struct vrs_settings *settings, char *buf, size_t size)
{
	struct vrs_option_value value;

	vrs_option_load(row, settings, &value);
	return vrs_option_print(row, &value, buf, size);
}

/* True when the value is the one that min_name stands for. */
static bool is_min(const struct vrs_option *row, const struct vrs_option_value *value)
{
	return row->min_name && ((row->type == VRS_OPT_INT && value->number == (int)row->min) ||
				 (row->type == VRS_OPT_DOUBLE && value->real <= row->min && value->real >= row->min) || (row->type == VRS_OPT_SIZE2 && value->size2[0] == 0));
}

static bool is_in_range(const struct vrs_option *row, const struct vrs_option_value *value)
{
	char word[64];

	switch (row->type) {
	case VRS_OPT_INT:
		return value->number >= row->min && value->number <= row->max;
	case VRS_OPT_DOUBLE:
		return is_number_of(row, value->real) || is_min(row, value);
	case VRS_OPT_ENUM:
		return value->number >= 0 && vrs_words_get(row->choices, value->number, word, sizeof word);
	case VRS_OPT_STRING:
		return memchr(value->text, 0, row->size);
	case VRS_OPT_SIZE2:
		return value->size2[0] >= 0 && value->size2[0] <= row->max && value->size2[1] >= 0 && value->size2[1] <= row->max;
	case VRS_OPT_BOOL:
	case VRS_OPT_COLOR:
		break;
	}
	return true;
}

enum vrs_status vrs_settings_in_range(const struct vrs_settings *settings, struct vrs_error *err)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);
	struct vrs_option_value value;

	for (int i = 0; i < count; i++) {
		if (rows[i].offset == SIZE_MAX)
			continue;
		vrs_option_load(&rows[i], settings, &value);
		if (!is_in_range(&rows[i], &value))
			return vrs_fail(err, VRS_EINVAL, "the setting %s is out of range", rows[i].key);
	}
	return VRS_OK;
}

enum vrs_status vrs_option_print(const struct vrs_option *row, const struct vrs_option_value *value, char *buf, size_t size)
{
	char made[64] = "";
	const char *text = made;

	if (is_min(row, value))
		text = row->min_name;
	else if (value->is_interval)
		(void)snprintf(made, sizeof made, "%d-%d", value->low, value->high);
	else if (row->type == VRS_OPT_STRING)
		text = value->text;
	else if (row->type == VRS_OPT_BOOL)
		text = value->flag ? "true" : "false";
	else if (row->type == VRS_OPT_ENUM)
		(void)vrs_words_get(row->choices, value->number, made, sizeof made);
	else if (row->type == VRS_OPT_INT)
		(void)snprintf(made, sizeof made, "%d", value->number);
	else if (row->type == VRS_OPT_DOUBLE)
		print_double(value->real, made, sizeof made);
	else if (row->type == VRS_OPT_SIZE2)
		(void)snprintf(made, sizeof made, "[%d, %d]", value->size2[0], value->size2[1]);
	else
		(void)snprintf(made, sizeof made, "%02x%02x%02x", value->color[0], value->color[1], value->color[2]);
	return vrs_strcpy(buf, size, text) ? VRS_OK : VRS_ELIMIT;
}
