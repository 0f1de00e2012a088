/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looking rows up: by key, alias, flag, letter; nearest names for messages.  Linear searches: a table of a hundred rows, read at start-up. */
#include "config/option_table.h"

#include <stdio.h>
#include <string.h>

#include "base/str_parse.h"

#define MAX_CANDIDATES 512

bool vrs_words_have(const char *words, const char *word, int *ret_index)
{
	size_t len = strlen(word);
	int index = 0;

	if (!words || !len)
		return false;
	while (*words) {
		size_t n = strcspn(words, " ");

		if (n == len && memcmp(words, word, n) == 0) {
			if (ret_index)
				*ret_index = index;
			return true;
		}
		words += n;
		words += strspn(words, " ");
		index++;
	}
	return false;
}

bool vrs_words_get(const char *words, int index, char *buf, size_t size)
{
	if (!words)
		return false;
	while (*words) {
		size_t n = strcspn(words, " ");

		if (index-- == 0) {
			if (n >= size)
				return false;
			memcpy(buf, words, n);
			buf[n] = '\0';
			return true;
		}
		words += n;
		words += strspn(words, " ");
	}
	return false;
}

void vrs_words_join(const char *words, const char *last, char *buf, size_t size)
{
	char word[64], next[64];
	size_t len = 0;

	buf[0] = '\0';
	for (int i = 0; vrs_words_get(words, i, word, sizeof word); i++) {
		bool ends = !vrs_words_get(words, i + 1, next, sizeof next);

		(void)snprintf(buf + len, size - len, "%s%s", len == 0 ? "" : ends ? last : ", ", word);
		len = strlen(buf);
	}
}

bool vrs_words_closest(const char *words, const char *word, char *buf, size_t size)
{
	char text[32][64];
	const char *list[33];
	int n = 0;

	while (n < 32 && vrs_words_get(words, n, text[n], sizeof text[n])) {
		list[n] = text[n];
		n++;
	}
	list[n] = NULL;
	const char *best = vrs_closest(word, list);
	return best && vrs_strcpy(buf, size, best);
}

bool vrs_option_is_in_section(const struct vrs_option *row, const char *section)
{
	size_t len = strlen(section);

	return strncmp(row->key, section, len) == 0 && row->key[len] == '.';
}

const struct vrs_option *vrs_option_find(const char *key)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);

	for (int i = 0; i < count; i++)
		if (strcmp(rows[i].key, key) == 0 || vrs_words_have(rows[i].aliases, key, NULL))
			return &rows[i];
	const struct vrs_synonym *synonym = vrs_synonym_find(key);
	return synonym ? vrs_option_find(synonym->target) : NULL;
}

const struct vrs_option *vrs_option_find_flag(const char *flag, unsigned program)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);

	for (int i = 0; i < count; i++)
		if (rows[i].flag && (rows[i].programs & program) &&
		    (strcmp(rows[i].flag, flag) == 0 || vrs_words_have(rows[i].flag_aliases, flag, NULL)))
			return &rows[i];
	return NULL;
}

bool vrs_option_is_recorded(const struct vrs_option *row)
{
	const unsigned own = VRS_OPTION_PER_RUN | VRS_OPTION_UNMEASURED;

	return row->file != VRS_FILE_WRITTEN && row->file != VRS_FILE_FOLDER && (row->traits & own) != own;
}

const struct vrs_option *vrs_option_find_letter(char letter, unsigned program)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);

	for (int i = 0; letter && i < count; i++)
		if (rows[i].letter == letter && (rows[i].programs & program))
			return &rows[i];
	return NULL;
}

const struct vrs_synonym *vrs_synonym_find(const char *key)
{
	for (const struct vrs_synonym *s = vrs_synonym_list(); s->keys; s++)
		if (vrs_words_have(s->keys, key, NULL))
			return s;
	return NULL;
}

const struct vrs_synonym *vrs_synonym_find_flag(const char *flag, unsigned program)
{
	for (const struct vrs_synonym *s = vrs_synonym_list(); s->keys; s++)
		if (s->flag && (s->programs & program) && strcmp(s->flag, flag) == 0)
			return s;
	return NULL;
}

static const char *last_part(const char *key)
{
	const char *dot = strrchr(key, '.');

	return dot ? dot + 1 : key;
}

/*
 * "gpu.threads" and "threads" mean engine.threads: a row whose last part is the same is nearer than any other spelling.
 */
static const char *same_last_part(const char *key)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);

	for (int i = 0; i < count; i++)
		if (strcmp(last_part(rows[i].key), last_part(key)) == 0)
			return rows[i].key;
	return NULL;
}

bool vrs_option_name(int index, char *buf, size_t size)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);

	if (index < count)
		return vrs_strcpy(buf, size, rows[index].key);
	index -= count;
	for (int i = 0; i < count; i++)
		for (int j = 0; vrs_words_get(rows[i].aliases, j, buf, size); j++)
			if (index-- == 0)
				return true;
	for (const struct vrs_synonym *s = vrs_synonym_list(); s->keys; s++)
		for (int j = 0; vrs_words_get(s->keys, j, buf, size); j++)
			if (index-- == 0)
				return true;
	return false;
}

const char *vrs_option_closest_key(const char *key)
{
	static _Thread_local char names[MAX_CANDIDATES][VRS_KEY_MAX]; /* callers print the answer at once */
	const char *candidates[MAX_CANDIDATES + 1] = {NULL}, *same = same_last_part(key);

	for (int i = 0; i < MAX_CANDIDATES && vrs_option_name(i, names[i], sizeof names[i]); i++)
		candidates[i] = names[i];
	return same ? same : vrs_closest(key, candidates);
}
