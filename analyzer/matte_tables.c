/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/matte_tables.h"

#include <math.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/printable.h"
#include "base/str_parse.h"

static const char *eye_name(int eye, enum vrs_matte_metric metric)
{
	static const char *const names[] = {"left", "right"};
	return vrs_matte_metric_is_pair(metric) ? "both" : names[eye];
}

static double seconds_of(const struct vrs_matte_report *r, int64_t frame)
{
	return frame >= 0 && (uint64_t)frame < r->frames ? r->seconds[frame] : (double)NAN;
}

static void set_value(struct vrs_table *t, int column, const struct vrs_matte_metric_info *info, double value)
{
	vrs_table_set(t, column, "%.*f", info->decimals, value * info->factor);
}

static void add_row(struct vrs_table *t, const struct vrs_matte_report *r, enum vrs_matte_metric metric, int eye)
{
	const struct vrs_matte_metric_info *info = vrs_matte_metric_info(metric);
	const struct vrs_matte_value *v = &r->value[eye][metric];
	if (v->frames == 0)
		return;
	vrs_table_add_row(t);
	vrs_table_set(t, 0, r->eyes > 1 ? "%s, %s" : "%s", info->head, eye_name(eye, metric)); /* unlike in every row: formats name rows by it */
	set_value(t, 1, info, v->mean);
	set_value(t, 2, info, v->worst);
	vrs_table_set(t, 3, "%lld", (long long)v->worst_frame);
	vrs_table_set_number(t, 4, "%.3f", seconds_of(r, v->worst_frame));
	vrs_table_set(t, 5, "%s", info->worth ? info->worth : "");
}

static void add_metrics(struct vrs_findings *f, const char *id, const char *title, const char *caption, const struct vrs_matte_report *r, int first,
			int end)
{
	static const char *const heads[] = {"measure", "mean", "worst", "worst frame", "at (s)", "worth"};
	struct vrs_table *t = vrs_findings_start_table(f, id, title, heads, 6, 33);
	snprintf(t->caption, sizeof t->caption, "%s", caption);
	for (int metric = first; metric < end; metric++)
		for (int eye = 0; eye < r->eyes; eye++)
			add_row(t, r, (enum vrs_matte_metric)metric, eye);
}

/* Both eyes against their truths, and what else vrseg --truth prints. */
static void add_pair(struct vrs_findings *f, const struct vrs_matte_report *r)
{
	static const char *const heads[] = {"measure", "value"};
	static const enum vrs_quality_figure shown[] = {VRS_FIGURE_BOX_MAD, VRS_FIGURE_BOX_MSE, VRS_FIGURE_BOX_DTSSD, VRS_FIGURE_EYES,
		VRS_FIGURE_EYES_TRUTH};
	struct vrs_table *t = vrs_findings_start_table(f, "truth_figures", "As vrseg --truth has them", heads, 2, 1);
	snprintf(t->caption, sizeof t->caption, "Means over frames and eyes. The box is the smallest rectangle around the people of all frames and a "
		 "quarter of its size on each side.");
	for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
		const struct vrs_quality_figure_info *info = vrs_quality_figure_info(shown[i]);
		double value = vrs_quality_figure(&r->truth, shown[i]);
		if (!isfinite(value))
			continue;
		vrs_table_add_row(t);
		vrs_table_set(t, 0, "%s", info->head);
		vrs_table_set(t, 1, "%.*f", info->decimals, info->factor * value);
	}
}

static const struct event_info {
	const char *key, *head;
	const char *many;      /* for the verdict */
} event_infos[VRS_MATTE_EVENT_KINDS] = {
	[VRS_MATTE_EVENT_REPEATED] = {"repeated", "repeated matte (share of the outline that moves)", "repeated mattes"},
	[VRS_MATTE_EVENT_GAP] = {"gap", "gap (frames missing before)", "gaps"},
	[VRS_MATTE_EVENT_GLITCH] = {"glitch", "glitch (jump)", "glitches"},
	[VRS_MATTE_EVENT_LATE_CUT] = {"late_cut", "matte late at a cut (difference of overlaps)", "mattes late at a cut"},
	[VRS_MATTE_EVENT_UNPAIRED] = {"unpaired", "time that the source does not have (seconds off)", "times that the source does not have"},
};

static void add_event_counts(struct vrs_findings *f, const struct vrs_matte_report *r)
{
	static const char *const heads[] = {"event", "count", "first frame", "at (s)", "largest", "its frame"};
	struct vrs_table *t = vrs_findings_start_table(f, "events", "Events", heads, 6, 1);
	for (int kind = 0; kind < VRS_MATTE_EVENT_KINDS; kind++) {
		const struct vrs_matte_event *first = NULL, *largest = NULL;
		for (uint64_t i = 0; i < r->event_count; i++) {
			const struct vrs_matte_event *e = &r->events[i];
			if ((int)e->kind != kind)
				continue;
			first = first ? first : e;
			largest = !largest || e->value > largest->value ? e : largest;
		}
		if (!first)
			continue;
		vrs_table_add_row(t);
		vrs_table_set(t, 0, "%s", event_infos[kind].head);
		vrs_table_set(t, 1, "%llu", (unsigned long long)r->event_total[kind]);
		vrs_table_set(t, 2, "%lld", (long long)first->frame);
		vrs_table_set_number(t, 3, "%.3f", seconds_of(r, first->frame));
		vrs_table_set(t, 4, "%.3g", largest->value);
		vrs_table_set(t, 5, "%lld", (long long)largest->frame);
	}
}

static void add_event_list(struct vrs_findings *f, const struct vrs_matte_report *r)
{
	static const char *const heads[] = {"event", "frame", "at (s)", "value"};
	struct vrs_table *t = vrs_findings_start_table(f, "event_list", "All events", heads, 4, 1);
	uint64_t total = 0;
	for (int kind = 0; kind < VRS_MATTE_EVENT_KINDS; kind++)
		total += r->event_total[kind];
	if (total > r->event_count)
		snprintf(t->caption, sizeof t->caption, "The first %llu of %llu.", (unsigned long long)r->event_count, (unsigned long long)total);
	for (uint64_t i = 0; i < r->event_count; i++) {
		vrs_table_add_row(t);
		vrs_table_set(t, 0, "%s", event_infos[r->events[i].kind].key);
		vrs_table_set(t, 1, "%lld", (long long)r->events[i].frame);
		vrs_table_set_number(t, 2, "%.3f", seconds_of(r, r->events[i].frame));
		vrs_table_set(t, 3, "%.4g", r->events[i].value);
	}
}

static void note_sync(struct vrs_findings *f, const struct vrs_matte_report *r)
{
	if (r->source_goes_on)
		vrs_findings_add_note(f, VRS_NOTE_WARNING, "length", "The source has more frames than the mattes, which end after %llu.",
				      (unsigned long long)r->frames);
	if (r->has_picture && !r->sync.known)
		vrs_findings_add_note(f, VRS_NOTE_INFO, "sync", "Lag is not known: telling it takes 18 frames with people whose outlines lie on edges of the "
				      "picture.");
	if (!r->sync.known)
		return;
	if (r->sync.lag == 0) {
		vrs_findings_add_note(f, VRS_NOTE_INFO, "sync", "Mattes fit the picture of their own frame best, among those up to %d frames away.",
				      VRS_MATTE_MOST_LAG);
		return;
	}
	int frames = r->sync.lag < 0 ? -r->sync.lag : r->sync.lag;
	struct vrs_note *note = vrs_findings_add_note(f, VRS_NOTE_WARNING, "sync", "Mattes %s the picture by %d frame%s.",
						      r->sync.lag > 0 ? "lag behind" : "lead", frames, frames == 1 ? "" : "s");
	snprintf(note->evidence, sizeof note->evidence, "the picture is %.2f times as steep under the outlines there as in place", r->sync.gain);
}

/* Estimates that no frame has, with the reason. */
static void note_missing(struct vrs_findings *f, const struct vrs_matte_report *r)
{
	for (int metric = 0; metric < VRS_MATTE_ESTIMATES; metric++) {
		const struct vrs_matte_metric_info *info = vrs_matte_metric_info((enum vrs_matte_metric)metric);
		if (r->value[0][metric].frames == 0 && (r->eyes < 2 || r->value[1][metric].frames == 0) &&
		    !(r->eyes < 2 && vrs_matte_metric_is_pair((enum vrs_matte_metric)metric)))
			vrs_findings_add_note(f, VRS_NOTE_INFO, info->key, "Not measured, %s: %s.", info->head, info->missing);
	}
	if (r->has_truth && !r->weighted && r->eyes > 1)
		vrs_findings_add_note(f, VRS_NOTE_INFO, "weights", "Errors are not weighted by solid angle: %s.",
				      vrs_matte_metric_info(VRS_MATTE_IOU_ANGLE)->missing);
}

static void say_verdict(struct vrs_findings *f, const struct vrs_matte_report *r)
{
	struct vrs_buf text;
	bool any = false;
	vrs_buf_init(&text, sizeof f->verdict - 1);
	enum vrs_status status = VRS_OK;
	if (r->has_truth)
		status = vrs_buf_printf(&text, "IoU %.4f with the truth.",
					r->eyes > 1 ? (r->value[0][VRS_MATTE_IOU].mean + r->value[1][VRS_MATTE_IOU].mean) / 2 : r->value[0][VRS_MATTE_IOU].mean);
	for (int kind = 0; kind < VRS_MATTE_EVENT_KINDS && status == VRS_OK; kind++) {
		if (r->event_total[kind] == 0)
			continue;
		status = vrs_buf_printf(&text, "%s%s: %llu", any ? ", " : text.len ? " Found " : "Found ", event_infos[kind].many,
					(unsigned long long)r->event_total[kind]);
		any = true;
	}
	if (status == VRS_OK && any)
		status = vrs_buf_printf(&text, ".");
	if (status == VRS_OK && r->sync.lag)
		status = vrs_buf_printf(&text, "%sMattes %s the picture by %d frame%s.", text.len ? " " : "", r->sync.lag > 0 ? "lag behind" : "lead",
					r->sync.lag < 0 ? -r->sync.lag : r->sync.lag, r->sync.lag == 1 || r->sync.lag == -1 ? "" : "s");
	else if (status == VRS_OK && !any)
		status = vrs_buf_printf(&text, "%sNo glitch%s was found in %llu frames.", text.len ? " " : "",
					!r->has_picture ? " or gap" : r->sync.known ? ", gap, repeated matte or lag" : ", gap or repeated matte",
					(unsigned long long)r->frames);
	if (status == VRS_OK)
		(void)vrs_strcpy(f->verdict, sizeof f->verdict, vrs_buf_str(&text)); /* the limit of the text is that of the field */
	else
		vrs_findings_fail(f, status);
	vrs_buf_fini(&text);
}

static void say_what(struct vrs_findings *f, const struct vrs_matte_report *r, const struct vrs_matte_request *request)
{
	char file[200], source[200] = "", truth[200] = "";
	snprintf(f->title, sizeof f->title, "Mattes of %s", vrs_printable(file, sizeof file, request->file));
	if (request->source)
		vrs_printable(source, sizeof source, request->source);
	if (request->truth)
		vrs_printable(truth, sizeof truth, request->truth);
	snprintf(f->subtitle, sizeof f->subtitle, "%s (%s), %dx%d, %s, %s, %llu frames, %.3f s%s%s%s%s", vrs_matte_kind_name(r->kind), r->kind_reason,
		 r->width, r->height, vrs_stereo_name(r->layout.stereo), vrs_projection_name(r->layout.projection), (unsigned long long)r->frames,
		 r->frames ? r->seconds[r->frames - 1] - r->seconds[0] : 0, source[0] ? "; source " : "", source, truth[0] ? "; truth " : "", truth);
}

void vrs_matte_findings(const struct vrs_matte_report *r, const struct vrs_matte_request *request, bool all_events, struct vrs_findings *f)
{
	say_what(f, r, request);
	say_verdict(f, r);
	add_metrics(f, "estimates", "Estimates, without a truth", "More is worse. Worth: whose rank it follows, on mattes whose truth is known; "
		    "docs/matte-estimates.md has the figures.", r, 0, VRS_MATTE_ESTIMATES);
	if (r->has_truth) {
		add_metrics(f, "truth", "Against the truth", "Of the whole eye. SAD, Grad and Conn as in Rhemann et al. 2009, without a trimap; boundary IoU as "
			    "in Cheng et al. 2021, boundary F as in Perazzi et al. 2016 (DAVIS), dtSSD as in Erofeev et al. 2015.", r,
			    VRS_MATTE_ESTIMATES, VRS_MATTE_PLAIN_METRICS);
		add_metrics(f, "truth_solid_angle", "Against the truth, weighted by solid angle", "Each sample counts as much as it shows of the sphere.", r,
			    VRS_MATTE_PLAIN_METRICS, VRS_MATTE_METRICS);
		add_pair(f, r);
	}
	add_event_counts(f, r);
	if (all_events)
		add_event_list(f, r);
	note_sync(f, r);
	note_missing(f, r);
}

/* The eye whose worst value is the worse one. */
static int worse_eye(const struct vrs_matte_report *r, enum vrs_matte_metric metric)
{
	const struct vrs_matte_value *left = &r->value[0][metric], *right = &r->value[1][metric];
	if (r->eyes < 2 || right->frames == 0 || vrs_matte_metric_is_pair(metric))
		return 0;
	return left->frames == 0 || (vrs_matte_metric_info(metric)->more_is_better ? right->worst < left->worst : right->worst > left->worst);
}

int vrs_matte_worst_frames(const struct vrs_matte_report *r, struct vrs_matte_sheet_row rows[VRS_MATTE_SHEET_ROWS],
			   const char *reasons[VRS_MATTE_SHEET_ROWS])
{
	int count = 0;
	for (int metric = 0; metric <= VRS_MATTE_ESTIMATES; metric++) { /* the last one is IoU */
		int eye = worse_eye(r, (enum vrs_matte_metric)metric);
		const struct vrs_matte_value *v = &r->value[eye][metric];
		if (v->frames == 0 || (metric < VRS_MATTE_ESTIMATES && !(v->worst > 0)))
			continue;
		rows[count] = (struct vrs_matte_sheet_row){v->worst_frame, eye};
		reasons[count++] = vrs_matte_metric_info((enum vrs_matte_metric)metric)->head;
	}
	return count;
}

void vrs_matte_sheet_table(const struct vrs_matte_report *r, const struct vrs_matte_sheet_row *rows, const char *const *reasons, int count,
			   const char *path, struct vrs_findings *f)
{
	static const char *const heads[] = {"row", "worst frame by", "eye", "frame", "at (s)"};
	struct vrs_table *t = vrs_findings_start_table(f, "worst_frames", "Contact sheet", heads, 5, 6);
	char printable[200];
	snprintf(t->caption, sizeof t->caption, "%s: %smatte%s.", vrs_printable(printable, sizeof printable, path), r->has_picture ? "picture, " : "",
		 r->has_truth ? ", truth" : "");
	for (int i = 0; i < count; i++) {
		vrs_table_add_row(t);
		vrs_table_set(t, 0, "%d", i + 1);
		vrs_table_set(t, 1, "%s", reasons[i]);
		vrs_table_set(t, 2, "%s", r->eyes > 1 ? eye_name(rows[i].eye, VRS_MATTE_IOU) : "");
		vrs_table_set(t, 3, "%lld", (long long)rows[i].frame);
		vrs_table_set_number(t, 4, "%.3f", seconds_of(r, rows[i].frame));
	}
}
