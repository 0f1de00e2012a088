/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calibrations for backends other than the CPU's.  A calibration numbers the tensors and nodes of the graph as the CPU backend rewrites it; another
 * backend plans the graph as it is, and finds here which of its nodes the two have in common.
 */
#ifndef VRS_BACKEND_QUANT_GRAPH_H
#define VRS_BACKEND_QUANT_GRAPH_H

#include "graph/quant.h"

/*
 * ret_same[node] of the graph: the calibration's node of that number is the same operation on the same tensors; the caller gives room for all nodes.
 * fusion: of the session's options, as it was when the calibration was made.  VRS_EINVAL: the calibration is of another graph; VRS_ENOMEM.
 */
enum vrs_status vrs_quant_graph_match(bool *ret_same, const struct vrs_graph *graph, bool fusion, const struct vrs_calibration *calibration,
				      struct vrs_error *err);

#endif
