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
static bool has_calibrations(void)
{
	char folder[PATH_MAX];
	return vrs_calibration_folder(folder, sizeof folder, NULL) == VRS_OK && vrs_path_is_dir(folder);
}

/* Does a network have a calibration, and *ret_passes: may it run in 8 bits? One that cannot be read has none, and says so when the job loads it. */
static bool is_calibrated(const struct vrs_settings *settings, const char *model, const int size[2], bool *ret_passes, const char **ret_reason)
{
	struct vrs_settings own = *settings;
	struct vrs_network network;
	struct vrs_error err = {0};
	own.engine.precision = VRS_PRECISION_FP32;
	memcpy(own.engine.model, model, sizeof own.engine.model);
	memcpy(own.engine.input_size, size, sizeof own.engine.input_size);
	bool good = vrs_network_open(&network, &own, 1, 1, NULL) == VRS_OK;
	network.options.precision = VRS_PRECISION_INT8;
	if (good && vrs_network_take_calibration(&network, &err) != VRS_OK)
		vrs_log_once("no-int8", VRS_LOG_WARNING, "precision auto does without int8: %s", err.text);
	good = good && network.calibration;
	*ret_passes = good && vrs_precision_choose(own.engine.backend, network.calibration, ret_reason) == VRS_PRECISION_INT8;
	vrs_network_fini(&network);
	return good;
}

static bool passes(const struct vrs_settings *settings, const char *model, const int size[2], const char **ret_reason)
{
	bool good;
	return is_calibrated(settings, model, size, &good, ret_reason) && good;
}

bool vrs_precision_is_calibrated(const struct vrs_settings *settings)
{
	const char *reason;
	bool good;
	return has_calibrations() && is_calibrated(settings, settings->engine.model, settings->engine.input_size, &good, &reason) &&
	       (!settings->matte.early_exit || is_calibrated(settings, settings->matte.early_exit_model, settings->matte.early_exit_size, &good, &reason));
}

void vrs_precision_settle(struct vrs_settings *settings, char *ret_reason, size_t size)
{
	const char *reason;
	bool on_cpu = strcmp(settings->engine.backend, "auto") == 0 || strcmp(settings->engine.backend, "cpu") == 0;
	ret_reason[0] = '\0';
	if (settings->engine.precision != VRS_PRECISION_AUTO)
		return;
	bool int8 = on_cpu && has_calibrations() && passes(settings, settings->engine.model, settings->engine.input_size, &reason) &&
		    (!settings->matte.early_exit || passes(settings, settings->matte.early_exit_model, settings->matte.early_exit_size, &reason));
	settings->engine.precision = int8 ? VRS_PRECISION_INT8 : (int)vrs_precision_choose(settings->engine.backend, NULL, &reason);
	snprintf(ret_reason, size, "auto: %s", reason);
}
