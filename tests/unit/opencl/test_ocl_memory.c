/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the sum that --max-memory-fraction limits: what all contexts of a device hold counts together and what others hold does not, what does not
 * fit is refused with the figures and is not counted, and what is given back can be taken again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "opencl/ocl_memory.h"

#define MIB (UINT64_C(1) << 20)

static int devices[2]; /* whose addresses stand for handles */
static struct vrs_ocl_context plain = {.device = (cl_device_id)&devices[0], .caps = {.name = "A GPU"}};
static struct vrs_ocl_context profiled = {.device = (cl_device_id)&devices[0], .caps = {.name = "A GPU"}};
static struct vrs_ocl_context other = {.device = (cl_device_id)&devices[1], .caps = {.name = "Another"}};

static enum vrs_status take(const struct vrs_ocl_context *context, uint64_t bytes, uint64_t most, struct vrs_error *err)
{
	const struct vrs_ocl_claim claim = {.bytes = bytes, .most = most, .what = "the network", .remedy = "use a smaller batch"};

	return vrs_ocl_memory_take(context, &claim, err);
}

static void limits(void **state)
{
	const struct vrs_ocl_caps caps = {.global_bytes = 1000};

	(void)state;
	assert_int_equal(vrs_ocl_memory_limit(&caps, 0, 0), 0);
	assert_int_equal(vrs_ocl_memory_limit(&caps, 0, 0.25), 250);
	assert_int_equal(vrs_ocl_memory_limit(&caps, 100, 0.25), 100);
	assert_int_equal(vrs_ocl_memory_limit(&caps, 300, 0.25), 250);
	assert_int_equal(vrs_ocl_memory_limit(&caps, 300, 0), 300);
}

static void counts_together(void **state)
{
	struct vrs_error err = {0};

	(void)state;
	assert_int_equal(take(&plain, 11 * MIB, 10 * MIB, &err), VRS_ELIMIT);
	assert_string_equal(err.text, "the network needs 11 MiB of memory on A GPU, more than the 10 MiB that it may have; use a smaller batch, or "
			    "allow more (--max-memory-fraction)");
	assert_int_equal(take(&plain, 6 * MIB, 10 * MIB, &err), VRS_OK);
	assert_int_equal(take(&profiled, 4 * MIB + 1, 10 * MIB, &err), VRS_ELIMIT);
	assert_string_equal(err.text, "the network needs 5 MiB more of memory on A GPU, where the job has 6 MiB and may have 10 MiB; use a smaller "
			    "batch, or allow more (--max-memory-fraction)");
	assert_int_equal(take(&profiled, 4 * MIB, 10 * MIB, &err), VRS_OK);
	assert_int_equal(take(&plain, 1, 10 * MIB, &err), VRS_ELIMIT);
	assert_int_equal(take(&other, 10 * MIB, 10 * MIB, &err), VRS_OK);
	assert_int_equal(take(&plain, UINT64_MAX - 10 * MIB, 0, &err), VRS_OK); /* no limit */
	assert_int_equal(take(&profiled, 1, 10 * MIB, &err), VRS_ELIMIT);
	vrs_ocl_memory_give(&plain, UINT64_MAX - 10 * MIB);
	vrs_ocl_memory_give(&plain, 6 * MIB);
	assert_int_equal(take(&plain, 6 * MIB, 10 * MIB, &err), VRS_OK);
	vrs_ocl_memory_give(&plain, 6 * MIB);
	vrs_ocl_memory_give(&profiled, 4 * MIB);
	vrs_ocl_memory_give(&other, 10 * MIB);
	assert_int_equal(take(&profiled, 10 * MIB, 10 * MIB, &err), VRS_OK);
	vrs_ocl_memory_give(&profiled, 10 * MIB);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(limits), cmocka_unit_test(counts_together)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
