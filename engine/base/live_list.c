/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/live_list.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/playlist.h"

#define MOST_BYTES ((size_t)64 << 20) /* a day of segments of one second takes some 5 MiB */

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

static enum kind kind_of_text(const char *text)
{
	const char *manifest = strcasestr(text, "<MPD");

	if (manifest)
		return is_dynamic(manifest) ? LIST_GROWS : LIST_ENDED;
	if (!has_line(text, "#EXTM3U") || has_line(text, "#EXT-X-STREAM-INF"))
		return LIST_OF_OTHERS;
	return has_line(text, "#EXT-X-ENDLIST") ? LIST_ENDED : LIST_GROWS;
}

static enum kind kind_of(const char *path)
{
	struct vrs_buf text;

	if (!vrs_playlist_is(path) || vrs_file_read(path, MOST_BYTES, &text, NULL) != VRS_OK)
		return LIST_ENDED;
	for (char *zero = text.data; zero && (zero = memchr(zero, '\0', text.len - (size_t)(zero - text.data)));)
		*zero = '\n'; /* which ends a line for FFmpeg, too */
	enum kind kind = kind_of_text(vrs_buf_str(&text));

	vrs_buf_fini(&text);
	return kind;
}

/* Of type vrs_playlist_fn. */
static enum vrs_status look(void *cookie, const char *path, const struct stat *st)
{
	bool *grows = cookie;
	(void)st;

	*grows = kind_of(path) == LIST_GROWS;
	return *grows ? VRS_END : VRS_OK; /* one is enough */
}

bool vrs_live_list_is(const char *path)
{
	bool grows = false;
	enum kind kind = kind_of(path);

	if (kind == LIST_OF_OTHERS)
		(void)vrs_playlist_each(path, look, &grows); /* what it does not tell stays as it was taken for: ended */
	return kind == LIST_GROWS || grows;
}
