/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the rules of bottleneck.c and of the files beside it share: the figures, what follows from them, and where they put what they find. */
#ifndef VRS_BENCH_BOTTLENECK_FINDER_H
#define VRS_BENCH_BOTTLENECK_FINDER_H

#include <vrseg/pipeline.h>

#include "bench/judge/advice.h"
#include "bench/record/result.h"

#define VRS_BOTTLENECK_MAX 16

/* Per frame, ms; NaN: not known.  Zero the rest. */
struct vrs_bottleneck_input {
	double frame_ms;                     /* wall time of one frame: 1000 / fps */
	double busy_ms[VRS_STAGE_COUNT];     /* all workers of the stage together */
	double wait_in_ms[VRS_STAGE_COUNT], wait_out_ms[VRS_STAGE_COUNT];
	double cpu_ms;                       /* CPU time of the whole process */
	int workers[VRS_STAGE_COUNT];        /* threads that run the stage's own loop; 0 counts as 1 */
	int cpus;                            /* CPUs that the process may use */
	int threads, batch, eyes, streams;
	bool auto_streams;                   /* their number was left to the program */
	bool recurrent;                      /* the network takes frames one after another */
	double steal_percent, temperature_c;
	double others_percent;               /* of our CPUs' time, that other processes took; 0 or NaN: not known */
	double peak_rss_bytes, memory_limit_bytes; /* 0 or NaN: not known */
	double involuntary_per_second;
	double throttle_events;              /* while the run lasted; 0 or NaN: none seen */
	double live_hz;                      /* 0: offline, whose latency is mostly waiting in queues and no limit */
	bool live_failed;                    /* more frames missed their deadline than a live run may (live_verdict) */
	double latency_p99_ms, latency_limit_ms, miss_percent; /* of live frames; limit: their deadline */
	double net_gflops, net_peak_share;   /* of inference while it runs (struct vrs_run); 0 or NaN: not known */
	double moved_gbps, memory_share;     /* of preprocess and compose while they work; the same */
	bool on_device;                      /* the network ran on a device; further figures about it: */
	const struct vrs_net_profile *profile; /* what the device does in a call; NULL: not known */
	double device_bytes, device_limit_bytes; /* memory of the device: held, and allowed; 0 or NaN: not known */
	double device_percent;               /* how busy it was, as its driver says; NaN: not known */
	int batch_asked;                     /* 0: it was left to the program */
	const struct vrs_result *result;     /* what advice is held against (bench/judge/advice.h); NULL: nothing was measured */
	const struct vrs_case_result *case_result;  /* of it: the case that these figures are of */
};

struct vrs_bottleneck {
	char id[32];               /* "decode-bound", "cpu-bound", "queue-bound", "memory-limited", ... */
	enum vrs_stage stage;      /* the limiting one; VRS_STAGE_COUNT where the rule names none */
	enum vrs_stage next_stage; /* the limit after it; VRS_STAGE_COUNT: none */
	double share;              /* 0..1: how busy the limit is, or how full */
	double fps_bound;          /* at most this many FPS when the limit is gone, also in words; NaN: no bound */
	char sentence[256];        /* what limits */
	char evidence[448];        /* the numbers, in words, and what was measured against other advice */
	char yaml[1280];           /* lines to change, '\n' between them, each with what is known of it; "": nothing in the configuration helps */
};

#define VRS_FINDER_CPU_LIMIT 0.90  /* of all CPUs together: they are busy */
#define VRS_FINDER_IDLE_LIMIT 0.60 /* of the time of a frame: no stage above means that the time goes into waiting */

struct vrs_finder {
	const struct vrs_bottleneck_input *in;
	double busy[VRS_STAGE_COUNT];         /* share of the frame time that one worker of the stage is busy */
	enum vrs_stage first, second;         /* busiest stages; VRS_STAGE_COUNT: none */
	double cpu_share;                     /* of all CPUs; NaN: not known */
	bool crowded;                         /* other processes disturb, and CPUs are no longer idle for most of the time: who waits may wait for them */
	struct vrs_bottleneck *out;
	int count, max;
};

/* A new one of that name, empty; NULL: there is no room. */
struct vrs_bottleneck *vrs_finder_add(struct vrs_finder *f, const char *id);
/*
 * FPS at most where a stage takes the share `left` of its time (0: none): the next one limits then, or the CPU time of all others on all CPUs.  A
 * stage that nobody has counted, of the network alone, takes all of a frame.
 */
double vrs_finder_bound(const struct vrs_finder *f, enum vrs_stage stage, double left);
/* A number as text; ret has to live as long as the proposal that names it. */
const char *vrs_finder_number(int number, char ret[12]);
/* Proposals as YAML, and what speaks against others behind the evidence. */
void vrs_finder_advise(const struct vrs_finder *f, struct vrs_bottleneck *b, const struct vrs_proposal *proposals, int count);
/* "; at most 50.0 FPS CONDITION" behind the evidence, where there is a bound. */
void vrs_finder_say_gain(struct vrs_bottleneck *b, const char *condition);

#endif
