/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards: ids are readable, read back to the same case, and refuse what is no id. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "bench/plan/case.h"

static struct vrs_config *base;

static int set_up(void **state)
{
	(void)state;
	return vrs_config_create(&base) == VRS_OK ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	vrs_config_destroy(base);
	return 0;
}

static void set(struct vrs_case *c, const char *key, const char *value)
{
	struct vrs_error err = {.status = VRS_OK};
	assert_int_equal(vrs_case_set(c, key, value, &err), VRS_OK);
}

static void readable_id(void **state)
{
	(void)state;
	struct vrs_case c = {.width = 3840, .height = 1920};
	char id[VRS_CASE_ID_MAX];
	set(&c, "engine.threads", "2");
	set(&c, "batch_size", "2"); /* an alias becomes the canonical key */
	set(&c, "engine.precision", "fp32");
	assert_int_equal(vrs_case_id(&c, base, 0, 0, id, sizeof id, NULL), VRS_OK);
	assert_string_equal(id, "r=3840x1920/b=2/p=fp32/t=2");
	set(&c, "output.preset", "fast");
	set(&c, "engine.streams", "2");
	set(&c, "engine.input_size", "[512, 512]");
	set(&c, "matte.cutoff", "0.1");
	assert_int_equal(vrs_case_id(&c, base, 0, 0, id, sizeof id, NULL), VRS_OK);
	assert_string_equal(id, "r=3840x1920/b=2/p=fp32/t=2/s=2/n=512x512/matte.cutoff=0.1/output.preset=fast");
}

/* Ids come from journals and results of strangers. */
static void ids_name_nothing_that_is_written(void **state)
{
	(void)state;
	static const char *const keys[] = {"report.trace", "report.log_file", "output.file", "cache.dir", "output.overwrite"};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		struct vrs_error err = {.status = VRS_OK};
		struct vrs_case c = {.value_count = 0};
		char id[96];
		assert_int_equal(vrs_case_set(&c, keys[i], "true", &err), VRS_ECONFIG);
		snprintf(id, sizeof id, "r=640x480/%s=true", keys[i]);
		assert_int_equal(vrs_case_parse(id, &c, NULL), VRS_ECONFIG);
	}
}

/* What the case leaves open comes from the base and the input. */
static void defaults_in_ids(void **state)
{
	(void)state;
	struct vrs_case c = {.value_count = 0};
	char id[VRS_CASE_ID_MAX];
	assert_int_equal(vrs_case_id(&c, base, 640, 480, id, sizeof id, NULL), VRS_OK);
	assert_string_equal(id, "r=640x480/b=auto/p=auto/t=auto");
	assert_int_equal(vrs_case_id(&c, base, 640, 480, id, 12, NULL), VRS_ELIMIT);
}

static void round_trip(void **state)
{
	(void)state;
	static const char *const ids[] = {
		"r=3840x1920/b=2/p=fp32/t=2",
		"r=640x480/b=auto/p=fp16/t=auto",
		"r=7680x4320/b=32/p=int8/t=1/s=4/n=144x256/m=selfie_segmentation_landscape/e=ffv1",
		"r=1920x1080/b=1/p=fp32/t=1/m=%2Ftmp%2Fa%25b.tflite/output.crf=20/pipeline.queue_size=8",
		"r=640x480/b=auto/p=fp16/t=auto/scope=net_only",
		"r=640x480/b=auto/p=fp16/t=auto/output.preset=fast/scope=pipeline_no_io/mode=live@59.94",
	};
	for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
		struct vrs_case c;
		struct vrs_error err = {.status = VRS_OK};
		char id[VRS_CASE_ID_MAX];
		assert_int_equal(vrs_case_parse(ids[i], &c, &err), VRS_OK);
		assert_int_equal(vrs_case_id(&c, base, 1, 1, id, sizeof id, &err), VRS_OK);
		assert_string_equal(id, ids[i]);
	}
	struct vrs_case c;
	assert_int_equal(vrs_case_parse(ids[3], &c, NULL), VRS_OK);
	assert_string_equal(vrs_case_get(&c, "engine.model"), "/tmp/a%b.tflite");
}

static void bad_ids(void **state)
{
	(void)state;
	static const char *const ids[] = {
		"", "r", "r=", "r=1x", "b=2/p=fp32", "r=640x480/b", "r=640x480/b=", "r=640x480/=2", "r=640x480/b=1/b=2", "r=640x480/r=1x1",
		"r=640x480/nothing.like.this=1", "r=640x480/m=%2", "r=640x480/m=%zz", "r=640x480/m=%00", "r=-1x5", "r=640x480//b=1",
		"r=640x480/scope=all", "r=640x480/mode=live", "r=640x480/mode=live@-1",
	};
	for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
		struct vrs_case c = {.width = 77};
		struct vrs_error err = {.status = VRS_OK};
		assert_int_not_equal(vrs_case_parse(ids[i], &c, &err), VRS_OK);
		assert_true(strlen(err.text) > 10);
		assert_int_equal(c.width, 77); /* written only on success */
	}
	char longest[600];
	memset(longest, 'a', sizeof longest - 1);
	longest[sizeof longest - 1] = 0;
	struct vrs_case c;
	assert_int_equal(vrs_case_parse(longest, &c, NULL), VRS_ECONFIG);
}

static void values_reach_the_config(void **state)
{
	(void)state;
	struct vrs_case c;
	struct vrs_config *config;
	struct vrs_error err = {.status = VRS_OK};
	assert_int_equal(vrs_case_parse("r=640x480/b=8/p=fp16/t=3/n=512x512/output.preset=fast", &c, &err), VRS_OK);
	assert_int_equal(vrs_case_config(&c, base, &config, &err), VRS_OK);
	const struct vrs_settings *s = vrs_config_settings(config);
	assert_int_equal(s->engine.batch_size, 8);
	assert_int_equal(s->engine.precision, VRS_PRECISION_FP16);
	assert_int_equal(s->engine.threads, 3);
	assert_int_equal(s->engine.input_size[0], 512);
	assert_string_equal(s->output.preset, "fast");
	vrs_config_destroy(config);
	assert_int_equal(vrs_case_parse("r=640x480/b=100000/p=fp32/t=1", &c, &err), VRS_OK);
	assert_int_equal(vrs_case_config(&c, base, &config, &err), VRS_ECONFIG);
}

/* Of crf, quality and lossless the one that a case sets decides, whoever has set the others for all cases. */
static void rates_of_the_base(void **state)
{
	static const char *const ids[][2] = {{"output.crf", "r=640x480/output.quality=50"}, {"output.quality", "r=640x480/output.crf=20"}};
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct vrs_case c;
		struct vrs_config *own, *config;
		struct vrs_error err = {.status = VRS_OK};
		assert_int_equal(vrs_config_copy(&own, base), VRS_OK);
		assert_int_equal(vrs_config_set(own, ids[i][0], "30", VRS_SOURCE_FLAG, "--flag", &err), VRS_OK);
		assert_int_equal(vrs_case_parse(ids[i][1], &c, &err), VRS_OK);
		assert_int_equal(vrs_case_config(&c, own, &config, &err), VRS_OK);
		assert_int_equal(vrs_config_source(config, ids[i][0]), VRS_SOURCE_DEFAULT);
		assert_int_equal(vrs_config_settings(config)->output.quality, i == 0 ? 50 : -1);
		assert_int_equal(vrs_config_settings(config)->output.crf, 20);
		vrs_config_destroy(config);
		assert_int_equal(vrs_case_parse("r=640x480/output.crf=20/output.lossless=true", &c, &err), VRS_OK);
		assert_int_equal(vrs_case_config(&c, own, &config, &err), VRS_ECONFIG);
		assert_string_equal(err.text, "output.lossless does not go with output.crf: each decides on size and quality; give one of them");
		vrs_config_destroy(own);
	}
}

static void file_names(void **state)
{
	(void)state;
	char a[80], b[80], small[40];
	vrs_case_file_name("r=640x480/b=2/p=fp32/t=2", a, sizeof a);
	assert_string_equal(a, "r=640x480,b=2,p=fp32,t=2");
	vrs_case_file_name("r=1x1/m=a b", a, sizeof a);
	vrs_case_file_name("r=1x1/m=a*b", b, sizeof b);
	assert_string_not_equal(a, b); /* replaced characters do not make two cases one file */
	assert_null(strpbrk(a, " /*"));
	vrs_case_file_name("r=3840x1920/b=2/p=fp32/t=2/output.preset=ultrafast", small, sizeof small);
	assert_true(strlen(small) < sizeof small);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(readable_id),
		cmocka_unit_test(ids_name_nothing_that_is_written), cmocka_unit_test(defaults_in_ids), cmocka_unit_test(round_trip),
		cmocka_unit_test(bad_ids),     cmocka_unit_test(values_reach_the_config), cmocka_unit_test(rates_of_the_base),
		cmocka_unit_test(file_names),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
