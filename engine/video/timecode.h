/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time code of the first frame, which containers have as a tag ("01:00:00:20", with ";" before the frame where numbers are dropped). */
#ifndef VRS_VIDEO_TIMECODE_H
#define VRS_VIDEO_TIMECODE_H

#include <stdbool.h>

#include <libavutil/dict.h>
#include <libavutil/timecode.h>

/*
 * The time code of the frame `skipped` frames behind the one that has `text`, for a video of the rate `to`: the clock stays and the frame is counted
 * in its rate.  Numbers are dropped where they were and 29.97 or 59.94 frames a second need it.  False: text is no time code of the rate `from`, or
 * a rate is not known.
 */
bool vrs_timecode_convert(char ret_text[AV_TIMECODE_STR_SIZE], const char *text, AVRational from, AVRational to, int64_t skipped);
/* The same for the tag `timecode`; what is none is left out, with a warning.  A code of FFmpeg. */
int vrs_timecode_tag(AVDictionary **tags, AVRational from, AVRational to, int64_t skipped);

#endif
