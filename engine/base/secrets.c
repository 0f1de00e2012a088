/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/secrets.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/str_parse.h"

#define BLANKS " \t\r\n"
#define MOST_NAME 64 /* bytes of a parameter's name that are looked at */

/* Bytes of text[begin..] up to a blank, without the punctuation of a sentence. */
static size_t word_length(const char *text, const char *ends)
{
	size_t length = strcspn(text, ends);

	while (text[length] != '&' && length > 0 && strchr(":;,.)\"'", text[length - 1]))
		length--;
	return length;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static const char *last_at(const char *text, const char *ends)
{
	const char *last = NULL;

	for (const char *c = text; *c && !strchr(ends, *c); c++)
		if (*c == '@')
			last = c;
	return last;
}

/*
 * FFmpeg takes the last @ before the path; a blank does not end the name of a user there.  A password with a / in it is wrong in an address, but one
 * all the same.
 */
static const char *user_end(const char *authority)
{
	const char *last = last_at(authority, "/?#\n"), *colon = strpbrk(authority, ":/?#[" BLANKS);
	bool has_port = !colon || *colon != ':' || strspn(colon + 1, "0123456789") == strcspn(colon + 1, "/?#" BLANKS);

	return last || has_port ? last : last_at(authority, BLANKS);
}

/* The secret of user:password@ at the authority; NULL: none. */
static const char *password(const char *authority, size_t *ret_length)
{
	const char *end = user_end(authority);
	const char *colon = end ? memchr(authority, ':', (size_t)(end - authority)) : NULL;
	const char *begin = colon ? colon + 1 : authority;

	*ret_length = end ? (size_t)(end - begin) : 0;
	return *ret_length > 0 ? begin : NULL;
}

/* What follows application/ in rtmp://host/application/key. */
static const char *stream_key(const char *text, const char *scheme_end, size_t *ret_length)
{
	const char *scheme = scheme_end, *part = scheme_end + strlen("://"), *user = user_end(part);

	while (scheme > text && is_letter(scheme[-1]))
		scheme--;
	if (strncasecmp(scheme, "rtmp", 4) != 0)
		return NULL;
	part = user ? user : part;
	for (int i = 0; part && i < 2; i++) {
		part = strpbrk(part, "/" BLANKS);
		part = part && *part == '/' ? part + 1 : NULL;
	}
	*ret_length = part ? word_length(part, BLANKS) : 0;
	return *ret_length > 0 ? part : NULL;
}

/* Does a parameter of this name hold a secret? */
static bool names_secret(const char *name, size_t length)
{
	static const char *const parts[] = {"pass", "pwd", "token", "secret", "signature", "credential", "auth", "accesskey",
					    "hmac", "jwt", "hdn", "streamid"};
	static const char *const ends[] = {"key", "sig", "pw"};
	char own[MOST_NAME];

	if (length == 0 || length >= sizeof own)
		return false;
	for (size_t i = 0; i < length; i++)
		own[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] + 'a' - 'A') : name[i];
	own[length] = '\0';
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		if (strstr(own, parts[i]))
			return true;
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
		if (length >= strlen(ends[i]) && strcmp(own + length - strlen(ends[i]), ends[i]) == 0)
			return true;
	return false;
}

/* The value of a parameter behind the separator at `at`; NULL: no secret. */
static const char *parameter(const char *at, size_t *ret_length)
{
	size_t length = strcspn(at + 1, "=?&;#/" BLANKS);
	const char *value = at + 1 + length + 1;

	if (at[1 + length] != '=' || !names_secret(at + 1, length))
		return NULL;
	*ret_length = word_length(value, "&" BLANKS);
	return *ret_length > 0 ? value : NULL;
}

static void keep_first(const char **first, size_t *length, const char *found, size_t found_length, const char *from)
{
	if (!found || found < from || (*first && *first <= found))
		return;
	*first = found;
	*length = found_length;
}

size_t vrs_secret_find(const char *text, size_t from, size_t *ret_length)
{
	const char *first = NULL;
	size_t length = 0;
	bool address = false; /* the word holds :// up to here: names of files are shown */

	for (const char *c = text; *c && (!first || c < first); c++) {
		size_t found = 0;

		address = strchr(BLANKS, *c) ? false : address || strncmp(c, "://", 3) == 0;
		if (address && (*c == '?' || *c == '&' || *c == ';' || *c == '#')) {
			const char *value = parameter(c, &found);

			keep_first(&first, &length, value, found, text + from);
		} else if (c > text && *c == ':' && c[1] == '/' && c[2] == '/') {
			const char *secret = password(c + 3, &found);

			keep_first(&first, &length, secret, found, text + from);
			secret = stream_key(text, c, &found);
			keep_first(&first, &length, secret, found, text + from);
		}
	}
	*ret_length = length;
	return first ? (size_t)(first - text) : strlen(text);
}

char *vrs_hide_secrets(char *dst, size_t size, const char *text)
{
	size_t used = 0, at = 0, length;

	do {
		size_t secret = vrs_secret_find(text, at, &length), room = size - 1 - used;
		size_t kept = secret - at < room ? secret - at : room;

		memcpy(dst + used, text + at, kept);
		used += kept;
		dst[used] = '\0';
		if (length > 0)
			(void)vrs_strcpy(dst + used, size - used, VRS_SECRET_SHOWN); /* cut as the text would be */
		used += strlen(dst + used);
		at = secret + length;
	} while (length > 0 && used + 1 < size);
	return dst;
}
