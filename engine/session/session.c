/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sessions: check the options, make the concrete graph, hand it to a backend. */
#include <vrseg/session.h>

#include "base/mem.h"
#include "machine/cpu_features.h"
#include "session/backend_list.h"
#include "session/session_graph.h"
#include "session/session_options.h"
#include "session/session_replace.h"
#include "session/session_state.h"

/* A session without graph and run. The caller's texts may go, and a backend without clone creates again with the same options. */
static struct vrs_session *new_session(const struct vrs_backend *backend, const struct vrs_session_options *options, struct vrs_error *err)
{
	struct vrs_session *session = vrs_calloc(1, sizeof *session);
	bool wants_device = options->device != NULL && options->device[0] != '\0';

	if (session != NULL && wants_device)
		session->device = vrs_strdup(options->device);
	if (session == NULL || (wants_device && session->device == NULL)) {
		vrs_free(session);
		(void)vrs_fail_nomem(err);
		return NULL;
	}
	session->backend = backend;
	session->options = *options;
	session->options.backend = backend->name;
	session->options.device = session->device;
	return session;
}

enum vrs_status vrs_session_create_on(struct vrs_session **ret_session, const struct vrs_backend *backend, const struct vrs_model *model,
				      const struct vrs_session_options *options, struct vrs_error *err)
{
	struct vrs_session *session;
	enum vrs_status status = vrs_cpu_features_check(err); /* a VRSEG_CPU that means nothing must not pass for one that does */

	if (status == VRS_OK)
		status = vrs_session_options_check(options, err);
	if (status != VRS_OK)
		return status;
	session = new_session(backend, options, err);
	if (session == NULL)
		return VRS_ENOMEM;
	if (options->precision == VRS_PRECISION_AUTO)
		session->options.precision = vrs_precision_choose(backend->name, options->calibration, NULL);
	status = vrs_session_graph(&session->graph, model, &session->options, err); /* whose precision is settled */
	if (status == VRS_OK)
		status = backend->create(&session->run, &session->graph, &session->options, err);
	if (status != VRS_OK) {
		vrs_session_destroy(session);
		return status;
	}
	session->options.input_shapes = NULL;
	session->options.input_values = NULL;
	*ret_session = session;
	return VRS_OK;
}

enum vrs_status vrs_session_create(struct vrs_session **ret_session, const struct vrs_model *model, const struct vrs_session_options *options,
				   struct vrs_error *err)
{
	const struct vrs_backend *backend = NULL;
	enum vrs_status status;

	if (ret_session == NULL || model == NULL || options == NULL)
		return vrs_fail(err, VRS_EINVAL, "vrs_session_create needs a model, options and a place for the session");
	status = vrs_backend_find(&backend, options->backend, err);
	return status == VRS_OK ? vrs_session_create_on(ret_session, backend, model, options, err) : status;
}

enum vrs_status vrs_session_clone(struct vrs_session **ret_session, const struct vrs_session *of, struct vrs_error *err)
{
	struct vrs_session *session;
	enum vrs_status status;

	if (ret_session == NULL || of == NULL)
		return vrs_fail(err, VRS_EINVAL, "vrs_session_clone needs a session and a place for the new one");
	session = new_session(of->backend, &of->options, err);
	if (session == NULL)
		return VRS_ENOMEM;
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
	if (session->face != NULL)
		session->face_backend->destroy(session->face);
	vrs_graph_fini(&session->graph);
	vrs_free(session->device);
	vrs_free(session);
}

struct vrs_tensor_view vrs_session_input(struct vrs_session *session, int index)
{
	const struct vrs_graph *graph = &session->graph;

	if (index < 0 || index >= graph->input_count)
		return (struct vrs_tensor_view){0};
	return vrs_session_view(graph, graph->inputs[index], vrs_session_host_input(session, index));
}

struct vrs_tensor_view vrs_session_output(struct vrs_session *session, int index)
{
	const struct vrs_graph *graph = &session->graph;

	if (index < 0 || index >= graph->output_count)
		return (struct vrs_tensor_view){0};
	return vrs_session_view(graph, graph->outputs[index], vrs_session_host_output(session, index));
}

/* A slot takes what the output has, and nobody else reads it. */
static bool stays_on_device(const struct vrs_session *session, int output)
{
	const struct vrs_state_slots *slots = &session->slots;

	for (int k = 0; slots->count > 0 && k < slots->states; k++)
		if (slots->state[k].output == output)
			return !slots->state[k].is_read;
	return false;
}

/* Every part in order. */
static enum vrs_status run_parts(struct vrs_session *session, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK, waited;

	for (int i = 0; status == VRS_OK && i < session->graph.input_count; i++)
		if (!session->carried[i])
			status = vrs_session_upload(session, i, err);
	if (status == VRS_OK)
		status = vrs_session_start(session, err);
	for (int i = 0; status == VRS_OK && i < session->graph.output_count; i++)
		if (!stays_on_device(session, i))
			status = vrs_session_download(session, i, err);
	/* Also after a failure: the caller writes the inputs next. The first failure is the cause. */
	waited = vrs_session_wait(session, status == VRS_OK ? err : NULL);
	if (status != VRS_OK)
		session->has_run = false;
	return status == VRS_OK ? waited : status;
}

enum vrs_status vrs_session_run(struct vrs_session *session, struct vrs_error *err)
{
	struct vrs_error why = session->slot_failure;
	enum vrs_status status = why.status != VRS_OK ? why.status : run_parts(session, &why);

	session->slot_failure = (struct vrs_error){.status = VRS_OK};
	while (vrs_session_may_replace(session, status)) {
		status = vrs_session_replace(session, &why);
		if (status == VRS_OK)
			status = run_parts(session, &why);
	}
	if (status != VRS_OK && err != NULL)
		*err = why;
	return status;
}

void vrs_session_stop_by(struct vrs_session *session, const atomic_bool *stop)
{
	session->stop = stop;
	if (session->backend->stop_by != NULL)
		session->backend->stop_by(session->run, stop);
}

struct vrs_session_info vrs_session_info(const struct vrs_session *session)
{
	struct vrs_session_info info = {.backend = session->backend->name, .isa = "ref", .kernels = "ref", .threads = 1, .sharers = 1,
		.precision = session->options.precision, .device = "", .driver = "", .devices_lost = session->devices_lost};

	session->backend->info(session->run, &info);
	return info;
}

int vrs_session_profile(struct vrs_session *session, const struct vrs_op_profile **ret_rows)
{
	return session->options.profile && session->backend->profile != NULL ? session->backend->profile(session->run, ret_rows) : 0;
}

bool vrs_session_device_spans(const struct vrs_session *session, struct vrs_device_span ret_spans[VRS_DEVICE_QUEUES])
{
	return session->options.profile && session->backend->spans != NULL && session->backend->spans(session->run, ret_spans);
}

enum vrs_status vrs_session_ceilings(struct vrs_session *session, struct vrs_device_ceilings *ret_ceilings, struct vrs_error *err)
{
	if (session->backend->ceilings == NULL)
		return vrs_fail(err, VRS_EUNSUPPORTED, "the backend %s runs on the host, whose ceilings are those of the machine", session->backend->name);
	if (!session->options.profile)
		return vrs_fail(err, VRS_EINVAL, "the ceilings of a device take a session with a profile");
	return session->backend->ceilings(session->run, ret_ceilings, err);
}
