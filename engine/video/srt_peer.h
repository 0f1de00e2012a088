/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of an SRT connection: a receiver keeps what arrives for the latency that both agreed on, and forgets it when the connection is closed. */
#ifndef VRS_VIDEO_SRT_PEER_H
#define VRS_VIDEO_SRT_PEER_H

#include <libavformat/avio.h>

/*
 * Wait until the peer of an output over srt:// has got and given out everything that was written; after a wish to stop a few seconds at most.
 * Returns 0, or a negative FFmpeg code where the connection broke before it had.
 */
int vrs_srt_await_peer(AVIOContext *bytes);

#endif
