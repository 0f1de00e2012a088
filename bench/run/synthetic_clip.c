/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/run/synthetic_clip.h"

#include <vrseg/config.h>
#include <vrseg/pipeline.h>

#include "base/str_parse.h"

/* Mode cutout leaves the colours of the film alone, and without a network nothing is spent on its alpha. */
static enum vrs_status settle(struct vrs_config *config, const char *path, struct vrs_settings *ret_settings, struct vrs_error *err)
{
	static const char *const values[][2] = {
		{"engine.backend", "null"}, {"output.mode", "cutout"}, {"output.encoder", "ffv1"}, {"output.overwrite", "true"},
	};
	enum vrs_status status = VRS_OK;
	for (size_t i = 0; i < sizeof values / sizeof *values && status == VRS_OK; i++)
		status = vrs_config_set(config, values[i][0], values[i][1], VRS_SOURCE_FLAG, values[i][0], err);
	*ret_settings = *vrs_config_settings(config);
	vrs_strcpy(ret_settings->output.file, sizeof ret_settings->output.file, path);
	return status;
}

enum vrs_status vrs_synthetic_clip_write(const char *synth, const char *path, struct vrs_error *err)
{
	struct vrs_config *config = NULL;
	struct vrs_settings settings;
	struct vrs_job *job = NULL;
	enum vrs_status status = vrs_config_create(&config);
	if (status != VRS_OK)
		return vrs_fail(err, status, "there is not enough memory to draw %s", synth);
	status = settle(config, path, &settings, err);
	if (status == VRS_OK)
		status = vrs_job_create(&job, synth, &settings, 1, NULL, err);
	if (status == VRS_OK)
		status = vrs_job_run(job, err);
	vrs_job_destroy(job);
	vrs_config_destroy(config);
	return status;
}
