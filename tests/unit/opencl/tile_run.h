/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A convolution on a device by ways that the caller names: one plan, one program, the steps of each way run by themselves. */
#ifndef TESTS_TILE_RUN_H
#define TESTS_TILE_RUN_H

#include "op_check.h"
#include "opencl/ocl_conv.h"
#include "opencl/ocl_planner.h"
#include "opencl/ocl_program.h"
#include "opencl/ocl_values.h"

struct tile_run {
	struct vrs_ocl_context *context;
	struct vrs_ocl_plan plan;
	struct vrs_ocl_tile tiles[2 * VRS_OCL_MAX_TILES];
	int first[2 * VRS_OCL_MAX_TILES + 1]; /* step of each tile; behind the last: the number of steps */
	int count;
	cl_program program;
	cl_mem *buffers;           /* [value] */
};

static inline void tile_cl(int code, const char *what)
{
	if (code != CL_SUCCESS)
		fail_msg("%s: %d", what, code);
}

/* At most `most` candidates, none but Winograd ones if so asked, and every second one from `from` on; -1: all. */
static inline void tile_run_choose(struct tile_run *run, const struct vrs_ocl_caps *caps, const struct vrs_ocl_conv *conv, int most, bool winograd,
				   int from)
{
	struct vrs_ocl_tile tiles[VRS_OCL_MAX_TILES];
	int count = vrs_ocl_tile_candidates(caps, conv, tiles, VRS_OCL_MAX_TILES), last = run->count + most;
	for (int i = 0; i < count && run->count < last; i++)
		if ((from < 0 || i % 2 == from) && (!winograd || tiles[i].algorithm == VRS_OCL_WINOGRAD))
			run->tiles[run->count++] = tiles[i];
}

/* Candidates of the device as it is, then those of the device as if it was a GPU: every tile of the table is seen. */
static inline void tile_run_lower(struct tile_run *run, const struct vrs_graph *graph, int most, bool winograd, int from,
				  struct vrs_error *err)
{
	const struct vrs_node *node = &run->plan.graph.nodes[graph->node_count - 1];
	struct vrs_ocl_conv conv;
	struct vrs_ocl_caps gpu = run->plan.caps;
	assert_int_equal(vrs_ocl_conv_init(&conv, &run->plan.graph, node), VRS_OK);
	gpu.vendor = VRS_OCL_VENDOR_NVIDIA;
	run->count = 0;
	tile_run_choose(run, &run->plan.caps, &conv, most, winograd, from);
	int own = run->count;
	tile_run_choose(run, &gpu, &conv, most, winograd, from);
	for (int i = 0; i < run->count; i++) {
		run->first[i] = run->plan.step_count;
		if (i == own)
			run->plan.caps = gpu;
		if (vrs_ocl_conv_steps(&run->plan, node, &conv, &run->tiles[i], err) != VRS_OK)
			fail_msg("tile %d: %s", i, err->text);
	}
	run->first[run->count] = run->plan.step_count;
	assert_int_equal(vrs_ocl_values_place(&run->plan, err), VRS_OK);
}

/*
 * A copy of a program whose loops stay loops: it computes the same, and compilers take less time for it.  The caller frees it (libc).
 */
static inline char *tile_rolled(const char *text)
{
	static const char unroll[] = "#pragma unroll", stay[] = "#pragma nounroll";
	size_t count = 0, length = strlen(text);
	for (const char *p = text; (p = strstr(p, unroll)) != NULL; p++)
		count++;
	char *rolled = malloc(length + count * (sizeof stay - sizeof unroll) + 1), *to = rolled; /* libc: test scratch */
	assert_non_null(rolled);
	for (const char *p; (p = strstr(text, unroll)) != NULL; text = p + sizeof unroll - 1)
		to += sprintf(to, "%.*s%s", (int)(p - text), text, stay);
	strcpy(to, text);
	return rolled;
}

static inline void tile_run_build(struct tile_run *run, bool rolled, struct vrs_error *err)
{
	const char *text = vrs_buf_str(&run->plan.source.text);
	char *copy = rolled ? tile_rolled(text) : NULL;
	if (vrs_ocl_program_build(&run->program, run->context, rolled ? copy : text, strlen(rolled ? copy : text), true, err) != VRS_OK)
		fail_msg("%s", err->text);
	free(copy); /* libc: see tile_rolled */
}

/* The context and an empty plan of the graph. */
static inline void tile_run_open(struct tile_run *run, const struct vrs_graph *graph, enum vrs_precision precision, enum vrs_device_math math,
				 struct vrs_error *err)
{
	struct vrs_session_options options = vrs_session_options_default();
	memset(run, 0, sizeof *run);
	options.precision = precision;
	options.device_math = math;
	if (vrs_ocl_context_open(&run->context, "", false, err) != VRS_OK)
		fail_msg("%s", err->text);
	struct vrs_ocl_caps caps = run->context->caps;
	if (math == VRS_DEVICE_MATH_HALF && !caps.fp16_math)
		caps.fp16_math = caps.emulated = true;
	if (vrs_ocl_plan_begin(&run->plan, graph, &caps, &options, err) != VRS_OK)
		fail_msg("%s", err->text);
}

/* The program of the planned steps, and its buffers. */
static inline void tile_run_make(struct tile_run *run, bool rolled, struct vrs_error *err)
{
	int code = CL_SUCCESS;
	tile_run_build(run, rolled, err);
	run->buffers = calloc((size_t)run->plan.value_count, sizeof *run->buffers); /* libc: test scratch */
	assert_non_null(run->buffers);
	for (int32_t i = 0; i < run->plan.value_count; i++) {
		const struct vrs_ocl_value *value = &run->plan.values[i];
		run->buffers[i] = clCreateBuffer(run->context->context, CL_MEM_READ_WRITE, value->bytes + 1, NULL, &code);
		tile_cl(code, "buffer");
		if (value->data && value->bytes > 0)
			tile_cl(clEnqueueWriteBuffer(run->context->compute, run->buffers[i], CL_TRUE, 0, value->bytes, value->data, 0, NULL, NULL), "weights");
	}
}

/*
 * The graph's last node is the convolution; its inputs are inputs of the graph or constants.  Arithmetic that the device lacks is emulated.
 * from: every second candidate from there on, and the compiler unrolls no loop; -1: all, and it does.
 */
static inline void tile_run_init(struct tile_run *run, const struct vrs_graph *graph, enum vrs_precision precision, enum vrs_device_math math,
				 int most, bool winograd, int from)
{
	struct vrs_error err = {0};
	tile_run_open(run, graph, precision, math, &err);
	tile_run_lower(run, graph, most, winograd, from, &err);
	tile_run_make(run, from >= 0, &err);
}

static inline void tile_run_write(struct tile_run *run, int32_t tensor, const void *data)
{
	int32_t value = run->plan.value_of[tensor];
	tile_cl(clEnqueueWriteBuffer(run->context->compute, run->buffers[value], CL_TRUE, 0, run->plan.values[value].bytes, data, 0, NULL, NULL), "input");
}

static inline void tile_run_read(struct tile_run *run, int32_t tensor, void *data)
{
	int32_t value = run->plan.value_of[tensor];
	tile_cl(clEnqueueReadBuffer(run->context->compute, run->buffers[value], CL_TRUE, 0, run->plan.values[value].bytes, data, 0, NULL, NULL), "output");
}

/* Queue the steps of one tile; wait for them. */
static inline void tile_run_start(struct tile_run *run, int tile)
{
	for (int s = run->first[tile]; s < run->first[tile + 1]; s++) {
		const struct vrs_ocl_step *step = &run->plan.steps[s];
		int code = CL_SUCCESS;
		cl_kernel kernel = clCreateKernel(run->program, step->kernel, &code);
		tile_cl(code, step->kernel);
		for (int k = 0; k < step->arg_count; k++) {
			const struct vrs_ocl_arg *arg = &step->args[k];
			bool value = arg->kind == VRS_OCL_ARG_VALUE;
			tile_cl(clSetKernelArg(kernel, (cl_uint)k, value ? sizeof *run->buffers : sizeof arg->integer,
					       value ? (const void *)&run->buffers[arg->value] : (const void *)&arg->integer), "argument");
		}
		tile_cl(clEnqueueNDRangeKernel(run->context->compute, kernel, (cl_uint)step->dims, NULL, step->global, step->local, 0, NULL, NULL),
			step->kernel);
		clReleaseKernel(kernel);
	}
	tile_cl(clFinish(run->context->compute), "finish");
}

static inline void tile_run_fini(struct tile_run *run)
{
	for (int32_t i = 0; i < run->plan.value_count; i++)
		clReleaseMemObject(run->buffers[i]);
	free(run->buffers); /* libc: see tile_run_init */
	clReleaseProgram(run->program);
	vrs_ocl_plan_fini(&run->plan);
	vrs_ocl_context_close(run->context);
}

#endif
