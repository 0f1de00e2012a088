/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of several invocations side by side: every figure of the cases that they share, what differs around them, and what may be said of it. */
#ifndef VRS_ANALYZER_COMPARE_H
#define VRS_ANALYZER_COMPARE_H

#include <time.h>

#include "analyzer/findings.h"
#include "bench/judge/between.h"
#include "bench/record/result.h"

/* Why two results give no verdict; the first that holds. */
enum vrs_hindrance { VRS_NO_SHARED_ROUNDS, VRS_OTHER_MACHINE, VRS_OTHER_DEVICE, VRS_OTHER_INPUT, VRS_NO_SHARED_CASE };
extern const struct vrs_names vrs_hindrance_names; /* "no_shared_rounds", ... */

/* One of the results. */
struct vrs_compare_side {
	const struct vrs_result *result;
	const char *path;          /* as it was given */
	char letter;               /* 'A', 'B', ... */
};

/* What came of comparing a result with the first one. */
struct vrs_compare_outcome {
	bool same;                 /* both have the same content */
	enum vrs_hindrance hindrance; /* OTHER_MACHINE and behind: incomparable */
	int shared;                /* cases that both have measured, or that A has and that did not run in B */
	int failed;                /* of these, cases that did not run in B: INVALID, unless another one is worse */
	struct vrs_comparison headline; /* of the case that decides: the worst of them */
	const struct vrs_case_result *decides; /* of A; NULL: none */
	int invocations;           /* calibrations that the headline rests on */
	int worse, better;         /* figures of mattes, over all cases */
	int exit_code;             /* of vrseg/exit_codes.h */
	char command[1400];        /* what settles it; "": nothing to settle */
};

struct vrs_compare_options {
	time_t now;                /* for the age of calibrations */
	bool explain;              /* every step of every verdict, as a table */
};

/*
 * Add to findings what B is against A.  Times of two invocations share no rounds: their verdict is INCONCLUSIVE unless calibrations have shown how
 * invocations differ here (bench/judge/between.h); with calibrations the cases
 * are one family (Holm), as the worst speaks for all; figures of mattes with exact truth are the same in every run and judged by their margins.
 * The same content is EQUIVALENT.  VRS_ENOMEM.
 */
enum vrs_status vrs_compare_results(const struct vrs_compare_side *a, const struct vrs_compare_side *b, const struct vrs_compare_options *options,
				    struct vrs_findings *findings, struct vrs_compare_outcome *ret_outcome, struct vrs_error *err);
/* The outcome in a few words, in one sentence, and as the line for scripts (VRS_VERDICT_LINE_MAX). */
void vrs_compare_words(const struct vrs_compare_outcome *outcome, char *buf, size_t size);
void vrs_compare_sentence(const struct vrs_compare_outcome *outcome, char *buf, size_t size);
void vrs_compare_line(const struct vrs_compare_outcome *outcome, char *buf, size_t size);

/* The parts, each in a file of its own. */

/* compare_metrics.c: a row for each figure that both cases have; counts what is better and worse in the mattes. */
void vrs_compare_metrics_start(const struct vrs_compare_side *a, const struct vrs_compare_side *b, struct vrs_findings *findings);
void vrs_compare_metrics_add(struct vrs_table *table, const struct vrs_case_result *a, const struct vrs_case_result *b,
			     const struct vrs_comparison *headline, struct vrs_compare_outcome *outcome);
/* compare_environment.c: a row for each field of machine, build, input and settings that differs. VRS_ENOMEM. */
enum vrs_status vrs_compare_environment(const struct vrs_compare_side *a, const struct vrs_compare_side *b, struct vrs_findings *findings);
/* compare_command.c: the vrbench --versus that measures both sides of a case together. */
void vrs_compare_command(const struct vrs_compare_side *a, const struct vrs_compare_side *b, const struct vrs_case_result *c, char *buf, size_t size);
/* compare_explain.c */
void vrs_compare_explain_start(const struct vrs_compare_side *a, const struct vrs_compare_side *b, struct vrs_findings *findings);
/* What a change of mattes is: worse, the same, better (vrs_quality_change_text). */
extern const char *const vrs_compare_quality_words[3];
void vrs_compare_explain_case(struct vrs_table *table, const struct vrs_case_result *a, const struct vrs_case_result *b,
			      const struct vrs_comparison *headline, const struct vrs_between *steps, const char *class_name);
void vrs_compare_explain_outcome(struct vrs_table *table, const struct vrs_compare_outcome *outcome);

#endif
