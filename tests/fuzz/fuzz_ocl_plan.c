/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Plans of networks for OpenCL devices, which need no device: whatever network (a recipe or a file, as in fuzz_session.c), device, precision and
 * tiles, the plan is refused with a sentence, or sound: its steps fit the device, their values have buffers that are large enough and that nobody
 * else uses at the same time, what the host computes has been written before, and weights can be read to their end.  Kernels of such networks run in
 * tests/opencl/cl_recipe.c.
 */
#include <stdint.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "network_bytes.h"
#include "opencl/ocl_planner.h"
#include "quiet.h"
#include "session/session_graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* PoCL, two GPUs, one that says little, and one that is too small for most. */
static const struct vrs_ocl_caps devices[] = {
	{.name = "cpu", .vendor = VRS_OCL_VENDOR_CPU, .is_cpu = true, .unified = true, .emulated = true, .fp16_math = true, .int8_dot = true,
	 .compute_units = 2, .max_group = 4096, .max_items = {4096, 4096, 4096}, .local_bytes = 1u << 20, .max_alloc_bytes = 1u << 30},
	{.name = "nvidia", .vendor = VRS_OCL_VENDOR_NVIDIA, .int8_dot = true, .compute_units = 132, .max_group = 1024, .max_items = {1024, 1024, 64},
	 .local_bytes = 48u << 10, .max_alloc_bytes = 1u << 30},
	{.name = "amd", .vendor = VRS_OCL_VENDOR_AMD, .fp16_math = true, .fp64 = true, .int8_dot = true, .compute_units = 36, .max_group = 256,
	 .max_items = {256, 256, 256}, .local_bytes = 64u << 10, .max_alloc_bytes = 1u << 28, .own_buffers = true},
	{.name = "other", .fp16_math = true, .max_group = 64, .max_items = {64, 64, 64}, .max_alloc_bytes = 1u << 20},
	{.name = "least", .vendor = VRS_OCL_VENDOR_INTEL, .max_group = 1, .max_items = {1, 1, 1}, .max_alloc_bytes = 4096},
};

static void check_step(const struct vrs_ocl_plan *plan, const struct vrs_ocl_step *step)
{
	size_t group = 1;

	require(step->node >= 0 && step->node < plan->graph.node_count && step->arg_count <= VRS_OCL_MAX_ARGS);
	for (int k = 0; k < step->arg_count; k++)
		require(step->args[k].kind != VRS_OCL_ARG_VALUE || (step->args[k].value >= 0 && step->args[k].value < plan->value_count));
	if (step->host)
		return;
	require(step->dims >= 1 && step->dims <= 3 && step->kernel[0] != '\0');
	for (int i = 0; i < step->dims; i++) {
		require(step->global[i] > 0 && step->global[i] <= INT32_MAX && (step->local[0] == 0) == (step->local[i] == 0));
		require(step->local[i] == 0 || (step->global[i] % step->local[i] == 0 && step->local[i] <= plan->caps.max_items[i]));
		group *= step->local[i] > 0 ? step->local[i] : 1;
	}
	require(group <= plan->caps.max_group);
}

static void check_value(const struct vrs_ocl_plan *plan, const struct vrs_ocl_value *value)
{
	require(value->bytes == value->elements * vrs_dtype_size(value->type));
	if (value->kind == VRS_OCL_WEIGHTS) {
		volatile uint64_t all = vrs_hash(VRS_HASH_INIT, value->data, value->bytes); /* the sanitizer sees what is missing */

		(void)all;
	} else if (value->last >= 0) {
		require(value->first <= value->last && value->buffer >= 0 && value->buffer < plan->buffer_count);
		require(plan->buffer_bytes[value->buffer] >= value->bytes && plan->buffer_bytes[value->buffer] <= plan->caps.max_alloc_bytes);
	}
}

static bool has_buffer(const struct vrs_ocl_value *value)
{
	return value->kind != VRS_OCL_WEIGHTS && value->last >= 0;
}

static void check_sharing(const struct vrs_ocl_plan *plan)
{
	for (int32_t i = 0; i < plan->value_count; i++)
		for (int32_t k = 0; k < i; k++) {
			const struct vrs_ocl_value *a = &plan->values[i], *b = &plan->values[k];

			if (has_buffer(a) && has_buffer(b) && a->buffer == b->buffer)
				require(!plan->caps.own_buffers && (a->last < b->first || b->last < a->first));
		}
}

/* A step has touched it before, or the caller fills it. */
static void expect_written(const struct vrs_ocl_plan *plan, int32_t tensor, int32_t step)
{
	int32_t value = tensor >= 0 ? plan->value_of[tensor] : -1;

	if (tensor < 0 || plan->graph.tensors[tensor].data != NULL || vrs_tensor_elements(&plan->graph.tensors[tensor]) == 0)
		return;
	require(value >= 0);
	require(plan->values[value].kind == VRS_OCL_END || plan->values[value].first < step);
}

static void check_host_step(const struct vrs_ocl_plan *plan, int32_t step)
{
	const struct vrs_node *node = &plan->graph.nodes[plan->steps[step].node];

	for (int k = 0; k < node->inputs; k++)
		expect_written(plan, node->in[k], step);
	expect_written(plan, node->residual, step);
	expect_written(plan, node->scale, step);
	require(plan->value_of[node->out] >= 0);
}

static void check_plan(const struct vrs_ocl_plan *plan)
{
	for (int32_t i = 0; i < plan->step_count; i++) {
		check_step(plan, &plan->steps[i]);
		if (plan->steps[i].host)
			check_host_step(plan, i);
	}
	for (int32_t i = 0; i < plan->value_count; i++)
		check_value(plan, &plan->values[i]);
	check_sharing(plan);
	for (int i = 0; i < plan->graph.output_count; i++)
		require(plan->value_of[plan->graph.outputs[i]] >= 0);
}

/* Tiles as a tuner could have chosen them, and places behind the last candidate. */
static void choose_tiles(struct vrs_ocl_plan *plan, uint64_t seed)
{
	plan->tiles = vrs_calloc((size_t)plan->graph.node_count + 1, sizeof *plan->tiles);
	require(plan->tiles != NULL);
	for (int32_t i = 0; i < plan->graph.node_count; i++)
		plan->tiles[i] = (uint8_t)(vrs_hash(seed, &i, sizeof i) % 48);
}

static void plan_for(const struct vrs_model *model, const struct vrs_session_options *options, const struct vrs_ocl_caps *caps, uint64_t seed)
{
	struct vrs_ocl_plan plan;
	struct vrs_graph graph = {0};
	struct vrs_error err = {0};
	enum vrs_status status = vrs_session_graph(&graph, model, options, &err);

	if (status == VRS_OK) {
		status = vrs_ocl_plan_begin(&plan, &graph, caps, options, &err);
		if (status == VRS_OK && seed != 0)
			choose_tiles(&plan, seed);
		if (status == VRS_OK)
			status = vrs_ocl_plan_complete(&plan, &err);
		if (status == VRS_OK)
			check_plan(&plan);
		vrs_ocl_plan_fini(&plan);
	}
	require(status == VRS_OK || err.text[0] != '\0');
	vrs_graph_fini(&graph);
}

/* Every device in every precision that it offers, with and without fusion, with the tiles of the rules and with others. */
static void plan_all(const struct vrs_model *model, struct vrs_session_options options, const struct vrs_calibration *calibration, uint64_t seed)
{
	for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++) {
		options.precision = VRS_PRECISION_FP32;
		options.device_math = VRS_DEVICE_MATH_FLOAT;
		options.calibration = NULL;
		plan_for(model, &options, &devices[i], 0);
		options.fusion = !options.fusion;
		options.pictures_nhwc = !options.pictures_nhwc;
		plan_for(model, &options, &devices[i], seed);
		options.precision = VRS_PRECISION_FP16;
		plan_for(model, &options, &devices[i], seed);
		options.fusion = !options.fusion;
		options.device_math = devices[i].fp16_math ? VRS_DEVICE_MATH_HALF : VRS_DEVICE_MATH_FLOAT;
		plan_for(model, &options, &devices[i], seed);
		options.device_math = VRS_DEVICE_MATH_DOT;
		options.calibration = calibration;
		for (options.precision = VRS_PRECISION_INT8; calibration != NULL && options.precision <= VRS_PRECISION_MIXED; options.precision++)
			plan_for(model, &options, &devices[i], seed);
	}
}

static void use(const struct vrs_model *model, int batch, int height, int width, bool wild, uint64_t seed)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_calibration *calibration = NULL;
	struct vrs_graph graph = {0};

	options.batch = batch;
	options.input_height = height;
	options.input_width = width;
	options.threads = 1;
	if (network_at_size(&graph, model, &options)) {
		calibration = seed % 4 == 0 ? network_calibrate(model, &options, wild) : NULL; /* takes longer than all plans */
		plan_all(model, options, calibration, seed);
	}
	vrs_calibration_destroy(calibration);
	vrs_graph_fini(&graph);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool wild, recipe = size > 0 && data[0] == 'R';
	struct vrs_model *model = network_of_bytes(data, size, &wild);
	uint64_t seed = vrs_hash(VRS_HASH_INIT, data, size);

	be_silent();
	if (model == NULL)
		return 0;
	use(model, recipe ? network_batch(model) : 1, 0, 0, wild, seed);
	if (!recipe)
		use(model, 2, 9, 7, false, seed);
	vrs_model_destroy(model);
	return 0;
}
