/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ceilings of the CPU: every figure is the best of short repeats, since whatever disturbs can only make a repeat slower. */
#include "machine/probe.h"

#include <stdatomic.h>
#include <string.h>

#include <vrseg/machine.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/stop.h"
#include "machine/cpu_features.h"

#define MIB (UINT64_C(1) << 20)
#define REPEAT_NS UINT64_C(4000000)    /* a repeat is at least this long: clock and loop overhead vanish */
#define BUDGET_NS UINT64_C(80000000)   /* of one figure in cache or registers */
#define TRIAD_NS UINT64_C(200000000)   /* of one figure in memory */
#define ARRAY_MIN (32 * MIB)           /* bytes of one triad array */
#define ARRAY_MAX (256 * MIB)

/* GFLOP/s of one thread, the best rate. Doubles the rounds until a repeat is long enough, then repeats within the budget. */
static double fma_rate(const struct vrs_probe_kernels *kernels)
{
	const uint64_t end = vrs_now_ns() + BUDGET_NS;
	uint64_t rounds = 1;
	double best = 0;

	for (;;) {
		float sink = 0; /* unused: the kernels leave nothing out */
		uint64_t start = vrs_now_ns(), span;
		double operations = (double)kernels->fma(rounds, &sink);

		span = vrs_now_ns() - start;
		if (span > 0 && span >= REPEAT_NS / 2 && operations / (double)span > best)
			best = operations / (double)span;
		if (span < REPEAT_NS && rounds < UINT64_MAX / 2)
			rounds *= 2;
		if (start + span >= end && best > 0)
			return best;
	}
}

static const struct vrs_probe_kernels *best_kernels(unsigned features)
{
	const char *isa = vrs_cpu_isa(features);

	if (strcmp(isa, "avx512") == 0)
		return &vrs_probe_kernels_avx512;
	return strcmp(isa, "avx2") == 0 ? &vrs_probe_kernels_avx2 : &vrs_probe_kernels_ref;
}

/* The triad over slices of three arrays, one slice a thread. */
struct triad {
	const struct vrs_probe_kernels *kernels;
	float *a, *b, *c;
	size_t elements;       /* of one array */
	int threads;
};

/* Slices in units of 64 elements, the step of the kernels. */
static size_t slice(const struct triad *triad, int index, size_t *ret_count)
{
	const size_t units = triad->elements / 64, n = (size_t)triad->threads, i = (size_t)index;
	const size_t first = units * i / n * 64;

	*ret_count = (units * (i + 1) / n) * 64 - first;
	return first;
}

/* The first touch decides on which NUMA node the pages lie: the worker's own. */
static void touch_slice(void *cookie, int index)
{
	struct triad *triad = cookie;
	size_t count, first = slice(triad, index, &count);

	for (size_t k = first; k < first + count; k++) {
		triad->a[k] = 0;
		triad->b[k] = 1;
		triad->c[k] = 2;
	}
}

static void triad_slice(void *cookie, int index)
{
	struct triad *triad = cookie;
	size_t count, first = slice(triad, index, &count);

	triad->kernels->triad(triad->a + first, triad->b + first, triad->c + first, 3.0f, count);
}

/* GB/s of the triad on `threads` threads, arrays of array_bytes in block; 0: threads could not be made. */
static double triad_rate(const struct vrs_probe_kernels *kernels, char *block, size_t array_bytes, int threads)
{
	struct triad triad = {.kernels = kernels, .elements = array_bytes / sizeof(float), .threads = threads};
	uint64_t best_ns;

	triad.a = (float *)(void *)block;
	triad.b = (float *)(void *)(block + array_bytes);
	triad.c = (float *)(void *)(block + 2 * array_bytes);
	best_ns = vrs_probe_team(threads, touch_slice, triad_slice, &triad, TRIAD_NS);
	return best_ns > 0 ? 3.0 * (double)array_bytes / (double)best_ns : 0;
}

/* Multiply-adds on every thread at once. */
struct fma_team {
	const struct vrs_probe_kernels *kernels;
	uint64_t rounds;
	atomic_uint_fast64_t operations; /* of the last pass and all before */
};

static void fma_pass(void *cookie, int index)
{
	struct fma_team *team = cookie;
	float result = 0;

	(void)index;
	atomic_fetch_add(&team->operations, team->kernels->fma(team->rounds, &result) + (result > 1e30f));
}

/* GFLOP/s of all threads together; one_rate is that of one. 0: threads could not be made. */
static double fma_team_rate(const struct vrs_probe_kernels *kernels, int threads, double one_rate)
{
	float sink = 0;
	double operations = (double)kernels->fma(1, &sink);
	struct fma_team team = {.kernels = kernels, .rounds = (uint64_t)(one_rate * (double)REPEAT_NS / operations) + 1};
	uint64_t best_ns = vrs_probe_team(threads, NULL, fma_pass, &team, BUDGET_NS);

	return best_ns > 0 ? operations * (double)team.rounds * threads / (double)best_ns : 0;
}

/* Size of one array: twice all last caches together, in bounds, and all three in a quarter of the available memory. Multiple of 4 KiB. */
static size_t choose_array(const struct vrs_machine *machine, bool *ret_leaves_cache)
{
	uint64_t last = machine->l3_bytes > 0 ? machine->l3_bytes * (uint64_t)machine->l3_instances :
						machine->l2_bytes * (uint64_t)machine->l2_instances;
	uint64_t bytes = 2 * last;
	uint64_t room = machine->memory_available_bytes / 4 / 3;

	bytes = bytes < ARRAY_MIN ? ARRAY_MIN : bytes;
	bytes = bytes > ARRAY_MAX ? ARRAY_MAX : bytes;
	if (room > 0 && bytes > room)
		bytes = room < MIB ? MIB : room;
	bytes -= bytes % 4096;
	*ret_leaves_cache = last > 0 && 3 * bytes >= 2 * last;
	return (size_t)bytes;
}

void vrs_probe_memory_free(struct vrs_probe_memory *memory)
{
	vrs_free_aligned(memory->block);
	*memory = (struct vrs_probe_memory){0};
}

/* Where memory has several nodes, the threads of each probe place pages of their own. */
static bool has_room(struct vrs_probe_memory *memory, size_t bytes, int nodes)
{
	if (memory->bytes >= bytes && nodes <= 1)
		return true;
	vrs_probe_memory_free(memory);
	memory->block = vrs_alloc_aligned(4096, bytes);
	memory->bytes = memory->block ? bytes : 0;
	return memory->block;
}

enum vrs_status vrs_machine_ceilings(const struct vrs_machine *machine, int threads, struct vrs_probe_memory *memory,
				     struct vrs_ceilings *ret_ceilings, struct vrs_error *err)
{
	const struct vrs_probe_kernels *kernels = best_kernels(vrs_cpu_features());
	struct vrs_ceilings c = {.threads = threads > 0 ? threads : machine->allowed_threads, .isa = vrs_cpu_isa(vrs_cpu_features())};
	size_t array_bytes = choose_array(machine, &c.leaves_cache);

	if (threads < 0 || c.threads > 1024 || c.threads < 1)
		return vrs_fail(err, VRS_EINVAL, "ceilings are measured with 1 to 1024 threads, not %d", c.threads);
	if (!has_room(memory, 3 * array_bytes, machine->numa_nodes))
		return vrs_fail(err, VRS_ENOMEM, "no memory for the %zu MiB of the bandwidth probe", 3 * array_bytes / (size_t)MIB);
	c.fma_gflops_1 = fma_rate(kernels);
	c.fma_gflops_all = c.threads > 1 ? fma_team_rate(kernels, c.threads, c.fma_gflops_1) : c.fma_gflops_1;
	c.triad_gbps = triad_rate(kernels, memory->block, array_bytes, c.threads);
	if (vrs_stop_requested())
		return vrs_fail(err, VRS_ESTOPPED, "stopped while the machine's ceilings were measured");
	if (c.fma_gflops_all <= 0 || c.triad_gbps <= 0)
		return vrs_fail(err, VRS_EINTERNAL, "cannot start %d threads to measure the machine's ceilings; try fewer", c.threads);
	*ret_ceilings = c;
	return VRS_OK;
}
