/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verdict of the night as metrics: in a file, which the time and exit code of the last night are kept in, so that silence can be an alert. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <vrseg/metrics.h>

#include "base/mem.h"
#include "bench/modes/night_mode.h"

struct vrs_nightly_metrics {
	struct vrs_metrics *metrics;
	pthread_mutex_t lock;                /* guards the rest */
	bool judged;
	enum vrs_night_outcome outcome;
	int64_t number;
	bool has_baseline, confirmed;
	int worse, inconclusive, invalid, alerts;
	double injected_slowdown;
};

static void write_value(struct vrs_metric_writer *writer, const char *name, const char *unit, const char *help, double value)
{
	const struct vrs_metric metric = {.name = name, .kind = VRS_METRIC_GAUGE, .unit = unit, .help = help};
	if (isfinite(value))
		vrs_metric_value(writer, &metric, value);
}

static void write_all(void *cookie, struct vrs_metric_writer *writer)
{
	struct vrs_nightly_metrics *m = cookie;
	static const struct vrs_metric verdict = {.name = "vrbench_nightly_verdict", .kind = VRS_METRIC_GAUGE, .unit = "",
						  .help = "1 for the verdict of the last night, 0 for the others."};
	pthread_mutex_lock(&m->lock);
	if (m->judged) {
		vrs_metric_begin(writer, &verdict);
		for (int i = 0; i < vrs_night_outcome_names.count; i++) {
			const struct vrs_metric_label label = {"verdict", vrs_name_of(&vrs_night_outcome_names, i)};
			vrs_metric_sample(writer, i == (int)m->outcome, &label, 1);
		}
		write_value(writer, "vrbench_nightly_number", "", "Number of the last night in its history.", (double)m->number);
		write_value(writer, "vrbench_nightly_has_baseline", "", "1 where the last night was compared with a baseline.", m->has_baseline);
		write_value(writer, "vrbench_nightly_confirmed", "", "1 where a second invocation was measured.", m->confirmed);
		write_value(writer, "vrbench_nightly_worse", "", "Metrics of all cases that are worse than the baseline's.", m->worse);
		write_value(writer, "vrbench_nightly_inconclusive", "", "Metrics that the night could not tell about.", m->inconclusive);
		write_value(writer, "vrbench_nightly_invalid", "", "Metrics that were disturbed or failed.", m->invalid);
		write_value(writer, "vrbench_nightly_alerts", "", "Changes for the worse in the history that are open.", m->alerts);
		write_value(writer, "vrbench_nightly_injected_slowdown_ratio", "ratio", "Share that the build was slowed by on purpose.",
			    m->injected_slowdown);
	}
	pthread_mutex_unlock(&m->lock);
}

enum vrs_status vrs_nightly_metrics_open(struct vrs_nightly_metrics **ret_metrics, const char *file, const char *port, struct vrs_error *err)
{
	struct vrs_nightly_metrics *m = vrs_calloc(1, sizeof *m);
	if (!m)
		return vrs_fail_nomem(err);
	const struct vrs_metrics_source source = {.program = "vrbench_nightly", .cookie = m, .write = write_all};
	pthread_mutex_init(&m->lock, NULL);
	enum vrs_status status = vrs_metrics_open(&m->metrics, file, port, &source, err);
	if (status == VRS_OK)
		*ret_metrics = m;
	else
		vrs_nightly_metrics_close(m, 0);
	return status;
}

void vrs_nightly_metrics_take(struct vrs_nightly_metrics *m, const struct vrs_night_record *night, const struct vrs_night_watch *watch)
{
	if (!m)
		return;
	pthread_mutex_lock(&m->lock);
	m->judged = true;
	m->outcome = night->outcome;
	m->number = night->number;
	m->has_baseline = night->baseline_sha256[0] != 0;
	m->confirmed = night->confirmed;
	m->injected_slowdown = night->injected_slowdown;
	m->worse = vrs_night_record_count(night, VRS_VERDICT_SLOWER);
	m->inconclusive = vrs_night_record_count(night, VRS_VERDICT_INCONCLUSIVE);
	m->invalid = vrs_night_record_count(night, VRS_VERDICT_INVALID);
	m->alerts = 0;
	for (int i = 0; i < watch->alert_count; i++)
		m->alerts += watch->alerts[i].alarms;
	pthread_mutex_unlock(&m->lock);
}

void vrs_nightly_metrics_close(struct vrs_nightly_metrics *m, int exit_code)
{
	if (!m)
		return;
	vrs_metrics_exit(m->metrics, exit_code);
	vrs_metrics_close(m->metrics);
	pthread_mutex_destroy(&m->lock);
	vrs_free(m);
}
