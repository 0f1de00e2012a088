/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: an If with a constant condition becomes the nodes of the branch it takes, whose names may come again elsewhere; other operators with
 * networks inside, functions of the file and operators of other domains are named in the one message.
 */
#include <string.h>

#include "unit/graph/onnx_expect.h"

#include "graph/ir.h"
#include "graph/model_graph.h"

/* A network inside a node: "x" goes through one operator into "inner", and that comes out. */
static Onnx__GraphProto *make_part(struct onnx_net *net, const char *type)
{
	Onnx__GraphProto *part = net_alloc(net, sizeof *part);
	Onnx__ValueInfoProto *output = net_alloc(net, sizeof *output);
	Onnx__NodeProto *node = net_node(net, type, "x", "inner");

	net->graph.n_node--; /* it belongs into the part */
	onnx__graph_proto__init(part);
	onnx__value_info_proto__init(output);
	output->name = net_text(net, "inner");
	net_push(net, (void ***)&part->node, &part->n_node, node);
	net_push(net, (void ***)&part->output, &part->n_output, output);
	return part;
}

static Onnx__NodeProto *add_if(struct onnx_net *net, const char *condition, const char *output, const char *then_type, const char *else_type)
{
	Onnx__GraphProto *parts[] = {make_part(net, then_type), make_part(net, else_type)};
	Onnx__NodeProto *node = net_node(net, "If", condition, output);

	net_attribute(net, node, "then_branch")->g = parts[0];
	net_attribute(net, node, "else_branch")->g = parts[1];
	return node;
}

static void begin(struct onnx_net *net)
{
	static const int64_t dims[] = {1, 4};

	net_init(net, 16);
	net_value(net, false, "x", FLOAT, 2, dims);
	net_value(net, true, "y", FLOAT, 2, dims);
	net_initializer(net, "yes", BOOL, 0, NULL, "\1", 1);
	net_initializer(net, "no", BOOL, 0, NULL, "", 1);
}

static void test_taken(void **state)
{
	struct onnx_net net;
	struct vrs_model *model;
	const struct vrs_graph *graph;
	enum vrs_act acts[4];
	int count = 0;

	(void)state;
	begin(&net);
	add_if(&net, "yes", "a", "Sqrt", "NotThere");
	add_if(&net, "no", "b", "Loop", "Exp");
	net_node(&net, "Add", "a,b", "y");
	model = must_load(&net);
	graph = vrs_model_graph(model);
	for (int32_t i = 0; i < graph->node_count; i++)
		if (!graph->nodes[i].dead && graph->nodes[i].op == VRS_OP_UNARY && count < 4)
			acts[count++] = graph->nodes[i].act;
	assert_int_equal(count, 2);
	assert_int_equal(acts[0], VRS_ACT_SQRT);
	assert_int_equal(acts[1], VRS_ACT_EXP);
	vrs_model_destroy(model);
	net_fini(&net);
}

static void test_not_taken(void **state)
{
	struct onnx_net net;
	Onnx__NodeProto *node;

	(void)state;
	begin(&net);
	net_node(&net, "Relu", "x", "r");
	net_int(&net, net_node(&net, "Cast", "r", "c"), "to", BOOL);
	add_if(&net, "c", "y", "Sqrt", "Exp");
	EXPECT(&net, VRS_EUNSUPPORTED, "If (y): a condition that is not constant");
	net_fini(&net);
	begin(&net);
	node = add_if(&net, "yes", "y", "Sqrt", "Exp");
	node->attribute[0]->name = net_text(&net, "other");
	EXPECT(&net, VRS_EFORMAT, "node 0 (If y)", "a branch is missing");
	net_fini(&net);
	begin(&net);
	node = add_if(&net, "yes", "y", "Sqrt", "Exp");
	node->attribute[0]->g->output[0]->name = net_text(&net, "none");
	EXPECT(&net, VRS_EFORMAT, "node 0 (If y)", "its output none is computed by no node");
	net_fini(&net);
	begin(&net);
	add_if(&net, "yes", "y", "TopK", "Exp");
	EXPECT(&net, VRS_EUNSUPPORTED, "TopK (inner)");
	net_fini(&net);
}

static void test_others(void **state)
{
	Onnx__FunctionProto function = ONNX__FUNCTION_PROTO__INIT, *functions[] = {&function};
	char name[] = "Block", domain[] = "local";
	struct onnx_net net;

	(void)state;
	begin(&net);
	function.name = name;
	function.domain = domain;
	net.model.functions = functions;
	net.model.n_functions = 1;
	net_node(&net, "Block", "x", "a")->domain = net_text(&net, "local");
	net_node(&net, "Gelu", "a", "b")->domain = net_text(&net, "com.microsoft");
	net_attribute(&net, net_node(&net, "Loop", "b", "c"), "body")->g = make_part(&net, "Exp");
	net_attribute(&net, net_node(&net, "Scan", "c", "d"), "body")->g = make_part(&net, "Exp");
	net_node(&net, "Nonsense", "d", "y");
	EXPECT(&net, VRS_EUNSUPPORTED, "Block (a): a function that the file defines", "Gelu (b): operator of the domain com.microsoft",
	       "Loop (c): an operator with networks inside", "Scan (d): an operator with networks inside", "Nonsense (y)");
	net_fini(&net);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_taken),
		cmocka_unit_test(test_not_taken),
		cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
