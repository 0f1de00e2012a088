/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is measured of mattes, as one table. */
#include <vrseg/matte_measure.h>

#define NOBODY "no matte shows anybody"
#define NO_PICTURE "there is no picture to look at: give the video that the mattes were made of with --source"
#define NO_PAIR "there are no two frames, or none with a picture: give the video that the mattes were made of with --source"
#define NO_TRUTH "there is no truth: give it with --truth"
#define NO_LENS "the projection is not known: give it with --projection"

static const struct vrs_matte_metric_info infos[VRS_MATTE_METRICS] = {
	[VRS_MATTE_DOUBT] = {"doubt", "doubt (1 - expected IoU)", 1, 4, false, NOBODY, "fair: MAD"},
	[VRS_MATTE_SOFT] = {"soft", "semi-transparent share", 1, 4, false, NOBODY, "fair: MAD"},
	[VRS_MATTE_EDGE_WIDTH] = {"edge_width", "edge width (samples)", 1, 2, false, NOBODY, "fair: all errors"},
	[VRS_MATTE_HOLES] = {"holes", "holes x1000", 1000, 2, false, NOBODY, "weak: its own fault"},
	[VRS_MATTE_ISLANDS] = {"islands", "islands x1000", 1000, 2, false, NOBODY, "weak: its own fault"},
	[VRS_MATTE_MISFIT] = {"misfit", "outline beside edges", 1, 4, false, NO_PICTURE, "strong: all errors"},
	[VRS_MATTE_FLICKER] = {"flicker", "flicker where still x100", 100, 3, false, NO_PAIR, "fair: dtSSD"},
	[VRS_MATTE_JUMP] = {"jump", "single-frame jump", 1, 4, false, "there are no three frames", "weak: its own fault"},
	[VRS_MATTE_EYES] = {"eyes", "eyes disagree", 1, 4, false, NO_PICTURE, "strong: eyes by truth"},
	[VRS_MATTE_IOU] = {"iou", "IoU", 1, 4, true, NO_TRUTH, NULL},
	[VRS_MATTE_BOUNDARY_IOU] = {"boundary_iou", "boundary IoU", 1, 4, true, NO_TRUTH, NULL},
	[VRS_MATTE_BOUNDARY_F] = {"boundary_f", "boundary F (DAVIS)", 1, 4, true, NO_TRUTH, NULL},
	[VRS_MATTE_CONTOUR_F] = {"contour_f", "F within 2 px", 1, 4, true, NO_TRUTH, NULL},
	[VRS_MATTE_MAD] = {"mad", "MAD x1000", 1000, 3, false, NO_TRUTH, NULL},
	[VRS_MATTE_MSE] = {"mse", "MSE x1000", 1000, 3, false, NO_TRUTH, NULL},
	[VRS_MATTE_SAD] = {"sad", "SAD (thousands)", 1, 3, false, NO_TRUTH, NULL},
	[VRS_MATTE_GRAD] = {"grad", "Grad (thousands)", 1, 3, false, NO_TRUTH, NULL},
	[VRS_MATTE_CONN] = {"conn", "Conn (thousands)", 1, 3, false, NO_TRUTH, NULL},
	[VRS_MATTE_DTSSD] = {"dtssd", "dtSSD x100", 100, 3, false, NO_TRUTH, NULL},
	[VRS_MATTE_IOU_ANGLE] = {"iou_angle", "IoU", 1, 4, true, NO_LENS, NULL},
	[VRS_MATTE_BOUNDARY_IOU_ANGLE] = {"boundary_iou_angle", "boundary IoU", 1, 4, true, NO_LENS, NULL},
	[VRS_MATTE_MAD_ANGLE] = {"mad_angle", "MAD x1000", 1000, 3, false, NO_LENS, NULL},
	[VRS_MATTE_MSE_ANGLE] = {"mse_angle", "MSE x1000", 1000, 3, false, NO_LENS, NULL},
	[VRS_MATTE_SAD_ANGLE] = {"sad_angle", "SAD (thousands)", 1, 3, false, NO_LENS, NULL},
	[VRS_MATTE_GRAD_ANGLE] = {"grad_angle", "Grad (thousands)", 1, 3, false, NO_LENS, NULL},
	[VRS_MATTE_CONN_ANGLE] = {"conn_angle", "Conn (thousands)", 1, 3, false, NO_LENS, NULL},
	[VRS_MATTE_DTSSD_ANGLE] = {"dtssd_angle", "dtSSD x100", 100, 3, false, NO_LENS, NULL},
};

const struct vrs_matte_metric_info *vrs_matte_metric_info(enum vrs_matte_metric metric)
{
	return &infos[metric];
}

bool vrs_matte_metric_is_pair(enum vrs_matte_metric metric)
{
	return metric == VRS_MATTE_EYES;
}

const char *vrs_matte_kind_name(enum vrs_matte_kind kind)
{
	static const char *const names[] = {"auto", "matte", "pack", "cutout"};
	return names[kind];
}
