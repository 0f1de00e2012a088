/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whole sessions: importer, passes, plan, packing and kernels, with all precisions, with a calibration and what its file makes of it, with 1 to 3
 * threads.  Bytes that begin with R are the recipe of a network (network_recipe.h), others a file.  No bytes harm, a network that the reference runs
 * is run by the CPU backend or refused with a sentence, any number of threads gives the same bits, and the results of a tame recipe are those of the
 * reference but for rounding, of 8 bits too (network_quantised.h).
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vrseg/calibration.h>
#include <vrseg/session.h>

#include "network_bytes.h"
#include "network_quantised.h"
#include "network_rounding.h"
#include "require.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A session that has run once; NULL: refused. */
static struct vrs_session *run(const struct vrs_model *model, const struct vrs_session_options *options, bool wild)
{
	struct vrs_session *session = NULL;
	struct vrs_error err = {0};

	if (vrs_session_create(&session, model, options, &err) != VRS_OK) {
		require(err.text[0] != '\0');
		return NULL;
	}
	network_fill_inputs(session, model, wild);
	require(vrs_session_run(session, &err) == VRS_OK);
	return session;
}

static bool same_number(float a, float b)
{
	return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

/* The same bits, but for the kind of NaN. */
static void expect_same(struct vrs_session *a, struct vrs_session *b, const struct vrs_model *model)
{
	require((a == NULL) == (b == NULL));
	for (int i = 0; a != NULL && i < vrs_model_info(model).outputs; i++) {
		struct vrs_tensor_view x = vrs_session_output(a, i), y = vrs_session_output(b, i);

		require(x.elements == y.elements && x.dtype == y.dtype);
		for (size_t k = 0; x.dtype == VRS_F32 && k < x.elements; k++)
			require(same_number(x.data[k], y.data[k]));
	}
}

static void expect_near(struct vrs_session *want, struct vrs_session *got, const struct vrs_model *model, float limit)
{
	for (int i = 0; i < vrs_model_info(model).outputs; i++) {
		struct vrs_tensor_view x = vrs_session_output(want, i), y = vrs_session_output(got, i);

		require(x.elements == y.elements && x.dtype == y.dtype);
		for (size_t k = 0; x.dtype == VRS_F32 && k < x.elements; k++)
			require(network_is_near(y.data[k], x.data[k], limit));
	}
}

/* Every precision on 1 and `threads` threads. */
static void run_threads(const struct vrs_model *model, struct vrs_session_options options, int threads, bool wild)
{
	struct vrs_session *one, *more;

	options.threads = 1;
	one = run(model, &options, wild);
	options.threads = threads;
	more = run(model, &options, wild);
	expect_same(one, more, model);
	vrs_session_destroy(one);
	vrs_session_destroy(more);
}

/* What the file keeps of a calibration gives the same bits. */
static void run_kept(const struct vrs_model *model, struct vrs_session_options options, bool wild)
{
	struct vrs_session *memory = run(model, &options, wild), *file;
	struct vrs_calibration *kept = NULL;
	struct vrs_error err = {0};
	char path[256];

	require(vrs_calibration_save(options.calibration, scratch_path(path, sizeof path, "calibration.json"), &err) == VRS_OK);
	require(vrs_calibration_load(&kept, path, model, &err) == VRS_OK);
	require(vrs_calibration_info(kept).hash == vrs_calibration_info(options.calibration).hash);
	options.calibration = kept;
	file = run(model, &options, wild);
	expect_same(memory, file, model);
	vrs_session_destroy(memory);
	vrs_session_destroy(file);
	vrs_calibration_destroy(kept);
}

/* One session of each precision, as near as its bytes and weights allow. */
static void run_near(const struct vrs_model *model, struct vrs_session_options options)
{
	struct quantised want;

	options.threads = 1;
	quantised_init(&want, model, &options, options.calibration);
	for (options.precision = VRS_PRECISION_INT8; options.precision <= VRS_PRECISION_MIXED; options.precision++) {
		struct vrs_session *session = run(model, &options, false);

		if (session != NULL)
			quantised_expect(&want, session);
		vrs_session_destroy(session);
	}
	quantised_fini(&want);
}

static void run_8_bits(const struct vrs_model *model, struct vrs_session_options options, bool tame, bool wild)
{
	struct vrs_calibration *calibration = tame ? network_calibrate_as(model, &options, VRS_RANGE_MINMAX, NETWORK_SEED, false)
						   : network_calibrate(model, &options, wild);

	if (calibration == NULL)
		return;
	options.calibration = calibration;
	for (options.precision = VRS_PRECISION_INT8; options.precision <= VRS_PRECISION_MIXED; options.precision++) {
		run_threads(model, options, 3, wild);
		run_kept(model, options, wild);
	}
	if (tame)
		run_near(model, options);
	vrs_calibration_destroy(calibration);
}

static void use(const struct vrs_model *model, int batch, int height, int width, bool tame, bool wild)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_session *ref, *plain;
	struct vrs_graph graph = {0};
	float limit = 0;
	bool small;

	options.batch = batch;
	options.input_height = height;
	options.input_width = width;
	small = network_at_size(&graph, model, &options);
	vrs_graph_fini(&graph);
	if (!small)
		return;
	if (tame)
		tame = network_rounding(vrs_model_graph(model), &limit);
	options.threads = 1;
	options.fusion = false;
	options.backend = "ref";
	ref = run(model, &options, wild);
	options.backend = "cpu";
	plain = run(model, &options, wild);
	require(ref != NULL || plain == NULL);
	if (tame && ref != NULL && plain != NULL)
		expect_near(ref, plain, model, limit);
	vrs_session_destroy(plain);
	options.fusion = true;
	plain = run(model, &options, wild);
	if (tame && ref != NULL && plain != NULL)
		expect_near(ref, plain, model, limit);
	vrs_session_destroy(plain);
	vrs_session_destroy(ref);
	run_threads(model, options, 2, wild);
	options.pictures_nhwc = true;
	run_threads(model, options, 3, wild);
	options.half_min_bytes = 0;
	for (options.precision = VRS_PRECISION_FP16; options.precision <= VRS_PRECISION_BF16; options.precision++)
		run_threads(model, options, 3, wild);
	options.precision = VRS_PRECISION_FP32;
	run_8_bits(model, options, tame, wild);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool wild, recipe = size > 0 && data[0] == 'R';
	struct vrs_model *model = network_of_bytes(data, size, &wild);

	if (model == NULL)
		return 0;
	use(model, recipe ? network_batch(model) : 1, 0, 0, recipe && !wild, wild);
	if (!recipe)
		use(model, 2, 9, 7, false, false);
	vrs_model_destroy(model);
	return 0;
}
