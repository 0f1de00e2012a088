/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/job_input.h"

struct vrs_source_options vrs_input_options(const struct vrs_settings *settings, int threads)
{
	return (struct vrs_source_options){.threads = threads, .start_seconds = settings->input.start,
		.hwdecode = settings->input.hwdecode, .fps = settings->input.fps, .raw_format = settings->input.raw_format,
		.raw_size = {settings->input.raw_size[0], settings->input.raw_size[1]}, .duration_seconds = settings->input.duration,
		.keep_partial = settings->pipeline.keep_partial};
}

enum vrs_status vrs_input_layout(struct vrs_layout *ret_layout, const struct vrs_settings *settings, const struct vrs_source_info *source,
				 const char *name, struct vrs_error *err)
{
	struct vrs_layout_request request = {.layout = (enum vrs_layout_choice)settings->input.layout};
	const char *projection = settings->input.projection[0] ? settings->input.projection : "auto";
	if (!vrs_projection_parse(projection, &request.projection, &request.fov_degrees))
		return vrs_fail(err, VRS_ECONFIG, "--projection takes auto, flat, hequirect, equirect or fisheye, with degrees after a colon such as "
				"fisheye:190, not \"%s\"", projection);
	return vrs_layout_decide(ret_layout, &request, &source->side, name, source->format.width, source->format.height, err);
}
