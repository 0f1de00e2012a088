/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Video sinks: vtable and registry ("null:", "hash:FILE", "y4m:FILE", "FILE.png" single frame, "NAME_%06d.png" and
 * "png:FOLDER" one picture a frame, anything else: FFmpeg encode + mux).
 */
#ifndef VRS_VIDEO_SINK_H
#define VRS_VIDEO_SINK_H

#include "video/source.h"

#define VRS_BIT_RATE_SOURCE (-1) /* that of the source's video */

struct AVStream;
struct vrs_color_profiles;
struct vrs_work_folder;

struct vrs_sink_options {
	const char *encoder;               /* FFmpeg's name; NULL, "auto": what is usual in the container; "auto:NAME": that was it */
	const char *preset;                /* NULL or "": the encoder's default */
	/* at most one of the next four */
	int crf;                           /* -1: the encoder's default */
	int quality;                       /* 1 + quality of 0..100; 0: not asked for */
	int64_t bit_rate;                  /* bits per second, or VRS_BIT_RATE_SOURCE; 0: not asked for */
	bool lossless;
	int threads;                       /* 0: auto */
	bool overwrite;
	bool low_delay;                    /* the encoder holds no frames back; a key frame every two seconds */
	bool audio;                        /* copy audio streams of the source */
	const struct vrs_work_folder *folder; /* of this output, open: the caller's lease is used; NULL: the sink takes it */
	/*
	 * The file is a segment of a video of this name, in a container of our choice, whatever its own name: video alone, nothing of the source.
	 * NULL: it is none.
	 */
	const char *segment_of;
	struct vrs_picture_format format;  /* of the frames that will be written */
	int fps_num, fps_den, time_base_num, time_base_den, sar_num, sar_den;
	bool frame_clock;                  /* the sink's own: the rate is known, and the encoder gets one tick of it for each frame */
	const struct AVStream *light_of;   /* the sink's own: the video whose light levels hold for the frames; NULL: none */
	struct vrs_color_profiles *profiles; /* the sink's own: those of the frames, by their index; NULL: none */
	bool is_coverage;                  /* the frames are mattes: the colour profiles of the source are not theirs */
	int64_t most_frames;               /* that will be written; 0: not known */
	int every_nth;                     /* of the source's frames one in so many is written; 0: each */
	const struct vrs_stereo_side_data *side; /* written to the container; NULL: none */
	/*
	 * Asked when the file is complete and before it gets its name, with the one that it has then (of a picture sequence the pattern): a failure leaves
	 * the old file, and is that of vrs_sink_finish.  NULL: nobody is; nor of a pipe or device.
	 */
	enum vrs_status (*check)(void *cookie, const char *file, struct vrs_error *err);
	void *check_cookie;
};

struct vrs_sink;

/*
 * Nothing appears at the final path before vrs_sink_finish.  VRS_EEXIST: the output exists and overwrite is false, or another process is writing
 * it; VRS_ENOTFOUND: no such folder; VRS_ECONFIG: there is no such encoder, or it cannot do what is asked (err says what it can); VRS_EIO;
 * VRS_ENOSPC.
 * The source is used for audio and metadata and must outlive the sink; NULL: none.
 */
enum vrs_status vrs_sink_open(struct vrs_sink **ret_sink, const char *target, const struct vrs_sink_options *options, struct vrs_source *source,
			      struct vrs_error *err) VRS_MUST_CHECK;
/*
 * Takes the frame's reference in every case; the encoder reads the samples where they are and may hold up to three frames after the
 * call.  Frames must have the format of the options and come in pts order; an unknown pts follows the frame before.  VRS_ENOSPC: the disk is full.
 */
enum vrs_status vrs_sink_write(struct vrs_sink *sink, struct vrs_frame *frame, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * Flush, write the trailer, move into place.  After the last frame of the source the rest of its audio follows, of the time that is asked of it
 * (vrs_source_options.duration_seconds); after an early end (stop, --max-frames) audio ends with the last frame.  The source must not be read by
 * another thread any more.
 */
enum vrs_status vrs_sink_finish(struct vrs_sink *sink, struct vrs_error *err) VRS_MUST_CHECK;
/* Without a finish before it: removes what was written. NULL is fine. */
void vrs_sink_close(struct vrs_sink *sink);
/* Video encoders of the linked FFmpeg, one line each with what they are (--list-encoders). */
void vrs_sink_list_encoders(void (*line)(void *cookie, const char *text), void *cookie);
/*
 * True if an encoder has a private option of this name ("preset", "crf").  Opening fails with VRS_ECONFIG when preset or crf is given and
 * the encoder has none, so defaults must be held back for such encoders.
 */
bool vrs_sink_encoder_has(const char *encoder, const char *option);
/* True if it has presets, and one of this name of x264's or its own is among them; libwebp has others. */
bool vrs_sink_encoder_knows_preset(const char *encoder, const char *preset);
/* Is there a video encoder of this name? */
bool vrs_sink_encoder_exists(const char *encoder);
/*
 * What `encoder` means for a file of this name, of pictures with or without alpha: "auto" becomes "auto:NAME" (segments do not have the name), all
 * else stays.  ret_encoder has VRS_NAME_MAX bytes.
 */
void vrs_sink_encoder_for(char *ret_encoder, const char *target, const char *encoder, bool alpha);
/* The name of the encoder that makes it, also of pictures; "": none does. */
void vrs_sink_encoder_used(char *ret_encoder, const char *target, const char *encoder, bool alpha);
/* True if a file of this name can be joined from segments of this encoder (vrs_sink_options.segment_of). */
bool vrs_sink_takes_segments(const char *target, const char *encoder);
/* True if the pictures of a file of this name keep more than 8 bits with this encoder; where that is not known, too. */
bool vrs_sink_keeps_depth(const char *target, const char *encoder);
/*
 * Whether a file of this name, of pictures with or without alpha, has a use for an option of encoders: "encoder", "preset", "crf" or another that
 * decides on the rate.  True also where that is not known, and for "null:" and "hash:", which stand in for any file.
 */
bool vrs_sink_uses(const char *target, const char *encoder, bool alpha, const char *option);
/* True for video devices and addresses: somebody watches, nothing is kept, and nothing can be done over. */
bool vrs_sink_is_stream(const char *target);
/* True if finishing makes a file of what was written, which a stop in between would lose: not for pipes, devices, streams and "null:". */
bool vrs_sink_saves(const char *target);
/* True for targets that never encode ("null:", "hash:"). */
bool vrs_sink_is_virtual(const char *target);

#endif
