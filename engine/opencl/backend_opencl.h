/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef VRS_OPENCL_BACKEND_OPENCL_H
#define VRS_OPENCL_BACKEND_OPENCL_H

#include "backend/backend.h"

extern const struct vrs_backend vrs_backend_opencl;

#endif
