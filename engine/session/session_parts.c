/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a run. */
#include "session/session_state.h"

#include <fenv.h>
#include <string.h>

#include "session/session_replace.h"

static enum vrs_status check_input(const struct vrs_session *session, int input, struct vrs_error *err)
{
	int count = session->graph.input_count;
	return input >= 0 && input < count ? VRS_OK : vrs_fail(err, VRS_EINVAL, "there is no input %d; the session has %d", input, count);
}

static enum vrs_status check_output(const struct vrs_session *session, int output, struct vrs_error *err)
{
	int count = session->graph.output_count;
	if (output < 0 || output >= count)
		return vrs_fail(err, VRS_EINVAL, "there is no output %d; the session has %d", output, count);
	return session->has_run ? VRS_OK : vrs_fail(err, VRS_EINVAL, "output %d holds nothing; start a run first", output);
}

enum vrs_status vrs_session_upload(struct vrs_session *session, int input, struct vrs_error *err)
{
	enum vrs_status status = check_input(session, input, err);

	if (status == VRS_OK)
		vrs_session_copy_input(session, input);
	if (status == VRS_OK && session->backend->upload != NULL)
		status = session->backend->upload(session->run, input, err);
	if (status == VRS_OK)
		session->carried[input] = false;
	return status;
}

enum vrs_status vrs_session_start(struct vrs_session *session, struct vrs_error *err)
{
	enum vrs_status status;
	fenv_t callers;

	(void)fegetenv(&callers);
	(void)fesetenv(FE_DFL_ENV);
	status = session->backend->start(session->run, err);
	(void)fesetenv(&callers);
	session->has_run = status == VRS_OK;
	return status;
}

enum vrs_status vrs_session_download(struct vrs_session *session, int output, struct vrs_error *err)
{
	enum vrs_status status = check_output(session, output, err);

	if (status == VRS_OK && session->backend->download != NULL)
		status = session->backend->download(session->run, output, err);
	return status;
}

enum vrs_status vrs_session_wait(struct vrs_session *session, struct vrs_error *err)
{
	enum vrs_status status = session->backend->wait != NULL ? session->backend->wait(session->run, err) : VRS_OK;

	if (status == VRS_OK && session->has_run)
		vrs_session_copy_outputs(session);
	if (status != VRS_OK)
		session->has_run = false;
	return status;
}

/* What a carry needs besides its ends: the same type and dims. */
static enum vrs_status check_carry(const struct vrs_session *session, int output, int input, struct vrs_error *err)
{
	const struct vrs_graph_tensor *from = &session->graph.tensors[session->graph.outputs[output]];
	const struct vrs_graph_tensor *to = &session->graph.tensors[session->graph.inputs[input]];
	bool same = from->dtype == to->dtype && from->rank == to->rank;

	for (int i = 0; same && i < from->rank; i++)
		same = from->dims[i] == to->dims[i];
	if (same)
		return VRS_OK;
	return vrs_fail(err, VRS_EINVAL, "output %d (%s) cannot become input %d (%s): their types or shapes differ", output, from->name, input, to->name);
}

/* By the host, where the backend has no carry: of a device the output comes down first, and the input goes up again. */
static enum vrs_status carry_through_host(struct vrs_session *session, int output, int input, struct vrs_error *err)
{
	struct vrs_tensor_view from = vrs_session_output(session, output), to = vrs_session_input(session, input);
	enum vrs_status status = vrs_session_download(session, output, err), waited = vrs_session_wait(session, status == VRS_OK ? err : NULL);

	if (status == VRS_OK)
		status = waited;
	if (status != VRS_OK)
		return status;
	memcpy(to.raw, from.raw, to.bytes); /* of the same size, see check_carry */
	return vrs_session_upload(session, input, err);
}

enum vrs_status vrs_session_carry(struct vrs_session *session, int output, int input, struct vrs_error *err)
{
	const struct vrs_backend *backend = session->backend;
	enum vrs_status status = check_input(session, input, err);

	if (status == VRS_OK)
		status = check_output(session, output, err);
	if (status == VRS_OK)
		status = check_carry(session, output, input, err);
	if (status == VRS_OK)
		status = backend->carry != NULL ? backend->carry(session->run, output, input, err) : carry_through_host(session, output, input, err);
	if (status == VRS_OK)
		session->carried[input] = true;
	return status;
}
