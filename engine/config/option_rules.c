/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What options need of each other, whatever the input is.  Combinations that an input, a network or a container decides are checked where those
 * are known.
 */
#include "config/cli_common.h"

const struct vrs_rule vrs_option_rules[] = {
	{"matte.foreground=on", VRS_EXCLUDES, "matte.despill", "both correct the colours of soft edges"},
	{"matte.view_projection=gnomonic", VRS_EXCLUDES, "matte.early_exit", "the two networks look at pictures of different sizes"},
	{"pipeline.processes", VRS_EXCLUDES, VRS_RULE_ONE_GO, "it is for videos that are made in segments"},
	{"pipeline.sandbox", VRS_EXCLUDES, "pipeline.processes", "nothing in it starts a process"},
	{"pipeline.sandbox", VRS_EXCLUDES, "report.metrics_port", "nothing in it opens a network; --metrics-file FILE does without"},
	{"pipeline.sandbox", VRS_EXCLUDES, "output.encoder=hardware", "drivers of devices need more than it grants"},
	{"pipeline.sandbox", VRS_EXCLUDES, "engine.backend=opencl", "its driver loads code and starts a compiler, which a sandbox is there to refuse"},
	{"engine.backend=ref", VRS_EXCLUDES, "engine.precision=int8 engine.precision=mixed", "it computes in fp32, fp16 or bf16"},
	{.others = NULL},
};

/* Values that change nothing: typed they are a mistake, while a file or the environment serves other jobs, too. */
const struct vrs_rule vrs_use_rules[] = {
	{"output.fov", VRS_NEEDS, "output.mode=alpha", "other modes keep the lens of the video"},
	{"output.alpha_color output.alpha_size output.verify_pack", VRS_NEEDS, "output.mode=alpha", "other modes pack no mattes"},
	{"engine.device_frames", VRS_NEEDS, "output.mode=alpha", "other modes pack no mattes"},
	{"matte.despill", VRS_NEEDS, "output.mode=green", "other modes compose no colours"},
	{"matte.foreground=on", VRS_EXCLUDES, "output.mode=matte", "it has no colours"},
	{"output.background", VRS_NEEDS, "output.mode=green", "other modes have no background"},
	{"pipeline.live_fps", VRS_NEEDS, "pipeline.live", "without it frames are made as fast as possible"},
	{"pipeline.late_frames", VRS_NEEDS, "pipeline.live", "without it every frame waits for the network"},
	{"output.player", VRS_NEEDS, "output.mode=alpha output.mode=green", "players use no other video for passthrough"},
	{.others = NULL},
};
