/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Noise gates: what makes a run or a comparison unfit for conclusions.
 *
 * Hard gates exclude a run: it is kept with its cause, and measured again up to three times.  Soft gates are warnings: the margin of verdicts
 * grows by half.  A gate over something that cannot be observed here stays open, and the report says so.
 */
#ifndef VRS_BENCH_NOISE_GATE_H
#define VRS_BENCH_NOISE_GATE_H

#include <stdbool.h>
#include <stddef.h>

#include <vrseg/noise.h>

#include "bench/record/result.h"

#define VRS_GATE_RETRIES 3             /* of a run, after the first attempt */
#define VRS_GATE_EXCLUDED_SHARE 0.2    /* more excluded runs than this make a result invalid */
#define VRS_NOISE_OTHERS_LIMIT 0.10    /* of our CPUs' time: a run from which others took more is disturbed */
#define VRS_GATE_SOFT_MARGIN 1.5       /* factor of the margin when a soft gate fired */

enum vrs_gate_mode {
	VRS_GATES_OFF,    /* readings are recorded, nothing is excluded */
	VRS_GATES_MARK,   /* runs are excluded, but not repeated */
	VRS_GATES_RETRY,  /* excluded runs are repeated */
};

/* What was seen around one run. */
struct vrs_noise_seen {
	struct vrs_noise_reading before, after;
	double clock_mhz;      /* median of samples during the run; NaN: not observable */
	double own_cpu_seconds; /* of the run's process and of this one between the readings */
	double best_mhz;       /* highest clock_mhz of an earlier run of the session; NaN */
	double partner_mhz;    /* clock_mhz of the other side of the pair; NaN */
	double quota;          /* processors that control groups grant, when fewer than there are; 0: no limit */
};

/*
 * Share of our processors' time that other processes took, 0..1; NaN: not observable, or the run was shorter than a second.  Under a quota all
 * processors of the host are in sight, and others take from us only what does not fit beside it.
 */
double vrs_noise_others(const struct vrs_noise_seen *seen);
/* Share that the hypervisor took, 0..1; NaN: not observable. */
double vrs_noise_steal(const struct vrs_noise_seen *seen);
/* True when a hard gate fired: "CODE: what was seen; what to do" in buf, which is "" otherwise. */
bool vrs_noise_hard(const struct vrs_noise_seen *seen, char *buf, size_t size);

/* What soft gates know besides the runs. */
struct vrs_noise_facts {
	double stored_cv;      /* between runs, from calibration, share; NaN */
	double margin;         /* of verdicts, share */
	const char *governor;  /* ""; NULL: not observable */
	int battery;           /* 1, 0; -1 */
	bool turbo_changed;
	bool slow_build;       /* debug build or sanitizer */
};
/* The facts of this program and of two readings, one at the beginning and one at the end of the measurement. */
struct vrs_noise_facts vrs_noise_facts_from(const struct vrs_noise_reading *first, const struct vrs_noise_reading *last, double margin,
					    double stored_cv);

/* Soft gates over the counted runs of a case: "CODE (what was seen), CODE (...)"; returns how many fired. */
int vrs_noise_soft(const struct vrs_case_result *c, const struct vrs_noise_facts *facts, char *buf, size_t size);
/* True when too many runs were excluded: the sentence in buf names the most frequent cause. */
bool vrs_noise_invalid(const struct vrs_case_result *c, char *buf, size_t size);
/* What cannot be observed on this machine, as words for "not observable: ..."; "" when everything can. */
void vrs_noise_unobservable(const struct vrs_noise_reading *reading, char *buf, size_t size);

#endif
