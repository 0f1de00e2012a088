/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside of the runner: its state, and what its files give each other; the file is named where functions come from it. */
#ifndef VRS_BENCH_RUNNER_STATE_H
#define VRS_BENCH_RUNNER_STATE_H

#include <vrseg/machine.h>

#include "base/lease.h"
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
	struct vrs_lease *lease;             /* of the folder; NULL: none */
	struct vrs_run_plan plan;
	int64_t mapped_bytes;     /* of a child, to write to: more than a limit of memory in use, which is measured */
	struct vrs_config *base;
	struct vrs_config *side_a;           /* of an A/B; NULL: a sweep */
	struct vrs_machine *machine;
	enum vrs_status (*check_device)(const struct vrs_machine *machine, const char *device, struct vrs_error *err); /* NULL: nobody can */
	struct vrs_clip_source source;
	char truth_path[VRS_PATH_MAX];
	struct vrs_truth_file truth;              /* frames 0: none */
	struct vrs_bench_input input;
	double stretch;               /* runs measure so many times as long as planned */
	struct vrs_run_info probe;
	const char *view;                    /* what matte.view auto means for this input */
	struct vrs_result *result;
	struct vrs_case *cases;              /* as many as result->case_count */
	size_t case_capacity;
	struct vrs_reference references[VRS_RUNNER_REFERENCES];
	int reference_count;
	bool plan_written;
	int session;                 /* of the runs that are measured now: 0, or how often it was resumed */
	void (*on_event)(void *cookie, const struct vrs_runner_event *event);
	void *cookie;
	double end_seconds;                  /* vrs_runner_limit; 0: none */
	bool in_order;
	bool holds;                          /* vrs_stop_hold */
	int left_out;
	int begun;                           /* runs since the runner was created */
	double begin_seconds;                /* of this measurement */
	double run_start_seconds, last_tick_seconds; /* of the run in progress */
	const struct vrs_case_result *running; /* NULL: no measured run is in progress */
	int running_round;
	int done, total, rounds_shown;       /* progress of the measurement that runs */
	double run_seconds;                  /* sum over the runs done */
	bool is_observed;                    /* the two below are set, by a run of this session or of the journal */
	struct vrs_noise_reading first_reading; /* before the first run */
	struct vrs_noise_span last_run;      /* around the last run that was observed */
	double best_mhz;                     /* median clock of the fastest run so far; NaN */
	int spaceless_streak;                /* runs in a row that found no space */
	char no_space[sizeof ((struct vrs_error *)0)->text]; /* what the last of them said */
	int noisy_streak;                    /* runs in a row whose every attempt was excluded */
};

/* runner_setup.c: folder, machine, plan, input and sides, all before the first run. Statuses of vrs_runner_create. */
enum vrs_status vrs_runner_set_up(struct vrs_runner *runner, const struct vrs_runner_options *options, const struct vrs_config *base,
				  struct vrs_error *err);
/* runner_resume.c: read the journal of a used folder; plan and base first, cases and runs with a second call, after the input is known. */
enum vrs_status vrs_runner_load(struct vrs_runner *runner, bool runs, struct vrs_error *err);

/* run_process.c: one child. VRS_OK whenever there is a run to record; other statuses are ours (folder, memory), VRS_ESTOPPED, or VRS_ENOSPC. */
enum vrs_status vrs_run_process(struct vrs_runner *runner, const struct vrs_run_request *request, const struct vrs_config *config,
				struct vrs_run_reply *ret_reply, struct vrs_error *err);
/*
 * ceilings.c: measure the machine's ceilings before the first run, in a process of its own (the arrays are several times the caches), and write
 * env.json.  Once for a result folder: a resumed one has them in its env.json.  A machine that cannot be measured is no error: the result says the
 * reason.  VRS_ESTOPPED, VRS_EIO.
 */
enum vrs_status vrs_ceilings_measure(struct vrs_runner *runner, struct vrs_error *err) VRS_MUST_CHECK;

/* runner_events.c: while a child runs, an event a second. The cookie is the runner. */
void vrs_runner_tick(void *cookie);
/* Tell the caller what goes on. */
void vrs_runner_tell(const struct vrs_runner *runner, enum vrs_runner_event_kind kind, const char *text, const struct vrs_case_result *c,
		     const struct vrs_run *run, int round);

/* runner_cases.c: whether the backend of these settings has its device here. Statuses of vrs_machine_check_opencl. */
enum vrs_status vrs_runner_check_device(const struct vrs_runner *runner, const struct vrs_settings *s, struct vrs_error *err) VRS_MUST_CHECK;
/* runner_cases.c: the configuration that a case changes, of side A its own, else the base. */
const struct vrs_config *vrs_runner_case_base(const struct vrs_runner *runner, const struct vrs_case *c);
/*
 * runner_rounds.c: VRS_ECONFIG: a run of the case, as `now` has it, used another device or driver than those before. A GPU may be lost, or a driver
 * be replaced, between two runs.
 */
enum vrs_status vrs_runner_keep_device(const struct vrs_case_result *before, const struct vrs_case_result *now, struct vrs_error *err) VRS_MUST_CHECK;
/* The clip that a case plays. */
struct vrs_clip_wish vrs_case_clip_wish(const struct vrs_runner *runner, const struct vrs_case_result *c);

/*
 * runner_folder.c: create the folder of the options, with frames/, mattes/ and work/ in it, and take its lease (base/lease.h). Without one nothing
 * is opened. VRS_EEXIST: it holds a result and neither resume nor overwrite is set, or another process writes to it; VRS_ENOTFOUND: nothing to
 * resume; VRS_ELIMIT: a name is too long; VRS_EIO.
 */
enum vrs_status vrs_runner_folder_open(struct vrs_runner *runner, const struct vrs_runner_options *options, struct vrs_error *err);
/* Give the lease back; parts that nothing was written to go away. */
void vrs_runner_folder_close(struct vrs_runner *runner);
/* VRS_EEXIST: another process has taken the folder over, since this machine slept: nothing more may be written there. */
enum vrs_status vrs_runner_folder_check(const struct vrs_runner *runner, struct vrs_error *err);
/* Remove the files of an older result. */
void vrs_runner_folder_remove_results(const struct vrs_runner *runner);
/* FOLDER/part/name. Children run in the same folder as we do, so relative names mean the same. VRS_ELIMIT: too long. */
enum vrs_status vrs_runner_folder_file(const struct vrs_runner *runner, const char *part, const char *name, char path[VRS_PATH_MAX]);
/* Videos of a run in work/. */
#define VRS_RUN_VIDEO "run.mkv"
#define VRS_RUN_PLAIN_VIDEO "plain.mkv"
/* Remove from work/ what a crashed child leaves of these. */
void vrs_runner_folder_clear_work(const struct vrs_runner *runner);

/* runner_request.c: the clip of a case, made where it is not there yet. Statuses of vrs_clip_provide. */
enum vrs_status vrs_runner_provide_clip(const struct vrs_runner *runner, const struct vrs_case_result *c, struct vrs_clip *clip,
					struct vrs_error *err);
/*
 * Fill a request for one run. A case whose mattes were not compared yet is compared: the reference is made now, by a run of its own.
 * frames_name: the file of frame times relative to the folder, for the record; "" when the run has no frames.
 */
enum vrs_status vrs_runner_request_fill(struct vrs_runner *runner, int index, const struct vrs_clip *clip, int round, struct vrs_run_request *request,
					char frames_name[128], struct vrs_error *err);
/* The configuration of a case on that clip. On success *ret_config is the caller's. */
enum vrs_status vrs_runner_request_config(const struct vrs_runner *runner, int index, const struct vrs_clip *clip, struct vrs_config **ret_config,
					  struct vrs_error *err);

/* noise_watch.c observes the machine while one run lasts: a reading before, clock samples from a thread, a reading after. */
struct vrs_noise_watch;
/* Begin. NULL: out of memory or no thread; the run goes on unobserved. The caller ends it with vrs_noise_watch_end. */
struct vrs_noise_watch *vrs_noise_watch_begin(void);
/* End and release. *ret_seen holds all but best_mhz and partner_mhz, which are NaN. False: watch was NULL. */
bool vrs_noise_watch_end(struct vrs_noise_watch *watch, struct vrs_noise_seen *ret_seen);

/* runner_gates.c: another run, of this session or of the journal, was observed. */
void vrs_gate_observe(struct vrs_runner *runner, const struct vrs_noise_span *span);
/*
 * runner_gates.c: end the watch (may be NULL) and write what it saw into run: shares of others and of the hypervisor, clock, attempt, and the cause
 * where a hard gate fired. run NULL: only end it.
 */
void vrs_gate_judge(struct vrs_runner *runner, const struct vrs_case_result *c, struct vrs_noise_watch *watch, int round, struct vrs_run *run);
/* Attempts that a run has: 1 + VRS_GATE_RETRIES, or 1 without retries and while noise has outlasted the retries of several runs in a row. */
int vrs_gate_attempts(const struct vrs_runner *runner);
/* After the last attempt of a case in a round. */
void vrs_gate_close_round(struct vrs_runner *runner, const struct vrs_case_result *c, int round);
/*
 * Order of the two sides: of each two rounds (1 2, 3 4, ...) one begins with order[0] and the other with order[1], and the seed decides which.
 * Drift that is linear over two rounds cancels.
 */
void vrs_side_order(uint64_t seed, int round, int order[2]);

/* runner_soak.c: where the windows of a run lie. VRS_ELIMIT. */
enum vrs_status vrs_runner_soak_file(const struct vrs_runner *runner, const char *id, int round, char path[VRS_PATH_MAX]);
/* Put into the case what the windows of that file say. Statuses of vrs_soak_windows_read. */
enum vrs_status vrs_runner_soak_judge(const struct vrs_runner *runner, const char *path, struct vrs_case_result *c, struct vrs_error *err);

#endif
