/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a job: opens the input, decides layout and views, loads the network, allocates everything, opens the output. */
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "base/work_folder.h"
#include "compose/exclude_option.h"
#include "compose/pack_step.h"
#include "job/disk_space.h"
#include "job/job_request.h"
#include "job/player_tags.h"
#include "matte/eye_agreement.h"
#include "matte/tonemap.h"
#include "pipeline/device_loss.h"
#include "pipeline/job.h"
#include "pipeline/memory_setup.h"
#include "pipeline/session_setup.h"
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

static enum vrs_status on_stream(void *cookie, const struct vrs_stream_shape *shape, struct vrs_decoder_choice *choice, struct vrs_error *err)
{
	struct vrs_job *job = cookie;
	enum vrs_status status = vrs_memory_setup_plan(job, shape, err);
	if (!job->is_segment)
		choice->threads = job->info.memory_work.knob[VRS_KNOB_DECODE];
	choice->spare_bytes = vrs_memory_setup_spare(job);
	return status;
}

static enum vrs_status on_growth(void *cookie, const struct vrs_stream_shape *shape, struct vrs_error *err)
{
	return vrs_memory_setup_growth(cookie, shape, err);
}

static void describe_pixels(const struct vrs_picture_format *format, char *text, size_t size)
{
	const char *sampling = format->planes == 1 ? "grey" : format->chroma_shift_x == 0 ? (format->chroma_shift_y ? "4:4:0" : "4:4:4")
			       : format->chroma_shift_x == 2 ? "4:1:1" : format->chroma_shift_y ? "4:2:0" : "4:2:2";
	snprintf(text, size, "%d-bit %s", format->bit_depth, sampling);
}

/* Of a video in segments the first one tells. */
static bool is_told(const struct vrs_job *job)
{
	return job->segment.before && job->segment.before->frames_done;
}

static enum vrs_status open_input(struct vrs_job *job, const char *input, struct vrs_error *err)
{
	struct vrs_source_options options = vrs_input_options(&job->settings, job->threads.decode);
	options.on_stream = on_stream;
	options.on_growth = on_growth;
	options.cookie = job;
	options.skip = job->segment.preroll;
	options.copies = (!job->is_segment || job->segment.joins) && !vrs_sink_is_virtual(job->settings.output.file);
	options.low_delay = job->settings.pipeline.live && vrs_source_sets_pace(input);
	(void)vrs_strcpy(job->info.input, sizeof job->info.input, input); /* only shown */
	enum vrs_status status = vrs_source_open(&job->decode.source, input, &options, err);
	if (status != VRS_OK)
		return status;
	const struct vrs_source_info *source = vrs_source_info(job->decode.source);
	const struct vrs_stream_shape drawn = {.codec = "", .width = source->format.width, .height = source->format.height,
		.frame_bytes = vrs_frame_bytes(&source->format), .format = source->format};
	if (!job->info.memory_work.knob[VRS_KNOB_DECODE]) /* nothing is decoded */
		status = vrs_memory_setup_plan(job, &drawn, err);
	if (status != VRS_OK)
		return status;
	struct vrs_job_info *info = &job->info;
	status = vrs_tonemap_step_open(&job->tonemap, &job->settings, source, input, is_told(job));
	if (status != VRS_OK)
		return status;
	job->settings.output.tonemap = job->tonemap.tonemap ? VRS_TONEMAP_BT2390 : VRS_TONEMAP_OFF; /* what cached mattes are known by */
	(void)vrs_strcpy(info->codec, sizeof info->codec, source->codec);
	info->width = source->format.width;
	info->height = source->format.height;
	info->fps = source->fps_num > 0 && source->fps_den > 0 ? (double)source->fps_num / source->fps_den : 0;
	describe_pixels(&source->format, info->pixels, sizeof info->pixels);
	return vrs_input_layout(&info->layout, &job->settings, source, input, err);
}

/* Where the eyes of the input are, and the part of each that the network sees. */
static enum vrs_status plan_eyes(struct vrs_job *job, struct vrs_error *err)
{
	const struct vrs_picture_format *source = &vrs_source_info(job->decode.source)->format;
	struct vrs_job_info *info = &job->info;
	struct vrs_roi_plan *roi = &job->roi;
	info->eyes = vrs_layout_eyes(&info->layout);
	if (info->eyes > 1 && (info->width < 2 || info->height < 2))
		return vrs_fail(err, VRS_EUNSUPPORTED, "%s has %dx%d pixels, too few for two eyes", info->input, info->width, info->height);
	if (info->eyes == 1 && job->settings.matte.repair_eyes != VRS_EYE_REPAIR_NONE && !is_told(job))
		vrs_log(VRS_LOG_INFO, "%s shows one eye: --repair-eyes has no effect", info->input);
	roi->format = job->tonemap.tonemap ? vrs_tonemap_format(source) : *source;
	roi->format.circle = vrs_layout_circle(&info->layout, &roi->format);
	roi->eyes = info->eyes;
	roi->settings = &job->settings;
	roi->layout = &info->layout;
	enum vrs_status status = vrs_roi_settle_size(&job->settings, &info->layout, &roi->format, err);
	if (status == VRS_OK) /* calibrations are of one size */
		status = vrs_precision_settle(&job->settings, info->precision_reason, sizeof info->precision_reason, err);
	if (status != VRS_OK)
		return status;
	for (int eye = 0; eye < roi->eyes; eye++)
		info->views[eye] = roi->views[eye] = vrs_view_rect(&info->layout, &job->settings, &roi->format, eye);
	job->compose.format = roi->format;
	job->compose.eyes = roi->eyes;
	job->compose.settings = &job->settings;
	job->compose.layout = &info->layout;
	return VRS_OK;
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

static int queue_frames(const struct vrs_job *job, int asked)
{
	return vrs_memory_queue(vrs_frame_bytes(&job->roi.format), asked);
}

/* Behind the decoder. */
static int ahead_frames(const struct vrs_job *job)
{
	int prefetch = job->settings.pipeline.prefetch;
	return job->info.live ? vrs_live_queue_size(&job->shared.take) :
	       queue_frames(job, prefetch ? prefetch * job->threads.streams : job->settings.pipeline.queue_size);
}

/* The pool holds what waits for the encoder, what each worker composes, and what the encoder has in hand. */
static int pool_frames(const struct vrs_job *job)
{
	int64_t count = queue_frames(job, job->settings.pipeline.queue_size) + job->threads.streams + 2;
	if (job->info.in_flight && count > job->info.in_flight + 1)
		count = job->info.in_flight + 1;
	count += (job->roi.room - job->roi.group) * job->threads.streams;
	if (job->info.memory_work.pictures && count > job->info.memory_work.pictures)
		count = job->info.memory_work.pictures;
	return count > VRS_FRAME_POOL_MAX ? VRS_FRAME_POOL_MAX : (int)count;
}

/* Groups of frames between a worker and the thread that composes for it. */
static int composed_ahead(const struct vrs_job *job)
{
	return job->info.composes_apart ? VRS_COMPOSER_AHEAD : 0;
}

/* Bytes of frames, and of those that can be under way at a time. */
static void count_bytes(struct vrs_job *job, double covered)
{
	struct vrs_job_info *info = &job->info;
	struct vrs_picture_format out = vrs_compose_plan_pool(&job->compose);
	info->frame_bytes = vrs_frame_bytes(&job->roi.format);
	info->output_bytes = vrs_frame_bytes(&out);
	info->view_bytes = (uint64_t)((double)info->frame_bytes * covered / ((double)info->width * info->height));
	uint64_t in_flight = (uint64_t)ahead_frames(job) + (uint64_t)job->roi.room * (uint64_t)(job->threads.streams + composed_ahead(job));
	if (info->in_flight && in_flight > (uint64_t)info->in_flight && !info->live)
		in_flight = (uint64_t)info->in_flight;
	job->flow.stats.queue_bytes = in_flight * info->frame_bytes + (uint64_t)pool_frames(job) * info->output_bytes;
	if (vrs_compose_plan_recolors(&job->compose))
		job->flow.stats.queue_bytes += (uint64_t)pool_frames(job) * info->frame_bytes;
}

static enum vrs_status make_compose(struct vrs_job *job)
{
	struct vrs_compose_plan *compose = &job->compose;
	double covered = 0;
	for (int eye = 0; eye < job->roi.eyes; eye++) {
		covered += (double)job->roi.views[eye].width * job->roi.views[eye].height;
		compose->areas[eye] = *vrs_roi_area(&job->roi, eye);
	}
	/* filling the outside of small views in each frame costs more than copying the inside; people seldom fill the picture */
	compose->prefer_pool = job->roi.follows || covered < 0.6 * job->info.width * job->info.height;
	compose->foreground = vrs_foreground_wanted(&job->settings, &job->roi.network.manifest);
	compose->matte_width = job->roi.matte_width;
	compose->matte_height = job->roi.matte_height;
	enum vrs_status status = vrs_compose_plan_prepare(compose);
	if (status != VRS_OK)
		return status;
	count_bytes(job, covered);
	return vrs_compose_plan_make_pool(compose, pool_frames(job));
}

static enum vrs_status make_flow(struct vrs_job *job)
{
	struct vrs_flow *flow = &job->flow;
	enum vrs_status status = vrs_stage_queue_create(&flow->decoded, ahead_frames(job));
	if (status == VRS_OK && flow->live)
		vrs_live_number(flow);
	if (status == VRS_OK)
		status = vrs_stage_queue_create(&flow->composed, queue_frames(job, job->settings.pipeline.queue_size));
	if (status == VRS_OK && job->settings.matte.skip_similar)
		status = vrs_sequencer_create(&flow->comparison);
	return status != VRS_OK ? status : vrs_sequencer_create(&flow->postprocess);
}

/* Who works on what. */
static void wire(struct vrs_job *job)
{
	job->past = (struct vrs_roi_past){.plan = &job->roi, .flow = &job->flow};
	job->mattes.plan = &job->roi;
	job->mattes.flow = job->encode.flow = job->decode.flow = job->decode.live.flow = &job->flow;
	job->mattes.past = &job->past;
	job->decode.settings = &job->settings;
	job->decode.segment = job->is_segment ? &job->segment : NULL;
	job->decode.compose = &job->compose;
	job->encode.from_zero = job->is_segment;
	job->shared.flow = &job->flow;
	job->shared.roi = &job->roi;
	job->shared.past = &job->past;
	job->shared.reference = &job->reference;
	job->shared.tonemap = &job->tonemap;
	job->shared.compose = &job->compose;
	job->shared.mattes = &job->mattes;
	job->shared.segment = job->is_segment && !job->segment.joins ? &job->segment : NULL;
	job->shared.past_out = &job->past_out;
}

static enum vrs_status make_stages(struct vrs_job *job, struct vrs_error *err)
{
	struct vrs_roi_plan *roi = &job->roi;
	int mapped = roi->room * (job->threads.streams + composed_ahead(job)) + vrs_matte_stage_latency(&job->settings);
	uint64_t bytes = 0;
	enum vrs_status status = make_compose(job);
	if (status == VRS_OK)
		status = vrs_tonemap_step_prepare(&job->tonemap, vrs_source_info(job->decode.source), mapped, &bytes);
	job->flow.stats.queue_bytes += bytes;
	roi->reuses = vrs_reuse_wanted(&job->settings) || roi->room > roi->group;
	/* the small network's pictures have another size */
	roi->luma_of_input = !roi->cascade && !vrs_roi_merges(roi) && roi->shape.input_width == roi->matte_width &&
			     roi->shape.input_height == roi->matte_height;
	if (status == VRS_OK && job->info.composes_apart)
		status = vrs_stage_queue_create(&job->flow.finished, 1);
	for (int i = 0; i < job->threads.streams && status == VRS_OK; i++)
		status = vrs_worker_init(&job->workers[i], &job->shared, &job->workers[vrs_roi_devices_first(&roi->devices, i)], i, err);
	if (status == VRS_OK)
		status = vrs_reference_init(&job->reference, &job->mattes.arena, roi);
	if (status == VRS_OK)
		status = vrs_matte_stage_init(&job->mattes);
	return status != VRS_OK ? status : make_flow(job);
}

/* Of vrs_sink_options.  Stamps come last: joining segments, or the rest of the sound, reads the input to its end. */
static enum vrs_status check_output(void *cookie, const char *file, struct vrs_error *err)
{
	struct vrs_job *job = cookie;
	enum vrs_status status = vrs_encode_stage_check(&job->encode, file, err);
	return status != VRS_OK ? status : vrs_job_stamps_check(&job->stamps, &job->settings, err);
}

static enum vrs_status open_output(struct vrs_job *job, struct vrs_error *err)
{
	const struct vrs_settings *settings = &job->settings;
	const struct vrs_source_info *source = vrs_source_info(job->decode.source);
	struct vrs_sink_options *options = &job->sink_options;
	*options = (struct vrs_sink_options){
		.encoder = settings->output.encoder[0] ? settings->output.encoder : NULL,
		.threads = job->threads.encode,
		.overwrite = settings->output.overwrite,
		.audio = settings->output.audio && job->decode.loops == 1 && source->has_audio && (!job->is_segment || job->segment.joins),
		.segment_of = job->is_segment && !job->segment.joins ? vrs_job_video(job) : NULL,
		.folder = job->is_segment ? job->segment.folder : NULL,
		.format = vrs_compose_plan_output(&job->compose),
		.fps_num = source->fps_num,
		.fps_den = source->fps_den,
		.time_base_num = source->time_base_num,
		.time_base_den = source->time_base_den,
		.sar_num = source->sar_num,
		.sar_den = source->sar_den,
		.most_frames = settings->pipeline.max_frames,
		.every_nth = settings->pipeline.every_nth,
		.side = &source->side,
		.check = check_output,
		.check_cookie = job,
	};
	if (job->compose.pack) {
		job->packed_side = vrs_pack_step_side();
		options->side = &job->packed_side;
		options->sar_num = options->sar_den = 1;
	}
	job->info.output_width = options->format.width;
	job->info.output_height = options->format.height;
	enum vrs_status status = vrs_encoder_request(settings, options, err);
	if (status != VRS_OK)
		return status;
	job->info.bit_rate = options->bit_rate == VRS_BIT_RATE_SOURCE ? source->bit_rate : options->bit_rate;
	int64_t den = (int64_t)options->fps_den * settings->pipeline.every_nth;
	if (den <= INT32_MAX)
		options->fps_den = (int)den;
	status = vrs_option_text(vrs_option_find("output.mode"), settings, job->info.output_mode, sizeof job->info.output_mode);
	if (status != VRS_OK)
		return status;
	if (job->segment.joins || (job->encode.callbacks.plans_only && !vrs_sink_saves(settings->output.file)))
		return VRS_OK;
	if (job->encode.callbacks.on_output)
		job->encode.callbacks.on_output(job->encode.callbacks.cookie);
	return vrs_sink_open(&job->encode.sink, settings->output.file, options, job->decode.source, err);
}

static void estimate_frames(struct vrs_job *job)
{
	const struct vrs_source_info *source = vrs_source_info(job->decode.source);
	int nth = job->settings.pipeline.every_nth, max = job->settings.pipeline.max_frames;
	uint64_t total = source->frames > 0 && job->decode.loops > 0 ? ((uint64_t)source->frames + (uint64_t)nth - 1)
		/ (uint64_t)nth * (uint64_t)job->decode.loops : 0;
	if (max > 0 && (total == 0 || total > (uint64_t)max))
		total = (uint64_t)max;
	job->flow.stats.frames_total = job->is_segment ? (uint64_t)job->segment.frames_total : total;
}

/* Segments are looked at together, by whoever makes them. */
static enum vrs_status check_space(struct vrs_job *job, struct vrs_error *err)
{
	const char *file = job->settings.output.file;
	estimate_frames(job);
	if (job->is_segment || vrs_sink_is_virtual(file) || strchr(file, ':'))
		return VRS_OK;
	return vrs_disk_check(file, vrs_disk_estimate(&job->settings, &job->info, (double)job->flow.stats.frames_total), 1, false, err);
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
	enum vrs_status status = open_input(job, input, err);
	if (status == VRS_OK)
		status = plan_eyes(job, err);
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
		status = make_stages(job, err);
	if (status == VRS_OK)
		status = open_output(job, err);
	if (status == VRS_OK)
		status = check_space(job, err);
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
	wire(job);
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

void vrs_job_list_encoders(void (*line)(void *cookie, const char *text), void *cookie)
{
	vrs_sink_list_encoders(line, cookie);
}

bool vrs_job_has_encoder(const char *name, const char *option)
{
	if (!name[0] || strcmp(name, "auto") == 0 || strcmp(name, "hardware") == 0)
		return true;
	return vrs_sink_encoder_exists(name) && (!option || vrs_sink_encoder_has(name, option));
}

bool vrs_job_output_uses(const struct vrs_settings *settings, const char *key)
{
	const char *option = strchr(key, '.');

	VRS_ASSERT(option);
	return vrs_sink_uses(settings->output.file, settings->output.encoder, settings->output.mode == VRS_MODE_CUTOUT, option + 1);
}
