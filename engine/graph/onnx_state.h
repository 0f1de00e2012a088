/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The state of one ONNX import, for onnx_*.c.
 *
 * Two graphs grow in step, with the same ids.  `graph` is the product: sizes may be open, and everything that follows from SHAPE nodes stays in
 * it, so that a session can choose its sizes.  `trial` has plausible numbers for open sizes and is folded completely: ranks and types are read
 * from it.  Constants of the product are shared with the trial.  A tensor of rank -1 in the trial is unknown: its operator is not supported,
 * or its size does not work out with the numbers chosen.
 */
#ifndef VRS_GRAPH_ONNX_STATE_H
#define VRS_GRAPH_ONNX_STATE_H

#include <onnx/onnx.pb-c.h>

#include "graph/ir.h"

/* Names of values to tensor ids: open addressing, a power of two of slots, at most half of them used.  Keys stay in the file's message. */
struct vrs_onnx_names {
	struct { const char *name; int32_t id; } *slots;
	size_t size, used;
};

struct vrs_onnx_build {
	struct vrs_graph graph, trial;
	struct vrs_onnx_names names;
	Onnx__ModelProto *model;
	int opset;
	const char *name, *folder;   /* folder NULL: no external data */
	size_t file_bytes;           /* of the file and of the external data read so far */
	size_t external_bytes;
	size_t const_bytes, trial_bytes; /* constants of the product, and those of the trial alone */
	bool open;                   /* some size of an input is open */
	bool guessed;                /* some input has values in the trial, see onnx_ends.c */
	bool ones;                   /* open sizes of inputs but the first are 1 in the trial */
	int misfits;                 /* nodes whose sizes do not work out in the trial */
	bool at_outputs;             /* nodes are copies for outputs, which never become constants */
	char missing[360];           /* what is not supported, for the one message */
	int missing_more;            /* entries that found no room there */
	struct vrs_error *err;
};

/* onnx_wire.c: check nesting and numbers of fields, then unpack within a bound of memory; free with vrs_onnx_unpack_free. */
enum vrs_status vrs_onnx_unpack(Onnx__ModelProto **ret_model, const void *data, size_t size, const char *name, struct vrs_error *err);
void vrs_onnx_unpack_free(Onnx__ModelProto *model);
/* Release the values of a tensor of the message; they are not needed any more. */
void vrs_onnx_drop_values(Onnx__TensorProto *tensor);

/* onnx_ends.c: input number index of the file, an output. */
enum vrs_status vrs_onnx_import_input(struct vrs_onnx_build *build, const Onnx__GraphProto *graph, size_t index);
enum vrs_status vrs_onnx_import_output(struct vrs_onnx_build *build, const Onnx__ValueInfoProto *value);
/* Rank in the trial of a value that an operator should have made, and nobody has asked for until now. */
#define VRS_ONNX_NOT_MADE (-2)

/* onnx_names.c. put: VRS_EFORMAT when the name is taken. find: -1 when there is none. */
enum vrs_status vrs_onnx_names_put(struct vrs_onnx_names *names, const char *name, int32_t id, struct vrs_error *err);
/* The name may be given again; other names stay where they are found. */
void vrs_onnx_names_hide(struct vrs_onnx_names *names, const char *name);
int32_t vrs_onnx_names_find(const struct vrs_onnx_names *names, const char *name);
void vrs_onnx_names_fini(struct vrs_onnx_names *names);

/* onnx_tensor.c. Type of an element; false: text, complex numbers, unknown ones. F16 and BF16 become F32 inside (see vrs_onnx_inner_type). */
bool vrs_onnx_dtype(int32_t type, enum vrs_dtype *ret_dtype);
const char *vrs_onnx_type_name(int32_t type);
enum vrs_dtype vrs_onnx_inner_type(enum vrs_dtype dtype);
/* onnx_external.c: the place of the external data of a tensor, checked to hold size bytes; the caller closes fd. */
struct vrs_onnx_external {
	int fd;
	uint64_t offset;
	size_t size;
};
enum vrs_status vrs_onnx_open_external(struct vrs_onnx_build *build, const Onnx__TensorProto *tensor, size_t size, struct vrs_onnx_external *ret);
enum vrs_status vrs_onnx_read_external(struct vrs_onnx_build *build, const struct vrs_onnx_external *from, void *to);

/* onnx_build.c */
enum vrs_status vrs_onnx_charge(struct vrs_onnx_build *build, size_t *account, size_t bytes);
/* Append a tensor to both graphs; id or negative status. */
int32_t vrs_onnx_add_tensor(struct vrs_onnx_build *build, const struct vrs_graph_tensor *tensor);
/* A tensor nobody computes, of unknown rank. */
int32_t vrs_onnx_add_unknown(struct vrs_onnx_build *build, const char *name);
/* A node with an output of this name; id of the tensor or negative status. */
int32_t vrs_onnx_append(struct vrs_onnx_build *build, struct vrs_node *made, const char *name);
/* Add a line to the list of what is not supported. */
void vrs_onnx_missing(struct vrs_onnx_build *build, const char *type, const char *name, const char *what);

static inline const char *vrs_onnx_text(const char *text)
{
	return text != NULL ? text : "";
}

#endif
