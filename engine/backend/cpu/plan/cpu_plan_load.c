/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where values live between regions, and the operations that bring them into one in the form it needs: padded, or widened from half. */
#include "backend/cpu/plan/cpu_plan_steps.h"

#include "backend/cpu/plan/cpu_plan_reach.h"
#include "backend/cpu/plan/cpu_plan_share.h"
#include "backend/cpu/plan/cpu_plan_sweep.h"
#include "base/assert.h"
#include "base/mem.h"

#define HALF_MIN_PIXELS 512

static void note_reader(struct vrs_cpu_plan *plan, int value, int region)
{
	if (value >= 0 && plan->values[value].last_region < region)
		plan->values[value].last_region = region;
}

/*
 * Halves pay where the traffic of a value leaves the cache; a smaller value is converted at more cost than its bytes save (Zen 3, selfie network at
 * 256x256: all values as halves took 1.08x the time, none of them 1.00x).  Decided by the size of one image alone, so that neither the thread count
 * nor the batch changes what is rounded.  Where the batch is a height or a width, as it is below four dims, values stay float.
 */
bool vrs_cpu_value_may_be_half(const struct vrs_cpu_plan *plan, const struct vrs_cpu_value *value)
{
	double bytes = (double)value->height * (double)vrs_cpu_row_floats(value) * (double)sizeof(float);
	const struct vrs_graph_tensor *tensor = value->tensor >= 0 ? &plan->graph.tensors[value->tensor] : NULL;
	bool map = tensor == NULL || (tensor->rank >= 4 && !tensor->batch_dims);
	return plan->half && map && value->height > 1 && !value->constant && bytes >= (double)plan->half_min_bytes;
}

/*
 * Every band widens the weights of its region once: about 4 cycles for 8 of them, against pixels / 2 for their products.  Weights with fewer pixels
 * stay float (rounded to 16 bits all the same), and so do the few of depthwise convolutions.
 */
bool vrs_cpu_weights_may_be_half(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op)
{
	const struct vrs_cpu_value *at = &plan->values[op->kind == VRS_CPU_DECONV ? op->in[0] : op->out];
	double pixels = (double)at->images * at->height * at->width;
	return plan->half && op->kind != VRS_CPU_DWCONV && pixels >= (double)HALF_MIN_PIXELS * plan->threads;
}

/* A global average reads the row sums that the producer leaves; only without a producer, or one that makes no whole rows, it reads the tensor. */
static bool reads_sums(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op)
{
	const int producer = plan->values[op->in[0]].op;
	if (producer < 0 || plan->ops[producer].kind == VRS_CPU_FLAT || vrs_cpu_op_shares_channels(plan, &plan->ops[producer]))
		return false;
	return !vrs_cpu_op_shares_channels(plan, op);
}

void vrs_cpu_plan_place_values(struct vrs_cpu_plan *plan)
{
	for (int i = 0; i < plan->op_count; i++) {
		const struct vrs_cpu_op *op = &plan->ops[i];
		plan->values[op->out].region = op->region;
		for (int k = 0; k < op->inputs; k++)
			note_reader(plan, op->in[k], op->region);
		note_reader(plan, op->residual, op->region);
		note_reader(plan, op->scale, op->region);
	}
	for (int i = 0; i < plan->value_count; i++) {
		struct vrs_cpu_value *value = &plan->values[i];
		value->in_arena = value->is_input || value->is_output || value->flat || value->last_region > value->region;
		value->in_arena = value->in_arena && !value->constant;
	}
	for (int i = 0; i < plan->op_count; i++)
		if (plan->ops[i].kind == VRS_CPU_GLOBAL_AVG && reads_sums(plan, &plan->ops[i]))
			plan->values[plan->ops[i].in[0]].sum_mem_item = 0; /* numbered when memory is planned */
	for (int i = 0; i < plan->value_count; i++) {
		struct vrs_cpu_value *value = &plan->values[i];
		value->half = value->in_arena && !value->is_input && !value->is_output && !value->flat && vrs_cpu_value_may_be_half(plan, value);
	}
}

/* Operations while the list is rebuilt, and the loads of the current region. */
struct loading {
	struct vrs_cpu_plan *plan;
	struct vrs_cpu_op *ops;
	int count;
	size_t cap;
	int region;
	int loaded[VRS_CPU_SWEEP_OPS], by[VRS_CPU_SWEEP_OPS], loads; /* values, and the ring values that replace them */
};

static enum vrs_status append(struct loading *l, const struct vrs_cpu_op *op)
{
	return vrs_cpu_plan_add_op(l->plan, op, &l->ops, &l->count, &l->cap);
}

/*
 * The ring value that holds rows of value id in this region; adds the load when it is the first.  It has as many images as the region, also where
 * the value has one that is repeated.
 */
static enum vrs_status load_value(struct loading *l, int id, int images, int *ret_value)
{
	for (int i = 0; i < l->loads; i++) {
		if (l->loaded[i] == id) {
			*ret_value = l->by[i];
			return VRS_OK;
		}
	}
	struct vrs_cpu_value copy = l->plan->values[id];
	copy.tensor = -1;
	copy.images = images;
	copy.region = copy.last_region = l->region;
	copy.is_input = copy.is_output = copy.flat = copy.half = copy.in_arena = false;
	copy.sum_mem_item = -1;
	int made = vrs_cpu_plan_add_value(l->plan, &copy);
	if (made < 0)
		return VRS_ENOMEM;
	VRS_ASSERT(l->loads < VRS_CPU_SWEEP_OPS);
	l->loaded[l->loads] = id;
	l->by[l->loads++] = made;
	*ret_value = made;
	return append(l, &(struct vrs_cpu_op){
		.kind = VRS_CPU_LOAD, .routine = VRS_CPU_RUN_LOAD, .node = -1, .region = l->region, .inputs = 1, .in = {id}, .out = made,
		.residual = -1, .scale = -1,
	});
}

/* Does the operation need value id, its operand number k (-1: residual), in another form than the arena has it? */
static bool needs_load(struct loading *l, struct vrs_cpu_op *op, int id, int k)
{
	const struct vrs_cpu_value *value = &l->plan->values[id];
	int left, right;
	vrs_cpu_op_pads(l->plan, op, &left, &right);
	if (value->constant || value->region == l->region || op->kind == VRS_CPU_FLAT)
		return false;
	if (op->kind == VRS_CPU_GLOBAL_AVG && value->sum_mem_item >= 0)
		return false;
	if (op->dot && k == 0) /* makes its own rows */
		return false;
	bool pad = k == 0 && left + right > 0;
	if (pad && !value->half && op->kind == VRS_CPU_CONV && !op->u8) {
		vrs_cpu_op_use_edges(l->plan, op);
		return false;
	}
	return pad || value->half;
}

/* Values read from outside the region that need padding or widening get a load operation in front of it. */
static enum vrs_status add_loads(struct loading *l)
{
	const struct vrs_cpu_region *region = &l->plan->regions[l->region];
	enum vrs_status status = VRS_OK;
	l->loads = 0;
	for (int i = region->first_op; i < region->first_op + region->op_count; i++) {
		struct vrs_cpu_op *op = &l->plan->ops[i];
		for (int k = -1; status == VRS_OK && k < op->inputs; k++) {
			int *operand = k < 0 ? &op->residual : &op->in[k];
			if (*operand >= 0 && needs_load(l, op, *operand, k))
				status = load_value(l, *operand, l->plan->values[op->out].images, operand);
		}
	}
	return status;
}

enum vrs_status vrs_cpu_plan_insert_loads(struct vrs_cpu_plan *plan)
{
	struct loading *l = vrs_calloc(1, sizeof *l);
	enum vrs_status status = l ? VRS_OK : VRS_ENOMEM;
	for (int r = 0; status == VRS_OK && r < plan->region_count; r++) {
		struct vrs_cpu_region *region = &plan->regions[r];
		int first = l->count;
		l->plan = plan;
		l->region = r;
		status = add_loads(l);
		for (int i = 0; status == VRS_OK && i < region->op_count; i++)
			status = append(l, &plan->ops[region->first_op + i]);
		region->first_op = first;
		region->op_count = l->count - first;
	}
	if (status == VRS_OK) {
		VRS_ASSERT(l->count >= plan->op_count);
		vrs_free(plan->ops);
		plan->ops = l->ops;
		plan->op_count = l->count;
		plan->op_cap = l->cap;
	} else if (l) {
		vrs_free(l->ops); /* the old list still owns the tables */
	}
	vrs_free(l);
	return status;
}
