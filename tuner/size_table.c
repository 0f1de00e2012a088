/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/size_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/summary_parts.h"

enum { RESOLUTION, BATCH, NETWORK, PRECISION, THREADS, OTHERS, TARGET, FPS, SPEED, IOU, MEMORY, SAVED, COLUMNS };

/* Of numbers 0 is auto. */
static const char *value_of(const struct vrs_case *c, const char *key)
{
	const char *value = vrs_case_get(c, key);
	return value && strcmp(value, "0") != 0 ? value : "auto";
}

/* "output.preset=superfast, matte.stride=2": what was chosen besides the columns before. */
static void put_others(struct vrs_table *t, const struct vrs_case *best)
{
	char text[512] = "";
	for (int i = 0; i < best->value_count; i++) {
		const struct vrs_case_value *v = &best->values[i];
		size_t used = strlen(text);
		if (strcmp(v->key, "engine.batch_size") != 0 && strcmp(v->key, "engine.precision") != 0 && strcmp(v->key, "engine.threads") != 0)
			snprintf(text + used, sizeof text - used, "%s%s=%s", used ? ", " : "", v->key, v->value);
	}
	vrs_table_set(t, OTHERS, "%s", text);
}

/* Against the default of the same size. */
static void put_speed(struct vrs_table *t, const struct vrs_search_result *r)
{
	if (r->keeps_default)
		vrs_table_set(t, SPEED, r->verified ? "the default" : "the default, not verified");
	else if (r->by_value)
		vrs_table_set_number(t, SPEED, "%.2fx", r->best_figures.fps.median / r->default_figures.fps.median);
	else
		vrs_table_set(t, SPEED, "%.2fx (%.2f to %.2f)", 1 / (1 + r->gain.change), 1 / (1 + r->gain.high), 1 / (1 + r->gain.low));
}

static void size_row(struct vrs_table *t, const struct vrs_size_choice *choice)
{
	const struct vrs_search_result *r = &choice->result;
	struct vrs_case shown = {.value_count = 0};
	char fps[96];
	vrs_table_add_row(t);
	if (vrs_case_parse(r->best_id, &shown, NULL) == VRS_OK) /* an id says resolution, batch, precision and threads of every case */
		vrs_table_set(t, RESOLUTION, "%dx%d", shown.width, shown.height);
	if (choice->target_fps > 0)
		vrs_table_set_number(t, TARGET, "%.1f", choice->target_fps);
	if (!r->feasible) {
		vrs_table_set(t, SPEED, "no settings keep the limits");
		return;
	}
	vrs_table_set(t, BATCH, "%s", value_of(&shown, "engine.batch_size"));
	if (r->best_figures.net_width > 0)
		vrs_table_set(t, NETWORK, "%dx%d", r->best_figures.net_width, r->best_figures.net_height);
	vrs_table_set(t, PRECISION, "%s", value_of(&shown, "engine.precision"));
	vrs_table_set(t, THREADS, "%s", value_of(&shown, "engine.threads"));
	put_others(t, &r->best);
	vrs_table_set(t, FPS, "%s", vrs_estimate_text(&r->best_figures.fps, 1, fps, sizeof fps));
	put_speed(t, r);
	vrs_table_set_number(t, IOU, "%.4f", r->best_figures.quality);
	vrs_table_set_number(t, MEMORY, "%.0f", r->best_figures.peak_bytes / (1 << 20));
	vrs_table_set(t, SAVED, "%s", choice->file);
}

void vrs_size_table(const struct vrs_size_choice *choices, int count, struct vrs_findings *findings)
{
	static const char *const heads[COLUMNS] = {"resolution", "batch", "network input", "precision", "threads", "other settings", "target (FPS)", "FPS",
						   "of the default's speed", "IoU", "memory (MiB)", "file"};
	snprintf(findings->title, sizeof findings->title, "Best settings of each resolution");
	struct vrs_table *t = vrs_findings_start_table(findings, "resolutions", "By resolution", heads, COLUMNS,
						       1u << RESOLUTION | 1u << NETWORK | 1u << PRECISION | 1u << OTHERS | 1u << SPEED | 1u << SAVED);
	for (int i = 0; i < count; i++)
		if (choices[i].searched)
			size_row(t, &choices[i]);
	snprintf(t->caption, sizeof t->caption, "FPS and IoU of the final of each search, memory of its largest run. Sizes other than the video's own "
		 "are the video scaled.");
}
