/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/ffmpeg_load.h"

#include <stddef.h>

#include "video/av_support.h"
#include "video/sink.h"
#include "video/source.h"

static void *run(void *unused)
{
	(void)unused;
	vrs_av_init(); /* its first call of a function */
	return NULL;
}

void vrs_ffmpeg_load_begin(struct vrs_ffmpeg_load *load, const char *input, const char *target)
{
	bool needed = (input && input[0] && vrs_source_needs_ffmpeg(input)) || (target && target[0] && vrs_sink_needs_ffmpeg(target));
	load->running = needed && pthread_create(&load->thread, NULL, run, NULL) == 0;
}

void vrs_ffmpeg_load_end(struct vrs_ffmpeg_load *load)
{
	if (load->running)
		(void)pthread_join(load->thread, NULL); /* its own, once */
	load->running = false;
}
