/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a video is cut into segments for checkpoints: spans of time, known before anything is decoded, the same for whoever makes which segment. */
#ifndef VRS_SEGMENTS_SEGMENT_PLAN_H
#define VRS_SEGMENTS_SEGMENT_PLAN_H

#include "pipeline/segment.h"
#include "video/media_file.h"

#define VRS_MAX_SEGMENTS 1000000

struct vrs_segment_plan {
	int time_base_num, time_base_den;
	int fps_num, fps_den;
	int64_t frames;      /* of the video as it will be written; an estimate */
	int64_t max_frames;  /* exact limit of them; 0: none */
	int segment_frames;    /* written frames of a segment */
	int every_nth;
	int preroll_frames;     /* that go through the network before a segment's first frame */
	int tail_frames;     /* and after its last one */
	int segments;
	int keeps_past;      /* 1: a segment begins with what the one before has left, 0: with its preroll */
};

/*
 * Cut a video of this clock into segments of segment_frames written frames (a multiple of the stride, so that the network sees the same frames as
 * without segments); what is left after the last whole segment goes with it when it is less than half a segment.  has_states: of the network, which
 * no preroll gives back, so that segments keep their past.  tail_frames: that smoothing looks ahead.  VRS_EUNSUPPORTED: the clock is not known well
 * enough, or there would be too many segments.
 */
enum vrs_status vrs_segment_plan_make(struct vrs_segment_plan *ret_plan, const struct vrs_media_clock *clock, const struct vrs_settings *settings,
				   bool has_states, int tail_frames, struct vrs_error *err) VRS_MUST_CHECK;
bool vrs_segment_plan_same(const struct vrs_segment_plan *a, const struct vrs_segment_plan *b);
/* Times of segment `number`: borders lie half a frame before a frame, so that rounded time stamps fall on the right side. */
struct vrs_segment vrs_segment_plan_at(const struct vrs_segment_plan *plan, int number);
/* Frames of the video before segment `number`. */
int64_t vrs_segment_plan_before(const struct vrs_segment_plan *plan, int number);
/*
 * The first so many segments can be made in any order.  Those behind them are bound by max_frames, for what they hold or for what they look ahead at,
 * and need the number of frames before them.
 */
int vrs_segment_plan_unbound(const struct vrs_segment_plan *plan);

#endif
