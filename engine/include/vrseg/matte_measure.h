/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures the mattes of a finished video: by themselves, against the video that they were made of, and against a truth.
 */
#ifndef VRSEG_MATTE_MEASURE_H
#define VRSEG_MATTE_MEASURE_H

#include <vrseg/layout.h>
#include <vrseg/quality.h>

/* Where the mattes of a video are. */
enum vrs_matte_kind {
	VRS_MATTE_KIND_AUTO,
	VRS_MATTE_KIND_MATTE,    /* the picture is the matte: white people on black */
	VRS_MATTE_KIND_PACK,     /* in the corners of a fisheye picture (mode alpha) */
	VRS_MATTE_KIND_CUTOUT,   /* its alpha channel */
};

/* "auto", "matte", "pack", "cutout". */
const char *vrs_matte_kind_name(enum vrs_matte_kind kind);

/* The first are estimates, which need no truth; then errors against a truth; then the same weighted by solid angle. */
enum vrs_matte_metric {
	VRS_MATTE_DOUBT,         /* 1 - the IoU that the alphas promise, taken as probabilities (matte/confidence.h) */
	VRS_MATTE_SOFT,
	VRS_MATTE_EDGE_WIDTH,
	VRS_MATTE_HOLES,
	VRS_MATTE_ISLANDS,
	VRS_MATTE_MISFIT,        /* 1 - slope of the picture under the outline over the steepest one near it */
	VRS_MATTE_FLICKER,
	VRS_MATTE_JUMP,          /* how much less a frame overlaps with both neighbours than they do with each other */
	VRS_MATTE_EYES,          /* 1 - overlap of the eyes, each part shifted as the pictures of both eyes tell */
	VRS_MATTE_IOU,
	VRS_MATTE_BOUNDARY_IOU,
	VRS_MATTE_BOUNDARY_F,
	VRS_MATTE_CONTOUR_F,
	VRS_MATTE_MAD,
	VRS_MATTE_MSE,
	VRS_MATTE_SAD,
	VRS_MATTE_GRAD,
	VRS_MATTE_CONN,
	VRS_MATTE_DTSSD,
	VRS_MATTE_IOU_ANGLE,
	VRS_MATTE_BOUNDARY_IOU_ANGLE,
	VRS_MATTE_MAD_ANGLE,
	VRS_MATTE_MSE_ANGLE,
	VRS_MATTE_SAD_ANGLE,
	VRS_MATTE_GRAD_ANGLE,
	VRS_MATTE_CONN_ANGLE,
	VRS_MATTE_DTSSD_ANGLE,
	VRS_MATTE_METRICS
};
#define VRS_MATTE_ESTIMATES VRS_MATTE_IOU
#define VRS_MATTE_PLAIN_METRICS VRS_MATTE_IOU_ANGLE

struct vrs_matte_metric_info {
	const char *key;         /* "edge_width" */
	const char *head;        /* in words, with the factor of what is shown: "MSE x1000" */
	double factor;
	int decimals;            /* of what is shown */
	bool more_is_better;
	const char *missing;     /* of a metric without values: why, as a sentence without dot */
	const char *worth;       /* of an estimate: what its rank follows, by docs/matte-estimates.md; NULL: of an error */
};

const struct vrs_matte_metric_info *vrs_matte_metric_info(enum vrs_matte_metric metric);

struct vrs_matte_value {
	uint64_t frames;         /* that have a value; 0: none has */
	double mean, worst;
	int64_t worst_frame;
};

enum vrs_matte_event_kind {
	VRS_MATTE_EVENT_REPEATED, /* the matte of the frame before, though the picture moves under its outline; value: share that moves */
	VRS_MATTE_EVENT_GAP,      /* frames are missing before this one; value: how many */
	VRS_MATTE_EVENT_GLITCH,   /* a matte unlike both neighbours, which are alike; value: jump */
	VRS_MATTE_EVENT_LATE_CUT, /* the picture cuts here, the matte one frame later; value: difference of overlaps */
	VRS_MATTE_EVENT_UNPAIRED, /* no frame of the source has this time; value: seconds to the nearest one */
	VRS_MATTE_EVENT_KINDS
};

struct vrs_matte_event {
	enum vrs_matte_event_kind kind;
	int64_t frame;
	double value;
};

#define VRS_MATTE_MOST_LAG 5 /* frames, each way */

struct vrs_matte_sync {
	bool known;              /* a picture was there, with enough frames, and outlines lie on its edges */
	int lag;                 /* frames by which the mattes lag behind the picture: outlines fit it best then; below 0: they lead */
	double gain;             /* how much better they fit there than in place: ratio of slopes under the outlines, 1: in place */
	double fit;              /* slope under the outlines there over the steepest one beside them, 0..1 */
};

struct vrs_matte_report {
	enum vrs_matte_kind kind;
	char kind_reason[160];   /* what told it */
	struct vrs_layout layout;
	int width, height, eyes, eye_width, eye_height; /* of the video; mattes are measured at the size of an eye */
	bool has_picture, has_truth, weighted;
	uint64_t frames, identical, cuts; /* identical: mattes equal to the one before, whether the picture moves or not */
	uint64_t source_frames;  /* 0: no source */
	bool source_goes_on;     /* has more frames than that */
	double *seconds;         /* [frames] time of each frame */
	struct vrs_matte_value value[2][VRS_MATTE_METRICS]; /* by eye; those of both eyes together in the first one */
	struct vrs_truth_sums truth; /* with truth: as vrseg --truth and vrbench have them */
	struct vrs_matte_event *events; /* in order of their frames; at most VRS_MATTE_MOST_EVENTS are kept */
	uint64_t event_count, event_total[VRS_MATTE_EVENT_KINDS]; /* event_count: of those kept */
	struct vrs_matte_sync sync;
};

#define VRS_MATTE_MOST_EVENTS 10000

struct vrs_matte_request {
	const char *file;        /* a video */
	const char *source;      /* (optional) the video that mattes were made of; packs and cutouts hold a picture of their own */
	const char *truth;       /* (optional) mattes known to be right, in a video of the layout of the source, or packed as the mattes are */
	enum vrs_matte_kind kind;
	struct vrs_layout_request layout; /* of the file, or of the source and truth of a pack */
	int64_t most_frames;     /* 0: all */
	int threads;             /* of decoders; 0: auto */
};

/*
 * Measure.  VRS_ENOTFOUND, VRS_EIO; VRS_EFORMAT: a file holds no matte, no video, or is damaged, or the truth ends before; VRS_ECONFIG: sizes that
 * do not go together; VRS_ESTOPPED.  Free the report with vrs_matte_report_destroy.
 */
enum vrs_status vrs_matte_measure(struct vrs_matte_report **ret_report, const struct vrs_matte_request *request, struct vrs_error *err)
	VRS_MUST_CHECK;
void vrs_matte_report_destroy(struct vrs_matte_report *report); /* NULL is fine */
/* Is it of both eyes together? */
bool vrs_matte_metric_is_pair(enum vrs_matte_metric metric);

/* A row of the contact sheet of the worst frames. */
struct vrs_matte_sheet_row {
	int64_t frame;
	int eye;
};

/*
 * Draw rows of picture (where there is one), matte and truth (where there is one) into a PNG file, which must end in .png.  Frames in any order; the
 * request is that of the report.  VRS_EEXIST where it exists and overwrite is false; statuses of vrs_matte_measure.
 */
enum vrs_status vrs_matte_sheet(const struct vrs_matte_request *request, const struct vrs_matte_sheet_row *rows, int count, const char *path,
				bool overwrite, struct vrs_error *err) VRS_MUST_CHECK;
/* Whether it could be drawn into a file of that name. VRS_ECONFIG. */
enum vrs_status vrs_matte_sheet_check(const char *path, struct vrs_error *err) VRS_MUST_CHECK;

#endif
