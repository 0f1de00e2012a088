/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/night_files.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <vrseg/exit_codes.h>

#include "analyzer/night_tables.h"
#include "base/file.h"
#include "base/verdict_line.h"
#include "reports/check_files.h"
#include "reports/report.h"

enum { MOST_BYTES = 64 << 20 };

/* What a check says is made here, and lives as long as the list. */
struct check_text {
	char group[800], name[256], text[512];
};

static enum vrs_check_state state_of(const struct vrs_night_record *night, const struct vrs_comparison *m)
{
	switch (m->verdict) {
	case VRS_VERDICT_SLOWER:
		return night->outcome == VRS_NIGHT_REGRESSION ? VRS_CHECK_FAILED : VRS_CHECK_SKIPPED;
	case VRS_VERDICT_INCONCLUSIVE:
		return VRS_CHECK_SKIPPED;
	case VRS_VERDICT_INVALID:
		return VRS_CHECK_ERROR;
	default:
		return VRS_CHECK_PASSED;
	}
}

static void fill_metric(const struct vrs_night_record *night, const struct vrs_night_figures *c, const struct vrs_comparison *m,
			struct check_text *text, struct vrs_check *check)
{
	(void)snprintf(text->group, sizeof text->group, "%s %s", c->input, c->id);
	if (isfinite(m->change))
		(void)snprintf(text->text, sizeof text->text, "%s: cost %+.1f %%, %g against %g %s%s%s", vrs_night_word(m), 100 * m->change, m->b, m->a,
			       m->unit, m->reason[0] ? "; " : "", m->reason);
	else
		(void)snprintf(text->text, sizeof text->text, "%s%s%s", vrs_night_word(m), m->reason[0] ? ": " : "", m->reason);
	*check = (struct vrs_check){.group = text->group, .name = m->metric, .state = state_of(night, m), .text = text->text};
}

static void fill_alert(const struct vrs_night_watch *watch, const struct vrs_night_alert *alert, struct check_text *text, struct vrs_check *check)
{
	vrs_night_alert_text(watch, alert, text->text, sizeof text->text);
	(void)snprintf(text->name, sizeof text->name, "%s of night %lld", vrs_name_of(&vrs_night_alert_kind_names, (int)alert->kind),
		       (long long)watch->records[alert->bad]->number);
	*check = (struct vrs_check){.group = "history", .name = text->name, .state = alert->alarms ? VRS_CHECK_FAILED : VRS_CHECK_PASSED,
				    .text = text->text};
}

static enum vrs_status make_junit(const struct vrs_night_record *night, const struct vrs_night_watch *watch, struct vrs_buf *out)
{
	struct vrs_arena arena = {0};
	char title[64];
	int room = watch->alert_count + 1, count = 0;
	for (int i = 0; i < night->case_count; i++)
		room += night->cases[i].metric_count;
	struct vrs_check *checks = vrs_arena_calloc(&arena, (size_t)room, sizeof *checks);
	struct check_text *texts = vrs_arena_calloc(&arena, (size_t)room, sizeof *texts);
	enum vrs_status status = checks && texts ? VRS_OK : VRS_ENOMEM;
	for (int i = 0; i < night->case_count && status == VRS_OK; i++)
		for (int k = 0; k < night->cases[i].metric_count; k++, count++)
			fill_metric(night, &night->cases[i], &night->cases[i].metrics[k], &texts[count], &checks[count]);
	for (int i = 0; i < watch->alert_count && status == VRS_OK; i++, count++)
		fill_alert(watch, &watch->alerts[i], &texts[count], &checks[count]);
	(void)snprintf(title, sizeof title, "vrbench nightly, %s%.10s", night->number > 0 ? "night of " : "a result of ", night->date_utc);
	if (status == VRS_OK)
		status = vrs_check_junit(&(struct vrs_check_list){.title = title, .items = checks, .count = count}, out);
	vrs_arena_free(&arena);
	return status;
}

static enum vrs_status make_badge(const struct vrs_night_record *night, struct vrs_buf *out)
{
	static const char *const colours[] = {[VRS_NIGHT_RECORDED] = "lightgrey", [VRS_NIGHT_PASSED] = "brightgreen", [VRS_NIGHT_REGRESSION] = "red",
					      [VRS_NIGHT_INCONCLUSIVE] = "yellow", [VRS_NIGHT_INVALID] = "lightgrey"};
	char message[64];
	(void)snprintf(message, sizeof message, "%s %.10s", vrs_name_of(&vrs_night_outcome_names, night->outcome), night->date_utc);
	return vrs_check_badge("nightly", message, colours[night->outcome], out);
}

static enum vrs_status save(const char *path, enum vrs_status made, const struct vrs_buf *text, struct vrs_error *err)
{
	if (made != VRS_OK)
		return vrs_fail(err, made, "cannot make %s: %s", path, vrs_status_str(made));
	return vrs_file_write(path, vrs_buf_str(text), text->len, err);
}

enum vrs_status vrs_night_files_write(const struct vrs_night_files *files, const struct vrs_night_record *night, const struct vrs_night_watch *watch,
				      const struct vrs_findings *findings, struct vrs_error *err)
{
	struct vrs_buf text;
	enum vrs_status status = VRS_OK;
	vrs_buf_init(&text, MOST_BYTES);
	if (files->junit)
		status = save(files->junit, make_junit(night, watch, &text), &text, err);
	vrs_buf_clear(&text);
	if (status == VRS_OK && files->badge)
		status = save(files->badge, make_badge(night, &text), &text, err);
	vrs_buf_fini(&text);
	if (status == VRS_OK && files->summary)
		status = vrs_report_file(vrs_report_find("markdown"), findings, NULL, files->summary, vrs_file_write, err);
	return status;
}

void vrs_night_line(const struct vrs_night_record *night, const struct vrs_night_watch *watch, char *buf, size_t size)
{
	int alerts = 0;
	for (int i = 0; i < watch->alert_count; i++)
		alerts += watch->alerts[i].alarms;
	vrs_verdict_line_begin(buf, size, vrs_name_of(&vrs_night_outcome_names, night->outcome));
	if (night->number > 0)
		vrs_verdict_line_put(buf, size, "night", "%lld", (long long)night->number);
	vrs_verdict_line_put(buf, size, "worse", "%d", vrs_night_record_count(night, VRS_VERDICT_SLOWER));
	vrs_verdict_line_put(buf, size, "inconclusive", "%d", vrs_night_record_count(night, VRS_VERDICT_INCONCLUSIVE));
	vrs_verdict_line_put(buf, size, "invalid", "%d", vrs_night_record_count(night, VRS_VERDICT_INVALID));
	vrs_verdict_line_put(buf, size, "alerts", "%d", alerts);
	if (night->injected_slowdown > 0)
		vrs_verdict_line_put(buf, size, "injected_slowdown", "%.0f%%", 100 * night->injected_slowdown);
}

int vrs_night_exit_code(enum vrs_night_outcome outcome)
{
	switch (outcome) {
	case VRS_NIGHT_REGRESSION:
		return VRS_EXIT_REGRESSION;
	case VRS_NIGHT_INCONCLUSIVE:
		return VRS_EXIT_INCONCLUSIVE;
	case VRS_NIGHT_INVALID:
		return VRS_EXIT_INVALID;
	default:
		return VRS_EXIT_OK;
	}
}
