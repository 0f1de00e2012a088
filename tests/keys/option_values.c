/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prints for every option of vrseg that has an effect other values than its default, from the option table: KEY, what it affects (nothing, file,
 * picture or matte), FLAG, VALUE, in a line each with tabs between; of paths and free words the value is "?", the caller has one.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "config/option_table.h"

static const char *effect(const struct vrs_option *row)
{
	return row->affects & VRS_AFFECTS_MATTE     ? "matte"
	       : row->affects & VRS_AFFECTS_PICTURE ? "picture"
	       : row->affects & VRS_AFFECTS_FILE    ? "file"
						    : "nothing";
}

static void print(const struct vrs_option *row, const char *value)
{
	printf("%s\t%s\t%s\t%s\n", row->key, effect(row), row->flag, value);
}

static void print_words(const struct vrs_option *row, const char *words)
{
	char word[64];

	for (int i = 0; vrs_words_get(words, i, word, sizeof word); i++) {
		if (strcmp(word, row->default_text) != 0)
			print(row, word);
	}
}

/* One above the default and one below, as far as there are. */
static void print_numbers(const struct vrs_option *row)
{
	struct vrs_option_value value;
	char text[64];

	if (vrs_option_parse(row, row->default_text, row->key, &value, NULL) != VRS_OK)
		return;
	bool whole = row->type == VRS_OPT_INT;
	double usual = whole ? value.number : value.real;

	for (int sign = -1; sign <= 1; sign += 2) {
		double room = sign > 0 ? row->max - usual : usual - row->min;
		double step = whole ? fmin(room, 1) : fmin(room / 3, 1);

		if (!(step > 0))
			continue;
		snprintf(text, sizeof text, whole ? "%.0f" : "%.6g", usual + sign * step);
		print(row, text);
	}
}

static void print_values(const struct vrs_option *row)
{
	if (row->choices) {
		print_words(row, row->choices);
	} else if (row->type == VRS_OPT_BOOL) {
		print(row, strcmp(row->default_text, "true") == 0 ? "false" : "true");
	} else if (row->type == VRS_OPT_INT || row->type == VRS_OPT_DOUBLE) {
		print_numbers(row);
	} else if (row->type == VRS_OPT_SIZE2) {
		print(row, "128x128");
	} else if (row->type == VRS_OPT_COLOR) {
		print(row, "123456");
	} else {
		print(row, "?");
	}
}

int main(void)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);

	for (int i = 0; i < count; i++) {
		if (rows[i].state == VRS_OPT_READY && rows[i].programs & VRS_PROGRAM_VRSEG)
			print_values(&rows[i]);
	}
	return 0;
}
