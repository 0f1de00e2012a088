/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/onnx_build.h"

const struct vrs_onnx_op vrs_onnx_elementwise_ops[] = {
	{ 0 },
};
