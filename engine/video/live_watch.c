/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/live_watch.h"

#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/stop.h"
#include "video/av_support.h"

#define SILENCE_NS UINT64_C(10000000000)
#define LIST_NS UINT64_C(60000000000) /* segments of 10 seconds are usual, longer ones there are, and they may be late */
#define GAP_NS UINT64_C(1000000000)   /* between two looks is more only where this process was stopped */
#define MOST_LOOKS 20000000           /* FFmpeg looks before each read: a packet never needs that many, a reader that goes round in circles does */

struct vrs_live_watch {
	AVFormatContext **demuxer; /* while it is opened: where FFmpeg's is found */
	AVFormatContext *open;
	bool is_file;
	unsigned streams;          /* found so far */
	_Atomic uint64_t looked_ns;
	_Atomic uint64_t silent_ns;
	_Atomic unsigned looks;    /* of this read, or while it is opened */
	_Atomic bool fell_silent;
};

/* How long nothing may come; 0: the demuxer does not wait, or has a limit of its own. */
static uint64_t patience_ns(const struct vrs_live_watch *watch)
{
	const AVFormatContext *demuxer = *watch->demuxer;
	const char *name = demuxer && demuxer->iformat ? demuxer->iformat->name : "";

	return strcmp(name, "rtp") == 0 ? SILENCE_NS : strcmp(name, "hls") == 0 || strcmp(name, "dash") == 0 ? LIST_NS : 0;
}

static int should_end(void *opaque)
{
	struct vrs_live_watch *watch = opaque;
	uint64_t patience = patience_ns(watch), now = vrs_now_ns(), gap = now - watch->looked_ns;

	if (!watch->is_file && ++watch->looks > MOST_LOOKS)
		watch->fell_silent = true;
	if (patience == 0)
		return !watch->is_file && (watch->fell_silent || vrs_stop_requested());
	watch->looked_ns = now;
	if ((*watch->demuxer)->nb_streams != watch->streams) /* while it is opened, packets come that nobody sees yet */
		watch->silent_ns = 0;
	watch->streams = (*watch->demuxer)->nb_streams;
	watch->silent_ns += gap < GAP_NS ? gap : GAP_NS;
	if (watch->silent_ns > patience)
		watch->fell_silent = true;
	return watch->fell_silent || vrs_stop_requested();
}

int vrs_live_watch_open(AVFormatContext **ret_demuxer, const char *url, const AVInputFormat *format, AVDictionary **settings, bool is_file)
{
	struct vrs_live_watch *watch = vrs_calloc(1, sizeof *watch);
	int rc = AVERROR(ENOMEM);

	*ret_demuxer = NULL;
	if (watch) {
		watch->demuxer = ret_demuxer;
		watch->is_file = is_file;
		watch->looked_ns = vrs_now_ns();
		rc = vrs_av_open(ret_demuxer, url, format, settings, &(AVIOInterruptCB){.callback = should_end, .opaque = watch}, NULL);
	}
	if (rc < 0) {
		rc = watch && watch->fell_silent ? AVERROR(ETIMEDOUT) : rc;
		av_dict_free(settings);
		vrs_live_watch_destroy(watch);
		return rc;
	}
	watch->open = *ret_demuxer;
	watch->demuxer = &watch->open;
	return rc;
}

struct vrs_live_watch *vrs_live_watch_of(const AVFormatContext *demuxer)
{
	return demuxer && demuxer->interrupt_callback.callback == should_end ? demuxer->interrupt_callback.opaque : NULL;
}

void vrs_live_watch_leave(struct vrs_live_watch *watch)
{
	if (watch)
		watch->open = NULL;
}

void vrs_live_watch_destroy(struct vrs_live_watch *watch)
{
	vrs_free(watch);
}

void vrs_live_watch_begin(struct vrs_live_watch *watch)
{
	if (!watch)
		return;
	watch->looked_ns = vrs_now_ns();
	watch->silent_ns = 0;
	watch->looks = 0;
}

int vrs_live_watch_code(const struct vrs_live_watch *watch, int rc)
{
	if (rc >= 0 || !watch)
		return rc;
	if (watch->fell_silent)
		return AVERROR(ETIMEDOUT);
	return rc == AVERROR_EOF && patience_ns(watch) > 0 && vrs_stop_requested() ? AVERROR_EXIT : rc;
}
