/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Products with constant matrices become 1x1 convolutions, for which backends have kernels and epilogues: x [..][M][K] times w [K][N] is a
 * convolution of M pixels with K channels.  A constant row that is added right behind is its bias.
 */
#include <string.h>

#include "base/mem.h"
#include "graph/pass_edit.h"

#define ROW_PIXELS 16 /* of the map that other shapes are seen as: rows for threads, each long enough for full register tiles */

static bool is_candidate(const struct vrs_graph *graph, const struct vrs_node *node)
{
	const struct vrs_graph_tensor *x, *w;

	if (node->dead || node->op != VRS_OP_MATMUL || node->u.matmul.transpose_a)
		return false;
	x = &graph->tensors[node->in[0]];
	w = &graph->tensors[node->in[1]];
	return x->data == NULL && x->dtype == VRS_F32 && x->rank >= 2 && vrs_tensor_elements(x) > 0 && w->data != NULL && w->dtype == VRS_F32 &&
	       w->rank == 2 && vrs_tensor_elements(w) > 0;
}

/* Matrices that are turned already: [tensor][transpose_b] their weights; -1: none. */
typedef int32_t turned_pair[2];

/* The matrix under four dims. */
static int32_t share_weights(struct vrs_graph *graph, const struct vrs_graph_tensor *w, const int64_t dims[4])
{
	struct vrs_graph_tensor weights = *w;

	weights.rank = 4;
	memcpy(weights.dims, dims, 4 * sizeof *dims);
	return vrs_graph_add_tensor(graph, &weights);
}

/* [N][1][1][K] of [K][N], or of [N][K]; once for all nodes that read the matrix. */
static int32_t turn_weights(struct vrs_graph *graph, const struct vrs_node *node, turned_pair *all_turned)
{
	const struct vrs_graph_tensor *w = &graph->tensors[node->in[1]];
	bool turned = node->u.matmul.transpose_b;
	int32_t *known = &all_turned[node->in[1]][turned], id = *known;
	int64_t k = w->dims[turned ? 1 : 0], n = w->dims[turned ? 0 : 1];
	const int64_t dims[4] = {n, 1, 1, k};
	const float *from = w->data;
	float *to;

	if (id >= 0)
		return id;
	id = turned ? share_weights(graph, w, dims) : vrs_graph_add_const(graph, w->name, VRS_F32, 4, dims, NULL);
	if (id < 0)
		return id;
	*known = id;
	to = (float *)(uintptr_t)graph->tensors[id].data; /* the graph's own, and new, unless it is shared */
	for (int64_t i = 0; i < n && !turned; i++)
		for (int64_t j = 0; j < k; j++)
			to[i * k + j] = from[j * n + i];
	return id;
}

/*
 * The dims of x as a map.  Each image of the batch has a map of its own, whose size is that of one image alone: views then come and go, and backends
 * choose, whatever the batch.
 */
static void map_dims(const struct vrs_graph *graph, const struct vrs_graph_tensor *x, int64_t *dims)
{
	int64_t channels = x->dims[x->rank - 1], pixels = (int64_t)vrs_tensor_elements(x) / channels, batch = vrs_graph_batch(graph), rows;

	if (x->rank == 4) {
		memcpy(dims, x->dims, 4 * sizeof *dims);
		return;
	}
	dims[0] = pixels % batch == 0 ? batch : 1;
	pixels /= dims[0];
	rows = pixels / ROW_PIXELS;
	while (rows > 1 && pixels % rows != 0)
		rows--;
	dims[1] = rows > 1 ? rows : 1;
	dims[2] = pixels / dims[1];
	dims[3] = channels;
}

static int32_t add_map(struct vrs_graph *graph, int32_t like, const int64_t *dims, int64_t channels)
{
	struct vrs_graph_tensor tensor = graph->tensors[like];

	tensor.rank = 4;
	memcpy(tensor.dims, dims, 3 * sizeof *dims);
	tensor.dims[3] = channels;
	tensor.data = NULL;
	tensor.data_bytes = 0;
	return vrs_graph_add_tensor(graph, &tensor);
}

static int32_t add_view(struct vrs_graph *graph, int32_t from, int32_t to)
{
	struct vrs_node view = vrs_node_of(VRS_OP_RESHAPE, graph->tensors[from].name, 1, &from);

	view.out = to;
	vrs_set_view(graph, &view);
	return vrs_graph_add_node(graph, &view);
}

/*
 * The bias of the only reader, if that adds one row of constants, which becomes the end of the product; -1 in *ret_bias: none.  A negative status.
 */
static int32_t take_bias(struct vrs_graph *graph, const int32_t *readers, struct vrs_node *product, int32_t *ret_bias)
{
	int32_t reader = readers[product->out];
	struct vrs_node *add = reader >= 0 ? &graph->nodes[reader] : NULL;
	int64_t n = graph->tensors[product->out].dims[graph->tensors[product->out].rank - 1];

	*ret_bias = -1;
	if (add == NULL || !vrs_is_plain_binary(add, VRS_ADD) || !vrs_same_shape(graph, product->out, add->out))
		return 0;
	for (int k = 0; k < 2; k++) {
		const struct vrs_graph_tensor *b = &graph->tensors[add->in[1 - k]];

		if (add->in[k] != product->out || b->data == NULL || b->dtype != VRS_F32 || b->rank < 1 || b->dims[b->rank - 1] != n ||
		    (int64_t)vrs_tensor_elements(b) != n)
			continue;
		*ret_bias = vrs_graph_add_const(graph, b->name, VRS_F32, 1, &n, b->data);
		if (*ret_bias >= 0)
			vrs_take_output(graph, product, add);
		return *ret_bias;
	}
	return 0;
}

static enum vrs_status rewrite(struct vrs_graph *graph, const int32_t *readers, int32_t id, turned_pair *turned, struct vrs_error *err)
{
	struct vrs_node conv, *node = &graph->nodes[id];
	int32_t x = node->in[0], bias, made = take_bias(graph, readers, node, &bias);
	int32_t weights = made < 0 ? made : turn_weights(graph, node, turned);
	bool map = graph->tensors[x].rank == 4;
	int64_t dims[4], n;

	if (weights < 0)
		return vrs_fail(err, (enum vrs_status)weights, "out of memory");
	made = 0;
	n = graph->tensors[weights].dims[0];
	conv = vrs_node_of(VRS_OP_CONV, node->name, 3, (const int32_t[]){x, weights, bias});
	conv.out = node->out;
	map_dims(graph, &graph->tensors[x], dims);
	if (!map) {
		conv.in[0] = add_map(graph, x, dims, dims[3]);
		conv.out = conv.in[0] < 0 ? conv.in[0] : add_map(graph, node->out, dims, n);
		made = conv.out < 0 ? conv.out : add_view(graph, x, conv.in[0]);
		made = made < 0 ? made : add_view(graph, conv.out, graph->nodes[id].out);
	}
	if (made < 0)
		return vrs_fail(err, (enum vrs_status)made, "out of memory, or too many nodes");
	graph->nodes[id] = conv;
	graph->tensors[conv.out].producer = id;
	return VRS_OK;
}

/* Is there room for the weights, and for a bias? */
static bool has_room(const struct vrs_graph *graph, const struct vrs_node *node)
{
	return vrs_graph_has_room(graph, 2 * vrs_tensor_elements(&graph->tensors[node->in[1]]) * sizeof(float));
}

enum vrs_status vrs_pass_matmul(struct vrs_graph *graph, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	int32_t count = graph->node_count, *readers = vrs_only_readers(graph);
	turned_pair *turned = vrs_calloc((size_t)graph->tensor_count + 1, sizeof *turned);

	if (readers == NULL || turned == NULL)
		status = vrs_fail_nomem(err);
	for (int32_t i = 0; i < graph->tensor_count && status == VRS_OK; i++)
		turned[i][0] = turned[i][1] = -1;
	for (int32_t i = 0; i < count && status == VRS_OK; i++)
		if (is_candidate(graph, &graph->nodes[i]) && has_room(graph, &graph->nodes[i]))
			status = rewrite(graph, readers, i, turned, err);
	vrs_free(readers);
	vrs_free(turned);
	return status == VRS_OK ? vrs_graph_sort(graph, err) : status;
}
