/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sessions: check the options, make the concrete graph, hand it to a backend. */
#include <vrseg/session.h>

#include "backend/backend.h"
#include "base/mem.h"
#include "graph/model_graph.h"
#include "graph/passes.h"
#include "machine/cpu_features.h"

#define PLANS 4                          /* of one session: sizes and batches that come back need no planning */
#define OTHERS_MAX_BYTES ((size_t)512 << 20) /* of the plans that are not in use */

/* The network for one input size and batch. */
struct plan {
	int batch, width, height;  /* as asked for */
	struct vrs_graph graph;
	struct vrs_backend_run *run;
	size_t bytes;
};

struct vrs_session {
	const struct vrs_model *model;
	struct vrs_session_options options;
	const struct vrs_backend *backend;
	struct vrs_backend_run *run;  /* of the first plan */
	struct plan *plans[PLANS];    /* the last used first */
	int plan_count;
	bool profile;
};

struct vrs_session_options vrs_session_options_default(void)
{
	return (struct vrs_session_options){
		.backend = "auto", .precision = VRS_PRECISION_FP32, .threads = 0, .batch = 1, .fusion = true, .deterministic = true,
		.half_min_bytes = -1,
	};
}

const char *vrs_precision_name(enum vrs_precision precision)
{
	static const char *const names[] = { "fp32", "fp16", "bf16", "int8", "mixed" };

	return (unsigned)precision < sizeof names / sizeof *names ? names[precision] : "unknown";
}

static enum vrs_status check_options(const struct vrs_session_options *options, struct vrs_error *err)
{
	if (options->threads < 0 || options->threads > 1024)
		return vrs_fail(err, VRS_EINVAL, "%d threads are not possible; use 1 to 1024, or 0 for every allowed CPU", options->threads);
	if ((unsigned)options->affinity > VRS_AFFINITY_CORES)
		return vrs_fail(err, VRS_EINVAL, "affinity %d does not exist", (int)options->affinity);
	if (options->batch < 1 || options->batch > 256)
		return vrs_fail(err, VRS_EINVAL, "a batch of %d is not possible; use 1 to 256", options->batch);
	if (options->input_width < 0 || options->input_height < 0)
		return vrs_fail(err, VRS_EINVAL, "an input size of %dx%d is not possible", options->input_width, options->input_height);
	if ((unsigned)options->precision > VRS_PRECISION_MIXED)
		return vrs_fail(err, VRS_EINVAL, "precision %d does not exist", (int)options->precision);
	if (options->precision > VRS_PRECISION_BF16 && !options->calibration)
		return vrs_fail(err, VRS_EINVAL, "precision %s needs a calibration of the network, and there is none: make one with vrseg --calibrate CLIP "
				"-m NETWORK, or use fp32, fp16 or bf16", vrs_precision_name(options->precision));
	return VRS_OK;
}

static enum vrs_status find_backend(const struct vrs_session_options *options, const struct vrs_backend **ret_backend, struct vrs_error *err)
{
	const char *name = options->backend != NULL ? options->backend : "auto";
	const struct vrs_backend *backend = vrs_backend_find(name);

	if (backend == NULL)
		return vrs_fail(err, VRS_ENOTFOUND, "there is no backend \"%s\"; this build has auto, cpu, ref and null", name);
	*ret_backend = backend;
	return backend->probe(err);
}

/* Explicit shapes, or the picture size and batch. */
static enum vrs_status set_shapes(struct vrs_graph *graph, const struct vrs_session_options *options, struct vrs_error *err)
{
	enum vrs_status status;

	if (options->input_shapes == NULL)
		return vrs_graph_set_input(graph, options->batch, options->input_height, options->input_width, err);
	status = vrs_graph_set_shapes(graph, options->input_shapes, options->input_values, options->input_shape_count, err);
	return status == VRS_OK ? vrs_graph_infer(graph, err) : status;
}

/* Copy the model's graph, give it the size of the session, run the passes. */
enum vrs_status vrs_session_graph(struct vrs_graph *graph, const struct vrs_model *model, const struct vrs_session_options *options,
				     struct vrs_error *err)
{
	enum vrs_status status = vrs_graph_copy(graph, vrs_model_graph(model));

	if (status != VRS_OK)
		return vrs_fail(err, status, "out of memory");
	status = set_shapes(graph, options, err);
	if (status == VRS_OK && options->pictures_nhwc)
		status = vrs_graph_use_nhwc(graph, err);
	return status == VRS_OK ? vrs_passes_run(graph, options->fusion, err) : status;
}

static void destroy_plan(const struct vrs_session *session, struct plan *plan)
{
	if (plan->run != NULL)
		session->backend->destroy(plan->run);
	vrs_graph_fini(&plan->graph);
	vrs_free(plan);
}

/* Bytes of everything that grows with the input. */
static size_t plan_bytes(const struct vrs_session *session, const struct plan *plan)
{
	struct vrs_session_info info = { 0 };

	session->backend->info(plan->run, &info);
	return info.arena_bytes + info.weight_bytes + info.scratch_bytes;
}

static enum vrs_status make_plan(const struct vrs_session *session, struct plan **ret_plan, struct vrs_error *err)
{
	const struct vrs_session_options *options = &session->options;
	struct plan *plan = vrs_calloc(1, sizeof *plan);
	enum vrs_status status;

	if (plan == NULL)
		return vrs_fail(err, VRS_ENOMEM, "out of memory");
	plan->batch = options->batch;
	plan->width = options->input_width;
	plan->height = options->input_height;
	status = vrs_session_graph(&plan->graph, session->model, options, err);
	if (status == VRS_OK)
		status = session->backend->create(&plan->run, &plan->graph, options, err);
	if (status != VRS_OK) {
		destroy_plan(session, plan);
		return status;
	}
	plan->bytes = plan_bytes(session, plan);
	*ret_plan = plan;
	return VRS_OK;
}

/* Put a plan in front; those that were not used for longest go when there are too many or they are too large. */
static void use_plan(struct vrs_session *session, struct plan *plan)
{
	int from = 0;
	size_t others = 0;

	while (from < session->plan_count && session->plans[from] != plan)
		from++;
	if (from == session->plan_count && from == PLANS)
		destroy_plan(session, session->plans[--from]);
	else if (from == session->plan_count)
		session->plan_count++;
	for (; from > 0; from--)
		session->plans[from] = session->plans[from - 1];
	session->plans[0] = plan;
	session->run = plan->run;
	for (int i = 1; i < session->plan_count; i++) {
		others += session->plans[i]->bytes;
		while (others > OTHERS_MAX_BYTES && session->plan_count > i)
			destroy_plan(session, session->plans[--session->plan_count]);
	}
}

enum vrs_status vrs_session_resize(struct vrs_session *session, int batch, int width, int height, struct vrs_error *err)
{
	struct vrs_session_options before = session->options;
	struct plan *plan = NULL;
	enum vrs_status status;

	session->options.batch = batch;
	session->options.input_width = width;
	session->options.input_height = height;
	session->options.input_shapes = NULL;
	status = check_options(&session->options, err);
	for (int i = 0; status == VRS_OK && plan == NULL && i < session->plan_count; i++)
		if (session->plans[i]->batch == batch && session->plans[i]->width == width && session->plans[i]->height == height)
			plan = session->plans[i];
	if (status == VRS_OK && plan == NULL)
		status = make_plan(session, &plan, err);
	if (status == VRS_OK)
		use_plan(session, plan);
	else
		session->options = before;
	return status;
}

enum vrs_status vrs_session_create(struct vrs_session **ret_session, const struct vrs_model *model, const struct vrs_session_options *options,
				   struct vrs_error *err)
{
	struct vrs_session *session;
	struct plan *plan = NULL;
	enum vrs_status status;

	if (ret_session == NULL || model == NULL || options == NULL)
		return vrs_fail(err, VRS_EINVAL, "vrs_session_create needs a model, options and a place for the session");
	status = vrs_cpu_features_check(err); /* a VRSEG_CPU that means nothing must not pass for one that does */
	if (status == VRS_OK)
		status = check_options(options, err);
	if (status != VRS_OK)
		return status;
	session = vrs_calloc(1, sizeof *session);
	if (session == NULL)
		return vrs_fail(err, VRS_ENOMEM, "out of memory");
	session->model = model;
	session->options = *options;
	session->profile = options->profile;
	status = find_backend(options, &session->backend, err);
	if (status == VRS_OK)
		status = make_plan(session, &plan, err);
	if (status != VRS_OK) {
		vrs_session_destroy(session);
		return status;
	}
	session->options.backend = session->backend->name; /* the caller's text may go */
	session->options.input_shapes = NULL;
	session->options.input_values = NULL;
	use_plan(session, plan);
	*ret_session = session;
	return VRS_OK;
}

/* The plan in use, for another session. */
static enum vrs_status clone_plan(const struct vrs_session *of, struct plan **ret_plan, struct vrs_error *err)
{
	const struct plan *from = of->plans[0];
	struct plan *plan = vrs_calloc(1, sizeof *plan);
	enum vrs_status status = VRS_OK;

	if (plan == NULL)
		return vrs_fail(err, VRS_ENOMEM, "out of memory");
	*plan = (struct plan){ .batch = from->batch, .width = from->width, .height = from->height, .bytes = from->bytes };
	if (vrs_graph_copy(&plan->graph, &from->graph) != VRS_OK)
		status = vrs_fail(err, VRS_ENOMEM, "out of memory");
	else if (of->backend->clone != NULL)
		status = of->backend->clone(&plan->run, from->run, err);
	else
		status = of->backend->create(&plan->run, &plan->graph, &of->options, err);
	if (status != VRS_OK) {
		destroy_plan(of, plan);
		return status;
	}
	*ret_plan = plan;
	return VRS_OK;
}

enum vrs_status vrs_session_clone(struct vrs_session **ret_session, const struct vrs_session *of, struct vrs_error *err)
{
	struct vrs_session *session;
	struct plan *plan = NULL;
	enum vrs_status status;

	if (ret_session == NULL || of == NULL)
		return vrs_fail(err, VRS_EINVAL, "vrs_session_clone needs a session and a place for the new one");
	session = vrs_calloc(1, sizeof *session);
	if (session == NULL)
		return vrs_fail(err, VRS_ENOMEM, "out of memory");
	session->model = of->model;
	session->options = of->options;
	session->backend = of->backend;
	session->profile = of->profile;
	status = clone_plan(of, &plan, err);
	if (status != VRS_OK) {
		vrs_free(session);
		return status;
	}
	use_plan(session, plan);
	*ret_session = session;
	return VRS_OK;
}

void vrs_session_destroy(struct vrs_session *session)
{
	if (session == NULL)
		return;
	for (int i = 0; i < session->plan_count; i++)
		destroy_plan(session, session->plans[i]);
	vrs_free(session);
}

static struct vrs_tensor_view view_of(const struct vrs_graph *graph, int32_t id, void *data)
{
	const struct vrs_graph_tensor *tensor = &graph->tensors[id];
	struct vrs_tensor_view view = {
		.name = tensor->name, .dtype = tensor->dtype, .rank = tensor->rank, .raw = data, .elements = vrs_tensor_elements(tensor),
	};

	view.data = tensor->dtype == VRS_F32 ? data : NULL;
	view.bytes = view.elements * vrs_dtype_size(tensor->dtype);
	for (int i = 0; i < tensor->rank; i++)
		view.dims[i] = (int)tensor->dims[i]; /* at most 2^24, see model_limits.h */
	return view;
}

struct vrs_tensor_view vrs_session_input(struct vrs_session *session, int index)
{
	const struct vrs_graph *graph = &session->plans[0]->graph;

	if (index < 0 || index >= graph->input_count)
		return (struct vrs_tensor_view){ 0 };
	return view_of(graph, graph->inputs[index], session->backend->input(session->run, index));
}

struct vrs_tensor_view vrs_session_output(struct vrs_session *session, int index)
{
	const struct vrs_graph *graph = &session->plans[0]->graph;

	if (index < 0 || index >= graph->output_count)
		return (struct vrs_tensor_view){ 0 };
	return view_of(graph, graph->outputs[index], session->backend->output(session->run, index));
}

enum vrs_status vrs_session_run(struct vrs_session *session, struct vrs_error *err)
{
	return session->backend->run(session->run, err);
}

struct vrs_session_info vrs_session_info(const struct vrs_session *session)
{
	struct vrs_session_info info = { .backend = session->backend->name, .isa = "ref", .threads = 1, .sharers = 1 };

	session->backend->info(session->run, &info);
	return info;
}

int vrs_session_profile(struct vrs_session *session, const struct vrs_op_profile **ret_rows)
{
	return session->profile && session->backend->profile != NULL ? session->backend->profile(session->run, ret_rows) : 0;
}
