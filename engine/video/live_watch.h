/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ends waits of demuxers at a wish to stop (base/stop.h), and those that have no limit of their own to how long nothing may come: RTP, playlists
 * that no longer grow, and readers of FFmpeg that ask for ever and get nothing (of a gzip text with a second member).  Of files only playlists wait.
 */
#ifndef VRS_VIDEO_LIVE_WATCH_H
#define VRS_VIDEO_LIVE_WATCH_H

#include <stdbool.h>

#include <libavformat/avformat.h>

struct vrs_live_watch;

/* vrs_av_open with a watch. AVERROR(ETIMEDOUT): nothing came. *ret_demuxer has to stay where it is meanwhile. */
int vrs_live_watch_open(AVFormatContext **ret_demuxer, const char *url, const AVInputFormat *format, AVDictionary **settings, bool is_file);
/* That of an open demuxer; NULL: it has none. */
struct vrs_live_watch *vrs_live_watch_of(const AVFormatContext *demuxer);
/* Before the demuxer is closed: FFmpeg closes protocols, which may wait, when it has freed it. NULL is fine, here and below. */
void vrs_live_watch_leave(struct vrs_live_watch *watch);
void vrs_live_watch_destroy(struct vrs_live_watch *watch); /* afterwards */
/* Before a read: silence counts from here on. */
void vrs_live_watch_begin(struct vrs_live_watch *watch);
/* The code of FFmpeg for a read that gave rc: demuxers of playlists take a wait that was ended for the end of the input. */
int vrs_live_watch_code(const struct vrs_live_watch *watch, int rc);

#endif
