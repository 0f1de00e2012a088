/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes ONNX networks (opset 17) for tests: values are names, weights are random.  All memory is the writer's arena's.
 *
 *   network_begin(&n, seed);
 *   x = network_input(&n, 4, (int64_t[]){1, 3, 64, 64});
 *   y = network_op(&n, "Conv", "pads=[1,1,1,1]", 2, x, network_weights(&n, 4, (int64_t[]){8, 3, 3, 3}, 27));
 *   network_output(&n, y); network_model(&n, &model, "name"); network_end(&n);
 */
#ifndef TESTS_ONNX_NETWORK_WRITER_H
#define TESTS_ONNX_NETWORK_WRITER_H

#include <stdint.h>

#include <vrseg/model.h>

#include "base/mem.h"
#include "base/rng.h"

#define NETWORK_LISTS 4096 /* nodes; weights */
#define NETWORK_ENDS 16    /* inputs; outputs */

struct network {
	struct vrs_arena arena;
	struct vrs_rng rng;
	struct Onnx__NodeProto *nodes[NETWORK_LISTS];
	struct Onnx__TensorProto *weights[NETWORK_LISTS];
	struct Onnx__ValueInfoProto *inputs[NETWORK_ENDS], *outputs[NETWORK_ENDS];
	int node_count, weight_count, input_count, output_count;
};

void network_begin(struct network *n, uint64_t seed);
void network_end(struct network *n);
/* From lo to hi, both included; one of the values; true in so many of a hundred cases. */
int network_pick(struct network *n, int lo, int hi);
#define network_among(n, ...) ((const int[]){__VA_ARGS__})[network_pick(n, 0, (int)(sizeof((const int[]){__VA_ARGS__}) / sizeof(int)) - 1)]
bool network_chance(struct network *n, int percent);

char *network_input(struct network *n, int rank, const int64_t *dims);       /* float */
char *network_weights(struct network *n, int rank, const int64_t *dims, double fan); /* random, of variance 1 / fan */
char *network_filled(struct network *n, int rank, const int64_t *dims, float value);
char *network_ints(struct network *n, int count, const int64_t *values);
char *network_int(struct network *n, int64_t value); /* without dims */
char *network_number(struct network *n, float value);
/*
 * A node's first output.  Attributes: name=1, name=0.5 (with a point: float), name=[1,2], name='text'; separated by blanks.  Inputs: names, NULL for
 * one that is left out.
 */
char *network_op(struct network *n, const char *type, const char *attributes, int inputs, ...);
/* With further outputs, which are written to `more`. */
char *network_op_more(struct network *n, const char *type, const char *attributes, int more_count, char **more, int inputs, ...);
void network_output(struct network *n, char *value);       /* float */
void network_index_output(struct network *n, char *value); /* of 64 bits */
/* Load what was written. */
enum vrs_status network_model(struct network *n, struct vrs_model **ret_model, const char *name, struct vrs_error *err);
/* The bytes of the file, in the arena. */
const uint8_t *network_bytes(struct network *n, size_t *ret_size);

#endif
