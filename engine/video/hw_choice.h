/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which device decodes a file, by trying it. */
#ifndef VRS_VIDEO_HW_CHOICE_H
#define VRS_VIDEO_HW_CHOICE_H

#include "video/source.h"

/*
 * Which device is to decode a file: options->hwdecode resolved to the name of one kind, or NULL for software.  auto takes a device that opens, when
 * it delivers the same first picture as software and is not slower over the first frames, its way into memory included.
 */
const char *vrs_hw_choose(const char *path, const struct vrs_source_options *options);

#endif
