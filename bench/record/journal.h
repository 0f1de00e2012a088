/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The journal of a result folder: one JSON line per finished run, written and synced at once, so that an interruption loses at most the run in
 * progress.  The first line is the plan: everything that is needed to go on.
 */
#ifndef VRS_BENCH_JOURNAL_H
#define VRS_BENCH_JOURNAL_H

#include <vrseg/config.h>
#include <vrseg/noise.h>

#include "base/json.h"
#include "bench/record/frame_recorder.h"
#include "bench/record/result.h"

#define VRS_JOURNAL_SCHEMA "vrbench-journal/1"
#define VRS_JOURNAL_LINE_MAX (1u << 20)

/* A measurement of techniques (bench/modes/techniques_mode.h): which. */
struct vrs_techniques_request {
	char file[VRS_PATH_MAX];      /* absolute path; "": it is none */
	char filter[256], skip[256];  /* expressions on names; "": none */
};

/* Conditions that hold for every run of a result. */
struct vrs_run_plan {
	char input[VRS_PATH_MAX];     /* absolute path; "": the synthetic clip */
	uint64_t input_hash;
	enum vrs_scope scope;         /* of cases that do not say */
	double live_hz;               /* the same; 0: offline */
	char command[1024];
	char started_utc[32];         /* when the measurement began; "": before the runner knows, and in older journals */
	struct vrs_recorder_rules rules;
	int rounds;
	uint64_t seed;
	double timeout_seconds;       /* of one run */
	int64_t memory_limit_bytes;   /* cases and children may not need more; 0: none */
	int quality_frames;
	bool soak;                    /* one long run of one case, watched in windows */
	bool quick;
	uint64_t fingerprint;         /* of the machine */
	uint64_t device_fingerprint;  /* of its GPUs and OpenCL devices; 0: there were none, or of an older journal */
	double goal;                  /* half width of the median's interval at which a case needs no more rounds, share of the median; 0: none */
	int gates;                    /* enum vrs_gate_mode */
	char versus[512];             /* an A/B: what side A is; "": a sweep */
	char versus_program[VRS_PATH_MAX]; /* an A/B of builds: the program of A's runs; "": the same */
	char versus_hash[65];         /* SHA-256 of that program: whoever resumes types its name, and it is the same */
	char versus_config[8192];     /* an A/B: A's configuration as YAML, what differs from the built-in defaults */
	bool calibrate;               /* the A/B is an A/A, and a long run follows */
	double calibrate_seconds;     /* of that run; 0: 60,000 frames */
	double margin;                /* an A/B: changes below do not matter, share of A; 0: default */
	int decide_by;                /* an A/B: enum vrs_compare_by */
	struct vrs_techniques_request techniques;
	double slowdown;              /* an A/B: B's runs are slowed by this share, to prove that the gate can fail; 0: not */
	char search[1024];            /* of vrtune: the flags that say what is searched for; "": it is no search, or of an older journal */
};

/* The machine around a run: what the judgement of a whole measurement knows besides the runs. */
struct vrs_noise_span {
	struct vrs_noise_reading before, after; /* read back, their clocks are 0: those of another boot say nothing */
};

/* One line, read back. */
struct vrs_journal_entry {
	bool is_plan;
	struct vrs_run_plan plan;     /* is_plan */
	struct vrs_case_result case_result;  /* else: the case without runs */
	bool has_run;
	struct vrs_run run;
	bool has_span;
	struct vrs_noise_span span;
};

/* The plan line: conditions, settings of the base configuration, cases in order (ids and axes). */
enum vrs_status vrs_journal_write_plan(const char *path, const struct vrs_run_plan *plan, const struct vrs_config *base,
				       const struct vrs_case_result *cases, int count, struct vrs_error *err);
/* A finished run, and the machine around it (span NULL: not observed), or a case that was skipped (run NULL). */
enum vrs_status vrs_journal_write_run(const char *path, const struct vrs_case_result *c, const struct vrs_run *run, const struct vrs_noise_span *span,
				      struct vrs_error *err);
/*
 * One line back.  base (may be NULL) receives the settings of a plan line, those that a record sets (vrs_option_is_recorded); on_case (may be NULL)
 * is called for each case of the plan.
 * VRS_EFORMAT names the line of `name`.
 */
enum vrs_status vrs_journal_parse(const char *line, size_t length, const char *name, long number, struct vrs_journal_entry *ret_entry,
				  struct vrs_config *base, enum vrs_status (*on_case)(void *cookie, const char *id, const char *axis), void *cookie,
				  struct vrs_error *err);

/*
 * Values of a configuration that are not the built-in defaults as a JSON object of texts, and back: run requests and the journal hold them.
 * Writing: VRS_ENOMEM, VRS_ELIMIT. Reading sets them as of `source`: those of a record as if
 * from a file, since what nobody may type together stands in none; VRS_EFORMAT names the key in name.
 */
enum vrs_status vrs_config_to_json(const struct vrs_config *config, cJSON *object);
enum vrs_status vrs_config_from_json(const cJSON *object, struct vrs_config *config, enum vrs_value_source source, const char *name,
				     struct vrs_error *err);

#endif
