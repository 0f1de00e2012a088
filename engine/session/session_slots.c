/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slots for states of recurrent networks, on a session's device. */
#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "session/session_replace.h"
#include "session/session_state.h"

/* Floats of an entry of the batch; 0: input and output do not fit each other, or are of another type. */
static size_t entry_floats(const struct vrs_session *session, const struct vrs_session_state *state, int64_t *ret_batch)
{
	const struct vrs_graph_tensor *in = &session->graph.tensors[session->graph.inputs[state->input]];
	const struct vrs_graph_tensor *out = &session->graph.tensors[session->graph.outputs[state->output]];
	bool fit = in->dtype == VRS_F32 && out->dtype == VRS_F32 && in->rank > 0 && out->rank > 0 && in->dims[0] > 0 && in->dims[0] == out->dims[0];

	*ret_batch = fit ? in->dims[0] : 0;
	return fit && vrs_tensor_elements(in) == vrs_tensor_elements(out) ? vrs_tensor_elements(in) / (size_t)in->dims[0] : 0;
}

static enum vrs_status fill_slots(struct vrs_state_slots *slots, const struct vrs_session *session, const struct vrs_session_state *states,
				  int state_count, int count, struct vrs_error *err)
{
	size_t bytes;
	int64_t batch = 0, of_state;

	if (count < 1 || state_count < 1 || state_count > VRS_SESSION_STATES_MAX)
		return vrs_fail(err, VRS_EINVAL, "%d slots for %d states cannot be; 1 to %d states are possible", count, state_count, VRS_SESSION_STATES_MAX);
	*slots = (struct vrs_state_slots){.count = count, .states = state_count};
	for (int k = 0; k < state_count; k++) {
		const struct vrs_session_state *state = &states[k];

		if (state->input < 0 || state->input >= session->graph.input_count || state->output < 0 || state->output >= session->graph.output_count)
			return vrs_fail(err, VRS_EINVAL, "there is no input %d or no output %d for a state", state->input, state->output);
		slots->state[k] = *state;
		slots->floats[k] = entry_floats(session, state, &of_state);
		if (slots->floats[k] == 0 || (k > 0 && of_state != batch))
			return vrs_fail(err, VRS_EUNSUPPORTED, "input %d and output %d are no state of a batch", state->input, state->output);
		batch = of_state;
		slots->total += slots->floats[k]; /* of tensors that are there */
	}
	bool fits = vrs_mul_size(slots->total, sizeof(float), &bytes) && vrs_mul_size(bytes, (size_t)count, &bytes);

	return fits ? VRS_OK : vrs_fail(err, VRS_ELIMIT, "%d slots of %zu floats are too large", count, slots->total);
}

enum vrs_status vrs_session_slots_create(struct vrs_session *session, const struct vrs_session_state *states, int state_count, int count,
					 struct vrs_error *err)
{
	struct vrs_state_slots slots;

	VRS_ASSERT(session->slots.count == 0);
	if (session->backend->slots == NULL)
		return vrs_fail(err, VRS_EUNSUPPORTED, "the backend %s keeps no states on a device", session->backend->name);
	enum vrs_status status = fill_slots(&slots, session, states, state_count, count, err);

	if (status == VRS_OK)
		status = session->backend->slots->create(session->run, &slots, err);
	if (status == VRS_OK)
		session->slots = slots;
	return status;
}

bool vrs_session_has_slots(const struct vrs_session *session)
{
	return session->slots.count > 0;
}

/* The first failure is the cause of all others, and the next run tells it. */
static void note(struct vrs_session *session, enum vrs_status status, const struct vrs_error *why)
{
	if (status != VRS_OK && session->slot_failure.status == VRS_OK)
		session->slot_failure = *why;
}

static bool has_failed(const struct vrs_session *session)
{
	return session->slot_failure.status != VRS_OK;
}

void vrs_session_slot_use(struct vrs_session *session, int slot, int entry)
{
	struct vrs_error why = {.status = VRS_OK};

	VRS_ASSERT(slot < session->slots.count && entry >= 0);
	for (int k = 0; k < session->slots.states; k++)
		session->carried[session->slots.state[k].input] = true;
	if (!has_failed(session))
		note(session, session->backend->slots->use(session->run, slot, entry, &why), &why);
}

void vrs_session_slot_keep(struct vrs_session *session, int entry, int slot)
{
	struct vrs_error why = {.status = VRS_OK};

	VRS_ASSERT(slot >= 0 && slot < session->slots.count && entry >= 0);
	if (!has_failed(session))
		note(session, session->backend->slots->keep(session->run, entry, slot, &why), &why);
}

enum vrs_status vrs_session_slot_read(struct vrs_session *session, int slot, float *to, struct vrs_error *err)
{
	struct vrs_error why = {.status = VRS_OK};

	VRS_ASSERT(slot >= 0 && slot < session->slots.count);
	if (!has_failed(session))
		note(session, session->backend->slots->read(session->run, slot, to, &why), &why);
	if (!has_failed(session))
		return VRS_OK;
	memset(to, 0, session->slots.total * sizeof *to);
	if (vrs_session_may_replace(session, session->slot_failure.status))
		return VRS_OK;
	if (err != NULL)
		*err = session->slot_failure;
	return session->slot_failure.status;
}

void vrs_session_slot_write(struct vrs_session *session, int slot, const float *from)
{
	struct vrs_error why = {.status = VRS_OK};

	VRS_ASSERT(slot >= 0 && slot < session->slots.count);
	if (!has_failed(session))
		note(session, session->backend->slots->write(session->run, slot, from, &why), &why);
}
