/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/live_list.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/playlist.h"

#define MOST_BYTES ((size_t)16 << 20) /* of a list, and of all that one names: a day of segments of one second takes some 5 MiB */
#define LOOK_BYTES ((size_t)4096)     /* that opening one counts as: it may be named on each line */
#define HEAD_BYTES ((size_t)1 << 20)  /* in which FFmpeg looks for the tag of a manifest */

enum kind {
	LIST_ENDED,
	LIST_GROWS,
	LIST_OF_OTHERS, /* which tell it */
};

/* As FFmpeg compares lines of HLS. */
static bool has_line(const char *text, const char *begin)
{
	for (const char *at = text; (at = strstr(at, begin)); at++)
		if (at == text || at[-1] == '\n' || at[-1] == '\r')
			return true;
	return false;
}

/* FFmpeg takes neither case nor the kind of quotes into account. */
static bool is_dynamic(const char *tag)
{
	const char *end = tag + strcspn(tag, ">");

	for (const char *at = strcasestr(tag, "type"); at && at < end; at = strcasestr(at + 1, "type")) {
		const char *value = at + strlen("type");

		value += strspn(value, " \t\r\n");
		if (!isspace((unsigned char)at[-1]) || *value != '=')
			continue;
		value += 1 + strspn(value + 1, " \t\r\n");
		return strncasecmp(value + (*value != '\0'), "dynamic", strlen("dynamic")) == 0;
	}
	return false;
}

static const char *manifest_in(struct vrs_buf *text)
{
	char *end = text->data + (text->len < HEAD_BYTES ? text->len : HEAD_BYTES), kept = *end;

	*end = '\0';
	const char *manifest = strcasestr(text->data, "<MPD");
	*end = kept;
	return manifest;
}

static enum kind kind_of_text(struct vrs_buf *buf)
{
	const char *text = vrs_buf_str(buf), *manifest = buf->len > 0 ? manifest_in(buf) : NULL;

	if (manifest)
		return is_dynamic(manifest) ? LIST_GROWS : LIST_ENDED;
	if (!has_line(text, "#EXTM3U") || has_line(text, "#EXT-X-STREAM-INF"))
		return LIST_OF_OTHERS;
	return has_line(text, "#EXT-X-ENDLIST") ? LIST_ENDED : LIST_GROWS;
}

/* *left: bytes that may be read yet. */
static enum kind kind_of(const char *path, size_t *left)
{
	struct vrs_buf text;

	*left -= *left < LOOK_BYTES ? *left : LOOK_BYTES;
	if (*left == 0 || !vrs_playlist_is(path) || vrs_file_read(path, *left, &text, NULL) != VRS_OK)
		return LIST_ENDED;
	*left -= text.len;
	for (char *zero = text.data; zero && (zero = memchr(zero, '\0', text.len - (size_t)(zero - text.data)));)
		*zero = '\n'; /* which ends a line for FFmpeg, too */
	enum kind kind = kind_of_text(&text);

	vrs_buf_fini(&text);
	return kind;
}

struct named {
	size_t left; /* as above */
	bool grows;
};

/* Of type vrs_playlist_fn. */
static enum vrs_status look(void *cookie, const char *path, const struct stat *st)
{
	struct named *named = cookie;
	(void)st;

	named->grows = kind_of(path, &named->left) == LIST_GROWS;
	return named->grows || named->left == 0 ? VRS_END : VRS_OK; /* one is enough */
}

bool vrs_live_list_is(const char *path)
{
	struct named named = {.left = MOST_BYTES};
	size_t left = MOST_BYTES;

	path = vrs_path_opened(path);
	if (strcmp(path, "-") == 0)
		return false;
	enum kind kind = kind_of(path, &left);

	if (kind == LIST_OF_OTHERS)
		(void)vrs_playlist_each(path, look, &named); /* what it does not tell stays as it was taken for: ended */
	return kind == LIST_GROWS || named.grows;
}
