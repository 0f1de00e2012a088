/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time code of the first frame, which containers have as a tag ("01:00:00:20", with ";" before the frame where numbers are dropped). */
#ifndef VRS_VIDEO_TIMECODE_H
#define VRS_VIDEO_TIMECODE_H

#include <stdint.h>

#include <libavutil/dict.h>
#include <libavutil/rational.h>

/*
 * Make the tag `timecode` of a video of the rate `from` that of another of the rate `to`, which begins `skipped` frames later: the clock stays, the
 * frame is counted in the new rate.  Numbers are dropped where they were and 29.97 or 59.94 frames a second need it.  What is no time code of the
 * rate `from` is left out with a warning, and so is each where a rate is not known; no tag is none.  A code of FFmpeg.
 */
int vrs_timecode_tag(AVDictionary **tags, AVRational from, AVRational to, int64_t skipped);

#endif
