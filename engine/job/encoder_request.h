/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the settings ask of the encoder. */
#ifndef VRS_JOB_ENCODER_REQUEST_H
#define VRS_JOB_ENCODER_REQUEST_H

#include <vrseg/options.h>

#include "video/sink.h"

/*
 * Preset, crf, quality, bit rate and lossless of the settings into the sink options.  Defaults give way to what was asked for, and are held back
 * where the named encoder lacks them.  VRS_ECONFIG: a bit rate that is none.
 */
enum vrs_status vrs_encoder_request(const struct vrs_settings *settings, struct vrs_sink_options *options, struct vrs_error *err);

#endif
