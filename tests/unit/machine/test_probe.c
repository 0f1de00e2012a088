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
	int n = available(sets);

	(void)state;
	assert_non_null(block);
	for (int s = 0; s < n; s++) {
		float sink = 0;

		for (int i = 0; i < 1024; i++) {
			block[i] = -1;
			block[1024 + i] = (float)i;
			block[2048 + i] = (float)(2 * i);
		}
		sets[s]->triad(block, block + 1024, block + 2048, 3.0f, 1024);
		for (int i = 0; i < 1024; i++)
			assert_true(block[i] == (float)(7 * i));
		/* x = 0.999 x + 0.001 goes to 1 in every lane: lanes are operations per round / 2 / 1. */
		uint64_t operations = sets[s]->fma(20000, &sink);
		assert_int_equal(operations % 20000, 0);
		assert_true(sink > 0.99f * (float)(operations / 20000 / 2) && sink < 1.01f * (float)(operations / 20000 / 2));
	}
	vrs_free_aligned(block);
}

static struct vrs_probe_memory memory;

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
	struct vrs_error err = {0};

	(void)state;
	small.memory_available_bytes = 64 << 20;
	assert_int_equal(vrs_machine_ceilings(&small, 1, &memory, &one, &err), VRS_OK);
	for (int attempt = 0; attempt == 0 || (attempt < 5 && !scales_as_it_can(&three)); attempt++)
		assert_int_equal(vrs_machine_ceilings(&small, 3, &memory, &three, &err), VRS_OK);
	assert_string_equal(one.isa, machine.isa);
	assert_true(one.threads == 1 && one.fma_gflops_all == one.fma_gflops_1 && one.fma_gflops_1 > 0 && one.triad_gbps > 0);
	assert_true(scales_as_it_can(&three));
	assert_int_equal(vrs_machine_ceilings(&machine, -1, &memory, &one, &err), VRS_EINVAL);
	assert_int_equal(vrs_machine_ceilings(&machine, 1025, &memory, &one, &err), VRS_EINVAL);
	vrs_probe_memory_free(&memory);
	vrs_mem_fail_after(1, false);
	assert_int_equal(vrs_machine_ceilings(&small, 2, &memory, &one, &err), VRS_ENOMEM);
	vrs_mem_fail_after(2, false); /* the threads' records */
	assert_int_equal(vrs_machine_ceilings(&small, 2, &memory, &one, &err), VRS_EINTERNAL);
	assert_true(vrs_mem_fault_fired());
	vrs_mem_fail_after(0, false);
}

/* Several threads even where fewer processors are allowed; every one must end.  Sizes of caches that are not known are no large caches. */
static void more_threads(void **state)
{
	struct vrs_machine small = machine;
	struct vrs_ceilings c;

	(void)state;
	small.memory_available_bytes = 64 << 20; /* arrays must shrink to a quarter of it */
	assert_int_equal(vrs_machine_ceilings(&small, 5, &memory, &c, NULL), VRS_OK);
	assert_int_equal(c.threads, 5);
	small.l3_bytes = small.l2_bytes = small.l1d_bytes = 0;
	assert_int_equal(vrs_machine_ceilings(&small, 0, &memory, &c, NULL), VRS_OK);
	assert_int_equal(c.threads, small.allowed_threads);
	assert_false(c.leaves_cache);
}

static void stops(void **state)
{
	struct vrs_machine small = machine;
	struct vrs_ceilings c = {.threads = 77};
	struct vrs_error err = {0};

	(void)state;
	small.memory_available_bytes = 64 << 20;
	vrs_stop_request();
	assert_int_equal(vrs_machine_ceilings(&small, 1, &memory, &c, &err), VRS_ESTOPPED);
	vrs_stop_reset();
	assert_int_equal(c.threads, 77); /* written only on success */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_compute), cmocka_unit_test(more_threads),
		cmocka_unit_test(ceilings), cmocka_unit_test(stops),
	};

	if (vrs_machine_detect(&machine, false) != VRS_OK)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
