/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layout of an input as its settings, its source and its name decide it. */
#ifndef VRS_PIPELINE_INPUT_LAYOUT_H
#define VRS_PIPELINE_INPUT_LAYOUT_H

#include <vrseg/layout.h>
#include <vrseg/options.h>

#include "video/source.h"

/* input.layout and input.projection before what the source and the name say. VRS_ECONFIG: no such projection; statuses of vrs_layout_decide. */
enum vrs_status vrs_input_layout(struct vrs_layout *ret_layout, const struct vrs_settings *settings, const struct vrs_source_info *source,
				 const char *name, struct vrs_error *err) VRS_MUST_CHECK;

#endif
