/* SPDX-License-Identifier: GPL-3.0-or-later */
/* FFmpeg begins to load on a thread of its own while the caller looks at the machine and reads its network: 40 ms that overlap. */
#ifndef VRS_VIDEO_FFMPEG_LOAD_H
#define VRS_VIDEO_FFMPEG_LOAD_H

#include <pthread.h>
#include <stdbool.h>

struct vrs_ffmpeg_load {
	pthread_t thread;
	bool running;
};

/* Begin, unless neither input nor target (both optional) needs FFmpeg.  Without a thread the first call of it loads it, as ever. */
void vrs_ffmpeg_load_begin(struct vrs_ffmpeg_load *load, const char *input, const char *target);
/* Wait for the end.  To be called after every begin. */
void vrs_ffmpeg_load_end(struct vrs_ffmpeg_load *load);

#endif
