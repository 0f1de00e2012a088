/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rates and shares of a record: each is derived here and nowhere else, so that a note, a table and a verdict that show it show the same value.
 * A figure of a case is the median over the runs that its other figures are made of (vrs_case_result_uses).  NaN: the record does not hold what
 * it takes.  Functions without side effects, for any thread.
 */
#ifndef VRS_ANALYZER_FIGURES_H
#define VRS_ANALYZER_FIGURES_H

#include "bench/record/result.h"

typedef double (*vrs_figure)(const struct vrs_run *run);

/* Rate, and median latency of a frame, ms. */
double vrs_figure_fps(const struct vrs_run *run);
double vrs_figure_latency_ms(const struct vrs_run *run);
/* Of the output, bytes a frame. */
double vrs_figure_output_bytes(const struct vrs_run *run);
/* CPU time of the measured part, ms a frame: together, in the program, in the kernel. */
double vrs_figure_cpu_ms(const struct vrs_run *run);
double vrs_figure_user_ms(const struct vrs_run *run);
double vrs_figure_system_ms(const struct vrs_run *run);
/* Context switches a second. They are counted over the whole life of the process, so that is what they are divided by. */
double vrs_figure_involuntary_switches(const struct vrs_run *run);
double vrs_figure_voluntary_switches(const struct vrs_run *run);
/* Of the whole machine while the run lasted. */
double vrs_figure_throttle_events(const struct vrs_run *run);
double vrs_figure_instructions_per_cycle(const struct vrs_run *run);
/* Cycles for each second of CPU time where cycles were counted, else a sample of the clock. */
double vrs_figure_clock_mhz(const struct vrs_run *run);

/* Values of the runs that have one; values has room for all runs. Returns how many. */
int vrs_figure_values(const struct vrs_case_result *c, vrs_figure figure, double *values);
double vrs_figure_median(const struct vrs_case_result *c, vrs_figure figure);

/* Wall time of a frame, ms: 1000 over the median rate. */
double vrs_figure_frame_ms(const struct vrs_case_result *c);
/* Threads that run a stage's own loop, at least 1. */
int vrs_figure_stage_workers(const struct vrs_case_result *c, enum vrs_stage stage);
/* Busy time of a stage, ms a frame: all its workers together. */
double vrs_figure_stage_ms(const struct vrs_case_result *c, enum vrs_stage stage);
/* Share of the wall time that one worker of the stage is busy. Stages work side by side: their shares may add up to more than 1. */
double vrs_figure_stage_share(const struct vrs_case_result *c, enum vrs_stage stage);
/* Share that the process takes of what `cpus` processors offer. */
double vrs_figure_cpu_share(const struct vrs_case_result *c, int cpus);

/* The profile of the network call that a case makes, or makes one like it; NULL: the result has none. */
const struct vrs_net_profile *vrs_figure_profile(const struct vrs_result *result, const struct vrs_case_result *c);

/*
 * Fill net_peak_share and memory_share of every run from its rates and result->ceilings.  The peak of a device is that of the result's
 * profiles.  A share of the peak above 1 is left absent: the run does not compute in fp32, or the peak is none, see vrs_figures_above_peak.
 */
void vrs_figures_fill_shares(struct vrs_result *result);
/* Highest rate of a run in fp32 or fp16 over the peak of its threads, where that is above 1; NaN: none is. */
double vrs_figures_above_peak(const struct vrs_result *result);

#endif
