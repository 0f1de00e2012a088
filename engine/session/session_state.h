/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A session from within, for the files that make sessions and run them. */
#ifndef VRS_SESSION_SESSION_STATE_H
#define VRS_SESSION_SESSION_STATE_H

#include <stdatomic.h>

#include <vrseg/session.h>

#include "backend/backend.h"
#include "graph/ir.h"

struct vrs_session {
	struct vrs_session_options options; /* whose texts are NULL or the session's own */
	const struct vrs_backend *backend;
	struct vrs_graph graph;             /* of the session's batch and size, after the passes */
	struct vrs_backend_run *run;
	char *device;                       /* options.device; NULL: none is asked for */
	bool has_run;                       /* the outputs are those of the last start */
	bool carried[VRS_MAX_ENDS];         /* [input] has the value that vrs_session_carry or a slot gave it, not that of its host buffer */
	struct vrs_state_slots slots;       /* count 0: none, or no more */
	struct vrs_error slot_failure;      /* the first one of a slot, for the next run; VRS_OK: none */
	const atomic_bool *stop;            /* of vrs_session_stop_by */
	/*
	 * Of the device that was lost first, which is kept for its host buffers: they stay those that callers write and read, and a run copies between
	 * them and its own (session_replace.h).  NULL: no device was replaced.
	 */
	struct vrs_backend_run *face;
	const struct vrs_backend *face_backend;
	int devices_lost;
};

#endif
