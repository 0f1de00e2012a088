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

#define HEAD_BYTES 4096        /* that are read at once where a playlist may begin, */
#define MOST_HEAD ((off_t)1 << 20) /* and in which FFmpeg looks for its mark, */
#define MARK_BYTES 32          /* which has fewer */
#define ID3_BYTES 10           /* of the head of a tag that may stand before it */
#define MOST_BYTES ((size_t)4 << 20)
#define MOST_DEPTH 4
#define MOST_NAMES 500000      /* that are looked for, in all playlists, with each entry of a folder that a template is compared with; */
#define FOLDER_NAMES 10        /* what opening a folder counts as */
#define MOST_FILES 100000      /* that are opened, to see whether they are playlists */
#define FILE_SLOTS (1 << 18)   /* more than twice as many */
#define ABSENT_SLOTS 4096      /* paths without a file that are remembered: "file" and "duration" stand on each line of some lists, */
#define ABSENT_CHARS 256       /* shorter than this; an attempt to find a file costs up to a hundred microseconds, by its file system */
#define MOST_WILD 4            /* parts of a path with wildcards: DASH has four identifiers */
#define MOST_WORK ((size_t)64 << 20) /* bytes that are read behind their heads: a playlist may name itself on each of its lines */
#define MOST_BASES 64          /* folders of a DASH manifest that <BaseURL> names, */
#define MOST_BASE_TAGS 4096    /* and such tags that are looked at */
#define BASE_TAG "BaseURL"
#define PROTOCOL "file:"       /* FFmpeg's, in these letters; what follows is a path from where the program runs */

struct opened {
	dev_t device;
	ino_t inode;
	int depth; /* at which it was looked into; 0: the slot is free */
};

/* The folder of a playlist, and those below which a DASH manifest has its names, one text after another with their zeros. */
struct place {
	char folder[PATH_MAX];
	struct vrs_buf bases;
	int base_count;
};

struct walk {
	vrs_playlist_fn fn;
	void *cookie;
	int depth, names, file_count;
	size_t bytes;
	struct opened *files; /* a hash table */
	char (*absent)[ABSENT_CHARS]; /* each at its hash: the last one */
	bool cut_short;       /* by one of the limits */
	enum vrs_status status;
};

/* What was not there is not looked for again. */
static bool is_file(struct walk *walk, const char *path, struct stat *ret)
{
	size_t length = strlen(path);
	char *absent = walk->absent[vrs_hash(VRS_HASH_INIT, path, length) % ABSENT_SLOTS];

	if (strcmp(absent, path) == 0)
		return false;
	bool is = stat(path, ret) == 0 && S_ISREG(ret->st_mode);

	if (!is && length < ABSENT_CHARS)
		memcpy(absent, path, length + 1);
	return is;
}

static bool starts_as_playlist(const char *head)
{
	static const char *const starts[] = {"#EXTM3U", "ffconcat version", "MLVI"};

	for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
		if (strncmp(head, starts[i], strlen(starts[i])) == 0)
			return true;
	return false;
}

/* Up to the first zero, as FFmpeg. */
static bool has_tag(const char *text)
{
	return strcasestr(text, "<MPD") || strcasestr(text, "<CompositionPlaylist");
}

/* Zero-terminated; bytes. *io_cause: errno of a read that failed. */
static size_t read_at(int fd, char *to, size_t bytes, off_t at, int *io_cause)
{
	size_t have = 0;

	for (ssize_t n = 1; n > 0 && have < bytes; have += n > 0 ? (size_t)n : 0) {
		n = TEMP_FAILURE_RETRY(pread(fd, to + have, bytes - have, at + (off_t)have));
		if (n < 0)
			*io_cause = errno;
	}
	to[have] = '\0';
	return have;
}

/* FFmpeg takes an ID3 tag before anything for one of the file, and looks behind it. */
static off_t behind_tag(int fd, int *io_cause)
{
	char head[ID3_BYTES + 1];
	const unsigned char *byte = (const unsigned char *)head;

	if (read_at(fd, head, ID3_BYTES, 0, io_cause) < ID3_BYTES || strncmp(head, "ID3", 3) != 0 ||
	    ((byte[6] | byte[7] | byte[8] | byte[9]) & 0x80))
		return 0;
	return ID3_BYTES + ((off_t)byte[6] << 21 | byte[7] << 14 | byte[8] << 7 | byte[9]) + (byte[5] & 0x10 ? ID3_BYTES : 0);
}

/* A tag may stand behind a long comment; a zero, which videos have soon, ends the search.  Counted are the bytes behind the first head. */
static bool has_mark(int fd, size_t *io_bytes, int *io_cause)
{
	char text[MARK_BYTES + HEAD_BYTES + 1];
	off_t begin = behind_tag(fd, io_cause), at = begin;
	size_t kept = 0, have = read_at(fd, text, HEAD_BYTES, at, io_cause);

	if (starts_as_playlist(text))
		return true;
	while (have > 0) {
		at += (off_t)have;
		if (has_tag(text))
			return true;
		if (strlen(text) < kept + have || at - begin >= MOST_HEAD)
			return false;
		size_t length = kept + have;

		kept = length < MARK_BYTES ? length : MARK_BYTES;
		memmove(text, text + length - kept, kept);
		have = read_at(fd, text + kept, HEAD_BYTES, at, io_cause);
		*io_bytes += have;
	}
	return false;
}

static enum vrs_status look(const char *path, size_t *io_bytes, bool *ret_is, struct vrs_error *err)
{
	struct stat st;
	int fd, cause = 0;
	bool found;

	*ret_is = false;
	enum vrs_status status = vrs_path_look(path, &st, &found, err);
	if (status != VRS_OK || !found || !S_ISREG(st.st_mode) || st.st_size == 0) /* of the kernel's files, which may wait, none has a size */
		return status;
	status = vrs_file_open(path, &fd, err);
	if (status != VRS_OK)
		return status;
	*ret_is = has_mark(fd, io_bytes, &cause);
	close(fd);
	return *ret_is || !cause ? VRS_OK : vrs_fail(err, VRS_EIO, "cannot read %s: %s", path, strerror(cause));
}

static bool begins_as_playlist(const char *path, size_t *io_bytes)
{
	bool is;

	return look(path, io_bytes, &is, NULL) == VRS_OK && is;
}

bool vrs_playlist_is(const char *path)
{
	size_t bytes = 0;

	return begins_as_playlist(path, &bytes);
}

enum vrs_status vrs_playlist_look(const char *path, bool *ret_is, struct vrs_error *err)
{
	size_t bytes = 0;

	return look(path, &bytes, ret_is, err);
}

static void visit(struct walk *walk, const char *path);

/* One more name may be looked for. */
static bool take_name(struct walk *walk)
{
	walk->cut_short |= walk->names >= MOST_NAMES;
	return walk->names++ < MOST_NAMES;
}

/* The first time that it is found, and when it is found again where more levels may follow. */
static bool is_to_open(struct walk *walk, const struct stat *st)
{
	const uint64_t id[] = {st->st_dev, st->st_ino};
	size_t at = vrs_hash(VRS_HASH_INIT, id, sizeof id) % FILE_SLOTS;

	while (walk->files[at].depth && (walk->files[at].device != st->st_dev || walk->files[at].inode != st->st_ino))
		at = (at + 1) % FILE_SLOTS;
	if (walk->files[at].depth && walk->files[at].depth <= walk->depth)
		return false;
	if (walk->file_count >= MOST_FILES || walk->bytes >= MOST_WORK) {
		walk->cut_short = true;
		return false;
	}
	walk->files[at] = (struct opened){st->st_dev, st->st_ino, walk->depth};
	walk->file_count++;
	return true;
}

static void offer_path(struct walk *walk, const char *path)
{
	struct stat st;

	if (walk->status != VRS_OK || !is_file(walk, path, &st))
		return;
	walk->status = walk->fn(walk->cookie, path, &st);
	if (walk->status != VRS_OK || !is_to_open(walk, &st) || !begins_as_playlist(path, &walk->bytes))
		return;
	if (walk->depth < MOST_DEPTH)
		visit(walk, path);
	else
		walk->cut_short = true;
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
	while (dir && walk->status == VRS_OK && take_name(walk) && (entry = readdir(dir))) {
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

	walk->cut_short |= wilds > MOST_WILD;
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

	if (walk->status != VRS_OK || !take_name(walk) ||
	    vrs_path_join(path, sizeof path, name[0] == '/' || strcmp(folder, ".") == 0 ? "" : folder, name) != VRS_OK)
		return;
	if (strchr(path, '$'))
		offer_template(walk, path);
	offer_path(walk, path);
}

/* FFmpeg joins names literally, "no/../a.ts" included. */
static void offer_name(struct walk *walk, const struct place *place, const char *name)
{
	const char *base = place->base_count > 0 ? vrs_buf_str(&place->bases) : NULL;

	offer_in(walk, place->folder, name);
	if (strncmp(name, PROTOCOL, sizeof PROTOCOL - 1) == 0)
		offer_in(walk, ".", name + sizeof PROTOCOL - 1);
	for (int i = 0; i < place->base_count && name[0] != '/'; i++, base += strlen(base) + 1)
		offer_in(walk, base, name);
}

/* A character of XML ("#38", "#x26") as UTF-8: bytes, 0 where it is none. */
static size_t put_character(char *to, const char *digits)
{
	bool hex = digits[1] == 'x';
	char *end;
	unsigned long c = strtoul(digits + 1 + hex, &end, hex ? 16 : 10);

	if (!isxdigit((unsigned char)digits[1 + hex]) || *end != ';' || c == 0 || c > 0x10FFFF)
		return 0;
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	size_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;

	to[0] = (char)(0xFF00 >> (more + 1) | c >> 6 * more);
	for (size_t i = 1; i <= more; i++)
		to[i] = (char)(0x80 | (c >> 6 * (more - i) & 0x3F));
	return more + 1;
}

/* What stands for "&amp;"; an entity that the manifest defines itself may be anything, as a piece of a template. */
static size_t put_entity(char *to, const char *entity)
{
	static const struct {
		const char *name;
		char is;
	} known[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strncmp(entity, known[i].name, strlen(known[i].name)) == 0) {
			to[0] = known[i].is;
			return 1;
		}
	if (entity[1] == '#')
		return put_character(to, entity + 1);
	to[0] = to[1] = '$';
	return 2;
}

/* Bytes of "&...;", which may have any number of zeros; 0: there is none.  Another '&' ends it, so that no text is read twice. */
static size_t entity_length(const char *at)
{
	size_t length = at[0] == '&' ? 1 + strcspn(at + 1, "&;<> \t\r\n\"'") : 0;

	return length > 1 && at[length] == ';' ? length + 1 : 0;
}

/* False: there are no entities of XML in it. */
static bool decode(char decoded[PATH_MAX], const char *name)
{
	size_t used = 0;
	bool found = false;

	while (*name && used + 4 < PATH_MAX) {
		size_t length = entity_length(name), put = length > 0 ? put_entity(decoded + used, name) : 0;

		if (put == 0)
			decoded[used++] = *name++;
		else
			name += length;
		used += put;
		found |= put > 0;
	}
	decoded[used] = '\0';
	return found;
}

static void offer(struct walk *walk, const struct place *place, const char *text, size_t length)
{
	char name[PATH_MAX], decoded[PATH_MAX];

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
	offer_name(walk, place, name);
	if (decode(decoded, name))
		offer_name(walk, place, decoded);
}

/* As concat scripts write names: '...' as it is, elsewhere a backslash before what would end it. */
static void offer_quoted(struct walk *walk, const struct place *place, const char *text, size_t length)
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
	offer(walk, place, name, used);
}

static void offer_pieces(struct walk *walk, const struct place *place, const char *line, size_t length, const char *ends)
{
	for (size_t at = 0; at < length; at++) {
		size_t piece = 0;

		while (at + piece < length && !strchr(ends, line[at + piece]))
			piece++;
		walk->cut_short |= piece >= PATH_MAX && memchr(line + at, '&', piece); /* as long as this only before it is decoded, perhaps */
		if (piece < length)
			offer(walk, place, line + at, piece);
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

static void scan_line(struct walk *walk, const struct place *place, const char *line, size_t length)
{
	size_t word = skip(line, 0, length, true); /* "file", say, before a name */

	word = skip(line, word, length, false);
	word = skip(line, word, length, true);
	offer(walk, place, line, length);
	offer_quoted(walk, place, line + word, length - word);
	offer_pieces(walk, place, line, length, "\"<>");
	offer_pieces(walk, place, line, length, "'<>");
	offer_pieces(walk, place, line, length, "\"'<> \t,=");
}

/* A folder that is there, or a template for some; each once. */
static void add_base(struct walk *walk, struct place *place, const char *path)
{
	const char *base = place->base_count > 0 ? vrs_buf_str(&place->bases) : NULL;

	if (!take_name(walk))
		return;
	for (int i = 0; i < place->base_count; i++, base += strlen(base) + 1)
		if (strcmp(base, path) == 0)
			return;
	if (!strchr(path, '$') && !vrs_path_is_dir(path))
		return;
	walk->cut_short |= place->base_count >= MOST_BASES;
	if (place->base_count >= MOST_BASES)
		return;
	if (vrs_buf_append(&place->bases, path, strlen(path) + 1) != VRS_OK)
		walk->status = VRS_ENOMEM;
	place->base_count++;
}

/* Below the folder of the manifest and below each base before it: versions of FFmpeg differ in what a base within another is relative to. */
static void add_bases(struct walk *walk, struct place *place, const char *url)
{
	int before = place->base_count;
	size_t offset = 0;
	char path[PATH_MAX];

	if (strncmp(url, PROTOCOL, sizeof PROTOCOL - 1) == 0 || url[0] == '/') {
		add_base(walk, place, url[0] == '/' ? url : url + sizeof PROTOCOL - 1);
		return;
	}
	if (vrs_path_join(path, sizeof path, strcmp(place->folder, ".") == 0 ? "" : place->folder, url) == VRS_OK)
		add_base(walk, place, path);
	for (int i = 0; i < before && place->base_count < MOST_BASES && walk->status == VRS_OK; i++) {
		const char *base = vrs_buf_str(&place->bases) + offset; /* which moves */

		offset += strlen(base) + 1;
		if (vrs_path_join(path, sizeof path, base, url) == VRS_OK)
			add_base(walk, place, path);
	}
	walk->cut_short |= before > 0 && place->base_count >= MOST_BASES; /* the others were not looked at */
}

/* Looks at these bytes alone: AddressSanitizer has the functions of the C library look for the end of the text, which may be 4 MiB away. */
static bool begins(const char *at, const char *word)
{
	while (*word && *at == *word) {
		at++;
		word++;
	}
	return *word == '\0';
}

static const char *skip_comment(const char *at)
{
	while (*at && !begins(at, "-->"))
		at++;
	return at + (*at ? 3 : 0);
}

/* The text of an element without comments, into url.  What it returns lies behind all that was read: "</", or what ends no such text. */
static const char *read_text(char url[PATH_MAX], const char *at)
{
	size_t used = 0;
	bool raw = false; /* in "<![CDATA[" */

	while (*at && used + 1 < PATH_MAX) {
		if (!raw && begins(at, "<!--"))
			at = skip_comment(at + 4);
		else if (begins(at, raw ? "]]>" : "<![CDATA[")) {
			at += raw ? 3 : 9;
			raw = !raw;
		} else if (!raw && *at == '<')
			break;
		else if (used > 0 || !isspace((unsigned char)*at))
			url[used++] = *at++;
		else
			at++;
	}
	while (used > 0 && isspace((unsigned char)url[used - 1]))
		used--;
	url[used] = '\0';
	return at;
}

/* A tag of this name, in whatever namespace, that has something behind it. */
static bool opens_base(const char *tag, const char *end)
{
	const char *name = tag + 1, *name_end = name;

	for (; name_end < end && *name_end != '/' && !isspace((unsigned char)*name_end); name_end++)
		if (*name_end == ':')
			name = name_end + 1;
	return *end == '>' && end[-1] != '/' && name_end - name == sizeof BASE_TAG - 1 && strncasecmp(name, BASE_TAG, sizeof BASE_TAG - 1) == 0;
}

/* Where the next tag begins; with `or_ends`, or one ends. */
static const char *find_bracket(const char *at, bool or_ends)
{
	while (*at && *at != '<' && !(or_ends && *at == '>'))
		at++;
	return at;
}

/* A name is relative to what stands before the last slash of a base.  No part of the text is read twice: it has up to 4 MiB. */
static void read_bases(struct walk *walk, struct place *place, const char *text)
{
	char url[PATH_MAX], decoded[PATH_MAX];
	const char *end;
	int tags = 0;

	for (const char *at = find_bracket(text, false); *at && tags < MOST_BASE_TAGS && walk->status == VRS_OK; at = find_bracket(end, false)) {
		end = find_bracket(at + 1, true);
		if (!opens_base(at, end))
			continue;
		walk->cut_short |= ++tags >= MOST_BASE_TAGS;
		end = read_text(url, end + 1);
		walk->cut_short |= strlen(url) + 1 >= sizeof url;
		if (!begins(end, "</"))
			continue;
		(void)decode(decoded, url);
		offer(walk, place, decoded, strlen(decoded));
		if (vrs_path_base(decoded) != decoded && strlen(decoded) > 0) {
			decoded[vrs_path_base(decoded) - decoded] = '\0';
			add_bases(walk, place, decoded);
		}
	}
}

/* What cannot be read has no names that we would know. */
static void visit(struct walk *walk, const char *path)
{
	struct vrs_buf text;
	struct place place;
	enum vrs_status status = walk->bytes >= MOST_WORK ? VRS_ELIMIT : vrs_file_read(path, MOST_BYTES, &text, NULL);

	walk->cut_short |= status == VRS_ELIMIT;
	if (status == VRS_ENOMEM)
		walk->status = status;
	if (status != VRS_OK)
		return;
	vrs_path_folder(place.folder, path);
	vrs_buf_init(&place.bases, (size_t)MOST_BASES * PATH_MAX);
	place.base_count = 0;
	walk->bytes += text.len;
	walk->depth++;
	for (char *zero = text.data; zero && (zero = memchr(zero, '\0', text.len - (size_t)(zero - text.data)));)
		*zero = '\n'; /* which ends a line for FFmpeg, too */
	if (strcasestr(vrs_buf_str(&text), "<MPD"))
		read_bases(walk, &place, vrs_buf_str(&text));
	const char *line = vrs_buf_str(&text);

	for (const char *end; *line && walk->status == VRS_OK && walk->names < MOST_NAMES; line = end + (*end != '\0')) {
		for (end = line; *end && *end != '\r' && *end != '\n'; end++)
			;
		scan_line(walk, &place, line, (size_t)(end - line));
	}
	walk->cut_short |= *line != '\0';
	walk->depth--;
	vrs_buf_fini(&place.bases);
	vrs_buf_fini(&text);
}

enum vrs_status vrs_playlist_each(const char *path, vrs_playlist_fn fn, void *cookie)
{
	struct walk walk = {.fn = fn, .cookie = cookie, .status = VRS_OK};

	if (!vrs_playlist_is(path))
		return VRS_OK;
	walk.files = vrs_calloc(FILE_SLOTS, sizeof *walk.files);
	walk.absent = vrs_calloc(ABSENT_SLOTS, sizeof *walk.absent);
	if (walk.files && walk.absent)
		visit(&walk, path);
	else
		walk.status = VRS_ENOMEM;
	vrs_free(walk.absent);
	vrs_free(walk.files);
	return walk.status == VRS_OK && walk.cut_short ? VRS_ELIMIT : walk.status;
}
