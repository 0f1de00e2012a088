/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the network of a case decides; apart from the rest of cases, because programs that run no job know no networks. */
#include "bench/plan/case.h"

#include <string.h>

#include <vrseg/network_run.h>
#include <vrseg/session.h>

/* The settings of a case's run. */
static enum vrs_status settings_of(const struct vrs_case *c, const struct vrs_config *base, struct vrs_settings *ret_settings, struct vrs_error *err)
{
	struct vrs_config *config;
	enum vrs_status status = vrs_case_config(c, base, &config, err);
	if (status != VRS_OK)
		return status;
	*ret_settings = *vrs_config_settings(config);
	vrs_config_destroy(config);
	return VRS_OK;
}

enum vrs_status vrs_case_settle(struct vrs_case *c, const struct vrs_config *base, const int net_size[2], struct vrs_error *err)
{
	char reason[80];
	struct vrs_settings settings;
	enum vrs_status status = settings_of(c, base, &settings, err);
	if (status == VRS_OK && strcmp(settings.engine.model, VRS_MODEL_AUTO) == 0 && vrs_case_get(c, "engine.model")) {
		status = vrs_network_settle_name(&settings, err);
		if (status == VRS_OK)
			status = vrs_case_set(c, "engine.model", settings.engine.model, err);
	}
	if (status != VRS_OK || settings.engine.precision != VRS_PRECISION_AUTO)
		return status;
	if (net_size && settings.engine.input_size[0] == 0 && !vrs_case_get(c, "engine.model"))
		memcpy(settings.engine.input_size, net_size, sizeof settings.engine.input_size);
	status = vrs_precision_settle(&settings, reason, sizeof reason, err);
	return status != VRS_OK ? status : vrs_case_set(c, "engine.precision", vrs_precision_name((enum vrs_precision)settings.engine.precision), err);
}

/* auto is a precision that the backend has. */
static enum vrs_status check_precision(const struct vrs_settings *settings, struct vrs_error *err)
{
	struct vrs_session_options options = vrs_session_options_default();
	if (settings->engine.precision == VRS_PRECISION_AUTO)
		return VRS_OK;
	options.backend = settings->engine.backend;
	options.precision = (enum vrs_precision)settings->engine.precision;
	options.device_math = (enum vrs_device_math)settings->engine.device_math;
	enum vrs_status status = vrs_backend_check(&options, err);
	if (status != VRS_EINVAL)
		return status;
	if (err)
		err->status = VRS_ECONFIG;
	return VRS_ECONFIG;
}

enum vrs_status vrs_case_check_network(const struct vrs_case *c, const struct vrs_config *base, int eyes, struct vrs_error *err)
{
	struct vrs_settings settings;
	enum vrs_status status = settings_of(c, base, &settings, err);
	if (status == VRS_OK)
		status = check_precision(&settings, err);
	return status == VRS_OK ? vrs_network_constrain(&settings, true, eyes, err) : status;
}

enum vrs_status vrs_config_settle_network(struct vrs_config *config, struct vrs_error *err)
{
	struct vrs_settings settings = *vrs_config_settings(config);
	enum vrs_value_source source = vrs_config_source(config, "engine.model");
	if (strcmp(settings.engine.model, VRS_MODEL_AUTO) != 0)
		return VRS_OK;
	enum vrs_status status = vrs_network_settle_name(&settings, err);
	if (status != VRS_OK)
		return status;
	return vrs_config_set(config, "engine.model", settings.engine.model, source == VRS_SOURCE_DEFAULT ? VRS_SOURCE_HARDWARE : source, "(auto)", err);
}
