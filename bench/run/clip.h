/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One clip gives every size: it is re-encoded once at stated bits per pixel, cached by content, and always labelled derived.
 * The ffmpeg program does the work; clips lie in CACHE/clips.
 */
#ifndef VRS_BENCH_CLIP_H
#define VRS_BENCH_CLIP_H

#include <stdbool.h>
#include <stdint.h>

#include <vrseg/options.h>
#include <vrseg/status.h>

#include "bench/record/matte_score.h"

#define VRS_CLIP_BITS_PER_PIXEL 0.15 /* H.264 at 33 Mb/s for 3840x1920 at 30 frames a second, as VR180 cameras write */

struct vrs_clip_source {
	char path[VRS_PATH_MAX];
	uint64_t hash;           /* of the content */
	int width, height;
	double fps;              /* 0: 30 */
	int64_t frames;          /* 0: not known */
	bool synthetic;          /* a generated picture: the built-in clip, or synth: */
	bool drawn;              /* path is "synth:...": drawn while it is played, in any size */
};

/* What a case wants of its clip. */
struct vrs_clip_wish {
	int width, height;
	bool raw;                /* uncompressed planar frames, so that reading costs next to nothing */
	int64_t frames;          /* at least so many before it begins anew: a decoder that starts again holds a live job up; 0: any number */
};

struct vrs_clip {
	char path[VRS_PATH_MAX];
	char label[192];         /* "as given", "derived: 1920x1080 libx264 0.15 bits per pixel, 60 frames", "synthetic: ..." */
	int width, height;
	bool derived;
};

/* Content hash: the whole file up to 64 MiB; of larger ones size, head, middle and tail. VRS_ENOTFOUND, VRS_EIO. */
enum vrs_status vrs_clip_hash(const char *path, uint64_t *ret_hash, struct vrs_error *err);
/* The built-in clip, with its truth beside it: drawn people in a room, side by side, 1920x960, 60 frames; made once. */
enum vrs_status vrs_clip_synthetic(struct vrs_clip_source *ret_source, struct vrs_error *err);
/* Frames of a derived clip: 60 up to 3840x1920, fewer above, at least 24. */
int vrs_clip_frames(int width, int height);
/*
 * A clip as wished; the source itself when it is so already, or is drawn. A longer one is the same coded pictures several times.
 * VRS_ENOTFOUND: ffmpeg is not installed; VRS_ESTOPPED; VRS_EIO with the last words of ffmpeg.
 */
enum vrs_status vrs_clip_provide(const struct vrs_clip_source *source, const struct vrs_clip_wish *wish, struct vrs_clip *ret_clip,
				 struct vrs_error *err);
/*
 * Truth beside the source: NAME_alpha.mkv for NAME.EXT, turned into headerless grey of at most 2048 samples width.  Of a drawn source it is
 * "synth:", which the engine draws again.
 * VRS_ENOTFOUND: there is none. path is where the name is stored; ret_truth->path points to it.
 */
enum vrs_status vrs_truth_file_provide(const struct vrs_clip_source *source, int frames, char path[VRS_PATH_MAX], struct vrs_truth_file *ret_truth,
				  struct vrs_error *err);
/* Bytes of disk that a derived clip takes, estimated; 0 when it is there already or the source itself. */
uint64_t vrs_clip_disk_estimate(const struct vrs_clip_source *source, const struct vrs_clip_wish *wish);

#endif
