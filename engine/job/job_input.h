/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the settings say about an input: how its source is opened, and the layout as settings, source and name decide it. */
#ifndef VRS_JOB_JOB_INPUT_H
#define VRS_JOB_JOB_INPUT_H

#include <vrseg/layout.h>
#include <vrseg/options.h>

#include "video/source.h"

/* How to open the source of a job. */
struct vrs_source_options vrs_input_options(const struct vrs_settings *settings, int threads);
/* input.layout and input.projection before what the source and the name say. VRS_ECONFIG: no such projection; statuses of vrs_layout_decide. */
enum vrs_status vrs_input_layout(struct vrs_layout *ret_layout, const struct vrs_settings *settings, const struct vrs_source_info *source,
				 const char *name, struct vrs_error *err) VRS_MUST_CHECK;

#endif
