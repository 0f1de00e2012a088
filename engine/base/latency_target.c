/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/latency_target.h"

#include <math.h>

enum vrs_latency_state vrs_latency_judge(const struct vrs_latency_reading *reading, double target_ms, double *ret_ms, const char **ret_figure)
{
	bool judged = reading->live && isfinite(reading->p99_ms), kept = reading->live && reading->max_ms <= target_ms;
	*ret_figure = judged || !kept ? "P99" : "max";
	*ret_ms = judged ? reading->p99_ms : kept ? reading->max_ms : NAN;
	if (!reading->live)
		return VRS_LATENCY_OFFLINE;
	if (!judged && !kept)
		return VRS_LATENCY_TOO_FEW;
	return *ret_ms <= target_ms ? VRS_LATENCY_MET : VRS_LATENCY_MISSED;
}
