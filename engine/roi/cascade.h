/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Early exit (matte.early_exit): a small network looks first, and where its matte is sure enough (matte/confidence.h) the job's own network, the
 * large one, does not look at all.  Each look is decided by its own picture alone, so that it depends neither on threads and streams nor on the
 * batch it is in.
 */
#ifndef VRS_ROI_CASCADE_H
#define VRS_ROI_CASCADE_H

#include <vrseg/session.h>

#include "roi/roi_worker.h"
struct vrs_cascade;      /* the small network of a job */
struct vrs_cascade_look; /* what a worker needs of it */

/*
 * Load the small network of a job, for so many inputs in a call; *ret_cascade stays NULL where the settings do without.  `input` may be used for a
 * calibration.  VRS_ECONFIG: it carries a state; else the statuses of vrs_network_load.
 */
enum vrs_status vrs_cascade_load(struct vrs_cascade **ret_cascade, const struct vrs_roi_plan *plan, int threads, int batch, const char *input,
				  struct vrs_error *err);
/* Once a worker is open, and the sizes of the large network are known. VRS_ECONFIG: both are the same network. NULL is fine. */
enum vrs_status vrs_cascade_check(const struct vrs_cascade *cascade, const struct vrs_roi_plan *plan, struct vrs_error *err);
/* What is said of it. */
void vrs_cascade_describe(const struct vrs_cascade *cascade, struct vrs_job_info *info);
void vrs_cascade_destroy(struct vrs_cascade *cascade); /* NULL is fine */
/* The small network's vrs_network_content. */
uint64_t vrs_cascade_content(const struct vrs_cascade *cascade);

/*
 * The worker's session and head of the small network, where the job has one and the worker not yet; `first` has the session whose weights all on one
 * device share, and is open.  VRS_ENOMEM, or what the session says; vrs_cascade_close also then.
 */
enum vrs_status vrs_cascade_open(struct vrs_roi_worker *worker, const struct vrs_roi_worker *first, struct vrs_error *err);
void vrs_cascade_close(struct vrs_roi_worker *worker);
/* Opens the worker, and makes worker->small where the job has a cascade; the worker's other parts are there. Statuses of vrs_cascade_open. */
enum vrs_status vrs_cascade_look_init(struct vrs_roi_worker *worker, const struct vrs_roi_worker *first, struct vrs_error *err);
/*
 * The small network looks at the first `count` places *open of a set, and fills in the mattes that are good enough.  *open becomes those that are
 * left to the large one; returns their number, -1 when the job is over.
 */
int vrs_cascade_look(struct vrs_roi_worker *worker, const struct vrs_roi_set *set, const int **open, int count);

#endif
