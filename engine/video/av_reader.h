/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One video stream of a file, demuxed and decoded: AVFrames in presentation order with time stamps that start at the file's beginning (or the
 * seek point) and strictly increase.  Packets of audio and subtitles go into a relay for the sink.
 */
#ifndef VRS_VIDEO_AV_READER_H
#define VRS_VIDEO_AV_READER_H

#include <pthread.h>

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>

#include "video/av_seek.h"
#include "video/av_support.h"
#include "video/frame_skip.h"
#include "video/input_end.h"
#include "video/packet_clock.h"
#include "video/packet_history.h"
#include "video/packet_relay.h"
#include "video/picture_marks.h"
#include "video/source.h"
#include "video/ts_repair.h"

struct vrs_av_reader {
	char name[512];              /* for messages */
	AVFormatContext *demuxer;
	AVStream *stream;
	AVCodecContext *decoder;
	AVPacket *packet;
	pthread_mutex_t demux_lock;  /* the demuxer is read by the source's thread, and by a sink that fetches the rest of the audio */
	bool lock_ready;
	struct vrs_packet_relay *relay;
	struct vrs_packet_clock clock; /* of everything that is read */
	struct vrs_ts_repair ts;
	struct vrs_frame_skip skip_frames;
	int64_t last_ts;             /* of the frame delivered last, in packets' time */
	_Atomic int64_t read_ts;     /* of the video packet read last, its decoding time; AV_NOPTS_VALUE: none yet */
	uint64_t waited_ns;          /* for packets, which a pipe, stream or device has not sent yet */
	struct vrs_av_seek seek;
	bool limit_reached;
	_Atomic bool complete;       /* the last frame of the video was delivered; read by the sink too */
	_Atomic bool input_ended;    /* the decoder is being drained */
	bool cut;                    /* the file is shorter than its index says: `cut_error` is the end */
	struct vrs_error cut_error;
	bool sets_pace;              /* it is no file: what comes next is not known */
	bool keeps_partial;          /* what can be read of an input that breaks off is wanted */
	bool is_live;                /* what does not come in time is left out */
	bool goes_on;                /* behind segments that are lost */
	bool told_lost;
	struct vrs_input_end end;
	int end_code;                /* error that ended the input; 0 or AVERROR_EOF: a normal end */
	_Atomic bool is_far_ahead;   /* audio and subtitles lie ahead of the video by more than there is memory for: end_code is of that */
	int rest_code;               /* error that ended vrs_av_reader_pump, and spoils the output; 0: none */
	_Atomic uint64_t frames;     /* delivered since the beginning; read by the sink too */
	uint64_t damaged;            /* packets and frames with errors */
	int threads;                 /* that the decoder was asked for; 0: auto */
	struct vrs_av_decoder_notes notes;
	enum vrs_status (*on_growth)(void *cookie, const struct vrs_stream_shape *shape, struct vrs_error *err);
	void *cookie;                /* of vrs_source_options, as on_growth */
	struct vrs_packet_history history;
	struct vrs_picture_marks marks;
	enum vrs_reader_care {
		VRS_CARE_NONE,
		VRS_CARE_SEEKS,      /* one thread decodes, and looks for the damage that others have met */
		VRS_CARE_KNOWN,      /* it decodes that */
	} care;
	int64_t number;              /* of the packet given last */
	int64_t damaged_at;          /* number of the packet given last when damage was noted; INT64_MAX: care is taken to the end */
	uint64_t error_lines_seen;   /* the same when the last frame came */
};

/* Open file, stream and decoder.  Statuses of vrs_source_open.  On failure everything is released. */
enum vrs_status vrs_av_reader_open(struct vrs_av_reader *reader, const char *path, const struct vrs_source_options *options, struct vrs_error *err);
void vrs_av_reader_close(struct vrs_av_reader *reader); /* also after a failed open or on zeroed memory */
/* Next frame into the empty `frame`: pts and pkt_duration set. VRS_END; VRS_EFORMAT and VRS_EIO: the input ended in an error. */
enum vrs_status vrs_av_reader_next(struct vrs_av_reader *reader, AVFrame *frame, struct vrs_error *err);
/* vrs_source_peek: of the frames and the end it counts nothing. */
int64_t vrs_av_reader_peek(struct vrs_av_reader *reader);
/* VRS_ELIMIT: is_far_ahead. */
enum vrs_status vrs_av_reader_fail_ahead(const struct vrs_av_reader *reader, struct vrs_error *err);
/* Go back to the origin. VRS_EUNSUPPORTED: the input cannot seek. */
enum vrs_status vrs_av_reader_rewind(struct vrs_av_reader *reader, struct vrs_error *err);
/*
 * Read one more packet for the relay alone (video is thrown away); false at the end, also where that is an error, which is then in rest_code.  For
 * sinks, after the last frame was read.
 */
bool vrs_av_reader_pump(struct vrs_av_reader *reader);

#endif
