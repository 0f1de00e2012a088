/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pipeline/memory_setup.h"

#include <string.h>

#include "base/str_parse.h"
#include "matte/tonemap.h"
#include "roi/head.h"
#include "video/codec_memory.h"
#include "video/source_probe.h"

#include <vrseg/config.h>
#include <vrseg/log.h>
#include <vrseg/network_run.h>

#define MATTE_BYTES 8  /* a sample of the matte of an input, on its way to what is written */
#define WORK_BYTES 40 /* the same of an eye, of what mattes are made with: measured with --smoothing and --repair-eyes */
#define ADDED_BY_VIDEO 14 /* a background of which nothing is known before it is opened: its decoder, and a picture on its way */
#define PINNED 6    /* pictures on their way to a device that packs and back, and its own where its memory is the host's */
#define TRANSFER_PQ 16 /* H.273 */
#define TRANSFER_UNKNOWN 2
#define RECOLORED 4 /* pictures with other colours at soft edges, beside those that wait */

static int max_int(int a, int b)
{
	return a > b ? a : b;
}

/* Pictures besides those that wait: a blurred background, the maps of mode alpha, what soft edges are recoloured in. */
static int extra_frames(const struct vrs_settings *settings)
{
	int frames = settings->output.mode == VRS_MODE_ALPHA ? 3 : 0;
	if (settings->output.mode == VRS_MODE_ALPHA && settings->engine.device_frames != VRS_DEVICE_FRAMES_OFF &&
	    vrs_backend_has_devices(settings->engine.backend))
		frames += PINNED;
	if (settings->output.mode == VRS_MODE_GREEN && strcmp(settings->output.background, "blur") == 0)
		frames += 2;
	frames += settings->matte.exclude[0] ? 1 : 0; /* its mask has the size of the eyes */
	struct vrs_manifest manifest;
	if ((settings->output.mode == VRS_MODE_ALPHA || settings->output.mode == VRS_MODE_CUTOUT) &&
	    vrs_manifest_load(&manifest, settings->engine.model, NULL) == VRS_OK && vrs_foreground_wanted(settings, &manifest))
		frames += RECOLORED;
	return frames;
}

/* False: it cannot be told before it is opened, or there is no such file, which is told then. */
static bool describe_file(struct vrs_memory_file *file, const char *path)
{
	struct vrs_stream_shape shape;
	if (vrs_source_probe(&shape, path, NULL) != VRS_OK)
		return false;
	*file = (struct vrs_memory_file){.frame_bytes = shape.frame_bytes, .packet_bytes = shape.packet_bytes,
		.converted = shape.converted, .is_still = shape.pictures == 1,
		.references = vrs_decoder_references(shape.codec, shape.width, shape.height, shape.level)};
	return shape.frame_bytes > 0;
}

static void describe_files(const struct vrs_settings *settings, struct vrs_memory_work *work)
{
	if (vrs_background_is_file(settings) && !describe_file(&work->background, settings->output.background))
		work->extra_frames += ADDED_BY_VIDEO;
	if (settings->matte.exclude[0])
		(void)describe_file(&work->exclude, settings->matte.exclude); /* mostly it is no file but a box */
}

/* Frames that wait for a thread that composes; no network: what is wrong with it is told when the job loads it. */
static int composed_frames(const struct vrs_job *job)
{
	struct vrs_manifest manifest;
	return vrs_manifest_load(&manifest, job->settings.engine.model, NULL) == VRS_OK && vrs_composer_is_apart(&manifest, job->threads.cpus)
		       ? VRS_COMPOSER_AHEAD
		       : 0;
}

/* video: name of the output, whose container may decide on the pictures that the encoder takes. */
static void take_output(struct vrs_memory_work *work, const char *video, const struct vrs_picture_format *format)
{
	work->output_width = format->width;
	work->output_height = format->height;
	work->output_bytes = vrs_frame_bytes(format);
	work->encoder_bytes = vrs_encoder_frame_bytes(work->encoder, video, format, &work->converter_bytes);
}

/* What becomes of pictures of this format; packed ones have a size that the layout decides, which is not known yet. */
static struct vrs_picture_format composed_format(const struct vrs_settings *settings, const struct vrs_picture_format *format, bool mapped)
{
	const struct vrs_compose_plan compose = {.settings = settings, .format = mapped ? vrs_tonemap_format(format) : *format};
	return vrs_compose_plan_output(&compose);
}

static void take_larger(struct vrs_memory_work *work, const struct vrs_memory_work *other)
{
	if (vrs_memory_plan_make(other).bytes > vrs_memory_plan_make(work).bytes)
		*work = *other;
}

/* The composed pictures.  Where only a decoded picture will tell whether it is HDR that is mapped: those that take more. */
static void describe_composed(const struct vrs_job *job, const struct vrs_stream_shape *shape, struct vrs_memory_work *work)
{
	const struct vrs_settings *settings = &job->settings;
	const char *video = vrs_job_video(job);
	struct vrs_picture_format hdr = shape->format, composed;
	struct vrs_memory_work other = *work;
	bool narrow = vrs_tonemap_narrow(settings), known = hdr.transfer != TRANSFER_UNKNOWN && hdr.transfer != 0;
	work->output_width = shape->width;
	work->output_height = shape->height;
	work->output_bytes = shape->frame_bytes;
	if (!hdr.planes)
		return;
	bool mapped = known && vrs_tonemap_wanted(settings, &hdr, narrow);
	composed = composed_format(settings, &hdr, mapped);
	take_output(work, video, &composed);
	work->extra_frames += mapped; /* each is mapped into another */
	hdr.transfer = TRANSFER_PQ;
	if (known || !vrs_tonemap_wanted(settings, &hdr, narrow))
		return;
	composed = composed_format(settings, &hdr, true);
	take_output(&other, video, &composed);
	other.extra_frames++;
	take_larger(work, &other);
}

static void describe_encoder(const struct vrs_job *job, struct vrs_memory_work *work)
{
	const struct vrs_settings *settings = &job->settings;
	if (vrs_sink_is_virtual(settings->output.file) || strncmp(settings->output.file, "y4m:", 4) == 0)
		return;
	vrs_sink_encoder_used(work->encoder, settings->output.file, settings->output.encoder, settings->output.mode == VRS_MODE_CUTOUT);
	(void)vrs_strcpy(work->preset, sizeof work->preset, settings->output.preset);
	work->cpus = vrs_memory_encoder_cpus(settings->pipeline.encode_threads);
}

/* What may be lowered, as the settings and the machine have it, and what is the user's own choice. */
static void set_knobs(struct vrs_job *job, struct vrs_memory_work *work)
{
	const struct vrs_settings *s = &job->settings;
	int processes = vrs_thread_plan_processes(s, job->threads.cpus), cpus = max_int(job->threads.cpus / processes, 1);
	struct vrs_thread_plan threads = vrs_thread_plan_make(s, cpus, !vrs_sink_is_virtual(s->output.file));
	bool keep = !s->engine.adaptive_batch;
	work->net_threads = threads.threads;
	work->knob[VRS_KNOB_QUEUE] = max_int(s->pipeline.queue_size, s->pipeline.prefetch * threads.streams);
	if (s->pipeline.frames_in_flight && work->knob[VRS_KNOB_QUEUE] > s->pipeline.frames_in_flight)
		work->knob[VRS_KNOB_QUEUE] = s->pipeline.frames_in_flight;
	work->knob[VRS_KNOB_QUEUE] = vrs_memory_queue(work->frame_bytes, work->knob[VRS_KNOB_QUEUE]);
	work->knob[VRS_KNOB_DECODE] = threads.decode;
	work->knob[VRS_KNOB_PROCESSES] = processes;
	work->knob[VRS_KNOB_STREAMS] = threads.streams;
	work->knob[VRS_KNOB_BATCH] = s->engine.batch_size ? s->engine.batch_size : work->eyes;
	work->fixed[VRS_KNOB_QUEUE] = keep;
	work->fixed[VRS_KNOB_DECODE] = keep || s->pipeline.decode_threads;
	work->fixed[VRS_KNOB_PROCESSES] = keep || s->pipeline.process_count;
	work->fixed[VRS_KNOB_STREAMS] = keep || s->engine.streams;
	work->fixed[VRS_KNOB_BATCH] = keep || s->engine.batch_size;
}

/* The plan's choices become those of the job, and of the video's segments. */
static void take_knobs(struct vrs_job *job, const struct vrs_memory_work *before, const struct vrs_memory_work *work)
{
	struct vrs_settings *s = &job->settings;
	if (work->knob[VRS_KNOB_QUEUE] < before->knob[VRS_KNOB_QUEUE]) {
		s->pipeline.queue_size = work->knob[VRS_KNOB_QUEUE]; /* an upper bound, as prefetching is */
		s->pipeline.prefetch = 0;
	}
	if (work->knob[VRS_KNOB_DECODE] < before->knob[VRS_KNOB_DECODE])
		s->pipeline.decode_threads = work->knob[VRS_KNOB_DECODE];
	if (work->knob[VRS_KNOB_STREAMS] < before->knob[VRS_KNOB_STREAMS])
		s->engine.streams = work->knob[VRS_KNOB_STREAMS];
	if (work->knob[VRS_KNOB_BATCH] < before->knob[VRS_KNOB_BATCH])
		s->engine.batch_size = work->knob[VRS_KNOB_BATCH];
	if (work->knob[VRS_KNOB_PROCESSES] < before->knob[VRS_KNOB_PROCESSES]) {
		s->pipeline.process_count = work->knob[VRS_KNOB_PROCESSES];
		s->pipeline.processes = s->pipeline.process_count > 1;
	}
}

/* A region's states are there twice (roi/state_store.h); a crowd has all regions. */
static uint64_t states_bytes(const struct vrs_head *head, int regions)
{
	uint64_t floats = 0;
	for (int i = 0; i < vrs_head_state_count(head); i++)
		floats += vrs_head_state(head, i)->floats;
	return 2 * sizeof(float) * floats * (uint64_t)regions;
}

/*
 * Samples of a matte.  Where people are drawn into one, it has twice the width and height of what the network makes (roi/roi_plan.c); so it has, at
 * most, where edges are moved.
 */
static uint64_t matte_samples(const struct vrs_job *job, const struct vrs_head *head, const struct vrs_manifest *manifest)
{
	const struct vrs_settings *s = &job->settings;
	const struct vrs_network_shape *shape = vrs_head_shape(head);
	bool merges = vrs_network_regions(s, manifest) > 1 || s->matte.grow + s->matte.feather > 0;
	return (merges ? 4 : 1) * (uint64_t)shape->matte_width * (uint64_t)shape->matte_height;
}

static void take_session(const struct vrs_job *job, struct vrs_memory_work *work, const struct vrs_session *session, const struct vrs_head *head,
			 const struct vrs_manifest *manifest, int batch)
{
	struct vrs_session_info info = vrs_session_info(session);
	work->weight_bytes = 2 * info.weight_bytes; /* packed, and as the file has them */
	uint64_t samples = matte_samples(job, head, manifest);
	work->input_bytes = (info.arena_bytes + info.scratch_bytes) / (uint64_t)batch + MATTE_BYTES * samples;
	work->state_bytes = states_bytes(head, work->eyes * vrs_network_regions(&job->settings, manifest)) +
			    WORK_BYTES * samples * (uint64_t)work->eyes;
}

/* The network with an input of that size; where it takes more than what is in *work already. */
static void measure_size(const struct vrs_job *job, struct vrs_memory_work *work, const int size[2])
{
	struct vrs_network network = {0};
	struct vrs_session *session = NULL;
	struct vrs_head *head = NULL;
	struct vrs_settings settings = job->settings;
	struct vrs_memory_work other = *work;
	char reason[80];
	memcpy(settings.engine.input_size, size, sizeof settings.engine.input_size);
	enum vrs_status status = vrs_precision_settle(&settings, reason, sizeof reason, NULL);
	if (status == VRS_OK)
		status = vrs_network_load(&network, &settings, work->net_threads, 1, NULL);
	if (status == VRS_OK)
		status = vrs_session_create(&session, network.model, &network.options, NULL);
	if (status == VRS_OK)
		status = vrs_head_create(&head, &network.manifest, session, NULL);
	if (status == VRS_OK)
		take_session(job, &other, session, head, &network.manifest, 1);
	take_larger(work, &other);
	vrs_head_destroy(head);
	vrs_session_destroy(session);
	vrs_network_fini(&network);
}

/*
 * The network's own figures, where they can matter: of one input in a call, which no larger batch takes more of for each.  Which of its sizes the
 * layout asks for is not known before a picture is decoded: the one that takes more.  What is wrong with it is told when the job loads it.
 */
static void measure_network(const struct vrs_job *job, struct vrs_memory_work *work)
{
	const struct vrs_settings *s = &job->settings;
	struct vrs_manifest manifest;
	bool is_open = !s->engine.input_size[0] && !s->engine.input_size[1] && vrs_manifest_load(&manifest, s->engine.model, NULL) == VRS_OK;
	const int *vr = is_open ? manifest.vr_size[s->engine.auto_size] : s->engine.input_size;
	const int *flat = is_open ? manifest.flat_size[s->engine.auto_size] : vr;
	measure_size(job, work, vr);
	if (memcmp(vr, flat, sizeof s->engine.input_size) != 0)
		measure_size(job, work, flat);
}

static enum vrs_status fit(struct vrs_job *job, struct vrs_error *err)
{
	struct vrs_memory_work before = job->info.memory_work;
	struct vrs_memory_room *room = &job->info.memory_room;
	struct vrs_memory_plan plan = vrs_memory_plan_make(&before);
	char text[200];
	enum vrs_status status = vrs_memory_fit(&job->info.memory_work, room, text, sizeof text, err);
	if (status != VRS_OK)
		return status;
	take_knobs(job, &before, &job->info.memory_work);
	job->info.memory = vrs_memory_plan_make(&job->info.memory_work);
	bool address = !room->bytes || plan.bytes <= room->bytes;
	if (text[0])
		vrs_log(VRS_LOG_INFO, "memory: %s, since the job would need %llu MiB and may use %llu (%s)", text,
			(unsigned long long)((address ? plan.address_bytes : plan.bytes) >> 20),
			(unsigned long long)((address ? room->address_bytes : room->bytes) >> 20), address ? room->address_limit : room->reason);
	return VRS_OK;
}

enum vrs_status vrs_memory_setup_plan(struct vrs_job *job, const struct vrs_stream_shape *shape, struct vrs_error *err)
{
	struct vrs_memory_work *work = &job->info.memory_work;
	*work = (struct vrs_memory_work){.frame_bytes = shape->frame_bytes, .packet_bytes = shape->packet_bytes,
		.converted = shape->converted,
		.pictures = job->decode.loops == 1 && !job->settings.pipeline.live ? shape->pictures : 0, .live = job->settings.pipeline.live, .eyes = VRS_MAX_EYES,
		.extra_frames = extra_frames(&job->settings), .latency = vrs_matte_stage_latency(&job->settings) + composed_frames(job),
		.references = vrs_decoder_references(shape->codec, shape->width, shape->height, shape->level)};
	(void)vrs_strcpy(work->codec, sizeof work->codec, shape->codec);
	describe_files(&job->settings, work);
	describe_encoder(job, work);
	set_knobs(job, work);
	describe_composed(job, shape, work);
	struct vrs_memory_plan plan = vrs_memory_plan_make(work);
	const struct vrs_memory_room *room = &job->info.memory_room;
	if (job->is_segment)
		return VRS_OK;
	if (plan.bytes > room->bytes / 2 || (room->address_bytes && plan.address_bytes > room->address_bytes / 2))
		measure_network(job, work);
	return fit(job, err);
}

/* As the first picture has them; the decoder was opened for what the container says. */
static void take_pictures(const struct vrs_job *job, struct vrs_memory_work *work)
{
	const struct vrs_picture_format composed = vrs_compose_plan_output(&job->compose);
	uint64_t decoded = vrs_frame_bytes(&vrs_source_info(job->decode.source)->format);
	if (decoded > work->frame_bytes)
		work->frame_bytes = decoded;
	take_output(work, vrs_job_video(job), &composed);
}

enum vrs_status vrs_memory_setup_check(struct vrs_job *job, struct vrs_error *err)
{
	struct vrs_memory_work *work = &job->info.memory_work;
	take_pictures(job, work);
	work->eyes = job->roi.eyes;
	work->knob[VRS_KNOB_BATCH] = job->info.batch;
	work->knob[VRS_KNOB_STREAMS] = job->threads.streams;
	take_session(job, work, job->workers[0].roi.session, job->workers[0].roi.head, &job->roi.network.manifest, job->info.batch);
	for (int i = VRS_KNOB_DECODE; i < VRS_KNOBS; i++)
		work->fixed[i] = true;
	enum vrs_status status = job->is_segment ? VRS_OK : fit(job, err);
	vrs_source_spare(job->decode.source, vrs_memory_setup_spare(job));
	return status;
}

uint64_t vrs_memory_setup_spare(const struct vrs_job *job)
{
	struct vrs_memory_work work = job->info.memory_work;
	if (job->is_segment)
		work.knob[VRS_KNOB_PROCESSES] = 1; /* what the others have is not in its room */
	struct vrs_memory_plan plan = vrs_memory_plan_make(&work);
	uint64_t left = vrs_memory_left(&plan, &job->info.memory_room);
	return left == UINT64_MAX ? left : left / (uint64_t)work.knob[VRS_KNOB_PROCESSES];
}

enum vrs_status vrs_memory_setup_growth(const struct vrs_job *job, const struct vrs_stream_shape *shape, struct vrs_error *err)
{
	struct vrs_memory_work work = job->info.memory_work;
	struct vrs_error why = {0};
	char text[200];
	work.grown = (struct vrs_memory_file){.frame_bytes = shape->frame_bytes,
		.references = vrs_decoder_references(shape->codec, shape->width, shape->height, shape->level)};
	for (int i = 0; i < VRS_KNOBS; i++)
		work.fixed[i] = true;
	if (vrs_memory_fit(&work, &job->info.memory_room, text, sizeof text, &why) == VRS_OK)
		vrs_fail(&why, VRS_ELIMIT, "there is too little memory for them");
	if (!job->info.width)
		return vrs_fail(err, VRS_ELIMIT, "%s has pictures of %dx%d, which are larger than it says: %s", job->info.input, shape->width,
				shape->height, why.text);
	return vrs_fail(err, VRS_ELIMIT, "%s has pictures of %dx%d after those of %dx%d: %s", job->info.input, shape->width, shape->height,
			job->info.width, job->info.height, why.text);
}

void vrs_job_take_plan(const struct vrs_job *job, struct vrs_settings *settings)
{
	const struct vrs_settings *planned = &job->settings;
	settings->pipeline.queue_size = planned->pipeline.queue_size;
	settings->pipeline.prefetch = planned->pipeline.prefetch;
	settings->pipeline.decode_threads = planned->pipeline.decode_threads;
	settings->pipeline.encode_threads = planned->pipeline.encode_threads;
	settings->pipeline.processes = planned->pipeline.processes;
	settings->pipeline.process_count = planned->pipeline.process_count;
	settings->engine.streams = planned->engine.streams;
	settings->engine.batch_size = planned->engine.batch_size;
	settings->engine.precision = planned->engine.precision;
	memcpy(settings->engine.model, planned->engine.model, sizeof settings->engine.model);
	memcpy(settings->engine.input_size, planned->engine.input_size, sizeof settings->engine.input_size);
}
