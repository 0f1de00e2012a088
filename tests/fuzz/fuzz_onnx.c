/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ONNX files: no bytes harm, a graph that is accepted is valid, can be given a size, survives the passes, and its constant part can be run;
 * inputs beyond the first are taken for states and constants; memory stays within limits.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str_parse.h"
#include "graph/eval.h"
#include "graph/model_graph.h"
#include "graph/model_limits.h"
#include "graph/onnx_import.h"
#include "network_cost.h"
#include "require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_RUN_BYTES ((size_t)4 << 20) /* of all values together */
#define MAX_RUN_WORK ((uint64_t)1 << 24) /* rough count of steps: a run must take no minutes */

/* Run every node on zeros: whatever inference lets pass must not read or write outside. */
static void run(const struct vrs_graph *graph)
{
	void **values = vrs_calloc((size_t)graph->tensor_count + 1, sizeof *values);
	size_t total = 0;
	uint64_t steps = 0;

	require(values != NULL);
	for (int32_t i = 0; i < graph->tensor_count && total <= MAX_RUN_BYTES; i++) {
		const struct vrs_graph_tensor *tensor = &graph->tensors[i];
		size_t bytes = vrs_tensor_elements(tensor) * vrs_dtype_size(tensor->dtype);

		total += bytes < MAX_RUN_BYTES ? bytes : MAX_RUN_BYTES + 1;
		if (tensor->data != NULL) {
			values[i] = malloc(bytes > 0 ? bytes : 1); /* libc: an exact block for the sanitizer */
			require(values[i] != NULL);
			memcpy(values[i], tensor->data, bytes);
		} else if (total <= MAX_RUN_BYTES) {
			values[i] = calloc(bytes > 0 ? bytes : 1, 1);
			require(values[i] != NULL);
		}
	}
	for (int32_t i = 0; i < graph->node_count && total <= MAX_RUN_BYTES; i++) {
		const struct vrs_node *node = &graph->nodes[i];
		struct vrs_eval e;

		if (node->dead || (steps += network_work(graph, node)) > MAX_RUN_WORK)
			continue;
		e = vrs_eval_from_values(graph, node, values);
		vrs_node_eval(&e);
	}
	for (int32_t i = 0; i < graph->tensor_count; i++)
		free(values[i]);
	vrs_free(values);
}

static void use(const struct vrs_model *model, int64_t batch, int64_t height, int64_t width)
{
	struct vrs_graph graph;

	if (vrs_graph_copy(&graph, vrs_model_graph(model)) != VRS_OK)
		return;
	for (int i = 0; i < graph.input_count; i++)
		for (int k = 0; k < graph.tensors[graph.inputs[i]].rank; k++)
			if (graph.tensors[graph.inputs[i]].dims[k] < 0)
				graph.tensors[graph.inputs[i]].dims[k] = 6;
	if (vrs_graph_set_input(&graph, batch, height, width, NULL) == VRS_OK) {
		require(vrs_graph_validate(&graph, NULL) == VRS_OK);
		run(&graph);
		/* A pass may run out of a limit, but what it leaves must be sound. */
		if (vrs_passes_run(&graph, true, NULL) == VRS_OK) {
			require(vrs_graph_infer(&graph, NULL) == VRS_OK && vrs_graph_validate(&graph, NULL) == VRS_OK);
			run(&graph);
		}
	}
	vrs_graph_fini(&graph);
}

/* The manifest of a recurrent network: input i is the state behind output i - 1, vectors and single numbers are constants. */
static void describe(struct vrs_manifest *manifest, const struct vrs_model *model)
{
	for (int i = 1; i < vrs_model_info(model).inputs; i++) {
		struct vrs_tensor_info in = vrs_model_input(model, i), out = vrs_model_output(model, i - 1);

		if (in.rank <= 1 && manifest->constant_count < VRS_MANIFEST_MAX_CONSTANTS) {
			struct vrs_manifest_constant *constant = &manifest->constants[manifest->constant_count++];

			(void)vrs_strcpy(constant->name, sizeof constant->name, in.name); /* what is cut is not found */
			constant->count = 1;
			constant->values[0] = 2;
		} else if (out.name != NULL && manifest->state_count < VRS_MANIFEST_MAX_STATES) {
			struct vrs_manifest_state *state = &manifest->states[manifest->state_count++];

			(void)vrs_strcpy(state->in, sizeof state->in, in.name); /* as above */
			(void)vrs_strcpy(state->out, sizeof state->out, out.name);
		}
	}
}

/* Sizes that are found for all inputs are sizes that the network takes. */
static void find_inputs(const struct vrs_model *model)
{
	static struct vrs_manifest manifest;
	struct vrs_model_inputs inputs;
	struct vrs_error err = {0};
	struct vrs_graph graph;

	memset(&manifest, 0, sizeof manifest);
	describe(&manifest, model);
	if (vrs_model_inputs_find(&inputs, model, &manifest, 1, 7, 9, &err) != VRS_OK) {
		require(err.text[0] != '\0');
		return;
	}
	if (vrs_graph_copy(&graph, vrs_model_graph(model)) == VRS_OK) {
		require(vrs_graph_set_shapes(&graph, inputs.shapes, inputs.values, inputs.count, NULL) == VRS_OK);
		require(vrs_graph_infer(&graph, NULL) == VRS_OK && vrs_graph_validate(&graph, NULL) == VRS_OK);
		run(&graph);
		vrs_graph_fini(&graph);
	}
	vrs_model_inputs_fini(&inputs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t live = vrs_mem_stats().live_bytes;
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	enum vrs_status status;

	if (!vrs_onnx_probe(data, size))
		return 0;
	status = vrs_model_load_memory(&model, data, size, "fuzz", &err);
	if (status != VRS_OK) {
		require(err.text[0] != '\0');
	} else {
		require(vrs_graph_validate(vrs_model_graph(model), NULL) == VRS_OK);
		/* Constants within their limit (one fold may reach beyond it), tables within some multiple of the file. */
		require(vrs_mem_stats().live_bytes - live < VRS_MODEL_MAX_CONST_FACTOR * size + 3 * VRS_MODEL_MIN_CONST_BYTES + 1024 * size);
		use(model, 0, 0, 0);
		use(model, 2, 9, 7);
		find_inputs(model);
		vrs_model_destroy(model);
	}
	require(vrs_mem_stats().live_bytes == live);
	return 0;
}
