/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The findings as JSON, for scripts: "schema": "vrfindings/1". Numbers in tables stay text as shown; graphs carry raw numbers. */
#include "base/json.h"
#include "reports/report_list.h"

#include <math.h>
#include <string.h>

static bool put_table(cJSON *list, const struct vrs_table *t)
{
	cJSON *o = cJSON_CreateObject();
	if (!o || !cJSON_AddItemToArray(list, o))
		return false;
	bool ok = vrs_json_put_string(o, "id", t->id) && vrs_json_put_string(o, "title", t->title) && vrs_json_put_string(o, "caption", t->caption);
	cJSON *heads = vrs_json_put_array(o, "columns"), *rows = vrs_json_put_array(o, "rows");
	for (int c = 0; ok && c < t->columns; c++)
		ok = cJSON_AddItemToArray(heads, cJSON_CreateString(t->heads[c]));
	for (int r = 0; ok && r < t->rows; r++) {
		cJSON *row = cJSON_CreateArray();
		ok = row && cJSON_AddItemToArray(rows, row);
		for (int c = 0; ok && c < t->columns; c++)
			ok = cJSON_AddItemToArray(row, cJSON_CreateString(t->cells[r * t->columns + c]));
	}
	return ok && heads && rows;
}

static bool put_values(cJSON *o, const char *key, const double *values, int n)
{
	cJSON *list = vrs_json_put_array(o, key);
	bool ok = list != NULL;
	for (int i = 0; ok && i < n; i++)
		ok = cJSON_AddItemToArray(list, isfinite(values[i]) ? cJSON_CreateNumber(values[i]) : cJSON_CreateNull());
	return ok;
}

static bool put_graph(cJSON *list, const struct vrs_graph_data *g)
{
	cJSON *o = cJSON_CreateObject();
	if (!o || !cJSON_AddItemToArray(list, o))
		return false;
	bool ok = vrs_json_put_string(o, "id", g->id) && vrs_json_put_string(o, "title", g->title) && vrs_json_put_string(o, "x", g->x_label) &&
		  vrs_json_put_string(o, "y", g->y_label);
	if (ok && g->category_count) {
		cJSON *names = vrs_json_put_array(o, "categories");
		ok = names != NULL;
		for (int i = 0; ok && i < g->category_count; i++)
			ok = cJSON_AddItemToArray(names, cJSON_CreateString(g->categories[i]));
	}
	cJSON *all = vrs_json_put_array(o, "series");
	ok = ok && all;
	for (int i = 0; ok && i < g->series_count; i++) {
		const struct vrs_series *s = &g->series[i];
		cJSON *one = cJSON_CreateObject();
		ok = one && cJSON_AddItemToArray(all, one) && vrs_json_put_string(one, "name", s->name) && put_values(one, "x", s->x, s->points) &&
		     put_values(one, "y", s->y, s->points);
		if (ok && s->low)
			ok = put_values(one, "low", s->low, s->points) && put_values(one, "high", s->high, s->points);
	}
	return ok;
}

static bool put_note(cJSON *list, const struct vrs_note *n)
{
	static const char *const kinds[] = {"info", "warning", "recommendation"};
	cJSON *o = cJSON_CreateObject();
	return o && cJSON_AddItemToArray(list, o) && vrs_json_put_string(o, "kind", kinds[n->kind]) && vrs_json_put_string(o, "id", n->id) &&
	       vrs_json_put_string(o, "text", n->text) && vrs_json_put_string(o, "evidence", n->evidence) && vrs_json_put_string(o, "yaml", n->yaml);
}

/* As the object that it is; a text that is none stays a text. */
static bool put_environment(cJSON *o, const char *text)
{
	cJSON *environment = NULL;
	if (!text[0] || vrs_json_parse(text, strlen(text), strlen(text), "environment", &environment, NULL) != VRS_OK)
		return vrs_json_put_string(o, "environment", text);
	return cJSON_AddItemToObject(o, "environment", environment);
}

static enum vrs_status write_json(const struct vrs_findings *f, const char *svg_dir, struct vrs_buf *out, struct vrs_error *err)
{
	(void)svg_dir;
	enum vrs_status status = VRS_ENOMEM;
	cJSON *o = cJSON_CreateObject();
	bool ok = o && vrs_json_put_string(o, "schema", "vrfindings/1") && vrs_json_put_string(o, "title", f->title) &&
		  vrs_json_put_string(o, "subtitle", f->subtitle) && vrs_json_put_string(o, "verdict", f->verdict) &&
		  vrs_json_put_string(o, "recommendation", f->recommendation) && put_environment(o, f->environment) &&
		  vrs_json_put_string(o, "reproduce", f->reproduce);
	cJSON *tables = ok ? vrs_json_put_array(o, "tables") : NULL, *graphs = ok ? vrs_json_put_array(o, "graphs") : NULL;
	cJSON *notes = ok ? vrs_json_put_array(o, "notes") : NULL;
	ok = ok && tables && graphs && notes;
	for (int i = 0; ok && i < f->table_count; i++)
		ok = put_table(tables, &f->tables[i]);
	for (int i = 0; ok && i < f->graph_count; i++)
		ok = put_graph(graphs, &f->graphs[i]);
	for (int i = 0; ok && i < f->note_count; i++)
		ok = put_note(notes, &f->notes[i]);
	char *text = ok ? vrs_json_print(o, true) : NULL;
	if (text) {
		status = vrs_buf_puts(out, text);
		if (status == VRS_OK)
			status = vrs_buf_puts(out, "\n");
	}
	vrs_json_free_text(text);
	cJSON_Delete(o);
	return status != VRS_OK ? vrs_fail(err, status, "cannot write the JSON report: %s", vrs_status_str(status)) : VRS_OK;
}

const struct vrs_report_writer vrs_report_json = {"json", "json", write_json};
