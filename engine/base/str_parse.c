/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Strict parsing: the grammar is checked by hand, so that white space, "12abc", hex, NaN and locales never slip through. */
#include "base/str_parse.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SECONDS 1e9       /* 31 years; longer durations are mistakes */
#define MAX_DISTANCE_LEN 128  /* bytes of a word that edit distance looks at */

static locale_t c_locale;
static pthread_once_t c_locale_once = PTHREAD_ONCE_INIT;

static void make_c_locale(void)
{
	c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Read an integer at *s and advance; no white space, at most one sign. */
static bool take_int(const char **s, int64_t *ret)
{
	const char *digits = *s + (**s == '-' || **s == '+');
	char *end;

	if (!is_digit(*digits))
		return false;
	errno = 0;
	long long value = strtoll(*s, &end, 10);

	if (errno)
		return false;
	*s = end;
	*ret = value;
	return true;
}

/* Read a finite number at *s and advance: [+-]digits[.digits][e[+-]digits] with at least one digit before the exponent. */
static bool take_double(const char **s, double *ret)
{
	const char *digits = *s + (**s == '-' || **s == '+');
	char *end;

	if ((!is_digit(*digits) && *digits != '.') || (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')))
		return false;
	pthread_once(&c_locale_once, make_c_locale);
	if (!c_locale)
		return false;
	double value = strtod_l(*s, &end, c_locale);

	if (end == *s || !isfinite(value))
		return false;
	*s = end;
	*ret = value;
	return true;
}

bool vrs_parse_int(const char *s, int64_t min, int64_t max, int64_t *ret)
{
	int64_t value;

	if (!take_int(&s, &value) || *s || value < min || value > max)
		return false;
	*ret = value;
	return true;
}

bool vrs_parse_double(const char *s, double min, double max, double *ret)
{
	double value;

	if (!take_double(&s, &value) || *s || value < min || value > max)
		return false;
	*ret = value;
	return true;
}

bool vrs_parse_bool(const char *s, bool *ret)
{
	static const char *const yes[] = {"true", "yes", "on", "1"}, *const no[] = {"false", "no", "off", "0"};

	for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++) {
		if (strcasecmp(s, yes[i]) == 0 || strcasecmp(s, no[i]) == 0) {
			*ret = strcasecmp(s, yes[i]) == 0;
			return true;
		}
	}
	return false;
}

/* Advance behind a mark, and where allowed the blanks around it. */
static bool take_mark(const char **s, char mark, bool blanks)
{
	const char *at = *s + (blanks ? strspn(*s, " ") : 0);

	if (*at++ != mark)
		return false;
	*s = at + (blanks ? strspn(at, " ") : 0);
	return true;
}

bool vrs_parse_size2(const char *s, int64_t min, int64_t max, int ret[2])
{
	bool brackets = *s == '[';
	int64_t a, b;

	if ((brackets && !take_mark(&s, '[', true)) || !take_int(&s, &a) || !take_mark(&s, brackets ? ',' : 'x', brackets) || !take_int(&s, &b))
		return false;
	if (strcmp(s + (brackets ? strspn(s, " ") : 0), brackets ? "]" : "") != 0)
		return false;
	if (a < min || a > max || b < min || b > max || a != (int)a || b != (int)b)
		return false;
	ret[0] = (int)a;
	ret[1] = (int)b;
	return true;
}

bool vrs_parse_color(const char *s, uint8_t ret[3])
{
	s += *s == '#';
	if (strlen(s) != 6 || strspn(s, "0123456789abcdefABCDEF") != 6)
		return false;
	unsigned long rgb = strtoul(s, NULL, 16);

	ret[0] = (uint8_t)(rgb >> 16);
	ret[1] = (uint8_t)(rgb >> 8);
	ret[2] = (uint8_t)rgb;
	return true;
}

bool vrs_parse_bytes(const char *s, uint64_t *ret)
{
	static const char units[] = "KMGT";
	double value;

	if (!is_digit(*s) || !take_double(&s, &value))
		return false;
	const char *unit = *s ? strchr(units, toupper((unsigned char)*s)) : NULL;

	if (*s && !unit)
		return false;
	if (unit) {
		value = ldexp(value, 10 * (int)(unit - units + 1));
		s++;
		if (strcmp(s, "iB") == 0)
			s += 2;
	}
	if (*s || value >= 0x1p63)
		return false;
	*ret = (uint64_t)value;
	return true;
}

/* [H:]M:S[.f]; minutes and seconds below 60 unless they lead. */
static bool parse_clock(const char *s, double *ret)
{
	int64_t leading[2] = {0};
	int count = 0;
	double seconds;

	while (count < 2 && s[strspn(s, "0123456789")] == ':') {
		if (!is_digit(*s) || !take_int(&s, &leading[count]) || leading[count] > (int64_t)MAX_SECONDS)
			return false;
		if (count > 0 && leading[count] >= 60)
			return false;
		count++;
		s++;
	}
	if (count == 0 || !is_digit(*s) || !take_double(&s, &seconds) || *s || seconds >= 60)
		return false;
	*ret = (count == 2 ? (double)leading[0] * 3600 + (double)leading[1] * 60 : (double)leading[0] * 60) + seconds;
	return *ret <= MAX_SECONDS;
}

bool vrs_parse_duration(const char *s, double *ret_seconds)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"min", 60}, {"h", 3600}};
	double value;

	if (strchr(s, ':')) {
		if (!parse_clock(s, &value))
			return false;
		*ret_seconds = value;
		return true;
	}
	if (*s == '-' || !take_double(&s, &value))
		return false;
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		if (strcmp(s, units[i].name) == 0 && value * units[i].seconds <= MAX_SECONDS) {
			*ret_seconds = value * units[i].seconds;
			return true;
		}
	}
	return false;
}

struct int_list {
	int64_t min, max;
	int64_t *items;
	int count, max_count;
};

static bool list_add(struct int_list *list, int64_t value)
{
	if (value < list->min || value > list->max || list->count >= list->max_count)
		return false;
	list->items[list->count++] = value;
	return true;
}

/* One part between commas: "a", "a-b*m" or "a:b:s"; *s advances behind it. */
static bool list_part(const char **s, struct int_list *list)
{
	int64_t first, last, by;

	if (!take_int(s, &first))
		return false;
	char kind = **s;

	if (kind != '-' && kind != ':')
		return list_add(list, first);
	(*s)++;
	if (!take_int(s, &last) || **s != (kind == '-' ? '*' : ':'))
		return false;
	(*s)++;
	if (!take_int(s, &by) || last < first || by < (kind == '-' ? 2 : 1) || (kind == '-' && first < 1))
		return false;
	for (int64_t value = first; value <= last;) {
		if (!list_add(list, value))
			return false;
		if (kind == '-' ? __builtin_mul_overflow(value, by, &value) : __builtin_add_overflow(value, by, &value))
			break;
	}
	return true;
}

bool vrs_parse_hash(const char *s, uint64_t *ret)
{
	if (strlen(s) != 16 || strspn(s, "0123456789abcdef") != 16)
		return false;
	*ret = strtoull(s, NULL, 16);
	return true;
}

int vrs_parse_int_list(const char *s, int64_t min, int64_t max, int64_t *ret, int max_count)
{
	struct int_list list = {.min = min, .max = max, .items = ret, .max_count = max_count};

	for (;;) {
		if (!list_part(&s, &list))
			return -1;
		if (!*s)
			return list.count;
		if (*s++ != ',')
			return -1;
	}
}

static int min_int(int a, int b)
{
	return a < b ? a : b;
}

/* Optimal string alignment distance over three rows. */
int vrs_edit_distance(const char *a, const char *b)
{
	int rows[3][MAX_DISTANCE_LEN + 1];
	int *before = rows[0], *above = rows[1], *row = rows[2];
	size_t la = strlen(a), lb = strlen(b);

	if (la > MAX_DISTANCE_LEN || lb > MAX_DISTANCE_LEN)
		return (int)min_int(1 << 20, (int)((la > lb ? la : lb) & 0x7fffffff));
	for (size_t j = 0; j <= lb; j++)
		above[j] = (int)j;
	for (size_t i = 1; i <= la; i++) {
		row[0] = (int)i;
		for (size_t j = 1; j <= lb; j++) {
			row[j] = min_int(min_int(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = min_int(row[j], before[j - 2] + 1);
		}
		int *oldest = before;

		before = above;
		above = row;
		row = oldest;
	}
	return above[lb];
}

const char *vrs_closest(const char *word, const char *const *candidates)
{
	const char *best = NULL;
	int best_distance = 0;

	for (; *candidates; candidates++) {
		int distance = vrs_edit_distance(word, *candidates);

		if (distance <= (int)(strlen(*candidates) / 3) && (!best || distance < best_distance)) {
			best = *candidates;
			best_distance = distance;
		}
	}
	return best;
}

bool vrs_strcpy(char *dst, size_t size, const char *src)
{
	size_t len = strnlen(src, size);

	if (size == 0)
		return false;
	bool fits = len < size;

	if (!fits)
		len = size - 1;
	memmove(dst, src, len);
	dst[len] = '\0';
	return fits;
}
