/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_tune.h"

#include <string.h>

#include <vrseg/log.h>

#include "backend/plan_cache.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "opencl/ocl_conv.h"
#include "opencl/ocl_error.h"
#include "opencl/ocl_planner.h"
#include "opencl/ocl_queue.h"
#include "opencl/ocl_values.h"

#define REPEATS 4        /* the first one also pays for what a driver does at a first launch */
#define LEAST_GAIN 0.97  /* of the default's time: less is noise */

/* A convolution that differs from the others. */
struct subject {
	uint64_t key;
	int32_t node;              /* the first that is it */
	int tiles;                 /* candidates */
	struct vrs_ocl_tile tile[VRS_OCL_MAX_TILES];
	int best;
	bool known;                /* from the cache */
	int32_t first[VRS_OCL_MAX_TILES], count[VRS_OCL_MAX_TILES]; /* steps of each candidate in the plan of trials */
};

struct tuner {
	struct vrs_ocl_context *context;
	const struct vrs_graph *graph;
	const struct vrs_session_options *options;
	struct subject *subjects;
	size_t count, capacity;
	int32_t *subject_of;       /* [node]; -1: none */
	struct vrs_plan_cache cache;
};

/* The kernels are part of what was timed. */
static uint64_t environment_of(const struct vrs_ocl_caps *caps)
{
	uint64_t hash = vrs_hash_str(vrs_hash_str(vrs_hash_str(vrs_hash_str(VRS_HASH_INIT, caps->name), caps->driver), caps->version), caps->platform);

	for (const struct vrs_ocl_template *t = vrs_ocl_templates; t->name; t++)
		hash = vrs_hash_str(hash, t->text);
	return hash;
}

/* What the time of a convolution depends on. */
static uint64_t conv_key(const struct tuner *t, const struct vrs_node *node, const struct vrs_ocl_conv *conv)
{
	const struct vrs_window *w = &conv->window;
	const int64_t fields[] = {
		conv->batch, conv->height, conv->width, conv->channels, conv->out_height, conv->out_width, conv->outputs, w->kernel_h, w->kernel_w,
		w->stride_h, w->stride_w, w->dilation_h, w->dilation_w, w->pad_top, w->pad_left, w->groups, conv->depthwise, conv->scaled, conv->pointwise,
		conv->bias != NULL, node->act, node->residual >= 0, node->residual_before, t->options->precision, t->options->deterministic,
		(int64_t)t->options->device_tune, (int64_t)t->options->device_math,
	};

	return vrs_hash(VRS_HASH_INIT, fields, sizeof fields);
}

static uint64_t tile_hash(const struct vrs_ocl_tile *tile)
{
	const int32_t fields[] = {
		(int32_t)tile->algorithm, tile->local, tile->group_n, tile->group_m, tile->item_n, tile->item_m, tile->vector, tile->step_k,
	};

	return vrs_hash(VRS_HASH_INIT, fields, sizeof fields);
}

static int find_tile(const struct subject *subject, uint64_t hash)
{
	for (int i = 0; i < subject->tiles; i++)
		if (tile_hash(&subject->tile[i]) == hash)
			return i;
	return -1;
}

static void find_candidates(const struct tuner *t, const struct vrs_ocl_conv *conv, struct subject *subject)
{
	int max = t->options->device_tune == VRS_DEVICE_TUNE_FAST ? VRS_OCL_TUNE_FAST_TILES : VRS_OCL_MAX_TILES;
	uint64_t kept = 0;

	subject->tiles = vrs_ocl_tile_candidates(&t->context->caps, conv, subject->tile, max);
	if (vrs_plan_cache_find(&t->cache, subject->key, &kept) && find_tile(subject, kept) >= 0) {
		subject->best = find_tile(subject, kept);
		subject->known = true;
	}
}

static enum vrs_status add_node(struct tuner *t, int32_t node)
{
	struct vrs_ocl_conv conv;

	t->subject_of[node] = -1;
	if (t->graph->nodes[node].dead || t->graph->nodes[node].op != VRS_OP_CONV || vrs_ocl_conv_init(&conv, t->graph, &t->graph->nodes[node]) != VRS_OK)
		return VRS_OK;
	uint64_t key = conv_key(t, &t->graph->nodes[node], &conv);

	for (size_t i = 0; i < t->count; i++)
		if (t->subjects[i].key == key) {
			t->subject_of[node] = (int32_t)i;
			return VRS_OK;
		}
	VRS_TRY(vrs_array_grow(&t->subjects, &t->capacity, t->count + 1, sizeof *t->subjects, INT32_MAX));
	struct subject *added = &t->subjects[t->count];

	*added = (struct subject){.key = key, .node = node};
	find_candidates(t, &conv, added);
	t->subject_of[node] = (int32_t)t->count++;
	return VRS_OK;
}

/* May a candidate be chosen? */
static bool counts(const struct tuner *t, const struct subject *subject, int tile)
{
	return !t->options->deterministic || subject->tile[tile].algorithm == subject->tile[0].algorithm;
}

/* The steps of every candidate of every unknown convolution. */
static enum vrs_status plan_trials(struct tuner *t, struct vrs_ocl_plan *plan, struct vrs_error *err)
{
	for (size_t i = 0; i < t->count; i++) {
		struct subject *subject = &t->subjects[i];
		const struct vrs_node *node = &plan->graph.nodes[subject->node];
		struct vrs_ocl_conv conv;

		if (subject->known || vrs_ocl_conv_init(&conv, &plan->graph, node) != VRS_OK)
			continue;
		for (int k = 0; k < subject->tiles; k++) {
			subject->first[k] = plan->step_count;
			if (counts(t, subject, k))
				VRS_TRY(vrs_ocl_conv_steps(plan, node, &conv, &subject->tile[k], err));
			subject->count[k] = plan->step_count - subject->first[k];
		}
	}
	return vrs_ocl_values_place(plan, err);
}

/* Seconds of a candidate's kernels, the best of some repeats; 0: the device refuses it. */
static double time_candidate(struct vrs_ocl_stream *stream, int32_t first, int32_t count)
{
	double best = 0;

	for (int r = 0; r < REPEATS; r++) {
		double sum = 0;

		for (int32_t s = first; s < first + count; s++)
			if (vrs_ocl_queue_step(stream, s, false, NULL) != VRS_OK)
				return 0;
		if (clFinish(stream->network->context->compute) != CL_SUCCESS)
			return 0;
		for (int32_t s = first; s < first + count; s++)
			sum += vrs_ocl_event_seconds(stream->step_events[s]);
		best = best == 0 || sum < best ? sum : best;
	}
	return best;
}

static void judge(const struct tuner *t, struct vrs_ocl_stream *stream, struct subject *subject)
{
	double best = 0, time = 0;

	for (int k = 0; k < subject->tiles; k++) {
		time = subject->count[k] > 0 && counts(t, subject, k) ? time_candidate(stream, subject->first[k], subject->count[k]) : 0;
		if (k == 0)
			best = time * LEAST_GAIN;
		if (time > 0 && (best == 0 || time < best)) {
			best = time;
			subject->best = k;
		}
	}
}

static enum vrs_status run_trials(struct tuner *t, struct vrs_ocl_network *network, struct vrs_error *err)
{
	struct vrs_ocl_stream stream = {0};
	enum vrs_status status = vrs_ocl_stream_init(&stream, network, true, err);

	if (status == VRS_OK && stream.arena) {
		const cl_uint zero = 0; /* whatever lies there may be denormals, which are slow */
		int code = clEnqueueFillBuffer(network->context->compute, stream.arena, &zero, sizeof zero, 0, network->plan.arena_bytes, 0, NULL, NULL);

		status = vrs_ocl_check(err, code, "clear its memory");
	}
	for (size_t i = 0; i < t->count && status == VRS_OK; i++) {
		struct subject *subject = &t->subjects[i];

		if (subject->known)
			continue;
		judge(t, &stream, subject);
		if (vrs_plan_cache_put(&t->cache, subject->key, tile_hash(&subject->tile[subject->best])) == VRS_ENOMEM)
			status = vrs_fail_nomem(err);
	}
	(void)clFinish(network->context->compute);
	vrs_ocl_stream_fini(&stream);
	return status;
}

static enum vrs_status time_unknown(struct tuner *t, struct vrs_error *err)
{
	struct vrs_ocl_plan plan;
	struct vrs_ocl_network *network = NULL;
	enum vrs_status status = vrs_ocl_plan_begin(&plan, t->graph, &t->context->caps, t->options, err);

	if (status == VRS_OK)
		status = plan_trials(t, &plan, err);
	if (status == VRS_OK)
		status = vrs_ocl_network_create(&network, t->context, &plan, t->options, err);
	else
		vrs_ocl_plan_fini(&plan);
	if (status == VRS_OK)
		status = run_trials(t, network, err);
	vrs_ocl_network_unref(network);
	return status;
}

static enum vrs_status collect(struct tuner *t, uint8_t *tiles, struct vrs_ocl_tune_stats *stats, struct vrs_error *err)
{
	uint64_t begin = vrs_now_ns();
	enum vrs_status status = VRS_OK;

	for (int32_t i = 0; i < t->graph->node_count && status == VRS_OK; i++)
		status = add_node(t, i);
	if (status != VRS_OK)
		return vrs_fail_nomem(err);
	stats->convolutions = (int)t->count;
	for (size_t i = 0; i < t->count; i++)
		stats->timed += !t->subjects[i].known;
	if (stats->timed > 0)
		status = time_unknown(t, err);
	for (int32_t i = 0; i < t->graph->node_count && status == VRS_OK; i++)
		tiles[i] = t->subject_of[i] >= 0 ? (uint8_t)t->subjects[t->subject_of[i]].best : 0;
	for (size_t i = 0; i < t->count; i++)
		stats->changed += t->subjects[i].best != 0;
	if (status == VRS_OK && stats->timed > 0)
		vrs_log(VRS_LOG_INFO, "opencl: timed %d of %d convolutions on %s in %.1f s; %d are faster by another way", stats->timed, stats->convolutions,
			t->context->caps.name, (double)(vrs_now_ns() - begin) * 1e-9, stats->changed);
	return status;
}

enum vrs_status vrs_ocl_tune(uint8_t **ret_tiles, struct vrs_ocl_tune_stats *ret_stats, struct vrs_ocl_context *context,
			     const struct vrs_graph *graph, const struct vrs_session_options *options, struct vrs_error *err)
{
	struct tuner t = {.context = context, .graph = graph, .options = options};
	struct vrs_ocl_tune_stats stats = {0};
	size_t nodes = (size_t)graph->node_count + 1;

	if (!context->profiling)
		return vrs_fail(err, VRS_EINVAL, "convolutions are timed in a context with profiling only");
	uint8_t *tiles = vrs_calloc(nodes, sizeof *tiles);

	t.subject_of = vrs_calloc(nodes, sizeof *t.subject_of);
	enum vrs_status status = tiles && t.subject_of ? VRS_OK : vrs_fail_nomem(err);

	if (status == VRS_OK) {
		t.cache.environment = environment_of(&context->caps);
		if (options->program_cache)
			vrs_plan_cache_load(&t.cache, t.cache.environment);
		status = collect(&t, tiles, &stats, err);
		if (status == VRS_OK && options->program_cache)
			vrs_plan_cache_save(&t.cache);
		vrs_plan_cache_fini(&t.cache);
	}
	vrs_free(t.subjects);
	vrs_free(t.subject_of);
	if (status != VRS_OK) {
		vrs_free(tiles);
		return status;
	}
	*ret_tiles = tiles;
	*ret_stats = stats;
	return VRS_OK;
}
