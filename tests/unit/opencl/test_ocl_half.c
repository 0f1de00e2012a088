/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards kernels/half_single.cl: every half becomes the float that it is, and floats of every kind (halves, between two of them, beside the middle,
 * beyond the largest and below the smallest) become the half that is nearest, to even where two are.  NaN stays NaN.
 */
#include "op_check.h"

#include "graph/half.h"
#include "opencl/ocl_context.h"
#include "opencl/ocl_program.h"
#include "opencl/ocl_source.h"
#include "opencl/ocl_work.h"

#define HALVES 65536
#define FLOATS (8 * HALVES)

static const char kernels[] =
	"__kernel void widen(__global const ushort *x, __global float *y)\n"
	"{\n"
	"	y[get_global_id(0)] = vrs_ld_f16((__global const half *)x, get_global_id(0));\n"
	"}\n"
	"__kernel void narrow(__global const float *x, __global ushort *y)\n"
	"{\n"
	"	vrs_st_f16((__global half *)y, get_global_id(0), x[get_global_id(0)]);\n"
	"}\n";

struct device {
	struct vrs_ocl_context *context;
	cl_program program;
};

static void open_device(struct device *device)
{
	struct vrs_ocl_source source;
	struct vrs_error err = {0};
	if (vrs_ocl_context_open(&device->context, "", false, &err) != VRS_OK)
		fail_msg("%s", err.text);
	assert_int_equal(vrs_ocl_source_init(&source), VRS_OK);
	assert_int_equal(vrs_ocl_source_include(&source, "half_single"), VRS_OK);
	assert_int_equal(vrs_buf_puts(&source.text, kernels), VRS_OK);
	if (vrs_ocl_program_build(&device->program, device->context, vrs_buf_str(&source.text), source.text.len, true, &err) != VRS_OK)
		fail_msg("%s", err.text);
	vrs_ocl_source_fini(&source);
}

static void close_device(struct device *device)
{
	clReleaseProgram(device->program);
	vrs_ocl_context_close(device->context);
}

static void run(const struct device *device, const char *name, size_t count, const void *in, size_t in_bytes, void *out, size_t out_bytes)
{
	struct vrs_error err = {0};
	cl_mem x, y;
	int code = CL_SUCCESS;
	memset(out, 0xa5, out_bytes);
	if (vrs_ocl_buffer_of(&x, device->context, in, in_bytes, &err) != VRS_OK)
		fail_msg("%s", err.text);
	y = clCreateBuffer(device->context->context, CL_MEM_READ_WRITE, out_bytes, NULL, &code);
	assert_int_equal(code, CL_SUCCESS);
	cl_kernel kernel = clCreateKernel(device->program, name, &code);
	assert_int_equal(code, CL_SUCCESS);
	assert_int_equal(clSetKernelArg(kernel, 0, sizeof x, &x), CL_SUCCESS);
	assert_int_equal(clSetKernelArg(kernel, 1, sizeof y, &y), CL_SUCCESS);
	assert_int_equal(clEnqueueNDRangeKernel(device->context->compute, kernel, 1, NULL, &count, NULL, 0, NULL, NULL), CL_SUCCESS);
	assert_int_equal(clEnqueueReadBuffer(device->context->compute, y, CL_TRUE, 0, out_bytes, out, 0, NULL, NULL), CL_SUCCESS);
	clReleaseKernel(kernel);
	clReleaseMemObject(x);
	clReleaseMemObject(y);
}

static void every_half(void **state)
{
	static uint16_t halves[HALVES];
	static float floats[HALVES];
	struct device device;
	(void)state;
	for (size_t i = 0; i < HALVES; i++)
		halves[i] = (uint16_t)i;
	open_device(&device);
	run(&device, "widen", HALVES, halves, sizeof halves, floats, sizeof floats);
	for (size_t i = 0; i < HALVES; i++) {
		float want = vrs_half_to_float(halves[i]);
		if (isnan(want) ? !isnan(floats[i]) : memcmp(&want, &floats[i], sizeof want) != 0)
			fail_msg("half %04zx: %a, not %a", i, (double)floats[i], (double)want);
	}
	close_device(&device);
}

/* Each half, the middle to its neighbour and the floats beside that, and numbers of all sizes. */
static void fill_floats(float *floats)
{
	struct vrs_rng rng;
	vrs_rng_init(&rng, 3);
	for (size_t i = 0; i < HALVES; i++) {
		float half = vrs_half_to_float((uint16_t)i), next = vrs_half_to_float((uint16_t)(i + 1)), middle = half / 2 + next / 2;
		float *to = floats + 8 * i;
		to[0] = half;
		to[1] = middle;
		to[2] = nextafterf(middle, half);
		to[3] = nextafterf(middle, next);
		for (int k = 4; k < 8; k++) {
			uint32_t bits = (uint32_t)(vrs_rng_unit(&rng) * 4294967296.0);
			memcpy(&to[k], &bits, sizeof bits);
		}
	}
}

static void every_kind_of_float(void **state)
{
	static float floats[FLOATS];
	static uint16_t halves[FLOATS];
	struct device device;
	(void)state;
	fill_floats(floats);
	open_device(&device);
	run(&device, "narrow", FLOATS, floats, sizeof floats, halves, sizeof halves);
	for (size_t i = 0; i < FLOATS; i++) {
		uint16_t want = vrs_half_from_float(floats[i]);
		if (isnan(floats[i]) ? (halves[i] & 0x7fff) <= 0x7c00 : want != halves[i])
			fail_msg("%a: half %04x, not %04x", (double)floats[i], halves[i], want);
	}
	close_device(&device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_half), cmocka_unit_test(every_kind_of_float)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
