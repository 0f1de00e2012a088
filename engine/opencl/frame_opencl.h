/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef VRS_OPENCL_FRAME_OPENCL_H
#define VRS_OPENCL_FRAME_OPENCL_H

#include "backend/frame_device.h"

extern const struct vrs_frame_device vrs_frame_device_opencl;

#endif
