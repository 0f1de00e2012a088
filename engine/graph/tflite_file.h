/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of a TFLite file that an importer needs, checked against the file and laid out in arrays.
 * Schema: tensorflow/compiler/mlir/lite/schema/schema.fbs.
 */
#ifndef VRS_GRAPH_TFLITE_FILE_H
#define VRS_GRAPH_TFLITE_FILE_H

#include "graph/flatbuffer.h"
#include "graph/ir.h"

enum vrs_tflite_type { VRS_TFLITE_F32 = 0, VRS_TFLITE_F16 = 1, VRS_TFLITE_I32 = 2, VRS_TFLITE_U8 = 3, VRS_TFLITE_I64 = 4, VRS_TFLITE_I8 = 9 };

/* Builtin operators with a meaning here (enum BuiltinOperator of the schema). */
enum vrs_tflite_builtin {
	VRS_TFLITE_ADD = 0,
	VRS_TFLITE_AVERAGE_POOL_2D = 1,
	VRS_TFLITE_CONCATENATION = 2,
	VRS_TFLITE_CONV_2D = 3,
	VRS_TFLITE_DEPTHWISE_CONV_2D = 4,
	VRS_TFLITE_DEQUANTIZE = 6,
	VRS_TFLITE_FULLY_CONNECTED = 9,
	VRS_TFLITE_LOGISTIC = 14,
	VRS_TFLITE_MAX_POOL_2D = 17,
	VRS_TFLITE_MUL = 18,
	VRS_TFLITE_RELU = 19,
	VRS_TFLITE_RELU_N1_TO_1 = 20,
	VRS_TFLITE_RELU6 = 21,
	VRS_TFLITE_RESHAPE = 22,
	VRS_TFLITE_RESIZE_BILINEAR = 23,
	VRS_TFLITE_SOFTMAX = 25,
	VRS_TFLITE_TANH = 28,
	VRS_TFLITE_CUSTOM = 32,
	VRS_TFLITE_PAD = 34,
	VRS_TFLITE_MEAN = 40,
	VRS_TFLITE_SUB = 41,
	VRS_TFLITE_DIV = 42,
	VRS_TFLITE_SQUEEZE = 43,
	VRS_TFLITE_MAXIMUM = 55,
	VRS_TFLITE_MINIMUM = 57,
	VRS_TFLITE_PADV2 = 60,
	VRS_TFLITE_TRANSPOSE_CONV = 67,
	VRS_TFLITE_RESIZE_NEAREST_NEIGHBOR = 97,
	VRS_TFLITE_LEAKY_RELU = 98,
	VRS_TFLITE_HARD_SWISH = 117,
};

struct vrs_tflite_tensor {
	char name[64];
	int type;                 /* enum vrs_tflite_type, or another value of the schema */
	int rank;                 /* -1: more than VRS_MAX_RANK */
	int64_t dims[VRS_MAX_RANK];
	const uint8_t *data;      /* constant, inside the file, any alignment; NULL: activation */
	size_t data_bytes;
	size_t at;                /* byte offset of its table */
};

struct vrs_tflite_code {
	int32_t builtin;
	char custom[64];
};

struct vrs_tflite_op {
	const struct vrs_tflite_code *code;
	struct vrs_fb_vector inputs, outputs; /* of tensor indices */
	struct vrs_fb_table options;
	struct vrs_fb_vector custom;          /* bytes */
	size_t at;
};

struct vrs_tflite_file {
	struct vrs_fb fb;
	struct vrs_tflite_tensor *tensors;
	struct vrs_tflite_code *codes;
	struct vrs_tflite_op *ops;
	uint32_t tensor_count, code_count, op_count;
	struct vrs_fb_vector inputs, outputs;
};

/* VRS_EFORMAT with a byte offset, VRS_EUNSUPPORTED (version, several subgraphs), VRS_ELIMIT, VRS_ENOMEM. Points into data. */
enum vrs_status vrs_tflite_open(struct vrs_tflite_file *ret_file, const void *data, size_t size, const char *name, struct vrs_error *err);
void vrs_tflite_close(struct vrs_tflite_file *file);
/* "CONV_2D", the custom name, or "builtin 999" in buf. */
const char *vrs_tflite_op_name(const struct vrs_tflite_code *code, char *buf, size_t size);

#endif
