/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was measured of mattes, as findings. */
#ifndef VRS_ANALYZER_MATTE_TABLES_H
#define VRS_ANALYZER_MATTE_TABLES_H

#include <vrseg/matte_measure.h>

#include "analyzer/findings.h"

#define VRS_MATTE_SHEET_ROWS (VRS_MATTE_ESTIMATES + 1)

/* Rows of a contact sheet: the worst frame of each estimate, and of IoU where there is a truth; returns how many. The reasons are constants. */
int vrs_matte_worst_frames(const struct vrs_matte_report *report, struct vrs_matte_sheet_row rows[VRS_MATTE_SHEET_ROWS],
			   const char *reasons[VRS_MATTE_SHEET_ROWS]);
/* Tables, notes and the verdict; all_events: a row for each event, too.  A failure is remembered by the findings. */
void vrs_matte_findings(const struct vrs_matte_report *report, const struct vrs_matte_request *request, bool all_events,
			struct vrs_findings *findings);
/* What is in the rows of the contact sheet at `path`. */
void vrs_matte_sheet_table(const struct vrs_matte_report *report, const struct vrs_matte_sheet_row *rows, const char *const *reasons, int count,
			   const char *path, struct vrs_findings *findings);

#endif
