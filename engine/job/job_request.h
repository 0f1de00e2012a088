/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the settings ask for: how the source is opened, the layout as settings, source and name decide it, and the encoder. */
#ifndef VRS_JOB_JOB_REQUEST_H
#define VRS_JOB_JOB_REQUEST_H

#include <vrseg/layout.h>
#include <vrseg/options.h>

#include "video/sink.h"
#include "video/source.h"

/* How to open the source of a job. */
struct vrs_source_options vrs_input_options(const struct vrs_settings *settings, int threads);
/* input.layout and input.projection before what the source and the name say. VRS_ECONFIG: no such projection; statuses of vrs_layout_decide. */
enum vrs_status vrs_input_layout(struct vrs_layout *ret_layout, const struct vrs_settings *settings, const struct vrs_source_info *source,
				 const char *name, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * Preset, crf, quality, bit rate and lossless of the settings into the sink options.  Defaults give way to what was asked for, and are held back
 * where the named encoder lacks them.  VRS_ECONFIG: a bit rate that is none.
 */
enum vrs_status vrs_encoder_request(const struct vrs_settings *settings, struct vrs_sink_options *options, struct vrs_error *err);

#endif
