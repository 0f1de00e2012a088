/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/record/words.h"

#include <stdio.h>
#include <string.h>

#include "base/str_parse.h"

static const char *const scopes[] = {
	[VRS_SCOPE_END_TO_END] = "end_to_end", [VRS_SCOPE_NO_IO] = "pipeline_no_io", [VRS_SCOPE_NET_ONLY] = "net_only",
};
static const char *const input_kinds[] = {
	[VRS_INPUT_NOT_KNOWN] = "", [VRS_INPUT_CLIP] = "clip", [VRS_INPUT_DERIVED] = "derived", [VRS_INPUT_SYNTHETIC] = "synthetic",
};
static const char *const run_statuses[] = {
	[VRS_RUN_OK] = "ok", [VRS_RUN_FAILED] = "failed", [VRS_RUN_TIMEOUT] = "timeout", [VRS_RUN_CRASH] = "crash", [VRS_RUN_OOM] = "oom",
	[VRS_RUN_SKIPPED] = "skipped",
};
static const char *const verdicts[] = {
	[VRS_VERDICT_FASTER] = "FASTER", [VRS_VERDICT_SLOWER] = "SLOWER", [VRS_VERDICT_EQUIVALENT] = "EQUIVALENT",
	[VRS_VERDICT_INCONCLUSIVE] = "INCONCLUSIVE", [VRS_VERDICT_INVALID] = "INVALID",
};
static const char *const causes[] = {
	[VRS_CAUSE_NONE] = "", [VRS_CAUSE_FEW_RUNS] = "few_runs", [VRS_CAUSE_PRECISION] = "precision", [VRS_CAUSE_DISAGREE] = "disagree",
	[VRS_CAUSE_BELOW_MARGIN] = "below_margin", [VRS_CAUSE_CLOCK] = "clock", [VRS_CAUSE_HOLM] = "holm", [VRS_CAUSE_DISTURBED] = "disturbed",
	[VRS_CAUSE_FAILED] = "failed",
};
static const char *const outcomes[] = {
	[VRS_OUTCOME_NONE] = "", [VRS_OUTCOME_PASS] = "pass", [VRS_OUTCOME_FAIL] = "fail", [VRS_OUTCOME_INCONCLUSIVE] = "inconclusive",
};
static const char *const soak_causes[] = {
	[VRS_SOAK_MEMORY] = "memory", [VRS_SOAK_DRIFT] = "drift", [VRS_SOAK_THROTTLED] = "throttled", [VRS_SOAK_CLOCK] = "clock",
	[VRS_SOAK_STALLED] = "stalled", [VRS_SOAK_TOO_SHORT] = "too_short", [VRS_SOAK_UNAVAILABLE] = "unavailable",
};

const struct vrs_names vrs_scope_names = VRS_NAMES(scopes);
const struct vrs_names vrs_input_kind_names = VRS_NAMES(input_kinds);
const struct vrs_names vrs_run_status_names = VRS_NAMES(run_statuses);
const struct vrs_names vrs_verdict_names = VRS_NAMES(verdicts);
const struct vrs_names vrs_cause_names = VRS_NAMES(causes);
const struct vrs_names vrs_outcome_names = VRS_NAMES(outcomes);
const struct vrs_names vrs_soak_cause_names = VRS_NAMES(soak_causes);

bool vrs_mode_parse(const char *mode, double *ret_hz)
{
	*ret_hz = 0;
	return strcmp(mode, "offline") == 0 || (strncmp(mode, "live@", 5) == 0 && vrs_parse_double(mode + 5, 1, 1000, ret_hz));
}

const char *vrs_mode_text(double hz, char *buf, size_t size)
{
	if (hz > 0)
		snprintf(buf, size, "live@%.8g", hz);
	else
		snprintf(buf, size, "offline");
	return buf;
}
