/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Matte metrics.  Both mattes have the same size; values 0..255 are read as 0..1.
 */
#ifndef VRSEG_QUALITY_H
#define VRSEG_QUALITY_H

#include <vrseg/frame.h>

struct vrs_quality {
	double iou;        /* intersection over union of {alpha >= 0.5}; 1 when both are empty */
	double mad;        /* mean absolute difference, 0..1 */
	double mse;        /* mean squared difference */
	double boundary_f; /* F measure of the 0.5 contours within 0.75 % of the diagonal (Perazzi et al., CVPR 2016) */
};

/* VRS_EINVAL when sizes differ; VRS_ENOMEM. */
enum vrs_status vrs_quality_compare(struct vrs_quality *ret_quality, const struct vrs_matte *matte, const struct vrs_matte *truth) VRS_MUST_CHECK;

/*
 * dtSSD (Erofeev et al., BMVC 2015) between consecutive frames: root mean square of the difference of temporal derivatives, 0..1.
 * VRS_EINVAL when sizes differ.
 */
enum vrs_status vrs_quality_dtssd(double *ret_dtssd, const struct vrs_matte *matte, const struct vrs_matte *previous, const struct vrs_matte *truth,
				  const struct vrs_matte *truth_previous) VRS_MUST_CHECK;

/*
 * Comparison of a job's mattes with a truth video: grey, the size of the input, one frame for each frame of the input.
 *
 *     vrs_truth_open(&truth, path, input, settings, &err)    "synth:" is the truth of a synth: input
 *     job with on_matte calling vrs_truth_add
 *     vrs_truth_attach(truth, vrs_job_info(job), every_nth, &err)   before the job runs: opens the video, at the frame where the job begins
 *     vrs_truth_result(truth, &result, &err)                        after it
 */
struct vrs_truth;
struct vrs_job_info;
struct vrs_settings;

struct vrs_truth_metric {
	double mean, worst;
	int64_t worst_frame;
};

/*
 * One eye at one size. Mattes are compared over the whole eye: outside the network's view is background.
 *
 * The figures of the box do not depend on how much empty room is around people: the same sums of errors, wherever in the eye they are, divided by the
 * samples of the smallest rectangle that holds the people of all frames and a quarter of its size more on each side.
 */
struct vrs_truth_score {
	uint64_t frames, pairs;                                   /* pairs: consecutive frames, which dtSSD compares; 0: it has no value */
	struct vrs_truth_metric iou, mad, mse, boundary_f, dtssd;
	struct vrs_truth_metric contour_f;                        /* boundary F within 2 samples of this size */
	bool has_box;                                             /* of the size of the frame only, and where the truth shows somebody */
	struct vrs_truth_metric box_mad, box_mse, box_dtssd;
};

/*
 * Both eyes: how well their mattes agree once each part is shifted as the truth of both eyes tells (matte/disparity_agreement.h), and how well the
 * truths themselves do, which is the most that can be asked for.
 */
struct vrs_truth_eyes {
	uint64_t frames; /* 0: one eye */
	struct vrs_truth_metric mattes, truths;
};

struct vrs_truth_result {
	int eyes;
	struct vrs_truth_eyes pair;
	struct vrs_truth_score frame_size[2]; /* matte up-sampled to the eye, as composed */
	struct vrs_truth_score matte_size[2]; /* truth averaged down to the matte, inside the view only: what the network itself reaches */
};

/* Of a segment of a video: means hold sums, which can be added; values of the box come last, of all segments. */
struct vrs_truth_sum {
	struct vrs_truth_score score;
	struct vrs_rect box;       /* around the people of the truth in all frames, in samples of the eye; width 0: nobody, or not of this size */
	int width, height, circle; /* of the eye, where there is a box; circle: 0, or the width of an eye whose rows close to a circle */
};

struct vrs_truth_sums {
	int eyes; /* 0: nothing was compared */
	struct vrs_truth_eyes pair;
	struct vrs_truth_sum frame_size[2], matte_size[2];
};

/*
 * What mattes are compared with; free with vrs_truth_close.  VRS_ECONFIG: synth: beside another input; VRS_ELIMIT: a name is too long;
 * VRS_ENOMEM.  The video is opened by vrs_truth_attach.
 */
enum vrs_status vrs_truth_open(struct vrs_truth **ret_truth, const char *path, const char *input, const struct vrs_settings *settings,
			       struct vrs_error *err) VRS_MUST_CHECK;
/* The same, to compare from frame `first` of the output on; what lies before is sought over where that is safe, and read where it is not. */
enum vrs_status vrs_truth_open_at(struct vrs_truth **ret_truth, const char *path, const char *input, const struct vrs_settings *settings,
				  int64_t first, struct vrs_error *err) VRS_MUST_CHECK;
/* Once, before the job runs.  VRS_ECONFIG when the truth's size is not the input's; VRS_ENOMEM; statuses of opening and reading the truth. */
enum vrs_status vrs_truth_attach(struct vrs_truth *truth, const struct vrs_job_info *info, int every_nth, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * As the callback on_matte, in its order: index -1 is the frame before the first one, which only dtSSD needs.  A failure is kept for
 * vrs_truth_result; later calls do nothing.
 */
void vrs_truth_add(struct vrs_truth *truth, int64_t index, int eye, const struct vrs_matte *matte, const struct vrs_rect *covers);
/* VRS_OK, or the first failure of vrs_truth_add: VRS_EFORMAT for a truth with fewer frames than the input; statuses of reading it; VRS_ENOMEM. */
enum vrs_status vrs_truth_result(const struct vrs_truth *truth, struct vrs_truth_result *ret_result, struct vrs_error *err) VRS_MUST_CHECK;
/* The same as sums. */
enum vrs_status vrs_truth_sums(const struct vrs_truth *truth, struct vrs_truth_sums *ret_sums, struct vrs_error *err) VRS_MUST_CHECK;
/* A value of one frame ({VALUE, VALUE, FRAME}), or a sum of several: means are summed, the worst one stays.  small_is_bad: of shares of agreement. */
void vrs_truth_metric_add(struct vrs_truth_metric *to, const struct vrs_truth_metric *from, bool first, bool small_is_bad);
/* Add the sums of the segment that follows. */
void vrs_truth_sums_add(struct vrs_truth_sums *sums, const struct vrs_truth_sums *next);
void vrs_truth_sums_result(const struct vrs_truth_sums *sums, struct vrs_truth_result *ret_result);
void vrs_truth_close(struct vrs_truth *truth); /* NULL is fine */

/* The same comparison for mattes and truths that the caller brings at the size of an eye: sums have no matte_size. */
struct vrs_truth_meter;

/* circle: rows close to one. VRS_EINVAL, VRS_ENOMEM. */
enum vrs_status vrs_truth_meter_create(struct vrs_truth_meter **ret_meter, int eyes, int width, int height, bool circle) VRS_MUST_CHECK;
/*
 * Frames in ascending order, each eye once; both are copied.  counts: false where the frame is there only for the change to the next one, index + 1.
 * VRS_EINVAL: another eye or size; VRS_ENOMEM.
 */
enum vrs_status vrs_truth_meter_add(struct vrs_truth_meter *meter, int64_t index, int eye, const struct vrs_matte *matte,
				    const struct vrs_matte *truth, bool counts) VRS_MUST_CHECK;
void vrs_truth_meter_sums(const struct vrs_truth_meter *meter, struct vrs_truth_sums *ret_sums);
void vrs_truth_meter_destroy(struct vrs_truth_meter *meter); /* NULL is fine */

/*
 * The figures of a comparison, one definition for vrseg, vrbench, vrtune and vranalyze.  Values are of the composed size, means over
 * frames and eyes (IOU_WORST: the worst frame of either eye).
 */
enum vrs_quality_figure {
	VRS_FIGURE_IOU,
	VRS_FIGURE_IOU_WORST,
	VRS_FIGURE_MAD,
	VRS_FIGURE_BOUNDARY_F,
	VRS_FIGURE_DTSSD,
	VRS_FIGURE_CONTOUR_F,
	VRS_FIGURE_BOX_MAD,
	VRS_FIGURE_BOX_MSE,
	VRS_FIGURE_BOX_DTSSD,
	VRS_FIGURE_EYES,
	VRS_FIGURE_EYES_TRUTH,
	VRS_QUALITY_FIGURES
};

struct vrs_quality_figure_info {
	const char *key;      /* in results.json and journals */
	const char *head;     /* of a column, with the factor: "MSE x1000" */
	double factor;        /* of what is shown */
	int decimals;         /* of what is shown */
	bool more_is_better;
	double margin;        /* a smaller change does not matter; 0: not judged */
	const char *missing;  /* why a comparison has none, as a sentence without dot */
};

const struct vrs_quality_figure_info *vrs_quality_figure_info(enum vrs_quality_figure figure);
/* NaN where it is missing: nothing compared, no two consecutive frames, nobody there, one eye. */
double vrs_quality_figure(const struct vrs_truth_sums *sums, enum vrs_quality_figure figure);

#endif
