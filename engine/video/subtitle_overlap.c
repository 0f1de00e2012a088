/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/subtitle_overlap.h"

#include <string.h>

#include <libavutil/avstring.h>
#include <libavutil/mem.h>

#include "base/assert.h"

void vrs_subtitle_overlap_init(struct vrs_subtitle_overlap *overlap)
{
	memset(overlap, 0, sizeof *overlap);
	overlap->now = INT64_MIN;
}

void vrs_subtitle_overlap_fini(struct vrs_subtitle_overlap *overlap)
{
	for (int i = 0; i < overlap->count; i++)
		avsubtitle_free(&overlap->shown[i].subtitle);
	overlap->count = 0;
}

static void remove_at(struct vrs_subtitle_overlap *overlap, int i)
{
	avsubtitle_free(&overlap->shown[i].subtitle);
	overlap->count--;
	memmove(&overlap->shown[i], &overlap->shown[i + 1], (size_t)(overlap->count - i) * sizeof overlap->shown[0]);
}

bool vrs_subtitle_overlap_add(struct vrs_subtitle_overlap *overlap, AVSubtitle *subtitle, int64_t begin, int64_t end)
{
	int at = overlap->count;

	for (int i = 0; i < overlap->count; i++)
		if (overlap->shown[i].end == VRS_SUBTITLE_NO_END && overlap->shown[i].begin < begin)
			overlap->shown[i].end = begin;
	if (at == VRS_SUBTITLES_AT_ONCE) {
		avsubtitle_free(subtitle);
		return false;
	}
	for (; at > 0 && overlap->shown[at - 1].begin > begin; at--)
		overlap->shown[at] = overlap->shown[at - 1];
	overlap->shown[at] = (struct vrs_shown_subtitle){.begin = begin, .end = end, .subtitle = *subtitle};
	overlap->count++;
	memset(subtitle, 0, sizeof *subtitle);
	return true;
}

/* Another text behind those of the piece, which the one before ends with a line break.  False: no memory. */
static bool append(AVSubtitle *piece, const AVSubtitleRect *from)
{
	AVSubtitleRect *before = piece->num_rects > 0 ? piece->rects[piece->num_rects - 1] : NULL;
	AVSubtitleRect **rects = av_realloc_array(piece->rects, piece->num_rects + 1, sizeof *rects); /* NOLINT(bugprone-sizeof-expression): of pointers */
	AVSubtitleRect *rect = av_mallocz(sizeof *rect);

	if (rects)
		piece->rects = rects;
	if (rects && rect) {
		piece->rects[piece->num_rects++] = rect;
		rect->type = from->type;
		rect->ass = from->ass ? av_strdup(from->ass) : NULL;
	} else {
		av_free(rect);
		return false;
	}
	if (before && before->ass) {
		char *ended = av_asprintf("%s\\N", before->ass);

		av_free(before->ass);
		before->ass = ended;
	}
	return (rect->ass || !from->ass) && (!before || before->ass);
}

static bool append_all(AVSubtitle *piece, const AVSubtitle *from)
{
	for (unsigned i = 0; i < from->num_rects; i++)
		if (!append(piece, from->rects[i]))
			return false;
	return true;
}

/* Where the next piece begins and ends: until another one begins or one of its own ends. */
static void find_piece(const struct vrs_subtitle_overlap *overlap, struct vrs_shown_subtitle *ret_piece)
{
	int64_t begin = overlap->shown[0].begin > overlap->now ? overlap->shown[0].begin : overlap->now, end = INT64_MAX;

	for (int i = 0; i < overlap->count; i++) {
		const struct vrs_shown_subtitle *shown = &overlap->shown[i];
		int64_t border = shown->begin > begin ? shown->begin : shown->end;

		end = border < end ? border : end;
	}
	*ret_piece = (struct vrs_shown_subtitle){.begin = begin, .end = end};
}

int vrs_subtitle_overlap_next(struct vrs_subtitle_overlap *overlap, int64_t limit, struct vrs_shown_subtitle *ret_piece)
{
	for (int i = overlap->count - 1; i >= 0; i--)
		if (overlap->shown[i].end <= overlap->now)
			remove_at(overlap, i);
	if (overlap->count == 0)
		return 0;
	find_piece(overlap, ret_piece);
	if (ret_piece->end > limit)
		return 0;
	VRS_ASSERT(ret_piece->end > ret_piece->begin);
	overlap->now = ret_piece->end;
	for (int i = 0; i < overlap->count; i++) {
		const struct vrs_shown_subtitle *shown = &overlap->shown[i];

		if (shown->begin > ret_piece->begin || append_all(&ret_piece->subtitle, &shown->subtitle))
			continue;
		avsubtitle_free(&ret_piece->subtitle);
		return AVERROR(ENOMEM);
	}
	return 1;
}

int vrs_subtitle_overlap_first(struct vrs_subtitle_overlap *overlap, struct vrs_shown_subtitle *ret_subtitle)
{
	if (overlap->count == 0)
		return 0;
	*ret_subtitle = overlap->shown[0];
	memset(&overlap->shown[0].subtitle, 0, sizeof overlap->shown[0].subtitle); /* it is theirs */
	remove_at(overlap, 0);
	return 1;
}
