/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_tune.h"

#include <string.h>

#include <vrseg/log.h>

#include "backend/plan_cache.h"
#include "backend/step_name.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"

#define LEAST_GAIN 0.97  /* of the default's time: less is noise */
#define MOST_FAILED 2    /* groups in a row; a driver that hangs costs the time limit of so many */
#define WAY_SECONDS 0.5  /* to build and run a way; a guess, only for what is said before */
#define LINE_SECONDS 30  /* between lines about the rest */

/* A convolution that differs from the others. */
struct subject {
	uint64_t key;
	struct vrs_ocl_trial trial; /* of the first node that is it */
	int best;
	bool known;                /* from the cache, or timed */
};

struct tuner {
	struct vrs_ocl_context *context;
	const struct vrs_graph *graph;
	const struct vrs_session_options *options;
	struct vrs_ocl_trial_limits limits;
	struct vrs_ocl_caps caps;
	struct subject *subjects;
	size_t count, capacity;
	struct vrs_ocl_trial **unknown; /* [<= count] trials of the subjects that are not known */
	size_t unknown_count;
	int32_t *subject_of;       /* [node]; -1: none */
	struct vrs_plan_cache cache;
};

/* What was timed depends on the device and on the kernels, which are those of the build, and the candidates on what the device can do. */
static uint64_t environment_of(const struct vrs_ocl_caps *caps)
{
	const uint64_t order = vrs_ocl_caps_order(caps);
	uint64_t hash = vrs_hash_str(vrs_hash_str(vrs_plan_cache_host(), caps->name), caps->driver);

	hash = vrs_hash_str(vrs_hash_str(hash, caps->version), caps->platform);
	for (const struct vrs_ocl_template *t = vrs_ocl_templates; t->name; t++)
		hash = vrs_hash_str(hash, t->text); /* two builds of one commit may differ */
	return vrs_hash(hash, &order, sizeof order);
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
		tile->split,
	};

	return vrs_hash(VRS_HASH_INIT, fields, sizeof fields);
}

static int find_tile(const struct vrs_ocl_trial *trial, uint64_t hash)
{
	for (int i = 0; i < trial->tiles; i++)
		if (tile_hash(&trial->tile[i]) == hash)
			return i;
	return -1;
}

static void find_candidates(const struct tuner *t, const struct vrs_ocl_conv *conv, struct subject *subject)
{
	int left = t->options->device_tune == VRS_DEVICE_TUNE_FAST ? VRS_OCL_TUNE_FAST_TILES : VRS_OCL_MAX_TILES;
	struct vrs_ocl_trial *trial = &subject->trial;
	uint64_t kept = 0;
	int place = -1;

	trial->tiles = vrs_ocl_tile_candidates(&t->caps, conv, trial->tile, VRS_OCL_MAX_TILES);
	for (int k = 0; k < trial->tiles; k++) {
		trial->counts[k] = left > 0 && (!t->options->deterministic || vrs_ocl_same_order(&trial->tile[k], &trial->tile[0]));
		left -= trial->counts[k];
	}
	if (vrs_plan_cache_find(&t->cache, subject->key, &kept))
		place = find_tile(trial, kept);
	if (place >= 0 && trial->counts[place]) { /* a file is only an advice: what it says may not change bits */
		subject->best = place;
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

	*added = (struct subject){.key = key, .trial.node = node};
	find_candidates(t, &conv, added);
	t->subject_of[node] = (int32_t)t->count++;
	return VRS_OK;
}

/* The place of the fastest way; -1: the device has told no time. */
static int fastest(const struct vrs_ocl_trial *trial)
{
	int best = trial->seconds[0] > 0 ? 0 : -1;
	double least = trial->seconds[0] * LEAST_GAIN;

	for (int k = 1; k < trial->tiles; k++)
		if (trial->seconds[k] > 0 && (best < 0 || trial->seconds[k] < least)) {
			least = trial->seconds[k];
			best = k;
		}
	return best;
}

/* What each way took, for whoever asks why one was chosen. */
static void tell_ways(const struct tuner *t, const struct vrs_ocl_trial *trial)
{
	static const char *const names[] = {[VRS_OCL_GEMM] = "product", [VRS_OCL_WINOGRAD] = "winograd", [VRS_OCL_DEPTHWISE] = "depthwise"};
	char name[96];

	vrs_step_name(t->graph, &t->graph->nodes[trial->node], name, sizeof name);
	for (int k = 0; k < trial->tiles && vrs_log_get_level() >= VRS_LOG_DEBUG; k++) {
		const struct vrs_ocl_tile *tile = &trial->tile[k];

		if (trial->seconds[k] > 0)
			vrs_log(VRS_LOG_DEBUG, "opencl: %s: %.1f us by %s, groups of %dx%dx%d, items of %dx%d, %s memory, %d products a step",
				name, trial->seconds[k] * 1e6, names[tile->algorithm], tile->group_n, tile->group_m, tile->split,
				tile->item_n, tile->item_m, tile->local ? "local" : "global", tile->step_k);
	}
}

/* What a group has found, also one that failed or was stopped. */
static void take_results(struct tuner *t)
{
	for (size_t i = 0; i < t->count; i++) {
		struct subject *subject = &t->subjects[i];
		int best = subject->known || !subject->trial.done ? -1 : fastest(&subject->trial);

		if (best < 0)
			continue;
		tell_ways(t, &subject->trial);
		subject->best = best;
		subject->known = true;
		(void)vrs_plan_cache_put(&t->cache, subject->key, tile_hash(&subject->trial.tile[best])); /* a cache that is full keeps what it has */
	}
	if (t->options->program_cache)
		vrs_plan_cache_save(&t->cache);
}

static enum vrs_status find_unknown(struct tuner *t)
{
	t->unknown = vrs_calloc(t->count + 1, sizeof(struct vrs_ocl_trial *));
	if (!t->unknown)
		return VRS_ENOMEM;
	for (size_t i = 0; i < t->count; i++)
		if (!t->subjects[i].known)
			t->unknown[t->unknown_count++] = &t->subjects[i].trial;
	return VRS_OK;
}

static void tell_start(const struct tuner *t)
{
	int ways = 0;

	for (size_t i = 0; i < t->unknown_count; i++)
		for (int k = 0; k < t->unknown[i]->tiles; k++)
			ways += t->unknown[i]->counts[k];
	vrs_log(VRS_LOG_INFO, "opencl: timing %d ways to compute %zu convolutions on %s; this takes about %.0f s", ways, t->unknown_count,
		t->context->caps.name, 0.5 + WAY_SECONDS * ways);
}

/* By the time of those that are through. */
static void tell_rest(const struct tuner *t, size_t through, uint64_t begin_ns, uint64_t *told_ns)
{
	uint64_t now = vrs_now_ns();
	double seconds = (double)(now - begin_ns) * 1e-9;

	if (through >= t->unknown_count || now - *told_ns < LINE_SECONDS * UINT64_C(1000000000))
		return;
	*told_ns = now;
	vrs_log(VRS_LOG_INFO, "opencl: timed %zu of %zu convolutions in %.0f s; about %.0f s are left", through, t->unknown_count, seconds,
		seconds / (double)through * (double)(t->unknown_count - through));
}

/* Group by group.  *ret_why: why the first that failed did. */
static enum vrs_status time_unknown(struct tuner *t, uint64_t begin_ns, struct vrs_error *ret_why, struct vrs_error *err)
{
	uint64_t told_ns = begin_ns;
	int failed = 0;

	tell_start(t);
	for (size_t at = 0, taken = 0; at < t->unknown_count && failed < MOST_FAILED; at += taken) {
		struct vrs_error why = {0};
		enum vrs_status status = vrs_ocl_trials_run(t->unknown + at, t->unknown_count - at, &taken, t->context, t->graph, t->options, &t->limits,
							    &why);

		take_results(t);
		if (status == VRS_ESTOPPED)
			return vrs_fail(err, status, "%s", why.text);
		failed = status == VRS_OK ? 0 : failed + 1;
		if (status != VRS_OK && ret_why->status == VRS_OK)
			*ret_why = why;
		tell_rest(t, at + taken, begin_ns, &told_ns);
	}
	return VRS_OK;
}

static void tell_end(const struct tuner *t, const struct vrs_ocl_tune_stats *stats, uint64_t begin_ns, const struct vrs_error *why)
{
	if (stats->failed > 0)
		vrs_log(VRS_LOG_WARNING, "opencl: %d of %d convolutions could not be timed, and stay as the rules choose: %s", stats->failed,
			stats->convolutions, why->text[0] ? why->text : "the device tells no times");
	if (stats->timed > 0)
		vrs_log(VRS_LOG_INFO, "opencl: timed %d of %d convolutions on %s in %.1f s; %d are faster by another way", stats->timed, stats->convolutions,
			t->context->caps.name, (double)(vrs_now_ns() - begin_ns) * 1e-9, stats->changed);
}

static enum vrs_status collect(struct tuner *t, uint8_t *tiles, struct vrs_ocl_tune_stats *stats, struct vrs_error *err)
{
	uint64_t begin_ns = vrs_now_ns();
	struct vrs_error why = {0};
	enum vrs_status status = VRS_OK;

	for (int32_t i = 0; i < t->graph->node_count && status == VRS_OK; i++)
		status = add_node(t, i);
	if (status == VRS_OK)
		status = find_unknown(t);
	if (status != VRS_OK)
		return vrs_fail_nomem(err);
	if (t->unknown_count > 0)
		VRS_TRY(time_unknown(t, begin_ns, &why, err));
	for (int32_t i = 0; i < t->graph->node_count; i++)
		tiles[i] = t->subject_of[i] >= 0 ? (uint8_t)t->subjects[t->subject_of[i]].best : 0;
	stats->convolutions = (int)t->count;
	for (size_t i = 0; i < t->count; i++) {
		stats->failed += !t->subjects[i].known;
		stats->changed += t->subjects[i].best != 0;
	}
	stats->timed = (int)t->unknown_count - stats->failed;
	tell_end(t, stats, begin_ns, &why);
	return VRS_OK;
}

enum vrs_status vrs_ocl_tune(uint8_t **ret_tiles, struct vrs_ocl_tune_stats *ret_stats, struct vrs_ocl_context *context,
			     const struct vrs_graph *graph, const struct vrs_session_options *options, const struct vrs_ocl_trial_limits *limits,
			     struct vrs_error *err)
{
	struct tuner t = {.context = context, .graph = graph, .options = options,
			  .limits = limits ? *limits : VRS_OCL_TRIAL_LIMITS};
	struct vrs_ocl_tune_stats stats = {0};
	size_t nodes = (size_t)graph->node_count + 1;

	if (!context->profiling)
		return vrs_fail(err, VRS_EINVAL, "convolutions are timed in a context with profiling only");
	uint8_t *tiles = vrs_calloc(nodes, sizeof *tiles);

	t.caps = vrs_ocl_trial_caps(context, &t.limits);
	t.subject_of = vrs_calloc(nodes, sizeof *t.subject_of);
	enum vrs_status status = tiles && t.subject_of ? VRS_OK : vrs_fail_nomem(err);

	if (status == VRS_OK) {
		t.cache.environment = environment_of(&t.caps);
		if (options->program_cache)
			vrs_plan_cache_load(&t.cache, t.cache.environment);
		status = collect(&t, tiles, &stats, err);
		vrs_plan_cache_fini(&t.cache);
	}
	vrs_free(t.unknown);
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
