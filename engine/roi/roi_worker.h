/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one worker has to find people in frames: its networks, where it looks, and what it saw. */
#ifndef VRS_ROI_ROI_WORKER_H
#define VRS_ROI_ROI_WORKER_H

#include "matte/plane_scaler.h"
#include "matte/matte_expand.h"
#include "matte/preprocess.h"
#include "matte/regions.h"
#include "matte/roi_warp.h"
#include "matte/scene_cut.h"
#include "roi/roi_past.h"

enum vrs_reuse { VRS_REUSE_NOTHING, VRS_REUSE_LAST, VRS_REUSE_BETWEEN };

struct vrs_cascade_look;
struct vrs_reference;
struct vrs_rectilinear_look;
struct vrs_roi_states;

/* Frames that are worked on together, and what the network saw of them: an input is an eye of a frame. */
struct vrs_roi_batch {
	struct vrs_frame_task **tasks;        /* of the worker's group */
	enum vrs_reuse *reuse;                /* [room] of these frames */
	struct vrs_rect *views;               /* [room * eyes] that the mattes cover */
	struct vrs_regions *now, *next;       /* [room * eyes] looked at, and where to look in later frames */
	struct vrs_people *people;            /* [room] where people are tracked: who is in each frame */
	float *alpha;                         /* [room * eyes][matte_height * matte_width] */
	uint8_t *luma;                        /* the same of the picture; NULL: not needed */
	struct vrs_scene_signature *scenes;   /* [room * eyes] */
	struct vrs_luma_view luma_view[VRS_MAX_EYES]; /* luma at the size of mattes */
};

/* What a network saw of several parts of several pictures: place input * of_input + number, where that is the region, or the view of a search. */
struct vrs_roi_set {
	int of_input;           /* 0: nothing */
	struct vrs_rect *rects; /* [room * eyes * of_input] */
	float *alpha;           /* [..][matte_height * matte_width of the network] */
};

/* Mattes of one part as they look from another. */
struct vrs_roi_warps {
	struct vrs_roi_warp region;           /* from a region to its matte */
	struct vrs_roi_warp wider;            /* from a wider view to a region */
	struct vrs_matte_shrink shrink;       /* from a look to a smaller matte */
	float *alpha;                         /* of a matte or a look */
};

/* To compare a frame with the one that was seen last. */
struct vrs_roi_comparison {
	struct vrs_luma_view view[VRS_MAX_EYES]; /* luma at the size of inputs */
	uint8_t *luma;                        /* [input_height * input_width] */
};

/* Used by one thread at a time; made before the run, so that workers allocate nothing. */
struct vrs_roi_worker {
	const struct vrs_roi_plan *plan;
	struct vrs_flow *flow;
	const struct vrs_roi_past *past;
	struct vrs_reference *reference;
	struct vrs_arena *arena;              /* of the worker: it outlives this */
	struct vrs_roi_batch batch;
	const char *device;                   /* options.device of its sessions; NULL: the backend has none */
	bool device_lost;                     /* a session failed with VRS_EDEVICE */
	struct vrs_session *session;
	struct vrs_head *head;
	struct vrs_session *small_session;    /* of the small network (cascade.h); NULL: none */
	struct vrs_head *small_head;
	struct vrs_cascade_look *small;       /* what else a look of it needs */
	struct vrs_roi_states *states;        /* NULL: the network has none */
	struct vrs_preprocess *preprocess[VRS_MAX_EYES];
	struct vrs_rectilinear_look *camera;  /* NULL: parts are looked at as they are */
	struct vrs_exclusion_view *excluded[VRS_MAX_EYES]; /* NULL: nothing */
	struct vrs_region_finder *finder;     /* NULL: there is one region */
	struct vrs_luma_view *glances;        /* [eyes] of whole eyes, where people are tracked */
	uint8_t *glance_luma;
	struct vrs_roi_set looks, wide;       /* of all regions; further scales of them */
	struct vrs_roi_set search;            /* of_input 0: none (roi_search.h) */
	struct vrs_roi_set newcomers;         /* with states: views around all that an eye may show */
	struct vrs_roi_warps warps;
	struct vrs_roi_comparison comparison;
	int *open, *again;                    /* [room * eyes * regions] places in looks that are to be looked at, now and then */
	int *searched;                        /* [room * eyes * of_input] places in search */
};

#endif
