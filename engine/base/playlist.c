/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names are found without the grammar of any format: a line, a piece between quotes or tags, or a word may be one, and is when there is such a file.
 */
#include "base/playlist.h"

#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"

#define HEAD_BYTES 65536       /* in which a playlist is recognised */
#define NAMED_HEAD_BYTES 4096  /* of a file that a playlist names, of which there may be thousands */
#define MOST_BYTES ((size_t)4 << 20)
#define MOST_DEPTH 4
#define MOST_NAMES 500000      /* that are looked for, in all playlists; */
#define MOST_WORK ((size_t)64 << 20) /* bytes of them all: a playlist may name itself on each of its lines */
#define PROTOCOL "file:"       /* FFmpeg's, before the name of a file */

struct walk {
	vrs_playlist_fn fn;
	void *cookie;
	int depth, names;
	size_t bytes;
	enum vrs_status status;
};

static bool is_file(const char *path, struct stat *ret)
{
	return stat(path, ret) == 0 && S_ISREG(ret->st_mode);
}

static bool has_mark(const char *head, size_t length)
{
	static const char *const starts[] = {"#EXTM3U", "ffconcat version", "MLVI"}, *const tags[] = {"<MPD", "<CompositionPlaylist"};

	for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
		if (strncmp(head, starts[i], strlen(starts[i])) == 0)
			return true;
	for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++)
		if (strlen(head) == length && strcasestr(head, tags[i]))
			return true;
	return false;
}

static bool begins_as_playlist(const char *path, size_t bytes)
{
	char head[HEAD_BYTES + 1];
	struct stat st;
	size_t have = 0;
	int fd;

	if (!is_file(path, &st) || vrs_file_open(path, &fd, NULL) != VRS_OK)
		return false;
	for (ssize_t n = 1; n > 0 && have < bytes; have += n > 0 ? (size_t)n : 0)
		n = TEMP_FAILURE_RETRY(read(fd, head + have, bytes - have));
	close(fd);
	head[have] = '\0';
	return has_mark(head, have);
}

bool vrs_playlist_is(const char *path)
{
	return begins_as_playlist(path, HEAD_BYTES);
}

static void visit(struct walk *walk, const char *path);

static void offer_path(struct walk *walk, const char *path)
{
	struct stat st;

	if (!is_file(path, &st))
		return;
	walk->status = walk->fn(walk->cookie, path, &st);
	if (walk->status == VRS_OK && walk->depth < MOST_DEPTH && begins_as_playlist(path, NAMED_HEAD_BYTES))
		visit(walk, path);
}

/* DASH: "part-$Number%05d$.m4s" stands for whatever there is. */
static void offer_template(struct walk *walk, const char *path)
{
	char pattern[PATH_MAX];
	size_t length = 0;
	glob_t found;

	for (const char *at = path; *at; at++) {
		const char *end = *at == '$' ? strchr(at + 1, '$') : NULL;

		pattern[length++] = end ? '*' : *at;
		at = end ? end : at;
	}
	pattern[length] = '\0';
	int rc = glob(pattern, 0, NULL, &found);

	for (size_t i = 0; rc == 0 && walk->status == VRS_OK && i < found.gl_pathc; i++)
		offer_path(walk, found.gl_pathv[i]);
	globfree(&found);
	if (rc == GLOB_NOSPACE)
		walk->status = VRS_ENOMEM;
}

static void offer(struct walk *walk, const char *folder, const char *text, size_t length)
{
	char name[PATH_MAX], path[PATH_MAX];

	while (length > 0 && isspace((unsigned char)text[0])) {
		text++;
		length--;
	}
	while (length > 0 && isspace((unsigned char)text[length - 1]))
		length--;
	if (length > sizeof PROTOCOL - 1 && strncmp(text, PROTOCOL, sizeof PROTOCOL - 1) == 0) {
		text += sizeof PROTOCOL - 1;
		length -= sizeof PROTOCOL - 1;
	}
	if (length == 0 || length >= sizeof name || walk->status != VRS_OK || walk->names++ >= MOST_NAMES)
		return;
	memcpy(name, text, length);
	name[length] = '\0';
	if (vrs_path_join(path, sizeof path, name[0] == '/' || strcmp(folder, ".") == 0 ? "" : folder, name) != VRS_OK)
		return;
	if (strchr(path, '$'))
		offer_template(walk, path);
	offer_path(walk, path);
}

/* As concat scripts write names: '...' as it is, elsewhere a backslash before what would end it. */
static void offer_quoted(struct walk *walk, const char *folder, const char *text, size_t length)
{
	char name[PATH_MAX];
	size_t used = 0;
	bool quoted = false;

	for (size_t i = 0; i < length && used < sizeof name && (quoted || !isspace((unsigned char)text[i])); i++) {
		if (text[i] == '\'')
			quoted = !quoted;
		else if (text[i] == '\\' && !quoted && i + 1 < length)
			name[used++] = text[++i];
		else
			name[used++] = text[i];
	}
	offer(walk, folder, name, used);
}

static void offer_pieces(struct walk *walk, const char *folder, const char *line, size_t length, const char *ends)
{
	for (size_t at = 0; at < length; at++) {
		size_t piece = 0;

		while (at + piece < length && !strchr(ends, line[at + piece]))
			piece++;
		if (piece < length)
			offer(walk, folder, line + at, piece);
		at += piece;
	}
}

/* Behind characters that are spaces, or are none. */
static size_t skip(const char *line, size_t at, size_t length, bool spaces)
{
	while (at < length && (isspace((unsigned char)line[at]) != 0) == spaces)
		at++;
	return at;
}

static void scan_line(struct walk *walk, const char *folder, const char *line, size_t length)
{
	size_t word = skip(line, 0, length, true); /* "file", say, before a name */

	word = skip(line, word, length, false);
	word = skip(line, word, length, true);
	offer(walk, folder, line, length);
	offer_quoted(walk, folder, line + word, length - word);
	offer_pieces(walk, folder, line, length, "\"<>");
	offer_pieces(walk, folder, line, length, "'<>");
	offer_pieces(walk, folder, line, length, "\"'<> \t,=");
}

/* What cannot be read, or is larger, has no names that we would know. */
static void visit(struct walk *walk, const char *path)
{
	char folder[PATH_MAX];
	struct vrs_buf text;

	if (walk->bytes >= MOST_WORK || vrs_file_read(path, MOST_BYTES, &text, NULL) != VRS_OK)
		return;
	vrs_path_folder(folder, path);
	walk->bytes += text.len;
	walk->depth++;
	for (const char *line = vrs_buf_str(&text), *end; *line && walk->status == VRS_OK && walk->names < MOST_NAMES; line = end + (*end != '\0')) {
		end = line + strcspn(line, "\r\n");
		scan_line(walk, folder, line, (size_t)(end - line));
	}
	walk->depth--;
	vrs_buf_fini(&text);
}

enum vrs_status vrs_playlist_each(const char *path, vrs_playlist_fn fn, void *cookie)
{
	struct walk walk = {.fn = fn, .cookie = cookie, .status = VRS_OK};

	if (vrs_playlist_is(path))
		visit(&walk, path);
	return walk.status;
}
