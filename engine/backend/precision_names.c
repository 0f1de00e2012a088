/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of precisions, which backends put into their messages. */
#include <vrseg/session.h>

#include "base/names.h"

static const char *const precisions[] = {
	[VRS_PRECISION_AUTO] = "auto", [VRS_PRECISION_FP32] = "fp32", [VRS_PRECISION_FP16] = "fp16", [VRS_PRECISION_BF16] = "bf16",
	[VRS_PRECISION_INT8] = "int8", [VRS_PRECISION_MIXED] = "mixed",
};
const struct vrs_names vrs_precision_names = VRS_NAMES(precisions);

const char *vrs_precision_name(enum vrs_precision precision)
{
	const char *name = vrs_name_of(&vrs_precision_names, (int)precision);
	return name[0] ? name : "unknown";
}
