/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whole sessions: importer, passes, plan, packing and kernels, with all precisions, with a calibration and what its file makes of it, with 1 to 3
 * threads.  Bytes that begin with R are the recipe of a network (network_recipe.h), others a file.  No bytes harm, a network that the reference runs
 * is run by the CPU backend or refused with a sentence, any number of threads gives the same bits, and the results of a tame recipe are those of the
 * reference but for rounding.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vrseg/calibration.h>
#include <vrseg/session.h>

#include "graph/model_graph.h"
#include "network_cost.h"
#include "network_fill.h"
#include "network_recipe.h"
#include "network_rounding.h"
#include "require.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_RUN_BYTES ((size_t)4 << 20)  /* of all values together */
#define MAX_RUN_WORK ((uint64_t)1 << 22) /* rough count of steps of one run */

/* Can the network be run at this size within a moment? */
static bool is_small(const struct vrs_model *model, const struct vrs_session_options *options)
{
	struct vrs_graph graph;
	uint64_t steps = 0;
	size_t total = 0;
	bool small;

	if (vrs_graph_copy(&graph, vrs_model_graph(model)) != VRS_OK)
		return false;
	small = vrs_graph_set_input(&graph, options->batch, options->input_height, options->input_width, NULL) == VRS_OK;
	for (int32_t i = 0; small && i < graph.tensor_count && total <= MAX_RUN_BYTES; i++) {
		size_t bytes = vrs_tensor_elements(&graph.tensors[i]) * vrs_dtype_size(graph.tensors[i].dtype);

		total += bytes < MAX_RUN_BYTES ? bytes : MAX_RUN_BYTES + 1;
	}
	for (int32_t i = 0; small && i < graph.node_count && steps <= MAX_RUN_WORK; i++)
		steps += graph.nodes[i].dead ? 0 : network_work(&graph, &graph.nodes[i]);
	vrs_graph_fini(&graph);
	return small && total <= MAX_RUN_BYTES && steps <= MAX_RUN_WORK;
}

static void fill(struct vrs_tensor_view view, unsigned seed, bool wild)
{
	network_fill(view.raw, view.dtype, view.elements, seed, wild);
}

static int inputs_of(const struct vrs_model *model)
{
	return vrs_model_info(model).inputs;
}

/* A session that has run once; NULL: refused. */
static struct vrs_session *run(const struct vrs_model *model, const struct vrs_session_options *options, bool wild)
{
	struct vrs_session *session = NULL;
	struct vrs_error err = {0};

	if (vrs_session_create(&session, model, options, &err) != VRS_OK) {
		require(err.text[0] != '\0');
		return NULL;
	}
	for (int i = 0; i < inputs_of(model); i++)
		fill(vrs_session_input(session, i), NETWORK_SEED + (unsigned)i, wild);
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

/* Do the values lie within the limit of each other, or are they the same infinity or no number both? */
static void expect_near(struct vrs_session *want, struct vrs_session *got, const struct vrs_model *model, float limit)
{
	for (int i = 0; i < vrs_model_info(model).outputs; i++) {
		struct vrs_tensor_view x = vrs_session_output(want, i), y = vrs_session_output(got, i);

		require(x.elements == y.elements && x.dtype == y.dtype);
		for (size_t k = 0; x.dtype == VRS_F32 && k < x.elements; k++)
			require(fabsf(x.data[k] - y.data[k]) <= limit || x.data[k] == y.data[k] || (isnan(x.data[k]) && isnan(y.data[k])));
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

static void run_8_bits(const struct vrs_model *model, struct vrs_session_options options, bool wild)
{
	struct vrs_calibration_settings settings = vrs_calibration_settings_default();
	struct vrs_calibrator *calibrator = NULL;
	struct vrs_calibration *calibration = NULL;

	settings.method = wild ? VRS_RANGE_MINMAX : VRS_RANGE_MSE;
	if (vrs_calibrator_create(&calibrator, model, &options, NULL) != VRS_OK)
		return;
	for (int i = 0; i < inputs_of(model); i++)
		fill(vrs_calibrator_input(calibrator, i), (unsigned)i + 3, wild);
	require(vrs_calibrator_add(calibrator, NULL) == VRS_OK);
	require(vrs_calibrator_finish(calibrator, &settings, &calibration, NULL) == VRS_OK);
	options.calibration = calibration;
	for (options.precision = VRS_PRECISION_INT8; options.precision <= VRS_PRECISION_MIXED; options.precision++) {
		run_threads(model, options, 3, wild);
		run_kept(model, options, wild);
	}
	vrs_calibration_destroy(calibration);
	vrs_calibrator_destroy(calibrator);
}

static void use(const struct vrs_model *model, int batch, int height, int width, bool tame, bool wild)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_session *ref, *plain;
	float limit = 0;

	options.batch = batch;
	options.input_height = height;
	options.input_width = width;
	if (!is_small(model, &options))
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
	run_8_bits(model, options, wild);
}

static struct vrs_model *model_of(const uint8_t *data, size_t size, bool *ret_wild)
{
	struct vrs_model *model = NULL;
	struct vrs_graph graph;

	*ret_wild = false;
	if (size == 0 || data[0] != 'R')
		return vrs_model_load_memory(&model, data, size, "fuzz", NULL) == VRS_OK ? model : NULL;
	if (recipe_build(&graph, data + 1, size - 1, ret_wild))
		require(vrs_model_from_graph(&model, &graph, "recipe", NULL) == VRS_OK);
	vrs_graph_fini(&graph);
	return model;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool wild, recipe = size > 0 && data[0] == 'R';
	struct vrs_model *model = model_of(data, size, &wild);
	int64_t batch;

	if (model == NULL)
		return 0;
	batch = inputs_of(model) > 0 && recipe ? vrs_model_graph(model)->tensors[vrs_model_graph(model)->inputs[0]].dims[0] : 1;
	use(model, batch > 0 ? (int)batch : 1, 0, 0, recipe && !wild, wild);
	if (!recipe)
		use(model, 2, 9, 7, false, false);
	vrs_model_destroy(model);
	return 0;
}
