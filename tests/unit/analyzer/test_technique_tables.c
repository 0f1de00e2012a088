/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards the report of techniques: rows under their heads, changes of the metric and not of its cost, absent values left out, few rounds said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/figures/case_summary.h"
#include "analyzer/technique_tables.h"
#include "base/mem.h"
#include "base/str_parse.h"
#include "unit/analyzer/found.h"

enum { ROUNDS = 10 };

static void add_case(struct vrs_result *result, const char *id, double fps, double iou)
{
	struct vrs_case_result *c = vrs_result_add_case(result);
	vrs_strcpy(c->id, sizeof c->id, id);
	c->width = 640;
	c->height = 480;
	for (int r = 1; r <= ROUNDS; r++) {
		struct vrs_run *run = vrs_case_result_add_run(c);
		run->status = VRS_RUN_OK;
		run->round = r;
		run->frames = 100;
		run->fps = fps * (1 + 0.002 * ((r * 7) % 5 - 2));
		run->cpu_seconds = 1;
		run->wall_seconds = 100 / run->fps;
		run->iou = r == 1 ? iou : NAN; /* one run of a case is compared */
		run->quality_frames = r == 1 ? 24 : 0;
		run->peak_rss_bytes = 100 << 20;
	}
	assert_int_equal(vrs_case_result_summarize(c, NULL), VRS_OK);
}

static struct vrs_technique_list *make_list(void)
{
	struct vrs_technique_list *list = vrs_calloc(1, sizeof *list);
	list->count = 3;
	list->items[0] = (struct vrs_technique){.name = "faster", .has_goal = true, .goal = VRS_TECHNIQUE_SPEED, .where = "everywhere"};
	list->items[1] = (struct vrs_technique){.name = "better", .has_goal = true, .goal = VRS_TECHNIQUE_QUALITY, .where = "somewhere"};
	list->items[2] = (struct vrs_technique){.name = "absent", .kind = VRS_TECHNIQUE_MISSING, .reason = "not built"};
	list->items[0].off.count = 1;
	list->items[0].off.values[0] = (struct vrs_case_value){.key = "output.preset", .value = "veryfast"};
	return list;
}

/* Cases and techniques, and what is found in them. */
struct judged {
	struct vrs_technique_list *list;
	struct vrs_result *result;
	struct vrs_technique_outcomes *outcomes;
	struct vrs_findings *findings;
};

static struct judged begin(void)
{
	struct judged j = {.list = make_list(), .findings = vrs_findings_create()};
	assert_non_null(j.findings);
	assert_int_equal(vrs_result_create(&j.result), VRS_OK);
	return j;
}

static void judge(struct judged *j, const struct vrs_technique_cases *cases)
{
	assert_int_equal(vrs_technique_judge(j->list, cases, j->result, 0, &j->outcomes), VRS_OK);
	assert_int_equal(vrs_technique_findings(j->outcomes, j->result, j->findings), VRS_OK);
}

static void end(struct judged *j)
{
	vrs_free(j->outcomes);
	vrs_free(j->list);
	vrs_findings_destroy(j->findings);
	vrs_result_destroy(j->result);
}

static void rows_stand_under_their_heads(void **state)
{
	(void)state;
	static const struct vrs_technique_cases cases[] = {{.off = 0, .on = 1}, {.off = 0, .on = 2}, {.off = -1, .on = -1}};
	struct judged j = begin();
	const struct vrs_findings *f = j.findings;
	add_case(j.result, "r=640x480/b=1/p=fp32/t=1", 50, 0.90);
	add_case(j.result, "r=640x480/b=2/p=fp32/t=1", 60, 0.85);
	add_case(j.result, "r=640x480/b=4/p=fp32/t=1", 40, 0.95);
	judge(&j, cases);
	const struct vrs_table *t = found_table(f, "techniques");
	assert_int_equal(t->rows, 2);
	assert_string_equal(found_cell(t, 0, "judged by"), "fps (frames/s)");
	assert_string_equal(found_cell(t, 0, "off"), "50.0");
	assert_string_equal(found_cell(t, 0, "on"), "60.0");
	assert_string_equal(found_cell(t, 0, "change"), "+20.0 %");
	assert_string_equal(found_cell(t, 0, "pairs"), "10");
	assert_string_equal(found_cell(t, 0, "verdict"), "FASTER");
	assert_string_equal(found_cell(t, 0, "on this machine"), "pays: +20.0 % speed; costs 0.0500 of IoU");
	assert_string_equal(found_cell(t, 1, "judged by"), "IoU with truth");
	assert_string_equal(found_cell(t, 1, "change"), "+0.0500");
	assert_string_equal(found_cell(t, 1, "Holm p"), ""); /* the same in every run: no test */
	assert_string_equal(found_cell(t, 1, "on this machine"), "pays: +0.0500 IoU with the truth; costs 20.0 % of the speed");
	t = found_table(f, "before-after");
	assert_string_equal(found_cell(t, 0, "FPS off"), "50.0");
	assert_string_equal(found_cell(t, 0, "FPS on"), "60.0");
	assert_string_equal(found_cell(t, 0, "P99 on (ms)"), ""); /* never observed */
	assert_string_equal(found_cell(t, 0, "CPU off (ms)"), "10.0");
	assert_string_equal(found_cell(t, 0, "MiB on"), "100");
	assert_string_equal(found_cell(t, 1, "IoU on"), "0.9500");
	assert_string_equal(found_cell(found_table(f, "switches"), 0, "off"), "output.preset=veryfast");
	assert_string_equal(found_cell(found_table(f, "no-pair"), 0, "state"), "missing");
	assert_non_null(strstr(f->verdict, "pay on this machine and clip: 2. That do not: 0."));
	assert_int_equal(f->note_count, 0);
	end(&j);
}

/* A run that was cut short was compared over other frames: no verdict on that. */
static void other_frames_are_not_compared(void **state)
{
	(void)state;
	static const struct vrs_technique_cases cases[] = {{.off = 0, .on = 1}, {.off = 0, .on = 1}, {.off = -1, .on = -1}};
	struct judged j = begin();
	const struct vrs_findings *f = j.findings;
	add_case(j.result, "r=640x480/b=1/p=fp32/t=1", 50, 0.90);
	add_case(j.result, "r=640x480/b=2/p=fp32/t=1", 50, 0.95);
	j.result->cases[1].runs[0].quality_frames = 6;
	for (int i = 0; i < 2; i++)
		j.result->cases[i].run_count = 3;
	judge(&j, cases);
	assert_non_null(strstr(found_cell(found_table(f, "techniques"), 1, "on this machine"), "24 mattes without it and 6 with it"));
	assert_string_equal(found_cell(found_table(f, "before-after"), 1, "IoU on"), "");
	assert_int_equal(f->note_count, 1);
	assert_non_null(strstr(f->notes[0].text, "3 shared rounds can prove nothing about 1 techniques"));
	end(&j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_stand_under_their_heads),
		cmocka_unit_test(other_frames_are_not_compared),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
