/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small result for tests: cases along every axis, with runs in rounds. */
#ifndef VRS_TESTS_MADE_RESULT_H
#define VRS_TESTS_MADE_RESULT_H

#include <stdio.h>

#include "analyzer/figures/case_summary.h"
#include "base/str_parse.h"
#include "bench/record/result.h"

/* Add a case with `rounds` good runs around fps (alternating +-1 %) and the given IoU. */
static inline struct vrs_case_result *add_case(struct vrs_result *result, int width, int height, int batch, const char *precision, int threads,
					       double fps, double iou, int rounds)
{
	struct vrs_case_result *c = vrs_result_add_case(result);
	assert_non_null(c);
	snprintf(c->id, sizeof c->id, "r=%dx%d/b=%d/p=%s/t=%d", width, height, batch, precision, threads);
	c->width = width;
	c->height = height;
	c->batch = batch;
	c->threads = threads;
	c->streams = 1;
	c->net_width = c->net_height = 256;
	int value;
	assert_true(vrs_name_find(&vrs_precision_names, precision, &value));
	c->precision = (enum vrs_precision)value;
	c->layout = VRS_STEREO_SBS;
	(void)vrs_strcpy(c->model, sizeof c->model, "selfie_segmentation");
	for (int r = 1; r <= rounds; r++) {
		struct vrs_run *run = vrs_case_result_add_run(c);
		assert_non_null(run);
		run->status = VRS_RUN_OK;
		run->round = r;
		run->frames = 100;
		run->warmup_settled = true;
		run->fps = fps * (r % 2 ? 1.01 : 0.99);
		run->iou = iou;
		run->quality_frames = 24;
		run->peak_rss_bytes = (int64_t)200 << 20;
		run->wall_seconds = 100 / run->fps;
		run->cpu_seconds = run->wall_seconds * 1.5;
		for (int s = 0; s < VRS_STAGE_COUNT; s++)
			run->stage_busy_ms[s] = s + 1;
	}
	assert_int_equal(vrs_case_result_summarize(c, NULL), VRS_OK);
	return c;
}

static inline struct vrs_result *make_result(int rounds)
{
	struct vrs_result *result;
	assert_int_equal(vrs_result_create(&result), VRS_OK);
	add_case(result, 3840, 1920, 2, "fp32", 1, 20, 0.95, rounds);
	add_case(result, 1920, 1080, 2, "fp32", 1, 60, 0.95, rounds);
	add_case(result, 7680, 3840, 2, "fp32", 1, 5, 0.95, rounds);
	add_case(result, 3840, 1920, 4, "fp32", 1, 20, 0.95, rounds);
	add_case(result, 3840, 1920, 2, "fp16", 1, 15, 0.94, rounds);
	add_case(result, 3840, 1920, 2, "fp32", 2, 30, 0.95, rounds);
	(void)vrs_strcpy(result->default_case, sizeof result->default_case, result->cases[0].id);
	(void)vrs_strcpy(result->input, sizeof result->input, "clips/person.mp4");
	(void)vrs_strcpy(result->machine_json, sizeof result->machine_json,
			 "{\"cpu\":{\"model\":\"Test CPU\",\"allowed_threads\":2},\"memory\":{\"total_bytes\":1073741824}}");
	result->complete = true;
	return result;
}

#endif
