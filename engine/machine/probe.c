/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ceilings of the CPU: every figure is the best of short repeats, since whatever disturbs can only make a repeat slower. */
#include "machine/probe.h"

#include <pthread.h>
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

/* One thing to time: `count` times the unit of work; returns the amount done (operations or bytes). */
struct work {
	const struct vrs_probe_kernels *kernels;
	const void *data;
	size_t bytes;
	volatile uint64_t sink; /* takes every result, so that none is left out */
	double (*run)(struct work *work, uint64_t count);
};

static double run_fma(struct work *work, uint64_t count)
{
	float result = 0;
	uint64_t operations = work->kernels->fma(count, &result);

	work->sink += result > 0;
	return (double)operations;
}

static double run_read(struct work *work, uint64_t count)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += work->kernels->read(work->data, work->bytes);
	work->sink += sum;
	return (double)count * (double)work->bytes;
}

/* Best rate in amount per nanosecond, which is G per second. Doubles the count until a repeat is long enough, then repeats within the budget. */
static double best_rate(struct work *work, uint64_t budget_ns)
{
	const uint64_t end = vrs_now_ns() + budget_ns;
	uint64_t count = 1;
	double best = 0;

	for (;;) {
		uint64_t start = vrs_now_ns(), span;
		double amount = work->run(work, count);

		span = vrs_now_ns() - start;
		if (span > 0 && span >= REPEAT_NS / 2 && amount / (double)span > best)
			best = amount / (double)span;
		if (span < REPEAT_NS && count < UINT64_MAX / 2)
			count *= 2;
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

static double fma_rate(const struct vrs_probe_kernels *kernels)
{
	struct work work = { .kernels = kernels, .run = run_fma };

	return best_rate(&work, BUDGET_NS);
}

/* Read rate over half of a cache (or all of a block when given so); 0 when the size is not known. */
static double read_rate(const struct vrs_probe_kernels *kernels, const void *block, uint64_t bytes)
{
	struct work work = { .kernels = kernels, .data = block, .bytes = (size_t)(bytes - bytes % 512), .run = run_read };

	return work.bytes > 0 ? best_rate(&work, bytes > ARRAY_MIN ? TRIAD_NS : BUDGET_NS) : 0;
}

/* Threads that run the triad over slices of three arrays in lockstep. */
struct triad {
	const struct vrs_probe_kernels *kernels;
	float *a, *b, *c;
	size_t elements;       /* of one array */
	int threads;
	pthread_mutex_t gate;  /* held until all threads exist */
	pthread_barrier_t step; /* once before and once after each pass */
	bool abort;            /* under gate: a thread could not be made */
	bool stop;             /* written by worker 0 before the barrier */
	uint64_t best_ns;      /* written by worker 0 */
};

struct triad_worker {
	struct triad *triad;
	int index;
	pthread_t thread;
};

static void triad_loop(struct triad *triad, int index)
{
	/* Slices in units of 64 elements, the step of the kernels. */
	const size_t units = triad->elements / 64, n = (size_t)triad->threads, i = (size_t)index;
	const size_t first = units * i / n * 64, count = (units * (i + 1) / n) * 64 - first;
	const uint64_t end = vrs_now_ns() + TRIAD_NS;

	/* The first touch decides on which NUMA node the pages lie: the worker's own. */
	for (size_t k = first; k < first + count; k++) {
		triad->a[k] = 0;
		triad->b[k] = 1;
		triad->c[k] = 2;
	}
	for (;;) {
		uint64_t start, span;

		(void)pthread_barrier_wait(&triad->step); /* only fails for objects that are none */
		if (triad->stop)
			return;
		start = vrs_now_ns();
		triad->kernels->triad(triad->a + first, triad->b + first, triad->c + first, 3.0f, count);
		(void)pthread_barrier_wait(&triad->step);
		span = vrs_now_ns() - start;
		if (index != 0)
			continue;
		if (span > 0 && (triad->best_ns == 0 || span < triad->best_ns))
			triad->best_ns = span;
		triad->stop = start + span >= end;
	}
}

static void *triad_thread(void *cookie)
{
	struct triad_worker *worker = cookie;
	bool abort;

	(void)pthread_mutex_lock(&worker->triad->gate); /* a normal mutex: cannot fail */
	abort = worker->triad->abort;
	(void)pthread_mutex_unlock(&worker->triad->gate);
	if (!abort)
		triad_loop(worker->triad, worker->index);
	return NULL;
}

/* Worker 0 is the caller. False: threads could not be made. */
static bool run_triad(struct triad *triad, struct triad_worker *workers)
{
	int made = 1;

	if (pthread_mutex_init(&triad->gate, NULL) != 0)
		return false;
	if (pthread_barrier_init(&triad->step, NULL, (unsigned)triad->threads) != 0) {
		(void)pthread_mutex_destroy(&triad->gate);
		return false;
	}
	(void)pthread_mutex_lock(&triad->gate);
	for (; made < triad->threads; made++) {
		workers[made] = (struct triad_worker){ .triad = triad, .index = made };
		if (pthread_create(&workers[made].thread, NULL, triad_thread, &workers[made]) != 0)
			break;
	}
	triad->abort = made < triad->threads;
	(void)pthread_mutex_unlock(&triad->gate);
	if (!triad->abort)
		triad_loop(triad, 0);
	for (int i = 1; i < made; i++)
		(void)pthread_join(workers[i].thread, NULL);
	(void)pthread_barrier_destroy(&triad->step);
	(void)pthread_mutex_destroy(&triad->gate);
	return !triad->abort;
}

/* GB/s of the triad on `threads` threads, arrays of array_bytes in block; 0: threads could not be made. */
static double triad_rate(const struct vrs_probe_kernels *kernels, char *block, size_t array_bytes, int threads, struct triad_worker *workers)
{
	struct triad triad = { .kernels = kernels, .elements = array_bytes / sizeof(float), .threads = threads };

	triad.a = (float *)(void *)block;
	triad.b = (float *)(void *)(block + array_bytes);
	triad.c = (float *)(void *)(block + 2 * array_bytes);
	if (!run_triad(&triad, workers) || triad.best_ns == 0)
		return 0;
	return 3.0 * (double)array_bytes / (double)triad.best_ns;
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

/* Everything that needs the block; VRS_EINTERNAL when threads could not be made. */
static enum vrs_status probe_memory(const struct vrs_machine *machine, char *block, size_t array_bytes, struct triad_worker *workers,
				    struct vrs_probe *probe, struct vrs_error *err)
{
	const struct vrs_probe_kernels *kernels = best_kernels(vrs_cpu_features());
	const size_t all = 3 * array_bytes;
	const uint64_t caches[3] = { machine->l1d_bytes / 2, machine->l2_bytes / 2, machine->l3_bytes / 2 };
	double *const rates[3] = { &probe->read_gbps_l1, &probe->read_gbps_l2, &probe->read_gbps_l3 };

	probe->triad_gbps_all = triad_rate(kernels, block, array_bytes, probe->threads, workers);
	probe->triad_gbps_1 = probe->threads == 1 ? probe->triad_gbps_all : triad_rate(kernels, block, array_bytes, 1, workers);
	if (probe->triad_gbps_all <= 0 || probe->triad_gbps_1 <= 0)
		return vrs_fail(err, VRS_EINTERNAL, "cannot start %d threads for the bandwidth probe; try fewer", probe->threads);
	probe->read_gbps_memory = read_rate(kernels, block, all);
	for (int i = 0; i < 3; i++) {
		if (vrs_stop_requested())
			return vrs_fail(err, VRS_ESTOPPED, "stopped while the machine's ceilings were measured");
		*rates[i] = read_rate(kernels, block, caches[i] < all ? caches[i] : all);
	}
	return VRS_OK;
}

enum vrs_status vrs_machine_probe(const struct vrs_machine *machine, int threads, struct vrs_probe *ret_probe, struct vrs_error *err)
{
	const char *isa = vrs_cpu_isa(vrs_cpu_features());
	struct vrs_probe probe = { .threads = threads > 0 ? threads : machine->allowed_threads };
	size_t array_bytes = choose_array(machine, &probe.triad_leaves_cache);
	struct triad_worker *workers;
	enum vrs_status status;
	char *block;

	if (threads < 0 || probe.threads > 1024 || probe.threads < 1)
		return vrs_fail(err, VRS_EINVAL, "the bandwidth probe takes 1 to 1024 threads, not %d", probe.threads);
	probe.triad_bytes = 3 * (uint64_t)array_bytes;
	probe.fma_gflops_ref = fma_rate(&vrs_probe_kernels_ref);
	if (strcmp(isa, "ref") != 0)
		probe.fma_gflops_avx2 = fma_rate(&vrs_probe_kernels_avx2);
	if (strcmp(isa, "avx512") == 0)
		probe.fma_gflops_avx512 = fma_rate(&vrs_probe_kernels_avx512);
	if (vrs_stop_requested())
		return vrs_fail(err, VRS_ESTOPPED, "stopped while the machine's ceilings were measured");
	block = vrs_alloc_aligned(4096, 3 * array_bytes);
	workers = vrs_calloc((size_t)probe.threads, sizeof *workers);
	if (block && workers)
		status = probe_memory(machine, block, array_bytes, workers, &probe, err);
	else
		status = vrs_fail(err, VRS_ENOMEM, "no memory for the %zu MiB of the bandwidth probe", 3 * array_bytes / (size_t)MIB);
	vrs_free(workers);
	vrs_free_aligned(block);
	if (status == VRS_OK)
		*ret_probe = probe;
	return status;
}
