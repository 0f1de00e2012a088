/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_fuse.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "opencl/ocl_conv.h"
#include "opencl/ocl_dot.h"
#include "opencl/ocl_maps.h"
#include "opencl/ocl_values.h"
#include "opencl/ocl_vector.h"

#define MAX_LAYERS 4
#define MAX_CHANNELS 32  /* of a layer: they are registers of a work-item */
#define MAX_WEIGHTS 2048 /* of a chain: loops over them are unrolled */
#define CPU_PIXELS 6     /* of a work-item: accumulators that share what they read of the weights */

struct chain {
	const struct vrs_node *layer[MAX_LAYERS];
	struct vrs_ocl_conv conv[MAX_LAYERS];
	int layers;
	int vector;
	int64_t pixels, weights;
};

static int64_t wide(const struct chain *c, int64_t channels)
{
	return vrs_ocl_rounded(channels, c->vector);
}

/* A convolution that may stand in a chain, and what it asks for. */
static bool is_layer(const struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_ocl_conv *ret_conv)
{
	return node->op == VRS_OP_CONV && node->residual < 0 && !vrs_ocl_is_dot(plan, node) &&
	       vrs_ocl_conv_init(ret_conv, &plan->graph, node) == VRS_OK && ret_conv->pointwise && !ret_conv->scaled && ret_conv->window.groups == 1 &&
	       ret_conv->channels <= MAX_CHANNELS && ret_conv->outputs <= MAX_CHANNELS;
}

static bool find_chain(const struct vrs_ocl_plan *plan, const struct vrs_node *node, struct chain *ret)
{
	*ret = (struct chain){.vector = plan->caps.vendor == VRS_OCL_VENDOR_CPU ? 16 : 4};
	if (!plan->fusion || plan->half_math)
		return false; /* products in halves are those of conv_gemm.cl */
	while (node && ret->layers < MAX_LAYERS) {
		struct vrs_ocl_conv *conv = &ret->conv[ret->layers];

		if (!is_layer(plan, node, conv) || ret->weights + conv->channels * conv->outputs > MAX_WEIGHTS)
			break;
		ret->weights += conv->channels * conv->outputs;
		ret->layer[ret->layers++] = node;
		node = plan->only_reader[node->out] >= 0 ? &plan->graph.nodes[plan->only_reader[node->out]] : NULL;
		if (node && node->in[0] != ret->layer[ret->layers - 1]->out)
			node = NULL;
	}
	ret->pixels = ret->conv[0].batch * ret->conv[0].height * ret->conv[0].width;
	return ret->layers >= 2;
}

/* Weights of all layers and their biases, packed as the kernel reads them; values of the plan, or negative statuses. */
static enum vrs_status pack(struct vrs_ocl_plan *plan, const struct chain *c, int32_t *ret_weights, int32_t *ret_biases)
{
	size_t rows = 0;

	for (int k = 0; k < c->layers; k++)
		rows += (size_t)c->conv[k].channels;
	float *weights = vrs_calloc(rows * (MAX_CHANNELS + 16), sizeof *weights), *biases = vrs_calloc(MAX_LAYERS * (MAX_CHANNELS + 16), sizeof *biases);
	float *w = weights, *b = biases;

	for (int k = 0; weights && biases && k < c->layers; k++) {
		const struct vrs_ocl_conv *conv = &c->conv[k];
		int64_t pitch = wide(c, conv->outputs);

		for (int64_t o = 0; o < conv->outputs; o++)
			for (int64_t i = 0; i < conv->channels; i++)
				w[i * pitch + o] = conv->weights[o * conv->channels + i];
		if (conv->bias)
			memcpy(b, conv->bias, (size_t)conv->outputs * sizeof *b);
		w += conv->channels * pitch;
		b += pitch;
	}
	*ret_weights = weights && biases ? vrs_ocl_weights(plan, weights, (size_t)(w - weights)) : VRS_ENOMEM;
	*ret_biases = weights && biases ? vrs_ocl_weights_f32(plan, biases, (size_t)(b - biases)) : VRS_ENOMEM;
	vrs_free(weights);
	vrs_free(biases);
	return *ret_weights < 0 ? (enum vrs_status)*ret_weights : *ret_biases < 0 ? (enum vrs_status)*ret_biases : VRS_OK;
}

static void define_numbered(struct vrs_ocl_plan *plan, const char *name, int number, int64_t value)
{
	char text[32];

	(void)snprintf(text, sizeof text, "%s_%d", name, number);
	vrs_ocl_define_int(plan, text, value);
}

static void define_layers(struct vrs_ocl_plan *plan, const struct chain *c)
{
	int64_t w = 0, b = 0, widest = wide(c, c->conv[0].channels);

	for (int k = 0; k < c->layers; k++) {
		const struct vrs_ocl_conv *conv = &c->conv[k];
		int64_t pitch = wide(c, conv->outputs);
		char act[16];

		define_numbered(plan, "CHANNELS", k, conv->channels);
		define_numbered(plan, "WIDE", k + 1, pitch);
		define_numbered(plan, "W", k + 1, w);
		define_numbered(plan, "B", k + 1, b);
		(void)snprintf(act, sizeof act, "ACT_%d(v)", k + 1);
		vrs_ocl_define_act(plan, act, c->layer[k]->act, c->layer[k]->act_lo, c->layer[k]->act_hi);
		w += conv->channels * pitch;
		b += pitch;
		widest = pitch > widest ? pitch : widest;
	}
	vrs_ocl_define_int(plan, "LAYERS", c->layers);
	vrs_ocl_define_int(plan, "WIDEST", widest);
	vrs_ocl_define_int(plan, "OUTPUTS", c->conv[c->layers - 1].outputs);
}

static enum vrs_status chain_step(struct vrs_ocl_plan *plan, const struct chain *c, struct vrs_error *err)
{
	const struct vrs_node *last = c->layer[c->layers - 1];
	int32_t x = vrs_ocl_value_of(plan, c->layer[0]->in[0]), y = vrs_ocl_value_of(plan, last->out), w, b;
	bool gpu = plan->caps.vendor != VRS_OCL_VENDOR_CPU;
	int pixels = gpu ? 1 : CPU_PIXELS;
	enum vrs_status status = pack(plan, c, &w, &b);

	if (status != VRS_OK)
		return status;
	vrs_ocl_step_begin(plan, last, "chain");
	vrs_ocl_arg_value(plan, "x", x);
	vrs_ocl_define_vector_access(plan, "x", x, c->vector, gpu && c->conv[0].channels % c->vector == 0);
	vrs_ocl_arg_value(plan, "w", w);
	vrs_ocl_define_vector_access(plan, "w", w, c->vector, true);
	vrs_ocl_arg_value(plan, "b", b);
	vrs_ocl_define_vector_access(plan, "b", b, c->vector, true);
	vrs_ocl_arg_value(plan, "y", y);
	vrs_ocl_define_vector_access(plan, "y", y, c->vector, gpu && c->conv[c->layers - 1].outputs % c->vector == 0);
	vrs_ocl_arg_int(plan, c->pixels);
	vrs_ocl_define_vector(plan, c->vector);
	vrs_ocl_vector_epilogue(plan, last, c->vector, false);
	define_layers(plan, c);
	vrs_ocl_define_int(plan, "ITEM_M", pixels);
	VRS_TRY(vrs_ocl_map_end(plan, (size_t)((c->pixels + pixels - 1) / pixels), err));
	for (int k = 0; k < c->layers - 1; k++)
		plan->steps[plan->step_count - 1].macs_before += vrs_node_macs(&plan->graph, c->layer[k]);
	return VRS_OK;
}

enum vrs_status vrs_ocl_fuse_chain(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	struct chain c;

	if (!find_chain(plan, node, &c))
		return VRS_EUNSUPPORTED;
	VRS_TRY(chain_step(plan, &c, err));
	for (int k = 0; k < c.layers; k++)
		plan->node_done[c.layer[k] - plan->graph.nodes] = true;
	return VRS_OK;
}
