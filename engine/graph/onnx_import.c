/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/onnx_import.h"

#include <stdio.h>
#include <string.h>

#include "graph/onnx_build.h"

#define MIN_OPSET 7
#define MAX_OPSET 21

static bool is_default_domain(const char *domain)
{
	return domain == NULL || domain[0] == '\0' || strcmp(domain, "ai.onnx") == 0;
}

/* Opset of the operators of ONNX itself.  Other domains may be declared; only their nodes are refused. */
static enum vrs_status find_opset(struct vrs_onnx_build *build)
{
	int64_t opset = -1;

	for (size_t i = 0; i < build->model->n_opset_import; i++)
		if (is_default_domain(build->model->opset_import[i]->domain))
			opset = build->model->opset_import[i]->version;
	if (opset < 0)
		return vrs_fail(build->err, VRS_EFORMAT, "the file does not say which operators it uses (opset_import)");
	if (opset < MIN_OPSET || opset > MAX_OPSET)
		return vrs_fail(build->err, VRS_EUNSUPPORTED, "opset %lld; %d to %d are supported", (long long)opset, MIN_OPSET, MAX_OPSET);
	build->opset = (int)opset;
	return VRS_OK;
}

static enum vrs_status import_initializers(struct vrs_onnx_build *build, Onnx__GraphProto *graph)
{
	for (size_t i = 0; i < graph->n_initializer; i++) {
		Onnx__TensorProto *tensor = graph->initializer[i];
		int32_t id = vrs_onnx_tensor_const(build, tensor, vrs_onnx_text(tensor->name));

		VRS_TRY(vrs_onnx_done(id));
		VRS_TRY(vrs_onnx_names_put(&build->names, vrs_onnx_text(tensor->name), id, build->err));
		vrs_onnx_drop_values(tensor);
	}
	if (graph->n_sparse_initializer > 0)
		vrs_onnx_missing(build, "sparse tensor", graph->sparse_initializer[0]->values != NULL ? vrs_onnx_text(graph->sparse_initializer[0]->values->name)
												     : "", "");
	return VRS_OK;
}

const struct vrs_onnx_op *const vrs_onnx_op_tables[] = {vrs_onnx_elementwise_ops, vrs_onnx_shape_ops, vrs_onnx_value_ops, vrs_onnx_reduce_ops,
	vrs_onnx_window_ops, vrs_onnx_resize_ops, vrs_onnx_norm_ops, vrs_onnx_matmul_ops, vrs_onnx_space_ops, vrs_onnx_quant_ops, NULL};

static const struct vrs_onnx_op *find_op(const char *type, int opset, bool *ret_known)
{
	*ret_known = false;
	for (const struct vrs_onnx_op *const *table = vrs_onnx_op_tables; *table != NULL; table++)
		for (const struct vrs_onnx_op *op = *table; op->type != NULL; op++) {
			if (strcmp(op->type, type) != 0)
				continue;
			*ret_known = true;
			if (opset >= op->min_opset && opset <= op->max_opset)
				return op;
		}
	return NULL;
}

/* All inputs exist.  ONNX requires that nodes come in an order in which they can run. */
static enum vrs_status check_inputs(struct vrs_onnx_build *build, const Onnx__NodeProto *proto, const char *name)
{
	for (size_t i = 0; i < proto->n_input; i++) {
		int32_t id = proto->input[i][0] != '\0' ? vrs_onnx_names_find(&build->names, proto->input[i]) : -1;

		if (proto->input[i][0] != '\0' && id < 0)
			return vrs_fail(build->err, VRS_EFORMAT, "its input %.100s is not computed before", proto->input[i]);
		if (id >= 0 && build->trial.tensors[id].rank == VRS_ONNX_NOT_MADE) {
			vrs_onnx_missing(build, vrs_onnx_text(proto->op_type), name, "it reads an output that is not supported");
			build->trial.tensors[id].rank = -1;
		}
	}
	return VRS_OK;
}

/* Outputs that the builder has not made are unknown. */
static enum vrs_status bind_rest(struct vrs_onnx_build *build, const Onnx__NodeProto *proto, int rank)
{
	for (size_t i = 0; i < proto->n_output; i++) {
		int32_t id;

		if (proto->output[i][0] == '\0' || vrs_onnx_names_find(&build->names, proto->output[i]) >= 0)
			continue;
		id = vrs_onnx_add_unknown(build, proto->output[i]);
		VRS_TRY(vrs_onnx_done(id));
		build->trial.tensors[id].rank = rank;
		VRS_TRY(vrs_onnx_names_put(&build->names, proto->output[i], id, build->err));
	}
	return VRS_OK;
}

static enum vrs_status import_node(struct vrs_onnx_build *build, const Onnx__NodeProto *proto, size_t index);

/* What a branch has named is not seen outside; another branch may use the names again. */
static void hide_names(struct vrs_onnx_build *build, const Onnx__GraphProto *branch)
{
	for (size_t i = 0; i < branch->n_initializer; i++)
		vrs_onnx_names_hide(&build->names, vrs_onnx_text(branch->initializer[i]->name));
	for (size_t i = 0; i < branch->n_node; i++)
		for (size_t k = 0; k < branch->node[i]->n_output; k++)
			vrs_onnx_names_hide(&build->names, branch->node[i]->output[k]);
}

/* The nodes of the branch that a constant condition takes come in the place of the If; values of the networks around it are seen in there. */
static enum vrs_status import_branch(const struct vrs_onnx_node *node)
{
	struct vrs_onnx_build *build = node->build;
	const struct vrs_graph_tensor *condition = vrs_onnx_constant(node, vrs_onnx_input(node, 0));
	bool taken = condition != NULL && condition->data_bytes > 0 && *(const uint8_t *)condition->data != 0;
	const Onnx__AttributeProto *part = vrs_onnx_attribute(node, taken ? "then_branch" : "else_branch");
	Onnx__GraphProto *branch = part != NULL ? part->g : NULL;
	int32_t made[VRS_MAX_ENDS];
	enum vrs_status status;

	if (condition == NULL)
		return vrs_onnx_unsupported(node, "a condition that is not constant");
	if (condition->dtype != VRS_BOOL || vrs_tensor_elements(condition) != 1 || branch == NULL || branch->n_output != node->proto->n_output ||
	    branch->n_output > VRS_MAX_ENDS)
		return vrs_fail(build->err, VRS_EFORMAT, "its condition is not one bool, or a branch is missing or has another number of outputs (or more "
				"than %d)", VRS_MAX_ENDS);
	status = import_initializers(build, branch);
	for (size_t i = 0; i < branch->n_node && status == VRS_OK; i++)
		status = import_node(build, branch->node[i], i);
	for (size_t i = 0; i < branch->n_output && status == VRS_OK; i++) {
		made[i] = vrs_onnx_names_find(&build->names, vrs_onnx_text(branch->output[i]->name));
		if (made[i] < 0)
			status = vrs_fail(build->err, VRS_EFORMAT, "its output %.100s is computed by no node", vrs_onnx_text(branch->output[i]->name));
	}
	hide_names(build, branch);
	for (size_t i = 0; i < branch->n_output && status == VRS_OK; i++)
		status = vrs_onnx_alias(node, made[i], (int)i);
	return status;
}

/*
 * Why a node cannot be imported; "": its operator is not known at all.  It is looked for only as long as the message has room: a file may hold
 * thousands of functions, and thousands of nodes to compare with each.
 */
static const char *reason(const struct vrs_onnx_build *build, const Onnx__NodeProto *proto, bool known, char *text, size_t size)
{
	const char *type = vrs_onnx_text(proto->op_type), *domain = vrs_onnx_text(proto->domain);

	if (build->missing_more > 0)
		return "";
	for (size_t i = 0; i < build->model->n_functions; i++)
		if (strcmp(vrs_onnx_text(build->model->functions[i]->name), type) == 0 &&
		    strcmp(vrs_onnx_text(build->model->functions[i]->domain), domain) == 0)
			return "a function that the file defines; export it with functions inlined";
	if (!is_default_domain(proto->domain)) {
		(void)snprintf(text, size, "operator of the domain %.100s", domain);
		return text;
	}
	for (size_t i = 0; i < proto->n_attribute; i++)
		if (proto->attribute[i]->g != NULL)
			return "an operator with networks inside";
	(void)snprintf(text, size, "not supported in opset %d", build->opset);
	return known ? text : "";
}

/* The inputs that the row of an operator wants are there. */
static enum vrs_status build_known(const struct vrs_onnx_node *node)
{
	int count = vrs_onnx_inputs(node), need = node->op->inputs == VRS_ONNX_ALL ? (count > 1 ? count : 1) : node->op->inputs;

	for (int32_t i = 0, id; i < need; i++)
		VRS_TRY(vrs_onnx_need(node, i, &id));
	return node->op->build(node);
}

static enum vrs_status build_node(struct vrs_onnx_build *build, struct vrs_onnx_node *node)
{
	const Onnx__NodeProto *proto = node->proto;
	const char *type = vrs_onnx_text(proto->op_type);
	bool known = false;
	char text[160];

	if (is_default_domain(proto->domain) && strcmp(type, "If") == 0)
		return import_branch(node);
	node->op = is_default_domain(proto->domain) ? find_op(type, build->opset, &known) : NULL;
	if (node->op != NULL)
		return build_known(node);
	vrs_onnx_missing(build, type, node->name, reason(build, proto, known, text, sizeof text));
	return bind_rest(build, proto, -1);
}

static enum vrs_status import_node(struct vrs_onnx_build *build, const Onnx__NodeProto *proto, size_t index)
{
	struct vrs_onnx_node node = {.build = build, .proto = proto, .opset = build->opset, .name = vrs_onnx_text(proto->name)};
	struct vrs_error inner = {0}, *outer = build->err;
	char missing[sizeof build->missing];
	int more = build->missing_more;
	bool reported;
	enum vrs_status status;

	memcpy(missing, build->missing, sizeof missing);
	if (node.name[0] == '\0' && proto->n_output > 0)
		node.name = proto->output[0];
	build->err = &inner;
	status = check_inputs(build, proto, node.name);
	if (status == VRS_OK && proto->n_output == 0)
		status = vrs_fail(&inner, VRS_EFORMAT, "it has no output");
	if (status == VRS_OK)
		status = build_node(build, &node);
	reported = more != build->missing_more || strcmp(missing, build->missing) != 0;
	if (status == VRS_OK)
		status = bind_rest(build, proto, reported ? -1 : VRS_ONNX_NOT_MADE);
	build->err = outer;
	if (status == VRS_OK)
		return VRS_OK;
	return vrs_fail(outer, status, "node %zu (%.60s %.60s): %s", index, vrs_onnx_text(proto->op_type), node.name, inner.text);
}

/* Pictures are [N][C][H][W] unless the sizes of the first input say otherwise (networks converted from TensorFlow). */
static bool has_nchw_input(const struct vrs_graph *graph)
{
	const struct vrs_graph_tensor *input = graph->input_count > 0 ? &graph->tensors[graph->inputs[0]] : NULL;

	if (input == NULL || input->rank != 4)
		return true;
	return !((input->dims[3] == 3 || input->dims[3] == 4 || input->dims[3] == 1) && (input->dims[1] < 1 || input->dims[1] > 4));
}

static enum vrs_status import_graph(struct vrs_onnx_build *build)
{
	Onnx__GraphProto *graph = build->model->graph;

	VRS_TRY(find_opset(build));
	if (graph == NULL)
		return vrs_fail(build->err, VRS_EFORMAT, "the file holds no network");
	VRS_TRY(import_initializers(build, graph));
	for (size_t i = 0; i < graph->n_input; i++)
		if (vrs_onnx_names_find(&build->names, vrs_onnx_text(graph->input[i]->name)) < 0)
			VRS_TRY(vrs_onnx_import_input(build, graph, i));
	for (size_t i = 0; i < graph->n_node; i++)
		VRS_TRY(import_node(build, graph->node[i], i));
	build->at_outputs = true;
	for (size_t i = 0; i < graph->n_output; i++)
		VRS_TRY(vrs_onnx_import_output(build, graph->output[i]));
	if (build->missing[0] != '\0' && build->missing_more > 0)
		return vrs_fail(build->err, VRS_EUNSUPPORTED, "not supported: %s; and %d more", build->missing, build->missing_more);
	if (build->missing[0] != '\0')
		return vrs_fail(build->err, VRS_EUNSUPPORTED, "not supported: %s", build->missing);
	build->graph.nchw = has_nchw_input(&build->graph);
	return vrs_graph_validate(&build->graph, build->err);
}

/* One import of the bytes; a graph on success. */
static enum vrs_status import_bytes(struct vrs_onnx_build *build, const void *data)
{
	struct vrs_error inner = {0}, *err = build->err;
	enum vrs_status status = vrs_onnx_unpack(&build->model, data, build->file_bytes, build->name, err);

	if (status != VRS_OK)
		return status;
	vrs_graph_init(&build->graph);
	vrs_graph_init(&build->trial);
	build->err = &inner;
	status = import_graph(build);
	vrs_onnx_unpack_free(build->model);
	vrs_onnx_names_fini(&build->names);
	vrs_onnx_folds_fini(&build->folds);
	vrs_graph_fini(&build->trial);
	if (status == VRS_OK)
		return VRS_OK;
	vrs_graph_fini(&build->graph);
	return vrs_fail(err, status, "%s: %s", build->name, inner.text);
}

/*
 * Where numbers chosen for open sizes did not work out, further inputs are tried as single values, as exports of recurrent networks take their
 * first states.
 */
enum vrs_status vrs_onnx_import(struct vrs_graph *ret_graph, const void *data, size_t size, const char *name, const char *folder,
				struct vrs_error *err)
{
	const struct vrs_onnx_build fresh = {.name = name, .folder = folder, .file_bytes = size, .err = err};
	struct vrs_onnx_build build = fresh, again = fresh;
	enum vrs_status status = import_bytes(&build, data);

	if (build.misfits > 0 && (status == VRS_OK || status == VRS_EUNSUPPORTED)) {
		again.ones = true;
		again.err = NULL;
		if (import_bytes(&again, data) == VRS_OK && (status != VRS_OK || again.misfits < build.misfits)) {
			if (status == VRS_OK)
				vrs_graph_fini(&build.graph);
			*ret_graph = again.graph;
			return VRS_OK;
		}
		if (again.graph.tensors != NULL)
			vrs_graph_fini(&again.graph);
	}
	if (status == VRS_OK)
		*ret_graph = build.graph;
	return status;
}
