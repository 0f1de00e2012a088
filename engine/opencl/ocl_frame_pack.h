/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pictures with packed mattes: what vr/alpha_pack.c does, sample for sample, with its maps. */
#ifndef VRS_OPENCL_OCL_FRAME_PACK_H
#define VRS_OPENCL_OCL_FRAME_PACK_H

#include "backend/frame_device.h"
#include "opencl/ocl_frame.h"

struct vrs_ocl_pack;

/*
 * Copies everything.  VRS_EINVAL: rectangles or tables that do not fit the pictures; VRS_ELIMIT, VRS_ENOMEM, VRS_EDEVICE.
 */
enum vrs_status vrs_ocl_pack_create(struct vrs_ocl_pack **ret_pack, const struct vrs_ocl_frame *frame, const struct vrs_device_pack_options *options,
				    struct vrs_error *err);
void vrs_ocl_pack_destroy(struct vrs_ocl_pack *pack); /* NULL is fine */
/*
 * Queue: every sample of dst, a picture of the packed format, from src.  Eye i shows matte `which[i]` of mattes, which lies there as places[i] says.
 * VRS_EINVAL: another format, or no such matte; VRS_EDEVICE, VRS_ENOMEM.
 */
enum vrs_status vrs_ocl_frame_pack(struct vrs_ocl_frame *frame, const struct vrs_ocl_pack *pack, struct vrs_ocl_picture *dst,
				   struct vrs_ocl_picture *src, struct vrs_ocl_picture *mattes, const int which[2],
				   const struct vrs_device_disc_place places[2], struct vrs_error *err);

#endif
