/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPU executor: one plan, one pool; a run is every thread walking through the regions and taking units of work. */
#include "backend/cpu/exec/backend_cpu.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <vrseg/machine.h>

#include "backend/backend.h"
#include "backend/cpu/exec/cpu_shared.h"
#include "backend/cpu/exec/cpu_routines.h"
#include "backend/step_name.h"
#include "backend/thread_pool.h"
#include "base/assert.h"
#include "base/mem.h"

#ifdef __x86_64__
#include <xmmintrin.h>
#define FLUSH_DENORMALS 0x8040u /* FTZ and DAZ of MXCSR */
#endif

#define ALIGNMENT 64

/* Progress of one region in the current run. */
struct region_state {
	struct vrs_gate complete;
	atomic_int left; /* units not yet finished */
};

/* Of an operation, for profiles. */
struct op_text {
	char name[96], kernel[32];
};

struct vrs_backend_run {
	struct vrs_cpu_shared *shared;
	const struct vrs_cpu_plan *plan; /* of shared */
	struct region_state *states;
	atomic_int *claims; /* [region][thread] units handed out */
	struct vrs_thread_pool *pool;
	struct vrs_cpu_memory memory;
	const atomic_bool *stop;    /* NULL: none */
	atomic_bool is_cut;         /* this run: something was left undone for *stop, whatever it says since */
	int bound;                  /* threads */
	uint64_t macs;
	/* Profile: one row an operation. */
	struct vrs_op_profile *rows;
	struct op_text *texts;
	uint64_t runs;
};

static enum vrs_status out_of_memory(struct vrs_error *err)
{
	return vrs_fail(err, VRS_ENOMEM, "out of memory for the threads of a session; use fewer threads or a smaller input");
}

static enum vrs_status create_progress(struct vrs_backend_run *run, struct vrs_error *err)
{
	size_t regions = (size_t)run->plan->region_count + 1, bytes = regions * sizeof *run->states;
	run->states = vrs_alloc_aligned(ALIGNMENT, bytes);
	run->claims = vrs_calloc(regions * (size_t)run->plan->threads, sizeof *run->claims);
	if (!run->states || !run->claims)
		return out_of_memory(err);
	memset(run->states, 0, bytes);
	return VRS_OK;
}

/* What an operation moves; of a global average that adds up sums of rows, which their maker has left, these in place of the rows. */
static uint64_t op_bytes(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op, const struct vrs_node *node)
{
	const struct vrs_cpu_value *in = op->in[0] >= 0 ? &plan->values[op->in[0]] : NULL;
	uint64_t bytes = vrs_step_bytes(&plan->graph, node);
	if (op->kind != VRS_CPU_GLOBAL_AVG || !in || in->sum_mem_item < 0)
		return bytes;
	uint64_t row_sums = (uint64_t)in->images * (uint64_t)in->height * (uint64_t)in->channels;
	return bytes - row_sums * (uint64_t)in->width * sizeof(float) + row_sums * sizeof(float);
}

static enum vrs_status create_profile(struct vrs_backend_run *run, struct vrs_error *err)
{
	const struct vrs_cpu_plan *plan = run->plan;
	run->rows = vrs_calloc((size_t)plan->op_count + 1, sizeof *run->rows);
	run->texts = vrs_calloc((size_t)plan->op_count + 1, sizeof *run->texts);
	if (!run->rows || !run->texts)
		return out_of_memory(err);
	for (int i = 0; i < plan->op_count; i++) {
		const struct vrs_cpu_op *op = &plan->ops[i];
		const struct vrs_node *node = op->node >= 0 ? &plan->graph.nodes[op->node] : NULL;
		struct op_text *text = &run->texts[i];
		if (node)
			vrs_step_name(&plan->graph, node, text->name, sizeof text->name);
		else
			snprintf(text->name, sizeof text->name, "load %d @%dx%d", plan->values[op->out].channels, plan->values[op->out].width,
				 plan->values[op->out].height);
		vrs_cpu_kernel_name(plan, op, text->kernel, sizeof text->kernel);
		run->rows[i] = (struct vrs_op_profile){.name = text->name, .kernel = text->kernel};
		if (node) {
			run->rows[i].macs = vrs_node_macs(&plan->graph, node);
			run->rows[i].bytes = op_bytes(plan, op, node);
			run->rows[i].weight_bytes = vrs_step_weight_bytes(&plan->graph, node);
		}
	}
	return VRS_OK;
}

static void cpu_destroy(struct vrs_backend_run *run)
{
	if (!run)
		return;
	vrs_thread_pool_destroy(run->pool);
	if (run->plan)
		vrs_cpu_memory_fini(&run->memory, run->plan);
	vrs_free_aligned(run->states);
	vrs_free(run->claims);
	vrs_free(run->rows);
	vrs_free(run->texts);
	vrs_cpu_shared_unref(run->shared);
	vrs_free(run);
}

/* 0 asks for every CPU that this process may use, the quota of its control group included. */
static enum vrs_status thread_count(int wanted, int *ret_threads, struct vrs_error *err)
{
	int threads = wanted > 0 ? wanted : vrs_machine_allowed_threads();
	if (threads <= 0) { /* not known without a look at the whole machine */
		struct vrs_machine *machine = vrs_calloc(1, sizeof *machine);
		enum vrs_status status = machine ? vrs_machine_detect(machine, false) : VRS_ENOMEM;
		threads = status == VRS_OK && machine->allowed_threads > 1 ? machine->allowed_threads : 1;
		vrs_free(machine);
		if (status != VRS_OK)
			return vrs_fail(err, status, "cannot find out how many CPUs there are; name a number of threads");
	}
	*ret_threads = threads > 1024 ? 1024 : threads;
	return VRS_OK;
}

/* Threads and memory for run->shared. */
static enum vrs_status create_team(struct vrs_backend_run *run, bool profile, struct vrs_error *err)
{
	struct vrs_cpu_shared *shared = run->shared;
	run->plan = &shared->plan;
	int stream = atomic_fetch_add(&shared->streams, 1), threads = run->plan->threads;
	int first = shared->places ? vrs_places_first(shared->places, stream, threads) : 0;
	enum vrs_status status = vrs_thread_pool_create(&run->pool, threads, err);
	if (status == VRS_OK && shared->places)
		run->bound = vrs_thread_pool_bind(run->pool, shared->places, first);
	if (status == VRS_OK)
		status = create_progress(run, err);
	if (status == VRS_OK && vrs_cpu_memory_init(&run->memory, shared, first, profile) != VRS_OK)
		status = vrs_fail(err, VRS_ENOMEM, "out of memory: the network needs %zu MiB for its tensors at this size; use a smaller input or batch, or "
				  "fewer threads", run->plan->arena_bytes >> 20);
	return status == VRS_OK && profile ? create_profile(run, err) : status;
}

static enum vrs_status cpu_create(struct vrs_backend_run **ret_run, const struct vrs_graph *graph, const struct vrs_session_options *options,
				  struct vrs_error *err)
{
	struct vrs_backend_run *run = vrs_calloc(1, sizeof *run);
	if (!run)
		return out_of_memory(err);
	int threads = 1;
	enum vrs_status status = thread_count(options->threads, &threads, err);
	if (status == VRS_OK)
		status = vrs_cpu_shared_create(&run->shared, graph, threads, options, err);
	if (status == VRS_OK)
		status = create_team(run, options->profile, err);
	if (status != VRS_OK) {
		cpu_destroy(run);
		return status;
	}
	run->macs = vrs_graph_macs(&run->plan->graph); /* as it runs: operators may have become one, with fewer multiply-adds */
	*ret_run = run;
	return VRS_OK;
}

static enum vrs_status cpu_clone(struct vrs_backend_run **ret_run, const struct vrs_backend_run *of, struct vrs_error *err)
{
	struct vrs_backend_run *run = vrs_calloc(1, sizeof *run);
	if (!run)
		return out_of_memory(err);
	run->shared = vrs_cpu_shared_ref(of->shared);
	run->macs = of->macs;
	enum vrs_status status = create_team(run, of->rows != NULL, err);
	if (status != VRS_OK) {
		cpu_destroy(run);
		return status;
	}
	*ret_run = run;
	return VRS_OK;
}

static void *buffer_of(struct vrs_backend_run *run, int32_t tensor)
{
	for (int i = 0; i < run->plan->value_count; i++)
		if (run->plan->values[i].tensor == tensor)
			return run->memory.arena + run->plan->values[i].arena_offset;
	return NULL;
}

static void *cpu_input(struct vrs_backend_run *run, int index)
{
	return buffer_of(run, run->plan->graph.inputs[index]);
}

static void *cpu_output(struct vrs_backend_run *run, int index)
{
	return buffer_of(run, run->plan->graph.outputs[index]);
}

static void cut(struct vrs_backend_run *run)
{
	atomic_store_explicit(&run->is_cut, true, memory_order_relaxed); /* the end of a run orders it */
}

/* Units that nobody has begun are not worked on any more, but counted, so that gates open. */
static bool is_stopped(struct vrs_backend_run *run)
{
	if (!run->stop || !atomic_load_explicit(run->stop, memory_order_relaxed))
		return atomic_load_explicit(&run->is_cut, memory_order_relaxed);
	cut(run);
	return true;
}

/* Take units of a region: the thread's own first, then those that nobody has begun. Returns how many. */
static int take_units(struct vrs_backend_run *run, int t, int region)
{
	int threads = run->plan->threads, done = 0;
	const size_t *starts = run->plan->unit_start + (size_t)region * (size_t)threads;
	atomic_int *claims = run->claims + (size_t)region * (size_t)threads;
	for (int k = 0; k < threads; k++) {
		int owner = t + k < threads ? t + k : t + k - threads, count = (int)(starts[owner + 1] - starts[owner]);
		while (atomic_load_explicit(&claims[owner], memory_order_relaxed) < count) {
			int unit = atomic_fetch_add_explicit(&claims[owner], 1, memory_order_relaxed);
			if (unit >= count)
				break;
			VRS_ASSERT(starts[owner] + (size_t)unit < run->plan->unit_count);
			if (!is_stopped(run))
				vrs_cpu_run_unit(&run->memory.threads[t], &run->plan->units[starts[owner] + (size_t)unit]);
			done++;
		}
	}
	return done;
}

/* Every thread goes through the regions and takes units of each. */
static void run_regions(struct vrs_backend_run *run, int t)
{
	for (int r = 0; r < run->plan->region_count; r++) {
		struct region_state *state = &run->states[r];
		int done = take_units(run, t, r);
		VRS_ASSERT(done <= atomic_load(&state->left));
		if (done && atomic_fetch_sub(&state->left, done) == done)
			vrs_gate_open(&state->complete);
		else if (!vrs_gate_wait(&state->complete, run->stop))
			cut(run);
	}
}

static void run_thread(void *cookie, int t)
{
	struct vrs_backend_run *run = cookie;
#ifdef __x86_64__
	unsigned mode = _mm_getcsr();
	_mm_setcsr(mode | FLUSH_DENORMALS);
#endif
	for (size_t i = 0; i < run->plan->image_unit_count && !is_stopped(run); i++)
		vrs_cpu_run_unit(&run->memory.threads[t], &run->plan->image_units[i]);
	if (run->plan->image_unit_count == 0)
		run_regions(run, t);
#ifdef __x86_64__
	_mm_setcsr(mode);
#endif
}

static enum vrs_status cpu_start(struct vrs_backend_run *run, struct vrs_error *err)
{
	size_t claims = (size_t)run->plan->region_count * (size_t)run->plan->threads;
	for (size_t i = 0; i < claims; i++)
		atomic_store_explicit(&run->claims[i], 0, memory_order_relaxed);
	for (int r = 0; r < run->plan->region_count; r++) {
		vrs_gate_shut(&run->states[r].complete);
		atomic_store_explicit(&run->states[r].left, run->plan->regions[r].units, memory_order_relaxed);
	}
	atomic_store_explicit(&run->is_cut, false, memory_order_relaxed);
	vrs_thread_pool_run(run->pool, run_thread, run);
	run->runs++;
	return is_stopped(run) ? vrs_fail(err, VRS_ESTOPPED, "stopped on request") : VRS_OK;
}

static void cpu_stop_by(struct vrs_backend_run *run, const atomic_bool *stop)
{
	run->stop = stop;
}

static void cpu_info(const struct vrs_backend_run *run, struct vrs_session_info *info)
{
	const struct vrs_cpu_plan *plan = run->plan;
	info->backend = vrs_backend_cpu.name;
	info->isa = plan->kernels.isa;
	info->kernels = plan->dot ? "avx512bf16" : plan->kernels.isa;
	info->threads = plan->threads;
	info->bound_threads = run->bound;
	info->sharers = atomic_load(&run->shared->users);
	info->steps = plan->region_count;
	info->macs = run->macs;
	info->arena_bytes = plan->arena_bytes;
	info->arena_lower_bound_bytes = plan->arena_lower_bound;
	info->weight_bytes = plan->weights_count * sizeof(float) + plan->half_count * sizeof(uint16_t);
	for (int i = 0; i < plan->op_count; i++)
		info->weight_bytes += plan->ops[i].u8 ? plan->ops[i].u8->weight_bytes : 0;
	info->scratch_bytes = (plan->scratch_floats * (size_t)plan->threads + plan->zero_floats) * sizeof(float);
}

/* Busy time of an operation is the mean over the threads, so that rows add up to the time of a run without waiting. */
static int cpu_profile(struct vrs_backend_run *run, const struct vrs_op_profile **ret_rows)
{
	if (!run->rows)
		return 0;
	for (int i = 0; i < run->plan->op_count; i++) {
		uint64_t sum = 0;
		for (int t = 0; t < run->plan->threads; t++)
			sum += run->memory.threads[t].op_ns[i];
		run->rows[i].total_ns = sum / (uint64_t)run->plan->threads;
		run->rows[i].runs = run->runs;
	}
	*ret_rows = run->rows;
	return run->plan->op_count;
}

void vrs_cpu_observe(struct vrs_backend_run *run, vrs_cpu_observe_fn fn, void *cookie)
{
	run->memory.threads[0].observe = fn;
	run->memory.threads[0].observe_cookie = cookie;
}

const struct vrs_cpu_plan *vrs_cpu_backend_plan(const struct vrs_backend_run *run)
{
	return run->plan;
}

const struct vrs_backend vrs_backend_cpu = {
	.name = "cpu",
	.create = cpu_create,
	.clone = cpu_clone,
	.destroy = cpu_destroy,
	.input = cpu_input,
	.output = cpu_output,
	.start = cpu_start,
	.stop_by = cpu_stop_by,
	.info = cpu_info,
	.profile = cpu_profile,
};
