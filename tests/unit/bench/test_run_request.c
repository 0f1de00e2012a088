/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards: what a child is told and what it answers survive the pipe; garbage is refused with the key that is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str_parse.h"
#include "bench/run/run_request.h"

static struct vrs_config *config(void)
{
	struct vrs_config *c;
	assert_int_equal(vrs_config_create(&c), VRS_OK);
	return c;
}

static void request_round_trip(void **state)
{
	(void)state;
	struct vrs_run_request a = {.quality_frames = 12, .truth_width = 640, .truth_height = 480, .truth_frames = 60,
				    .rules = {.warmup_min_seconds = 0.5, .warmup_max_seconds = 60, .warmup_min_frames = 30, .duration_seconds = 10,
					      .min_frames = 60, .max_frames = 100}};
	struct vrs_run_request b;
	struct vrs_config *sent = config(), *got = config();
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_buf text;
	vrs_strcpy(a.input, sizeof a.input, "/tmp/a \"film\".mp4");
	vrs_strcpy(a.output, sizeof a.output, "null:");
	vrs_strcpy(a.truth_file, sizeof a.truth_file, "t.gray");
	static const char *const values[][2] = {{"engine.precision", "fp16"}, {"engine.threads", "3"}, {"engine.input_size", "512x512"},
						{"output.color", "ff0000"},   {"matte.cutoff", "0.25"}, {"output.preset", ""}};
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		assert_int_equal(vrs_config_set(sent, values[i][0], values[i][1], VRS_SOURCE_FILE, NULL, &err), VRS_OK);
	assert_int_equal(vrs_run_request_write(&a, sent, &text, &err), VRS_OK);
	assert_null(strchr(vrs_buf_str(&text), '\n'));
	if (vrs_run_request_read(vrs_buf_str(&text), text.len, &b, got, &err) != VRS_OK)
		fail_msg("%s", err.text);
	assert_string_equal(a.input, b.input);
	assert_string_equal(a.truth_file, b.truth_file);
	assert_string_equal(b.mattes_file, "");
	assert_int_equal(b.truth_frames, 60);
	assert_memory_equal(&a.rules, &b.rules, sizeof a.rules);
	int count;
	const struct vrs_option *rows = vrs_option_table(&count);
	for (int i = 0; i < count; i++) {
		char x[1200], y[1200];
		if (rows[i].state != VRS_OPT_READY)
			continue;
		assert_int_equal(vrs_config_get(sent, rows[i].key, x, sizeof x), VRS_OK);
		assert_int_equal(vrs_config_get(got, rows[i].key, y, sizeof y), VRS_OK);
		assert_string_equal(x, y);
	}
	vrs_buf_fini(&text);
	vrs_config_destroy(sent);
	vrs_config_destroy(got);
}

static void reply_is_the_last_line(void **state)
{
	(void)state;
	struct vrs_run_reply a = {.status = VRS_OK, .info = {.width = 640, .height = 480, .eyes = 2, .batch = 2, .layout = VRS_STEREO_SBS,
							       .device_bytes = INT64_C(3) << 30, .device_limit_bytes = INT64_C(7) << 30}}, b;
	struct vrs_error err = {.status = VRS_OK};
	char *text = NULL;
	size_t size = 0;
	vrs_run_init(&a.run);
	a.run.status = VRS_RUN_OK;
	a.run.fps = 59.94;
	a.run.stage_busy_ms[VRS_STAGE_DECODE] = 1.5;
	struct vrs_matte_prefixes *first = &a.run.first_mattes;
	first->count = 2;
	for (int i = 0; i < 2; i++) {
		first->mattes[i] = 2 * (i + 1);
		for (int f = 0; f < VRS_QUALITY_FIGURES; f++)
			first->figures[i][f] = NAN;
		first->figures[i][VRS_FIGURE_IOU] = 0.987654F;
	}
	first->figures[1][VRS_FIGURE_BOX_DTSSD] = 0.0123F;
	FILE *out = open_memstream(&text, &size);
	fputs("[libx264] some words\nand more {\"status\":\"VRS_EIO\"}\n", out);
	assert_int_equal(vrs_run_reply_write(&a, out), VRS_OK);
	fclose(out);
	assert_int_equal(vrs_run_reply_read(text, size, &b, &err), VRS_OK);
	assert_int_equal(b.status, VRS_OK);
	assert_float_equal(b.run.fps, 59.94, 1e-6);
	assert_float_equal(b.run.stage_busy_ms[VRS_STAGE_DECODE], 1.5, 0);
	assert_true(isnan(b.run.stage_busy_ms[VRS_STAGE_ENCODE]));
	assert_int_equal(b.run.first_mattes.count, 2);
	assert_memory_equal(b.run.first_mattes.mattes, first->mattes, sizeof first->mattes);
	assert_float_equal(b.run.first_mattes.figures[0][VRS_FIGURE_IOU], first->figures[0][VRS_FIGURE_IOU], 0); /* a search that goes on decides the same */
	assert_true(isnan(b.run.first_mattes.figures[0][VRS_FIGURE_BOX_DTSSD]) && b.run.first_mattes.figures[1][VRS_FIGURE_BOX_DTSSD] > 0);
	assert_int_equal(b.info.batch, 2);
	assert_int_equal(b.info.layout, VRS_STEREO_SBS);
	assert_true(b.info.device_bytes == INT64_C(3) << 30 && b.info.device_limit_bytes == INT64_C(7) << 30);
	for (size_t cut = 0; cut + 2 < size; cut += 17) /* torn answers are no answers */
		assert_int_not_equal(vrs_run_reply_read(text, cut, &b, &err), VRS_OK);
	free(text); /* libc: of open_memstream */
}

/* Of a device its share of the memory, where one was set; of the host nothing. */
static void device_limits(void **state)
{
	(void)state;
	assert_int_equal(vrs_run_device_limit(0, 0.9), 0);
	assert_int_equal(vrs_run_device_limit(1000, 0), 1000);
	assert_int_equal(vrs_run_device_limit(1000, 1), 1000);
	assert_int_equal(vrs_run_device_limit(1024, 0.5), 512);
}

static void what_is_wrong_is_named(void **state)
{
	(void)state;
	static const char *const bad[][2] = {
		{"", "empty"},
		{"{}", "probe is missing"},
		{"{\"probe\":true}", "warmup_min_seconds is missing"},
		{"{\"probe\":true,\"warmup_min_seconds\":1,\"warmup_max_seconds\":1,\"warmup_min_frames\":1,\"duration_seconds\":-1,\"min_frames\":1,"
		 "\"max_frames\":0,\"settings\":{}}",
		 "duration_seconds must be"},
		{"{\"probe\":true,\"warmup_min_seconds\":1,\"warmup_max_seconds\":1,\"warmup_min_frames\":1,\"duration_seconds\":1,\"min_frames\":1,"
		 "\"max_frames\":0}",
		 "settings must be an object"},
		{"{\"probe\":true,\"warmup_min_seconds\":1,\"warmup_max_seconds\":1,\"warmup_min_frames\":1,\"duration_seconds\":1,\"min_frames\":1,"
		 "\"max_frames\":0,\"settings\":{\"engine.threads\":\"many\"}}",
		 "settings.engine.threads"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct vrs_config *c = config();
		struct vrs_run_request request;
		struct vrs_error err = {.status = VRS_OK};
		assert_int_not_equal(vrs_run_request_read(bad[i][0], strlen(bad[i][0]), &request, c, &err), VRS_OK);
		if (!strstr(err.text, bad[i][1]))
			fail_msg("\"%s\" does not name \"%s\"", err.text, bad[i][1]);
		vrs_config_destroy(c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(request_round_trip),
		cmocka_unit_test(reply_is_the_last_line),
		cmocka_unit_test(device_limits), cmocka_unit_test(what_is_wrong_is_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
