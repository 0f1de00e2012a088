/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Metrics of vrbench: how far a measurement is, what its runs made, what the sensors say (docs/monitoring.md lists them). */
#ifndef VRS_BENCH_BENCH_METRICS_H
#define VRS_BENCH_BENCH_METRICS_H

#include <vrseg/metrics.h>

#include "bench/run/runner.h"

struct vrs_bench_metrics;

/* Begin to publish: file and port, and statuses, as of vrs_metrics_open. */
enum vrs_status vrs_bench_metrics_open(struct vrs_bench_metrics **ret_metrics, const char *file, const char *port, struct vrs_error *err);
/* What the runner tells; nothing of the event is kept but numbers and names. NULL is fine. */
void vrs_bench_metrics_event(struct vrs_bench_metrics *metrics, const struct vrs_runner_event *event);
/* The program ends: publish its exit code in the file, and release all. NULL is fine. */
void vrs_bench_metrics_close(struct vrs_bench_metrics *metrics, int exit_code);

#endif
