/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calibration of a job's network: the one that is kept, or one made with the job's own input. */
#include <math.h>
#include <string.h>

#include "base/file.h"
#include "roi/network.h"

#include <vrseg/calibration_run.h>
#include <vrseg/log.h>

static bool needs_calibration(const struct vrs_network *network)
{
	return network->options.precision == VRS_PRECISION_INT8 || network->options.precision == VRS_PRECISION_MIXED;
}

enum vrs_status vrs_network_take_calibration(struct vrs_network *network, struct vrs_error *err)
{
	const struct vrs_session_options *options = &network->options;
	char path[VRS_PATH_MAX];
	if (!needs_calibration(network) || network->calibration)
		return VRS_OK;
	enum vrs_status status = vrs_calibration_store_path(network->model, options->input_width, options->input_height, path, sizeof path, err);
	if (status == VRS_OK && vrs_path_exists(path))
		status = vrs_calibration_load(&network->calibration, path, network->model, err);
	network->options.calibration = network->calibration;
	return status;
}

enum vrs_status vrs_network_need_calibration(struct vrs_network *network, const struct vrs_settings *settings, const char *input,
					     struct vrs_error *err)
{
	const char *precision = vrs_precision_name(network->options.precision), *name = network->manifest.name;
	struct vrs_calibration_report report;
	if (!needs_calibration(network) || network->calibration)
		return VRS_OK;
	if (strcmp(input, "-") == 0)
		return vrs_fail(err, VRS_ECONFIG, "precision %s needs a calibration of the network %s, and standard input cannot be read twice; make one "
				"with vrseg --calibrate CLIP -m %s", precision, name, name);
	vrs_log(VRS_LOG_INFO, "precision %s: no stored calibration of %s; calibrating with %s first", precision, name, input);
	enum vrs_status status = vrs_calibrate_input(settings, input, &report, err);
	if (status != VRS_OK)
		return status;
	bool int8 = network->options.precision == VRS_PRECISION_INT8;
	vrs_log(VRS_LOG_INFO, "calibrated: IoU %.4f with fp32, stored in %s", int8 ? report.int8_iou : report.mixed_iou, report.path);
	return vrs_network_take_calibration(network, err);
}
