/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every user of FFmpeg in this folder needs: one-time set-up, its log inside ours, its error codes as statuses. */
#ifndef VRS_VIDEO_AV_SUPPORT_H
#define VRS_VIDEO_AV_SUPPORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <libavformat/avformat.h>

#include <vrseg/status.h>

/* Largest single allocation FFmpeg may make: several planes of a 16384 x 16384 picture in 16 bits fit, a size read from a damaged file does not. */
#define VRS_AV_MAX_ALLOC (UINT64_C(1) << 31)
/* Largest picture: 16384 x 16384. */
#define VRS_AV_MAX_PIXELS (INT64_C(1) << 28)

/* What a decoder tells beside its pictures, from whichever of its threads. */
struct vrs_picture_marks;

struct vrs_av_decoder_notes {
	_Atomic uint64_t error_lines; /* written so far */
	_Atomic bool no_memory;       /* there was none for a picture; decoders go on as if its data were damaged */
	struct vrs_picture_marks *marks; /* NULL: none are wanted */
	bool clears;                  /* pictures are black before they are decoded, so that what damage leaves out is always the same */
	int64_t pixels;               /* of a picture, as the container says */
	_Atomic uint64_t frame_bytes; /* of a picture, as the plan has it: as the container says, with what decoders add at the edges; 0: it does not say */
	_Atomic uint64_t largest;     /* bytes of a picture so far */
	_Atomic uint64_t spare_bytes; /* vrs_source_spare */
	_Atomic bool too_large;       /* a picture was refused for that: the one of `large` */
	atomic_flag has_large;
	struct vrs_large_picture {
		int width, height, level;
		uint64_t frame_bytes;
	} large;
};

/* Install the log bridge and the allocation cap.  Cheap after the first call; thread-safe. */
void vrs_av_init(void);
/* What FFmpeg has said of an input in this thread, and tells in its log alone. */
struct vrs_av_said {
	bool cut;                /* a demuxer: the file ends in the middle of something */
	bool no_length;          /* HTTP: an answer ended that had not said how long it is, which FFmpeg takes for an error */
	bool farewell;           /* RTSP: its sender says that the stream is over */
	uint64_t lost;           /* segments of a playlist that cannot be opened, or broke off: they are skipped */
	const void *connection;  /* HTTP: that asked for something, or began a chunk, last; NULL: none has */
	bool in_chunks;          /* its answer comes in chunks, the last of which has no bytes, and has not begun */
};

/*
 * Since the last call, which is forgotten then.  list: the playlist, as HLS numbers them, whose segments count; -1: none does.  Segments that broke
 * off count for any.
 */
struct vrs_av_said vrs_av_take_said(int list);
/*
 * Open `url` (format NULL: FFmpeg finds out) and read the stream headers.  The settings are used up.  interrupt NULL: waits cannot be ended; with
 * one, which finds the demuxer in *ret_demuxer, av_read_frame of a capture device may give AVERROR(EAGAIN).  bytes: read instead of what the URL
 * names, and stays the caller's; NULL: none.
 * Codes of FFmpeg; after a failure nothing is open, and the cause is kept for vrs_av_fail or vrs_av_capture_end.
 */
int vrs_av_open(AVFormatContext **ret_demuxer, const char *url, const AVInputFormat *format, AVDictionary **settings,
		const AVIOInterruptCB *interrupt, AVIOContext *bytes);
/* All times of a packet so much earlier, but for those that it does not tell. */
void vrs_av_packet_advance(AVPacket *pkt, int64_t ticks);
/*
 * FFmpeg logs the cause of many failures and returns only a code.  Between begin and the next vrs_av_fail, error lines of this thread are
 * kept (the last one wins) and not logged on their own, and vrs_av_fail puts them into its sentence.  end forgets them.
 */
void vrs_av_capture_begin(void);
void vrs_av_capture_end(void);
/*
 * Fill err with "SENTENCE: cause" (cause from the code and the captured line) and return the status.  VRS_OK: the code's own; one for lack of memory
 * gives VRS_ENOMEM in any case.
 */
enum vrs_status vrs_av_fail(struct vrs_error *err, enum vrs_status status, int rc, const char *fmt, ...) VRS_PRINTF(4, 5);

#endif
