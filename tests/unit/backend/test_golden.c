/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: the selfie networks give the values that two other engines give (tests/golden), at their own size, at other sizes and in batches, on
 * the reference and on the CPU backend at every instruction set level of this machine, fused or not, on one thread or several.
 *
 * Without the network files (set-up puts them under share/vrseg/models) everything is skipped.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <vrseg/session.h>

#include "base/file.h"
#include "unit/backend/golden_picture.h"
#include "unit/isa_level.h"

#define TOLERANCE 1e-4

struct golden_case {
	const char *name, *model;
	int width, height, batch, step;
	int shift[2];
};

static const struct golden_case cases[] = {
	{"selfie_256x256", "models/selfie_segmentation.tflite", 256, 256, 1, 1, {0, 0}},
	{"selfie_512x512", "models/selfie_segmentation.tflite", 512, 512, 1, 3, {40, 0}},
	{"selfie_160x96", "models/selfie_segmentation.tflite", 160, 96, 1, 1, {0, 0}},
	{"selfie_256x256_batch2", "models/selfie_segmentation.tflite", 256, 256, 2, 3, {100, -80}},
	{"landscape_256x144", "models/selfie_segmentation_landscape.tflite", 256, 144, 1, 1, {-60, 0}},
};
#define CASE_COUNT ((int)(sizeof cases / sizeof *cases))

/* Largest and mean difference to the stored values; -1 with a message when something fails. */
static double compare(const struct golden_case *c, const struct vrs_tensor_view *out, double *ret_mean)
{
	char path[512];
	struct vrs_buf file;
	struct vrs_error err = {0};
	int rows = (c->height + c->step - 1) / c->step, columns = (c->width + c->step - 1) / c->step;
	double worst = 0, sum = 0;
	size_t k = 0;

	snprintf(path, sizeof path, "%s/golden/%s.u16", VRS_TEST_DIR, c->name);
	if (vrs_file_read(path, 1 << 22, &file, &err) != VRS_OK || file.len != (size_t)(c->batch * rows * columns) * 2 ||
	    out->elements != (size_t)(c->batch * c->height * c->width)) {
		printf("%s: %s; %zu outputs\n", path, err.text, out->elements);
		return -1;
	}
	for (int n = 0; n < c->batch; n++)
		for (int y = 0; y < c->height; y += c->step)
			for (int x = 0; x < c->width; x += c->step, k++) {
				unsigned stored = (uint8_t)file.data[2 * k] | (unsigned)(uint8_t)file.data[2 * k + 1] << 8;
				double d = fabs((double)out->data[(n * c->height + y) * c->width + x] - stored / 65535.0);

				worst = d > worst || isnan(d) ? d : worst;
				sum += d;
			}
	vrs_buf_fini(&file);
	*ret_mean = sum / (double)k;
	return worst;
}

/* One case with some options: the largest difference, -1 on failure. */
static double run_case(const struct golden_case *c, struct vrs_session_options options, double *ret_mean, const char **ret_isa)
{
	char path[1024];
	struct vrs_model *model = NULL;
	struct vrs_session *session = NULL;
	struct vrs_error err = {0};
	struct vrs_tensor_view in, out;
	double worst = -1;

	options.batch = c->batch;
	options.input_width = c->width;
	options.input_height = c->height;
	if (vrs_data_file(c->model, path, sizeof path, &err) != VRS_OK || vrs_model_load(&model, path, &err) != VRS_OK ||
	    vrs_session_create(&session, model, &options, &err) != VRS_OK)
		goto done;
	in = vrs_session_input(session, 0);
	/* Twice, the first time with another picture: nothing of a run may show in the next. */
	for (int pass = 0; pass < 2; pass++) {
		for (int n = 0; n < c->batch; n++)
			golden_draw(in.data + (size_t)n * in.elements / (size_t)c->batch, c->width, c->height, pass == 0 ? 200 : c->shift[n]);
		if (vrs_session_run(session, &err) != VRS_OK)
			goto done;
	}
	out = vrs_session_output(session, 0);
	worst = compare(c, &out, ret_mean);
	*ret_isa = vrs_session_info(session).isa;
done:
	if (err.text[0] != '\0')
		printf("%s on %s: %s\n", c->name, options.backend, err.text);
	vrs_session_destroy(session);
	vrs_model_destroy(model);
	return worst;
}

/* All cases; false and a line for each that is off. */
static bool run_all(const char *backend, bool fusion, int threads, enum vrs_precision precision)
{
	struct vrs_session_options options = vrs_session_options_default();
	bool good = true;

	options.backend = backend;
	options.fusion = fusion;
	options.threads = threads;
	options.precision = precision;
	for (int i = 0; i < CASE_COUNT; i++) {
		double mean = 0, worst = run_case(&cases[i], options, &mean, &(const char *){NULL});
		/* 16-bit storage moves single edge pixels, bf16 with 3 bits less further; the matte as a whole must stay. */
		double limit = precision == VRS_PRECISION_FP32 ? TOLERANCE : precision == VRS_PRECISION_FP16 ? 0.1 : 0.5;
		double mean_limit = precision == VRS_PRECISION_FP32 ? TOLERANCE : precision == VRS_PRECISION_FP16 ? 1e-3 : 6e-3;
		bool ok = worst >= 0 && worst <= limit && mean <= mean_limit;

		if (!ok)
			printf("%s on %s, fusion %d, %d threads, %s: differs by %g, on average %g\n", cases[i].name, backend, fusion, threads,
			       vrs_precision_name(precision), worst, mean);
		good = good && ok;
	}
	return good;
}

static void test_ref(void **state)
{
	(void)state;
	assert_true(run_all("ref", true, 1, VRS_PRECISION_FP32));
	assert_true(run_all("ref", false, 1, VRS_PRECISION_FP32));
	assert_true(run_all("ref", true, 1, VRS_PRECISION_FP16));
	assert_true(run_all("ref", true, 1, VRS_PRECISION_BF16));
}

static void test_cpu_ref(void **state)
{
	(void)state;
	run_level("ref");
}

static void test_cpu_avx2(void **state)
{
	(void)state;
	run_level("avx2");
}

static void test_cpu_avx512(void **state)
{
	(void)state;
	run_level("avx512");
}

/* What a session says that a run computes is what its operators do, and with fusion less than the network as imported. */
static void test_macs(void **state)
{
	(void)state;
	uint64_t of[2] = {0, 0};
	for (int fusion = 0; fusion < 2; fusion++) {
		struct vrs_session_options options = vrs_session_options_default();
		const struct vrs_op_profile *rows = NULL;
		struct vrs_session *session = NULL;
		struct vrs_model *model = NULL;
		char path[1024];
		uint64_t macs = 0;
		options.backend = "cpu";
		options.fusion = fusion != 0;
		options.profile = true;
		options.threads = 1;
		assert_int_equal(vrs_data_file(cases[0].model, path, sizeof path, NULL), VRS_OK);
		assert_int_equal(vrs_model_load(&model, path, NULL), VRS_OK);
		assert_int_equal(vrs_session_create(&session, model, &options, NULL), VRS_OK);
		assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
		int n = vrs_session_profile(session, &rows);
		for (int i = 0; i < n; i++)
			macs += rows[i].macs;
		of[fusion] = vrs_session_info(session).macs;
		assert_int_equal(of[fusion], macs);
		vrs_session_destroy(session);
		vrs_model_destroy(model);
	}
	assert_true(of[1] < of[0]);
}

/* The child: exit 77 where the machine lacks the level. */
static int child(const char *level)
{
	struct vrs_session_options options = vrs_session_options_default();
	const char *isa = NULL;
	double mean;
	bool good;

	options.backend = "cpu";
	if (run_case(&cases[2], options, &mean, &isa) < 0)
		return 1;
	if (strcmp(isa, level) != 0) {
		printf("this machine has %s, not %s: skipped\n", isa, level);
		return 77;
	}
	good = run_all("cpu", true, 1, VRS_PRECISION_FP32);
	good = run_all("cpu", true, 3, VRS_PRECISION_FP32) && good; /* all run, so that every difference is printed */
	good = run_all("cpu", false, 2, VRS_PRECISION_FP32) && good;
	good = run_all("cpu", true, 2, VRS_PRECISION_FP16) && good;
	good = run_all("cpu", true, 2, VRS_PRECISION_BF16) && good;
	return good ? 0 : 1;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ref),
		cmocka_unit_test(test_cpu_ref),
		cmocka_unit_test(test_cpu_avx2),
		cmocka_unit_test(test_cpu_avx512),
		cmocka_unit_test(test_macs),
	};
	char path[1024];

	for (int i = 0; i < CASE_COUNT; i++)
		if (vrs_data_file(cases[i].model, path, sizeof path, NULL) != VRS_OK) {
			printf("skipped: %s is not installed; run ./test.sh, which fetches it\n", cases[i].model);
			return 77;
		}
	return argc > 1 ? child(argv[1]) : cmocka_run_group_tests(tests, NULL, NULL);
}
