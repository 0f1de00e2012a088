/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Inside of the runner; shared by runner.c (object), runner_setup.c (what it finds out first), runner_rounds.c (loop), runner_resume.c (journal),
 * runner_extract.c (parts of the result) and run_process.c (one child).
 */
#ifndef VRS_BENCH_RUNNER_STATE_H
#define VRS_BENCH_RUNNER_STATE_H

#include <vrseg/machine.h>

#include "bench/record/journal.h"
#include "bench/run/clip.h"
#include "bench/run/run_request.h"
#include "bench/run/runner.h"

#define VRS_RUNNER_REFERENCES 64

/* Mattes of the base configuration in fp32 on one clip. */
struct vrs_reference {
	int width, height;
	bool usable;
	char path[VRS_PATH_MAX];
};

struct vrs_runner {
	char program[VRS_PATH_MAX], folder[VRS_PATH_MAX], journal[VRS_PATH_MAX];
	int folder_fd; /* holds the lock of folder; -1: none */
	struct vrs_run_plan plan;
	struct vrs_config *base;
	struct vrs_config *side_a;           /* of an A/B; NULL: a sweep */
	struct vrs_machine *machine;
	struct vrs_clip_source source;
	char truth_path[VRS_PATH_MAX];
	struct vrs_truth_file truth;              /* frames 0: none */
	struct vrs_bench_input input;
	struct vrs_run_info probe;
	const char *view;                    /* what matte.view auto means for this input */
	struct vrs_result *result;
	struct vrs_case *cases;              /* as many as result->case_count */
	size_t case_capacity;
	struct vrs_reference references[VRS_RUNNER_REFERENCES];
	int reference_count;
	bool plan_written;
	void (*on_event)(void *cookie, const struct vrs_runner_event *event);
	void *cookie;
	double end_seconds;                  /* vrs_runner_limit; 0: none */
	bool in_order;
	int left_out;
	int begun;                           /* runs since the runner was created */
	double begin_seconds;                /* of this measurement */
	double run_start_seconds, last_tick_seconds; /* of the run in progress */
	const struct vrs_case_result *running; /* NULL: no measured run is in progress */
	int running_round;
	int done, total, rounds_shown;       /* progress of the measurement that runs */
	double run_seconds;                  /* sum over the runs done */
	struct vrs_noise_reading first_reading, last_reading; /* monotonic_ns 0: no run yet */
	double best_mhz;                     /* median clock of the fastest run so far; NaN */
	int noisy_streak;                    /* runs in a row whose every attempt was excluded */
};

/* Folder, machine, plan, input and sides: all before the first run. Statuses of vrs_runner_create. */
enum vrs_status vrs_runner_set_up(struct vrs_runner *runner, const struct vrs_runner_options *options, const struct vrs_config *base,
				  struct vrs_error *err);
/* One child. VRS_OK whenever there is a run to record; other statuses are ours (folder, memory) or VRS_ESTOPPED. */
enum vrs_status vrs_run_process(struct vrs_runner *runner, const struct vrs_run_request *request, const struct vrs_config *config,
				struct vrs_run_reply *ret_reply, struct vrs_error *err);
/* While a child runs: an event a second. The cookie is the runner. */
void vrs_runner_tick(void *cookie);
/* A run that is no part of the result: other rules, files of its own (relative to the folder), maybe profiled. */
struct vrs_unrecorded_run {
	struct vrs_recorder_rules rules;
	const char *frames_name;
	const char *trace_name;              /* a Chrome trace, and timed operators; NULL: neither */
};
/* Run a case once like that; nothing is recorded. unrecorded_run.c. */
enum vrs_status vrs_runner_run_unrecorded(struct vrs_runner *runner, int index, const struct vrs_unrecorded_run *unrecorded,
					  struct vrs_run_reply *ret_reply, struct vrs_error *err);
/* env.json: the machine and its ceilings. */
enum vrs_status vrs_runner_write_environment(const struct vrs_runner *runner, struct vrs_error *err);
/* Tell the caller what goes on. */
void vrs_runner_tell(const struct vrs_runner *runner, enum vrs_runner_event_kind kind, const char *text, const struct vrs_case_result *c,
		     const struct vrs_run *run, int round);
/* Read the journal of a used folder: plan and base first (cases and runs follow with the second call, after the input is known). */
enum vrs_status vrs_runner_load_plan(struct vrs_runner *runner, struct vrs_error *err);
enum vrs_status vrs_runner_load_runs(struct vrs_runner *runner, struct vrs_error *err);
/* The configuration that a case changes: of side A its own, else the base. */
const struct vrs_config *vrs_runner_case_base(const struct vrs_runner *runner, const struct vrs_case *c);
/* Scopes of a case. */
/* The clip that a case plays. */
struct vrs_clip_wish vrs_case_clip_wish(const struct vrs_runner *runner, const struct vrs_case_result *c);

#endif
