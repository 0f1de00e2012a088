/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of every record of results.json and of the journal. docs/results.md describes them; a test holds the schema to them. */
#include "bench/record_fields.h"

#include "bench/net_profile.h"
#include "bench/result.h"

#define MS_MAX 1e9           /* a day and more */
#define BYTES_MAX 9e14       /* JSON numbers of at most 15 digits */
#define COUNT_MAX 9e14

#define NUMBER(type, name, low, high) {#name, VRS_FIELD_DOUBLE, offsetof(struct type, name), 0, low, high, false}
#define WHOLE(type, name, low, high) {#name, VRS_FIELD_INT, offsetof(struct type, name), 0, low, high, false}
#define WIDE(type, name) {#name, VRS_FIELD_INT64, offsetof(struct type, name), 0, 0, COUNT_MAX, false}
#define FLAG(type, name) {#name, VRS_FIELD_BOOL, offsetof(struct type, name), 0, 0, 0, false}
#define TEXT(type, name, need) {#name, VRS_FIELD_TEXT, offsetof(struct type, name), sizeof(((struct type *)0)->name), 0, 0, need}
#define STAGES(type, name) {#name, VRS_FIELD_STAGES, offsetof(struct type, name), 0, 0, MS_MAX, false}
#define ESTIMATE(type, name, key) {key, VRS_FIELD_ESTIMATE, offsetof(struct type, name), 0, 0, BYTES_MAX, false}
#define END {0}

const struct vrs_field vrs_run_fields[] = {
	{"status", VRS_FIELD_STATUS, offsetof(struct vrs_run, status), 0, 0, 0, true},
	TEXT(vrs_run, reason, false),
	WHOLE(vrs_run, round, 0, 1e6),
	WHOLE(vrs_run, order, 0, 1e6),
	WHOLE(vrs_run, attempt, 0, 1e6),
	TEXT(vrs_run, excluded, false),
	TEXT(vrs_run, started_utc, false),
	{"frames", VRS_FIELD_INT64, offsetof(struct vrs_run, frames), 0, 0, COUNT_MAX, false},
	NUMBER(vrs_run, wall_seconds, 0, MS_MAX),
	NUMBER(vrs_run, cpu_seconds, 0, MS_MAX),
	NUMBER(vrs_run, process_seconds, 0, MS_MAX),
	NUMBER(vrs_run, fps, 0, 1e9),
	NUMBER(vrs_run, frame_median_ms, 0, MS_MAX),
	NUMBER(vrs_run, frame_mean_ms, 0, MS_MAX),
	NUMBER(vrs_run, frame_p90_ms, 0, MS_MAX),
	NUMBER(vrs_run, frame_p95_ms, 0, MS_MAX),
	NUMBER(vrs_run, frame_p99_ms, 0, MS_MAX),
	NUMBER(vrs_run, frame_max_ms, 0, MS_MAX),
	NUMBER(vrs_run, latency_median_ms, 0, MS_MAX),
	NUMBER(vrs_run, latency_p95_ms, 0, MS_MAX),
	NUMBER(vrs_run, latency_p99_ms, 0, MS_MAX),
	NUMBER(vrs_run, load_ms, 0, MS_MAX),
	NUMBER(vrs_run, first_frame_ms, 0, MS_MAX),
	NUMBER(vrs_run, warmup_seconds, 0, MS_MAX),
	FLAG(vrs_run, warmup_settled),
	STAGES(vrs_run, stage_busy_ms),
	STAGES(vrs_run, stage_cpu_ms),
	STAGES(vrs_run, stage_wait_in_ms),
	STAGES(vrs_run, stage_wait_out_ms),
	NUMBER(vrs_run, net_ms, 0, MS_MAX),
	NUMBER(vrs_run, iou, 0, 1),
	NUMBER(vrs_run, mad, 0, 1),
	NUMBER(vrs_run, boundary_f, 0, 1),
	NUMBER(vrs_run, agreement, 0, 1),
	WHOLE(vrs_run, quality_frames, 0, 1e9),
	WIDE(vrs_run, peak_rss_bytes),
	WIDE(vrs_run, queue_bytes),
	WIDE(vrs_run, involuntary_switches),
	WIDE(vrs_run, voluntary_switches),
	WIDE(vrs_run, major_faults),
	NUMBER(vrs_run, steal_percent, 0, 100),
	NUMBER(vrs_run, frequency_mhz, 0, 1e6),
	NUMBER(vrs_run, temperature_c, -100, 1000),
	NUMBER(vrs_run, others_percent, 0, 100),
	TEXT(vrs_run, frames_file, false),
	END,
};

const struct vrs_field vrs_case_fields[] = {
	TEXT(vrs_case_result, id, true),
	TEXT(vrs_case_result, axis, false),
	WHOLE(vrs_case_result, width, 0, 65536),
	WHOLE(vrs_case_result, height, 0, 65536),
	WHOLE(vrs_case_result, batch, 0, 65536),
	WHOLE(vrs_case_result, threads, 0, 65536),
	WHOLE(vrs_case_result, streams, 0, 65536),
	WHOLE(vrs_case_result, net_width, 0, 65536),
	WHOLE(vrs_case_result, net_height, 0, 65536),
	TEXT(vrs_case_result, precision, false),
	TEXT(vrs_case_result, backend, false),
	TEXT(vrs_case_result, isa, false),
	TEXT(vrs_case_result, model, false),
	TEXT(vrs_case_result, layout, false),
	TEXT(vrs_case_result, scope, false),
	TEXT(vrs_case_result, input_kind, false),
	TEXT(vrs_case_result, mode, false),
	TEXT(vrs_case_result, clip, false),
	TEXT(vrs_case_result, skipped, false),
	TEXT(vrs_case_result, invalid, false),
	TEXT(vrs_case_result, warning, false),
	TEXT(vrs_case_result, goal_note, false),
	WIDE(vrs_case_result, memory_estimate_bytes),
	WIDE(vrs_case_result, memory_limit_bytes),
	ESTIMATE(vrs_case_result, fps, "fps"),
	ESTIMATE(vrs_case_result, frame_ms, "frame_ms"),
	ESTIMATE(vrs_case_result, latency_ms, "latency_ms"),
	ESTIMATE(vrs_case_result, peak_rss, "peak_rss_bytes"),
	ESTIMATE(vrs_case_result, cpu_ms_per_frame, "cpu_ms_per_frame"),
	{"pooled_frames", VRS_FIELD_INT64, offsetof(struct vrs_case_result, pooled_frames), 0, 0, COUNT_MAX, false},
	NUMBER(vrs_case_result, p50_ms, 0, MS_MAX),
	NUMBER(vrs_case_result, p95_ms, 0, MS_MAX),
	NUMBER(vrs_case_result, p99_ms, 0, MS_MAX),
	TEXT(vrs_case_result, p50_note, false),
	TEXT(vrs_case_result, p95_note, false),
	TEXT(vrs_case_result, p99_note, false),
	END,
};

const struct vrs_field vrs_result_fields[] = {
	TEXT(vrs_result, tool_version, true),
	TEXT(vrs_result, started_utc, false),
	TEXT(vrs_result, finished_utc, false),
	TEXT(vrs_result, command, false),
	TEXT(vrs_result, input, false),
	FLAG(vrs_result, quick),
	FLAG(vrs_result, complete),
	WHOLE(vrs_result, rounds, 0, 1e6),
	{"seed", VRS_FIELD_HEX64, offsetof(struct vrs_result, seed), 0, 0, 0, false},
	{"fingerprint", VRS_FIELD_HEX64, offsetof(struct vrs_result, fingerprint), 0, 0, 0, false},
	TEXT(vrs_result, base_config, false),
	TEXT(vrs_result, versus, false),
	TEXT(vrs_result, versus_config, false),
	TEXT(vrs_result, default_case, false),
	TEXT(vrs_result, recommended_case, false),
	TEXT(vrs_result, recommendation, false),
	END,
};

const struct vrs_field vrs_compared_fields[] = {
	TEXT(vrs_compared, metric, true),
	TEXT(vrs_compared, unit, false),
	NUMBER(vrs_compared, a, 0, BYTES_MAX),
	NUMBER(vrs_compared, b, 0, BYTES_MAX),
	NUMBER(vrs_compared, change, -1, 1e9),
	NUMBER(vrs_compared, low, -1, 1e9),
	NUMBER(vrs_compared, high, -1, 1e9),
	NUMBER(vrs_compared, p, 0, 1),
	NUMBER(vrs_compared, holm_p, 0, 1),
	NUMBER(vrs_compared, margin, 0, 1),
	NUMBER(vrs_compared, mde, 0, 1e9),
	WHOLE(vrs_compared, pairs, 0, 1e6),
	TEXT(vrs_compared, verdict, true),
	TEXT(vrs_compared, reason, false),
	END,
};

const struct vrs_field vrs_profile_fields[] = {
	TEXT(vrs_net_profile, model, true),
	TEXT(vrs_net_profile, precision, false),
	TEXT(vrs_net_profile, backend, false),
	TEXT(vrs_net_profile, isa, false),
	WHOLE(vrs_net_profile, threads, 0, 65536),
	WHOLE(vrs_net_profile, batch, 0, 65536),
	WHOLE(vrs_net_profile, width, 0, 65536),
	WHOLE(vrs_net_profile, height, 0, 65536),
	WIDE(vrs_net_profile, runs),
	NUMBER(vrs_net_profile, fma_gflops_1, 0, 1e9),
	NUMBER(vrs_net_profile, fma_gflops_all, 0, 1e9),
	NUMBER(vrs_net_profile, triad_gbps, 0, 1e9),
	NUMBER(vrs_net_profile, peak_gflops, 0, 1e9),
	NUMBER(vrs_net_profile, ms, 0, MS_MAX),
	NUMBER(vrs_net_profile, gflops, 0, 1e9),
	NUMBER(vrs_net_profile, peak_share, 0, 1e6),
	NUMBER(vrs_net_profile, gbps, 0, 1e9),
	NUMBER(vrs_net_profile, memory_share, 0, 1e6),
	WIDE(vrs_net_profile, macs),
	WIDE(vrs_net_profile, bytes),
	END,
};

const struct vrs_field vrs_op_fields[] = {
	TEXT(vrs_op_row, name, true),
	TEXT(vrs_op_row, kernel, false),
	NUMBER(vrs_op_row, ms, 0, MS_MAX),
	NUMBER(vrs_op_row, share, 0, 1),
	WIDE(vrs_op_row, macs),
	WIDE(vrs_op_row, bytes),
	NUMBER(vrs_op_row, gflops, 0, 1e9),
	NUMBER(vrs_op_row, peak_share, 0, 1e6),
	NUMBER(vrs_op_row, gbps, 0, 1e9),
	NUMBER(vrs_op_row, memory_share, 0, 1e6),
	END,
};
