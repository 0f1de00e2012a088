/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vranalyze matte FILE: the flags, read here, and the program that does it.  Measuring decodes videos; it is done by a helper of its own, as git does
 * its rarer work, so that vranalyze starts without FFmpeg and the libraries behind it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/modes/analyze_program.h"
#include "analyzer/modes/matte_args.h"
#include "base/file.h"

static const struct vrs_matte_args defaults = {.format = "text"};

static const struct vrs_cli_action actions[] = {
	VRS_FORMAT_FLAG(struct vrs_matte_args),
	{.flag = "sheet", VRS_TEXT_FIELD(struct vrs_matte_args, sheet), .file = VRS_FILE_WRITTEN, .brief = "draw the worst frames into a PNG file",
	 .value_name = "FILE", .group = "Output", .help = "Draw the worst frames into FILE, a PNG picture: video, matte and truth side by side"},
	{.flag = "output-dir", VRS_TEXT_FIELD(struct vrs_matte_args, output_dir), .file = VRS_FILE_FOLDER, .value_name = "DIR", .group = "Output",
	 .help = "Write report.html and the contact sheet worst_frames.png into DIR"},
	{.flag = "source", VRS_TEXT_FIELD(struct vrs_matte_args, source), .file = VRS_FILE_READ, .brief = "the video that the mattes were made of",
	 .value_name = "VIDEO", .group = "Comparison",
	 .help = "Compare with VIDEO, of which the mattes were made: flicker where it stands still, outlines beside its edges, time"},
	{.flag = "truth", VRS_TEXT_FIELD(struct vrs_matte_args, truth), .file = VRS_FILE_READ, .brief = "mattes known to be right",
	 .value_name = "FILE", .group = "Comparison", .help = "Compare with the mattes in FILE, which are known to be right"},
	{.flag = "kind", VRS_CHOICE_FIELD(struct vrs_matte_args, kind), .choices = "auto matte pack cutout", .brief = "auto, matte, pack or cutout",
	 .value_name = "KIND", .group = "Input",
	 .help = "Say where the mattes of FILE are: matte (the picture is one), pack (in the corners of a fisheye picture, mode alpha), cutout (the alpha "
		 "channel); auto looks at name and picture"},
	{.flag = "layout", VRS_CHOICE_FIELD(struct vrs_matte_args, layout), .choices = "auto mono sbs tb rl bt hsbs htb",
	 .brief = "auto, mono, sbs, tb, rl, bt, hsbs or htb", .value_name = "LAYOUT", .group = "Input",
	 .help = "Set the stereo layout of FILE, or of the source and truth of a pack, as vrseg --layout does"},
	{.flag = "projection", VRS_TEXT_FIELD(struct vrs_matte_args, projection), .value_name = "PROJECTION", .group = "Input",
	 .help = "Set its projection: auto, flat, hequirect, equirect or fisheye, with degrees after a colon such as fisheye:190"},
	{.flag = "max-frames", VRS_INT_FIELD(struct vrs_matte_args, max_frames), .min = 1, .max = 1e9, .value_name = "N", .group = "Input",
	 .help = "Measure the first N frames (default: all)"},
	{.flag = NULL},
};

static const struct vrs_cli_spec spec = {
	.program = "vranalyze matte",
	.summary = "measure the mattes of a video",
	.program_bit = VRS_PROGRAM_VRANALYZE,
	.usage = "vranalyze matte FILE [--source VIDEO] [--truth FILE]",
	.intro = "Measure the mattes of a finished video, whichever program made it: a matte video, a video with packed mattes for players, or a cutout "
		 "with an alpha channel. Without a truth the figures are estimates; with --truth they are errors.",
	.actions = actions,
	.examples = "  vranalyze matte clip_matte.mkv --source clip.mp4\n"
		    "  vranalyze matte clip_FISHEYE180_alpha.mp4 --output-dir report\n"
		    "  vranalyze matte matte.mkv --truth clip_alpha.mkv --format json\n",
	.min_operands = 1,
	.max_operands = 1,
};

/* The helper of this installation, or of this build folder: both lie beside the program in the same way. */
static enum vrs_status find_helper(char *ret_path, size_t size, struct vrs_error *err)
{
	char folder[VRS_PATH_MAX];
	enum vrs_status status = vrs_program_dir(folder, sizeof folder);
	if (status == VRS_OK)
		status = vrs_path_join(ret_path, size, folder, VRS_LIBEXEC_FROM_BIN "/vranalyze-matte");
	return status == VRS_OK ? VRS_OK : vrs_fail(err, status, "cannot tell where vranalyze is installed: %s", vrs_status_str(status));
}

static enum vrs_status run_helper(const struct vrs_analyze_call *call, int *ret_exit, struct vrs_error *err)
{
	char path[VRS_PATH_MAX];
	(void)ret_exit;
	enum vrs_status status = find_helper(path, sizeof path, err);
	if (status != VRS_OK)
		return status;
	(void)fflush(call->out);
	execv(path, call->argv);
	return vrs_fail(err, errno == ENOENT ? VRS_ENOTFOUND : VRS_EIO, "cannot run %s, which measures mattes: %s; it belongs to the installation of "
			"vranalyze", path, strerror(errno));
}

const struct vrs_analyze_mode vrs_matte_mode = {
	.name = "matte", .spec = &spec, .defaults = &defaults, .args_size = sizeof defaults, .run = run_helper,
};
