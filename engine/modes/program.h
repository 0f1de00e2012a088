/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the modes of vrseg share: the state of one run of the program, and the modes themselves, one file each.  Messages go through vrs_log,
 * results to program->results.
 */
#ifndef VRS_MODES_PROGRAM_H
#define VRS_MODES_PROGRAM_H

#include <stdbool.h>
#include <stdio.h>

#include <vrseg/config.h>
#include <vrseg/job_metrics.h>
#include <vrseg/pack_check.h>
#include <vrseg/pipeline.h>
#include <vrseg/progress.h>
#include <vrseg/quality.h>

struct vrs_program_state {
	struct vrs_config *config;
	struct vrs_settings settings;       /* with the output name filled in */
	const char *const *inputs;          /* operands */
	int input_count;
	const char *input;                  /* that is worked on; the only one, or one of the batch */
	bool hardware, list_models, list_encoders, dump_config, dry_run;
	const char *preview, *truth_file;
	const char *run_network, *describe_network, *output_dir, *calibrate;
	struct vrs_flag_texts tensors;
	bool interactive, typed;            /* typed: commands come from a terminal */
	struct vrs_job_stats last_stats;    /* of the last video; frames_done 0: none yet */
	unsigned fail_on;                   /* 1: a missed target ends with VRS_EXIT_REGRESSION */
	int missed_targets;
	FILE *results;                      /* standard output, or `aside` when the video goes to standard output */
	FILE *aside;                        /* standard error */
	struct vrs_progress_meter *meter;
	struct vrs_job_metrics *metrics;    /* NULL: nobody asked for them */
	struct vrs_job *job;                /* that runs now */
	bool output_begun;                  /* it, or one that could not be made, has opened the output */
	struct vrs_keyboard *keys;          /* on a terminal during a job; else NULL */
	struct vrs_job_info info;           /* of the video that is, or was, worked on */
	bool device_lost;                   /* a job has lost a device, */
	char devices_left[VRS_DEVICES_TEXT]; /* and these were left, as engine.device takes them */
	struct vrs_truth *truth;            /* that mattes are compared with; NULL: none, or the segments of a video do it */
	struct vrs_truth_result truth_result; /* eyes 0: nothing was compared */
	struct vrs_error truth_error;       /* why not */
	struct vrs_pack_check *check;       /* of the packed video that is being written; NULL: none */
	bool packing_known;                 /* it was compared, */
	struct vrs_pack_result packing;     /* and this came out */
};

/* A video through the network: the main mode. VRS_ESTOPPED, or what the job says. */
enum vrs_status vrs_mode_video(struct vrs_program_state *program, struct vrs_error *err) VRS_MUST_CHECK;
/* The same without the last line, for program->input into settings.output.file; ret_stats is filled where frames were written. */
enum vrs_status vrs_video_run(struct vrs_program_state *program, struct vrs_job_stats *ret_stats, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * What settings.output says about the encoder, and the output that it names has no use for, gives way in the settings; refuses: what the command
 * line or a command set is refused instead, VRS_ECONFIG.
 */
enum vrs_status vrs_program_settle_output(struct vrs_program_state *program, bool refuses, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * Is settings.output.file, which is there, what a job over the input makes (--skip-existing)?  Else the log says what it lacks, and, where the output
 * is replaced, what is done about it.
 */
bool vrs_program_output_is_complete(const struct vrs_program_state *program, const char *input, bool is_replaced);
/*
 * target.auto_tune: put the settings that vrtune has found for such a video into program->settings, but for those that somebody has set; may_search:
 * let vrtune look for them where they are not known.  VRS_OK, also where that cannot be, which is told; VRS_ESTOPPED; VRS_ECONFIG with --strict.
 */
enum vrs_status vrs_auto_tune(struct vrs_program_state *program, bool may_search, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * Several inputs one after another: files, and folders of videos.  A file that fails is told and does not stop the others; a table ends the run.
 * VRS_EIO: some failed, and the log has said why; VRS_ESTOPPED; VRS_ECONFIG before the first one.
 */
bool vrs_mode_is_batch(const struct vrs_program_state *program);
enum vrs_status vrs_mode_multi_file(struct vrs_program_state *program, struct vrs_error *err) VRS_MUST_CHECK;
/* --interactive. VRS_OK, or the status of the first command of a script that failed. */
enum vrs_status vrs_mode_interactive(struct vrs_program_state *program, struct vrs_error *err) VRS_MUST_CHECK;
/* --preview */
enum vrs_status vrs_mode_preview(struct vrs_program_state *program, struct vrs_error *err) VRS_MUST_CHECK;
/* --run-network, --describe-network, --calibrate */
enum vrs_status vrs_mode_run_network(struct vrs_program_state *program, struct vrs_error *err) VRS_MUST_CHECK;
enum vrs_status vrs_mode_describe_network(struct vrs_program_state *program, struct vrs_error *err) VRS_MUST_CHECK;
enum vrs_status vrs_mode_calibrate(struct vrs_program_state *program, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * --sandbox: hold the program to the files that the command names and to the system calls of a job, for ever.  Called while it has one thread, and
 * before anything of an input, a network or a cache is read but the names in playlists. VRS_EUNSUPPORTED: the kernel or an option cannot;
 * VRS_ECONFIG: an option or a file that the command names needs more; VRS_EIO, VRS_ENOMEM.
 */
enum vrs_status vrs_sandbox_enter(struct vrs_program_state *program, struct vrs_error *err) VRS_MUST_CHECK;
/* Inside: may a file, folder or picture sequence be read, with all that is in it as a playlist? VRS_ECONFIG names what may not; VRS_ENOMEM. */
enum vrs_status vrs_sandbox_check(const char *name, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * What the backend of the settings ignores is told (vrs_config_warn_backend), and a device that it needs is looked for, in a child process until
 * drivers are loaded here (vrs_machine_add_opencl).  Called before threads start, but for the command run of --interactive.  VRS_ECONFIG: --strict,
 * or options and backend do not go together; else the statuses of vrs_machine_probe_opencl.
 */
enum vrs_status vrs_program_check_backend(struct vrs_program_state *program, struct vrs_error *err) VRS_MUST_CHECK;
/* --list-models, --hardware */
enum vrs_status vrs_mode_list_models(struct vrs_program_state *program, struct vrs_error *err) VRS_MUST_CHECK;
enum vrs_status vrs_mode_hardware(struct vrs_program_state *program, struct vrs_error *err) VRS_MUST_CHECK;

/* A line to the results; for functions that take a line callback. */
void vrs_print_line(void *program, const char *text);
/*
 * Fill in the name of the output in `folder` (NULL: beside the input): clip.mp4 becomes clip_SUFFIX.mp4, or what vrseg/output_file.h says.
 * extension NULL: that of the input where it can hold H.264, .png for a picture.  VRS_ECONFIG for standard input, VRS_ELIMIT.
 */
enum vrs_status vrs_default_output(struct vrs_program_state *program, const char *folder, const char *suffix, const char *extension,
				   struct vrs_error *err) VRS_MUST_CHECK;

#endif
