/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Mattes of the first frames of a run, kept to be compared with those of another run or with exact truth (bench/record/matte_score.h).
 * Mattes are copied while the job runs and compared after it, so that measured frames pay for one copy only.
 */
#ifndef VRS_BENCH_MATTE_SET_H
#define VRS_BENCH_MATTE_SET_H

#include <stdint.h>

#include <vrseg/frame.h>
#include <vrseg/layout.h>

#define VRS_MATTE_SET_SIDE 32768                /* largest width, height and offset */
#define VRS_MATTE_SET_MAX 4096                  /* mattes of one set */
#define VRS_MATTE_SET_BYTES (512u << 20)        /* of one file */

struct vrs_matte_entry {
	int64_t index;              /* frame of the video, where one that begins anew goes on counting */
	int64_t number;             /* of its frame among those that the run has made: neighbours differ by 1. Not kept in files */
	int eye;
	int width, height;          /* of the matte */
	struct vrs_rect covers;     /* rectangle of the frame (luma samples) that the matte covers; outside is background */
	uint8_t *data;              /* width * height, dense */
};

struct vrs_matte_set {
	int frame_width, frame_height;
	int circle;                 /* columns of an eye that shows 360 degrees: mattes may go on at its left edge; 0: they end. Not kept in files */
	int64_t loop_frames;        /* after so many the video has begun anew; 0: it has not. Not kept in files */
	struct vrs_matte_entry *entries;
	size_t count, capacity;
};

/* Empty; circle and loop_frames are 0. */
void vrs_matte_set_init(struct vrs_matte_set *set, int frame_width, int frame_height);
void vrs_matte_set_fini(struct vrs_matte_set *set);
/* Copy one matte of the frame with this number, for which the frame of the video is taken. VRS_EINVAL: impossible sizes; VRS_ELIMIT; VRS_ENOMEM. */
enum vrs_status vrs_matte_set_add(struct vrs_matte_set *set, int64_t number, int eye, const struct vrs_matte *matte, const struct vrs_rect *covers);
/* Mattes are of every n-th frame, counted from the first one again where the video begins anew, which it does after loop_frames (0: never). */
void vrs_matte_set_place(struct vrs_matte_set *set, int every_nth, int64_t loop_frames);
/* Binary file: "VRSMATT1", sizes, entries. Read checks every size. */
enum vrs_status vrs_matte_set_write(const struct vrs_matte_set *set, const char *path, struct vrs_error *err);
enum vrs_status vrs_matte_set_read(struct vrs_matte_set *ret_set, const char *path, struct vrs_error *err);

#endif
