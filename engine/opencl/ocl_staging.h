/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Planes between host rows and device pictures, through memory that is made once, as a rule pinned: transfers run beside kernels, and beside the
 * host, which fills or empties one of the slots while others are on their way.
 *
 *     up:    vrs_ocl_staging_take (rows to write), vrs_ocl_staging_send          or vrs_ocl_staging_up, which copies
 *     down:  vrs_ocl_staging_fetch, vrs_ocl_staging_get (rows to read)           or vrs_ocl_staging_down, which copies
 *
 * Whoever decodes into the rows of a slot, or encodes from them, saves the copy.  One thread at a time.
 */
#ifndef VRS_OPENCL_OCL_STAGING_H
#define VRS_OPENCL_OCL_STAGING_H

#include "opencl/ocl_picture.h"

#define VRS_OCL_SLOTS 2     /* as a rule: one for the host, one on its way */
#define VRS_OCL_MAX_SLOTS 3 /* with one that waits for kernels, so that no queue of transfers ever stands still */

/* Rows of a plane on the host: elements of sample_bytes, U and V interleaved where the format says so. */
struct vrs_ocl_rows {
	uint8_t *data;
	ptrdiff_t stride_bytes;
};

struct vrs_ocl_staging;

struct vrs_ocl_transfers {
	bool pinned;               /* slots are memory that the driver has pinned; false: plain memory, from which it copies first */
	bool async;                /* in queues of their own, while the host goes on; false: in the queue of the kernels, and the host waits for each */
	int slots;                 /* at most VRS_OCL_MAX_SLOTS; 0: VRS_OCL_SLOTS */
};

/* For pictures of one format; the context is kept as long.  transfers NULL: pinned and async. VRS_EINVAL, VRS_ELIMIT, VRS_ENOMEM, VRS_EDEVICE. */
enum vrs_status vrs_ocl_staging_create(struct vrs_ocl_staging **ret_staging, struct vrs_ocl_context *context,
				       const struct vrs_ocl_picture_format *format, const struct vrs_ocl_transfers *transfers, struct vrs_error *err);
/* Waits for the transfers in flight. NULL is fine. */
void vrs_ocl_staging_destroy(struct vrs_ocl_staging *staging);

/*
 * The rows of the next slot's planes, to be written until vrs_ocl_staging_send; waits until the slot's last transfer is over.
 * VRS_EDEVICE: that failed.
 */
enum vrs_status vrs_ocl_staging_take(struct vrs_ocl_staging *staging, struct vrs_ocl_rows ret_rows[3], struct vrs_error *err);
/* Queue the slot's planes for a picture of the format: written once all that was queued with it before is over. Statuses of vrs_ocl_check. */
enum vrs_status vrs_ocl_staging_send(struct vrs_ocl_staging *staging, struct vrs_ocl_picture *picture, struct vrs_error *err);
/* Both, with a copy of these rows. */
enum vrs_status vrs_ocl_staging_up(struct vrs_ocl_staging *staging, struct vrs_ocl_picture *picture, const struct vrs_ocl_rows rows[3],
				   struct vrs_error *err);

/*
 * Queue a picture's planes for the next slot, as they are after all that was queued with it before.  VRS_EINTERNAL: all slots are waiting to be
 * got; statuses of vrs_ocl_check.
 */
enum vrs_status vrs_ocl_staging_fetch(struct vrs_ocl_staging *staging, struct vrs_ocl_picture *picture, struct vrs_error *err);
/*
 * Wait for the first of the fetched pictures and give its rows, which stay until as many fetches later as there are slots.  VRS_EINTERNAL: none;
 * VRS_EDEVICE.
 */
enum vrs_status vrs_ocl_staging_get(struct vrs_ocl_staging *staging, struct vrs_ocl_rows ret_rows[3], struct vrs_error *err);
/* The same, with a copy into these rows. */
enum vrs_status vrs_ocl_staging_down(struct vrs_ocl_staging *staging, const struct vrs_ocl_rows rows[3], struct vrs_error *err);

#endif
