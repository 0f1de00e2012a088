/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_slots.h"

#include "base/assert.h"
#include "base/mem.h"
#include "opencl/ocl_error.h"
#include "opencl/ocl_memory.h"

#define MIB ((size_t)1 << 20)

/* Memory of its own, of floats, with whole entries: what copies need. */
static bool is_copied(const struct vrs_ocl_stream *stream, int32_t value, size_t entry_bytes)
{
	const struct vrs_ocl_value *v = &stream->network->plan.values[value];

	return stream->values[value] && v->kind == VRS_OCL_END && v->type == VRS_F32 && v->bytes % entry_bytes == 0;
}

static enum vrs_status find_values(struct vrs_ocl_slots *slots, const struct vrs_ocl_stream *stream, struct vrs_error *err)
{
	const struct vrs_ocl_plan *plan = &stream->network->plan;

	for (int k = 0; k < slots->shape.states; k++) {
		const struct vrs_session_state *state = &slots->shape.state[k];
		size_t entry = slots->shape.floats[k] * sizeof(float);

		slots->input[k] = plan->value_of[plan->graph.inputs[state->input]];
		slots->output[k] = plan->value_of[plan->graph.outputs[state->output]];
		if (!is_copied(stream, slots->input[k], entry) || !is_copied(stream, slots->output[k], entry))
			return vrs_fail(err, VRS_EUNSUPPORTED, "input %d and output %d have no memory of their own on the device", state->input,
					state->output);
	}
	return VRS_OK;
}

/* Within the limit of the job. */
static enum vrs_status claim_memory(struct vrs_ocl_slots *slots, const struct vrs_ocl_network *network, struct vrs_error *err)
{
	const struct vrs_ocl_claim claim = {.bytes = slots->bytes, .most = network->bytes_most, .what = "keeping states",
					    .remedy = "let them go through the host"};

	if (slots->bytes > network->plan.caps.max_alloc_bytes)
		return vrs_fail(err, VRS_ENOMEM, "the states need %zu MiB at a time, which %s does not give", slots->bytes / MIB, network->plan.caps.name);
	enum vrs_status status = vrs_ocl_memory_take(network->context, &claim, err);

	slots->bytes_held = status == VRS_OK ? claim.bytes : 0;
	return status;
}

enum vrs_status vrs_ocl_slots_init(struct vrs_ocl_slots *slots, const struct vrs_ocl_stream *stream, const struct vrs_state_slots *shape,
				   struct vrs_error *err)
{
	int code = CL_SUCCESS;

	slots->shape = *shape;
	enum vrs_status status = find_values(slots, stream, err);

	if (status == VRS_OK && !vrs_mul_size(shape->total * sizeof(float), (size_t)shape->count + 1, &slots->bytes))
		status = vrs_fail(err, VRS_ELIMIT, "%d slots are too many", shape->count);
	if (status == VRS_OK)
		status = claim_memory(slots, stream->network, err);
	if (status != VRS_OK)
		return status;
	slots->memory = clCreateBuffer(stream->network->context->context, CL_MEM_READ_WRITE, slots->bytes, NULL, &code);
	if (code == CL_SUCCESS)
		code = vrs_ocl_take_memory(stream->network->context, slots->memory, slots->bytes);
	if (code != CL_SUCCESS)
		return vrs_fail(err, vrs_ocl_memory_status(code), "%s has no %zu MiB free for states (%s)", stream->network->plan.caps.name,
				slots->bytes / MIB, vrs_ocl_code_name(code));
	return VRS_OK;
}

void vrs_ocl_slots_fini(struct vrs_ocl_slots *slots, const struct vrs_ocl_stream *stream)
{
	if (slots->memory)
		(void)clReleaseMemObject(slots->memory);
	if (slots->bytes_held > 0)
		vrs_ocl_memory_give(stream->network->context, slots->bytes_held);
	*slots = (struct vrs_ocl_slots){.bytes = 0};
}

static size_t slot_at(const struct vrs_ocl_slots *slots, int slot)
{
	VRS_ASSERT(slot >= 0 && slot <= slots->shape.count);
	return slots->shape.total * sizeof(float) * (size_t)slot;
}

enum vrs_status vrs_ocl_slots_use(const struct vrs_ocl_slots *slots, const struct vrs_ocl_stream *stream, int slot, int entry, struct vrs_error *err)
{
	size_t from = slot_at(slots, slot < 0 ? slots->shape.count : slot); /* a copy, since oclgrind does not see that a fill writes */
	int code = CL_SUCCESS;

	for (int k = 0; k < slots->shape.states && code == CL_SUCCESS; k++) {
		size_t bytes = slots->shape.floats[k] * sizeof(float), to = bytes * (size_t)entry;
		cl_mem input = stream->values[slots->input[k]];

		VRS_ASSERT(to + bytes <= stream->network->plan.values[slots->input[k]].bytes);
		code = clEnqueueCopyBuffer(stream->network->context->compute, slots->memory, input, from, to, bytes, 0, NULL, NULL);
		from += bytes;
	}
	return vrs_ocl_check(err, code, "take states of the run before");
}

enum vrs_status vrs_ocl_slots_keep(const struct vrs_ocl_slots *slots, const struct vrs_ocl_stream *stream, int entry, int slot, struct vrs_error *err)
{
	size_t to = slot_at(slots, slot);
	int code = CL_SUCCESS;

	for (int k = 0; k < slots->shape.states && code == CL_SUCCESS; k++) {
		size_t bytes = slots->shape.floats[k] * sizeof(float), from = bytes * (size_t)entry;
		cl_mem output = stream->values[slots->output[k]];

		VRS_ASSERT(from + bytes <= stream->network->plan.values[slots->output[k]].bytes);
		code = clEnqueueCopyBuffer(stream->network->context->compute, output, slots->memory, from, to, bytes, 0, NULL, NULL);
		to += bytes;
	}
	return vrs_ocl_check(err, code, "keep states of a run");
}

enum vrs_status vrs_ocl_slots_read(const struct vrs_ocl_slots *slots, const struct vrs_ocl_stream *stream, int slot, float *to, struct vrs_error *err)
{
	int code = clEnqueueReadBuffer(stream->network->context->compute, slots->memory, CL_TRUE, slot_at(slots, slot),
				       slots->shape.total * sizeof(float), to, 0, NULL, NULL);

	return vrs_ocl_check(err, code, "send states");
}

enum vrs_status vrs_ocl_slots_write(const struct vrs_ocl_slots *slots, const struct vrs_ocl_stream *stream, int slot, const float *from,
				    struct vrs_error *err)
{
	int code = clEnqueueWriteBuffer(stream->network->context->compute, slots->memory, CL_TRUE, slot_at(slots, slot),
					slots->shape.total * sizeof(float), from, 0, NULL, NULL);

	return vrs_ocl_check(err, code, "take states");
}
