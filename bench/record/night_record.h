/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One night of the history: the accepted baseline (A) against the build of the day (B) in every case and metric, and the verdict.  A night is one
 * JSON line, and so is a decision of a person about the history; docs/nightly.md describes both.
 */
#ifndef VRS_BENCH_NIGHT_RECORD_H
#define VRS_BENCH_NIGHT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "bench/record/result.h"

#define VRS_NIGHT_SCHEMA "vrbench-history/1" /* a reader takes it, and what has .N behind it */
#define VRS_NIGHT_LINE_MAX (8u << 20)        /* bytes */
#define VRS_NIGHT_MAX_CASES 512
#define VRS_NIGHT_MAX_METRICS 32             /* of a case */
#define VRS_NIGHT_REASON_MAX 480             /* bytes of what a person says, with the final 0 */

enum vrs_night_outcome {
	VRS_NIGHT_RECORDED,     /* there was nothing to compare with: the first night, or one without its baseline */
	VRS_NIGHT_PASSED,
	VRS_NIGHT_REGRESSION,
	VRS_NIGHT_INCONCLUSIVE,
	VRS_NIGHT_INVALID,
};
extern const struct vrs_names vrs_night_outcome_names; /* "recorded", "passed", "regression", ... */

/* One case of one video. */
struct vrs_night_figures {
	char input[256];                 /* of the video, as people call it: the name without folders */
	uint64_t input_hash;
	char id[VRS_CASE_ID_MAX];        /* without the side (bench/plan/case.h) */
	char device[128], driver[128];   /* that the build of the day ran on; "" on the host */
	char note[256];                  /* why it has no figures, or no verdict; "" */
	int64_t mattes;                  /* frames that the matte's figures are of (vrs_case_result_mattes); -1: not known */
	struct vrs_comparison *metrics;  /* B against A; without a baseline: b alone, and pairs is 0 */
	int metric_count;
};

struct vrs_night_record {
	int64_t number;                  /* from 1, without gaps */
	int64_t time;                    /* of its beginning, seconds since 1970 */
	char date_utc[32];               /* the same for people */
	char version[64], commit[64];    /* of the build of the day */
	char sha256[65];                 /* of its vrbench */
	char baseline_sha256[65];        /* of the vrbench that it was compared with; "": none */
	uint64_t fingerprint;            /* of the machine */
	double injected_slowdown;        /* B was slowed by this share to prove the gate; NaN: not */
	bool confirmed;                  /* a second invocation has measured what the first called slower */
	bool complete;                   /* false: the budget ended before the last round */
	int rounds;                      /* of the first invocation */
	char command[1024];
	enum vrs_night_outcome gate;     /* of this night's comparisons alone */
	char gate_reason[320];           /* the same as a sentence */
	enum vrs_night_outcome outcome;  /* with what the history says */
	char reason[640];                /* the verdict as a sentence */
	struct vrs_night_figures *cases;
	int case_count;
};

enum vrs_decision_kind {
	VRS_DECISION_ACCEPT,   /* the build of a night is the baseline from now on */
	VRS_DECISION_NOTE,     /* what has changed in a night is known */
};
extern const struct vrs_names vrs_decision_kind_names; /* "accept", "note" */

struct vrs_decision {
	enum vrs_decision_kind kind;
	int64_t night;                   /* its number; 0: before the first one */
	int64_t time;
	char date_utc[32];
	char version[64], commit[64], sha256[65]; /* of the build of that night; version and commit "": not known */
	char reason[VRS_NIGHT_REASON_MAX];
};

/* Empty records: every measured value absent. */
void vrs_night_record_init(struct vrs_night_record *night);
void vrs_decision_init(struct vrs_decision *decision);
/* Room for so many cases, or metrics, in the arena, empty. NULL: out of memory, or more than the limit. */
struct vrs_night_figures *vrs_night_record_make_cases(struct vrs_arena *arena, int count);
struct vrs_comparison *vrs_night_record_make_metrics(struct vrs_arena *arena, int count);
/* The metric of that name; NULL: the case has none. */
const struct vrs_comparison *vrs_night_figures_find(const struct vrs_night_figures *c, const char *metric);

#define VRS_NIGHT_NAME_MAX 32
/* "night 41", or "this result" where it has no number: for sentences. Returns buf. */
const char *vrs_night_name(const struct vrs_night_record *night, char buf[VRS_NIGHT_NAME_MAX]);

/* How many metrics of all cases have that verdict; those that were recorded alone have none. */
int vrs_night_record_count(const struct vrs_night_record *night, enum vrs_verdict verdict);

/* The record as one line without its end, to be freed with vrs_json_free_text. VRS_ENOMEM, VRS_ELIMIT. */
enum vrs_status vrs_night_record_print(const struct vrs_night_record *night, char **ret_text, struct vrs_error *err);
enum vrs_status vrs_decision_print(const struct vrs_decision *decision, char **ret_text, struct vrs_error *err);
/*
 * Back, with full checks; name is the file with the line, for messages.  What cases and metrics need comes from the arena.  VRS_EFORMAT names the
 * key; VRS_EUNSUPPORTED: written by a newer version; VRS_ELIMIT, VRS_ENOMEM.
 */
enum vrs_status vrs_night_record_parse(const char *line, size_t length, const char *name, struct vrs_arena *arena, struct vrs_night_record *ret_night,
				struct vrs_error *err);
enum vrs_status vrs_decision_parse(const char *line, size_t length, const char *name, struct vrs_decision *ret_decision, struct vrs_error *err);

#endif
