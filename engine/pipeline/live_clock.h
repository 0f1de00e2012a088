/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When a live frame was meant to begin, in ns since the job began.  Latency counts from there, so that a frame which had to wait for a slow one
 * before it is charged for the wait (coordinated omission).
 *
 * A file is paced: its first frame begins when it is asked for, the others at their time stamps after it.  So is what a server gives when it is
 * asked (HTTP, HLS), several seconds at once.  There, data may come late: what a short wait has cost is made up for by the frames after it, which are
 * there then; after a longer one all frames begin later, as in players, and catch up again by three percent of their rate while they come without
 * waiting, so that a playlist is not left behind by a stall at each of its segments.
 *
 * A device, pipe or stream sets its own pace, by a clock that is not quite ours, and its frames come more or less late.  The zero of the clock is an
 * estimate of when its first frame would begin by its clock of now: the least of arrival minus time stamp over the last five to ten seconds, as in
 * the clock filter of NTP (RFC 5905, 10) and in GStreamer's rtpjitterbuffer (calculate_skew, after Fober, Orlarey and Letz, "Real Time Clock Skew
 * Estimation over Network Delays", 2005).  So a single late frame changes nothing, and a frame that came early is taken at its word at once.
 *
 * These receive packets as they come; we see a frame when it is decoded, which is late where we are slow.  So the estimate forgets an earlier zero
 * only at a frame whose data the reader had to wait for, since nothing else waited for us then.  A backlog, in which it waits for nothing, stays late
 * however long it lasts.
 *
 * Nothing here reads a clock; not thread-safe.
 */
#ifndef VRS_PIPELINE_LIVE_CLOCK_H
#define VRS_PIPELINE_LIVE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct vrs_live_clock {
	bool paced;
	bool pulled;                 /* paced, and waited for: a server's, or of a playlist that grows */
	int time_base_num, time_base_den;
	double own_fps, fps;         /* of a paced file: its own rate, and that at which it is played, evenly; 0: as its time stamps say */
	bool started;
	int64_t stalled_ns;          /* how much later than they were meant to frames begin because of stalls */
	int64_t first_pts;
	int64_t zero_ns;             /* when the first frame began */
	int64_t window_ns;           /* not paced: when the frame came that the window begins with */
	int64_t window_zero_ns;      /* the earliest zero of the frames in it */
	int64_t idle_ns;             /* waited for data of late, beyond what a busy reader may */
	int64_t last_ns;             /* when the last frame came */
};

/* How a frame came. */
struct vrs_live_arrival {
	int64_t now_ns;
	int64_t waited_ns;           /* since the frame before: for its data, and until it was due */
	int64_t data_ns;             /* of that, for its data */
	int64_t frame_ns;            /* how long it lasts */
};

/* Intended start of the frame with this time stamp (not below the first one). */
int64_t vrs_live_clock_start(struct vrs_live_clock *clock, int64_t pts, const struct vrs_live_arrival *arrival);
/* When a frame with this time stamp is due, `now_ns` before the first frame or where frames are not paced. */
int64_t vrs_live_clock_due(const struct vrs_live_clock *clock, int64_t pts, int64_t now_ns);

#endif
