/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A session from within, for the two files that make sessions and run them. */
#ifndef VRS_SESSION_SESSION_PARTS_H
#define VRS_SESSION_SESSION_PARTS_H

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
	bool carried[VRS_MAX_ENDS];         /* [input] has the value that vrs_session_carry gave it, not that of its host buffer */
};

#endif
