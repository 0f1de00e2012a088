/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calibration of the base's network, so that 8 bits can be measured: in a process of its own, which a stop or a limit ends. */
#include <stdio.h>

#include "base/str_parse.h"
#include "bench/run/runner_state.h"

/* Each layer is run by itself over all samples: a minute on two cores with 15 MB of weights, 3 s with 0.5 MB. */
#define LARGE_BYTES (4 << 20)
#define LARGE_SECONDS 60

enum vrs_status vrs_runner_calibrate(struct vrs_runner *runner, double limit_seconds, double *ret_seconds, struct vrs_error *err)
{
	struct vrs_run_request request = {.calibrate = true, .timeout_seconds = limit_seconds, .rules = runner->plan.rules};
	struct vrs_run_reply reply;
	char text[96];
	if (limit_seconds < LARGE_SECONDS && runner->probe.weight_bytes > LARGE_BYTES)
		return vrs_fail(err, VRS_ETIMEOUT, "%s is large, which takes a minute or more, and %.0f s are left for it", runner->probe.model, limit_seconds);
	vrs_strcpy(request.input, sizeof request.input, runner->source.path);
	snprintf(text, sizeof text, "calibrating %.48s for 8 bits", runner->probe.model);
	vrs_runner_tell(runner, VRS_RUNNER_PREPARE, text, NULL, NULL, 0);
	enum vrs_status status = vrs_run_process(runner, &request, runner->base, &reply, err);
	if (status != VRS_OK)
		return status;
	*ret_seconds = reply.run.process_seconds;
	return reply.status == VRS_OK ? VRS_OK : vrs_fail(err, reply.status, "%s", reply.run.reason);
}
