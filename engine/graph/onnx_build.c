/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Growing the two graphs of an ONNX import. */
#include "graph/onnx_build.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str_parse.h"
#include "graph/passes.h"
#include "graph/type_rules.h"

#define TRIAL_BYTES ((size_t)64 << 20) /* what follows from sizes may need so much more */

int vrs_onnx_rank(const struct vrs_onnx_node *node, int32_t tensor)
{
	int rank = tensor >= 0 ? node->build->trial.tensors[tensor].rank : -1;

	return rank >= 0 ? rank : -1;
}

const struct vrs_graph_tensor *vrs_onnx_known(const struct vrs_onnx_node *node, int32_t tensor)
{
	return vrs_onnx_rank(node, tensor) >= 0 ? &node->build->graph.tensors[tensor] : NULL;
}

enum vrs_dtype vrs_onnx_type_of(const struct vrs_onnx_node *node, int32_t tensor)
{
	return tensor >= 0 ? node->build->graph.tensors[tensor].dtype : VRS_F32; /* also where the shape is not known yet */
}

const struct vrs_graph_tensor *vrs_onnx_constant(const struct vrs_onnx_node *node, int32_t tensor)
{
	return tensor >= 0 && node->build->graph.tensors[tensor].data != NULL ? &node->build->graph.tensors[tensor] : NULL;
}

void vrs_onnx_missing(struct vrs_onnx_build *build, const char *type, const char *name, const char *what)
{
	size_t len = strlen(build->missing), room = sizeof build->missing - len;
	int n = snprintf(build->missing + len, room, "%s%.60s (%.60s)%s%.160s", len > 0 ? "; " : "", type, name, what[0] != '\0' ? ": " : "", what);

	if (build->missing_more > 0 || n < 0 || (size_t)n >= room) { /* the first without room ends the list */
		build->missing[len] = '\0';
		build->missing_more++;
	}
}

enum vrs_status vrs_onnx_unsupported(const struct vrs_onnx_node *node, const char *fmt, ...)
{
	char text[160];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof text, fmt, args); /* a cut text still tells what it is about */
	va_end(args);
	vrs_onnx_missing(node->build, vrs_onnx_text(node->proto->op_type), node->name, text);
	return VRS_OK;
}

enum vrs_status vrs_onnx_charge(struct vrs_onnx_build *build, size_t *account, size_t bytes)
{
	return vrs_graph_charge(account, bytes, build->file_bytes, account == &build->trial_bytes ? TRIAL_BYTES : 0, build->err);
}

static int32_t fail_full(struct vrs_onnx_build *build, int32_t status)
{
	return (int32_t)vrs_fail(build->err, (enum vrs_status)status, "the network needs too many nodes or tensors, or memory is out");
}

int32_t vrs_onnx_add_tensor(struct vrs_onnx_build *build, const struct vrs_graph_tensor *tensor)
{
	int32_t id = vrs_graph_add_tensor(&build->graph, tensor);
	int32_t twin = id >= 0 ? vrs_graph_add_tensor(&build->trial, tensor) : id;

	return twin >= 0 ? id : fail_full(build, twin);
}

int32_t vrs_onnx_add_unknown(struct vrs_onnx_build *build, const char *name)
{
	struct vrs_graph_tensor tensor = {.dtype = VRS_F32};
	int32_t id;

	(void)vrs_strcpy(tensor.name, sizeof tensor.name, name); /* a cut name still tells the tensor */
	id = vrs_onnx_add_tensor(build, &tensor);
	if (id >= 0)
		build->trial.tensors[id].rank = -1;
	return id;
}

int32_t vrs_onnx_const(const struct vrs_onnx_node *node, enum vrs_dtype dtype, int rank, const int64_t *dims, const void *data)
{
	struct vrs_onnx_build *build = node->build;
	struct vrs_graph_tensor tensor = {.name = "constant", .dtype = dtype, .rank = rank};
	enum vrs_status status;

	for (int i = 0; i < rank; i++)
		tensor.dims[i] = dims[i];
	if (!vrs_mul_size(vrs_tensor_elements(&tensor), vrs_dtype_size(dtype), &tensor.data_bytes))
		return (int32_t)vrs_fail(build->err, VRS_ELIMIT, "a constant is too large");
	status = vrs_onnx_charge(build, &build->const_bytes, tensor.data_bytes);
	if (status != VRS_OK)
		return (int32_t)status;
	tensor.data = vrs_graph_store(&build->graph, data, tensor.data_bytes);
	if (tensor.data == NULL)
		return (int32_t)vrs_fail_nomem(build->err);
	return vrs_onnx_add_tensor(build, &tensor);
}

/* Fold node id in one of the graphs and charge what that took. */
static enum vrs_status fold(struct vrs_onnx_build *build, struct vrs_graph *graph, size_t *account, int32_t id)
{
	const struct vrs_node *node = &graph->nodes[id];
	const struct vrs_graph_tensor *out = &graph->tensors[node->out];
	enum vrs_status status = vrs_node_fold(graph, id, build->err);

	if (status != VRS_OK || out->data == NULL || node->op == VRS_OP_RESHAPE)
		return status;
	return vrs_onnx_charge(build, account, out->data_bytes); /* a single fold is small, see pass_const_fold.c */
}

/* A node of the product, of which no equal one was folded before. */
static enum vrs_status fold_new(struct vrs_onnx_build *build, int32_t id)
{
	enum vrs_status status = fold(build, &build->graph, &build->const_bytes, id);

	if (status != VRS_OK || build->graph.tensors[build->graph.nodes[id].out].data == NULL)
		return status;
	return vrs_onnx_folds_put(&build->folds, &build->graph, id) == VRS_OK ? VRS_OK : vrs_fail_nomem(build->err);
}

/* The node is inferred in the trial.  The product gets its type and shape, and its value if that does not depend on the sizes of inputs. */
static enum vrs_status settle(struct vrs_onnx_build *build, int32_t id)
{
	struct vrs_node *made = &build->graph.nodes[id];
	struct vrs_graph_tensor *out = &build->graph.tensors[made->out], *twin = &build->trial.tensors[made->out];
	bool constant = made->op != VRS_OP_SHAPE;
	enum vrs_status status;

	out->dtype = twin->dtype;
	out->rank = twin->rank;
	memcpy(out->dims, twin->dims, sizeof out->dims);
	for (int i = 0; i < made->inputs; i++)
		constant = constant && (made->in[i] < 0 || build->graph.tensors[made->in[i]].data != NULL);
	if (build->at_outputs)
		return VRS_OK;
	if (!constant)
		return fold(build, &build->trial, &build->trial_bytes, id);
	*made = build->trial.nodes[id]; /* resolved attributes */
	status = vrs_onnx_folds_take(&build->folds, &build->graph, id) ? VRS_OK : fold_new(build, id);
	if (status == VRS_OK && out->data != NULL) {
		twin->data = out->data;
		twin->data_bytes = out->data_bytes;
		twin->producer = -1;
		build->trial.nodes[id].dead = true;
	}
	return status;
}

static bool has_unknown_input(const struct vrs_onnx_build *build, const struct vrs_node *node)
{
	for (int i = 0; i < node->inputs; i++)
		if (node->in[i] >= 0 && build->trial.tensors[node->in[i]].rank < 0)
			return true;
	return false;
}

/* Does the shape of the output depend on a value that only the running network has?  A session that makes it constant can do with it. */
static bool waits_for_value(const struct vrs_graph *trial, const struct vrs_node *node)
{
	for (int i = 0; i < node->inputs; i++)
		if (vrs_node_needs_value(node, i) && node->in[i] >= 0 && trial->tensors[node->in[i]].data == NULL)
			return true;
	return false;
}

/* The type of what a node makes is known when its shape is not. */
static void set_type(struct vrs_onnx_build *build, const struct vrs_node *node)
{
	for (int i = 0; i < node->inputs; i++)
		if (node->in[i] < 0 && i < 2)
			return;
	build->graph.tensors[node->out].dtype = build->trial.tensors[node->out].dtype = vrs_node_dtype(&build->trial, node);
}

/*
 * Validate and infer in the trial.  What is not supported goes to the list.  A size that does not work out is the file's fault unless some size
 * is open or waits for a value: then it may be the numbers chosen, and the session will tell.
 */
static enum vrs_status infer(struct vrs_onnx_build *build, int32_t id, const char *name)
{
	struct vrs_graph *trial = &build->trial;
	struct vrs_error inner = {0};
	enum vrs_status status = vrs_node_validate(trial, id, &inner);
	bool sizes = false;

	if (status == VRS_OK && (status = vrs_node_check_types(trial, id, &inner)) == VRS_OK) {
		status = vrs_node_infer(trial, id, &inner);
		sizes = true;
	}
	if (status == VRS_OK)
		return settle(build, id);
	trial->tensors[trial->nodes[id].out].rank = -1;
	if (sizes && status != VRS_ENOMEM && (build->open || build->guessed || waits_for_value(trial, &trial->nodes[id]))) {
		build->misfits++;
		set_type(build, &trial->nodes[id]);
		return VRS_OK;
	}
	if (status != VRS_EUNSUPPORTED)
		return vrs_fail(build->err, status, "%s", inner.text);
	vrs_onnx_missing(build, vrs_op_name(trial->nodes[id].op), name, inner.text);
	return VRS_OK;
}

int32_t vrs_onnx_append(struct vrs_onnx_build *build, struct vrs_node *made, const char *name)
{
	enum vrs_status status;
	int32_t id;

	made->out = vrs_onnx_add_unknown(build, name);
	if (made->out < 0)
		return made->out;
	id = vrs_graph_add_node(&build->graph, made);
	if (id >= 0)
		id = vrs_graph_add_node(&build->trial, made);
	if (id < 0)
		return fail_full(build, id);
	if (has_unknown_input(build, made)) {
		set_type(build, made);
		return made->out;
	}
	build->trial.tensors[made->out].rank = 0;
	status = infer(build, id, name);
	return status == VRS_OK ? made->out : (int32_t)status;
}

int32_t vrs_onnx_emit(const struct vrs_onnx_node *node, struct vrs_node *made, int output)
{
	bool named = output >= 0 && vrs_onnx_has_output(node, output);
	enum vrs_status status;
	int32_t id;

	for (int i = 0; i < made->inputs; i++)
		if (made->in[i] < -1)
			return made->in[i];
	id = vrs_onnx_append(node->build, made, named ? node->proto->output[output] : node->name);
	if (id < 0 || !named)
		return id;
	status = vrs_onnx_alias(node, id, output);
	return status == VRS_OK ? id : (int32_t)status;
}

enum vrs_status vrs_onnx_alias(const struct vrs_onnx_node *node, int32_t tensor, int output)
{
	if (tensor < 0 || !vrs_onnx_has_output(node, output))
		return tensor < 0 ? (enum vrs_status)tensor : VRS_OK;
	return vrs_onnx_names_put(&node->build->names, node->proto->output[output], tensor, node->build->err);
}
