/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Encode + mux, for the sinks that end in an FFmpeg muxer. */
#ifndef VRS_VIDEO_SINK_AV_H
#define VRS_VIDEO_SINK_AV_H

#include <libavformat/avformat.h>

#include "video/av_encoder.h"
#include "video/sink_kind.h"
#include "video/sink_target.h"
#include "video/stream_copy.h"
#include "video/track_end.h"

struct vrs_sink_av {
	struct vrs_sink base;
	struct vrs_sink_target target;
	struct vrs_av_encoder encoder;
	struct vrs_stream_copy copy;
	AVFormatContext *muxer;
	bool is_file;                  /* the muxer writes into the target's temporary file */
	AVStream *video;
	const AVStream *source_stream; /* NULL: no source */
	AVRational time_base;          /* of frames */
	int64_t end;                   /* where the latest frame ends, in time_base */
	struct vrs_track_end track;    /* of files in the MP4 family */
	bool ends_late;                /* that is later than the frame rate says */
	bool last_is_out;              /* its packet has come */
	int64_t last_pts;              /* of packets that exist already: where the latest frame begins */
	int every_nth;                 /* of the source's frames one in so many is written */
	int64_t last_index;
	int64_t step;                  /* duration of a frame where none is known */
	bool counts_frames;            /* packets are a frame apart, in a time base of frames: AVI, MXF, Theora in Ogg and others */
	bool has_no_times;             /* of these, those where gaps are lost */
	int64_t first_pts, astray;     /* where that is so: of the first frame; how far one is from where its place says, at most */
	bool fills_gaps;               /* Theora in Ogg */
	uint64_t empty;                /* packets that fill gaps */
	int64_t last_dts;              /* where frames are counted: of the latest packet, in the muxer's time base */
	int64_t origin;                /* where the first picture has to be at 0: its time, in the muxer's time base */
	bool header_written;
	bool is_stream;                /* somebody watches: packets leave at once */
	bool is_srt;                   /* a stream whose receiver must have everything before the connection is closed */
	AVIOInterruptCB interrupt;     /* of a stream, while it is opened and closed */
	uint64_t deadline_ns;          /* of a stream that is closed: when to give it up; 0: not yet closed */
	AVDictionary *io_options;      /* of a stream's protocol */
};

/*
 * Open with a muxer and encoder of the caller's choice.  url NULL: into sink->target, which the caller has opened.
 * Closing and finishing are those of vrs_sink_av_kind.  coded: packets of segments exist already, it is what their files say of them, and codec is
 * NULL; VRS_EFORMAT: the encoder of the options does not make such.
 */
enum vrs_status vrs_sink_av_start(struct vrs_sink_av *sink, const AVOutputFormat *format, const AVCodec *codec, const AVCodecParameters *coded,
				  const char *url, const struct vrs_sink_options *options, struct vrs_source *source, struct vrs_error *err);
/*
 * Such packets, in decoding order, with time stamps in the time base of the options; the end of the file.  whole: copied streams end with what is
 * asked of the source, not with the last packet.  segment_end: where the frames of its segment end; is_last: it is the last packet of all.
 */
enum vrs_status vrs_sink_av_coded(struct vrs_sink_av *sink, AVPacket *pkt, int64_t segment_end, bool is_last, struct vrs_error *err);
enum vrs_status vrs_sink_av_end_coded(struct vrs_sink_av *sink, bool whole, struct vrs_error *err);
enum vrs_status vrs_sink_av_write(struct vrs_sink *base, struct vrs_frame *frame, struct vrs_error *err);
enum vrs_status vrs_sink_av_finish(struct vrs_sink *base, struct vrs_error *err);
void vrs_sink_av_close(struct vrs_sink *base);

#endif
