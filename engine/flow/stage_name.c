/* SPDX-License-Identifier: GPL-3.0-or-later */
/* By itself, so that programs that only name stages link no stage. */
#include <vrseg/pipeline.h>

const char *vrs_stage_name(enum vrs_stage stage)
{
	static const char *const names[VRS_STAGE_COUNT] = {"decode", "preprocess", "inference", "postprocess", "compose", "encode"};
	return stage >= 0 && stage < VRS_STAGE_COUNT ? names[stage] : "unknown";
}
