/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much memory decoders and encoders take, told before they are opened. */
#ifndef VRS_VIDEO_CODEC_MEMORY_H
#define VRS_VIDEO_CODEC_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include <vrseg/frame.h>

/*
 * Frames that a decoder keeps to predict others from, at most: by the level of H.264 and HEVC (FFmpeg's number; below 1: not known).  0: each picture
 * stands for itself.
 */
int vrs_decoder_references(const char *codec, int width, int height, int level);
/* Of a decoder with frame threads, for so many pictures (0: not known) of frame_bytes; its own tables go in. */
uint64_t vrs_decoder_memory(int references, int threads, int64_t pictures, uint64_t frame_bytes);

/* Does libx264 look ahead in frames of so many bytes (vrs_frame_bytes)?  In larger ones that would take gigabytes. */
bool vrs_x264_looks_ahead(uint64_t frame_bytes);

/* Pictures that libx265 works on at the same time, as it chooses for so many CPUs. */
int vrs_x265_frame_threads(int cpus);

struct vrs_encoder_work {
	const char *encoder;  /* FFmpeg's name; NULL or "": nothing is encoded */
	const char *preset;   /* NULL or "": its own */
	int width, height;
	uint64_t frame_bytes; /* of the frames that it gets, by vrs_frame_bytes */
	uint64_t taken_bytes; /* of the same in the format that it takes, by vrs_encoder_frame_bytes; 0: not known */
	uint64_t converter_bytes; /* of what makes these, by the same; 0: they are the frames */
	int64_t pictures;     /* that there are; 0: not known */
	bool low_delay;
	int cpus;             /* that threads are made for; 0: those of this process */
};
/*
 * Of a frame of that format in the one that the encoder takes for a file of this name; 0: there is no such encoder, or it takes none.
 * *ret_converter_bytes: what the conversion holds, beside what it makes; 0: the planes go in as they are.
 */
uint64_t vrs_encoder_frame_bytes(const char *encoder, const char *file, const struct vrs_picture_format *format, uint64_t *ret_converter_bytes);
/* Of an encoder with the threads that it chooses by itself. */
uint64_t vrs_encoder_memory(const struct vrs_encoder_work *work);
/* Threads that it makes, about. */
int vrs_encoder_threads(int cpus);

#endif
