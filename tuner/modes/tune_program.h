/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the modes of vrtune share: its flags, the state of one run of the program, and the modes themselves, one file each. */
#ifndef VRS_TUNE_PROGRAM_H
#define VRS_TUNE_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <vrseg/config.h>

#include "bench/run/runner.h"
#include "tuner/search.h"
#include "tuner/tune_progress.h"

#define VRS_TUNE_MAX_SIZES 16

struct vrs_tune_args {
	bool optimize, bottlenecks, tries, quick, dump_config;
	const char *replay;      /* results of a sweep, file or folder */
	int64_t searches;
	double replay_noise;     /* share of the recorded noise */
	const char *strategy;    /* its name, "auto" or NULL */
	double budget_seconds;
	bool dry_run, list;
	const char *resolution;  /* list of clip sizes; NULL: the video as it is */
	const char *save, *folder, *resume, *only; /* resume: the folder of a search to go on with */
	const char *candidate;   /* a configuration to be proven first, or NULL */
	int64_t rounds;          /* of the final; 0: the mode's own */
	int goal;                /* enum vrs_goal */
	double max_iou_loss;     /* negative: the default */
	double min_iou, max_mbps; /* 0: none */
	uint64_t memory_limit;   /* 0: the runner's own */
	const char *finish_by;   /* "06:00" or NULL */
	int64_t frames;          /* to be done by then */
	char command[1024];
	const char *recipe;      /* already applied (vrs_recipe_apply) */
	const char *pick;        /* one of VRS_PICK_NAMES, or NULL */
};

/* The command line with the flags of --recipe in front of the typed ones. */
struct vrs_recipe {
	int argc;
	char **argv;
	int own;                 /* of argv, from 1 on: of the recipe */
};
/*
 * Read the recipe that argv names: a YAML file of flags and their values, from configs/recipes or by its path.  Without one argv stays as it is.
 * VRS_ECONFIG: there is none of that name, it sets what is no flag of vrtune, or what is typed, too; statuses of vrs_yaml_read.  Release with
 * vrs_recipe_fini, also after failure; until then what is parsed points into it.
 */
enum vrs_status vrs_recipe_apply(struct vrs_recipe *ret, int argc, char **argv, struct vrs_error *err);
void vrs_recipe_fini(struct vrs_recipe *recipe, char **argv);

extern const struct vrs_cli_spec vrs_tune_spec; /* its flags fill a struct vrs_tune_args; begin with vrs_tune_args_default */
struct vrs_tune_args vrs_tune_args_default(void);
/* The search that the flags ask for; its limits of memory and speed are the program's. */
struct vrs_search_options vrs_tune_search_options(const struct vrs_tune_args *args);
/* The flags that say what is searched for, within which limits: a search goes on with the same.  Not how long it takes, nor where it leaves what. */
void vrs_tune_search_words(const struct vrs_tune_args *args, char *buf, size_t size);

struct vrs_tune_program {
	struct vrs_tune_args args;
	struct vrs_config *config;
	const char *input;         /* NULL: the synthetic clip; the results of --pick */
	struct vrs_runner *runner; /* NULL before it is known what to measure */
	struct vrs_tune_progress progress;
	FILE *results;             /* what the modes print */
	double min_fps;            /* that settings must keep; 0: none */
	double finish_at;          /* --finish-by, in seconds of time(); 0: not given */
	char calibration[256];     /* what became of calibrating the network, in words; "": it was not needed */
	int printed, saved;        /* sizes whose choice was */
	int size_count;            /* of --resolution; 0: the video as it is */
	int sizes[VRS_TUNE_MAX_SIZES][2]; /* width, height; 0 0: the video's own */
};

/*
 * Refuse what can be refused before a runner begins, which may draw a clip first, and fill min_fps and sizes.  VRS_ECONFIG, VRS_EEXIST,
 * VRS_ENOTFOUND, VRS_EIO: of a file to save to.
 */
enum vrs_status vrs_tune_check(struct vrs_tune_program *program, struct vrs_error *err);
/* The file of --save-config for the i-th size: "my.yaml", with sizes "my-1920x1080.yaml" and "my-own.yaml". VRS_ELIMIT. */
enum vrs_status vrs_tune_save_name(const struct vrs_tune_program *program, int i, char *buf, size_t size, struct vrs_error *err);
/* The same for --pick, where nothing will be measured. */
enum vrs_status vrs_tune_check_pick(struct vrs_tune_program *program, struct vrs_error *err);
/* With --objective live the rate at which frames come, else 0; once there is a runner. */
double vrs_tune_live_hz(const struct vrs_tune_program *program);
/* The speed that finishes --frames by --finish-by from now on; 0: not asked for; infinite: it is too late. */
double vrs_tune_needed_fps(const struct vrs_tune_program *program);
/* What the search may change for the i-th size, with what cannot be measured left out, and how it goes: the budget is shared. */
enum vrs_status vrs_tune_space(const struct vrs_tune_program *program, int i, struct vrs_space *ret_space, struct vrs_error *err);
struct vrs_search_options vrs_tune_options_of_size(const struct vrs_tune_program *program, int i);
/* --auto-optimize.  *ret_feasible: settings that keep every limit were found, for every size.  Statuses of vrs_search; VRS_EIO. */
enum vrs_status vrs_tune_optimize(struct vrs_tune_program *program, bool *ret_feasible, struct vrs_error *err);
/* The same with --list: print the ids of the settings that screening would try. */
enum vrs_status vrs_tune_list(struct vrs_tune_program *program, struct vrs_error *err);
/* The same with --dry-run: print what would be tried and what it takes. */
enum vrs_status vrs_tune_plan(struct vrs_tune_program *program, struct vrs_error *err);
/* --pick.  *ret_feasible: some settings keep every limit. */
enum vrs_status vrs_tune_pick(struct vrs_tune_program *program, bool *ret_feasible, struct vrs_error *err);
/* --detect-bottlenecks */
enum vrs_status vrs_tune_bottlenecks(struct vrs_tune_program *program, struct vrs_error *err);
/* --replay: all strategies, or the one that --strategy names, on a recorded sweep. */
enum vrs_status vrs_tune_replay(const struct vrs_tune_program *program, struct vrs_error *err);

#endif
