/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A video whose mattes or pictures are read eye by eye, in the order of their times. */
#ifndef VRS_MEASURE_MATTE_VIDEO_H
#define VRS_MEASURE_MATTE_VIDEO_H

#include <vrseg/matte_measure.h>

#include "base/mem.h"
#include "job/pack_places.h"
#include "video/source.h"

struct vrs_matte_video {
	const char *path;                /* the caller's */
	struct vrs_source *source;
	enum vrs_matte_kind kind;        /* AUTO: of a video that is read for its pictures alone */
	char reason[160];                /* what told the kind */
	struct vrs_layout layout;
	int eyes, width, height;         /* of the frame */
	struct vrs_rect eye[2];
	struct vrs_frame frame, next;    /* frame: the one that was read last */
	bool has_next;
	double first;                    /* seconds of the first frame on the clock of the file */
	double seconds, next_seconds;    /* of them, since the first one: audio that begins earlier moves no frame */
	int64_t frames;                  /* read, up to `frame` */
	struct vrs_pack_place *places;   /* where it is shown in packed eyes; NULL: as it is */
	int side;                        /* of those */
	struct vrs_arena arena;
	struct vrs_matte whole;          /* an eye before it is drawn through places */
};

/*
 * Open for mattes: kind AUTO is found out.  request: of its layout; other (NULL: none): the layout of the video that it was made of, which counts
 * where the file itself says nothing and both have that size.  VRS_EFORMAT: it holds no matte; statuses of vrs_source_open, vrs_layout_decide.
 */
enum vrs_status vrs_matte_video_open(struct vrs_matte_video *video, const char *path, enum vrs_matte_kind kind,
				     const struct vrs_layout_request *request, const struct vrs_matte_video *other, int threads,
				     struct vrs_error *err) VRS_MUST_CHECK;
/* Open for pictures. */
enum vrs_status vrs_picture_video_open(struct vrs_matte_video *video, const char *path, const struct vrs_layout_request *request, int threads,
				       struct vrs_error *err) VRS_MUST_CHECK;
/* Another layout of the same size, as that of the mattes. */
void vrs_matte_video_set_layout(struct vrs_matte_video *video, const struct vrs_layout *layout);
/* From now on eyes are drawn as a packed picture shows them, side x side samples and fov degrees. Statuses of vrs_pack_places. */
enum vrs_status vrs_matte_video_show_packed(struct vrs_matte_video *video, double fov, int side, struct vrs_error *err) VRS_MUST_CHECK;

/* The next frame. VRS_END; statuses of vrs_source_read. */
enum vrs_status vrs_matte_video_read(struct vrs_matte_video *video, struct vrs_error *err) VRS_MUST_CHECK;
/* On to the frame whose time is nearest; never back.  At the end the last one stays. VRS_EFORMAT: there is none; statuses of vrs_source_read. */
enum vrs_status vrs_matte_video_seek(struct vrs_matte_video *video, double seconds, struct vrs_error *err) VRS_MUST_CHECK;
/* Seconds from one frame to the next, by the rate; 0: not known. */
double vrs_matte_video_step(const struct vrs_matte_video *video);

/* Size of the mattes of an eye as the file holds them. */
void vrs_matte_video_size(const struct vrs_matte_video *video, int *ret_width, int *ret_height);
/* Matte, or luma of the picture, of an eye of the last frame at dst's size. VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_matte_video_matte(struct vrs_matte_video *video, int eye, struct vrs_matte *dst) VRS_MUST_CHECK;
enum vrs_status vrs_matte_video_luma(struct vrs_matte_video *video, int eye, struct vrs_matte *dst) VRS_MUST_CHECK;
void vrs_matte_video_close(struct vrs_matte_video *video);

#endif
