/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a backend needs to run a network in 8 bits: the range of each activation and the precision of each node.  Filled by a calibration, and
 * usable by an importer of networks that bring their own scales: u8 with scale s and zero point z has the range (0 - z) * s .. (255 - z) * s.
 *
 * Tensors and nodes are those of the graph that the backend plans (its rewritten copy), which `structure` identifies.
 */
#ifndef VRS_GRAPH_QUANT_H
#define VRS_GRAPH_QUANT_H

#include "graph/ir.h"

enum vrs_node_precision { VRS_NODE_FP32, VRS_NODE_INT8 };

struct vrs_quant_range {
	float lo, hi; /* lo <= 0 <= hi; both 0: not known */
};

struct vrs_calibration {
	uint64_t model_hash, structure;
	int32_t tensor_count, node_count;
	struct vrs_quant_range *ranges; /* [tensor] */
	uint8_t *int8;                  /* [node] enum vrs_node_precision of precision int8 */
	uint8_t *mixed;                 /* [node] of precision mixed */
	int samples;
	double int8_error, mixed_error; /* root mean square of output differences to fp32 over the samples; negative: not measured */
	int checks;                     /* pictures besides the samples that mattes of int8 were compared with those of fp32 on; 0: never */
	double int8_iou, int8_worst_iou; /* over them, mean and least intersection over union at 0.5 */
};

/* Real numbers as bytes: (q - zero) * scale with q and zero 0..255. */
struct vrs_quant_step {
	float scale, zero;
};

/* Is a range known, and one that bytes can stand for? */
bool vrs_quant_range_is_usable(const struct vrs_quant_range *range);
/* The bytes that cover a usable range and zero. */
struct vrs_quant_step vrs_quant_step_of(const struct vrs_quant_range *range);
/* Have the weights and biases of a layer, constants all, only numbers that 8 bits and a scale can stand for? */
bool vrs_quant_weights_are_ordinary(const struct vrs_graph *graph, const struct vrs_node *node);
/* VRS_EINVAL: the calibration is of another graph than this one. */
enum vrs_status vrs_calibration_check(const struct vrs_calibration *calibration, const struct vrs_graph *graph, struct vrs_error *err);
/* Operators, attributes of fusion and connections of a graph, without its sizes. */
uint64_t vrs_graph_structure(const struct vrs_graph *graph);
/* Empty, for tensors and nodes; free with vrs_calibration_destroy. */
enum vrs_status vrs_calibration_create(struct vrs_calibration **ret_calibration, int32_t tensors, int32_t nodes);

#endif
