/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/run/ceilings.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "bench/record/record_fields.h"
#include "bench/run/runner_state.h"

enum { ENVIRONMENT_MAX = 1 << 20 };

/* Those of env.json, when the folder has it from an earlier part of this measurement. */
static bool read_stored(const char *path, struct vrs_result_ceilings *ret)
{
	struct vrs_result_ceilings stored;
	cJSON *json;
	vrs_result_ceilings_init(&stored);
	if (vrs_json_read_file(path, ENVIRONMENT_MAX, &json, NULL) != VRS_OK)
		return false;
	bool known = vrs_result_ceilings_read(json, &stored, path, NULL) == VRS_OK && stored.triad_gbps > 0 && stored.fma_gflops_1 > 0;
	cJSON_Delete(json);
	if (known)
		*ret = stored;
	return known;
}

static enum vrs_status ask_child(struct vrs_runner *runner, struct vrs_result_ceilings *ret, struct vrs_error *err)
{
	struct vrs_run_request request = {.probe = true, .ceilings = true, .rules = runner->plan.rules};
	struct vrs_run_reply reply;
	enum vrs_status status = vrs_run_process(runner, &request, runner->base, &reply, err);
	if (status != VRS_OK)
		return status;
	vrs_result_ceilings_init(ret);
	if (reply.status == VRS_OK && reply.ceilings.triad_gbps > 0 && reply.ceilings.fma_gflops_1 > 0)
		*ret = reply.ceilings;
	else
		vrs_strcpy(ret->reason, sizeof ret->reason, reply.run.reason[0] ? reply.run.reason : "the program that measures gave no figures");
	return VRS_OK;
}

enum vrs_status vrs_ceilings_measure(struct vrs_runner *runner, struct vrs_error *err)
{
	struct vrs_result_ceilings *ceilings = &runner->result->ceilings;
	char path[VRS_PATH_MAX];
	if (ceilings->triad_gbps > 0 || ceilings->reason[0])
		return VRS_OK;
	enum vrs_status status = vrs_path_join(path, sizeof path, runner->folder, "env.json");
	if (status != VRS_OK || read_stored(path, ceilings))
		return status;
	vrs_runner_tell(runner, VRS_RUNNER_PREPARE, "measuring what this machine can do at best", NULL, NULL, 0);
	status = ask_child(runner, ceilings, err);
	return status == VRS_OK ? vrs_result_write_environment(runner->result, path, err) : status;
}

enum vrs_status vrs_ceilings_probe(int threads, struct vrs_peaks *ret_peaks, struct vrs_error *err)
{
	struct vrs_machine *machine = vrs_calloc(1, sizeof *machine);
	enum vrs_status status = machine ? vrs_machine_detect(machine, false) : VRS_ENOMEM;
	if (status == VRS_OK)
		status = vrs_peaks_measure(machine, threads, VRS_PEAK_PROBES, vrs_machine_ceilings, ret_peaks, err);
	else
		(void)vrs_fail(err, status, "cannot look at the machine: %s", vrs_status_str(status));
	vrs_free(machine);
	return status;
}
