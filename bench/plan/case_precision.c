/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The precision of a case; apart from the rest of cases, because programs that run no job know no networks. */
#include "bench/plan/case.h"

#include <vrseg/network_run.h>

enum vrs_status vrs_case_settle(struct vrs_case *c, const struct vrs_config *base, struct vrs_error *err)
{
	char reason[80];
	struct vrs_config *config;
	enum vrs_status status = vrs_case_config(c, base, &config, err);
	if (status != VRS_OK)
		return status;
	struct vrs_settings settings = *vrs_config_settings(config);
	vrs_config_destroy(config);
	if (settings.engine.precision != VRS_PRECISION_AUTO)
		return VRS_OK;
	vrs_precision_settle(&settings, reason, sizeof reason);
	return vrs_case_set(c, "engine.precision", vrs_precision_name((enum vrs_precision)settings.engine.precision), err);
}
