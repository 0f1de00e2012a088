/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calibration of a network for precision int8 and mixed: run it over samples, keep the ranges of its activations, find the layers that 8 bits hurt.
 *
 *     vrs_calibrator_create(&c, model, &options, &err);
 *     for each sample: write vrs_calibrator_input(c, i).data, then vrs_calibrator_add(c, &err)
 *     vrs_calibrator_finish(c, &settings, &calibration, &err);
 *     vrs_calibration_save(calibration, path, &err);
 *
 * A calibration is immutable and may be shared by sessions and threads; it must outlive the sessions that it is given to.
 */
#ifndef VRSEG_CALIBRATION_H
#define VRSEG_CALIBRATION_H

#include <vrseg/session.h>

struct vrs_calibration;
struct vrs_calibrator;

enum vrs_range_method {
	VRS_RANGE_MSE,        /* default: the range with the least squared error of rounding and clipping */
	VRS_RANGE_PERCENTILE,
	VRS_RANGE_MINMAX,
};

struct vrs_calibration_settings {
	enum vrs_range_method method;
	double percentile;    /* VRS_RANGE_PERCENTILE: part of the values inside, per end, above 0.5; default 0.9999 */
	bool find_mixed;      /* measure every layer; takes one run a layer and sample; default true */
	double mixed_part;    /* mixed keeps layers in float until the output error is this part of that of int8; default 0.4 */
};

struct vrs_calibration_info {
	int samples;
	int layers, int8_layers, mixed_layers; /* that could be, and are 8 bits in int8 and in mixed */
	double int8_error, mixed_error; /* root mean square difference of the outputs to fp32; negative: not measured */
	uint64_t hash;        /* of what sessions take from it */
	int checks;           /* pictures besides the samples that int8 was checked on; 0: it was not */
	double int8_iou, int8_worst_iou; /* of mattes of int8 with those of fp32, at 0.5, over the checks */
	bool few_checks;      /* too few for the guard */
	bool passes;          /* the guard of VRS_PRECISION_AUTO: enough checks, with int8 close enough to fp32 on each */
};

struct vrs_calibration_settings vrs_calibration_settings_default(void);
/* options: as for a session; backend, precision and threads do not count. VRS_EINVAL: out of range; VRS_EUNSUPPORTED: inputs that are not float. */
enum vrs_status vrs_calibrator_create(struct vrs_calibrator **ret_calibrator, const struct vrs_model *model,
				      const struct vrs_session_options *options, struct vrs_error *err) VRS_MUST_CHECK;
void vrs_calibrator_destroy(struct vrs_calibrator *calibrator); /* NULL is fine */
/* Where to write input number index of the next sample; all zeros when there is no such index. */
struct vrs_tensor_view vrs_calibrator_input(struct vrs_calibrator *calibrator, int index);
/* Keep the sample. VRS_ELIMIT: more than 512 samples or 1 GiB; VRS_ENOMEM. */
enum vrs_status vrs_calibrator_add(struct vrs_calibrator *calibrator, struct vrs_error *err) VRS_MUST_CHECK;
/* VRS_EINVAL: no samples, or settings that are out of range; VRS_ENOMEM. */
enum vrs_status vrs_calibrator_finish(struct vrs_calibrator *calibrator, const struct vrs_calibration_settings *settings,
				      struct vrs_calibration **ret_calibration, struct vrs_error *err) VRS_MUST_CHECK;
/* What a check of int8 against fp32 gave, which vrs_calibration_save keeps; before a calibration is shared. checks: not of the samples. */
void vrs_calibration_set_check(struct vrs_calibration *calibration, int checks, double iou, double worst_iou);
void vrs_calibration_destroy(struct vrs_calibration *calibration); /* NULL is fine */
struct vrs_calibration_info vrs_calibration_info(const struct vrs_calibration *calibration);
/* Written in one piece; folders that are missing are made. VRS_EINVAL: path has no file name; VRS_EIO, VRS_ENOMEM. */
enum vrs_status vrs_calibration_save(const struct vrs_calibration *calibration, const char *path, struct vrs_error *err) VRS_MUST_CHECK;
/* VRS_ENOTFOUND; VRS_EFORMAT: damaged; VRS_EINVAL: made for another network; VRS_EIO, VRS_ELIMIT, VRS_ENOMEM. */
enum vrs_status vrs_calibration_load(struct vrs_calibration **ret_calibration, const char *path, const struct vrs_model *model, struct vrs_error *err)
	VRS_MUST_CHECK;
/* The folder `calibrations` of the cache folder, which need not be there. Statuses of vrs_cache_path. */
enum vrs_status vrs_calibration_folder(char *ret_path, size_t size, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * The file that keeps the calibration of this network for sessions of these options (input size and fusion count) in vrs_calibration_folder; it need
 * not be there.  manifest: its content (struct vrs_manifest), which says what goes into the network.  Statuses of vrs_cache_path.
 */
enum vrs_status vrs_calibration_store_path(const struct vrs_model *model, uint64_t manifest, const struct vrs_session_options *options,
					   char *ret_path, size_t size, struct vrs_error *err) VRS_MUST_CHECK;

#endif
