/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * THE record of a measurement: case, host, runs, statistics.  JSON in and out ("schema": "vrbench/1", see docs/results.md).
 */
#ifndef VRS_BENCH_RESULT_H
#define VRS_BENCH_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vrseg/pipeline.h>
#include <vrseg/quality.h>
#include <vrseg/status.h>

#include "bench/record/matte_prefixes.h"
#include "bench/record/net_profile.h"
#include "bench/record/words.h"
#include "bench/stats/stats.h"

#define VRS_RESULT_SCHEMA "vrbench/1"    /* what a reader asks for */
#define VRS_RESULT_SCHEMA_NOW "vrbench/1.13" /* what is written */
#define VRS_RESULT_MAX_BYTES (256u << 20)
#define VRS_RESULT_MAX_CASES 20000
#define VRS_RESULT_MAX_RUNS 10000     /* of one case */
#define VRS_RESULT_MAX_SESSION 1000000
#define VRS_RESULT_MAX_ALL_RUNS 400000
#define VRS_RESULT_MAX_PROFILES 1000

#define VRS_RESULT_MAX_COMPARISONS 16
#define VRS_LIVE_MAX_MISSED_PERCENT 1.0 /* of the frames of a live case; more is no playback (vrs_case_result.live_verdict) */
#define VRS_RESULT_MAX_UNAVAILABLE 48

/* One run = one fresh process.  Times in ms, sizes in bytes; a value that could not be observed is NaN (sizes and counts: -1) and absent in JSON. */
struct vrs_run {
	enum vrs_run_status status;
	char reason[256];              /* why not ok; "" when ok */
	int round, order;              /* round from 1; position inside the round from 1 */
	int session;                   /* 0: the first call; N: the Nth --resume. Runs share a round only where they share this too */
	int attempt;                   /* from 1; higher: runs of this case and round before it were excluded. 0: written before there were any */
	char excluded[192];            /* a hard noise gate fired: "CODE: what was seen; what to do". Such a run is kept and measured again; "" otherwise */
	char started_utc[32];
	int64_t frames;                /* measured, after warm-up */
	double wall_seconds, cpu_seconds; /* of the measured part; CPU of the whole process */
	double user_seconds, system_seconds; /* the same CPU time, in the program and in the kernel on its behalf */
	double process_seconds;        /* life of the child, start to exit */
	double fps;                    /* frames / wall of the measured part */
	double frame_median_ms, frame_mean_ms, frame_p90_ms, frame_p95_ms, frame_p99_ms, frame_max_ms; /* completion intervals */
	double latency_median_ms, latency_p95_ms, latency_p99_ms; /* intended start (offline: decode start) to encode end */
	/* Live runs only. A frame misses its deadline when it is dropped, or done later than deadline_ms after its intended start. */
	double live_deadline_ms, live_miss_percent; /* of the frames that were due */
	int64_t live_due, live_dropped, live_late; /* late: done, but after the deadline */
	int64_t live_episodes;         /* stalls: misses less than 10 frames apart */
	int64_t live_longest;          /* misses in a row */
	int64_t live_late_starts;      /* frames that were begun more than 1 ms late although the decoder had nothing else to do */
	double load_ms, first_frame_ms, warmup_seconds;
	bool warmup_settled;
	double stage_busy_ms[VRS_STAGE_COUNT];   /* per frame */
	double stage_cpu_ms[VRS_STAGE_COUNT];
	double stage_wait_in_ms[VRS_STAGE_COUNT], stage_wait_out_ms[VRS_STAGE_COUNT];
	double net_ms;                 /* per network call */
	/* Against truth where the clip has one, in the words of vrs_quality_figure_info; vrs_run_quality finds them by number. */
	double iou, iou_worst, mad, boundary_f, dtssd, contour_f, box_mad, box_mse, box_dtssd, disparity_agreement, disparity_agreement_truth;
	double agreement;              /* IoU with the fp32 reference's mattes */
	double eye_agreement;          /* of the mattes of both eyes, one shifted sideways over the other, 0..1 */
	int quality_frames;            /* mattes that iou, mad and agreement were taken over */
	struct vrs_matte_prefixes first_mattes; /* those with truth over the first of them */
	/* Of what was encoded; SSIM: mean over the first frames against what the encoder was given, 0..1. */
	double output_bytes_per_frame, output_kbps, encode_ssim;
	int64_t peak_rss_bytes;
	int64_t queue_bytes;           /* bound of the pipeline: queue depth x frame size */
	int64_t involuntary_switches, voluntary_switches, major_faults, minor_faults;
	int64_t swapped_in_pages, throttle_events; /* of the whole machine while the run lasted */
	/* Hardware counters of the measured part, all threads (machine/perf_events.h). */
	int64_t cycles, instructions, cache_misses;
	double cycles_mhz;             /* cycles a second of CPU time: the clock that the work really had */
	double miss_gbps;              /* cache_misses lines of 64 bytes over the measured part */
	/*
	 * Work by plan (vrs_job_frame_work), not counted by hardware, over the busy time of its stages; the shares are of what the machine was measured to
	 * do before the runs (struct vrs_result_ceilings).  Pictures that lie in a cache come faster than memory: memory_share can exceed 1.
	 */
	double net_gflop_per_frame;    /* of the network, a multiply-add counted as two */
	double net_gflops;             /* while it runs: net_gflop_per_frame over the busy time of inference */
	double net_peak_share;         /* of the FMA peak of the threads of one inference */
	double moved_bytes_per_frame;  /* by our stages: scaled for the network, composed */
	double moved_gbps;             /* while these stages work */
	double memory_share;           /* of the bandwidth of memory with all threads */
	double power_watts, joules_per_frame; /* of the processor packages, mean over the measured part */
	double device_percent, device_watts;  /* GPUs: busy, mean; power, mean */
	int64_t device_peak_bytes;     /* in use on all GPUs, by all processes */
	double sampling_percent;       /* of one processor, that taking these samples cost (bench/run/run_samples.h) */
	double steal_percent, frequency_mhz, temperature_c;
	double others_percent;         /* share of our CPUs' time that other processes took while the run lasted */
	char frames_file[128];         /* binary side file with per-frame times, relative to the result folder; "": none */
};

struct vrs_case_result {
	char id[VRS_CASE_ID_MAX];      /* "r=3840x1920/b=2/p=fp32/t=2"; bench/plan/case.h reads it back */
	char axis[32];                 /* why it is in the sweep: VRS_AXIS_DEFAULT, "resolution", "batch", ... */
	int width, height, batch, threads, streams, net_width, net_height; /* as they came out, not as asked for */
	char backend[16], isa[16], model[64];
	char device[128], driver[128]; /* of a backend of devices; "" on the host */
	enum vrs_precision precision;  /* VRS_PRECISION_NOT_KNOWN in an empty record */
	enum vrs_stereo layout;        /* AUTO: not known */
	enum vrs_input_kind input_kind;
	enum vrs_scope scope;
	double live_hz;                /* paced at so many frames a second; 0: offline */
	char clip[192];                /* where the frames come from: "as given", "derived: libx264 ..." */
	struct vrs_run *runs;
	int run_count;
	size_t run_capacity;
	bool lacks_space;              /* a run of this session found its disk full: the others go on. Not in files */
	char skipped[256];             /* why no run was tried: "memory: needs ..."; "" otherwise */
	char invalid[256];             /* noise gates excluded so many runs that the figures are no basis for decisions: why; "" otherwise */
	char warning[256];             /* soft noise gates, by their codes with what was seen; "" none */
	char goal_note[96];            /* the interval's half width against the goal, where it was not met; "" otherwise */
	int64_t memory_estimate_bytes, memory_limit_bytes; /* -1: none made */
	int64_t device_bytes, device_limit_bytes; /* memory of the device: what the sessions of all streams hold, and may; -1: on the host */
	int64_t state_bytes; /* what a recurrent network carries from frame to frame, for a stream; -1: it carries nothing */
	double run_cv, pair_sd, deff95, deff99; /* stored by calibration for cases of this kind (bench/judge/noise_record.h); absent: none */
	struct vrs_estimate fps, frame_ms, latency_ms, peak_rss, cpu_ms_per_frame; /* over ok runs; peak_rss in bytes */
	struct vrs_estimate live_miss_percent;
	/* Of a soak only: the trends of its windows, and what they mean. */
	double soak_seconds, soak_drift_percent; /* drift: of the frame time, over the whole run */
	double soak_rss_slope, soak_rss_slope_low, soak_rss_slope_high; /* bytes an hour, and the 95 % interval */
	int64_t soak_windows;
	enum vrs_outcome soak_verdict; /* NONE: no soak */
	char soak_note[400];           /* the reasons, "; " between */
	char soak_file[128];           /* windows of the run, one JSON object a line, relative to the result folder */
	enum vrs_outcome live_verdict; /* NONE: offline */
	char live_note[160];           /* how many frames missed their deadline */
	int64_t pooled_frames;
	char pooled_note[96];          /* "the first N of M times between frames" where not all fit into memory; "" */
	double p50_ms, p95_ms, p99_ms; /* completion intervals of pooled frames; NaN when the sample does not support them */
	char p50_note[96], p95_note[96], p99_note[96]; /* "", "uncalibrated", "needs N more frames", or the interval */
};

/*
 * B against A in one metric, as bench/judge/verdict.h has judged it.  Changes are costs: +0.05 means that B takes 5 % longer (or, for rates, is 5 %
 * slower), whatever the direction of the metric.
 */
struct vrs_comparison {
	char metric[32], unit[16];     /* "": nobody has named it */
	double a, b;                   /* medians over the pairs used */
	enum vrs_verdict verdict;
	enum vrs_cause cause;
	char reason[192];              /* the cause as a sentence; "" */
	double change, low, high;      /* exp(Hodges-Lehmann) - 1 and its interval; NaN without interval */
	double p;                      /* two-sided signed-rank p */
	double holm_p;                 /* adjusted over its family; NaN: it stands alone */
	double margin;                 /* the one used, share of A */
	double mde;                    /* smallest change found with 80 % power at this n and spread; NaN below 2 pairs */
	int pairs;                     /* used: the last look reached, or all */
	/* Of a comparison that was made just now, not of one that was read: */
	bool final;                    /* false: more pairs may still decide */
	bool gate;                     /* the change is as large as the margin: SLOWER with it is a regression, FASTER with it a real gain */
	int pairs_needed;              /* INCONCLUSIVE: estimate of the pairs that would settle it; 0: not known */
};

/* A profile of a whole job (bench/run/profile_run.h); case "": there is none. */
struct vrs_profile_run {
	char case_id[VRS_CASE_ID_MAX];
	int pairs;                     /* with and without profiling */
	double plain_fps, profiled_fps;  /* medians over the pairs */
	double overhead_percent, overhead_low, overhead_high; /* of the time of a frame: median, least and most of the pairs */
	double cpu_overhead_percent;   /* of the CPU time of a frame, which other programs disturb less: median of the pairs */
	double sampling_percent;       /* see struct vrs_run */
	char trace_file[64], frames_file[64]; /* relative to the result folder; samples lie beside the frames */
	char reason[224];              /* why there is none; "" */
};

/*
 * What the machine can do at best, measured once before the runs in a process of its own (vrs_peaks_measure); "ceilings" of env.json.  Figures are
 * NaN and reason says why when it was not measured.
 */
struct vrs_result_ceilings {
	int threads;                   /* of fma_gflops_all and triad_gbps: all that the process may use */
	char isa[16];
	double fma_gflops_1;           /* multiply-adds of fp32 in registers, one thread */
	double fma_gflops_all;         /* the same on all threads at once, together */
	double triad_gbps;             /* a[i] = b[i] + s c[i] on all threads, 12 bytes an element (STREAM's rule) */
	bool leaves_cache;             /* false: memory did not allow arrays larger than the caches, so triad_gbps is too good */
	double probed_fma_gflops_1, probed_triad_gbps; /* the best that the probes before these runs saw; the figures above may be kept from earlier ones */
	char note[192];                /* where those probes stayed far below what is kept, or made no sense: a sentence; "" */
	char reason[192];
};

/* A value of struct vrs_run that no run of the result has, and why: nothing is absent in silence. */
struct vrs_unavailable {
	char key[32], reason[192];
};

struct vrs_result {
	char tool_version[64], started_utc[32], finished_utc[32], command[1024], input[VRS_PATH_MAX];
	uint64_t input_hash;           /* of the content; 0: not known */
	bool quick, complete;
	int rounds;                    /* planned */
	uint64_t seed;                 /* of the order of runs */
	char machine_json[65536];      /* the environment as written to env.json, without ceilings */
	struct vrs_result_ceilings ceilings;
	uint64_t fingerprint;
	char base_config[4096];        /* YAML of the values that differ from the built-in defaults and hold for every case */
	struct vrs_case_result *cases;
	int case_count;
	size_t case_capacity;
	struct vrs_net_profile *profiles; /* of the cases' networks, with --profile-ops */
	int profile_count;
	size_t profile_capacity;
	char versus[512];              /* of an A/B: what side A is; "": a sweep */
	char versus_config[8192];      /* of an A/B: YAML of A's values that differ from the built-in defaults */
	double injected_slowdown;      /* of an A/B: B was slowed by this share to prove the gate; NaN: not */
	struct vrs_comparison comparisons[VRS_RESULT_MAX_COMPARISONS];
	int comparison_count;
	struct vrs_unavailable unavailable[VRS_RESULT_MAX_UNAVAILABLE];
	int unavailable_count;
	struct vrs_profile_run profile_run;
	char default_case[VRS_CASE_ID_MAX]; /* id of the case that the others are compared with */
	char own_case[VRS_CASE_ID_MAX]; /* id of what base_config alone comes to on the input, so that it says what auto is; "": not known */
	char recommended_case[VRS_CASE_ID_MAX]; /* id */
	char recommendation[768];      /* one sentence: why, or why the default stays */
};

/* YAML of what a case of the result starts from: side A of an A/B has settings of its own, all others have base_config. */
const char *vrs_case_result_settings(const struct vrs_result *result, const struct vrs_case_result *c);

struct vrs_machine;
/*
 * Fill result->unavailable from the good runs of jobs (the network alone has none of these values); empty while there are none.  machine has read its
 * sensors, for the reasons; NULL: it is not known.
 */
void vrs_unavailable_find(struct vrs_result *result, const struct vrs_machine *machine);

/* Empty records: every measured value absent. */
void vrs_run_init(struct vrs_run *run);
void vrs_case_result_init(struct vrs_case_result *c);
void vrs_comparison_init(struct vrs_comparison *compared);
void vrs_profile_run_init(struct vrs_profile_run *run);
void vrs_result_ceilings_init(struct vrs_result_ceilings *ceilings);
/* In words: "avx2, 2 threads: 51.2 GFLOP/s each (...), 12.3 GB/s from memory". "": not measured. */
void vrs_result_ceilings_words(const struct vrs_result_ceilings *ceilings, char *buf, size_t size);
enum vrs_status vrs_result_create(struct vrs_result **ret_result) VRS_MUST_CHECK;
void vrs_result_destroy(struct vrs_result *result); /* NULL is fine */
/* Append; the returned pointer is valid until the next append. NULL: out of memory or too many. */
struct vrs_case_result *vrs_result_add_case(struct vrs_result *result);
struct vrs_run *vrs_case_result_add_run(struct vrs_case_result *c);
struct vrs_net_profile *vrs_result_add_profile(struct vrs_result *result); /* the same rules */
void vrs_result_drop_profile(struct vrs_result *result);                   /* the last one */
struct vrs_case_result *vrs_result_find_case(const struct vrs_result *result, const char *id); /* NULL: none */
/* All of a case but its runs, which `to` has none of; it owned none before. */
void vrs_case_result_copy_without_runs(struct vrs_case_result *to, const struct vrs_case_result *from);
/* Another run, with these values. VRS_ENOMEM. */
enum vrs_status vrs_case_result_copy_run(struct vrs_case_result *to, const struct vrs_run *run) VRS_MUST_CHECK;
/* Is it the case of side 'A' or 'B' of an A/B? */
bool vrs_case_result_is_side(const struct vrs_case_result *c, char side);
/* Free what the case owns (its runs). */
void vrs_case_result_fini(struct vrs_case_result *c);

/*
 * Write atomically; read with full checks (VRS_EFORMAT names the key, or an id that two cases have; newer major version is VRS_EUNSUPPORTED with a
 * sentence).  Estimates and live verdicts are made anew of the runs, so that what a file says of them cannot contradict these.
 */
enum vrs_status vrs_result_write(const struct vrs_result *result, const char *path, struct vrs_error *err);
/* The same text in memory, freed with free. VRS_ENOMEM. */
enum vrs_status vrs_result_print(const struct vrs_result *result, char **ret_text, size_t *ret_size);
enum vrs_status vrs_result_read(struct vrs_result **ret_result, const char *path, struct vrs_error *err);
/* The same from text; name is used in messages. */
enum vrs_status vrs_result_parse(struct vrs_result **ret_result, const char *text, size_t length, const char *name, struct vrs_error *err);

/* env.json: the environment with its ceilings; without one nothing is written. VRS_EIO, VRS_ENOMEM. */
enum vrs_status vrs_result_write_environment(const struct vrs_result *result, const char *path, struct vrs_error *err);

/* True for a run that figures are made of: it went well and no hard noise gate excluded it. */
bool vrs_run_counts(const struct vrs_run *run);
/* Does no network run in this case (backend null)? Its speed is that of the rest of the job, a bound and no setting to recommend. */
bool vrs_case_result_uses_null_backend(const struct vrs_case_result *c);
/* Are figures of two cases of one kind? Speeds of different scopes or modes, with and without a network, are never compared. */
bool vrs_case_result_same_kind(const struct vrs_case_result *a, const struct vrs_case_result *b);
/* False: both names of a device are known ("": none is), and it is another one, or has another driver. */
bool vrs_device_is_same(const char *device, const char *driver, const char *other_device, const char *other_driver);
/* The same of the devices that two cases ran on. */
bool vrs_case_result_same_device(const struct vrs_case_result *a, const struct vrs_case_result *b);
/* True for a run that the figures of this case are made of: a counted one, or any that went well where noise has excluded all of them. */
bool vrs_case_result_uses(const struct vrs_case_result *c, const struct vrs_run *run);
/* A figure of the comparison with truth, as a value of the run and as its offset (vrs_case_result_median). */
double *vrs_run_quality(struct vrs_run *run, enum vrs_quality_figure figure);
size_t vrs_run_quality_offset(enum vrs_quality_figure figure);
/* Was the matte of this run compared with a reference or with truth? */
bool vrs_run_has_quality(const struct vrs_run *run);
/*
 * The matte and what the encoder makes of the pictures belong to the case and are compared in one of its runs: give the first good run of `to`, a
 * copy of `from` with other runs, these figures where no run of it has them.
 */
void vrs_case_result_keep_quality(struct vrs_case_result *to, const struct vrs_case_result *from);
/* Does the case have the default value of every axis (VRS_AXIS_DEFAULT)? */
bool vrs_case_result_is_default(const struct vrs_case_result *c);
/* Was no run of the case tried?  c->skipped says why. */
bool vrs_case_result_is_skipped(const struct vrs_case_result *c);
/* Have noise gates excluded so many runs that the figures are no basis for decisions?  c->invalid says why. */
bool vrs_case_result_is_invalid(const struct vrs_case_result *c);
/* Did every run fail, and the last one for lack of memory? */
bool vrs_case_result_ran_out(const struct vrs_case_result *c);
/* Number of runs with status ok. */
int vrs_case_result_ok_runs(const struct vrs_case_result *c);
/* Frames whose mattes the first good run that kept some has compared; 0: none, or not recorded. */
int vrs_case_result_mattes(const struct vrs_case_result *c);
/* False: both say how many mattes were compared, and not the same number, so that figures of these are of other frames. */
bool vrs_case_result_same_mattes(const struct vrs_case_result *a, const struct vrs_case_result *b);
/*
 * A figure with truth of both, over the same mattes: all, or, where not as many were compared, the first ones, as many as both have.  Returns the
 * number of these; 0: all, or nobody knows better; -1: they share none.  What is not known is NaN.
 */
int vrs_case_result_common_quality(const struct vrs_case_result *a, const struct vrs_case_result *b, enum vrs_quality_figure figure, double *ret_a,
				   double *ret_b);
/* Number of those that no hard noise gate has excluded. */
int vrs_case_result_counted_runs(const struct vrs_case_result *c);
/*
 * Values of the runs that the figures are made of, given as for vrs_case_result_median; values has room for all runs.  Returns how many have one.
 * Figures of the matte and of what the encoder keeps of the pictures are those of any good run: one has them, and a noise gate may have excluded it.
 */
int vrs_case_result_values(const struct vrs_case_result *c, size_t offset, double *values);
/*
 * Median over ok runs of a value of struct vrs_run, given as offsetof(struct vrs_run, fps); NaN when no run has it.
 * Arrays: offsetof(struct vrs_run, stage_busy_ms) + stage * sizeof(double).
 */
double vrs_case_result_median(const struct vrs_case_result *c, size_t offset);
/* Time of the measured part, such as cpu_seconds, in ms a frame; NaN: not known. */
double vrs_run_ms_per_frame(const struct vrs_run *run, double seconds);
/* The estimates of a case from the runs that its figures are made of; those of a case without any have n 0. VRS_ENOMEM. */
enum vrs_status vrs_case_result_estimate(struct vrs_case_result *c);

#endif
