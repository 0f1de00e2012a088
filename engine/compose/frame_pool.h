/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Frames for the composed pictures, allocated before the first frame and used again.  Each is prepared once (filled with the background), since
 * compose only ever writes inside the views; what earlier views left in a frame is noted with it.  The pool must outlive its frames; get and
 * unref may come from any thread.
 */
#ifndef VRS_COMPOSE_FRAME_POOL_H
#define VRS_COMPOSE_FRAME_POOL_H

#include <vrseg/frame.h>

#include "matte/composite.h"

struct vrs_frame_pool;

typedef void (*vrs_frame_prepare_fn)(void *cookie, struct vrs_frame *frame);

/* prepare is called once for each frame; NULL: every sample is written anyway. VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_frame_pool_create(struct vrs_frame_pool **ret_pool, const struct vrs_picture_format *format, int count,
				      vrs_frame_prepare_fn prepare, void *cookie);
/*
 * A free frame; the caller owns the reference.  *ret_past belongs to the frame and is the caller's to update until it lets go.  When all are out
 * (an encoder that keeps frames), the pool grows, up to VRS_FRAME_POOL_MAX: VRS_ELIMIT, VRS_ENOMEM.
 */
#define VRS_FRAME_POOL_MAX 512
enum vrs_status vrs_frame_pool_get(struct vrs_frame_pool *pool, struct vrs_frame *ret_frame, struct vrs_composite_past **ret_past);
/* Frames allocated so far. */
int vrs_frame_pool_size(struct vrs_frame_pool *pool);
void vrs_frame_pool_destroy(struct vrs_frame_pool *pool); /* NULL is fine; all frames must be back */

#endif
