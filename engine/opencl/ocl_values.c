/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_values.h"

#include <string.h>

#include "base/mem.h"
#include "graph/half.h"
#include "graph/mem_share.h"

#define MAX_VALUES (1u << 21)
#define MIB ((size_t)1 << 20)

static bool is_end(const struct vrs_graph *graph, int32_t tensor)
{
	for (int32_t i = 0; i < graph->input_count; i++)
		if (graph->inputs[i] == tensor)
			return true;
	for (int32_t i = 0; i < graph->output_count; i++)
		if (graph->outputs[i] == tensor)
			return true;
	return false;
}

static int32_t add_value(struct vrs_ocl_plan *plan, const struct vrs_ocl_value *value)
{
	struct vrs_ocl_value added = *value;

	if (added.elements > INT32_MAX || !vrs_mul_size(added.elements, vrs_dtype_size(added.type), &added.bytes))
		return VRS_ELIMIT;
	enum vrs_status status = vrs_array_grow(&plan->values, &plan->value_cap, (size_t)plan->value_count + 1, sizeof *plan->values, MAX_VALUES);

	if (status != VRS_OK)
		return (int32_t)status;
	plan->values[plan->value_count] = added;
	return plan->value_count++;
}

int32_t vrs_ocl_value_of(struct vrs_ocl_plan *plan, int32_t tensor)
{
	if (tensor < 0)
		return VRS_EINTERNAL;
	if (plan->value_of[tensor] >= 0)
		return plan->value_of[tensor];
	const struct vrs_graph_tensor *t = &plan->graph.tensors[tensor];
	struct vrs_ocl_value value = {
		.kind = t->data ? VRS_OCL_WEIGHTS : is_end(&plan->graph, tensor) ? VRS_OCL_END : VRS_OCL_ACTIVATION,
		.type = t->dtype, .elements = vrs_tensor_elements(t), .tensor = tensor, .data = t->data,
	};

	if (value.kind == VRS_OCL_ACTIVATION && plan->half && t->dtype == VRS_F32)
		value.type = VRS_F16;
	int32_t added = add_value(plan, &value);

	if (added >= 0)
		plan->value_of[tensor] = added;
	return added;
}

bool vrs_ocl_value_alias(struct vrs_ocl_plan *plan, int32_t out, int32_t in)
{
	int32_t value = vrs_ocl_value_of(plan, in);

	if (value < 0 || plan->value_of[out] >= 0 || is_end(&plan->graph, out))
		return false;
	plan->value_of[out] = value;
	return true;
}

int32_t vrs_ocl_scratch(struct vrs_ocl_plan *plan, size_t elements)
{
	return add_value(plan, &(struct vrs_ocl_value){.kind = VRS_OCL_ACTIVATION, .type = VRS_F32, .elements = elements, .tensor = -1});
}

static int32_t add_weights(struct vrs_ocl_plan *plan, enum vrs_dtype type, size_t elements, void *data)
{
	if (!data)
		return VRS_ENOMEM;
	int32_t added = add_value(plan, &(struct vrs_ocl_value){.kind = VRS_OCL_WEIGHTS, .type = type, .elements = elements, .tensor = -1, .data = data,
								.owned = data});

	if (added < 0)
		vrs_free(data);
	return added;
}

/* A copy of elements of `size` bytes. */
static void *copy(const void *data, size_t elements, size_t size)
{
	void *to = vrs_calloc(elements > 0 ? elements : 1, size);

	if (to && elements > 0)
		memcpy(to, data, elements * size);
	return to;
}

int32_t vrs_ocl_weights_f32(struct vrs_ocl_plan *plan, const float *data, size_t elements)
{
	return add_weights(plan, VRS_F32, elements, copy(data, elements, sizeof *data));
}

int32_t vrs_ocl_weights_i32(struct vrs_ocl_plan *plan, const int32_t *data, size_t elements)
{
	return add_weights(plan, VRS_I32, elements, copy(data, elements, sizeof *data));
}

int32_t vrs_ocl_weights(struct vrs_ocl_plan *plan, const float *data, size_t elements)
{
	if (!plan->half)
		return vrs_ocl_weights_f32(plan, data, elements);
	uint16_t *halves = vrs_calloc(elements > 0 ? elements : 1, sizeof *halves);

	for (size_t i = 0; halves && i < elements; i++)
		halves[i] = vrs_half_from_float(data[i]);
	return add_weights(plan, VRS_F16, elements, halves);
}

int32_t vrs_ocl_weights_turned(struct vrs_ocl_plan *plan, const float *data, size_t rows, size_t columns)
{
	size_t elements = 0;
	float *turned = vrs_mul_size(rows, columns, &elements) ? vrs_calloc(elements + 1, sizeof *turned) : NULL;

	if (!turned)
		return VRS_ENOMEM;
	for (size_t r = 0; r < rows; r++)
		for (size_t c = 0; c < columns; c++)
			turned[c * rows + r] = data[r * columns + c];
	int32_t value = vrs_ocl_weights(plan, turned, elements);

	vrs_free(turned);
	return value;
}

static void touch(struct vrs_ocl_plan *plan, int32_t value, int32_t step)
{
	struct vrs_ocl_value *v = &plan->values[value];

	if (v->first > step)
		v->first = step;
	if (v->last < step)
		v->last = step;
}

/* The operands of a node that the host computes. */
static void touch_node(struct vrs_ocl_plan *plan, const struct vrs_node *node, int32_t step)
{
	for (int k = 0; k < node->inputs; k++)
		if (node->in[k] >= 0 && plan->value_of[node->in[k]] >= 0)
			touch(plan, plan->value_of[node->in[k]], step);
	if (node->residual >= 0)
		touch(plan, plan->value_of[node->residual], step);
	if (node->scale >= 0)
		touch(plan, plan->value_of[node->scale], step);
	touch(plan, plan->value_of[node->out], step);
}

static void find_lifetimes(struct vrs_ocl_plan *plan)
{
	for (int32_t i = 0; i < plan->value_count; i++) {
		bool always = plan->values[i].kind == VRS_OCL_END;

		plan->values[i].first = always ? 0 : plan->step_count;
		plan->values[i].last = always ? plan->step_count : -1;
	}
	for (int32_t s = 0; s < plan->step_count; s++) {
		const struct vrs_ocl_step *step = &plan->steps[s];

		if (step->host)
			touch_node(plan, &plan->graph.nodes[step->node], s);
		for (int k = 0; k < step->arg_count; k++)
			if (step->args[k].kind == VRS_OCL_ARG_VALUE)
				touch(plan, step->args[k].value, s);
	}
}

static size_t bytes_of(const struct vrs_ocl_value *value)
{
	return value->bytes > 0 ? value->bytes : 1;
}

static void fill_items(const struct vrs_ocl_plan *plan, struct vrs_mem_item *items)
{
	for (int32_t i = 0; i < plan->value_count; i++) {
		const struct vrs_ocl_value *value = &plan->values[i];

		if (value->last >= 0 && value->kind != VRS_OCL_WEIGHTS)
			items[i] = (struct vrs_mem_item){.first = value->first, .last = value->last, .bytes = bytes_of(value)};
	}
}

/* No item shares its buffer, which has exactly its bytes. */
static void give_own_buffers(struct vrs_mem_sharing *sharing, const struct vrs_mem_item *items, int count)
{
	sharing->count = 0;
	sharing->total = 0;
	for (int i = 0; i < count; i++)
		if (items[i].bytes > 0) {
			sharing->buffer_of[i] = sharing->count;
			sharing->bytes[sharing->count++] = items[i].bytes;
			sharing->total += items[i].bytes;
		}
}

/*
 * Values have whole buffers, and no parts of one: drivers do not all bear parts that overlap.  NVIDIA's 580.159 ends the program when it releases
 * them, PoCL has open faults (its issues 1962 and 1969), and OpenCV gave them up (pull request 20661).
 */
static enum vrs_status place_activations(struct vrs_ocl_plan *plan)
{
	struct vrs_mem_item *items = vrs_calloc((size_t)plan->value_count + 1, sizeof *items);
	struct vrs_mem_sharing sharing = {0};

	if (!items)
		return VRS_ENOMEM;
	fill_items(plan, items);
	enum vrs_status status = vrs_mem_share(&sharing, items, plan->value_count);

	if (status == VRS_OK && plan->caps.own_buffers)
		give_own_buffers(&sharing, items, plan->value_count);
	for (int32_t i = 0; status == VRS_OK && i < plan->value_count; i++)
		plan->values[i].buffer = sharing.buffer_of[i];
	plan->buffer_bytes = sharing.bytes;
	sharing.bytes = NULL; /* moved */
	plan->buffer_count = sharing.count;
	plan->arena_bytes = sharing.total;
	plan->arena_lower_bound = sharing.lower_bound;
	vrs_mem_sharing_fini(&sharing);
	vrs_free(items);
	return status;
}

static size_t largest_buffer(const struct vrs_ocl_plan *plan)
{
	size_t most = 0;

	for (int32_t i = 0; i < plan->buffer_count; i++)
		most = plan->buffer_bytes[i] > most ? plan->buffer_bytes[i] : most;
	for (int32_t i = 0; i < plan->value_count; i++)
		if (plan->values[i].kind == VRS_OCL_WEIGHTS && plan->values[i].bytes > most)
			most = plan->values[i].bytes;
	return most;
}

enum vrs_status vrs_ocl_values_place(struct vrs_ocl_plan *plan, struct vrs_error *err)
{
	find_lifetimes(plan);
	for (int32_t i = 0; i < plan->value_count; i++)
		if (plan->values[i].kind == VRS_OCL_WEIGHTS && plan->values[i].last >= 0)
			plan->weight_bytes += bytes_of(&plan->values[i]); /* far below SIZE_MAX: data lies in memory */
	enum vrs_status status = place_activations(plan);

	if (status != VRS_OK)
		return status == VRS_ENOMEM ? vrs_fail_nomem(err) : vrs_fail(err, status, "the tensors of the network are too large for an OpenCL device");
	size_t most = plan->caps.max_alloc_bytes, largest = largest_buffer(plan);

	if (largest > most)
		return vrs_fail(err, VRS_ENOMEM, "the network needs a block of %zu MiB on %s, which gives at most %zu MiB at a time; use a smaller input or batch",
				(largest + MIB - 1) / MIB, plan->caps.name, most / MIB);
	return VRS_OK;
}

void vrs_ocl_values_fini(struct vrs_ocl_plan *plan)
{
	for (int32_t i = 0; i < plan->value_count; i++)
		vrs_free(plan->values[i].owned);
	vrs_free(plan->values);
	vrs_free(plan->buffer_bytes);
}
