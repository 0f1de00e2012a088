/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards the measured ceilings of a device: every figure is there, and a context without profiling is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "opencl/ocl_ceilings.h"

static void test_figures(void **state)
{
	struct vrs_ocl_context *context = NULL;
	struct vrs_device_ceilings c = {0};
	struct vrs_error err = {0};
	(void)state;
	if (vrs_ocl_context_open(&context, "", true, &err) != VRS_OK)
		fail_msg("%s", err.text);
	if (vrs_ocl_ceilings(context, &c, &err) != VRS_OK)
		fail_msg("%s", err.text);
	printf("%s: %.1f GFLOP/s, copy %.1f GB/s, up %.1f GB/s, down %.1f GB/s, launch %.1f us\n", context->caps.name, c.fma_gflops, c.copy_gbps,
	       c.upload_gbps, c.download_gbps, c.launch_us);
	assert_true(c.fma_gflops > 0 && c.copy_gbps > 0 && c.upload_gbps > 0 && c.download_gbps > 0 && c.launch_us > 0 && c.full_items > 0);
	vrs_ocl_context_close(context);
}

static void test_no_profiling(void **state)
{
	struct vrs_ocl_context *context = NULL;
	struct vrs_device_ceilings c = {.copy_gbps = 7};
	struct vrs_error err = {0};
	(void)state;
	assert_int_equal(vrs_ocl_context_open(&context, "", false, &err), VRS_OK);
	assert_int_equal(vrs_ocl_ceilings(context, &c, &err), VRS_EINVAL);
	assert_true(c.copy_gbps == 7);
	vrs_ocl_context_close(context);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_figures), cmocka_unit_test(test_no_profiling)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
