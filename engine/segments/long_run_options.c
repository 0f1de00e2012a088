/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a video is made of besides its input: the options that change its pictures, the network, the layout that was decided. */
#include <stdio.h>

#include "base/file.h"
#include "segments/long_run.h"

#include <vrseg/config.h>
#include <vrseg/model.h>

#include "vrs_version.h"

static enum vrs_status describe_network(struct vrs_long_run *run, const char *key, const char *model, struct vrs_error *err)
{
	struct vrs_manifest manifest;
	char hex[65];
	enum vrs_status status = vrs_manifest_load(&manifest, model, err);
	if (status == VRS_OK)
		status = vrs_file_sha256(manifest.file, hex, err);
	if (status == VRS_OK && !vrs_checkpoint_option(&run->ckpt, key, hex))
		status = VRS_ENOMEM;
	return status;
}

enum vrs_status vrs_long_run_describe(struct vrs_long_run *run, const struct vrs_job_info *info, struct vrs_error *err)
{
	char value[VRS_PATH_MAX + 16];
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);
	bool good = true;
	for (int i = 0; good && i < count; i++)
		if ((rows[i].affects & VRS_AFFECTS_PICTURE) &&
		    vrs_option_text(&rows[i], run->request->settings, value, sizeof value) == VRS_OK)
			good = vrs_checkpoint_option(&run->ckpt, rows[i].key, value);
	snprintf(value, sizeof value, "%s %s, view %dx%d+%d+%d", vrs_stereo_name(info->layout.stereo), vrs_projection_name(info->layout.projection),
		 info->views[0].width, info->views[0].height, info->views[0].x, info->views[0].y);
	good = good && vrs_checkpoint_option(&run->ckpt, "layout", value) && vrs_checkpoint_option(&run->ckpt, "version", VRS_VERSION " " VRS_COMMIT);
	if (!good)
		return vrs_fail(err, VRS_ENOMEM, "no memory for the checkpoint");
	const struct vrs_settings *settings = &run->settings;
	enum vrs_status status = describe_network(run, "network", settings->engine.model, err);
	return status != VRS_OK || !settings->matte.early_exit ? status : describe_network(run, "small network", settings->matte.early_exit_model, err);
}
