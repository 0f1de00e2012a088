/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Importers are sequences of steps: the first that fails ends the function with its status. */
#ifndef VRS_GRAPH_IMPORT_TRY_H
#define VRS_GRAPH_IMPORT_TRY_H

#include <vrseg/status.h>

#define VRS_TRY(call) \
	do { \
		enum vrs_status try_status = (call); \
		if (try_status != VRS_OK) \
			return try_status; \
	} while (0)

#endif
