/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is measured of mattes beside truth, as one table. */
#include <vrseg/quality.h>

#include <math.h>

#define NO_TRUTH "the clip has no exact truth: NAME_alpha.mkv beside NAME.mp4, or a synth: clip"
#define NO_PAIR "no two consecutive frames were compared with exact truth"
#define NO_EYES "no frame has mattes of two eyes and exact truth of them"

/*
 * Margins: smaller changes are seen between precisions of the same network.  Those of the errors over the box are what 0.002 of IoU means there on
 * the truth clips.
 */
static const struct vrs_quality_figure_info infos[VRS_QUALITY_FIGURES] = {
	[VRS_FIGURE_IOU] = {"iou", "IoU with truth", 1, 4, true, 0.002, NO_TRUTH},
	[VRS_FIGURE_IOU_WORST] = {"iou_worst", "worst frame", 1, 4, true, 0.01, NO_TRUTH},
	[VRS_FIGURE_MAD] = {"mad", "mean difference", 1, 4, false, 0, NO_TRUTH},
	[VRS_FIGURE_BOUNDARY_F] = {"boundary_f", "boundary F", 1, 4, true, 0, NO_TRUTH},
	[VRS_FIGURE_DTSSD] = {"dtssd", "dtSSD x100", 100, 2, false, 0, NO_PAIR},
	[VRS_FIGURE_CONTOUR_F] = {"contour_f", "F within 2 px", 1, 4, true, 0.005, NO_TRUTH},
	[VRS_FIGURE_BOX_MAD] = {"box_mad", "MAD over box", 1, 4, false, 0.0005, NO_TRUTH},
	[VRS_FIGURE_BOX_MSE] = {"box_mse", "MSE x1000 over box", 1000, 2, false, 0.0002, NO_TRUTH},
	[VRS_FIGURE_BOX_DTSSD] = {"box_dtssd", "dtSSD x100 over box", 100, 2, false, 0.002, NO_PAIR},
	[VRS_FIGURE_EYES] = {"disparity_agreement", "eyes agree", 1, 4, true, 0.002, NO_EYES},
	[VRS_FIGURE_EYES_TRUTH] = {"disparity_agreement_truth", "eyes of truth", 1, 4, true, 0, NO_EYES},
};

const struct vrs_quality_figure_info *vrs_quality_figure_info(enum vrs_quality_figure figure)
{
	return &infos[figure];
}

static double of_eye(const struct vrs_truth_score *s, enum vrs_quality_figure figure)
{
	switch (figure) {
	case VRS_FIGURE_IOU: return s->iou.mean;
	case VRS_FIGURE_MAD: return s->mad.mean;
	case VRS_FIGURE_BOUNDARY_F: return s->boundary_f.mean;
	case VRS_FIGURE_DTSSD: return s->dtssd.mean;
	case VRS_FIGURE_CONTOUR_F: return s->contour_f.mean;
	case VRS_FIGURE_BOX_MAD: return s->has_box ? s->box_mad.mean : (double)NAN;
	case VRS_FIGURE_BOX_MSE: return s->has_box ? s->box_mse.mean : (double)NAN;
	case VRS_FIGURE_BOX_DTSSD: return s->has_box ? s->box_dtssd.mean : (double)NAN;
	case VRS_FIGURE_IOU_WORST:
	case VRS_FIGURE_EYES:
	case VRS_FIGURE_EYES_TRUTH:
	case VRS_QUALITY_FIGURES: break;
	}
	return NAN;
}

static bool is_change(enum vrs_quality_figure figure)
{
	return figure == VRS_FIGURE_DTSSD || figure == VRS_FIGURE_BOX_DTSSD;
}

double vrs_quality_figure(const struct vrs_truth_sums *sums, enum vrs_quality_figure figure)
{
	struct vrs_truth_result result;
	double sum = 0;
	vrs_truth_sums_result(sums, &result);
	if (figure == VRS_FIGURE_EYES || figure == VRS_FIGURE_EYES_TRUTH)
		return result.pair.frames == 0 ? (double)NAN : figure == VRS_FIGURE_EYES ? result.pair.mattes.mean : result.pair.truths.mean;
	if (figure == VRS_FIGURE_IOU_WORST && result.eyes > 0 && result.frame_size[0].frames > 0)
		return fmin(result.frame_size[0].iou.worst, result.frame_size[result.eyes - 1].iou.worst);
	for (int i = 0; i < result.eyes; i++) {
		bool known = result.frame_size[i].frames > 0 && (!is_change(figure) || result.frame_size[i].pairs > 0);
		sum += known ? of_eye(&result.frame_size[i], figure) : (double)NAN;
	}
	return result.eyes > 0 ? sum / result.eyes : (double)NAN;
}
