/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calibration files of a network: no input harms, a refusal is a sentence, and with what is taken a session of int8 or mixed runs or is refused.
 * Bytes that do not begin with a brace follow upon the start of a file that belongs to the network here, so that what comes behind is reached.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <vrseg/calibration.h>

#include "base/mem.h"
#include "graph/model_graph.h"
#include "graph/quant.h"
#include "network_recipe.h"
#include "require.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_BYTES 65536

/* Convolutions of all kinds and what stands between them. */
static struct vrs_model *make_model(void)
{
	static const uint8_t bytes[] = "\0\0\5\5\2\0\0\1\3\0\0\1\0\0\1\0\0\3\0\0\1\0\0\0\2\1\7\0\0\0\5\1\0\0\0\0\1\5\0\0\1\0\7\0\0\6\1\4\4\0\0\0\0\4\0\0";
	struct vrs_model *model = NULL;
	struct vrs_graph graph;
	bool wild;

	require(recipe_build(&graph, bytes, sizeof bytes, &wild) && vrs_model_from_graph(&model, &graph, "recipe", NULL) == VRS_OK);
	vrs_graph_fini(&graph);
	return model;
}

/* The structure that a calibration of the network names; without a calibration nobody tells it. */
static uint64_t structure_of(const struct vrs_model *model, const struct vrs_session_options *options)
{
	struct vrs_calibration_settings settings = vrs_calibration_settings_default();
	struct vrs_calibrator *calibrator = NULL;
	struct vrs_calibration *calibration = NULL;
	uint64_t structure;

	settings.find_mixed = false;
	require(vrs_calibrator_create(&calibrator, model, options, NULL) == VRS_OK && vrs_calibrator_add(calibrator, NULL) == VRS_OK);
	require(vrs_calibrator_finish(calibrator, &settings, &calibration, NULL) == VRS_OK);
	structure = calibration->structure;
	vrs_calibration_destroy(calibration);
	vrs_calibrator_destroy(calibrator);
	return structure;
}

static void run(const struct vrs_model *model, struct vrs_session_options options)
{
	for (options.precision = VRS_PRECISION_INT8; options.precision <= VRS_PRECISION_MIXED; options.precision++) {
		struct vrs_session *session = NULL;
		struct vrs_error err = {0};

		if (vrs_session_create(&session, model, &options, &err) == VRS_OK)
			require(vrs_session_run(session, &err) == VRS_OK);
		else
			require(err.text[0] != '\0');
		vrs_session_destroy(session);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char text[MAX_BYTES + 200], path[256];
	struct vrs_session_options options = vrs_session_options_default();
	static struct vrs_model *model; /* with its structure: made once, since that takes longer than all else */
	static uint64_t structure;
	struct vrs_calibration *calibration = NULL;
	struct vrs_error err = {0};
	size_t start = 0;

	options.threads = 1;
	if (model == NULL) {
		model = make_model();
		structure = structure_of(model, &options);
	}
	if (size > 0 && size <= MAX_BYTES && data[0] != '{')
		start = (size_t)snprintf(text, sizeof text, "{\"format\":\"vrseg-calibration\",\"version\":1,\"model_hash\":\"%016" PRIx64 "\",\"structure\":\"%016"
					 PRIx64 "\",", vrs_model_info(model).hash, structure);
	if (size <= MAX_BYTES) {
		memcpy(text + start, data, size);
		scratch_write(scratch_path(path, sizeof path, "calibration.json"), text, start + size);
		if (vrs_calibration_load(&calibration, path, model, &err) == VRS_OK) {
			require(vrs_calibration_info(calibration).samples > 0);
			options.calibration = calibration;
			run(model, options);
		} else {
			require(calibration == NULL && err.text[0] != '\0');
		}
		vrs_calibration_destroy(calibration);
	}
	return 0;
}
