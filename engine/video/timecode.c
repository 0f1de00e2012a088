/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/timecode.h"

#include <stdbool.h>
#include <stdio.h>

#include <libavutil/timecode.h>

#include <vrseg/log.h>

#define MOST_RATE 1000 /* frames a second */

/* Frames that are counted in a second; 0: not known. */
static int counted(AVRational rate)
{
	int64_t frames = rate.num > 0 && rate.den > 0 ? ((int64_t)rate.num + rate.den / 2) / rate.den : 0;

	return frames <= MOST_RATE ? (int)frames : 0;
}

/* 29.97 and 59.94 lose time to the clock; FFmpeg takes it for what is rounded to these. */
static bool can_drop(AVRational rate)
{
	return counted(rate) > 0 && counted(rate) % 30 == 0;
}

/* Hours, minutes, seconds, frame. */
static bool parse(const char *text, int ret_fields[4], bool *ret_drop)
{
	char mark = ':', rest;
	int *f = ret_fields, count = sscanf(text, "%2d:%2d:%2d%c%4d%c", &f[0], &f[1], &f[2], &mark, &f[3], &rest);

	*ret_drop = mark == ';' || mark == '.';
	return count == 5 && (mark == ':' || *ret_drop) && f[0] >= 0 && f[0] < 24 && f[1] >= 0 && f[1] < 60 && f[2] >= 0 && f[2] < 60 && f[3] >= 0;
}

/* The code of the frame `skipped` frames behind the one that has `text`; false: text is none. */
static bool convert(char ret_text[AV_TIMECODE_STR_SIZE], const char *text, AVRational from, AVRational to, int64_t skipped)
{
	int fields[4], old = counted(from), made = counted(to);
	AVTimecode code;
	bool drop;

	if (old < 1 || made < 1 || !parse(text, fields, &drop) || fields[3] >= old || (drop && !can_drop(from)))
		return false;
	int flags = AV_TIMECODE_FLAG_24HOURSMAX | (drop ? AV_TIMECODE_FLAG_DROPFRAME : 0);
	if (av_timecode_init_from_components(&code, from, flags, fields[0], fields[1], fields[2], fields[3], NULL) < 0)
		return false;
	skipped %= (int64_t)24 * 60 * 60 * old;
	(void)av_timecode_make_string(&code, ret_text, (int)skipped);
	if (!parse(ret_text, fields, &drop))
		return false;
	snprintf(ret_text, AV_TIMECODE_STR_SIZE, "%02d:%02d:%02d%c%02d", fields[0], fields[1], fields[2], drop && can_drop(to) ? ';' : ':',
		 (int)((int64_t)fields[3] * made / old));
	return true;
}

int vrs_timecode_tag(AVDictionary **tags, AVRational from, AVRational to, int64_t skipped)
{
	const AVDictionaryEntry *tag = av_dict_get(*tags, "timecode", NULL, 0);
	char made[AV_TIMECODE_STR_SIZE];

	if (!tag)
		return 0;
	if (convert(made, tag->value, from, to, skipped))
		return av_dict_set(tags, "timecode", made, 0);
	vrs_log_once("timecode", VRS_LOG_WARNING, "the time code \"%.40s\" is left out: it is none of %g frames a second", tag->value,
		     from.den > 0 ? av_q2d(from) : 0);
	return av_dict_set(tags, "timecode", NULL, 0);
}
