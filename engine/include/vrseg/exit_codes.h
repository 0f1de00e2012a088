/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one list of exit codes: what programs end with, what --help, README and man pages say about it.  1 is left to shells and make, which use it
 * for everything.
 */
#ifndef VRSEG_EXIT_CODES_H
#define VRSEG_EXIT_CODES_H

#include <vrseg/options.h>

#define VRS_EXIT_ALL (VRS_PROGRAM_VRSEG | VRS_PROGRAM_VRBENCH | VRS_PROGRAM_VRTUNE | VRS_PROGRAM_VRANALYZE)
#define VRS_EXIT_JUDGES (VRS_PROGRAM_VRBENCH | VRS_PROGRAM_VRANALYZE)

/* X(name, code, programs that return it, meaning) */
#define VRS_EXIT_LIST(X) \
	X(VRS_EXIT_OK, 0, VRS_EXIT_ALL, "success; a comparison found no regression") \
	X(VRS_EXIT_USAGE, 2, VRS_EXIT_ALL, "wrong usage or configuration, or the output exists and --overwrite is missing") \
	X(VRS_EXIT_FAILURE, 3, VRS_EXIT_ALL, \
	  "a file cannot be read or written, memory does not suffice, an internal error, or some of several inputs failed") \
	X(VRS_EXIT_REGRESSION, 10, VRS_EXIT_JUDGES | VRS_PROGRAM_VRSEG, "a regression, a failed soak, or a missed target with --fail-on target") \
	X(VRS_EXIT_INCONCLUSIVE, 11, VRS_EXIT_JUDGES, "inconclusive: more runs or a quieter machine are needed") \
	X(VRS_EXIT_INVALID, 12, VRS_EXIT_JUDGES, "invalid measurement: the machine was disturbed, or a side did not run") \
	X(VRS_EXIT_NO_BASELINE, 13, VRS_EXIT_JUDGES, \
	  "no baseline: what --versus or --baseline names does not exist, or a history has none") \
	X(VRS_EXIT_INCOMPARABLE, 14, VRS_EXIT_JUDGES, "the results cannot be compared, or a baseline is not the accepted one") \
	X(VRS_EXIT_INFEASIBLE, 15, VRS_PROGRAM_VRTUNE, "no measured settings keep all limits, such as --target-fps") \
	X(VRS_EXIT_STOPPED, 130, VRS_EXIT_ALL, "interrupted (SIGHUP: 129, SIGTERM: 143); what was finished is saved")

enum vrs_exit {
#define VRS_EXIT_ENTRY(name, code, programs, meaning) name = (code),
	VRS_EXIT_LIST(VRS_EXIT_ENTRY)
#undef VRS_EXIT_ENTRY
};

struct vrs_exit_row {
	int code;
	unsigned programs;         /* set of enum vrs_program */
	const char *meaning;       /* begins in lower case, no final dot */
};

/* All rows, in order of their codes. Constant; thread-safe. */
const struct vrs_exit_row *vrs_exit_table(int *ret_count);

#endif
