/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a segment begins with, from a work folder that nobody trusts: it is refused with a sentence, or a job goes on from it without harm, whatever
 * it says about people, views, states and mattes.  The first byte chooses the settings; nothing behind it: what a segment leaves is taken by the
 * next.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vrseg/config.h>

#include "pipeline/matte_stage.h"
#include "pipeline/segment.h"
#include "pipeline/segment_past.h"
#include "quiet.h"
#include "require.h"
#include "scratch.h"

#define FRAMES 3 /* of each segment */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Settings of a job with small pictures, whose modules all keep something. */
struct variant {
	const char *input;
	const char *options[7]; /* key, value, .. */
};

static const struct variant variants[] = {
	{"synth:128x64,sbs", {"matte.max_regions", "3", "matte.smoothing", "0.5"}},
	{"synth:128x64,sbs,hequirect", {"matte.max_regions", "1", "matte.view_projection", "gnomonic", "matte.smoothing_window", "3"}},
	{"synth:128x64,mono,equirect", {"matte.max_regions", "2", "matte.stride", "2"}},
	{"synth:128x64,sbs", {"matte.max_regions", "1", "matte.skip_similar", "true", "matte.repair_eyes", "union"}},
	{"synth:64x64,mono,flat", {"matte.follow", "false", "matte.scales", "2"}},
};

static struct vrs_config *configure(const struct variant *variant)
{
	static const char *const common[] = {"engine.model", VRS_TEST_DIR "/files/recurrent/colours.yaml", "engine.input_size", "16x16",
		"engine.threads", "1", "pipeline.decode_threads", "1", "output.mode", "matte", "output.encoder", "ffv1", "output.overwrite", "true",
		"engine.precision", "fp32", NULL};
	const char *const *lists[] = {common, variant->options};
	struct vrs_config *config;
	require(vrs_config_create(&config) == VRS_OK);
	for (int l = 0; l < 2; l++)
		for (int i = 0; lists[l][i]; i += 2)
			require(vrs_config_set(config, lists[l][i], lists[l][i + 1], VRS_SOURCE_FLAG, NULL, NULL) == VRS_OK);
	return config;
}

/* A segment of the variant's input, from `first` on; its status. */
static enum vrs_status run(const struct variant *variant, int64_t first, const char *from, const char *to, struct vrs_job_segment_result *ret)
{
	struct vrs_config *config = configure(variant);
	struct vrs_settings edited = *vrs_config_settings(config), *settings = &edited;
	scratch_path(settings->output.file, sizeof settings->output.file, "segment");
	struct vrs_segment segment = {.preroll = first, .first = first, .end = first + FRAMES,
		.tail_frames = vrs_matte_stage_latency(settings), .frames_before = first, .frames_unseen = first, .past_from = from, .past_to = to};
	struct vrs_job *job;
	struct vrs_error err = {0};
	if (from)
		require(vrs_segment_past_hash(from, &segment.past_hash, NULL) == VRS_OK);
	enum vrs_status status = vrs_job_create_segment(&job, variant->input, settings, &segment, NULL, &err);
	require(status == VRS_OK || (from && err.text[0]));
	if (status == VRS_OK) {
		status = vrs_job_run(job, &err);
		require(status == VRS_OK || from);
		*ret = vrs_job_segment_result(job);
		vrs_job_destroy(job);
	}
	vrs_config_destroy(config);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char from[256], to[256];
	struct vrs_job_segment_result result;
	if (size < 1)
		return 0;
	const struct variant *variant = &variants[data[0] % (sizeof variants / sizeof variants[0])];
	be_silent();
	scratch_path(from, sizeof from, "from");
	scratch_path(to, sizeof to, "to");
	scratch_write(from, data + 1, size - 1);
	if (size > 1) {
		(void)run(variant, FRAMES, from, to, &result);
		return 0;
	}
	require(run(variant, 0, NULL, from, &result) == VRS_OK && result.past_bytes > 0);
	require(run(variant, FRAMES, from, to, &result) == VRS_OK && result.frames == FRAMES && result.past_bytes > 0);
	return 0;
}
