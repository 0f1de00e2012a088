/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a job: its input (input_setup.c), networks, cache, stages (stage_setup.c) and output (output_setup.c), each planned from those before. */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "base/work_folder.h"
#include "compose/exclude_option.h"
#include "compose/pack_step.h"
#include "job/player_tags.h"
#include "pipeline/device_loss.h"
#include "pipeline/input_setup.h"
#include "pipeline/memory_setup.h"
#include "pipeline/output_setup.h"
#include "pipeline/session_setup.h"
#include "pipeline/stage_setup.h"
#include "roi/cascade.h"
#include "roi/rectilinear_look.h"
#include "roi/roi_plan.h"
#include "video/segment_join.h"

#include <vrseg/config.h>
#include <vrseg/log.h>
#include <vrseg/machine.h>
#include <vrseg/network_run.h>

/* What this process may use of the machine: its CPUs, and memory into the job's info. */
static int share_of_machine(struct vrs_job *job)
{
	struct vrs_machine *machine = vrs_calloc(1, sizeof *machine);
	int cpus = 1;
	if (machine && vrs_machine_detect(machine, false) == VRS_OK) {
		cpus = machine->allowed_threads;
		job->info.memory_room = vrs_memory_room(machine, job->settings.engine.max_memory_fraction);
	}
	vrs_free(machine);
	return cpus;
}

static int greatest_common_divisor(int a, int b)
{
	while (b) {
		int rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

const char *vrs_job_video(const struct vrs_job *job)
{
	return job->segment.video ? job->segment.video : job->settings.output.file;
}

bool vrs_job_has_trace(const struct vrs_job *job)
{
	return job->segment.trace || job->settings.report.trace[0];
}

/* The session of the first worker tells the shapes. */
static enum vrs_status load_network(struct vrs_job *job, struct vrs_error *err)
{
	struct vrs_roi_plan *roi = &job->roi;
	enum vrs_status status = vrs_session_setup(job, err);
	int batch = job->info.batch;
	if (status != VRS_OK)
		return status;
	/* the smallest number of whole frames that fills whole batches; recurrent networks take one at a time */
	roi->group = roi->room = roi->network.manifest.state_count > 0 ? 1 : batch / greatest_common_divisor(batch, roi->eyes);
	return vrs_roi_plan_sizes(roi, vrs_head_shape(job->workers[0].roi.head));
}

/* Weights once, the rest for each stream; 0: no device, or no session. */
static uint64_t bytes_on_device(const struct vrs_job *job, const struct vrs_session *session)
{
	const struct vrs_session_info info = session ? vrs_session_info(session) : (struct vrs_session_info){.device = ""};
	return info.device[0] ? info.weight_bytes + (info.device_bytes - info.weight_bytes) * (uint64_t)job->threads.streams : 0;
}

/* What the plans say, for those who ask. */
static void describe(struct vrs_job *job)
{
	const struct vrs_roi_plan *roi = &job->roi;
	struct vrs_session_info session = vrs_session_info(job->workers[0].roi.session);
	struct vrs_job_info *info = &job->info;
	int decoder = vrs_source_info(job->decode.source)->decoder_threads;
	(void)vrs_strcpy(info->backend, sizeof info->backend, session.backend); /* names; only shown */
	(void)vrs_strcpy(info->isa, sizeof info->isa, session.isa);
	info->precision = session.precision;
	(void)vrs_strcpy(info->device, sizeof info->device, session.device);
	(void)vrs_strcpy(info->driver, sizeof info->driver, session.driver);
	info->device_bytes = bytes_on_device(job, job->workers[0].roi.session) + bytes_on_device(job, job->workers[0].roi.small_session);
	info->device_memory_bytes = session.device_memory_bytes;
	if (session.device[0]) /* another device or driver rounds otherwise: kept mattes and segments are not of the same kind */
		(void)snprintf(info->kernels, sizeof info->kernels, "%.6s-%08x", session.kernels,
			       (unsigned)vrs_roi_device_hash(VRS_HASH_INIT, session.device, session.driver, session.device_order));
	else
		(void)vrs_strcpy(info->kernels, sizeof info->kernels, session.kernels);
	vrs_roi_devices_describe(&roi->devices, info);
	(void)vrs_strcpy(info->model, sizeof info->model, roi->network.manifest.name);
	info->net_identity = vrs_network_identity(&roi->network);
	info->net_macs = session.macs * (uint64_t)roi->eyes / (uint64_t)info->batch;
	info->net_width = roi->shape.input_width;
	info->net_height = roi->shape.input_height;
	info->matte_width = roi->matte_width;
	info->matte_height = roi->matte_height;
	info->follows = roi->follows;
	info->has_states = roi->network.manifest.state_count > 0;
	info->composes_apart = vrs_composer_is_apart(&roi->network.manifest, job->threads.cpus);
	info->streams = job->threads.streams;
	info->threads = job->threads.threads;
	info->decode_threads = decoder ? decoder : job->threads.decode;
	info->cpus = job->threads.cpus;
	if (roi->cascade)
		vrs_cascade_describe(roi->cascade, info);
}

static enum vrs_status check_settings(const struct vrs_settings *settings, int loops, struct vrs_error *err)
{
	if (loops < 0)
		return vrs_fail(err, VRS_EINVAL, "a job cannot run %d times", loops);
	enum vrs_status status = vrs_settings_in_range(settings, err);
	if (status != VRS_OK)
		return status;
	if (!settings->output.file[0])
		return vrs_fail(err, VRS_ECONFIG, "no output file is given");
	return vrs_settings_check(settings, err);
}

static void begin_segment(struct vrs_job *job, const struct vrs_segment *segment)
{
	job->is_segment = true;
	job->segment = *segment;
	if (segment->before)
		job->flow.stats = *segment->before;
	job->flow.stats.wall_ns = 0;
}

/* Which workers have their network on which device; the number of streams that the settings allow is known. */
static enum vrs_status plan_devices(struct vrs_job *job, struct vrs_error *err)
{
	const struct vrs_settings *settings = &job->settings;
	struct vrs_manifest manifest;
	struct vrs_device_set set;
	enum vrs_status status = vrs_session_devices(&set, settings->engine.backend, settings->engine.device, err);
	if (status != VRS_OK || set.count == 0)
		return status;
	status = vrs_manifest_load(&manifest, settings->engine.model, err);
	const char *recurrent = status == VRS_OK && manifest.state_count > 0 ? manifest.name : NULL;
	return status == VRS_OK ? vrs_roi_devices_spread(&job->roi.devices, &set, settings, recurrent, err) : status;
}

/* The input, what is allowed with it, and room for the workers that it gets. */
static enum vrs_status plan_work(struct vrs_job *job, const char *input, struct vrs_error *err)
{
	const struct vrs_settings *settings = &job->settings;
	bool encodes = !vrs_sink_is_virtual(settings->output.file);
	struct vrs_alpha_pack **pack = &job->compose.pack;
	job->threads = vrs_thread_plan_make(settings, share_of_machine(job), encodes);
	enum vrs_status status = vrs_input_setup_open(job, input, err);
	if (status == VRS_OK)
		status = vrs_input_setup_eyes(job, err);
	if (status == VRS_OK && settings->output.mode == VRS_MODE_ALPHA)
		status = vrs_pack_step_create(pack, settings, &job->roi.format, &job->info.layout, err);
	if (status == VRS_OK && *pack)
		job->info.packing_shifts = vrs_pack_step_describe(job->info.packing, sizeof job->info.packing, *pack, settings);
	if (status == VRS_OK && job->info.packing_shifts)
		status = vrs_config_warn(settings, job->info.packing, err, "alpha packing: %s", job->info.packing);
	if (status == VRS_OK && !job->is_segment) /* segments are joined under the output's name, which vrs_output_name_check looks at */
		status = vrs_player_check(settings, &job->info.layout, input, err);
	if (status == VRS_OK)
		status = vrs_network_constrain(&job->settings, job->network_is_named, job->roi.eyes, err);
	if (status == VRS_OK)
		status = plan_devices(job, err);
	if (status != VRS_OK)
		return status;
	job->threads = vrs_thread_plan_make(settings, job->threads.cpus, encodes);
	if (job->threads.streams < job->roi.devices.count) /* where nobody has asked for so few */
		job->threads.streams = job->roi.devices.count;
	job->workers = vrs_calloc((size_t)job->threads.streams, sizeof *job->workers);
	return job->workers ? VRS_OK : VRS_ENOMEM;
}

/* How long a batch waits to fill; 0: for ever. */
static uint64_t batch_wait_ns(const struct vrs_settings *settings)
{
	double asked = settings->pipeline.batch_timeout_ms * 1e6;
	return asked < 0 ? 0 : asked < 1 ? 1 : (uint64_t)asked; /* what waits for 1 ns takes what is there */
}

/* How many frames may be under way, and the pace of a live job. */
static enum vrs_status plan_pace(struct vrs_job *job, struct vrs_error *err)
{
	const struct vrs_settings *settings = &job->settings;
	struct vrs_roi_plan *roi = &job->roi;
	struct vrs_job_info *info = &job->info;
	int asked = settings->pipeline.frames_in_flight, latency = vrs_matte_stage_latency(settings);
	info->live = job->flow.live = settings->pipeline.live;
	if (info->live && job->is_segment)
		return vrs_fail(err, VRS_EINVAL, "a live job is made in one go");
	if (asked && asked < roi->group)
		return vrs_fail(err, VRS_ECONFIG, "--frames-in-flight %d is less than the %d frames that fill a batch of %d; raise it or lower --batch-size",
				asked, roi->group, info->batch);
	if (asked && asked < roi->group + latency)
		return vrs_fail(err, VRS_ECONFIG, "--frames-in-flight %d leaves no room for %d frames that wait for later ones; raise it to %d, or lower "
				"--smoothing-window or --stride", asked, latency, roi->group + latency);
	info->in_flight = asked || !info->live ? asked : job->threads.streams * roi->group + 1 + latency;
	if (!info->live && vrs_sink_is_stream(settings->output.file))
		vrs_log(VRS_LOG_INFO, "without --live, frames go to %s as fast as they are made", settings->output.file);
	job->decode.live.source = job->decode.source;
	job->decode.live.name = info->input;
	job->decode.live.grows = job->stamps.grows;
	enum vrs_status status = vrs_live_open(&job->decode.live, settings, info->fps, err);
	if (status != VRS_OK)
		return status;
	if (info->live && settings->pipeline.late_frames == VRS_LATE_REUSE)
		roi->room += vrs_live_late_room(&roi->format);
	job->shared.take = (struct vrs_live_take){.group = roi->group, .room = roi->room, .within_ns = batch_wait_ns(settings)};
	return vrs_inflight_create(&job->flow.inflight, info->in_flight, asked ? 0 : job->threads.streams * (roi->room - roi->group));
}

/* Networks, and what is decided from them about looks and mattes. */
static enum vrs_status plan_looks(struct vrs_job *job, struct vrs_error *err)
{
	struct vrs_roi_plan *roi = &job->roi;
	struct vrs_rect areas[VRS_MAX_EYES];
	enum vrs_status status = load_network(job, err);
	if (status == VRS_OK)
		status = vrs_memory_setup_check(job, err);
	if (status == VRS_OK)
		status = vrs_cascade_check(roi->cascade, roi, err);
	if (status == VRS_OK)
		status = plan_pace(job, err);
	if (status == VRS_OK)
		vrs_roi_plan_follow(roi);
	if (status == VRS_OK)
		status = vrs_rectilinear_look_plan(roi, err);
	if (status != VRS_OK)
		return status;
	for (int eye = 0; eye < roi->eyes; eye++)
		areas[eye] = *vrs_roi_area(roi, eye);
	if (job->compose.pack) {
		vrs_matte_size_fit(&roi->matte_width, &roi->matte_height, job->compose.pack, roi->layout, roi->follow[0].eye.height, areas, roi->eyes);
		roi->matte_size = (size_t)roi->matte_width * (size_t)roi->matte_height;
	}
	describe(job);
	return VRS_OK;
}

enum vrs_status vrs_job_content_of(const struct vrs_job *job, unsigned affects, struct vrs_job_content *ret, struct vrs_error *err)
{
	const struct vrs_cascade *small = job->roi.cascade;
	const struct vrs_known_content known[] = {{job->settings.engine.model, vrs_network_content(&job->roi.network)},
		{job->settings.matte.early_exit_model, small ? vrs_cascade_content(small) : 0}};
	return vrs_job_content_read(ret, &job->settings, affects, known, small ? 2 : 1, err);
}

static enum vrs_status open_cache(struct vrs_job *job, const char *input, struct vrs_error *err)
{
	const struct vrs_segment *segment = &job->segment;
	const struct vrs_roi_plan *roi = &job->roi;
	struct vrs_job_content content;
	const struct vrs_matte_cache_request request = {.input = input, .settings = &job->settings, .content = &content, .backend = job->info.backend,
		.isa = job->info.kernels,
		.segment = {job->is_segment, segment->preroll, segment->first, segment->end, segment->tail_frames, segment->frames_left,
			    segment->past_from ? segment->past_hash : 0},
		.wants_past = segment->past_to != NULL, .eyes = roi->eyes,
		.width = roi->matte_width, .height = roi->matte_height};
	if (!job->settings.cache.enabled || job->decode.loops != 1 || job->info.live || job->mattes.callbacks.on_matte || segment->joins)
		return VRS_OK;
	enum vrs_status status = vrs_job_content_of(job, VRS_AFFECTS_MATTE, &content, err);
	if (status == VRS_OK)
		vrs_matte_cache_open(&job->mattes.cache, &request);
	return status;
}

/* Where the segment before has left something, and frames will be looked at. */
static enum vrs_status read_past(struct vrs_job *job, struct vrs_error *err)
{
	if (!job->segment.past_from || vrs_matte_cache_has(job->mattes.cache))
		return VRS_OK;
	const struct vrs_segment_memory memory = vrs_worker_memory(&job->workers[0]);
	return vrs_segment_past_read(&memory, &job->segment, err);
}

static enum vrs_status open_stages(struct vrs_job *job, const char *input, struct vrs_error *err)
{
	const struct vrs_settings *settings = &job->settings;
	enum vrs_status status = vrs_backdrop_open(&job->compose.backdrop, settings, &job->info.layout, vrs_source_info(job->decode.source),
						   &job->roi.format, job->threads.decode, err);
	if (status == VRS_OK)
		status = vrs_exclude_open(job->roi.excluded, &job->roi.arena, settings->matte.exclude, &job->info.layout, job->info.width, job->info.height,
					  err);
	if (status == VRS_OK)
		status = vrs_stage_setup_make(job, err);
	if (status == VRS_OK)
		status = vrs_output_setup_open(job, err);
	if (status == VRS_OK)
		status = vrs_output_setup_check_space(job, err);
	if (status == VRS_OK)
		status = open_cache(job, input, err);
	if (status == VRS_OK)
		status = read_past(job, err);
	if (status == VRS_OK && vrs_job_has_trace(job) && !job->segment.trace)
		status = vrs_trace_create(&job->trace, settings->report.trace, job->info.input, 1,
					  vrs_trace_over(settings->output.overwrite, vrs_work_folder_made(settings->output.file)), err);
	job->flow.trace = job->segment.trace ? job->segment.trace : job->trace;
	return status;
}

static enum vrs_status create(struct vrs_job **ret_job, const char *input, const struct vrs_settings *settings, int loops,
			      const struct vrs_segment *segment, const struct vrs_job_callbacks *callbacks, struct vrs_error *err)
{
	enum vrs_status status = check_settings(settings, loops, err);
	if (status != VRS_OK)
		return status;
	struct vrs_job *job = vrs_calloc(1, sizeof *job);
	if (!job)
		return vrs_fail(err, VRS_ENOMEM, "no memory for a job");
	struct vrs_error local = {0};
	vrs_flow_init(&job->flow);
	job->settings = *settings;
	vrs_job_stamps_take(&job->stamps, input, settings);
	job->decode.loops = loops;
	if (segment)
		begin_segment(job, segment);
	if (callbacks)
		job->mattes.callbacks = job->encode.callbacks = *callbacks;
	vrs_stage_setup_wire(job);
	job->network_is_named = strcmp(settings->engine.model, VRS_MODEL_AUTO) != 0;
	status = vrs_network_settle_name(&job->settings, &local);
	if (status == VRS_OK)
		status = vrs_network_settle_processes(&job->settings, &local);
	if (status == VRS_OK)
		status = plan_work(job, input, &local);
	if (status == VRS_OK)
		status = plan_looks(job, &local);
	if (status == VRS_OK)
		status = open_stages(job, input, &local);
	if (status == VRS_OK) {
		*ret_job = job;
		return VRS_OK;
	}
	vrs_job_destroy(job);
	if (!local.text[0])
		vrs_fail(&local, status, "cannot prepare the job for %s: %s", input, vrs_status_str(status));
	if (err)
		*err = local;
	return status;
}

enum vrs_status vrs_job_create(struct vrs_job **ret_job, const char *input, const struct vrs_settings *settings, int loops,
			       const struct vrs_job_callbacks *callbacks, struct vrs_error *err)
{
	return create(ret_job, input, settings, loops, NULL, callbacks, err);
}

enum vrs_status vrs_job_create_segment(struct vrs_job **ret_job, const char *input, const struct vrs_settings *settings,
				       const struct vrs_segment *segment, const struct vrs_job_callbacks *callbacks, struct vrs_error *err)
{
	return create(ret_job, input, settings, 1, segment, callbacks, err);
}

struct vrs_picture_format vrs_job_pictures(const struct vrs_job *job)
{
	return vrs_source_info(job->decode.source)->stored;
}

struct vrs_job_segment_result vrs_job_segment_result(const struct vrs_job *job)
{
	const uint64_t networks[] = {vrs_network_content(&job->roi.network), job->roi.cascade ? vrs_cascade_content(job->roi.cascade) : 0};
	int64_t hash = (int64_t)(vrs_hash(VRS_HASH_INIT, networks, sizeof networks) >> 1);
	struct vrs_job_segment_result result = {.networks = hash, .frames = job->encode.written, .truncated = job->flow.truncated,
		.past_bytes = job->past_out.written ? job->past_out.bytes : 0, .past_hash = job->past_out.written ? job->past_out.hash : 0,
		.first_pts = job->encode.first_pts, .end_pts = job->encode.end_pts};
	result.lost_device = vrs_job_lost_device(job, result.devices_left, sizeof result.devices_left);
	(void)vrs_strcpy(result.kernels, sizeof result.kernels, vrs_job_is_mixed(job) ? "mixed" : job->info.kernels);
	return result;
}

enum vrs_status vrs_job_join(struct vrs_job *job, const struct vrs_segment_file *segments, int count, bool whole, int *ret_bad, struct vrs_error *err)
{
	return vrs_segment_join(job->settings.output.file, &job->sink_options, job->decode.source, segments, count, whole, ret_bad, err);
}

void vrs_job_destroy(struct vrs_job *job)
{
	if (!job)
		return;
	vrs_encode_stage_close(&job->encode);
	for (int i = 0; job->workers && i < job->threads.streams; i++)
		vrs_worker_fini(&job->workers[i]);
	vrs_free(job->workers);
	vrs_matte_stage_fini(&job->mattes);
	vrs_job_end_trace(job);
	vrs_tonemap_step_fini(&job->tonemap);
	vrs_compose_plan_fini(&job->compose);
	vrs_cascade_destroy(job->roi.cascade);
	vrs_roi_plan_fini(&job->roi);
	vrs_decode_stage_fini(&job->decode);
	vrs_flow_fini(&job->flow);
	vrs_free(job);
}
