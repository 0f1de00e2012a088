/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rows of every record of results.json and of the journal, and the records without values. docs/results.md describes the rows; a test holds the
 * schema to them.
 */
#include "bench/record/record_fields.h"

#include "bench/record/frame_recorder.h"
#include "bench/record/net_profile.h"
#include "bench/record/result.h"

#define MS_MAX 1e9           /* a day and more */
#define BYTES_MAX 9e14       /* JSON numbers of at most 15 digits */
#define COUNT_MAX 9e14
#define ERROR_MAX 1e9        /* errors all over the eye, divided by a small box */

#define NUMBER(type, name, low, high) VRS_FIELD_ROW(type, DOUBLE, name, low, high, false)
#define WHOLE(type, name, low, high) VRS_FIELD_ROW(type, INT, name, low, high, false)
#define WIDE(type, name) VRS_FIELD_ROW(type, INT64, name, 0, COUNT_MAX, false)
#define FLAG(type, name) VRS_FIELD_ROW(type, BOOL, name, 0, 0, false)
#define TEXT(type, name, need) VRS_FIELD_ROW(type, TEXT, name, 0, 0, need)
#define STAGES(type, name) VRS_FIELD_ROW(type, STAGES, name, 0, MS_MAX, false)
#define ESTIMATE(type, name, key) VRS_FIELD_ROW_AS(key, type, ESTIMATE, name, 0, BYTES_MAX, false)
#define END {0}

const struct vrs_field vrs_run_fields[] = {
	VRS_FIELD_ENUM_ROW(vrs_run, status, &vrs_run_status_names, true),
	TEXT(vrs_run, reason, false),
	WHOLE(vrs_run, round, 0, 1e6),
	WHOLE(vrs_run, order, 0, 1e6),
	WHOLE(vrs_run, session, 0, VRS_RESULT_MAX_SESSION),
	WHOLE(vrs_run, attempt, 0, 1e6),
	TEXT(vrs_run, excluded, false),
	TEXT(vrs_run, started_utc, false),
	VRS_FIELD_ROW(vrs_run, INT64, frames, 0, COUNT_MAX, false),
	NUMBER(vrs_run, wall_seconds, 0, MS_MAX),
	NUMBER(vrs_run, cpu_seconds, 0, MS_MAX),
	NUMBER(vrs_run, user_seconds, 0, MS_MAX),
	NUMBER(vrs_run, system_seconds, 0, MS_MAX),
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
	NUMBER(vrs_run, live_deadline_ms, 0, MS_MAX),
	NUMBER(vrs_run, live_miss_percent, 0, 100),
	WIDE(vrs_run, live_due),
	WIDE(vrs_run, live_dropped),
	WIDE(vrs_run, live_late),
	WIDE(vrs_run, live_episodes),
	WIDE(vrs_run, live_longest),
	WIDE(vrs_run, live_late_starts),
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
	NUMBER(vrs_run, iou_worst, 0, 1),
	NUMBER(vrs_run, mad, 0, 1),
	NUMBER(vrs_run, boundary_f, 0, 1),
	NUMBER(vrs_run, dtssd, 0, 1),
	NUMBER(vrs_run, contour_f, 0, 1),
	NUMBER(vrs_run, box_mad, 0, ERROR_MAX),
	NUMBER(vrs_run, box_mse, 0, ERROR_MAX),
	NUMBER(vrs_run, box_dtssd, 0, ERROR_MAX),
	NUMBER(vrs_run, disparity_agreement, 0, 1),
	NUMBER(vrs_run, disparity_agreement_truth, 0, 1),
	NUMBER(vrs_run, agreement, 0, 1),
	NUMBER(vrs_run, eye_agreement, 0, 1),
	WHOLE(vrs_run, quality_frames, 0, 1e9),
	VRS_FIELD_ROW(vrs_run, PREFIXES, first_mattes, 0, 0, false),
	NUMBER(vrs_run, output_bytes_per_frame, 0, BYTES_MAX),
	NUMBER(vrs_run, output_kbps, 0, BYTES_MAX),
	NUMBER(vrs_run, encode_ssim, 0, 1),
	WIDE(vrs_run, peak_rss_bytes),
	WIDE(vrs_run, queue_bytes),
	WIDE(vrs_run, involuntary_switches),
	WIDE(vrs_run, voluntary_switches),
	WIDE(vrs_run, major_faults),
	WIDE(vrs_run, minor_faults),
	WIDE(vrs_run, swapped_in_pages),
	WIDE(vrs_run, throttle_events),
	WIDE(vrs_run, cycles),
	WIDE(vrs_run, instructions),
	WIDE(vrs_run, cache_misses),
	NUMBER(vrs_run, cycles_mhz, 0, 1e6),
	NUMBER(vrs_run, miss_gbps, 0, 1e6),
	NUMBER(vrs_run, net_gflop_per_frame, 0, 1e9),
	NUMBER(vrs_run, net_gflops, 0, 1e9),
	NUMBER(vrs_run, net_peak_share, 0, 1e6),
	NUMBER(vrs_run, moved_bytes_per_frame, 0, BYTES_MAX),
	NUMBER(vrs_run, moved_gbps, 0, 1e9),
	NUMBER(vrs_run, memory_share, 0, 1e6),
	NUMBER(vrs_run, power_watts, 0, 1e6),
	NUMBER(vrs_run, joules_per_frame, 0, 1e9),
	NUMBER(vrs_run, device_percent, 0, 100),
	NUMBER(vrs_run, device_watts, 0, 1e6),
	WIDE(vrs_run, device_peak_bytes),
	NUMBER(vrs_run, sampling_percent, 0, 100),
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
	VRS_FIELD_OPEN_ENUM_ROW(vrs_case_result, precision, &vrs_precision_names, VRS_PRECISION_AUTO),
	TEXT(vrs_case_result, backend, false),
	TEXT(vrs_case_result, isa, false),
	TEXT(vrs_case_result, model, false),
	TEXT(vrs_case_result, device, false),
	TEXT(vrs_case_result, driver, false),
	VRS_FIELD_OPEN_ENUM_ROW(vrs_case_result, layout, &vrs_stereo_names, VRS_STEREO_MONO),
	VRS_FIELD_ENUM_ROW(vrs_case_result, scope, &vrs_scope_names, false),
	VRS_FIELD_OPEN_ENUM_ROW(vrs_case_result, input_kind, &vrs_input_kind_names, VRS_INPUT_CLIP),
	VRS_FIELD_ROW_AS("mode", vrs_case_result, MODE, live_hz, 0, 0, false),
	TEXT(vrs_case_result, clip, false),
	TEXT(vrs_case_result, skipped, false),
	TEXT(vrs_case_result, invalid, false),
	TEXT(vrs_case_result, warning, false),
	TEXT(vrs_case_result, goal_note, false),
	WIDE(vrs_case_result, memory_estimate_bytes),
	WIDE(vrs_case_result, memory_limit_bytes),
	WIDE(vrs_case_result, device_bytes),
	WIDE(vrs_case_result, device_limit_bytes),
	WIDE(vrs_case_result, state_bytes),
	NUMBER(vrs_case_result, run_cv, 0, 10),
	NUMBER(vrs_case_result, pair_sd, 0, 10),
	NUMBER(vrs_case_result, deff95, 1, 1e6),
	NUMBER(vrs_case_result, deff99, 1, 1e6),
	ESTIMATE(vrs_case_result, fps, "fps"),
	ESTIMATE(vrs_case_result, frame_ms, "frame_ms"),
	ESTIMATE(vrs_case_result, latency_ms, "latency_ms"),
	ESTIMATE(vrs_case_result, peak_rss, "peak_rss_bytes"),
	ESTIMATE(vrs_case_result, cpu_ms_per_frame, "cpu_ms_per_frame"),
	ESTIMATE(vrs_case_result, live_miss_percent, "live_miss_percent"),
	VRS_FIELD_ENUM_ROW(vrs_case_result, live_verdict, &vrs_outcome_names, false),
	TEXT(vrs_case_result, live_note, false),
	NUMBER(vrs_case_result, soak_seconds, 0, MS_MAX),
	WIDE(vrs_case_result, soak_windows),
	VRS_FIELD_ROW_AS("soak_rss_slope_bytes_per_hour", vrs_case_result, DOUBLE, soak_rss_slope, -BYTES_MAX, BYTES_MAX, false),
	VRS_FIELD_ROW_AS("soak_rss_slope_low_bytes_per_hour", vrs_case_result, DOUBLE, soak_rss_slope_low, -BYTES_MAX, BYTES_MAX, false),
	VRS_FIELD_ROW_AS("soak_rss_slope_high_bytes_per_hour", vrs_case_result, DOUBLE, soak_rss_slope_high, -BYTES_MAX, BYTES_MAX, false),
	NUMBER(vrs_case_result, soak_drift_percent, -1e9, 1e9),
	VRS_FIELD_ENUM_ROW(vrs_case_result, soak_verdict, &vrs_outcome_names, false),
	TEXT(vrs_case_result, soak_note, false),
	TEXT(vrs_case_result, soak_file, false),
	TEXT(vrs_case_result, pooled_note, false),
	VRS_FIELD_ROW(vrs_case_result, INT64, pooled_frames, 0, COUNT_MAX, false),
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
	VRS_FIELD_ROW(vrs_result, HEX64, input_hash, 0, 0, false),
	FLAG(vrs_result, quick),
	FLAG(vrs_result, complete),
	WHOLE(vrs_result, rounds, 0, 1e6),
	VRS_FIELD_ROW(vrs_result, HEX64, seed, 0, 0, false),
	VRS_FIELD_ROW(vrs_result, HEX64, fingerprint, 0, 0, false),
	TEXT(vrs_result, base_config, false),
	TEXT(vrs_result, versus, false),
	TEXT(vrs_result, versus_config, false),
	NUMBER(vrs_result, injected_slowdown, 0, 100),
	TEXT(vrs_result, default_case, false),
	TEXT(vrs_result, own_case, false),
	TEXT(vrs_result, recommended_case, false),
	TEXT(vrs_result, recommendation, false),
	END,
};

const struct vrs_field vrs_comparison_fields[] = {
	TEXT(vrs_comparison, metric, true),
	TEXT(vrs_comparison, unit, false),
	NUMBER(vrs_comparison, a, 0, BYTES_MAX),
	NUMBER(vrs_comparison, b, 0, BYTES_MAX),
	NUMBER(vrs_comparison, change, -1, 1e9),
	NUMBER(vrs_comparison, low, -1, 1e9),
	NUMBER(vrs_comparison, high, -1, 1e9),
	NUMBER(vrs_comparison, p, 0, 1),
	NUMBER(vrs_comparison, holm_p, 0, 1),
	NUMBER(vrs_comparison, margin, 0, 1),
	NUMBER(vrs_comparison, mde, 0, 1e9),
	WHOLE(vrs_comparison, pairs, 0, 1e6),
	VRS_FIELD_ENUM_ROW(vrs_comparison, verdict, &vrs_verdict_names, true),
	VRS_FIELD_ENUM_ROW(vrs_comparison, cause, &vrs_cause_names, false),
	TEXT(vrs_comparison, reason, false),
	END,
};

const struct vrs_field vrs_profile_run_fields[] = {
	TEXT(vrs_profile_run, case_id, true),
	WHOLE(vrs_profile_run, pairs, 0, 1e6),
	NUMBER(vrs_profile_run, plain_fps, 0, 1e9),
	NUMBER(vrs_profile_run, profiled_fps, 0, 1e9),
	NUMBER(vrs_profile_run, overhead_percent, -100, 1e9),
	NUMBER(vrs_profile_run, overhead_low, -100, 1e9),
	NUMBER(vrs_profile_run, overhead_high, -100, 1e9),
	NUMBER(vrs_profile_run, cpu_overhead_percent, -100, 1e9),
	NUMBER(vrs_profile_run, sampling_percent, 0, 100),
	TEXT(vrs_profile_run, trace_file, false),
	TEXT(vrs_profile_run, frames_file, false),
	TEXT(vrs_profile_run, reason, false),
	END,
};

const struct vrs_field vrs_ceilings_fields[] = {
	WHOLE(vrs_result_ceilings, threads, 0, 65536),
	TEXT(vrs_result_ceilings, isa, false),
	NUMBER(vrs_result_ceilings, fma_gflops_1, 0, 1e9),
	NUMBER(vrs_result_ceilings, fma_gflops_all, 0, 1e9),
	NUMBER(vrs_result_ceilings, triad_gbps, 0, 1e9),
	FLAG(vrs_result_ceilings, leaves_cache),
	NUMBER(vrs_result_ceilings, probed_fma_gflops_1, 0, 1e9),
	NUMBER(vrs_result_ceilings, probed_triad_gbps, 0, 1e9),
	TEXT(vrs_result_ceilings, note, false),
	TEXT(vrs_result_ceilings, reason, false),
	END,
};

const struct vrs_field vrs_profile_fields[] = {
	TEXT(vrs_net_profile, model, true),
	VRS_FIELD_OPEN_ENUM_ROW(vrs_net_profile, precision, &vrs_precision_names, VRS_PRECISION_AUTO),
	TEXT(vrs_net_profile, backend, false),
	TEXT(vrs_net_profile, isa, false),
	TEXT(vrs_net_profile, device, false),
	WHOLE(vrs_net_profile, threads, 0, 65536),
	WHOLE(vrs_net_profile, batch, 0, 65536),
	WHOLE(vrs_net_profile, width, 0, 65536),
	WHOLE(vrs_net_profile, height, 0, 65536),
	WIDE(vrs_net_profile, runs),
	NUMBER(vrs_net_profile, fma_gflops_1, 0, 1e9),
	NUMBER(vrs_net_profile, fma_gflops_all, 0, 1e9),
	NUMBER(vrs_net_profile, triad_gbps, 0, 1e9),
	NUMBER(vrs_net_profile, peak_gflops, 0, 1e9),
	NUMBER(vrs_net_profile, upload_gbps, 0, 1e9),
	NUMBER(vrs_net_profile, download_gbps, 0, 1e9),
	NUMBER(vrs_net_profile, launch_us, 0, 1e9),
	WIDE(vrs_net_profile, full_items),
	TEXT(vrs_net_profile, peak_note, false),
	NUMBER(vrs_net_profile, ms, 0, MS_MAX),
	NUMBER(vrs_net_profile, gflops, 0, 1e9),
	NUMBER(vrs_net_profile, peak_share, 0, 1e6),
	NUMBER(vrs_net_profile, gbps, 0, 1e9),
	NUMBER(vrs_net_profile, memory_share, 0, 1e6),
	NUMBER(vrs_net_profile, call_ms, 0, MS_MAX),
	NUMBER(vrs_net_profile, kernel_ms, 0, MS_MAX),
	NUMBER(vrs_net_profile, gap_ms, 0, MS_MAX),
	NUMBER(vrs_net_profile, upload_ms, 0, MS_MAX),
	NUMBER(vrs_net_profile, download_ms, 0, MS_MAX),
	NUMBER(vrs_net_profile, kernel_peak_share, 0, 1e6),
	NUMBER(vrs_net_profile, kernel_memory_share, 0, 1e6),
	NUMBER(vrs_net_profile, small_share, 0, 1),
	WIDE(vrs_net_profile, kernels),
	WIDE(vrs_net_profile, host_ops),
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
	WIDE(vrs_op_row, weight_bytes),
	NUMBER(vrs_op_row, gflops, 0, 1e9),
	NUMBER(vrs_op_row, peak_share, 0, 1e6),
	NUMBER(vrs_op_row, gbps, 0, 1e9),
	NUMBER(vrs_op_row, memory_share, 0, 1e6),
	WIDE(vrs_op_row, items),
	END,
};

/* Conditions of a run, in requests and in the plan of a journal. */
const struct vrs_field vrs_rules_fields[] = {
	VRS_FIELD_ROW(vrs_recorder_rules, DOUBLE, warmup_min_seconds, 0, 1e7, true),
	VRS_FIELD_ROW(vrs_recorder_rules, DOUBLE, warmup_max_seconds, 0, 1e7, true),
	VRS_FIELD_ROW(vrs_recorder_rules, INT, warmup_min_frames, 0, 1e6, true),
	VRS_FIELD_ROW(vrs_recorder_rules, INT64, warmup_max_frames, 0, 1e9, false),
	VRS_FIELD_ROW(vrs_recorder_rules, DOUBLE, duration_seconds, 0, 1e7, true),
	VRS_FIELD_ROW(vrs_recorder_rules, INT64, min_frames, 0, 1e9, true),
	VRS_FIELD_ROW(vrs_recorder_rules, INT64, max_frames, 0, 1e9, true),
	END,
};

void vrs_run_init(struct vrs_run *run)
{
	*run = (struct vrs_run){.status = VRS_RUN_FAILED};
	vrs_fields_clear(vrs_run_fields, run);
	run->frames = 0; /* none was measured: that is known */
}

void vrs_case_result_init(struct vrs_case_result *c)
{
	*c = (struct vrs_case_result){.precision = VRS_PRECISION_NOT_KNOWN};
	vrs_fields_clear(vrs_case_fields, c);
	c->pooled_frames = 0;
}

void vrs_comparison_init(struct vrs_comparison *compared)
{
	*compared = (struct vrs_comparison){.verdict = VRS_VERDICT_INCONCLUSIVE};
	vrs_fields_clear(vrs_comparison_fields, compared);
}

void vrs_profile_run_init(struct vrs_profile_run *run)
{
	*run = (struct vrs_profile_run){.pairs = 0};
	vrs_fields_clear(vrs_profile_run_fields, run);
}

void vrs_result_ceilings_init(struct vrs_result_ceilings *ceilings)
{
	*ceilings = (struct vrs_result_ceilings){.threads = 0};
	vrs_fields_clear(vrs_ceilings_fields, ceilings);
}

void vrs_net_profile_init(struct vrs_net_profile *profile)
{
	*profile = (struct vrs_net_profile){.precision = VRS_PRECISION_NOT_KNOWN};
	vrs_fields_clear(vrs_profile_fields, profile);
	profile->runs = 0;
}
