/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Network files: no bytes harm, a graph that is accepted is valid, has room for another size, and survives the passes; constants stay small. */
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "graph/model_graph.h"
#include "graph/model_limits.h"
#include "require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void change_size(const struct vrs_model *model, int64_t height, int64_t width)
{
	struct vrs_graph graph;

	if (vrs_graph_copy(&graph, vrs_model_graph(model)) != VRS_OK)
		return;
	if (vrs_graph_set_input(&graph, 2, height, width, NULL) == VRS_OK) {
		require(vrs_graph_validate(&graph, NULL) == VRS_OK);
		/* A pass may run out of a limit, but what it leaves must be sound. */
		if (vrs_passes_run(&graph, true, NULL) == VRS_OK)
			require(vrs_graph_infer(&graph, NULL) == VRS_OK && vrs_graph_validate(&graph, NULL) == VRS_OK);
	}
	vrs_graph_fini(&graph);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t live = vrs_mem_stats().live_bytes;
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	enum vrs_status status = vrs_model_load_memory(&model, data, size, "fuzz", &err);

	if (status != VRS_OK) {
		require(err.text[0] != '\0');
	} else {
		require(vrs_graph_validate(vrs_model_graph(model), NULL) == VRS_OK);
		/* Constants within their limit, tables within some multiple of the file. */
		require(vrs_mem_stats().live_bytes - live < VRS_MODEL_MAX_CONST_FACTOR * size + VRS_MODEL_MIN_CONST_BYTES + 256 * size);
		change_size(model, 0, 0);
		change_size(model, 32, 48);
		vrs_model_destroy(model);
	}
	require(vrs_mem_stats().live_bytes == live);
	return 0;
}
