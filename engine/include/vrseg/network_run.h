/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Networks without a video: any network on NumPy arrays (--run-network), and calibration (--calibrate). */
#ifndef VRSEG_NETWORK_RUN_H
#define VRSEG_NETWORK_RUN_H

#include <vrseg/calibration.h>
#include <vrseg/options.h>
#include <vrseg/status.h>

/* One line of results, without newline. */
typedef void (*vrs_array_line_fn)(void *cookie, const char *text);

struct vrs_array_run {
	const struct vrs_settings *settings;  /* engine.* and output.overwrite apply; engine.model names the network */
	const char *const *tensors;           /* "NAME=FILE.npy", one for each input of the network */
	int tensor_count;
	const char *output_dir;               /* made when it does not exist */
	vrs_array_line_fn line;               /* (optional) called for each output written */
	void *cookie;
};

/*
 * Read the arrays, run the network once, write each output as output_dir/NAME.npy ("/" in a name becomes "_"); tensors are in the model's own layout.
 * Nothing is written when anything fails before.  VRS_ECONFIG: a missing, doubled or unknown input, an array of another type or shape than the
 * input, two outputs of one file name; VRS_EEXIST: an output exists and settings->output.overwrite is false; else the statuses of loading,
 * reading and running.
 */
enum vrs_status vrs_array_run(const struct vrs_array_run *run, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * Lines that describe the network of settings->engine.model: format, size, and name, type and shape of each input and output.  The statuses of
 * loading a network.
 */
enum vrs_status vrs_array_describe(const struct vrs_settings *settings, vrs_array_line_fn line, void *cookie, struct vrs_error *err) VRS_MUST_CHECK;

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
 * Calibrate a network with the pictures that it is to work on (--calibrate).
 * Frames spread over a clip, or the pictures of a folder, go through layout, view and preprocessing as the settings say; every fourth place is left
 * out to compare with fp32 later.  The calibration replaces the one that is kept for the network and input size of the settings.  Networks with
 * states get short runs of frames.  VRS_ECONFIG: no pictures, or an input that cannot be read twice; statuses of vrs_source_open,
 * vrs_network_load and of calibration.h.
 */
enum vrs_status vrs_calibrate_input(const struct vrs_settings *settings, const char *input, struct vrs_calibration_report *ret_report,
				    struct vrs_error *err) VRS_MUST_CHECK;

/*
 * Put the network that engine.model auto is in its place; the rest of a job goes by that.  Warns (vrs_config_warn) where it is not the best one.
 * VRS_ECONFIG: with --strict; else the statuses of vrs_manifest_load.
 */
enum vrs_status vrs_network_settle_name(struct vrs_settings *settings, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * Settings that a network with states implies: frames one after another (engine.streams 1), with batches of what is looked at in one of them; `eyes`
 * of each frame.  What asks for more is VRS_ECONFIG where the user named the network (is_named), too; where engine.model auto found it, the number
 * is lowered with a warning (VRS_ECONFIG: with --strict).  Else the statuses of vrs_manifest_load.  Call before a thread plan is made.
 */
enum vrs_status vrs_network_constrain(struct vrs_settings *settings, bool is_named, int eyes, struct vrs_error *err) VRS_MUST_CHECK;

/*
 * Put the precision that a job with these settings runs in, in place of auto (vrs_precision_choose): int8 only where every network of the job has a
 * calibration that passed its guard.  ret_reason: why; "" where the settings ask for a precision themselves.  A network or calibration
 * that is damaged counts as none: loading it says what is wrong.  VRS_EIO, VRS_ENOMEM: one cannot be read now, and the precision is that without
 * calibrations, which is enough for an estimate and not for pictures.
 */
enum vrs_status vrs_precision_settle(struct vrs_settings *settings, char *ret_reason, size_t size, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * Is a calibration kept for every network of a job with these settings, at its input size?  Without one int8 and mixed calibrate first, which takes
 * minutes with large networks.
 */
bool vrs_precision_is_calibrated(const struct vrs_settings *settings);

#endif
