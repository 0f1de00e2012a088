/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names are found without the grammar of any format: a line, a piece between quotes or tags, or a word may be one, and is when there is such a file.
 */
#include "base/playlist.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"

#define HEAD_BYTES 65536       /* in which a playlist is recognised */
#define NAMED_HEAD_BYTES 4096  /* of a file that a playlist names, of which there may be thousands */
#define MOST_BYTES ((size_t)4 << 20)
#define MOST_DEPTH 4
#define MOST_NAMES 500000      /* that are looked for, in all playlists, with each entry of a folder that a template is compared with; */
#define FOLDER_NAMES 10        /* what opening a folder counts as */
#define MOST_FILES 100000      /* that are opened, to see whether they are playlists */
#define FILE_SLOTS (1 << 18)   /* more than twice as many */
#define MOST_WILD 4            /* parts of a path with wildcards: DASH has four identifiers */
#define MOST_WORK ((size_t)64 << 20) /* bytes of them all: a playlist may name itself on each of its lines */
#define PROTOCOL "file:"       /* FFmpeg's, in these letters; what follows is a path from where the program runs */

struct opened {
	dev_t device;
	ino_t inode;
	int depth; /* at which it was looked into; 0: the slot is free */
};

struct walk {
	vrs_playlist_fn fn;
	void *cookie;
	int depth, names, file_count;
	size_t bytes;
	struct opened *files; /* a hash table */
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

	if (!is_file(path, &st) || st.st_size == 0 || vrs_file_open(path, &fd, NULL) != VRS_OK) /* of the kernel's files, which may wait, none has a size */
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

/* The first time that it is found, and when it is found again where more levels may follow. */
static bool is_to_open(struct walk *walk, const struct stat *st)
{
	const uint64_t id[] = {st->st_dev, st->st_ino};
	size_t at = vrs_hash(VRS_HASH_INIT, id, sizeof id) % FILE_SLOTS;

	while (walk->files[at].depth && (walk->files[at].device != st->st_dev || walk->files[at].inode != st->st_ino))
		at = (at + 1) % FILE_SLOTS;
	if ((walk->files[at].depth && walk->files[at].depth <= walk->depth) || walk->depth >= MOST_DEPTH || walk->file_count >= MOST_FILES)
		return false;
	walk->files[at] = (struct opened){st->st_dev, st->st_ino, walk->depth};
	walk->file_count++;
	return true;
}

static void offer_path(struct walk *walk, const char *path)
{
	struct stat st;

	if (walk->status != VRS_OK || !is_file(path, &st))
		return;
	walk->status = walk->fn(walk->cookie, path, &st);
	if (walk->status == VRS_OK && is_to_open(walk, &st) && begins_as_playlist(path, NAMED_HEAD_BYTES))
		visit(walk, path);
}

/* The part of a path between slashes that has "$...$": what is before and behind that is compared. */
struct wild {
	const char *begin, *end, *first, *last; /* these two are the outer $ */
};

static bool find_wild(const char *path, struct wild *ret)
{
	*ret = (struct wild){0};
	for (const char *end; *path; path = end + strspn(end, "/")) {
		size_t length = strcspn(path, "/");

		end = path + length;
		*ret = (struct wild){path, end, memchr(path, '$', length), memrchr(path, '$', length)};
		if (ret->first != ret->last)
			return true;
	}
	return false;
}

static bool matches(const struct wild *wild, const char *name)
{
	size_t before = (size_t)(wild->first - wild->begin), behind = (size_t)(wild->end - wild->last - 1), length = strlen(name);

	return length >= before + behind && strncmp(name, wild->begin, before) == 0 && strncmp(name + length - behind, wild->last + 1, behind) == 0 &&
	       strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

struct names {
	char **items;
	size_t count, capacity;
};

static void names_fini(struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		vrs_free(names->items[i]);
	vrs_free(names->items);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In the order of names: who hashes what a playlist names wants the same again. */
static void find_names(struct walk *walk, const char *folder, const struct wild *wild, struct names *names)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;

	walk->names += FOLDER_NAMES;
	while (dir && walk->status == VRS_OK && walk->names++ < MOST_NAMES && (entry = readdir(dir))) {
		if (!matches(wild, entry->d_name))
			continue;
		walk->status = vrs_array_grow(&names->items, &names->capacity, names->count + 1, sizeof *names->items, SIZE_MAX);
		if (walk->status == VRS_OK && !(names->items[names->count] = vrs_strdup(entry->d_name)))
			walk->status = VRS_ENOMEM;
		names->count += walk->status == VRS_OK;
	}
	if (dir)
		closedir(dir);
	if (names->count > 1)
		qsort(names->items, names->count, sizeof *names->items, by_name);
}

/* path holds the first `used` characters already, `rest` follows them. */
static void offer_matches(struct walk *walk, char path[PATH_MAX], size_t used, const char *rest, int wilds)
{
	struct names names = {0};
	struct wild wild;
	bool is_wild = find_wild(rest, &wild);
	size_t plain = is_wild ? (size_t)(wild.begin - rest) : strlen(rest);

	if (wilds > MOST_WILD || used + plain >= PATH_MAX)
		return;
	memcpy(path + used, rest, plain);
	used += plain;
	path[used] = '\0';
	if (!is_wild) {
		offer_path(walk, path);
		return;
	}
	find_names(walk, used ? path : ".", &wild, &names);
	for (size_t i = 0; walk->status == VRS_OK && i < names.count; i++) {
		size_t length = strlen(names.items[i]);

		if (used + length >= PATH_MAX)
			continue;
		memcpy(path + used, names.items[i], length);
		offer_matches(walk, path, used + length, wild.end, wilds + 1);
	}
	names_fini(&names);
}

/* DASH: "part-$Number%05d$.m4s" stands for whatever there is. */
static void offer_template(struct walk *walk, const char *path)
{
	char found[PATH_MAX];
	struct wild wild;

	if (find_wild(path, &wild))
		offer_matches(walk, found, 0, path, 0);
}

static void offer_in(struct walk *walk, const char *folder, const char *name)
{
	char path[PATH_MAX];

	if (walk->status != VRS_OK || walk->names++ >= MOST_NAMES ||
	    vrs_path_join(path, sizeof path, name[0] == '/' || strcmp(folder, ".") == 0 ? "" : folder, name) != VRS_OK)
		return;
	if (strchr(path, '$'))
		offer_template(walk, path);
	offer_path(walk, path);
}

static void offer(struct walk *walk, const char *folder, const char *text, size_t length)
{
	char name[PATH_MAX];

	while (length > 0 && isspace((unsigned char)text[0])) {
		text++;
		length--;
	}
	while (length > 0 && isspace((unsigned char)text[length - 1]))
		length--;
	if (length == 0 || length >= sizeof name)
		return;
	memcpy(name, text, length);
	name[length] = '\0';
	offer_in(walk, folder, name);
	if (strncmp(name, PROTOCOL, sizeof PROTOCOL - 1) == 0)
		offer_in(walk, ".", name + sizeof PROTOCOL - 1);
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

	if (!vrs_playlist_is(path))
		return VRS_OK;
	walk.files = vrs_calloc(FILE_SLOTS, sizeof *walk.files);
	if (!walk.files)
		return VRS_ENOMEM;
	visit(&walk, path);
	vrs_free(walk.files);
	return walk.status;
}
