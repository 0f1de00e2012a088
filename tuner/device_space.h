/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which options of a search depend on what the network runs on. */
#ifndef VRS_TUNER_DEVICE_SPACE_H
#define VRS_TUNER_DEVICE_SPACE_H

#include <vrseg/config.h>

#include "bench/plan/bench_input.h"

/*
 * Why an option cannot be tried here: it belongs to another backend than that of the base configuration, or it is the backend and there is no OpenCL
 * GPU to run on (other OpenCL devices, such as PoCL's, are the CPU again, and slower), or it is the threads of a network that a device computes.
 * NULL: it can, or the user has set it.  The text is in buf or lives for ever.
 */
const char *vrs_device_space_against(const struct vrs_option *row, const struct vrs_config *base, const struct vrs_bench_input *input, char *buf,
				     size_t size);

#endif
