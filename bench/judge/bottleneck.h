/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What limits the pipeline: rules over the counters of its stages, each with the numbers behind it, a bound of what removing the limit can
 * gain, and the YAML to change.  A gain is a bound ("at most"), never a promise.
 */
#ifndef VRS_BENCH_BOTTLENECK_H
#define VRS_BENCH_BOTTLENECK_H

#include <stdint.h>

#include <vrseg/pipeline.h>

#include "bench/record/result.h"

#define VRS_BOTTLENECK_MAX 8

/* Per frame, ms; NaN: not known.  Zero the rest. */
struct vrs_bottleneck_input {
	double frame_ms;                     /* wall time of one frame: 1000 / fps */
	double busy_ms[VRS_STAGE_COUNT];     /* all workers of the stage together */
	double wait_in_ms[VRS_STAGE_COUNT], wait_out_ms[VRS_STAGE_COUNT];
	double cpu_ms;                       /* CPU time of the whole process */
	int workers[VRS_STAGE_COUNT];        /* threads that run the stage's own loop; 0 counts as 1 */
	int cpus;                            /* CPUs that the process may use */
	int threads, batch, eyes, streams;
	double steal_percent, temperature_c;
	double peak_rss_bytes, memory_limit_bytes; /* 0 or NaN: not known */
	double involuntary_per_second;
	double net_gflops, net_peak_share;   /* of inference while it runs (struct vrs_run); 0 or NaN: not known */
	double moved_gbps, memory_share;     /* of preprocess and compose while they work; the same */
	const struct vrs_result *result;     /* what advice is held against (bench/judge/advice.h); NULL: nothing was measured */
	const struct vrs_case_result *case_result;  /* of it: the case that these figures are of */
};

struct vrs_bottleneck {
	char id[32];               /* "decode-bound", "cpu-bound", "queue-bound", "memory-limited", ... */
	enum vrs_stage stage;      /* the limiting one; VRS_STAGE_COUNT where the rule names none */
	enum vrs_stage next_stage; /* the limit after it; VRS_STAGE_COUNT: none */
	double share;              /* 0..1: how busy the limit is, or how full */
	double fps_bound;          /* at most this many FPS when the limit is gone; NaN: no bound */
	char sentence[256];        /* what limits */
	char evidence[448];        /* the numbers, in words, and what was measured against other advice */
	char yaml[512];            /* lines to change, '\n' between them, each with what is known of it; "": nothing in the configuration helps */
};

/* Rules in order of weight; returns their number, at most max. The first names the limit. 0: the counters say nothing. */
int vrs_bottleneck_find(const struct vrs_bottleneck_input *input, struct vrs_bottleneck *ret, int max);
/* Fill the input from the medians of a case's ok runs; cpus 0: not known. result (may be NULL) must outlive the input. False: no ok run. */
bool vrs_bottleneck_input_of_case(const struct vrs_result *result, const struct vrs_case_result *c, int cpus, struct vrs_bottleneck_input *ret);

#endif
