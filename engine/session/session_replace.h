/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A session whose device was lost goes on elsewhere.  Callers keep the views that they have: the host buffers of the first run stay the session's,
 * which a lost device leaves valid (backend/backend.h), and what later runs read and write is copied.
 */
#ifndef VRS_SESSION_SESSION_REPLACE_H
#define VRS_SESSION_SESSION_REPLACE_H

#include "session/session_state.h"

/* The host buffer of an input or output that callers know. The index is in range. */
void *vrs_session_host_input(const struct vrs_session *session, int index);
void *vrs_session_host_output(const struct vrs_session *session, int index);
/* An input from there to the run, before it is uploaded; all outputs back, when a run is done.  Nothing to do where no device was replaced. */
void vrs_session_copy_input(const struct vrs_session *session, int index);
void vrs_session_copy_outputs(const struct vrs_session *session);
/* Does a run that ended so go on elsewhere? The host is never lost. */
bool vrs_session_may_replace(const struct vrs_session *session, enum vrs_status status);
/*
 * After VRS_EDEVICE, with nothing under way: the next device of the list, and where none is left or can be used the CPU.  Inputs that the device has
 * carried by itself, or that slots have filled, are zero then, and there are no slots.  One warning line says so, once for a device, however many
 * sessions lose it.  why: the failure; after one here the reason of that.  Statuses of vrs_session_create; the session can only be destroyed then.
 */
enum vrs_status vrs_session_replace(struct vrs_session *session, struct vrs_error *why) VRS_MUST_CHECK;

#endif
