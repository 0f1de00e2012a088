/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `vrbench nightly`: the accepted baseline against this build in every case of a sweep, on every video, in interleaved rounds; confirmed by a second
 * invocation where the first says SLOWER; appended to the history, and judged.
 */
#ifndef VRS_BENCH_MODES_NIGHT_MODE_H
#define VRS_BENCH_MODES_NIGHT_MODE_H

#include "bench/modes/bench_program.h"
#include "reports/night_files.h"

struct vrs_nightly_args {
	struct vrs_bench_args bench;        /* what and how to measure; its versus is the baseline */
	const char *history;
	struct vrs_night_files files;
	bool require_baseline;
};

extern const struct vrs_cli_spec vrs_nightly_cli_spec;

/* One night; videos: names of the inputs, at least one.  Statuses of the runner and of the history; program->exit_code is that of the verdict. */
enum vrs_status vrs_bench_mode_nightly(struct vrs_bench_program *program, const struct vrs_nightly_args *args, const char *const *videos, int count,
				       struct vrs_error *err);

/* nightly_measure.c: one invocation. */
struct vrs_nightly_invocation {
	struct vrs_bench_program *program;
	const char *folder;                 /* of its results: FOLDER/1, FOLDER/2 ... for the videos */
	const char *folder_root;            /* the part of it that the user typed */
	const char *baseline;               /* path of the program of side A; NULL: B alone */
	const char *const *videos;
	int video_count;
	const struct vrs_night_record *only; /* cases to measure where wanted[case] is set; NULL: all */
	const bool *wanted;
	uint64_t seed;
	double end_seconds;                 /* of the monotonic clock; 0: no limit */
};
/* Measure, and append the cases to the night.  VRS_ESTOPPED on request, and what runners fail with. */
enum vrs_status vrs_nightly_measure(const struct vrs_nightly_invocation *invocation, struct vrs_night_record *night, struct vrs_arena *arena,
				    struct vrs_error *err);

/* nightly_metrics.c: what the verdict says to Prometheus. */
struct vrs_nightly_metrics;
/* file, port and statuses as of vrs_metrics_open. */
enum vrs_status vrs_nightly_metrics_open(struct vrs_nightly_metrics **ret_metrics, const char *file, const char *port, struct vrs_error *err);
/* The night that was judged. NULL metrics are fine. */
void vrs_nightly_metrics_take(struct vrs_nightly_metrics *metrics, const struct vrs_night_record *night, const struct vrs_night_watch *watch);
/* The program ends with this exit code. NULL is fine. */
void vrs_nightly_metrics_close(struct vrs_nightly_metrics *metrics, int exit_code);

#endif
