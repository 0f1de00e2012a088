/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which outputs of a network a manifest speaks of. */
#include <string.h>

#include "graph/model_graph.h"

_Static_assert(VRS_MAX_ENDS <= 32, "every output of a graph has a bit");

/* The bit of an output; 0: there is none of that name. */
static uint32_t bit_of(const struct vrs_graph *graph, const char *name)
{
	for (int i = 0; i < graph->output_count; i++)
		if (strcmp(graph->tensors[graph->outputs[i]].name, name) == 0)
			return UINT32_C(1) << i;
	return 0;
}

uint32_t vrs_model_wanted_outputs(const struct vrs_model *model, const struct vrs_manifest *manifest)
{
	const struct vrs_graph *graph = vrs_model_graph(model);
	uint32_t wanted = manifest->output_name[0] ? bit_of(graph, manifest->output_name) : 1;
	bool known = wanted != 0;

	for (int i = 0; i < manifest->state_count; i++) {
		uint32_t bit = bit_of(graph, manifest->states[i].out);
		known = known && bit != 0;
		wanted |= bit;
	}
	for (int i = 0; i < manifest->detection_count; i++) {
		uint32_t bit = bit_of(graph, manifest->detections[i]);
		known = known && bit != 0;
		wanted |= bit;
	}
	return known ? wanted : 0;
}
