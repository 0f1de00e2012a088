/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Values of results that are words: enums inside the programs, names in JSON, journals, ids and reports.  words.c has the one table of each.
 */
#ifndef VRS_BENCH_WORDS_H
#define VRS_BENCH_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include <vrseg/layout.h>
#include <vrseg/session.h>

#include "base/names.h"

/* What a measurement takes in. */
enum vrs_scope {
	VRS_SCOPE_END_TO_END,     /* decode to encoded file */
	VRS_SCOPE_NO_IO,          /* raw frames in, nothing encoded */
	VRS_SCOPE_NET_ONLY,       /* the network alone */
};

/* Bytes of the id of a case (bench/plan/case.h): one that sets all options that a search moves needs 380. */
#define VRS_CASE_ID_MAX 512

/* The axis of a case that has the default value of every axis.  Other axes are names of options and techniques, for people. */
#define VRS_AXIS_DEFAULT "default"

/* Where the frames of a case come from. */
enum vrs_input_kind {
	VRS_INPUT_NOT_KNOWN,
	VRS_INPUT_CLIP,           /* the input as it was given */
	VRS_INPUT_DERIVED,        /* re-encoded from it */
	VRS_INPUT_SYNTHETIC,      /* a generated picture */
};

/* Of records that do not say it; has no name.  The names of the others are vrs_precision_names. */
#define VRS_PRECISION_NOT_KNOWN ((enum vrs_precision)-1)

enum vrs_run_status { VRS_RUN_OK, VRS_RUN_FAILED, VRS_RUN_TIMEOUT, VRS_RUN_CRASH, VRS_RUN_OOM, VRS_RUN_SKIPPED, VRS_RUN_STATUS_COUNT };

/* B against A. */
enum vrs_verdict { VRS_VERDICT_FASTER, VRS_VERDICT_SLOWER, VRS_VERDICT_EQUIVALENT, VRS_VERDICT_INCONCLUSIVE, VRS_VERDICT_INVALID };

/* Why a verdict is what it is. */
enum vrs_cause {
	VRS_CAUSE_NONE,
	VRS_CAUSE_FEW_RUNS,       /* fewer pairs than a verdict takes */
	VRS_CAUSE_PRECISION,      /* the interval is too wide for the margin */
	VRS_CAUSE_DISAGREE,       /* two kinds of interval contradict each other */
	VRS_CAUSE_BELOW_MARGIN,   /* the change is real and smaller than the margin */
	VRS_CAUSE_CLOCK,          /* the time differs, the cycles do not */
	VRS_CAUSE_HOLM,           /* proven alone, not in its family */
	VRS_CAUSE_DISTURBED,      /* a noise gate fired */
	VRS_CAUSE_FAILED,         /* a side did not run */
};

/* What a test of one case says: a soak, or a live case against its deadline. */
enum vrs_outcome { VRS_OUTCOME_NONE, VRS_OUTCOME_PASS, VRS_OUTCOME_FAIL, VRS_OUTCOME_INCONCLUSIVE };

/* What a soak has found; bits of a set. */
enum vrs_soak_cause {
	VRS_SOAK_MEMORY, VRS_SOAK_DRIFT, VRS_SOAK_THROTTLED, VRS_SOAK_CLOCK, VRS_SOAK_STALLED, VRS_SOAK_TOO_SHORT, VRS_SOAK_UNAVAILABLE,
	VRS_SOAK_CAUSE_COUNT
};

extern const struct vrs_names vrs_scope_names, vrs_input_kind_names, vrs_run_status_names, vrs_verdict_names, vrs_cause_names, vrs_outcome_names,
	vrs_soak_cause_names;

/* "offline" (hz 0) or "live@HZ", HZ from 1 to 1000. False: something else. */
bool vrs_mode_parse(const char *mode, double *ret_hz);
/* Back; returns buf. 16 bytes are enough. */
const char *vrs_mode_text(double hz, char *buf, size_t size);

#endif
