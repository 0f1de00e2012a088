/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/session_replace.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/str_parse.h"
#include "session/session_graph.h"

#include <vrseg/log.h>

void *vrs_session_host_input(const struct vrs_session *session, int index)
{
	return session->face != NULL ? session->face_backend->input(session->face, index) : session->backend->input(session->run, index);
}

void *vrs_session_host_output(const struct vrs_session *session, int index)
{
	return session->face != NULL ? session->face_backend->output(session->face, index) : session->backend->output(session->run, index);
}

void vrs_session_copy_input(const struct vrs_session *session, int index)
{
	void *host = vrs_session_host_input(session, index);

	if (session->face != NULL)
		memcpy(session->backend->input(session->run, index), host, vrs_session_view(&session->graph, session->graph.inputs[index], host).bytes);
}

void vrs_session_copy_outputs(const struct vrs_session *session)
{
	for (int i = 0; session->face != NULL && i < session->graph.output_count; i++) {
		void *host = vrs_session_host_output(session, i);

		memcpy(host, session->backend->output(session->run, i), vrs_session_view(&session->graph, session->graph.outputs[i], host).bytes);
	}
}

/* The CPU knows no devices, and comes last. */
static void take_next(struct vrs_session *session)
{
	const char *rest = session->options.device != NULL ? strchr(session->options.device, '+') : NULL;

	session->options.device = rest != NULL ? rest + 1 : NULL; /* inside of session->device */
	if (rest == NULL)
		session->backend = &vrs_backend_cpu;
	session->options.backend = session->backend->name;
}

/* Do slots fill the input? */
static bool is_of_slots(const struct vrs_session *session, int input)
{
	for (int k = 0; session->slots.count > 0 && k < session->slots.states; k++)
		if (session->slots.state[k].input == input)
			return true;
	return false;
}

/* Runs take inputs from the host again. What a device carried by itself is only known to it: how many inputs are zero for that. */
static int forget_carried(struct vrs_session *session, bool by_device)
{
	int count = 0;

	for (int i = 0; i < session->graph.input_count; i++) {
		bool is_gone = session->carried[i] && (by_device || is_of_slots(session, i));

		session->carried[i] = false;
		if (!is_gone)
			continue;
		void *host = vrs_session_host_input(session, i);

		memset(host, 0, vrs_session_view(&session->graph, session->graph.inputs[i], host).bytes);
		count++;
	}
	session->slots = (struct vrs_state_slots){.count = 0};
	return count;
}

/* Name of the device that is lost, with its number where there are several, which may have one name. */
static void describe(const struct vrs_session *session, char *text, size_t size)
{
	const char *list = session->options.device != NULL ? session->options.device : "", *name = vrs_session_info(session).device;

	if (session->device != NULL && strchr(session->device, '+') != NULL)
		(void)snprintf(text, size, "%.100s (number %.*s)", name, (int)strcspn(list, "+"), list);
	else
		(void)vrs_strcpy(text, size, name);
}

static void tell(const struct vrs_session *session, const char *lost, const struct vrs_error *why, int gone)
{
	bool on_cpu = session->backend == &vrs_backend_cpu;
	char id[256];

	(void)snprintf(id, sizeof id, "lost device %.200s", lost);
	vrs_log_once(id, VRS_LOG_WARNING, "the device %s failed: %s; going on with %s%s%s", lost, why->text, on_cpu ? "the CPU" : "the device ",
		     on_cpu ? "" : vrs_session_info(session).device, gone > 0 ? "; states that were on it begin anew" : "");
}

bool vrs_session_may_replace(const struct vrs_session *session, enum vrs_status status)
{
	return status == VRS_EDEVICE && session->options.replace_lost && session->backend->upload != NULL;
}

enum vrs_status vrs_session_replace(struct vrs_session *session, struct vrs_error *why)
{
	const struct vrs_backend *backend = session->backend;
	char lost[160];
	const struct vrs_error cause = *why;
	struct vrs_backend_run *run = NULL;
	enum vrs_status status;
	int passed = 0;

	VRS_ASSERT(backend->upload != NULL); /* the host is never lost */
	describe(session, lost, sizeof lost);
	do {
		take_next(session);
		passed++;
		status = session->backend->create(&run, &session->graph, &session->options, why);
	} while (status != VRS_OK && session->backend != &vrs_backend_cpu);
	if (status != VRS_OK) {
		session->backend = backend; /* of the run that is there */
		return status;
	}
	if (session->face == NULL) {
		session->face = session->run;
		session->face_backend = backend;
	} else {
		backend->destroy(session->run);
	}
	session->run = run;
	session->devices_lost += passed;
	vrs_session_stop_by(session, session->stop);
	tell(session, lost, &cause, forget_carried(session, backend->carry != NULL));
	return VRS_OK;
}
