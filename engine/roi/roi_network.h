/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of pictures through a network, batch by batch: pictures in, mattes of the parts out. */
#ifndef VRS_ROI_ROI_NETWORK_H
#define VRS_ROI_ROI_NETWORK_H

#include "roi/roi_states.h"

/* A network that looks, with what it needs of a worker. */
struct vrs_roi_network {
	struct vrs_session *session;
	struct vrs_head *head;
	struct vrs_preprocess *const *preprocess; /* [eyes] */
	const struct vrs_network_shape *shape;
	struct vrs_roi_states *states;            /* NULL: it has none */
	bool keeps_luma;                          /* its pictures have the size of mattes, and their luma is needed */
	/* Take batch entry k as the matte of a place of the set. False: the place stays open. */
	bool (*take)(struct vrs_roi_worker *worker, const struct vrs_roi_set *set, int k, int place);
};

/* What scales the largest part of an eye to a network's pictures, for a worker. Statuses of vrs_preprocess_create. */
enum vrs_status vrs_roi_preprocess(struct vrs_preprocess **ret_preprocess, const struct vrs_roi_worker *worker, int eye,
				   const struct vrs_manifest *manifest, const struct vrs_network_shape *shape);
/*
 * The open places of a set through a network, batch by batch.  Those that it does not take go to `left` (room for all; NULL: it takes all), and their
 * number is returned; -1 when the job is over.
 */
int vrs_roi_run_network(struct vrs_roi_worker *worker, const struct vrs_roi_network *through, const struct vrs_roi_set *set, const int *open,
			int count, int *left);
/* A session of the worker failed with VRS_EDEVICE: the job asks for it later, and err names the device. */
void vrs_roi_network_lost(struct vrs_roi_worker *worker, struct vrs_error *err);
/* Nobody where matte.exclude says so, in the alphas of a place. */
void vrs_roi_exclude(struct vrs_roi_worker *worker, const struct vrs_roi_set *set, int place, float *alpha);
/* How a camera looks at a place of the set. */
struct vrs_rectilinear_aim vrs_roi_aim_of(const struct vrs_roi_worker *worker, const struct vrs_roi_set *set, int place);
/* The same with the part that it looks at. */
struct vrs_roi_look vrs_roi_look_at(const struct vrs_roi_worker *worker, const struct vrs_roi_set *set, int place);

#endif
