/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards which outputs of a network count as asked for: those that the manifest names, and all when it names one that is not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <vrseg/config.h>

static struct vrs_model *load(void)
{
	struct vrs_model *model;
	struct vrs_error err = {0};

	/* outputs fgr, pha, r1o, r2o, r3o, r4o */
	if (vrs_model_load(&model, VRS_SOURCE_DIR "/configs/models/example_matting.onnx", &err) != VRS_OK)
		fail_msg("%s", err.text);
	return model;
}

static void what_a_manifest_names_is_wanted(void **state)
{
	struct vrs_manifest manifest = {.output_name = "pha", .state_count = 2, .states = {{"r1i", "r1o"}, {"r4i", "r4o"}}};
	struct vrs_model *model = load();

	(void)state;
	assert_int_equal(vrs_model_info(model).outputs, 6);
	assert_int_equal(vrs_model_wanted_outputs(model, &manifest), 1 << 1 | 1 << 2 | 1 << 5);
	manifest.detection_count = 1;
	manifest.detections[0][0] = 'r';
	manifest.detections[0][1] = '3';
	manifest.detections[0][2] = 'o';
	assert_int_equal(vrs_model_wanted_outputs(model, &manifest), 1 << 1 | 1 << 2 | 1 << 4 | 1 << 5);
	manifest.output_name[0] = '\0'; /* the first */
	assert_int_equal(vrs_model_wanted_outputs(model, &manifest), 1 << 0 | 1 << 2 | 1 << 4 | 1 << 5);
	vrs_model_destroy(model);
}

static void an_unknown_name_leaves_all(void **state)
{
	static const struct vrs_manifest manifests[] = {
		{.output_name = "alpha"},
		{.output_name = "pha", .state_count = 1, .states = {{"r1i", "r9o"}}},
		{.output_name = "pha", .detection_count = 1, .detections = {"boxes"}},
	};
	struct vrs_model *model = load();

	(void)state;
	for (size_t i = 0; i < sizeof manifests / sizeof *manifests; i++)
		assert_int_equal(vrs_model_wanted_outputs(model, &manifests[i]), 0);
	vrs_model_destroy(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_manifest_names_is_wanted),
		cmocka_unit_test(an_unknown_name_leaves_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
