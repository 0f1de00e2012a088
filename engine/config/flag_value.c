/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The value of a program's flag: one reader for each type, and what a wrong one should have been. */
#include <stdio.h>
#include <string.h>

#include "base/str_parse.h"
#include "config/cli_common.h"
#include "config/option_table.h"

static bool read_time(const char *value, double *field)
{
	return vrs_parse_duration(value, field) && *field > 0 && *field <= 1e6;
}

/* "2", "2%" or "2 %". */
static bool read_percent(const struct vrs_cli_action *flag, const char *value, double *field)
{
	char text[32];
	double percent;

	if (!vrs_strcpy(text, sizeof text, value))
		return false;
	size_t n = strlen(text);
	if (n > 0 && text[n - 1] == '%')
		text[--n] = '\0';
	while (n > 0 && text[n - 1] == ' ')
		text[--n] = '\0';
	if (!vrs_parse_double(text, flag->min, flag->max, &percent))
		return false;
	*field = percent / 100;
	return true;
}

static bool read_bytes(const char *value, uint64_t *field)
{
	return vrs_parse_bytes(value, field) && *field > 0 && *field < (UINT64_C(1) << 49);
}

/* "a,b" or "none". */
static bool read_choices(const struct vrs_cli_action *flag, const char *value, unsigned *field)
{
	unsigned bits = 0;

	if (strcmp(value, "none") == 0) {
		*field = 0;
		return true;
	}
	for (const char *p = value; *p;) {
		size_t n = strcspn(p, ",");
		char word[64];
		int place;

		if (n >= sizeof word)
			return false;
		memcpy(word, p, n);
		word[n] = '\0';
		if (!vrs_words_have(flag->choices, word, &place))
			return false;
		bits |= 1u << place;
		p += n + (p[n] == ',');
	}
	*field = bits;
	return true;
}

static bool add_text(struct vrs_flag_texts *field, const char *value)
{
	if (field->count == VRS_FLAG_TEXTS_MAX)
		return false;
	field->items[field->count++] = value;
	return true;
}

static void join_choices(const struct vrs_cli_action *flag, char *buf, size_t size)
{
	bool several = flag->type == VRS_FLAG_CHOICES;

	vrs_words_join(flag->choices, several ? ", " : " or ", buf, size);
	size_t len = strlen(buf);

	if (several)
		(void)snprintf(buf + len, size - len, "%s or none", strchr(flag->choices, ' ') ? " (several separated by commas)" : "");
}

static enum vrs_status refuse(const struct vrs_cli_action *flag, const char *shown, const char *value, struct vrs_error *err)
{
	char wanted[256] = "";

	switch (flag->type) {
	case VRS_FLAG_INT:
		(void)snprintf(wanted, sizeof wanted, "a whole number from %.0f to %.0f", flag->min, flag->max);
		break;
	case VRS_FLAG_NUMBER:
		(void)snprintf(wanted, sizeof wanted, "a number from %g to %g", flag->min, flag->max);
		break;
	case VRS_FLAG_TIME:
		(void)snprintf(wanted, sizeof wanted, "a time above 0 such as 30, 90s or 2m");
		break;
	case VRS_FLAG_PERCENT:
		(void)snprintf(wanted, sizeof wanted, "percent such as 2 or 2%%, from %g to %g", flag->min, flag->max);
		break;
	case VRS_FLAG_BYTES:
		(void)snprintf(wanted, sizeof wanted, "bytes such as 512M or 4G");
		break;
	case VRS_FLAG_TEXT:
	case VRS_FLAG_CHOICE:
	case VRS_FLAG_CHOICES:
		join_choices(flag, wanted, sizeof wanted);
		break;
	case VRS_FLAG_TEXTS:
		return vrs_fail(err, VRS_ECONFIG, "%s is given more than %d times", shown, VRS_FLAG_TEXTS_MAX);
	default:
		return vrs_fail(err, VRS_EINTERNAL, "%s takes any value", shown);
	}
	return vrs_fail(err, VRS_ECONFIG, "%s wants %s, not \"%.80s\"", shown, wanted, value);
}

enum vrs_status vrs_flag_store(const struct vrs_cli_action *flag, const char *shown, const char *value, void *flags, struct vrs_error *err)
{
	void *field = (char *)flags + flag->offset;
	bool good = true;

	if (value && !*value)
		return vrs_fail(err, VRS_ECONFIG, "%s needs a value: %s %s", shown, shown, flag->value_name);
	switch (flag->type) {
	case VRS_FLAG_ANSWER:
		return vrs_fail(err, VRS_EINTERNAL, "%s has no field", shown);
	case VRS_FLAG_SWITCH:
		*(bool *)field = true;
		break;
	case VRS_FLAG_TEXT:
		good = !flag->choices || vrs_words_have(flag->choices, value, NULL);
		*(const char **)field = value;
		break;
	case VRS_FLAG_LIST:
	case VRS_FLAG_NAMES:
		*(const char **)field = value;
		break;
	case VRS_FLAG_TEXTS:
		good = add_text(field, value);
		break;
	case VRS_FLAG_INT:
		good = vrs_parse_int(value, (int64_t)flag->min, (int64_t)flag->max, field);
		break;
	case VRS_FLAG_NUMBER:
		good = vrs_parse_double(value, flag->min, flag->max, field);
		break;
	case VRS_FLAG_TIME:
		good = read_time(value, field);
		break;
	case VRS_FLAG_PERCENT:
		good = read_percent(flag, value, field);
		break;
	case VRS_FLAG_BYTES:
		good = read_bytes(value, field);
		break;
	case VRS_FLAG_CHOICE:
		good = vrs_words_have(flag->choices, value, field);
		break;
	case VRS_FLAG_CHOICES:
		good = read_choices(flag, value, field);
		break;
	}
	return good ? VRS_OK : refuse(flag, shown, value, err);
}

bool vrs_flag_is_list(const struct vrs_cli_action *flag, const char *value)
{
	return value && (flag->type == VRS_FLAG_LIST ? strpbrk(value, ",:*") != NULL : flag->type == VRS_FLAG_NAMES && strchr(value, ','));
}
