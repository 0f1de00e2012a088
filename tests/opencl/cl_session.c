/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A session on an OpenCL device from its making to its end, for each_call_fails.sh and under_oclgrind.sh: runs, parts of runs, a clone, an output
 * that is carried to an input, by itself and through slots; each result is compared with the reference on the host.
 *   cl_session [--seed N] [--count N] [--fp16] [--profile] [--plain] [--replay] [--backend NAME]      COUNT networks, of seed N and on
 * --plain: plain memory in place of pinned; --replay: kernels from recordings.
 * Exit codes: 0, 3 (a status with its message), 4 (a wrong result), 5 (VRS_OK after a failure).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vrseg/session.h>

#include "graph/model_graph.h"
#include "unit/backend/random_graph.h"
#include "unit/opencl/held_contexts.h"

#define BOUND_FP32 1e-4 /* of the largest value */
#define BOUND_FP16 0.05

static double bound = BOUND_FP32;

static int failed(const struct vrs_error *err)
{
	(void)fprintf(stderr, "cl_session: error: %s\n", err->text);
	return 3;
}

static int wrong(const char *what)
{
	(void)fprintf(stderr, "cl_session: error: wrong result: %s\n", what);
	return 4;
}

static void write_input(struct vrs_session *session, uint64_t seed)
{
	struct vrs_tensor_view in = vrs_session_input(session, 0);
	struct vrs_rng rng;

	vrs_rng_init(&rng, seed);
	for (size_t i = 0; i < in.elements; i++)
		in.data[i] = (float)(vrs_rng_unit(&rng) * 2 - 1);
}

static bool same_outputs(struct vrs_session *got, struct vrs_session *want)
{
	for (int k = 0; vrs_session_output(want, k).raw != NULL; k++) {
		struct vrs_tensor_view a = vrs_session_output(want, k), b = vrs_session_output(got, k);
		double largest = 1;

		for (size_t i = 0; i < a.elements; i++)
			largest = fmax(largest, fabs((double)a.data[i]));
		for (size_t i = 0; i < a.elements; i++)
			if (!(fabs((double)a.data[i] - (double)b.data[i]) <= bound * largest))
				return false;
	}
	return true;
}

/* Runs both on the same input. */
static int run_and_compare(struct vrs_session *session, struct vrs_session *reference, uint64_t seed)
{
	struct vrs_error err = {0};

	write_input(session, seed);
	write_input(reference, seed);
	if (vrs_session_run(session, &err) != VRS_OK || vrs_session_run(reference, &err) != VRS_OK)
		return failed(&err);
	return same_outputs(session, reference) ? 0 : wrong("a run");
}

/* Two runs by parts before one wait; whatever fails, wait says so too. */
static int parts(struct vrs_session *session, struct vrs_session *reference, uint64_t seed)
{
	struct vrs_error err = {0}, again = {0};
	enum vrs_status status, waited;

	write_input(session, seed);
	write_input(reference, seed);
	status = vrs_session_upload(session, 0, &err);
	for (int i = 0; i < 2 && status == VRS_OK; i++) {
		status = vrs_session_start(session, &err);
		for (int k = 0; status == VRS_OK && vrs_session_output(session, k).raw != NULL; k++)
			status = vrs_session_download(session, k, &err);
	}
	waited = vrs_session_wait(session, status == VRS_OK ? &err : &again);
	if (status != VRS_OK || waited != VRS_OK)
		(void)failed(&err);
	if (status != VRS_OK && waited == VRS_OK)
		return 5;
	if (waited != VRS_OK)
		return 3;
	if (vrs_session_run(reference, &err) != VRS_OK)
		return failed(&err);
	return same_outputs(session, reference) ? 0 : wrong("parts of a run");
}

static int cloned(const struct vrs_session *of, struct vrs_session *reference, uint64_t seed)
{
	struct vrs_session *session = NULL;
	struct vrs_error err = {0};
	int code;

	if (vrs_session_clone(&session, of, &err) != VRS_OK)
		return failed(&err);
	code = run_and_compare(session, reference, seed);
	vrs_session_destroy(session);
	return code;
}

static int network(const struct vrs_session_options *options, uint64_t seed)
{
	struct vrs_session_options host = *options;
	struct vrs_session *session = NULL, *reference = NULL;
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	struct vrs_graph graph;
	int code = 0;

	random_graph_build(&graph, seed);
	if (vrs_model_from_graph(&model, &graph, "random", &err) != VRS_OK)
		return failed(&err);
	vrs_graph_fini(&graph);
	host.backend = "ref";
	host.precision = VRS_PRECISION_FP32;
	host.batch = (int)vrs_model_graph(model)->tensors[vrs_model_graph(model)->inputs[0]].dims[0];
	struct vrs_session_options device = *options;

	device.batch = host.batch;
	if (vrs_session_create(&reference, model, &host, &err) != VRS_OK || vrs_session_create(&session, model, &device, &err) != VRS_OK)
		code = failed(&err);
	if (code == 0)
		code = run_and_compare(session, reference, seed + 1);
	if (code == 0)
		code = parts(session, reference, seed + 2);
	if (code == 0)
		code = cloned(session, reference, seed + 3);
	vrs_session_destroy(session);
	vrs_session_destroy(reference);
	vrs_model_destroy(model);
	return code;
}

/* y = 0.5 * x + 1, whose output goes back in: 1, 1.5, 1.75, 1.875. */
static int carries(struct vrs_session *session)
{
	struct vrs_error err = {0};
	enum vrs_status status = vrs_session_upload(session, 0, &err);

	for (int i = 0; i < 4 && status == VRS_OK; i++) {
		status = vrs_session_start(session, &err);
		if (status == VRS_OK && i == 3)
			status = vrs_session_download(session, 0, &err);
		if (status == VRS_OK && i < 3)
			status = vrs_session_carry(session, 0, 0, &err);
	}
	struct vrs_error again = {0};
	enum vrs_status waited = vrs_session_wait(session, status == VRS_OK ? &err : &again);

	if (status != VRS_OK || waited != VRS_OK)
		(void)failed(&err);
	if (status != VRS_OK && waited == VRS_OK)
		return 5;
	if (waited != VRS_OK)
		return 3;
	for (int i = 0; i < 24; i++)
		if (vrs_session_output(session, 0).data[i] != 1.875f)
			return wrong("a carried output");
	return 0;
}

/* The same through slots, there and back, and once more from a slot that the host writes. */
static int slots(struct vrs_session *session)
{
	const struct vrs_session_state state = {.input = 0, .output = 0, .is_read = true};
	struct vrs_error err = {0};
	float values[24];
	enum vrs_status status = vrs_session_slots_create(session, &state, 1, 2, &err);

	if (status == VRS_EUNSUPPORTED) /* the host */
		return 0;
	for (int i = 0; i < 4 && status == VRS_OK; i++) {
		vrs_session_slot_use(session, i > 0 ? 1 : -1, 0);
		status = vrs_session_run(session, &err);
		vrs_session_slot_keep(session, 0, 1);
	}
	if (status == VRS_OK)
		status = vrs_session_slot_read(session, 1, values, &err);
	if (status != VRS_OK)
		return failed(&err);
	for (int i = 0; i < 24; i++)
		if (values[i] != 1.875f)
			return wrong("a slot");
	vrs_session_slot_write(session, 0, values);
	vrs_session_slot_use(session, 0, 0);
	if (vrs_session_run(session, &err) != VRS_OK)
		return failed(&err);
	return vrs_session_output(session, 0).data[23] == 1.9375f ? 0 : wrong("a run from a slot");
}

static int recurrent(const struct vrs_session_options *options)
{
	struct vrs_graph_tensor x = {.name = "x", .dtype = VRS_F32, .rank = 4, .dims = {1, 2, 3, 4}, .producer = -1};
	struct vrs_graph_tensor y = {.name = "y", .dtype = VRS_F32, .producer = -1};
	struct vrs_session *session = NULL;
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	struct vrs_graph graph;
	int code;

	vrs_graph_init(&graph);
	graph.inputs[graph.input_count++] = random_check(vrs_graph_add_tensor(&graph, &x));
	struct vrs_node node = vrs_node_of(VRS_OP_UNARY, "half", 1, graph.inputs);

	node.act = VRS_ACT_LINEAR;
	node.act_lo = 0.5f;
	node.act_hi = 1;
	node.out = graph.outputs[graph.output_count++] = random_check(vrs_graph_add_tensor(&graph, &y));
	if (vrs_node_infer(&graph, random_check(vrs_graph_add_node(&graph, &node)), &err) != VRS_OK)
		return failed(&err);
	if (vrs_model_from_graph(&model, &graph, "recurrent", &err) != VRS_OK)
		return failed(&err);
	vrs_graph_fini(&graph);
	if (vrs_session_create(&session, model, options, &err) != VRS_OK)
		code = failed(&err);
	else
		code = carries(session);
	if (code == 0)
		code = slots(session);
	vrs_session_destroy(session);
	vrs_model_destroy(model);
	return code;
}

int main(int argc, char **argv)
{
	struct vrs_session_options options = vrs_session_options_default();
	uint64_t seed = 5, count = 1;
	int code = 0;

	options.backend = "opencl";
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
			seed = strtoull(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--count") == 0 && i + 1 < argc)
			count = strtoull(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--backend") == 0 && i + 1 < argc)
			options.backend = argv[++i];
		else if (strcmp(argv[i], "--profile") == 0)
			options.profile = true;
		else if (strcmp(argv[i], "--plain") == 0)
			options.pinned_memory = options.async_transfers = false;
		else if (strcmp(argv[i], "--replay") == 0)
			options.command_replay = true;
		else if (strcmp(argv[i], "--fp16") == 0)
			options.precision = VRS_PRECISION_FP16;
		else
			return 2;
	}
	if (options.precision == VRS_PRECISION_FP16)
		bound = BOUND_FP16;
	if (getenv("VRS_OWN_BUFFERS")) /* else calls are counted that a session makes */
		held_contexts_begin();
	for (uint64_t i = 0; i < count && code == 0; i++)
		code = network(&options, seed + i);
	if (code == 0)
		code = recurrent(&options);
	if (code == 0)
		(void)printf("all right\n");
	return held_contexts_end(code);
}
