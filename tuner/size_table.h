/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The best settings of each clip size, side by side. */
#ifndef VRS_TUNER_SIZE_TABLE_H
#define VRS_TUNER_SIZE_TABLE_H

#include "analyzer/findings.h"
#include "tuner/search_result.h"

/* The search for one clip size. */
struct vrs_size_choice {
	bool searched;              /* result is filled; it is the caller's */
	struct vrs_search_result result;
	double target_fps;          /* that the settings keep; 0: none was asked for */
	char file[VRS_PATH_MAX];    /* that the choice was saved to; "": none */
};

/* Title and table of the searches that were made; a size whose limits nothing keeps says so. */
void vrs_size_table(const struct vrs_size_choice *choices, int count, struct vrs_findings *findings);

#endif
