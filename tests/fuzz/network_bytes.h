/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Networks from the bytes of a fuzzing engine, small enough to be run within a moment, and what a calibration of them is. */
#ifndef TESTS_FUZZ_NETWORK_BYTES_H
#define TESTS_FUZZ_NETWORK_BYTES_H

#include <vrseg/calibration.h>
#include <vrseg/session.h>

#include "graph/model_graph.h"
#include "network_cost.h"
#include "network_fill.h"
#include "network_recipe.h"
#include "require.h"

#define NETWORK_MAX_RUN_BYTES ((size_t)4 << 20)  /* of all values together */
#define NETWORK_MAX_RUN_WORK ((uint64_t)1 << 22) /* rough count of steps of one run */

/* Bytes that begin with R are a recipe (network_recipe.h), others a file.  NULL: no network. */
static inline struct vrs_model *network_of_bytes(const uint8_t *data, size_t size, bool *ret_wild)
{
	struct vrs_model *model = NULL;
	struct vrs_graph graph;

	*ret_wild = false;
	if (size == 0 || data[0] != 'R')
		return vrs_model_load_memory(&model, data, size, "fuzz", NULL) == VRS_OK ? model : NULL;
	if (recipe_build(&graph, data + 1, size - 1, ret_wild))
		require(vrs_model_from_graph(&model, &graph, "recipe", NULL) == VRS_OK);
	vrs_graph_fini(&graph);
	return model;
}

static inline int network_inputs(const struct vrs_model *model)
{
	return vrs_model_info(model).inputs;
}

/* The batch that a recipe was built for; 1 where it has none. */
static inline int network_batch(const struct vrs_model *model)
{
	const struct vrs_graph *graph = vrs_model_graph(model);
	int64_t batch = graph->input_count > 0 ? graph->tensors[graph->inputs[0]].dims[0] : 1;

	return batch > 0 ? (int)batch : 1;
}

static inline bool network_is_small(const struct vrs_graph *graph)
{
	uint64_t steps = 0;
	size_t total = 0;

	for (int32_t i = 0; i < graph->tensor_count && total <= NETWORK_MAX_RUN_BYTES; i++) {
		size_t bytes = vrs_tensor_elements(&graph->tensors[i]) * vrs_dtype_size(graph->tensors[i].dtype);

		total += bytes < NETWORK_MAX_RUN_BYTES ? bytes : NETWORK_MAX_RUN_BYTES + 1;
	}
	for (int32_t i = 0; i < graph->node_count && steps <= NETWORK_MAX_RUN_WORK; i++)
		steps += graph->nodes[i].dead ? 0 : network_work(graph, &graph->nodes[i]);
	return total <= NETWORK_MAX_RUN_BYTES && steps <= NETWORK_MAX_RUN_WORK;
}

/*
 * The graph at the size of the options, for the caller to free, also after false: it is not of this size, or cannot be run within a moment.  The
 * graph is all zeros before.
 */
static inline bool network_at_size(struct vrs_graph *graph, const struct vrs_model *model, const struct vrs_session_options *options)
{
	return vrs_graph_copy(graph, vrs_model_graph(model)) == VRS_OK &&
	       vrs_graph_set_input(graph, options->batch, options->input_height, options->input_width, NULL) == VRS_OK && network_is_small(graph);
}

static inline void network_fill_view(struct vrs_tensor_view view, unsigned seed, bool wild)
{
	network_fill(view.raw, view.dtype, view.elements, seed, wild);
}

static inline void network_fill_inputs(struct vrs_session *session, const struct vrs_model *model, bool wild)
{
	for (int i = 0; i < network_inputs(model); i++)
		network_fill_view(vrs_session_input(session, i), NETWORK_SEED + (unsigned)i, wild);
}

/* From one sample, that of a session where seed is NETWORK_SEED; NULL: this network cannot be calibrated. */
static inline struct vrs_calibration *network_calibrate_as(const struct vrs_model *model, const struct vrs_session_options *options,
							   enum vrs_range_method method, unsigned seed, bool wild)
{
	struct vrs_calibration_settings settings = vrs_calibration_settings_default();
	struct vrs_calibrator *calibrator = NULL;
	struct vrs_calibration *calibration = NULL;

	settings.method = method;
	if (vrs_calibrator_create(&calibrator, model, options, NULL) != VRS_OK)
		return NULL;
	for (int i = 0; i < network_inputs(model); i++)
		network_fill_view(vrs_calibrator_input(calibrator, i), seed + (unsigned)i, wild);
	require(vrs_calibrator_add(calibrator, NULL) == VRS_OK);
	require(vrs_calibrator_finish(calibrator, &settings, &calibration, NULL) == VRS_OK);
	vrs_calibrator_destroy(calibrator);
	return calibration;
}

/* On other inputs than those of sessions. */
static inline struct vrs_calibration *network_calibrate(const struct vrs_model *model, const struct vrs_session_options *options, bool wild)
{
	return network_calibrate_as(model, options, wild ? VRS_RANGE_MINMAX : VRS_RANGE_MSE, 3, wild);
}

#endif
