/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Subtitles that are shown at the same time, for containers that show one at a time (3GPP text): time is cut where one of them begins or ends, and
 * each piece has the texts of all that are shown then, one below the other in the order in which they began.
 */
#ifndef VRS_VIDEO_SUBTITLE_OVERLAP_H
#define VRS_VIDEO_SUBTITLE_OVERLAP_H

#include <stdbool.h>
#include <stdint.h>

#include <libavcodec/avcodec.h>

#define VRS_SUBTITLES_AT_ONCE 64
#define VRS_SUBTITLE_NO_END INT64_MAX /* it stays until the next one begins */

struct vrs_shown_subtitle {
	int64_t begin, end;
	AVSubtitle subtitle; /* of texts in ASS */
};

struct vrs_subtitle_overlap {
	int count;
	struct vrs_shown_subtitle shown[VRS_SUBTITLES_AT_ONCE]; /* in the order of their begin */
	int64_t now; /* what lies before is out */
};

void vrs_subtitle_overlap_init(struct vrs_subtitle_overlap *overlap);
void vrs_subtitle_overlap_fini(struct vrs_subtitle_overlap *overlap);
/* The subtitle is taken in every case, and *subtitle empty then.  False: too many at once, it is left out. */
bool vrs_subtitle_overlap_add(struct vrs_subtitle_overlap *overlap, AVSubtitle *subtitle, int64_t begin, int64_t end);
/*
 * The next piece if it ends at or before `limit`, before which everything has been added; INT64_MAX: nothing comes any more.  1, and the piece is the
 * caller's (avsubtitle_free); 0: there is none; AVERROR(ENOMEM).
 */
int vrs_subtitle_overlap_next(struct vrs_subtitle_overlap *overlap, int64_t limit, struct vrs_shown_subtitle *ret_piece);
/* The first one as it came, at once: for who may show several.  1, and it is the caller's; 0: there is none. */
int vrs_subtitle_overlap_first(struct vrs_subtitle_overlap *overlap, struct vrs_shown_subtitle *ret_subtitle);

#endif
