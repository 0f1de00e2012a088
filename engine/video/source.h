/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Video sources: vtable and registry.  A source delivers frames in presentation order.
 */
#ifndef VRS_VIDEO_SOURCE_H
#define VRS_VIDEO_SOURCE_H

#include <vrseg/frame.h>
#include <vrseg/layout.h>

struct vrs_source_info {
	struct vrs_picture_format format;
	char container[32], codec[32];
	int fps_num, fps_den;              /* average rate; 0/1: not known */
	int time_base_num, time_base_den;
	int64_t frames;                    /* estimate; 0: not known */
	double duration_seconds;           /* 0: not known */
	double first_seconds;              /* of the frame that is delivered first, since the video stream begins */
	int64_t bit_rate;                  /* of the video stream; 0: not known */
	int sar_num, sar_den;              /* sample aspect ratio; 1/1 when not known */
	struct vrs_stereo_side_data side;
	bool has_audio;
	double peak_nits;                  /* of an HDR video, by its metadata; 0: it does not say */
	int decoder_threads;               /* that are used; 0: not known */
	bool converted;                    /* an odd pixel format goes through swscale */
	struct vrs_picture_format stored;  /* as `format`, before pictures are turned */
};

/* What a container says of its video, before anything is decoded. */
struct vrs_stream_shape {
	const char *codec;                 /* FFmpeg's name; "": nothing is decoded */
	int width, height, level;          /* level: of the codec, below 1: not known */
	uint64_t frame_bytes;              /* of a decoded picture */
	struct vrs_picture_format format;  /* that frames will have; planes 0: not known */
	bool converted;                    /* decoded pictures are of another one first */
	uint64_t packet_bytes;             /* of encoded pictures, kept for another decoder (packet_history.h) */
	int64_t pictures;                  /* where their number is certain (still pictures); 0: it is not */
};

/* What is chosen for a decoder before it opens. */
struct vrs_decoder_choice {
	int threads;                       /* 0: auto */
	uint64_t spare_bytes;              /* see vrs_source_spare */
};

struct vrs_source_options {
	int threads;                       /* decoder threads; 0: auto */
	/* (optional) Called before the decoder opens, to choose otherwise than *choice, which is as `threads` says and without a limit. */
	enum vrs_status (*on_stream)(void *cookie, const struct vrs_stream_shape *shape, struct vrs_decoder_choice *choice, struct vrs_error *err);
	/* (optional) Called by the reading thread where pictures have grown beyond what is spare: the status is that of the read. */
	enum vrs_status (*on_growth)(void *cookie, const struct vrs_stream_shape *shape, struct vrs_error *err);
	void *cookie;
	double start_seconds;              /* the first frame is the first at or after it; 0: from the beginning */
	const char *hwdecode;              /* decode on a device: "auto", a kind such as "vaapi" or "cuda"; NULL, "" or "off": by software */
	double fps;                        /* of picture sequences and raw video; 0: 25. Other inputs have their own: VRS_ECONFIG */
	const char *raw_format;            /* the input is raw video of this FFmpeg pixel format, picture after picture; NULL or "": it is not */
	int raw_size[2];                   /* of raw video */
	double duration_seconds;           /* frames from the start to before this are delivered; 0: all */
	bool keep_partial;                 /* open a file that is cut off: what is there is delivered, then VRS_EFORMAT */
	int64_t skip;                      /* in the stream's time base: frames whose pts is below are not delivered; the clock stays */
	struct vrs_picture_format stored;  /* with skip: what vrs_source_info says where the input is read from its start; width 0: it is looked at */
	bool copies;                       /* audio and subtitles are kept for a sink, which copies them (vrs_sink_open) */
	bool low_delay;                    /* each frame as soon as its data is there: the decoder splits frames between threads, or uses one */
};

struct vrs_source;

/* True for "udp://..." and the like; a capture device is a file. */
bool vrs_source_is_address(const char *path);
/* True for "p%03d.png" and "*.png", where no file has that very name. */
bool vrs_source_is_sequence(const char *path);
/* True for inputs that deliver frames at a pace of their own (capture devices, streams, pipes), false for files. */
bool vrs_source_sets_pace(const char *path);
/*
 * True for what is gone when it was read: a pipe, a socket, a terminal, and standard input that is no file (vrs_path_opened).  Of files, disks,
 * addresses and capture devices there is something to read each time.
 */
bool vrs_source_reads_once(const char *path);
/* VRS_ECONFIG where it is so: "WHY, and PATH can be read only once". */
enum vrs_status vrs_source_check_again(const char *path, const char *why, struct vrs_error *err) VRS_MUST_CHECK;
/* A path in sentences. */
const char *vrs_source_words(const char *path);
/*
 * True for an input over http(s) whose server gives what is asked for, as fast as it is read: a playlist (HLS, DASH), or an answer with a length.
 * Others send at their own pace, as cameras do.
 */
bool vrs_source_is_pulled(const struct vrs_source *source);
/*
 * Open a file, "-" or a still image and decode its first frame.  VRS_ENOTFOUND; VRS_EFORMAT: nothing that FFmpeg can read, no video stream,
 * nothing that can be decoded, or a file shorter than its index says; VRS_EUNSUPPORTED; VRS_EIO; VRS_END: it ends before options.skip.
 */
enum vrs_status vrs_source_open(struct vrs_source **ret_source, const char *path, const struct vrs_source_options *options, struct vrs_error *err)
	VRS_MUST_CHECK;
const struct vrs_source_info *vrs_source_info(const struct vrs_source *source);
double vrs_source_sample_aspect(const struct vrs_source_info *info); /* shown width of a sample over its height */
/*
 * Next frame; the reference is the caller's (vrs_frame_unref, on any thread).  The samples may be shared with the decoder: write into them
 * only where frame.writable says so.  pts strictly increases and is relative to the file's first time stamp (plus start_seconds).
 * VRS_END after the last.  Damaged packets are skipped with one warning and counted; VRS_EFORMAT when the file breaks off before its
 * stated end; VRS_ELIMIT: vrs_source_spare.
 */
enum vrs_status vrs_source_read(struct vrs_source *source, struct vrs_frame *ret_frame, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * For live jobs whose decoder is too slow; call from the reading thread.  Inputs without a decoder (synth:) take no notice.
 * skip_unreferenced: leave out, or no longer, frames that no other one needs.  jump: leave out all up to the first key frame that lies `ahead`
 * (time base) or more after the frame read last, or to where the sender's clock begins anew.
 * False where nothing is left out: a stream that has had no key frame but the first may never have another.
 */
void vrs_source_skip_unreferenced(struct vrs_source *source, bool leave_out);
bool vrs_source_jump(struct vrs_source *source, int64_t ahead);
/*
 * Memory that there is beside the plan; UINT64_MAX: any.  A decoder may take it for pictures larger than the container says, which are refused before
 * memory is taken for them, and audio and subtitles that are kept for a sink; more ends the input with VRS_ELIMIT.
 * Pictures as large as those that were decoded so far are in the plan.
 */
void vrs_source_spare(struct vrs_source *source, uint64_t bytes);
/* Frames that were left out for that so far, and the time that was spent waiting for data. Call from the reading thread. */
uint64_t vrs_source_skipped(const struct vrs_source *source);
uint64_t vrs_source_waited_ns(const struct vrs_source *source);
/*
 * The time of the frame behind the one that was read last, whose picture is dropped; INT64_MIN: there is none, or it is not known, as
 * of inputs that might have to be waited for (pipes, streams, HLS).  For who wants no more frames: nothing is read of the source afterwards.
 */
int64_t vrs_source_peek(struct vrs_source *source);
/*
 * Back to the first frame: index and pts begin again, audio is not delivered a second time.  VRS_EUNSUPPORTED: vrs_source_reads_once; VRS_EIO and
 * the like when the file is gone meanwhile.
 */
enum vrs_status vrs_source_rewind(struct vrs_source *source, struct vrs_error *err) VRS_MUST_CHECK;
void vrs_source_close(struct vrs_source *source); /* NULL is fine */

#endif
