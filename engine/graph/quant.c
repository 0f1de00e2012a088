/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/quant.h"

#include <math.h>

#include <vrseg/calibration.h>

#include "base/assert.h"
#include "base/hash.h"
#include "base/mem.h"

#define VAST 1e18f /* weights and ranges from here on, and what is no number, stay float: products of two steps must have one */

uint64_t vrs_graph_structure(const struct vrs_graph *graph)
{
	uint64_t hash = VRS_HASH_INIT;
	for (int32_t i = 0; i < graph->node_count; i++) {
		const struct vrs_node *node = &graph->nodes[i];
		int32_t parts[6] = {node->op, node->act, node->dead, node->out, node->residual, node->scale};
		hash = vrs_hash(hash, parts, sizeof parts);
		hash = vrs_hash(hash, node->in, sizeof node->in[0] * (size_t)node->inputs);
	}
	return hash;
}

enum vrs_status vrs_calibration_create(struct vrs_calibration **ret_calibration, int32_t tensors, int32_t nodes)
{
	struct vrs_calibration *c = vrs_calloc(1, sizeof *c);
	if (!c)
		return VRS_ENOMEM;
	c->tensor_count = tensors;
	c->node_count = nodes;
	c->int8_error = c->mixed_error = -1;
	c->ranges = vrs_calloc((size_t)tensors + 1, sizeof *c->ranges);
	c->int8 = vrs_calloc((size_t)nodes + 1, 1);
	c->mixed = vrs_calloc((size_t)nodes + 1, 1);
	if (!c->ranges || !c->int8 || !c->mixed) {
		vrs_calibration_destroy(c);
		return VRS_ENOMEM;
	}
	*ret_calibration = c;
	return VRS_OK;
}

void vrs_calibration_destroy(struct vrs_calibration *calibration)
{
	if (!calibration)
		return;
	vrs_free(calibration->ranges);
	vrs_free(calibration->int8);
	vrs_free(calibration->mixed);
	vrs_free(calibration);
}

bool vrs_quant_range_is_usable(const struct vrs_quant_range *range)
{
	return range->hi > range->lo && range->hi < VAST && range->lo > -VAST;
}

struct vrs_quant_step vrs_quant_step_of(const struct vrs_quant_range *range)
{
	float lo = range->lo < 0 ? range->lo : 0.0f, hi = range->hi > 0 ? range->hi : 0.0f;
	struct vrs_quant_step step = {.scale = (hi - lo) / 255.0f};
	if (!(step.scale > 1e-12f))
		step.scale = 1e-12f;
	step.zero = rintf(-lo / step.scale);
	VRS_ASSERT(step.scale > 0 && step.zero >= 0 && step.zero <= 255);
	return step;
}

static bool is_ordinary(const struct vrs_graph_tensor *tensor)
{
	const float *values = tensor->data;
	for (size_t i = 0, count = vrs_tensor_elements(tensor); i < count; i++)
		if (!(fabsf(values[i]) < VAST))
			return false;
	return true;
}

bool vrs_quant_weights_are_ordinary(const struct vrs_graph *graph, const struct vrs_node *node)
{
	for (int k = 1; k < node->inputs; k++)
		if (node->in[k] >= 0 && !is_ordinary(&graph->tensors[node->in[k]]))
			return false;
	return true;
}

enum vrs_status vrs_calibration_check(const struct vrs_calibration *calibration, const struct vrs_graph *graph, struct vrs_error *err)
{
	if (calibration->tensor_count != graph->tensor_count || calibration->node_count != graph->node_count ||
	    calibration->structure != vrs_graph_structure(graph))
		return vrs_fail(err, VRS_EINVAL, "the calibration does not match this network (another size, or another version of the program): calibrate again");
	return VRS_OK;
}
