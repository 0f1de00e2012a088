/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an output takes over from its input unchanged: audio and subtitle packets, attachments, chapters, metadata. */
#ifndef VRS_VIDEO_STREAM_COPY_H
#define VRS_VIDEO_STREAM_COPY_H

#include <libavformat/avformat.h>

#include "base/buf.h"
#include "video/av_reader.h"
#include "video/sound_fill.h"
#include "video/subtitle_convert.h"

#define VRS_COPY_MAX_STREAMS 256 /* fonts of subtitles among them */

struct vrs_copied_stream {
	int input, output;       /* stream indices */
	struct vrs_ts_repair ts; /* of decoding time stamps, in the input's time base */
	int64_t written;         /* the latest of them in the output's, which may be coarser; AV_NOPTS_VALUE: none yet */
	int64_t last;            /* the same, as the muxer gets it, from the first picture on */
	struct vrs_sound_fill fill;
	bool gap_told;           /* that silence is missing: the first is told, others are as a rule of the same kind */
	AVPacket *hidden;        /* the last packet that an edit list hides; NULL: there was none */
	struct vrs_subtitle_convert *convert; /* NULL: packets as they are */
	struct vrs_buf spatial;  /* SA3D of its track; empty: it has none, or the output cannot hold it */
	bool past_limit;         /* when it ends with a limit: it has come there */
};

struct vrs_stream_copy {
	struct vrs_av_reader *reader; /* NULL: nothing to copy */
	int count;
	struct vrs_copied_stream streams[VRS_COPY_MAX_STREAMS];
	AVPacket *packet;
	int64_t start;    /* what times count from in the output, in start_base */
	AVRational start_base;
	uint64_t damaged; /* packets that the muxer refused */
};

/*
 * Add the output streams, chapters and metadata; before the header is written.  Text subtitles are converted where the container holds
 * another form alone; a stream that it cannot hold is left out with a warning.  Chapters end at `end`, in the time base of the reader's stream;
 * INT64_MAX: not known.  reader may be NULL.  VRS_ENOMEM.  Release with vrs_stream_copy_close.
 */
enum vrs_status vrs_stream_copy_open(struct vrs_stream_copy *copy, struct vrs_av_reader *reader, AVFormatContext *muxer, bool audio, int64_t end,
				     struct vrs_error *err);
void vrs_stream_copy_close(struct vrs_stream_copy *copy);
/* Where the video begins, if all times count from there; known when its first picture comes, before anything is written. */
void vrs_stream_copy_begin(struct vrs_stream_copy *copy, int64_t start, AVRational time_base);
/*
 * Write what begins before `limit` (in time_base, on the source's clock) and has been read so far. INT64_MAX: all.  Damaged packets that the muxer
 * refuses are left out and counted, with a warning for the first.  Codes of FFmpeg.
 */
int vrs_stream_copy_write(struct vrs_stream_copy *copy, AVFormatContext *muxer, int64_t limit, AVRational time_base);
/* Same, reading on until no more is to be expected before the limit, or the relay is full: packets that are late are written later. */
int vrs_stream_copy_catch_up(struct vrs_stream_copy *copy, AVFormatContext *muxer, int64_t limit, AVRational time_base);
/*
 * Same at the end: what lies before the limit is looked for to the end of a file, and what lies after it is dropped.  After a stop (base/stop.h) the
 * search ends soon after the video has passed the limit.
 */
int vrs_stream_copy_finish(struct vrs_stream_copy *copy, AVFormatContext *muxer, int64_t limit, AVRational time_base);
/* Then silence up to the end of the video, in containers that end with the shortest of their tracks. */
int vrs_stream_copy_pad(struct vrs_stream_copy *copy, AVFormatContext *muxer, int64_t end, AVRational time_base);
/* What goes into the complete file without FFmpeg.  VRS_EIO, VRS_ENOSPC, VRS_ENOMEM. */
enum vrs_status vrs_stream_copy_complete(const struct vrs_stream_copy *copy, const char *path, struct vrs_error *err);
/* Tags of the video stream, without those that describe the old encoding. VRS_ENOMEM. */
enum vrs_status vrs_stream_copy_tags(AVDictionary **to, const AVDictionary *from);

#endif
