/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures with packed mattes: what vr/alpha_pack.c does, sample for sample, with its maps. */
#ifndef VRS_OPENCL_OCL_FRAME_PACK_H
#define VRS_OPENCL_OCL_FRAME_PACK_H

#include "opencl/ocl_frame.h"

/* The tables of a map of vr/remap.h, of runs of 32 target samples. */
struct vrs_ocl_map {
	int width, height;         /* of the target; width 0: no map */
	int source_width, source_height; /* at least 2 x 2 */
	const int32_t *curves;     /* [height * runs][6] */
	const uint32_t *inside;    /* [height * runs] */
	const int32_t *kinds;      /* [height * runs] -1, or a number of positions, with bit 30 at a seam */
	const int32_t *positions;  /* [position_count][64] */
	int32_t position_count;
};

struct vrs_ocl_pack_options {
	struct vrs_picture_format source, packed;
	struct vrs_rect eyes[2];   /* of the source, left first; the same twice for a source with one */
	struct vrs_ocl_map maps[2]; /* luma, chroma; without a map eyes are copied */
	const int32_t *spans[2];   /* then, [height][2]: first and end of each row of an eye's circle, in samples of the plane */
	struct vrs_ocl_map disc;   /* from the disc to an eye */
	int matte_width, matte_height; /* at least 2 x 2 */
	uint16_t black[3], codes[3][256];
	bool colored;              /* discs change chroma */
};

/* Eye position to matte position of a disc: m = (u * factor >> 24) + shift, both with 16 bits of fraction; by axis. */
struct vrs_ocl_disc_place {
	int64_t factor[2], shift[2];
};

struct vrs_ocl_pack;

/*
 * Copies everything.  VRS_EINVAL: rectangles or tables that do not fit the pictures; VRS_ELIMIT, VRS_ENOMEM, VRS_EDEVICE.
 */
enum vrs_status vrs_ocl_pack_create(struct vrs_ocl_pack **ret_pack, const struct vrs_ocl_frame *frame, const struct vrs_ocl_pack_options *options,
				    struct vrs_error *err);
void vrs_ocl_pack_destroy(struct vrs_ocl_pack *pack); /* NULL is fine */
/*
 * Queue: every sample of dst, a picture of the packed format, from src.  Eye i shows matte `which[i]` of mattes, which lies there as places[i] says.
 * VRS_EINVAL: another format, or no such matte; VRS_EDEVICE, VRS_ENOMEM.
 */
enum vrs_status vrs_ocl_frame_pack(struct vrs_ocl_frame *frame, const struct vrs_ocl_pack *pack, struct vrs_ocl_picture *dst,
				   struct vrs_ocl_picture *src, struct vrs_ocl_picture *mattes, const int which[2],
				   const struct vrs_ocl_disc_place places[2], struct vrs_error *err);

#endif
