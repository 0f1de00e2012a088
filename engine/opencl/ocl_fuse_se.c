/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_fuse.h"

#include "base/mem.h"
#include "opencl/ocl_lower_pool.h"
#include "opencl/ocl_maps.h"

#define LANES 256              /* of a group: NVIDIA's driver refuses larger ones */
#define MAX_CHANNELS 2048      /* of a layer: they lie in local memory */
#define SMALL_MAP (1 << 15)    /* elements of a picture that its group adds up without a step before */
#define MAX_WEIGHTS (1 << 20)  /* of a layer */
#define MANY_WEIGHTS (1 << 14) /* of a layer: work for more than one group */
#define SLICE 8                /* outputs of a group then */

struct chain {
	const struct vrs_node *layer[2];
	int layers;
	int64_t channels[3];       /* into the first layer, and out of each */
};

/* A 1x1 convolution of one pixel with constant weights that alone reads `tensor`; NULL: none. */
static const struct vrs_node *layer_of(const struct vrs_ocl_plan *plan, int32_t tensor)
{
	const struct vrs_graph *graph = &plan->graph;
	int32_t id = plan->only_reader[tensor];
	const struct vrs_node *node = id >= 0 ? &graph->nodes[id] : NULL;

	if (!node || node->op != VRS_OP_CONV || node->in[0] != tensor || node->residual >= 0 || node->scale >= 0 || !vrs_ocl_has_act(node->act))
		return NULL;
	const struct vrs_graph_tensor *w = &graph->tensors[node->in[1]], *y = &graph->tensors[node->out];
	const struct vrs_window *window = &node->u.window;
	bool plain = w->data && w->rank == 4 && w->dims[1] == 1 && w->dims[2] == 1 && y->dims[1] == 1 && y->dims[2] == 1 && window->groups == 1 &&
		     window->pad_top == 0 && window->pad_left == 0;

	if (!plain || (node->in[2] >= 0 && !vrs_ocl_constant(plan, node->in[2])) || w->dims[0] > MAX_CHANNELS || w->dims[3] > MAX_CHANNELS ||
	    w->dims[0] * w->dims[3] > MAX_WEIGHTS)
		return NULL;
	return node;
}

static bool find_chain(const struct vrs_ocl_plan *plan, const struct vrs_node *node, struct chain *ret)
{
	size_t floats = 4 * LANES;

	*ret = (struct chain){.layers = 0};
	if (!plan->fusion || (node->op != VRS_OP_GLOBAL_AVG && node->op != VRS_OP_POOL_AVG) || !vrs_ocl_is_global_avg(plan, node))
		return false;
	ret->channels[0] = plan->graph.tensors[node->out].dims[3];
	for (int32_t tensor = node->out; ret->layers < 2; ret->layers++) {
		const struct vrs_node *layer = layer_of(plan, tensor);

		if (!layer)
			break;
		tensor = layer->out;
		ret->layer[ret->layers] = layer;
		ret->channels[ret->layers + 1] = plan->graph.tensors[tensor].dims[3];
	}
	for (int i = 0; i <= ret->layers; i++)
		floats += (size_t)ret->channels[i];
	return ret->layers > 0 && floats * sizeof(float) <= plan->caps.local_bytes;
}

/* [O][1][1][I] as [I][O], so that neighbouring work-items read neighbours. */
static int32_t pack_weights(struct vrs_ocl_plan *plan, const struct vrs_node *layer)
{
	const struct vrs_graph_tensor *w = &plan->graph.tensors[layer->in[1]];

	return vrs_ocl_weights_turned(plan, w->data, (size_t)w->dims[0], (size_t)w->dims[3]);
}

static int32_t bias_of(struct vrs_ocl_plan *plan, const struct vrs_node *layer)
{
	size_t outputs = (size_t)plan->graph.tensors[layer->out].dims[3];
	const float *bias = vrs_ocl_constant(plan, layer->in[2]);
	float *zeros = vrs_calloc(outputs + 1, sizeof *zeros);
	int32_t value = zeros ? vrs_ocl_weights_f32(plan, bias ? bias : zeros, outputs) : VRS_ENOMEM;

	vrs_free(zeros);
	return value;
}

/* Work-items that share one of so many values. */
static int share(int lanes, int64_t outputs)
{
	int across = vrs_ocl_power_at_most(outputs);

	across = across < outputs ? across * 2 : across;
	return across < lanes ? lanes / across : 1;
}

/* One step: where it begins, and its layers. */
struct squeeze {
	const struct vrs_node *layer[2];
	int layers;
	int64_t channels[3];
	int32_t sums, tensor;      /* a value, or -1 and a tensor: [N][chunks][channels[0]] */
	int64_t chunks, slice;     /* slice: outputs of a group */
	double factor;             /* of the sum over chunks */
};

static void define_shapes(struct vrs_ocl_plan *plan, const struct squeeze *q, int lanes)
{
	int vec = vrs_ocl_map_vector(plan, q->channels[0]);

	vrs_ocl_define_int(plan, "LANES", lanes);
	vrs_ocl_define_int(plan, "LAYERS", q->layers);
	vrs_ocl_define_int(plan, "CHANNELS", q->channels[0]);
	vrs_ocl_define_int(plan, "MIDDLE", q->layers == 2 ? q->channels[1] : 1);
	vrs_ocl_define_int(plan, "OUTPUTS", q->channels[q->layers]);
	vrs_ocl_define_int(plan, "SLICE", q->slice);
	vrs_ocl_define_int(plan, "SHARE_0", share(lanes, q->channels[0] / vec));
	vrs_ocl_define_int(plan, "SHARE_1", share(lanes, q->layers == 2 ? q->channels[1] : q->slice));
	vrs_ocl_define_int(plan, "SHARE_2", share(lanes, q->slice));
	for (int i = 0; i < q->layers; i++)
		vrs_ocl_define_act(plan, i == 0 ? "ACT_1(v)" : "ACT_2(v)", q->layer[i]->act, q->layer[i]->act_lo, q->layer[i]->act_hi);
}

static enum vrs_status squeeze_step(struct vrs_ocl_plan *plan, const struct squeeze *q, struct vrs_error *err)
{
	const struct vrs_node *last = q->layer[q->layers - 1];
	size_t lanes = (size_t)vrs_ocl_lanes(plan, LANES), slices = (size_t)((q->channels[q->layers] + q->slice - 1) / q->slice);
	int32_t w1 = pack_weights(plan, q->layer[0]), bias1 = bias_of(plan, q->layer[0]);
	int32_t w2 = q->layers == 2 ? pack_weights(plan, last) : w1, bias2 = q->layers == 2 ? bias_of(plan, last) : bias1;

	vrs_ocl_step_begin(plan, last, "squeeze");
	if (q->sums >= 0)
		vrs_ocl_arg_value(plan, "x", q->sums);
	else
		vrs_ocl_arg_tensor(plan, "x", q->tensor);
	vrs_ocl_arg_value(plan, "w1", w1);
	vrs_ocl_arg_value(plan, "bias1", bias1);
	vrs_ocl_arg_value(plan, "w2", w2);
	vrs_ocl_arg_value(plan, "bias2", bias2);
	vrs_ocl_arg_tensor(plan, "y", last->out);
	vrs_ocl_arg_int(plan, q->chunks);
	vrs_ocl_arg_float(plan, q->factor);
	define_shapes(plan, q, (int)lanes);
	VRS_TRY(vrs_ocl_step_end(plan, 2, (size_t[]){(size_t)plan->graph.tensors[last->out].dims[0] * lanes, slices}, (size_t[]){lanes, 1}, err));
	if (q->layers == 2)
		plan->steps[plan->step_count - 1].macs_before = vrs_node_macs(&plan->graph, q->layer[0]);
	return VRS_OK;
}

/* Layers with many weights are steps of their own, of many groups: one group would wait for memory. */
static enum vrs_status layer_steps(struct vrs_ocl_plan *plan, const struct chain *c, struct squeeze *q, struct vrs_error *err)
{
	for (int i = 0; i < c->layers; i++) {
		q->layers = 1;
		q->layer[0] = c->layer[i];
		q->channels[0] = c->channels[i];
		q->channels[1] = c->channels[i + 1];
		q->slice = SLICE;
		VRS_TRY(squeeze_step(plan, q, err));
		q->sums = -1;
		q->tensor = c->layer[i]->out;
		q->chunks = 1;
		q->factor = 1;
	}
	return VRS_OK;
}

static enum vrs_status chain_steps(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct chain *c, struct vrs_error *err)
{
	const struct vrs_graph_tensor *x = &plan->graph.tensors[node->in[0]];
	int64_t pixels = x->dims[1] * x->dims[2];
	struct squeeze q = {.layers = c->layers, .slice = c->channels[c->layers], .sums = -1, .tensor = node->in[0], .chunks = pixels,
			    .factor = 1 / (double)pixels};
	bool many = false;

	for (int i = 0; i <= c->layers; i++) {
		q.channels[i] = c->channels[i];
		if (i < c->layers)
			q.layer[i] = c->layer[i];
		many = many || (i > 0 && c->channels[i - 1] * c->channels[i] > MANY_WEIGHTS);
	}
	if (many || pixels * x->dims[3] > SMALL_MAP) {
		q.sums = vrs_ocl_chunk_sums(plan, node, &q.chunks, err);
		if (q.sums < 0)
			return (enum vrs_status)q.sums;
	}
	return many ? layer_steps(plan, c, &q, err) : squeeze_step(plan, &q, err);
}

enum vrs_status vrs_ocl_fuse_se(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	struct chain c;

	if (!find_chain(plan, node, &c))
		return VRS_EUNSUPPORTED;
	VRS_TRY(chain_steps(plan, node, &c, err));
	for (int i = 0; i < c.layers; i++)
		plan->node_done[c.layer[i] - plan->graph.nodes] = true;
	return VRS_OK;
}
