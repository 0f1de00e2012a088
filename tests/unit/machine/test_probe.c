/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the ceilings that kernels are compared with: loops compute what they say (so nothing was optimised away), their operation counts are
 * right, and figures stand in the relations that any CPU obeys. No absolute number is tested: other work may run beside.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vrseg/machine.h>

#include "base/mem.h"
#include "base/stop.h"
#include "machine/cpu_features.h"
#include "machine/probe.h"

static struct vrs_machine machine;

/* Kernel sets that the running CPU has. */
static int available(const struct vrs_probe_kernels *ret[3])
{
	const char *isa = vrs_cpu_isa(vrs_cpu_features());
	int n = 0;

	ret[n++] = &vrs_probe_kernels_ref;
	if (strcmp(isa, "ref") != 0)
		ret[n++] = &vrs_probe_kernels_avx2;
	if (strcmp(isa, "avx512") == 0)
		ret[n++] = &vrs_probe_kernels_avx512;
	return n;
}

static void kernels_compute(void **state)
{
	const struct vrs_probe_kernels *sets[3];
	float *block = vrs_alloc_aligned(64, 3 * 1024 * sizeof(float));
	uint64_t *words = (uint64_t *)(void *)block;
	int n = available(sets);

	(void)state;
	assert_non_null(block);
	for (int s = 0; s < n; s++) {
		uint64_t sum = 0;
		float sink = 0;

		for (int i = 0; i < 1024; i++) {
			block[i] = -1;
			block[1024 + i] = (float)i;
			block[2048 + i] = (float)(2 * i);
		}
		sets[s]->triad(block, block + 1024, block + 2048, 3.0f, 1024);
		for (int i = 0; i < 1024; i++)
			assert_true(block[i] == (float)(7 * i));
		for (size_t i = 0; i < 512; i++) {
			words[i] = i * UINT64_C(0x9e3779b97f4a7c15);
			sum += words[i];
		}
		assert_true(sets[s]->read(words, 512 * 8) == sum);
		words[511]++; /* the last word counts too */
		assert_true(sets[s]->read(words, 512 * 8) == sum + 1);
		/* x = 0.999 x + 0.001 goes to 1 in every lane: lanes are operations per round / 2 / 1. */
		uint64_t operations = sets[s]->fma(20000, &sink);
		assert_int_equal(operations % 20000, 0);
		assert_true(sink > 0.99f * (float)(operations / 20000 / 2) && sink < 1.01f * (float)(operations / 20000 / 2));
	}
	vrs_free_aligned(block);
}

static void figures_are_plausible(void **state)
{
	struct vrs_probe probe;
	struct vrs_error err = { 0 };

	(void)state;
	assert_int_equal(vrs_machine_probe(&machine, 0, &probe, &err), VRS_OK);
	assert_int_equal(probe.threads, machine.allowed_threads);
	assert_true(probe.fma_gflops_ref > 0 && probe.read_gbps_memory > 0 && probe.triad_gbps_1 > 0 && probe.triad_gbps_all > 0);
	assert_true((probe.fma_gflops_avx2 > 0) == (strcmp(machine.isa, "ref") != 0));
	assert_true((probe.fma_gflops_avx512 > 0) == (strcmp(machine.isa, "avx512") == 0));
	assert_true((probe.read_gbps_l1 > 0) == (machine.l1d_bytes > 0));
#ifdef __OPTIMIZE__
	if (probe.fma_gflops_avx2 > 0)
		assert_true(probe.fma_gflops_avx2 > 1.5 * probe.fma_gflops_ref); /* twice the lanes, and one instruction for two */
	if (probe.fma_gflops_avx512 > 0)
		assert_true(probe.fma_gflops_avx512 > 0.7 * probe.fma_gflops_avx2); /* double-pumped CPUs gain nothing */
	if (probe.read_gbps_l1 > 0 && probe.triad_leaves_cache)
		assert_true(probe.read_gbps_l1 > 1.2 * probe.read_gbps_memory);
#endif
	assert_true(probe.triad_gbps_all > 0.3 * probe.triad_gbps_1);
	assert_true(probe.triad_bytes >= 3 << 20);
}

static bool scales_as_it_can(const struct vrs_ceilings *three)
{
	return three->threads == 3 && three->fma_gflops_all < 4.5 * three->fma_gflops_1 && three->fma_gflops_all > 0.2 * three->fma_gflops_1;
}

/*
 * One figure for one thread, and what several make of it: never more than their number, never less than one of them alone would get.  Another
 * program may take the processor from one of the two measurements; it does not do so five times.
 */
static void ceilings(void **state)
{
	struct vrs_machine small = machine;
	struct vrs_ceilings one, three;
	struct vrs_error err = { 0 };

	(void)state;
	small.memory_available_bytes = 64 << 20;
	assert_int_equal(vrs_machine_ceilings(&small, 1, &one, &err), VRS_OK);
	for (int attempt = 0; attempt == 0 || (attempt < 5 && !scales_as_it_can(&three)); attempt++)
		assert_int_equal(vrs_machine_ceilings(&small, 3, &three, &err), VRS_OK);
	assert_string_equal(one.isa, machine.isa);
	assert_true(one.threads == 1 && one.fma_gflops_all == one.fma_gflops_1 && one.fma_gflops_1 > 0 && one.triad_gbps > 0);
	assert_true(scales_as_it_can(&three));
	assert_int_equal(vrs_machine_ceilings(&machine, -1, &one, &err), VRS_EINVAL);
	assert_int_equal(vrs_machine_ceilings(&machine, 1025, &one, &err), VRS_EINVAL);
	vrs_mem_fail_after(1, false);
	assert_int_equal(vrs_machine_ceilings(&small, 2, &one, &err), VRS_ENOMEM);
	vrs_mem_fail_after(2, false); /* the threads' records */
	assert_int_equal(vrs_machine_ceilings(&small, 2, &one, &err), VRS_EINTERNAL);
	assert_true(vrs_mem_fault_fired());
	vrs_mem_fail_after(0, false);
}

/* Several threads even where fewer processors are allowed; every one must end. */
static void more_threads(void **state)
{
	struct vrs_machine small = machine;
	struct vrs_probe probe;

	(void)state;
	small.memory_available_bytes = 64 << 20; /* arrays must shrink to a quarter of it */
	assert_int_equal(vrs_machine_probe(&small, 5, &probe, NULL), VRS_OK);
	assert_int_equal(probe.threads, 5);
	assert_true(probe.triad_bytes <= 16 << 20);
	small.l3_bytes = 0;
	small.l2_bytes = 0;
	small.l1d_bytes = 0;
	assert_int_equal(vrs_machine_probe(&small, 1, &probe, NULL), VRS_OK);
	assert_true(probe.read_gbps_l1 == 0 && probe.read_gbps_l2 == 0 && probe.read_gbps_l3 == 0);
	assert_false(probe.triad_leaves_cache); /* not known is not true */
}

static void refusals(void **state)
{
	struct vrs_probe probe = { .threads = 77 };
	struct vrs_error err = { 0 };

	(void)state;
	assert_int_equal(vrs_machine_probe(&machine, -1, &probe, &err), VRS_EINVAL);
	assert_int_equal(vrs_machine_probe(&machine, 1025, &probe, &err), VRS_EINVAL);
	for (uint64_t n = 1; n <= 2; n++) { /* the arrays; the threads' records */
		vrs_mem_fail_after(n, false);
		assert_int_equal(vrs_machine_probe(&machine, 1, &probe, &err), n == 1 ? VRS_ENOMEM : VRS_EINTERNAL);
		assert_true(vrs_mem_fault_fired());
	}
	vrs_mem_fail_after(0, false);
	vrs_stop_request();
	assert_int_equal(vrs_machine_probe(&machine, 1, &probe, &err), VRS_ESTOPPED);
	vrs_stop_reset();
	assert_int_equal(probe.threads, 77); /* written only on success */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_compute), cmocka_unit_test(figures_are_plausible), cmocka_unit_test(more_threads),
		cmocka_unit_test(ceilings), cmocka_unit_test(refusals),
	};

	if (vrs_machine_detect(&machine, false) != VRS_OK)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
