/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sessions: check the options, make the concrete graph, hand it to a backend. */
#include <vrseg/session.h>

#include <string.h>

#include "backend/backend.h"
#include "base/mem.h"
#include "base/names.h"
#include "graph/model_graph.h"
#include "graph/passes.h"
#include "machine/cpu_features.h"

#include <vrseg/calibration.h>

struct vrs_session {
	struct vrs_session_options options;
	const struct vrs_backend *backend;
	struct vrs_graph graph;       /* of the session's batch and size, after the passes */
	struct vrs_backend_run *run;
};

/* The registry.  "auto" is the first; the two after it have to be asked for by name. */
static const struct vrs_backend *const backends[] = {&vrs_backend_cpu, &vrs_backend_ref, &vrs_backend_null, NULL};

static const struct vrs_backend *find_backend(const char *name)
{
	for (int i = 0; backends[i] != NULL; i++)
		if (strcmp(name, "auto") == 0 || strcmp(name, backends[i]->name) == 0)
			return backends[i];
	return NULL;
}

bool vrs_backend_computes(const char *name)
{
	return strcmp(name, vrs_backend_null.name) != 0;
}

struct vrs_session_options vrs_session_options_default(void)
{
	return (struct vrs_session_options){
		.backend = "auto", .precision = VRS_PRECISION_FP32, .threads = 0, .batch = 1, .fusion = true, .deterministic = true,
		.half_min_bytes = -1,
	};
}

static const char *const precisions[] = {
	[VRS_PRECISION_AUTO] = "auto", [VRS_PRECISION_FP32] = "fp32", [VRS_PRECISION_FP16] = "fp16", [VRS_PRECISION_BF16] = "bf16",
	[VRS_PRECISION_INT8] = "int8", [VRS_PRECISION_MIXED] = "mixed",
};
const struct vrs_names vrs_precision_names = VRS_NAMES(precisions);

const char *vrs_precision_name(enum vrs_precision precision)
{
	const char *name = vrs_name_of(&vrs_precision_names, (int)precision);
	return name[0] ? name : "unknown";
}

enum vrs_precision vrs_precision_choose(const char *backend, const struct vrs_calibration *calibration, const char **ret_reason)
{
	const char *reason = "this CPU does not multiply in bf16";
	enum vrs_precision precision = VRS_PRECISION_FP32;

	if (find_backend(backend) != &vrs_backend_cpu) {
		reason = "backends other than cpu compute in fp32";
	} else if (calibration != NULL && vrs_calibration_info(calibration).passes) {
		reason = "the calibration passed its check";
		precision = VRS_PRECISION_INT8;
	} else if (vrs_cpu_features() & VRS_CPU_AVX512BF16) {
		reason = "this CPU multiplies in bf16";
		precision = VRS_PRECISION_BF16;
	}
	if (ret_reason != NULL)
		*ret_reason = reason;
	return precision;
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

/* Explicit shapes, or the picture size and batch. */
static enum vrs_status set_shapes(struct vrs_graph *graph, const struct vrs_session_options *options, struct vrs_error *err)
{
	enum vrs_status status;

	if (options->input_shapes == NULL)
		return vrs_graph_set_input(graph, options->batch, options->input_height, options->input_width, err);
	status = vrs_graph_set_shapes(graph, options->input_shapes, options->input_values, options->input_shape_count, err);
	return status == VRS_OK ? vrs_graph_infer(graph, err) : status;
}

/* The outputs whose bits are set, in the model's order; the first pass for dead code ends what led to the others. */
static enum vrs_status keep_outputs(struct vrs_graph *graph, uint32_t outputs, struct vrs_error *err)
{
	int kept = 0;

	for (int i = 0; i < graph->output_count; i++)
		if (outputs >> i & 1)
			graph->outputs[kept++] = graph->outputs[i];
	if (kept == 0)
		return vrs_fail(err, VRS_EINVAL, "none of the %d outputs of the network is wanted", graph->output_count);
	graph->output_count = kept;
	return VRS_OK;
}

enum vrs_status vrs_session_graph(struct vrs_graph *graph, const struct vrs_model *model, const struct vrs_session_options *options,
				     struct vrs_error *err)
{
	enum vrs_status status = vrs_graph_copy(graph, vrs_model_graph(model));

	if (status != VRS_OK)
		return vrs_fail(err, status, "out of memory");
	status = set_shapes(graph, options, err);
	if (status == VRS_OK && options->outputs != 0 && options->precision <= VRS_PRECISION_BF16)
		status = keep_outputs(graph, options->outputs, err);
	if (status == VRS_OK && options->pictures_nhwc)
		status = vrs_graph_use_nhwc(graph, err);
	return status == VRS_OK ? vrs_passes_run(graph, options->fusion, err) : status;
}

enum vrs_status vrs_session_create(struct vrs_session **ret_session, const struct vrs_model *model, const struct vrs_session_options *options,
				   struct vrs_error *err)
{
	struct vrs_session *session;
	const char *name;
	enum vrs_status status;

	if (ret_session == NULL || model == NULL || options == NULL)
		return vrs_fail(err, VRS_EINVAL, "vrs_session_create needs a model, options and a place for the session");
	name = options->backend != NULL ? options->backend : "auto";
	status = vrs_cpu_features_check(err); /* a VRSEG_CPU that means nothing must not pass for one that does */
	if (status == VRS_OK)
		status = check_options(options, err);
	if (status != VRS_OK)
		return status;
	session = vrs_calloc(1, sizeof *session);
	if (session == NULL)
		return vrs_fail_nomem(err);
	session->options = *options;
	if (options->precision == VRS_PRECISION_AUTO)
		session->options.precision = vrs_precision_choose(name, options->calibration, NULL);
	session->backend = find_backend(name);
	if (session->backend == NULL)
		status = vrs_fail(err, VRS_ENOTFOUND, "there is no backend \"%s\"; this build has auto, cpu, ref and null", name);
	else
		status = vrs_session_graph(&session->graph, model, &session->options, err); /* whose precision is settled */
	if (status == VRS_OK)
		status = session->backend->create(&session->run, &session->graph, &session->options, err);
	if (status != VRS_OK) {
		vrs_session_destroy(session);
		return status;
	}
	session->options.backend = session->backend->name; /* the caller's text may go */
	session->options.input_shapes = NULL;
	session->options.input_values = NULL;
	*ret_session = session;
	return VRS_OK;
}

enum vrs_status vrs_session_clone(struct vrs_session **ret_session, const struct vrs_session *of, struct vrs_error *err)
{
	struct vrs_session *session;
	enum vrs_status status;

	if (ret_session == NULL || of == NULL)
		return vrs_fail(err, VRS_EINVAL, "vrs_session_clone needs a session and a place for the new one");
	session = vrs_calloc(1, sizeof *session);
	if (session == NULL)
		return vrs_fail_nomem(err);
	session->options = of->options;
	session->backend = of->backend;
	if (vrs_graph_copy(&session->graph, &of->graph) != VRS_OK)
		status = vrs_fail_nomem(err);
	else if (of->backend->clone != NULL)
		status = of->backend->clone(&session->run, of->run, err);
	else
		status = of->backend->create(&session->run, &session->graph, &of->options, err);
	if (status != VRS_OK) {
		vrs_session_destroy(session);
		return status;
	}
	*ret_session = session;
	return VRS_OK;
}

void vrs_session_destroy(struct vrs_session *session)
{
	if (session == NULL)
		return;
	if (session->run != NULL)
		session->backend->destroy(session->run);
	vrs_graph_fini(&session->graph);
	vrs_free(session);
}

struct vrs_tensor_view vrs_session_view(const struct vrs_graph *graph, int32_t id, void *data)
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
	const struct vrs_graph *graph = &session->graph;

	if (index < 0 || index >= graph->input_count)
		return (struct vrs_tensor_view){0};
	return vrs_session_view(graph, graph->inputs[index], session->backend->input(session->run, index));
}

struct vrs_tensor_view vrs_session_output(struct vrs_session *session, int index)
{
	const struct vrs_graph *graph = &session->graph;

	if (index < 0 || index >= graph->output_count)
		return (struct vrs_tensor_view){0};
	return vrs_session_view(graph, graph->outputs[index], session->backend->output(session->run, index));
}

enum vrs_status vrs_session_run(struct vrs_session *session, struct vrs_error *err)
{
	return session->backend->run(session->run, err);
}

void vrs_session_stop_by(struct vrs_session *session, const atomic_bool *stop)
{
	if (session->backend->stop_by != NULL)
		session->backend->stop_by(session->run, stop);
}

struct vrs_session_info vrs_session_info(const struct vrs_session *session)
{
	struct vrs_session_info info = {.backend = session->backend->name, .isa = "ref", .kernels = "ref", .threads = 1, .sharers = 1,
		.precision = session->options.precision};

	session->backend->info(session->run, &info);
	return info;
}

int vrs_session_profile(struct vrs_session *session, const struct vrs_op_profile **ret_rows)
{
	return session->options.profile && session->backend->profile != NULL ? session->backend->profile(session->run, ret_rows) : 0;
}
