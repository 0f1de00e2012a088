/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What --precision auto becomes in a job: once, before anything is made, so that plans, keys, segments and reports have one answer. */
#include <vrseg/network_run.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "roi/network.h"

#include <vrseg/log.h>

/* Without the folder no network has a calibration, and none need be read. */
static enum vrs_status has_calibrations(bool *ret_has, struct vrs_error *err)
{
	char folder[PATH_MAX];
	*ret_has = false;
	if (vrs_calibration_folder(folder, sizeof folder, NULL) != VRS_OK)
		return VRS_OK;
	return vrs_path_find(folder, ret_has, err);
}

/*
 * Does a network have a calibration, and *ret_passes: may it run in 8 bits?  A damaged one has none, and says so when the job loads it; of one that
 * cannot be read now nobody knows, and the job would have another precision than it has when it can be.
 */
static enum vrs_status is_calibrated(const struct vrs_settings *settings, const char *model, const int size[2], bool *ret_is, bool *ret_passes,
				     const char **ret_reason, struct vrs_error *err)
{
	struct vrs_settings own = *settings;
	struct vrs_network network;
	struct vrs_error why = {0};
	own.engine.precision = VRS_PRECISION_FP32;
	memcpy(own.engine.model, model, sizeof own.engine.model);
	memcpy(own.engine.input_size, size, sizeof own.engine.input_size);
	enum vrs_status status = vrs_network_open(&network, &own, 1, 1, &why);
	network.options.precision = VRS_PRECISION_INT8;
	if (status == VRS_OK) {
		status = vrs_network_take_calibration(&network, &why);
		if (status != VRS_OK && !vrs_status_may_pass(status))
			vrs_log_once("no-int8", VRS_LOG_WARNING, "precision auto does without int8: %s", why.text);
	}
	*ret_is = status == VRS_OK && network.calibration;
	*ret_passes = *ret_is && vrs_precision_choose(own.engine.backend, network.calibration, ret_reason) == VRS_PRECISION_INT8;
	vrs_network_fini(&network);
	return vrs_status_may_pass(status) ? vrs_fail(err, status, "%s", why.text[0] ? why.text : vrs_status_str(status)) : VRS_OK;
}

/* Of every network of the job: are all calibrated, and may all run in 8 bits? */
static enum vrs_status are_calibrated(const struct vrs_settings *settings, bool *ret_are, bool *ret_pass, const char **ret_reason,
				      struct vrs_error *err)
{
	enum vrs_status status = has_calibrations(ret_are, err);
	*ret_pass = false;
	if (status == VRS_OK && *ret_are)
		status = is_calibrated(settings, settings->engine.model, settings->engine.input_size, ret_are, ret_pass, ret_reason, err);
	if (status != VRS_OK || !*ret_are || !settings->matte.early_exit)
		return status;
	bool first = *ret_pass;
	status = is_calibrated(settings, settings->matte.early_exit_model, settings->matte.early_exit_size, ret_are, ret_pass, ret_reason, err);
	*ret_pass = *ret_pass && first;
	return status;
}

bool vrs_precision_is_calibrated(const struct vrs_settings *settings)
{
	const char *reason;
	bool are, pass;
	return are_calibrated(settings, &are, &pass, &reason, NULL) == VRS_OK && are;
}

enum vrs_status vrs_precision_settle(struct vrs_settings *settings, char *ret_reason, size_t size, struct vrs_error *err)
{
	const char *reason;
	bool on_cpu = strcmp(settings->engine.backend, "auto") == 0 || strcmp(settings->engine.backend, "cpu") == 0;
	bool are, int8 = false;
	enum vrs_status status = VRS_OK;
	ret_reason[0] = '\0';
	if (settings->engine.precision != VRS_PRECISION_AUTO)
		return VRS_OK;
	if (on_cpu)
		status = are_calibrated(settings, &are, &int8, &reason, err);
	int8 = int8 && status == VRS_OK;
	settings->engine.precision = int8 ? VRS_PRECISION_INT8 : (int)vrs_precision_choose(settings->engine.backend, NULL, &reason);
	snprintf(ret_reason, size, "auto: %s", reason);
	return status;
}
