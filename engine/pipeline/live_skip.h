/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a live job leaves undecoded when its decoder is too slow.  After each frame the rule looks at the lag, which is the time from when the frame
 * was meant to begin until it was decoded, and at the time that the decoder spent waiting since the frame before: one that waits is not slow.
 *
 * A silence of a second shows that nothing was left to decode: later than the time since then frames are only by the sender.
 *
 *  - A frame that is more than 100 ms and three frames late: those that no other frame needs are left out from here on.
 *  - One that is still more than 1 s and ten frames late, half a second or more after the last step: everything up to the first key frame that is not
 *    late is left out.
 *  - After a second without a late frame everything is decoded again.  When that turns out to be too much within the same time, the next try waits
 *    twice as long, up to 32 s.
 *
 * Nothing here reads a clock; not thread-safe.
 */
#ifndef VRS_PIPELINE_LIVE_SKIP_H
#define VRS_PIPELINE_LIVE_SKIP_H

#include <stdbool.h>
#include <stdint.h>

enum vrs_live_skip_step { VRS_LIVE_SKIP_KEEP, VRS_LIVE_SKIP_UNREFERENCED, VRS_LIVE_SKIP_NOTHING, VRS_LIVE_SKIP_JUMP };

/* Zero at first, with a clock that began at 0. */
struct vrs_live_skip {
	bool unreferenced;   /* they are left out */
	bool on_time;        /* since then */
	int64_t on_time_ns;
	int64_t stepped_ns;  /* when the last step was taken */
	int64_t heard_ns;    /* when the last silence ended */
	int64_t lag_ns;      /* of the frame that was looked at, without what its sender did */
	int64_t patience_ns; /* on time for so long before everything is decoded again */
};

/* What to do after a frame that came at now_ns.  frame_ns: from one frame to the next at the video's rate. */
enum vrs_live_skip_step vrs_live_skip_next(struct vrs_live_skip *skip, int64_t now_ns, int64_t lag_ns, int64_t waited_ns, int64_t frame_ns);

#endif
