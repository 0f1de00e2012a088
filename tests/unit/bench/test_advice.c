/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards advice: a setting that the same result measured as slower, or with another matte, is never advised; what was not measured says so, with the
 * command that measures it and all settings of the case; bf16 is proposed where the CPU multiplies in it, and nowhere else.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/figures/case_summary.h"
#include "base/str_parse.h"
#include "bench/judge/advice.h"
#include "bench/judge/bottleneck.h"

/* The environments of an AVX2 machine and of one with AVX512-BF16, as env.json has them. */
static const char avx2[] = "{\"cpu\":{\"model\":\"AMD EPYC 7543\",\"features\":\"sse41 avx2 fma f16c\",\"isa\":\"avx2\",\"allowed_threads\":2}}";
static const char bf16[] = "{\"cpu\":{\"model\":\"Intel Xeon Platinum 8481C\","
			   "\"features\":\"sse41 avx2 fma f16c avx512 avx512vnni avx512bf16 avx512vbmi\","
			   "\"isa\":\"avx512\",\"allowed_threads\":2}}";

static void add_case(struct vrs_result *r, const char *precision, const char *more, double fps, double agreement)
{
	struct vrs_case_result *c = vrs_result_add_case(r);
	assert_non_null(c);
	snprintf(c->id, sizeof c->id, "r=3840x1920/b=2/p=%s/t=2%s", precision, more);
	int value;
	assert_true(vrs_name_find(&vrs_precision_names, precision, &value));
	c->precision = (enum vrs_precision)value;
	c->width = 3840;
	c->height = 1920;
	c->batch = c->threads = 2;
	c->streams = 1;
	for (int i = 1; i <= 8; i++) {
		struct vrs_run *run = vrs_case_result_add_run(c);
		run->status = VRS_RUN_OK;
		run->round = i;
		run->frames = 100;
		run->fps = fps * (1 + 0.001 * (i % 3));
		run->wall_seconds = 100 / run->fps;
		run->cpu_seconds = 1.2 * run->wall_seconds; /* of two CPUs: no cpu-bound rule */
		run->agreement = agreement;
		run->stage_busy_ms[VRS_STAGE_INFERENCE] = 0.97e3 / run->fps;
	}
	assert_int_equal(vrs_case_result_summarize(c, NULL), VRS_OK);
}

static struct vrs_result *make(const char *machine)
{
	struct vrs_result *r;
	assert_int_equal(vrs_result_create(&r), VRS_OK);
	vrs_strcpy(r->machine_json, sizeof r->machine_json, machine);
	add_case(r, "fp32", "", 20, NAN);
	return r;
}

/* The rule on the network of the first case. */
static struct vrs_bottleneck rule_of(const struct vrs_result *r)
{
	struct vrs_bottleneck_input in;
	static struct vrs_bottleneck found[VRS_BOTTLENECK_MAX];
	assert_true(vrs_bottleneck_input_of_case(r, &r->cases[0], 2, &in));
	assert_true(vrs_bottleneck_find(&in, found, VRS_BOTTLENECK_MAX) >= 1);
	assert_string_equal(found[0].id, "inference-bound");
	return found[0];
}

static void not_measured_says_how(void **state)
{
	(void)state;
	struct vrs_result *r = make(avx2);
	assert_string_equal(rule_of(r).yaml, "engine:\n  precision: fp16  # not measured: vrbench --batch-size 2 --threads 2 --precision fp32,fp16 VIDEO");
	vrs_strcpy(r->machine_json, sizeof r->machine_json, bf16);
	assert_string_equal(rule_of(r).yaml, "engine:\n  precision: bf16  # not measured: vrbench --batch-size 2 --threads 2 --precision fp32,bf16 VIDEO");
	r->machine_json[0] = 0; /* nothing is known of the CPU: every one has fp16 */
	assert_non_null(strstr(rule_of(r).yaml, "precision: fp16  # not measured"));
	vrs_result_destroy(r);
}

/* The sweep measured fp16 at .91 of the speed: nobody advises it. */
static void measured_worse_is_never_advised(void **state)
{
	(void)state;
	struct vrs_result *r = make(avx2);
	add_case(r, "fp16", "", 18.2, 0.999);
	struct vrs_bottleneck b = rule_of(r);
	assert_string_equal(b.yaml, "");
	assert_non_null(strstr(b.evidence, "; fp16 was measured: 0.91x the speed"));
	vrs_strcpy(r->machine_json, sizeof r->machine_json, bf16);
	b = rule_of(r);
	assert_non_null(strstr(b.yaml, "precision: bf16  # not measured"));
	assert_null(strstr(b.yaml, "fp16"));
	add_case(r, "bf16", "", 19, 0.999); /* now both are */
	assert_string_equal(rule_of(r).yaml, "");
	vrs_result_destroy(r);
}

static void measured_better_carries_its_figure(void **state)
{
	(void)state;
	struct vrs_result *r = make(bf16);
	add_case(r, "bf16", "", 30, 0.995);
	add_case(r, "fp16", "", 21, 0.999);
	assert_string_equal(rule_of(r).yaml, "engine:\n  precision: bf16  # measured: 1.50x the speed");
	for (int i = 0; i < 8; i++)
		r->cases[1].runs[i].agreement = 0.9; /* faster, and another matte */
	struct vrs_bottleneck b = rule_of(r);
	assert_non_null(strstr(b.yaml, "precision: fp16  # measured: 1.05x"));
	assert_non_null(strstr(b.evidence, "bf16 was measured: its mattes agree only to 0.900 IoU"));
	vrs_result_destroy(r);
}

/* A case that differs in more than the proposal, or of another kind, measures something else. */
static void only_its_twin_counts(void **state)
{
	(void)state;
	struct vrs_result *r = make(avx2);
	add_case(r, "fp16", "/s=2", 10, 0.999);
	add_case(r, "fp16", "/scope=net_only", 10, 0.999);
	r->cases[2].scope = VRS_SCOPE_NET_ONLY;
	assert_non_null(strstr(rule_of(r).yaml, "not measured"));
	vrs_result_destroy(r);
}

/* What a disturbed machine measured, on either side, is no figure. */
static void invalid_is_not_measured(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct vrs_result *r = make(bf16);
		add_case(r, "bf16", "", 30, 0.995);
		vrs_strcpy(r->cases[i].invalid, sizeof r->cases[i].invalid, "other_processes");
		assert_non_null(strstr(rule_of(r).yaml, "precision: bf16  # not measured: vrbench --batch-size 2 --threads 2 --precision fp32,bf16 VIDEO"));
		vrs_result_destroy(r);
	}
}

/* What the case runs with already is no advice. */
static void what_is_set_is_no_advice(void **state)
{
	(void)state;
	char yaml[1280], told[160];
	struct vrs_result *r = make(avx2);
	const struct vrs_proposal p[] = {{"output.preset", "ultrafast", false}, {"engine.threads", "auto", false}, {"engine.streams", "2", false}};
	vrs_strcpy(r->base_config, sizeof r->base_config, "output:\n  preset: ultrafast\n");
	for (int side = 0; side < 2; side++) {
		vrs_advice(r, &r->cases[0], p, 3, yaml, sizeof yaml, told, sizeof told);
		assert_null(strstr(yaml, "preset:"));
		assert_string_equal(yaml, "engine:\n  threads: auto  # not measured: vrbench --preset ultrafast --batch-size 2 --precision fp32 "
					  "--threads 2,auto VIDEO\n"
					  "  streams: 2  # not measured: vrbench --preset ultrafast --batch-size 2 --precision fp32 --threads 2 "
					  "--streams auto,2 VIDEO");
		assert_string_equal(told, "");
		/* The same of side A of an A/B, whose settings are its own. */
		strcat(r->cases[0].id, "/side=A");
		vrs_strcpy(r->versus_config, sizeof r->versus_config, "output:\n  preset: ultrafast\n");
		vrs_strcpy(r->base_config, sizeof r->base_config, "output:\n  preset: slow\n");
	}
	vrs_result_destroy(r);
}

/*
 * Ids say how many threads auto came to.  Beside streams that the program counts that is one, which no advice asks for again; beside streams that are
 * set it is what they leave.
 */
static void what_auto_came_to_is_no_advice(void **state)
{
	(void)state;
	struct vrs_result *r = make(avx2);
	vrs_strcpy(r->cases[0].id, sizeof r->cases[0].id, "r=3840x1920/b=2/p=fp32/t=1");
	r->cases[0].threads = 1;
	assert_string_equal(rule_of(r).yaml, "engine:\n  precision: fp16  # not measured: vrbench --batch-size 2 --threads 1 --precision fp32,fp16 VIDEO");
	vrs_strcpy(r->base_config, sizeof r->base_config, "engine:\n  streams: 1\n");
	assert_string_equal(rule_of(r).yaml, "engine:\n  threads: 2  # not measured: vrbench --streams 1 --batch-size 2 --precision fp32 "
					     "--threads 1,2 VIDEO");
	add_case(r, "fp32", "", 19, NAN); /* two threads were measured */
	assert_non_null(strstr(rule_of(r).evidence, "; 2 was measured: 0.95x the speed"));
	vrs_result_destroy(r);
}

/* The command measures this network and this job: what holds for the whole result is on it, then what the case adds. */
static void commands_have_all_settings(void **state)
{
	(void)state;
	struct vrs_result *r = make(avx2);
	vrs_strcpy(r->base_config, sizeof r->base_config,
		   "engine:\n  model: \"my net.onnx\"\n  threads: 1\nmatte:\n  refine: false\npipeline:\n  max_frames: 20\n");
	assert_string_equal(rule_of(r).yaml, "engine:\n  precision: fp16  # not measured: vrbench --model 'my net.onnx' --no-refine --max-frames 20 "
					     "--batch-size 2 --threads 2 --precision fp32,fp16 VIDEO");
	add_case(r, "int8", "", 20, NAN); /* another size: the command says which */
	r->cases[1].width = 1920;
	assert_non_null(strstr(rule_of(r).yaml, " --max-frames 20 --resolution 3840x1920 --batch-size 2"));
	(void)snprintf(r->base_config, sizeof r->base_config, "engine:\n  model: \"%0300d.onnx\"\n", 1);
	assert_non_null(strstr(rule_of(r).yaml, "vrbench --precision fp32,fp16 VIDEO with the other settings of this case"));
	vrs_result_destroy(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(not_measured_says_how), cmocka_unit_test(measured_worse_is_never_advised), cmocka_unit_test(measured_better_carries_its_figure),
		cmocka_unit_test(only_its_twin_counts),  cmocka_unit_test(invalid_is_not_measured),
		cmocka_unit_test(what_is_set_is_no_advice), cmocka_unit_test(what_auto_came_to_is_no_advice),
		cmocka_unit_test(commands_have_all_settings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
