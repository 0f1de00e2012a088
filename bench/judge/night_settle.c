/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/judge/night_settle.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "bench/judge/night_figures.h"
#include "bench/judge/night_gate.h"

static struct vrs_comparison *find_second(const struct vrs_night_record *second, const struct vrs_night_figures *c, const char *metric)
{
	for (int i = 0; second && i < second->case_count; i++) {
		struct vrs_night_figures *other = &second->cases[i];
		for (int k = 0; k < other->metric_count; k++)
			if (other->input_hash == c->input_hash && strcmp(other->id, c->id) == 0 && strcmp(other->input, c->input) == 0 &&
			    vrs_device_is_same(other->device, other->driver, c->device, c->driver) && strcmp(other->metrics[k].metric, metric) == 0)
				return &other->metrics[k];
	}
	return NULL;
}

/* The comparisons of the night for the gate; of_case: which case each belongs to. */
static int make_items(struct vrs_night_record *night, const struct vrs_night_record *second, struct vrs_night_item *items, int *of_case)
{
	int count = 0;
	for (int i = 0; i < night->case_count; i++)
		for (int k = 0; k < night->cases[i].metric_count; k++) {
			struct vrs_comparison *m = &night->cases[i].metrics[k];
			bool quality = vrs_night_metric_is_quality(m->metric);
			if (m->pairs == 0 && m->verdict != VRS_VERDICT_INVALID && (quality || !night->baseline_sha256[0]))
				continue;
			of_case[count] = i;
			items[count++] = (struct vrs_night_item){
				.role = quality ? VRS_NIGHT_QUALITY : k == 0 ? VRS_NIGHT_HEADLINE : VRS_NIGHT_SECONDARY, .case_id = night->cases[i].id,
				.first = m, .second = quality ? NULL : find_second(second, &night->cases[i], m->metric)};
		}
	return count;
}

static enum vrs_night_outcome outcome_of(const struct vrs_night_verdict *verdict, int items)
{
	if (items == 0)
		return VRS_NIGHT_RECORDED;
	return verdict->exit_code == VRS_EXIT_REGRESSION     ? VRS_NIGHT_REGRESSION
	       : verdict->exit_code == VRS_EXIT_INCONCLUSIVE ? VRS_NIGHT_INCONCLUSIVE
	       : verdict->exit_code == VRS_EXIT_INVALID      ? VRS_NIGHT_INVALID
							     : VRS_NIGHT_PASSED;
}

enum vrs_status vrs_night_settle_gate(struct vrs_night_record *night, const struct vrs_night_record *second, bool *ret_confirm, bool *wanted,
				      struct vrs_error *err)
{
	struct vrs_night_verdict verdict;
	struct vrs_arena arena = {0};
	size_t room = 1;
	for (int i = 0; i < night->case_count; i++)
		room += (size_t)night->cases[i].metric_count;
	struct vrs_night_item *items = vrs_arena_calloc(&arena, room, sizeof *items);
	int *of_case = vrs_arena_calloc(&arena, room, sizeof *of_case);
	int count = items && of_case ? make_items(night, second, items, of_case) : 0;
	enum vrs_status status = items && of_case ? vrs_night_gate(items, count, 0, &verdict) : VRS_ENOMEM;
	if (status == VRS_OK) {
		*ret_confirm = verdict.confirm;
		night->gate = outcome_of(&verdict, count);
		(void)snprintf(night->gate_reason, sizeof night->gate_reason, "%s", count ? verdict.reason : "there is nothing to compare with yet");
	}
	for (int i = 0; wanted && i < night->case_count; i++)
		wanted[i] = false;
	for (int i = 0; wanted && i < count && status == VRS_OK; i++)
		wanted[of_case[i]] |= items[i].suspect;
	vrs_arena_free(&arena);
	return status == VRS_OK ? VRS_OK : vrs_fail(err, status, "the night cannot be judged: %s", vrs_status_str(status));
}

static bool is_accepted(const struct vrs_night_record *night, const struct vrs_night_history *history)
{
	const struct vrs_decision *baseline = vrs_night_history_baseline(history);
	return baseline && night->number > 0 && baseline->night == night->number && night->baseline_sha256[0] &&
	       strcmp(baseline->sha256, night->sha256) == 0;
}

void vrs_night_settle(struct vrs_night_record *night, const struct vrs_night_history *history, const struct vrs_night_watch *watch)
{
	const struct vrs_night_alert *alarm = vrs_night_watch_alarm(watch);
	night->outcome = night->gate;
	(void)snprintf(night->reason, sizeof night->reason, "%s", night->gate_reason);
	if (is_accepted(night, history) && night->gate == VRS_NIGHT_REGRESSION) {
		night->outcome = VRS_NIGHT_PASSED;
		(void)snprintf(night->reason, sizeof night->reason, "Its build was accepted as the baseline: %.400s.", vrs_night_history_baseline(history)->reason);
	}
	if (!alarm || night->outcome == VRS_NIGHT_REGRESSION || night->injected_slowdown > 0)
		return;
	night->outcome = VRS_NIGHT_REGRESSION;
	const struct vrs_night_series *s = &watch->series[alarm->series];
	const struct vrs_history_alert *a = &s->alerts[alarm->alert];
	char name[VRS_NIGHT_NAME_MAX], case_name[VRS_NIGHT_CASE_MAX];
	(void)snprintf(night->reason, sizeof night->reason, "The history shows a change for the worse since %s, in %d series: %s of %.300s by "
		       "%+.1f %%.", vrs_night_name(watch->records[alarm->bad], name), alarm->worse, s->metric,
		       vrs_night_series_case(s, case_name, sizeof case_name), 100 * a->change);
}
