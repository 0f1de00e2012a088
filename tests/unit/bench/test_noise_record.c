/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: the stored calibration: spread and bursts of made-up data, classes of cases, text form, damage, expiry, the wrong machine; what it permits.
 * A calibration of another machine or build state must never be used (a cache hit from elsewhere).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/str_parse.h"
#include "bench/judge/noise_record.h"

static char folder[128];

static int set_up(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "/tmp/vrs-test-noise-record-%d", (int)getpid());
	return setenv("XDG_STATE_HOME", folder, 1);
}

static int tear_down(void **state)
{
	(void)state;
	char command[200];
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	return system(command);
}

static double normal(struct vrs_rng *rng)
{
	return sqrt(-2 * log(1 - vrs_rng_unit(rng))) * cos(6.283185307179586 * vrs_rng_unit(rng));
}

static struct vrs_case_result case_of(int width, int height)
{
	struct vrs_case_result c;
	vrs_case_result_init(&c);
	c.width = width;
	c.height = height;
	vrs_strcpy(c.backend, sizeof c.backend, "cpu");
	return c;
}

static void expect_class(int width, int height, const char *expected)
{
	char name[128];
	struct vrs_case_result c = case_of(width, height);
	vrs_noise_record_class(&c, name, sizeof name);
	assert_string_equal(name, expected);
}

static void classes(void **state)
{
	(void)state;
	expect_class(3840, 1920, "end_to_end offline cpu 8M");
	expect_class(3840, 2160, "end_to_end offline cpu 8M");
	expect_class(1920, 1080, "end_to_end offline cpu 2M");
	expect_class(1920, 960, "end_to_end offline cpu 2M");
	expect_class(7680, 3840, "end_to_end offline cpu 32M");
	expect_class(16, 16, "end_to_end offline cpu 1M");
	expect_class(32768, 32768, "end_to_end offline cpu 1024M");
}

static void expect_line(const struct vrs_case_result *c, const char *expected)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	assert_non_null(out);
	vrs_noise_record_expect(7, time(NULL), c, 20, 0, out);
	fclose(out);
	assert_non_null(strstr(text, expected));
	free(text);
}

/* Two devices of one machine have noise of their own; what a plan is told comes from the one that was calibrated last. */
static void devices_apart(void **state)
{
	(void)state;
	struct vrs_noise_record r;
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_case_result c = case_of(3840, 1920), other = c, planned = c;
	vrs_strcpy(c.backend, sizeof c.backend, "opencl");
	vrs_strcpy(c.device, sizeof c.device, "card 1");
	other = planned = c;
	vrs_strcpy(other.device, sizeof other.device, "card 10");
	planned.device[0] = '\0';
	expect_line(&planned, "not known; there is no calibration");
	vrs_noise_record_init(&r);
	r.fingerprint = 7;
	r.pairs = 20;
	r.pair_sd = r.run_cv = 0.04;
	r.verdict = VRS_VERDICT_EQUIVALENT;
	vrs_noise_record_class(&c, r.class_name, sizeof r.class_name);
	assert_string_equal(r.class_name, "end_to_end offline opencl 8M on card 1");
	assert_int_equal(vrs_noise_record_store(&r, &err), VRS_OK);
	vrs_noise_record_apply(7, time(NULL), &c);
	vrs_noise_record_apply(7, time(NULL), &other);
	assert_float_equal(c.pair_sd, 0.04, 1e-12);
	assert_true(isnan(other.pair_sd));
	expect_line(&planned, "precision to expect on card 1: runs spread by 4.0 %");
	expect_line(&other, "not known; there is no calibration for \"end_to_end offline opencl 8M on card 10\"");
	planned.width = 960; /* another class */
	expect_line(&planned, "not known; there is no calibration");
}

static void add_run(struct vrs_case_result *c, int round, double fps)
{
	struct vrs_run *run = vrs_case_result_add_run(c);
	assert_non_null(run);
	run->status = VRS_RUN_OK;
	run->round = round;
	run->fps = fps;
}

/* Pairs with a spread of 2 % among which every tenth is five times as wild: the stored spread is that of the others. */
static void spread_of_pairs(void **state)
{
	(void)state;
	struct vrs_rng rng;
	struct vrs_case_result a = case_of(640, 480), b = a;
	struct vrs_noise_record r;
	vrs_rng_init(&rng, 4);
	for (int i = 1; i <= 400; i++) {
		double drift = 1 + 0.0005 * i; /* common to both sides: no part of the pairs' spread */
		add_run(&a, i, 50 * drift);
		add_run(&b, i, 50 * drift * exp(0.02 * (i % 10 == 0 ? 5 : 1) * normal(&rng)));
	}
	vrs_noise_record_init(&r);
	assert_int_equal(vrs_noise_record_of_pairs(&a, &b, &r), VRS_OK);
	assert_int_equal(r.pairs, 400);
	assert_float_equal(r.pair_sd, 0.021, 0.003);
	assert_true(r.run_cv > 0.04); /* the drift is in here */
	/* Excluded runs make no pair. */
	for (int i = 5; i < 400; i++)
		vrs_strcpy(a.runs[i].excluded, sizeof a.runs[i].excluded, "throttle: 1; cool");
	assert_int_equal(vrs_noise_record_of_pairs(&a, &b, &r), VRS_EINVAL);
	vrs_case_result_fini(&a);
	vrs_case_result_fini(&b);
}

/* 1.2 % of the frames are slow, in bursts of 15: deff is the mean size of a frame's own burst, about twice that for geometric ones. */
static void bursts_of_frames(void **state)
{
	(void)state;
	enum { N = 60000 };
	struct vrs_rng rng;
	struct vrs_noise_record r;
	static double ms[N];
	long starts[] = {0};
	int left = 0;
	vrs_rng_init(&rng, 15);
	for (int i = 0; i < N; i++) {
		if (left == 0 && vrs_rng_unit(&rng) < 0.012 / 15)
			left = 15;
		ms[i] = (left > 0 ? 30 : 16) + 0.5 * normal(&rng);
		left -= left > 0;
	}
	const struct vrs_frame_pool pool = {.interval_ms = ms, .count = N, .run_starts = starts, .runs = 1};
	vrs_noise_record_init(&r);
	assert_int_equal(vrs_noise_record_of_frames(&pool, &r), VRS_OK);
	assert_true(r.deff99 > 9 && r.deff99 < 20);
	assert_true(r.episodes > 30 && r.episodes < 70);
	assert_true(r.deff95 < r.deff99); /* above P95 there are many single frames */
	assert_true(r.lag1 > 0.5);
	assert_true(vrs_noise_record_permits(&r));
	struct vrs_frame_pool less = pool, few = pool;
	less.count = N - 1;
	few.count = 999;
	assert_int_equal(vrs_noise_record_of_frames(&less, &r), VRS_OK);
	assert_false(vrs_noise_record_permits(&r));
	assert_int_equal(vrs_noise_record_of_frames(&few, &r), VRS_EINVAL);
}

static struct vrs_noise_record full(void)
{
	struct vrs_noise_record r;
	vrs_noise_record_init(&r);
	r.fingerprint = UINT64_C(0xfedcba9876543210);
	vrs_strcpy(r.class_name, sizeof r.class_name, "end_to_end offline cpu 8M");
	r.verdict = VRS_VERDICT_EQUIVALENT;
	r.pairs = 20;
	r.pair_sd = 0.03;
	r.run_cv = 0.02;
	r.level = 40;
	r.tests = 1;
	r.frames = 60000;
	r.episodes = 50;
	r.deff95 = 2;
	r.deff99 = 7.5;
	r.lag1 = 0.4;
	return r;
}

static void stored_and_found(void **state)
{
	(void)state;
	struct vrs_noise_record r = full(), found;
	struct vrs_error err = {.status = VRS_OK};
	struct vrs_case_result c = case_of(3840, 1920);
	assert_int_equal(vrs_noise_record_load(r.fingerprint, r.class_name, time(NULL), &found, &err), VRS_ENOTFOUND);
	assert_non_null(strstr(err.text, "--calibrate measures it"));
	assert_int_equal(vrs_noise_record_store(&r, &err), VRS_OK);
	assert_int_equal(vrs_noise_record_load(r.fingerprint, r.class_name, time(NULL), &found, &err), VRS_OK);
	assert_float_equal(found.deff99, 7.5, 0);
	assert_true(isnan(found.clock_mhz)); /* was not observable */
	time_t day = 86400, now = (time_t)r.created;
	assert_int_equal(vrs_noise_record_load(r.fingerprint, r.class_name, now + 30 * day, &found, &err), VRS_OK);
	assert_int_equal(vrs_noise_record_load(r.fingerprint, r.class_name, now + 31 * day, &found, &err), VRS_ENOTFOUND);
	assert_non_null(strstr(err.text, "31 days old"));
	assert_int_equal(vrs_noise_record_load(r.fingerprint, r.class_name, now - 2 * day, &found, &err), VRS_ENOTFOUND); /* written by a wrong clock */
	assert_int_equal(vrs_noise_record_load(r.fingerprint + 1, r.class_name, now, &found, &err), VRS_ENOTFOUND);
	assert_int_equal(vrs_noise_record_load(r.fingerprint, "end_to_end live@72 cpu 8M", now, &found, &err), VRS_ENOTFOUND);
	vrs_noise_record_apply(r.fingerprint, now, &c);
	assert_float_equal(c.pair_sd, 0.03, 1e-12);
	assert_float_equal(c.deff99, 7.5, 1e-12);
	c = case_of(3840, 1920);
	vrs_noise_record_apply(r.fingerprint + 1, now, &c); /* another machine */
	assert_true(isnan(c.pair_sd) && isnan(c.deff99));
	/* Tests of the method are counted over the years; alarms as well. */
	r = full();
	r.alarms = 1;
	assert_int_equal(vrs_noise_record_store(&r, &err), VRS_OK);
	r = full();
	assert_int_equal(vrs_noise_record_store(&r, &err), VRS_OK);
	assert_int_equal(r.tests, 3);
	assert_int_equal(r.alarms, 1);
	/* Too short a run gives margins, but no leave to answer P99. */
	r = full();
	r.frames = 59999;
	assert_int_equal(vrs_noise_record_store(&r, &err), VRS_OK);
	vrs_noise_record_apply(r.fingerprint, now, &c);
	assert_float_equal(c.pair_sd, 0.03, 1e-12);
	assert_true(isnan(c.deff99));
}

/* A file that a moved folder or an editor has put in the place of another is not believed. */
static void renamed_entry(void **state)
{
	(void)state;
	struct vrs_noise_record a = full(), b = full(), found;
	struct vrs_error err = {.status = VRS_OK};
	char command[600];
	a.fingerprint = 1;
	b.fingerprint = 2;
	assert_int_equal(vrs_noise_record_store(&a, &err), VRS_OK);
	assert_int_equal(vrs_noise_record_store(&b, &err), VRS_OK);
	snprintf(command, sizeof command, "cd '%s/vrseg/calibration' && cp 0000000000000001-*.json \"$(ls 0000000000000002-*.json)\"", folder);
	assert_int_equal(system(command), 0);
	assert_int_equal(vrs_noise_record_load(2, b.class_name, time(NULL), &found, &err), VRS_ENOTFOUND);
	assert_non_null(strstr(err.text, "belongs to another machine"));
}

/* What cannot be read is not replaced: its levels of a month would be lost. */
static void unread_entry(void **state)
{
	(void)state;
	struct vrs_noise_record r = full();
	struct vrs_error err = {.status = VRS_OK};
	char command[600];
	r.fingerprint = 3;
	assert_int_equal(vrs_noise_record_store(&r, &err), VRS_OK);
	snprintf(command, sizeof command, "cd '%s/vrseg/calibration' && name=$(ls 0000000000000003-*.json) && rm $name && ln -s $name $name", folder);
	assert_int_equal(system(command), 0);
	assert_int_equal(vrs_noise_record_store(&r, &err), VRS_EIO);
	snprintf(command, sizeof command, "test -L '%s/vrseg/calibration/'0000000000000003-*.json", folder);
	assert_int_equal(system(command), 0);
}

static void damage(void **state)
{
	(void)state;
	struct vrs_noise_record r = full(), back;
	char *text;
	struct vrs_error err = {.status = VRS_OK};
	assert_int_equal(vrs_noise_record_print(&r, &text), VRS_OK);
	size_t length = strlen(text);
	assert_int_equal(vrs_noise_record_parse(text, length, "c.json", &back, &err), VRS_OK);
	assert_string_equal(back.class_name, r.class_name);
	for (size_t cut = 0; cut < length; cut++)
		assert_int_not_equal(vrs_noise_record_parse(text, cut, "c.json", &back, &err), VRS_OK);
	for (size_t i = 0; i < length * 8; i++) {
		text[i / 8] = (char)(text[i / 8] ^ 1 << i % 8);
		(void)vrs_noise_record_parse(text, length, "c.json", &back, &err); /* read or refused, never worse */
		text[i / 8] = (char)(text[i / 8] ^ 1 << i % 8);
	}
	vrs_json_free_text(text);
	static const struct {
		const char *text;
		enum vrs_status status;
	} bad[] = {
		{"{}", VRS_EFORMAT},
		{"{\"schema\":\"vrbench-calibration/2\"}", VRS_EUNSUPPORTED},
		{"{\"schema\":\"vrbench-calibration/1\",\"fingerprint\":\"0000000000000001\",\"class_name\":\"x\",\"created\":1,\"pairs\":-1,"
		 "\"frames\":1,\"episodes\":1}", VRS_EFORMAT},
		{"{\"schema\":\"vrbench-calibration/1\",\"fingerprint\":\"0000000000000001\",\"class_name\":\"x\",\"created\":1,\"pairs\":20,"
		 "\"frames\":1,\"episodes\":1,\"deff99\":0.5}", VRS_EFORMAT},
		{"{\"schema\":\"vrbench-calibration/1\",\"fingerprint\":\"0000000000000001\",\"class_name\":\"x\",\"created\":1,\"pairs\":20,"
		 "\"frames\":1,\"episodes\":1,\"tests\":1,\"alarms\":2}", VRS_EFORMAT},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(vrs_noise_record_parse(bad[i].text, strlen(bad[i].text), "c.json", &back, &err), bad[i].status);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes),      cmocka_unit_test(spread_of_pairs), cmocka_unit_test(bursts_of_frames), cmocka_unit_test(stored_and_found),
		cmocka_unit_test(unread_entry), cmocka_unit_test(devices_apart),
		cmocka_unit_test(renamed_entry), cmocka_unit_test(damage),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
