/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a job: opens the input, decides layout and views, loads the network, allocates everything, opens the output. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str_parse.h"
#include "matte/tonemap.h"
#include "job/disk_space.h"
#include "job/encoder_request.h"
#include "roi/rectilinear_look.h"
#include "pipeline/job.h"
#include "job/player_tags.h"
#include "job/job_input.h"
#include "pipeline/live_stage.h"
#include "pipeline/tonemap_step.h"
#include "compose/matte_size.h"
#include "roi/view.h"
#include "video/segment_join.h"

#include <vrseg/config.h>
#include <vrseg/log.h>
#include <vrseg/machine.h>

#define DECODER_SHARE 4 /* of the memory at most a quarter for pictures in threads of the decoder */
#define QUEUE_BYTES (UINT64_C(64) << 20) /* six 3840x1920 frames; one of 7680x3840 */

/* What this process may use of the machine. memory: bytes, 0: not known. */
struct share {
	int cpus;
	uint64_t memory;
};

static struct share share_of_machine(void)
{
	struct vrs_machine *machine = vrs_calloc(1, sizeof *machine);
	struct share share = {.cpus = 1};
	if (machine && vrs_machine_detect(machine, false) == VRS_OK) {
		uint64_t limit = machine->memory_limit_bytes, all = machine->memory_bytes;
		share = (struct share){machine->allowed_threads, limit && (!all || limit < all) ? limit : all};
	}
	vrs_free(machine);
	return share;
}

static void describe_pixels(const struct vrs_picture_format *format, char *text, size_t size)
{
	const char *sampling = format->planes == 1 ? "grey" : format->chroma_shift_x == 0 ? (format->chroma_shift_y ? "4:4:0" : "4:4:4")
			       : format->chroma_shift_x == 2 ? "4:1:1" : format->chroma_shift_y ? "4:2:0" : "4:2:2";
	snprintf(text, size, "%d-bit %s", format->bit_depth, sampling);
}

static enum vrs_status open_input(struct vrs_job *job, const char *input, uint64_t memory, struct vrs_error *err)
{
	struct vrs_source_options options = vrs_input_options(&job->settings, job->plan.decode);
	if (job->settings.pipeline.decode_threads == 0)
		options.decoder_bytes = memory / DECODER_SHARE;
	options.skip = job->segment.preroll;
	options.low_delay = job->settings.pipeline.live && vrs_source_sets_pace(input);
	enum vrs_status status = vrs_source_open(&job->source, input, &options, err);
	if (status)
		return status;
	const struct vrs_source_info *source = vrs_source_info(job->source);
	struct vrs_job_info *info = &job->info;
	job->format = source->format;
	(void)vrs_strcpy(info->input, sizeof info->input, input); /* only shown */
	status = vrs_tonemap_open(job);
	if (status)
		return status;
	(void)vrs_strcpy(info->codec, sizeof info->codec, source->codec);
	info->width = source->format.width;
	info->height = source->format.height;
	info->fps = source->fps_num > 0 && source->fps_den > 0 ? (double)source->fps_num / source->fps_den : 0;
	describe_pixels(&source->format, info->pixels, sizeof info->pixels);
	status = vrs_input_layout(&info->layout, &job->settings, source, input, err);
	if (status)
		return status;
	job->eyes = info->eyes = vrs_layout_eyes(&info->layout);
	if (job->eyes > 1 && (info->width < 2 || info->height < 2))
		return vrs_fail(err, VRS_EUNSUPPORTED, "%s has %dx%d pixels, too few for two eyes", input, info->width, info->height);
	job->format.circle = vrs_layout_circle(&info->layout, &job->format);
	for (int eye = 0; eye < job->eyes; eye++)
		info->views[eye] = vrs_view_rect(&info->layout, &job->settings, &job->format, eye);
	return VRS_OK;
}

const struct vrs_rect *vrs_job_area(const struct vrs_job *job, int eye)
{
	return job->info.follows ? &job->follow[eye].eye : &job->info.views[eye];
}

struct vrs_rect vrs_job_in_eye(const struct vrs_job *job, int eye, const struct vrs_rect *part)
{
	const struct vrs_rect *whole = &job->follow[eye].eye;
	return (struct vrs_rect){part->x - whole->x, part->y - whole->y, part->width, part->height};
}

/* A state of the network belongs to the part of the picture that it was made from, so those networks look at one part always. */
static void follow_people(struct vrs_job *job)
{
	job->info.follows = job->settings.matte.follow && job->network.manifest.state_count == 0;
	for (int eye = 0; eye < job->eyes; eye++) {
		struct vrs_rect whole = vrs_layout_eye(&job->info.layout, job->info.width, job->info.height, eye);
		job->follow[eye] = vrs_follow_make(&whole, &job->info.views[eye], &job->format);
	}
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

static enum vrs_status load_network(struct vrs_job *job, struct vrs_error *err)
{
	int batch = job->settings.engine.batch_size ? job->settings.engine.batch_size : job->eyes;
	/* the smallest number of whole frames that fills whole batches */
	job->group = job->room = batch / greatest_common_divisor(batch, job->eyes);
	enum vrs_status status = vrs_network_load(&job->network, &job->settings, job->plan.threads, batch, err);
	if (!status)
		status = vrs_network_need_calibration(&job->network, &job->settings, job->info.input, err);
	if (status)
		return status;
	struct vrs_worker *first = &job->workers[0];
	status = vrs_session_create(&first->session, job->network.model, &job->network.options, err);
	if (!status)
		status = vrs_head_create(&first->head, &job->network.manifest, first->session, job->eyes, err);
	if (status)
		return status;
	job->shape = *vrs_head_shape(first->head);
	struct vrs_session_info session = vrs_session_info(first->session);
	struct vrs_job_info *info = &job->info;
	(void)vrs_strcpy(info->backend, sizeof info->backend, session.backend); /* names; only shown */
	(void)vrs_strcpy(info->isa, sizeof info->isa, session.isa);
	(void)vrs_strcpy(info->model, sizeof info->model, job->network.manifest.name);
	info->net_width = job->shape.input_width;
	info->net_height = job->shape.input_height;
	/* a matte for several regions covers more than one look does */
	bool follows = job->settings.matte.follow && job->network.manifest.state_count == 0;
	job->regions = follows ? job->settings.matte.max_regions : 1;
	info->matte_width = job->shape.matte_width * (job->regions > 1 ? 2 : 1);
	info->matte_height = job->shape.matte_height * (job->regions > 1 ? 2 : 1);
	job->look_size = (size_t)job->shape.matte_width * (size_t)job->shape.matte_height; /* the network has it */
	info->has_states = job->network.manifest.state_count > 0;
	info->batch = batch;
	info->net_macs = session.macs * (uint64_t)job->eyes / (uint64_t)batch;
	info->streams = job->plan.streams;
	info->threads = job->plan.threads;
	int decoder = vrs_source_info(job->source)->decoder_threads;
	info->decode_threads = decoder ? decoder : job->plan.decode;
	info->cpus = job->plan.cpus;
	return vrs_mul_size((size_t)info->matte_width, (size_t)info->matte_height, &job->matte_size) ? VRS_OK : VRS_ELIMIT;
}

/* Frames that may wait between two stages: as many as asked for, but no more than fit into QUEUE_BYTES (one always does). */
static int queue_frames(const struct vrs_job *job, int asked)
{
	uint64_t fit = QUEUE_BYTES / (vrs_frame_bytes(&job->format) + 1);
	return (uint64_t)asked <= fit ? asked : fit ? (int)fit : 1;
}

/* Behind the decoder. */
static int ahead_frames(const struct vrs_job *job)
{
	int prefetch = job->settings.pipeline.prefetch;
	return job->info.live ? vrs_live_queue_size(job) : queue_frames(job, prefetch ? prefetch * job->plan.streams : job->settings.pipeline.queue_size);
}

/* Packing writes all of a frame, so that there is nothing to prepare. */
static void prepare_frame(void *composite, struct vrs_frame *frame)
{
	if (composite)
		vrs_composite_fill(composite, frame);
}

/* The pool holds what waits for the encoder, what each worker composes, and what the encoder has in hand. */
static enum vrs_status make_pool(struct vrs_job *job)
{
	const struct vrs_rect *v = job->info.views;
	double covered = 0;
	for (int eye = 0; eye < job->eyes; eye++)
		covered += (double)v[eye].width * v[eye].height;
	/* filling the outside of small views in each frame costs more than copying the inside; people seldom fill the picture */
	job->prefer_pool = job->info.follows || covered < 0.6 * job->info.width * job->info.height;
	struct vrs_composite_options options;
	vrs_job_composite_options(job, &options);
	options.sharp.radius = 0; /* this one only fills frames */
	enum vrs_status status = job->pack ? VRS_OK : vrs_composite_create(&job->pool_composite, &options);
	if (status)
		return status;
	if (options.mode == VRS_COMPOSITE_CUTOUT)
		status = vrs_alpha_frame_create(&job->cutout, &job->format);
	if (status)
		return status;
	struct vrs_picture_format out = vrs_job_pool_format(job);
	int64_t count = queue_frames(job, job->settings.pipeline.queue_size) + job->plan.streams + 2;
	if (job->info.in_flight && count > job->info.in_flight + 1)
		count = job->info.in_flight + 1;
	count += (job->room - job->group) * job->plan.streams;
	if (count > VRS_FRAME_POOL_MAX)
		count = VRS_FRAME_POOL_MAX;
	job->info.frame_bytes = vrs_frame_bytes(&job->format);
	job->info.output_bytes = vrs_frame_bytes(&out);
	job->info.view_bytes = (uint64_t)((double)job->info.frame_bytes * covered / ((double)job->info.width * job->info.height));
	uint64_t in_flight = (uint64_t)ahead_frames(job) + (uint64_t)job->room * (uint64_t)job->plan.streams;
	if (job->info.in_flight && in_flight > (uint64_t)job->info.in_flight && !job->info.live)
		in_flight = (uint64_t)job->info.in_flight;
	job->stats.queue_bytes = in_flight * vrs_frame_bytes(&job->format) + (uint64_t)count * vrs_frame_bytes(&out);
	return vrs_frame_pool_create(&job->pool, &out, (int)count, prepare_frame, job->pool_composite);
}

static enum vrs_status make_stages(struct vrs_job *job, struct vrs_error *err)
{
	int queue_size = queue_frames(job, job->settings.pipeline.queue_size);
	enum vrs_status status = make_pool(job);
	if (!status)
		status = vrs_tonemap_prepare(job);
	job->reuses = vrs_reuse_wanted(&job->settings) || job->room > job->group;
	/* the small network's pictures have another size */
	job->luma_of_input = !job->cascade && job->shape.input_width == job->info.matte_width && job->shape.input_height == job->info.matte_height;
	for (int i = 0; i < job->plan.streams && !status; i++)
		status = vrs_worker_init(&job->workers[i], job, i, err);
	if (!status)
		status = vrs_reference_init(&job->reference, job);
	if (!status)
		status = vrs_matte_stage_init(&job->mattes, job);
	if (!status)
		status = vrs_stage_queue_create(&job->decoded, ahead_frames(job));
	if (!status)
		status = vrs_stage_queue_create(&job->composed, queue_size);
	return status ? status : vrs_sequencer_create(&job->turn);
}

static enum vrs_status open_output(struct vrs_job *job, struct vrs_error *err)
{
	const struct vrs_settings *settings = &job->settings;
	const struct vrs_source_info *source = vrs_source_info(job->source);
	struct vrs_sink_options *options = &job->sink_options;
	*options = (struct vrs_sink_options){
		.encoder = settings->output.encoder[0] ? settings->output.encoder : NULL,
		.threads = job->plan.encode,
		.overwrite = settings->output.overwrite,
		.audio = settings->output.audio && job->loops == 1 && source->has_audio && (!job->is_segment || job->segment.joins),
		.piece = job->is_segment && !job->segment.joins,
		.format = vrs_job_output_format(job),
		.fps_num = source->fps_num,
		.fps_den = source->fps_den,
		.time_base_num = source->time_base_num,
		.time_base_den = source->time_base_den,
		.sar_num = source->sar_num,
		.sar_den = source->sar_den,
		.side = &source->side,
	};
	if (job->pack) {
		job->packed_side = vrs_pack_step_side();
		options->side = &job->packed_side;
		options->sar_num = options->sar_den = 1;
	}
	job->info.output_width = options->format.width;
	job->info.output_height = options->format.height;
	enum vrs_status status = vrs_encoder_request(settings, options, err);
	if (status)
		return status;
	job->info.bit_rate = options->bit_rate == VRS_BIT_RATE_SOURCE ? source->bit_rate : options->bit_rate;
	int64_t den = (int64_t)options->fps_den * settings->pipeline.every_nth;
	if (den <= INT32_MAX)
		options->fps_den = (int)den;
	static const char *const modes[] = {"green", "matte", "alpha", "cutout"};
	(void)vrs_strcpy(job->info.output_mode, sizeof job->info.output_mode, modes[settings->output.mode]);
	return job->segment.joins ? VRS_OK : vrs_sink_open(&job->sink, settings->output.file, options, job->source, err);
}

static void estimate_frames(struct vrs_job *job)
{
	const struct vrs_source_info *source = vrs_source_info(job->source);
	int nth = job->settings.pipeline.every_nth, max = job->settings.pipeline.max_frames;
	uint64_t total = source->frames > 0 && job->loops > 0 ? ((uint64_t)source->frames + (uint64_t)nth - 1) / (uint64_t)nth * (uint64_t)job->loops : 0;
	if (max > 0 && (total == 0 || total > (uint64_t)max))
		total = (uint64_t)max;
	job->stats.frames_total = job->is_segment ? (uint64_t)job->segment.frames_total : total;
}

/* Parts are looked at together, by whoever makes them. */
static enum vrs_status check_space(struct vrs_job *job, struct vrs_error *err)
{
	const char *file = job->settings.output.file;
	estimate_frames(job);
	if (job->is_segment || vrs_sink_is_virtual(file) || strchr(file, ':'))
		return VRS_OK;
	return vrs_disk_check(file, vrs_disk_estimate(&job->settings, &job->info, (double)job->stats.frames_total), 1, false, err);
}

static enum vrs_status check_settings(const struct vrs_settings *settings, int loops, struct vrs_error *err)
{
	if (loops < 0 || settings->pipeline.every_nth < 1 || settings->pipeline.queue_size < 1 || settings->engine.batch_size < 0 ||
	    settings->engine.streams < 0 || settings->engine.threads < 0)
		return vrs_fail(err, VRS_EINVAL, "a setting of the job is out of range");
	if (!settings->output.file[0])
		return vrs_fail(err, VRS_ECONFIG, "no output file is given");
	return vrs_settings_check(settings, err);
}

static void begin_segment(struct vrs_job *job, const struct vrs_segment *segment)
{
	job->is_segment = true;
	job->segment = *segment;
	if (segment->before)
		job->stats = *segment->before;
	job->stats.wall_ns = 0;
}

/* The input, what is allowed with it, and room for the workers that it gets. */
static enum vrs_status plan_work(struct vrs_job *job, const char *input, struct vrs_error *err)
{
	const struct vrs_settings *settings = &job->settings;
	bool encodes = !vrs_sink_is_virtual(settings->output.file);
	struct share share = share_of_machine();
	job->plan = vrs_thread_plan_make(settings, share.cpus, encodes);
	enum vrs_status status = open_input(job, input, share.memory, err);
	if (!status && settings->output.mode == VRS_MODE_ALPHA)
		status = vrs_pack_step_create(&job->pack, settings, &job->format, &job->info.layout, err);
	if (!status && job->pack)
		job->info.packing_shifts = vrs_pack_step_describe(job->info.packing, sizeof job->info.packing, job->pack, settings);
	if (!status && !job->is_segment) /* parts are joined under the output's name, which vrs_output_name_check looks at */
		status = vrs_player_check(settings, &job->info.layout, input, err);
	if (!status)
		status = vrs_network_constrain(&job->settings, job->eyes, err);
	if (status)
		return status;
	job->plan = vrs_thread_plan_make(settings, job->plan.cpus, encodes);
	job->workers = vrs_calloc((size_t)job->plan.streams, sizeof *job->workers);
	return job->workers ? VRS_OK : VRS_ENOMEM;
}

/* Networks, and what is decided from them about looks and mattes. */
static enum vrs_status plan_looks(struct vrs_job *job, const char *input, struct vrs_error *err)
{
	enum vrs_status status = load_network(job, err);
	if (!status)
		status = vrs_cascade_load(&job->cascade, job, input, err);
	if (!status)
		status = vrs_live_prepare(job, input, err);
	if (!status)
		follow_people(job);
	if (!status)
		status = vrs_rectilinear_look_plan(job, err);
	if (!status)
		vrs_matte_size_decide(job);
	return status;
}

static enum vrs_status open_stages(struct vrs_job *job, const char *input, struct vrs_error *err)
{
	const struct vrs_settings *settings = &job->settings;
	enum vrs_status status = vrs_backdrop_open(&job->backdrop, settings, &job->info.layout, &job->format, err);
	if (!status)
		status = vrs_exclude_open(job->excluded, settings->matte.exclude, &job->info.layout, job->info.width, job->info.height, err);
	if (!status)
		status = make_stages(job, err);
	if (!status)
		status = open_output(job, err);
	if (!status)
		status = check_space(job, err);
	if (!status)
		vrs_matte_cache_open(&job->cache, job, input);
	if (job->segment.trace)
		job->trace = job->segment.trace;
	else if (!status && settings->report.trace[0])
		status = vrs_trace_create(&job->trace, settings->report.trace, job->info.input, 1, settings->output.overwrite, err);
	return status;
}

static enum vrs_status create(struct vrs_job **ret_job, const char *input, const struct vrs_settings *settings, int loops,
			      const struct vrs_segment *segment, const struct vrs_job_callbacks *callbacks, struct vrs_error *err)
{
	enum vrs_status status = check_settings(settings, loops, err);
	if (status)
		return status;
	struct vrs_job *job = vrs_calloc(1, sizeof *job);
	if (!job)
		return vrs_fail(err, VRS_ENOMEM, "no memory for a job");
	struct vrs_error local = {0};
	pthread_mutex_init(&job->lock, NULL);
	job->settings = *settings;
	job->loops = loops;
	if (segment)
		begin_segment(job, segment);
	if (callbacks)
		job->callbacks = *callbacks;
	status = plan_work(job, input, &local);
	if (!status)
		status = plan_looks(job, input, &local);
	if (!status)
		status = open_stages(job, input, &local);
	if (!status) {
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
	return (struct vrs_job_segment_result){.frames = job->written, .truncated = job->damaged, .first_pts = job->first_pts,
		.end_pts = job->end_pts};
}

enum vrs_status vrs_job_join(struct vrs_job *job, const struct vrs_segment_file *pieces, int count, bool whole, int *ret_bad, struct vrs_error *err)
{
	return vrs_segment_join(job->settings.output.file, &job->sink_options, job->source, pieces, count, whole, ret_bad, err);
}

void vrs_job_destroy(struct vrs_job *job)
{
	if (!job)
		return;
	vrs_sink_close(job->sink);
	for (int i = 0; job->workers && i < job->plan.streams; i++)
		vrs_worker_fini(&job->workers[i]);
	vrs_free(job->workers);
	vrs_matte_stage_fini(&job->mattes);
	vrs_matte_cache_close(job->cache);
	for (int eye = 0; eye < VRS_MAX_EYES; eye++)
		vrs_exclusion_destroy(job->excluded[eye]);
	vrs_reference_fini(&job->reference);
	vrs_stage_queue_destroy(job->decoded);
	vrs_stage_queue_destroy(job->composed);
	vrs_sequencer_destroy(job->turn);
	vrs_inflight_destroy(job->flight);
	vrs_job_end_trace(job);
	vrs_frame_pool_destroy(job->pool);
	vrs_frame_pool_destroy(job->mapped);
	vrs_tonemap_destroy(job->tonemap);
	vrs_composite_destroy(job->pool_composite);
	vrs_alpha_frame_destroy(job->cutout);
	vrs_backdrop_feed_destroy(job->backdrop);
	vrs_alpha_pack_destroy(job->pack);
	vrs_cascade_destroy(job->cascade);
	vrs_network_fini(&job->network);
	vrs_source_close(job->source);
	pthread_mutex_destroy(&job->lock);
	vrs_free(job);
}

void vrs_job_list_encoders(void (*line)(void *cookie, const char *text), void *cookie)
{
	vrs_sink_list_encoders(line, cookie);
}
