/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a child is asked for one run of a case: clip, files, reference mattes and truth. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <vrseg/log.h>

#include "base/file.h"
#include "base/str_parse.h"
#include "bench/run/runner_state.h"

/* A derived clip has lost the container's words about eyes and sphere: they are set as the original has them. */
static enum vrs_status fix_layout(const struct vrs_runner *runner, const struct vrs_case *c, struct vrs_config *config, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	if (!c || !vrs_case_get(c, "input.layout"))
		status = vrs_config_set(config, "input.layout", vrs_stereo_name(runner->input.layout), VRS_SOURCE_FLAG, "derived clip", err);
	if (status == VRS_OK && vrs_config_settings(config)->matte.view == VRS_VIEW_AUTO)
		status = vrs_config_set(config, "matte.view", runner->view, VRS_SOURCE_FLAG, "derived clip", err);
	return status;
}

enum vrs_status vrs_runner_provide_clip(const struct vrs_runner *runner, const struct vrs_case_result *entry, struct vrs_clip *clip,
					struct vrs_error *err)
{
	char text[96];
	struct vrs_clip_wish wish = vrs_case_clip_wish(runner, entry);
	if (vrs_clip_disk_estimate(&runner->source, &wish) > 0) {
		snprintf(text, sizeof text, "making a clip of %dx%d", entry->width, entry->height);
		vrs_runner_tell(runner, VRS_RUNNER_PREPARE, text, entry, NULL, 0);
	}
	return vrs_clip_provide(&runner->source, &wish, clip, err);
}

/* Mattes of the base configuration (in an A/B that of side A) in fp32 on this clip: made by a short run of their own, which is not measured. */
static enum vrs_status make_reference(struct vrs_runner *runner, const struct vrs_clip *clip, struct vrs_reference *reference, struct vrs_error *err)
{
	struct vrs_run_request request = {.quality_frames = runner->plan.quality_frames};
	struct vrs_run_reply reply;
	struct vrs_config *config;
	char name[64], text[96];
	snprintf(name, sizeof name, "reference-%dx%d.bin", clip->width, clip->height);
	request.rules.max_frames = runner->plan.quality_frames;
	request.rules.duration_seconds = 1e6;
	vrs_strcpy(request.input, sizeof request.input, clip->path);
	vrs_strcpy(request.output, sizeof request.output, "null:");
	enum vrs_status status = vrs_runner_folder_file(runner, "mattes", name, request.mattes_file);
	if (status == VRS_OK)
		status = vrs_config_copy(&config, runner->plan.versus[0] ? runner->side_a : runner->base);
	if (runner->plan.versus_program[0])
		request.program = runner->plan.versus_program;
	if (status != VRS_OK)
		return vrs_fail(err, status, "cannot make reference mattes: %s", vrs_status_str(status));
	snprintf(text, sizeof text, "making fp32 reference mattes at %dx%d", clip->width, clip->height);
	vrs_runner_tell(runner, VRS_RUNNER_PREPARE, text, NULL, NULL, 0);
	status = vrs_config_set(config, "engine.precision", "fp32", VRS_SOURCE_FLAG, NULL, err);
	if (status == VRS_OK && clip->derived)
		status = fix_layout(runner, NULL, config, err);
	if (status == VRS_OK)
		status = vrs_run_process(runner, &request, config, &reply, err);
	vrs_config_destroy(config);
	if (status != VRS_OK)
		return status;
	reference->usable = reply.status == VRS_OK && vrs_path_exists(request.mattes_file); /* another build may make none */
	if (reply.status != VRS_OK)
		vrs_log(VRS_LOG_WARNING, "there are no fp32 mattes of %dx%d to compare with: %s", clip->width, clip->height, reply.run.reason);
	vrs_strcpy(reference->path, sizeof reference->path, request.mattes_file);
	return VRS_OK;
}

static enum vrs_status provide_reference(struct vrs_runner *runner, const struct vrs_clip *clip, struct vrs_reference **ret, struct vrs_error *err)
{
	*ret = NULL;
	for (int i = 0; i < runner->reference_count; i++)
		if (runner->references[i].width == clip->width && runner->references[i].height == clip->height)
			*ret = &runner->references[i];
	if (*ret || runner->reference_count == VRS_RUNNER_REFERENCES)
		return VRS_OK;
	struct vrs_reference *reference = &runner->references[runner->reference_count];
	*reference = (struct vrs_reference){.width = clip->width, .height = clip->height};
	enum vrs_status status = make_reference(runner, clip, reference, err);
	if (status != VRS_OK)
		return status;
	runner->reference_count++;
	*ret = reference;
	return VRS_OK;
}

/* The null backend makes no mattes. */
static bool makes_mattes(const struct vrs_runner *runner, const struct vrs_case_result *entry)
{
	const struct vrs_case *c = &runner->cases[entry - runner->result->cases];
	const char *backend = vrs_case_get(c, "engine.backend");
	return vrs_backend_computes(backend ? backend : vrs_config_settings(vrs_runner_case_base(runner, c))->engine.backend);
}

/* Quality does not change from run to run, so one run of each case is compared. */
static bool wants_quality(const struct vrs_runner *runner, const struct vrs_case_result *entry)
{
	/* A live job drops frames, so its mattes have no known place in the film. */
	if (runner->plan.quality_frames <= 0 || entry->scope == VRS_SCOPE_NET_ONLY || entry->live_hz > 0 || !makes_mattes(runner, entry))
		return false;
	for (int i = 0; i < entry->run_count; i++)
		if (vrs_run_has_quality(&entry->runs[i]))
			return false;
	return true;
}

/*
 * The encoder does the same in every run, so one run of each case that sets an option of the output is compared, and one of what the others have in
 * common: the default, and each side of an A/B.
 */
static bool wants_encode(const struct vrs_runner *runner, const struct vrs_case_result *entry)
{
	const struct vrs_case *c = &runner->cases[entry - runner->result->cases];
	bool sets_output = c->value_count == 0 || c->side || vrs_case_result_is_default(entry);
	if (runner->plan.quality_frames <= 0 || entry->scope != VRS_SCOPE_END_TO_END || entry->live_hz > 0 || runner->plan.soak)
		return false;
	for (int i = 0; i < c->value_count && !sets_output; i++)
		sets_output = strncmp(c->values[i].key, "output.", strlen("output.")) == 0 || strcmp(c->values[i].key, "pipeline.encode_workers") == 0;
	for (int i = 0; i < entry->run_count && sets_output; i++)
		sets_output = !isfinite(entry->runs[i].encode_ssim);
	return sets_output;
}

/* Where the run reads and writes. */
static enum vrs_status name_files(const struct vrs_runner *runner, const struct vrs_case_result *entry, int round, struct vrs_run_request *request,
				  char frames_name[128])
{
	char name[100], base[72], again[12] = "";
	enum vrs_status status = VRS_OK;
	vrs_case_file_name(entry->id, base, sizeof base);
	if (runner->session > 0) /* the run of an earlier session keeps its own */
		snprintf(again, sizeof again, "-%d", runner->session);
	snprintf(name, sizeof name, "%s-%04d%s.bin", base, round, again);
	snprintf(frames_name, 128, "frames/%s", name);
	if (request->net_only)
		frames_name[0] = 0; /* calls are no frames */
	else
		status = vrs_runner_folder_file(runner, "frames", name, request->frames_file);
	if (status == VRS_OK && runner->plan.soak && !request->net_only)
		status = vrs_runner_soak_file(runner, entry->id, round, request->soak_file);
	if (status == VRS_OK && wants_encode(runner, entry)) {
		request->encode_frames = runner->plan.quality_frames;
		status = vrs_runner_folder_file(runner, "work", VRS_RUN_PLAIN_VIDEO, request->plain_file);
	}
	if (status == VRS_OK && entry->scope == VRS_SCOPE_END_TO_END)
		status = vrs_runner_folder_file(runner, "work", VRS_RUN_VIDEO, request->output);
	else
		vrs_strcpy(request->output, sizeof request->output, "null:");
	return status;
}

static enum vrs_status ask_for_quality(struct vrs_runner *runner, const struct vrs_clip *clip, struct vrs_run_request *request, struct vrs_error *err)
{
	struct vrs_reference *reference;
	enum vrs_status status = provide_reference(runner, clip, &reference, err);
	if (status != VRS_OK)
		return status;
	request->quality_frames = runner->plan.quality_frames;
	if (reference && reference->usable)
		vrs_strcpy(request->reference_file, sizeof request->reference_file, reference->path);
	if (runner->truth.frames > 0) {
		vrs_strcpy(request->truth_file, sizeof request->truth_file, runner->truth.path);
		request->truth_width = runner->truth.width;
		request->truth_height = runner->truth.height;
		request->truth_frames = runner->truth.frames;
		request->truth_loops = runner->truth.loops;
	}
	return VRS_OK;
}

/* Side A of an A/B may be another program; B's runs may be slowed, to prove that the gate can fail. */
static void address_request(const struct vrs_runner *runner, const struct vrs_case *c, struct vrs_run_request *request)
{
	if (c->side == 'A' && runner->plan.versus_program[0])
		request->program = runner->plan.versus_program;
	if (c->side == 'B')
		request->slowdown = runner->plan.slowdown;
}

enum vrs_status vrs_runner_request_fill(struct vrs_runner *runner, int index, const struct vrs_clip *clip, int round, struct vrs_run_request *request,
					char frames_name[128], struct vrs_error *err)
{
	const struct vrs_case_result *entry = &runner->result->cases[index];
	*request = (struct vrs_run_request){.rules = runner->plan.rules, .net_only = entry->scope == VRS_SCOPE_NET_ONLY, .live_hz = entry->live_hz,
					    .eyes = runner->input.eyes};
	if (runner->stretch > 1)
		request->timeout_seconds = runner->stretch * runner->plan.timeout_seconds;
	request->rules.duration_seconds *= runner->stretch;
	request->rules.min_frames = (int64_t)(runner->stretch * (double)request->rules.min_frames);
	vrs_strcpy(request->input, sizeof request->input, clip->path);
	address_request(runner, &runner->cases[index], request);
	enum vrs_status status = name_files(runner, entry, round, request, frames_name);
	if (status != VRS_OK)
		return vrs_fail(err, status, "the name of a file in %s is too long", runner->folder);
	return wants_quality(runner, entry) ? ask_for_quality(runner, clip, request, err) : VRS_OK;
}

/*
 * As in vrseg: what a profile, a file or the environment says about the encoder, and the one of this case has no use for, gives way.  A flag or a
 * value of the case stays, for the encoder to refuse: it would be measured without effect.
 */
static void settle_output(struct vrs_config *config)
{
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);
	struct vrs_settings settings = *vrs_config_settings(config);
	(void)vrs_strcpy(settings.output.file, sizeof settings.output.file, VRS_RUN_VIDEO); /* fits */
	for (int i = 0; i < count; i++)
		if ((rows[i].traits & VRS_OPTION_OF_ENCODER) && vrs_config_source(config, rows[i].key) < VRS_SOURCE_FLAG &&
		    !vrs_job_output_uses(&settings, rows[i].key))
			vrs_config_unset(config, &rows[i]);
}

enum vrs_status vrs_runner_request_config(const struct vrs_runner *runner, int index, const struct vrs_clip *clip, struct vrs_config **ret_config,
					  struct vrs_error *err)
{
	const struct vrs_case *c = &runner->cases[index];
	struct vrs_config *config;
	enum vrs_status status = vrs_case_config(c, vrs_runner_case_base(runner, c), &config, err);
	if (status == VRS_OK && clip->derived) {
		status = fix_layout(runner, c, config, err);
		if (status != VRS_OK)
			vrs_config_destroy(config);
	}
	if (status != VRS_OK)
		return status;
	settle_output(config);
	*ret_config = config;
	return VRS_OK;
}
