/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "backend/cpu/exec/cpu_tune.h"

#include "backend/cpu/exec/cpu_routines.h"
#include "backend/cpu/plan/cpu_plan.h"
#include "backend/cpu/plan/cpu_plan_conv.h"
#include "backend/plan_cache.h"
#include "base/assert.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"

#define MAX_CANDIDATES 6
#define WARM_RUNS 3
#define TIMED_RUNS 5
#define LAYER_NS UINT64_C(2000000) /* of all candidates of a layer; large layers still run once warm and once timed */
#define WORTH 0.97                 /* below this share of the model's choice another one is taken: less is noise */

/* What can compute a node, the model's choice first; 1 when there is nothing to choose. */
static int tune_candidates(const struct vrs_cpu_plan *plan, const struct vrs_node *node, bool deterministic,
			    struct vrs_cpu_tuned candidates[MAX_CANDIDATES])
{
	struct vrs_cpu_conv_candidate known[VRS_CPU_CONV_CANDIDATES];
	int m = vrs_cpu_conv_choose(plan, node), all = vrs_cpu_conv_candidates(plan, node, known), count = 0;
	candidates[count++] = (struct vrs_cpu_tuned){m, 0};
	for (int i = 0; i < all && !deterministic; i++)
		if (known[i].m != m)
			candidates[count++] = (struct vrs_cpu_tuned){known[i].m, 0};
	if (m > 0 && m != VRS_CPU_STRIPS) {
		int tiles = vrs_cpu_wino_tiles(plan, m, node->u.window.kernel_h, (int)plan->graph.tensors[node->in[0]].dims[3]);
		if (tiles >= 24)
			candidates[count++] = (struct vrs_cpu_tuned){m, tiles / 2};
		if (2 * tiles <= VRS_CPU_WINO_MAX_TILES)
			candidates[count++] = (struct vrs_cpu_tuned){m, 2 * tiles};
	}
	VRS_ASSERT(count <= MAX_CANDIDATES);
	return count;
}

static uint64_t hash_number(uint64_t hash, int64_t number)
{
	return vrs_hash(hash, &number, sizeof number);
}

/* Everything that decides the time of a layer, and which candidates it has. */
static uint64_t layer_key(const struct vrs_graph *graph, const struct vrs_node *node, const struct vrs_session_options *options)
{
	const struct vrs_graph_tensor *ends[2] = {&graph->tensors[node->in[0]], &graph->tensors[node->out]};
	const struct vrs_window *w = &node->u.window;
	const int numbers[] = {node->op, node->act, node->residual >= 0, node->residual_before, w->kernel_h, w->kernel_w, w->stride_h, w->stride_w,
				w->dilation_h, w->dilation_w, w->pad_top, w->pad_left, w->pad_bottom, w->pad_right, w->groups, (int)options->precision,
				options->deterministic};
	uint64_t hash = VRS_HASH_INIT;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		hash = hash_number(hash, numbers[i]);
	for (int e = 0; e < 2; e++)
		for (int i = 0; i < ends[e]->rank; i++)
			hash = hash_number(hash, ends[e]->dims[i]);
	return hash_number(hash, options->half_min_bytes);
}

/* Build, CPU, instruction set of the session: what a choice holds for. */
static uint64_t environment_key(unsigned features, int threads)
{
	return hash_number(hash_number(vrs_plan_cache_host(), features), threads);
}

/* Copy tensor id of `from` into the graph of one layer: inputs become graph inputs, constants stay where they are. */
static int32_t take_tensor(struct vrs_graph *graph, const struct vrs_graph *from, int32_t id)
{
	struct vrs_graph_tensor tensor = from->tensors[id];
	tensor.producer = -1;
	int32_t taken = vrs_graph_add_tensor(graph, &tensor);
	if (taken >= 0 && !tensor.data)
		graph->inputs[graph->input_count++] = taken;
	return taken;
}

/* A graph of one node, whose inputs are the graph's. VRS_ENOMEM. */
static enum vrs_status layer_graph(struct vrs_graph *ret_graph, const struct vrs_graph *from, const struct vrs_node *node)
{
	struct vrs_node one = *node;
	struct vrs_graph_tensor out = from->tensors[node->out];
	vrs_graph_init(ret_graph);
	for (int i = 0; i < node->inputs; i++)
		if (node->in[i] >= 0 && (one.in[i] = take_tensor(ret_graph, from, node->in[i])) < 0)
			return VRS_ENOMEM;
	if (node->residual >= 0 && (one.residual = take_tensor(ret_graph, from, node->residual)) < 0)
		return VRS_ENOMEM;
	one.out = vrs_graph_add_tensor(ret_graph, &out);
	int32_t id = one.out < 0 ? -1 : vrs_graph_add_node(ret_graph, &one);
	if (id < 0)
		return VRS_ENOMEM;
	ret_graph->tensors[one.out].producer = id;
	ret_graph->outputs[ret_graph->output_count++] = one.out;
	return VRS_OK;
}

static uint64_t run_units(struct vrs_cpu_thread *thread)
{
	uint64_t start = vrs_now_ns();
	for (size_t u = 0; u < thread->plan->unit_count; u++)
		vrs_cpu_run_unit(thread, &thread->plan->units[u]);
	return vrs_now_ns() - start;
}

/* The plan of a layer, one choice for all its nodes. VRS_ENOMEM, and what planning returns. */
static enum vrs_status plan_candidate(struct vrs_cpu_plan *plan, const struct vrs_graph *layer, unsigned features,
				      const struct vrs_session_options *options, const struct vrs_cpu_tuned *choice)
{
	enum vrs_status status = vrs_cpu_plan_begin(plan, layer, features, 1, options, NULL);
	if (status != VRS_OK)
		return status;
	plan->tuned = vrs_calloc((size_t)plan->graph.node_count + 1, sizeof *plan->tuned);
	if (!plan->tuned)
		return VRS_ENOMEM;
	for (int32_t i = 0; i < plan->graph.node_count; i++)
		plan->tuned[i] = *choice;
	return vrs_cpu_plan_complete(plan, options, NULL);
}

/* The fastest run of a candidate in ns; UINT64_MAX: it could not be made. */
static uint64_t time_candidate(const struct vrs_graph *layer, unsigned features, const struct vrs_session_options *options,
			       const struct vrs_cpu_tuned *tuned, uint64_t budget_ns)
{
	struct vrs_cpu_plan plan;
	struct vrs_cpu_thread thread = {.plan = &plan};
	char *arena = NULL;
	uint64_t best = UINT64_MAX, start = vrs_now_ns();
	enum vrs_status status = plan_candidate(&plan, layer, features, options, tuned);
	if (status == VRS_OK)
		arena = vrs_cpu_arena_create(&plan, false);
	if (status == VRS_OK)
		status = arena ? vrs_cpu_thread_init(&thread, &plan, arena, false) : VRS_ENOMEM;
	for (int i = 0; status == VRS_OK && i < WARM_RUNS + TIMED_RUNS; i++) {
		bool warm = i < WARM_RUNS && (i == 0 || vrs_now_ns() - start < budget_ns / 2);
		uint64_t span = run_units(&thread);
		best = !warm && span < best ? span : best;
		if (best != UINT64_MAX && vrs_now_ns() - start > budget_ns)
			break;
	}
	vrs_cpu_thread_fini(&thread);
	vrs_cpu_arena_destroy(&plan, arena);
	vrs_cpu_plan_fini(&plan);
	return best;
}

/* Number of the fastest candidate; 0 when that is not clear. */
static int time_layer(const struct vrs_cpu_plan *plan, const struct vrs_node *node, unsigned features, const struct vrs_session_options *options,
		      const struct vrs_cpu_tuned *candidates, int count)
{
	uint64_t ns[MAX_CANDIDATES];
	struct vrs_graph layer;
	int best = 0;
	if (layer_graph(&layer, &plan->graph, node) == VRS_OK) {
		for (int i = 0; i < count; i++)
			ns[i] = time_candidate(&layer, features, options, &candidates[i], LAYER_NS / (uint64_t)count);
		for (int i = 1; i < count; i++)
			if (ns[i] < ns[best])
				best = i;
		if (ns[best] == UINT64_MAX || (double)ns[best] > WORTH * (double)ns[0])
			best = 0;
	}
	vrs_graph_fini(&layer);
	return best;
}

/* Fill plan->tuned for the graph of the plan (rewritten, shapes known). VRS_ENOMEM. */
static enum vrs_status tune(struct vrs_cpu_plan *plan, unsigned features, const struct vrs_session_options *options, struct vrs_error *err)
{
	struct vrs_session_options single = *options;
	struct vrs_plan_cache cache;
	uint64_t environment = environment_key(features, plan->threads);
	single.autotune = single.profile = false;
	struct vrs_cpu_tuned *tuned = vrs_calloc((size_t)plan->graph.node_count + 1, sizeof *tuned);
	if (!tuned)
		return vrs_cpu_plan_no_memory(err);
	vrs_plan_cache_load(&cache, environment);
	for (int32_t i = 0; i < plan->graph.node_count; i++) {
		const struct vrs_node *node = &plan->graph.nodes[i];
		struct vrs_cpu_tuned candidates[MAX_CANDIDATES];
		int count = node->dead ? 0 : tune_candidates(plan, node, options->deterministic, candidates);
		uint64_t choice = 0, key;
		if (count == 0)
			continue;
		key = count > 1 ? layer_key(&plan->graph, node, options) : 0;
		if (count > 1 && (!vrs_plan_cache_find(&cache, key, &choice) || choice >= (uint64_t)count)) {
			choice = (uint64_t)time_layer(plan, node, features, &single, candidates, count);
			(void)vrs_plan_cache_put(&cache, key, choice); /* without a place it is timed again next time */
		}
		tuned[i] = candidates[choice];
	}
	vrs_plan_cache_save(&cache);
	vrs_plan_cache_fini(&cache);
	plan->tuned = tuned; /* only now: until here the model was asked */
	return VRS_OK;
}

enum vrs_status vrs_cpu_tune_plan(struct vrs_cpu_plan *plan, const struct vrs_graph *graph, unsigned features, int threads,
				  const struct vrs_session_options *options, struct vrs_error *err)
{
	enum vrs_status status = vrs_cpu_plan_begin(plan, graph, features, threads, options, err);
	if (status == VRS_OK && options->autotune)
		status = tune(plan, features, options, err);
	return status == VRS_OK ? vrs_cpu_plan_complete(plan, options, err) : status;
}
