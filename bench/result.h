/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * THE record of a measurement: case, host, runs, statistics.  JSON in and out ("schema": "vrbench/1", see docs/results.md).
 */
#ifndef VRS_BENCH_RESULT_H
#define VRS_BENCH_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include <vrseg/pipeline.h>
#include <vrseg/status.h>

enum vrs_run_status { VRS_RUN_OK, VRS_RUN_FAILED, VRS_RUN_TIMEOUT, VRS_RUN_CRASH, VRS_RUN_OOM, VRS_RUN_SKIPPED };

/* One run = one fresh process.  Times in ms, sizes in bytes; a value that could not be observed is NaN and absent in JSON. */
struct vrs_run {
	enum vrs_run_status status;
	char reason[256];              /* why not ok */
	int round, order;
	char started_utc[32];
	int64_t frames;                /* measured, after warm-up */
	double wall_seconds, cpu_seconds;
	double fps;                    /* frames / wall of the measured part */
	double frame_median_ms, frame_mean_ms, frame_p90_ms, frame_p95_ms, frame_p99_ms, frame_max_ms; /* completion intervals */
	double latency_median_ms, latency_p95_ms, latency_p99_ms;                                       /* decode start to encode end */
	double load_ms, first_frame_ms, warmup_seconds;
	bool warmup_settled;
	double stage_busy_ms[VRS_STAGE_COUNT];   /* per frame */
	double stage_cpu_ms[VRS_STAGE_COUNT];
	double stage_wait_in_ms[VRS_STAGE_COUNT], stage_wait_out_ms[VRS_STAGE_COUNT];
	double net_ms;                 /* per network call */
	double iou, mad;               /* against truth where the clip has one */
	double agreement;              /* IoU with the fp32 reference's mattes */
	uint64_t peak_rss_bytes;
	long involuntary_switches, voluntary_switches, major_faults;
	double steal_percent, frequency_mhz, temperature_c;
	char frames_file[128];         /* binary side file with per-frame times, relative to the result folder */
};

/* Interval of a median over runs: exact order statistics; has_interval false below 6 runs. */
struct vrs_estimate {
	double median, low, high, min, max, confidence;
	int n;
	bool has_interval;
};

struct vrs_case_result {
	char id[256];                  /* "r=3840x1920/b=2/p=fp32/t=2" */
	char axis[32];                 /* why it is in the sweep: "default", "resolution", "batch", ... */
	int width, height, batch, threads, streams, net_width, net_height;
	char precision[16], backend[16], isa[16], model[64], layout[8], scope[24], input_kind[24], mode[16];
	struct vrs_run *runs;
	int run_count;
	char skipped[256];             /* why no run was tried; "" otherwise */
	struct vrs_estimate fps, frame_ms, latency_ms, peak_rss, cpu_ms_per_frame;
	int64_t pooled_frames;
	double p50_ms, p95_ms, p99_ms; /* pooled frames; NaN when the sample does not support them */
	char p99_note[96];             /* "uncalibrated", "needs N more frames" */
};

struct vrs_result {
	char tool_version[64], started_utc[32], finished_utc[32], command[1024], input[VRS_PATH_MAX];
	bool quick, complete;
	char machine_json[16384];      /* the environment as written to env.json */
	uint64_t fingerprint;
	struct vrs_case_result *cases;
	int case_count;
	char recommended_case[256];
};

/* Write atomically; read with full checks (VRS_EFORMAT names the key; newer major version is VRS_EUNSUPPORTED with a sentence). */
enum vrs_status vrs_result_write(const struct vrs_result *result, const char *path, struct vrs_error *err);
enum vrs_status vrs_result_read(struct vrs_result **ret_result, const char *path, struct vrs_error *err);
void vrs_result_destroy(struct vrs_result *result);
/* Compute the estimates of a case from its ok runs. */
void vrs_case_result_summarize(struct vrs_case_result *result);

#endif
