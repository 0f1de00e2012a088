/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calibrate a network with the pictures that it is to work on: what `vrseg --calibrate` does. */
#ifndef VRSEG_CALIBRATION_RUN_H
#define VRSEG_CALIBRATION_RUN_H

#include <vrseg/calibration.h>
#include <vrseg/options.h>

struct vrs_calibration_report {
	char network[64];
	int width, height;            /* of the network's input */
	int checks;                   /* pictures that int8 and mixed were compared with fp32 on */
	bool checks_are_samples;      /* there were too few to leave some out */
	struct vrs_calibration_info info;
	double int8_iou, mixed_iou;   /* mean intersection over union of the mattes with those of fp32, at 0.5 */
	char path[VRS_PATH_MAX];      /* the file that keeps the calibration */
};

/*
 * Frames spread over a clip, or the pictures of a folder, go through layout, view and preprocessing as the settings say; every fourth place is left
 * out to compare with fp32 later.  The calibration replaces the one that is kept for the network and input size of the settings.  Networks with
 * states get short runs of frames.  VRS_ECONFIG: no pictures, or an input that cannot be read twice; statuses of vrs_source_open,
 * vrs_network_load and of calibration.h.
 */
enum vrs_status vrs_calibrate_input(const struct vrs_settings *settings, const char *input, struct vrs_calibration_report *ret_report,
				    struct vrs_error *err) VRS_MUST_CHECK;

#endif
