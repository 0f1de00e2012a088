/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The runner measures cases: every run is a fresh child process of the same program (hidden action --run-case), rounds are interleaved in
 * seeded order, every finished run is one synced journal line in the result folder.
 *
 *     vrs_runner_create(&r, &options, base, &err)    folder, machine, input; VRS_EEXIST when the folder is used
 *     vrs_runner_add(r, &case, &index, &err)         once per case
 *     vrs_runner_measure(r, indices, count, first_round, rounds, &err)   any number of times
 *     vrs_runner_finish(r, &err)                     estimates, results.json
 *     vrs_runner_result(r)                           the record; cases in the order of vrs_runner_add
 *     vrs_runner_destroy(r)
 *
 * A run that crashes, hangs, runs out of memory or fails is a recorded result with its reason; the measurement goes on.  The first stop
 * request (base/stop.h) ends the run in progress, which is not recorded (but a soak), and returns VRS_ESTOPPED.  Not thread-safe.
 */
#ifndef VRS_BENCH_RUNNER_H
#define VRS_BENCH_RUNNER_H

#include <stdio.h>

#include <vrseg/config.h>

#include "bench/judge/noise_gate.h"
#include "bench/plan/bench_input.h"
#include "bench/plan/case.h"
#include "bench/record/journal.h"

struct vrs_runner;
struct vrs_machine;

enum vrs_runner_event_kind {
	VRS_RUNNER_PREPARE,   /* text says what is being made: a clip, a reference */
	VRS_RUNNER_RUN_START, /* done of total runs are finished */
	VRS_RUNNER_RUN_END,   /* run is filled */
	VRS_RUNNER_SKIPPED,   /* case->skipped says why */
	VRS_RUNNER_TICK,      /* a run has lasted for run_seconds */
};

struct vrs_runner_event {
	enum vrs_runner_event_kind kind;
	const char *text;
	const struct vrs_case_result *case_result;
	const struct vrs_run *run;
	int done, total, round, rounds;
	double eta_seconds;   /* NaN before the first run has ended */
	double elapsed_seconds; /* of this measurement */
	double run_seconds;   /* TICK */
	double goal;          /* half width of the interval that is aimed at; 0: none */
};

/*
 * Side A of an A/B. Cases with side 'A' (bench/plan/case.h) run with it, all others with the base and the runner's program.  Mattes of both are
 * compared with those that A makes in fp32: the question is what B gives up.
 */
struct vrs_runner_side {
	const char *label;            /* what it is, for the record */
	const char *program;          /* that answers --run-case; NULL: the same as B's */
	const struct vrs_config *config;
};

/* Fill with vrs_runner_options_default() first. */
struct vrs_runner_options {
	const char *program;          /* program that answers --run-case; NULL: the running one */
	const char *folder;           /* result folder; created. NULL: only look at the input and list cases */
	const char *folder_root;      /* the part of folder that a user typed, which may lead through links; no link below it is followed. NULL: all */
	const char *input;            /* a video file; NULL or "": the synthetic clip */
	/*
	 * Conditions; the runner fills in input, versus and machine.  Default: warm-up 3..60 s and 30 frames, then 10 s and 60 frames; timeout_seconds 0:
	 * from the rules; memory_limit_bytes 0: 90 % of the memory that the process may use; gates off; 24 frames of quality.
	 */
	struct vrs_run_plan plan;
	const struct vrs_runner_side *versus; /* an A/B: side A; B is base. NULL: a sweep. With resume only its program counts */
	bool resume;                  /* go on in a used folder: input, rules, base and cases come from its journal */
	bool overwrite;               /* replace the result in a used folder */
	void (*add_devices)(struct vrs_machine *machine); /* (optional) completes the record of the machine: vrs_machine_add_opencl */
	/* (optional) says whether a device is among those: vrs_machine_check_opencl. NULL: runs find out */
	enum vrs_status (*check_device)(const struct vrs_machine *machine, const char *device, struct vrs_error *err);
	void (*on_event)(void *cookie, const struct vrs_runner_event *event); /* (optional) */
	void *cookie;
};

struct vrs_runner_options vrs_runner_options_default(void);
/*
 * VRS_EEXIST: the folder holds a result and neither resume nor overwrite is set; VRS_ENOTFOUND: no input, or nothing to resume; VRS_EFORMAT:
 * damaged journal or input; VRS_ECONFIG: resume on another machine or with another input; VRS_EIO: a link or file has the place of a folder.
 * base is copied; with resume it is replaced by that of the journal.
 */
enum vrs_status vrs_runner_create(struct vrs_runner **ret_runner, const struct vrs_runner_options *options, const struct vrs_config *base,
				  struct vrs_error *err) VRS_MUST_CHECK;
/*
 * Before anything is opened: does the command of `config` write a file that the journal of `folder` says is read (input, techniques, and what the
 * settings of both sides name), or `path`, which is made of the name behind a flag (NULL: none)?  VRS_ECONFIG with the two names; VRS_ENOMEM.  A
 * journal that cannot be read says nothing.
 */
enum vrs_status vrs_runner_check_resumed(const char *folder, const struct vrs_config *config, const char *flag, const char *path,
					 struct vrs_error *err) VRS_MUST_CHECK;
void vrs_runner_destroy(struct vrs_runner *runner); /* NULL is fine */

/* The input of every case. */
const struct vrs_bench_input *vrs_runner_input(const struct vrs_runner *runner);
/* Is there exact truth of the input, so that mattes have a quality of their own? */
bool vrs_runner_has_truth(const struct vrs_runner *runner);
/* What was found out about the machine. The runner owns it. */
const struct vrs_machine *vrs_runner_machine(const struct vrs_runner *runner);
/* The base configuration in use. */
const struct vrs_config *vrs_runner_base(const struct vrs_runner *runner);

/* What one run of a case takes, estimated; all 0 where it is skipped. */
struct vrs_run_cost {
	double seconds, prepare_seconds; /* prepare: its clip is made first */
	uint64_t clip_bytes, frames_bytes, work_bytes; /* work: while it runs */
};
struct vrs_run_cost vrs_runner_cost(const struct vrs_runner *runner, int index);
/*
 * Runs that would end after end_seconds of the monotonic clock are left out from now on, except for the very first; 0: no limit.  in_order: cases
 * of a round run in the order in which they are given, not shuffled.  Returns how many runs were left out since the last call.
 */
int vrs_runner_limit(struct vrs_runner *runner, double end_seconds, bool in_order);

/* Runs from now on measure `factor` times as long, at least 1. */
void vrs_runner_stretch(struct vrs_runner *runner, double factor);

/*
 * Add a case. The same id again gives the same index. Of an A/B, side A of a case comes first and its side B next, and there is no other case.
 * A case that cannot run (too little memory, a value that is not built yet) is added as skipped.  The first that is the default (VRS_AXIS_DEFAULT) is
 * named in the record's default_case.  VRS_ECONFIG: a value that its option does not take.
 */
enum vrs_status vrs_runner_add(struct vrs_runner *runner, const struct vrs_case *c, int *ret_index, struct vrs_error *err);
/*
 * Calibrate the base's network with the input and keep that, as vrseg --calibrate does; *ret_seconds: how long it took.  VRS_ETIMEOUT: longer than
 * limit_seconds; VRS_ESTOPPED; else what it failed with.
 */
enum vrs_status vrs_runner_calibrate(struct vrs_runner *runner, double limit_seconds, double *ret_seconds, struct vrs_error *err);
/*
 * Would vrs_runner_add skip the case, or would it run with the batch, threads, streams and input size that the base has anyway?  Says so in `why`
 * (size bytes).  Nothing is added.
 */
enum vrs_rejection vrs_runner_rejects(const struct vrs_runner *runner, const struct vrs_case *c, char *why, size_t size);
/*
 * Run each of the cases (indices NULL: all there are) once in every round first_round .. first_round + rounds - 1, interleaved. A run that the
 * journal has already is not repeated. VRS_ESTOPPED on request; VRS_EIO when the folder cannot be written; VRS_ENOSPC when
 * it or a run found no space, which counts as no run; other failures of runs are no errors.
 */
enum vrs_status vrs_runner_measure(struct vrs_runner *runner, const int *indices, int count, int first_round, int rounds, struct vrs_error *err);
/* True when a measurement was begun or finished in a folder, so that another one is refused there without overwrite or resume. */
bool vrs_runner_folder_is_used(const char *folder);
/* The conditions in use; with resume those of the journal. */
const struct vrs_run_plan *vrs_runner_plan(const struct vrs_runner *runner);
/*
 * Resumed is a soak, which cannot go on after a pause: what its windows say is put into its case when it broke off without a record (power, SIGKILL).
 * VRS_ECONFIG: it is over; VRS_ENOTFOUND: there is no window. Both say what to do.
 */
enum vrs_status vrs_runner_soak_recover(struct vrs_runner *runner, struct vrs_error *err);
/*
 * Warn once of all input sizes among the cases that their networks were not trained for; call it when every case is added.  VRS_OK; VRS_ECONFIG with
 * --strict of the base configuration; VRS_ENOMEM.
 */
enum vrs_status vrs_runner_warn_sizes(const struct vrs_runner *runner, struct vrs_error *err);

/* Write into the cases what noise gates and the goal of the interval say so far; finish does it too. */
void vrs_runner_judge_noise(struct vrs_runner *runner);
/* What noise gates cannot see on this machine, as words; "" when nothing was measured yet or all is seen. */
void vrs_runner_unobservable(const struct vrs_runner *runner, char *buf, size_t size);

/* Summarize and write results.json and env.json. complete: every planned run was made. */
enum vrs_status vrs_runner_finish(struct vrs_runner *runner, bool complete, struct vrs_error *err);
/* The record, owned by the runner; cases in the order of adding. Estimates are those of the last finish or extract. */
struct vrs_result *vrs_runner_result(const struct vrs_runner *runner);
/*
 * A new result of the given cases, summarized, with the runs of so many rounds from first_round on only: a resumed runner knows later ones.
 * The caller destroys it.
 */
enum vrs_status vrs_runner_extract(struct vrs_runner *runner, const int *indices, int count, int first_round, int rounds,
				   struct vrs_result **ret_result);

/* True when the program was started as a child (argv[1] is --run-case): every main that measures asks this first. */
bool vrs_runner_is_child(int argc, char **argv);
/* Read the request from `in`, run it, write the reply to `out`. Returns the exit code. */
int vrs_runner_child_main(FILE *in, FILE *out);

#endif
