/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards model manifests: the files in configs/models are complete, bare network files get usual values, mistakes name file and line; lack of memory
 * never makes auto another network.
 */
#include "config_check.h"

#include "base/file.h"
#include "base/mem.h"

static void selfie_networks_are_described(void **state)
{
	struct vrs_manifest m;
	struct vrs_error err = {0};

	(void)state;
	if (vrs_manifest_load(&m, "selfie_segmentation", &err) != VRS_OK)
		fail_msg("%s", err.text);
	assert_string_equal(m.name, "selfie_segmentation");
	assert_string_equal(vrs_path_base(m.file), "selfie_segmentation.tflite");
	assert_string_equal(m.licence, "Apache-2.0");
	assert_string_equal(m.sha256, "8d13b7fae74af625c641226813616a2117bd6bca19eb3b75574621fc08557f27");
	assert_int_equal(m.input_width, 256);
	assert_int_equal(m.input_height, 256);
	assert_int_equal(m.size_multiple, 16);
	assert_int_equal(m.output_kind, VRS_OUTPUT_PROBABILITY);
	assert_false(m.bgr);
	for (int i = 0; i < 3; i++) {
		assert_true(m.mean[i] >= 0 && m.mean[i] <= 0);
		assert_true(m.scale[i] >= 1 && m.scale[i] <= 1);
	}
	assert_int_equal(vrs_manifest_load(&m, "selfie_segmentation_landscape", &err), VRS_OK);
	assert_int_equal(m.input_width, 256);
	assert_int_equal(m.input_height, 144);
	assert_string_equal(m.sha256, "4aafe6223bb8dac6fac8ca8ed56852870a33051ef3f6238822d282a109962894");
}

static void robust_video_matting_is_described(void **state)
{
	struct vrs_manifest m;
	struct vrs_error err = {0};

	(void)state;
	if (vrs_manifest_load(&m, "rvm_mobilenetv3", &err) != VRS_OK)
		fail_msg("%s", err.text);
	assert_string_equal(vrs_path_base(m.file), "rvm_mobilenetv3_fp32.onnx");
	assert_string_equal(m.licence, "GPL-3.0");
	assert_string_equal(m.sha256, "88d4531297118f595bf2fd60f6f566aec2e559393802d1f436c380f0cbbd2828");
	assert_int_equal(m.output_kind, VRS_OUTPUT_ALPHA_FOREGROUND);
	assert_string_equal(m.output_name, "pha");
	assert_int_equal(m.state_count, 4);
	assert_int_equal(m.constant_count, 1);
	assert_string_equal(m.constants[0].name, "downsample_ratio");
	assert_true(m.constants[0].values[0] >= 1 && m.constants[0].values[0] <= 1);
}

static void every_manifest_of_the_data_folders_loads(void **state)
{
	char **names = NULL;
	int n = 0;

	(void)state;
	assert_int_equal(vrs_data_names("models", &names, NULL), VRS_OK);
	for (; names[n]; n++) {
		struct vrs_manifest m;
		struct vrs_error err = {0};

		if (n)
			assert_true(strcmp(names[n - 1], names[n]) < 0);
		if (vrs_manifest_load(&m, names[n], &err) != VRS_OK)
			fail_msg("%s: %s", names[n], err.text);
		assert_string_equal(m.name, names[n]);
	}
	assert_true(n >= 2);
	vrs_data_names_free(names);
	vrs_data_names_free(NULL);
}

/* Write text to a scratch file and load it as a manifest. */
static enum vrs_status load_text(const char *text, struct vrs_manifest *m, struct vrs_error *err)
{
	static const char path[] = "test_manifest_scratch.yaml";
	enum vrs_status status;

	assert_int_equal(vrs_file_replace(path, text, strlen(text), NULL), VRS_OK);
	memset(err, 0, sizeof *err);
	status = vrs_manifest_load(m, path, err);
	assert_int_equal(remove(path), 0);
	return status;
}

#define HEAD "file: /x/net.onnx\nlicence: MIT\nsource: here\n"

static void all_keys_arrive(void **state)
{
	struct vrs_manifest m;
	struct vrs_error err = {0};

	(void)state;
	assert_int_equal(load_text(HEAD "input: {size: 320x192, size_multiple: 32, bgr: yes, mean: [0.5, 0.25, 0], scale: 2}\noutput: {kind: logits}\n",
				   &m, &err), VRS_OK);
	assert_string_equal(m.name, "test_manifest_scratch");
	assert_string_equal(m.file, "/x/net.onnx");
	assert_int_equal(m.input_width, 320);
	assert_int_equal(m.input_height, 192);
	assert_int_equal(m.size_multiple, 32);
	assert_int_equal(m.vr_size[0][0] + m.vr_size[1][1] + m.flat_size[0][0] + m.flat_size[1][1], 0);
	assert_true(m.bgr);
	assert_true(m.mean[1] > 0.24f && m.mean[1] < 0.26f);
	assert_true(m.scale[2] > 1.9f && m.scale[2] < 2.1f);
	assert_int_equal(m.output_kind, VRS_OUTPUT_LOGITS);
	assert_string_equal(m.sha256, "");
}

static void sizes_for_vr_and_for_flat_pictures_are_normal_and_large(void **state)
{
	struct vrs_manifest m;
	struct vrs_error err = {0};

	(void)state;
	assert_int_equal(load_text(HEAD "input: {size: 320x192, vr_size: [[224, 400], 288x512]}\noutput: {kind: logits}\n", &m, &err), VRS_OK);
	assert_int_equal(m.vr_size[VRS_AUTO_SIZE_NORMAL][0], 224);
	assert_int_equal(m.vr_size[VRS_AUTO_SIZE_NORMAL][1], 400);
	assert_int_equal(m.vr_size[VRS_AUTO_SIZE_LARGE][0], 288);
	assert_int_equal(m.vr_size[VRS_AUTO_SIZE_LARGE][1], 512);
	assert_int_equal(m.flat_size[0][0] + m.flat_size[1][1], 0);
	assert_int_equal(m.input_width, 320);
	assert_int_equal(load_text(HEAD "input: {size: 320x192, flat_size: [9000x1, 8x8]}\noutput: {kind: logits}\n", &m, &err), VRS_ECONFIG);
	assert_string_equal(err.text, "input.flat_size: \"9000x1\" is not a size; write [[width, height], ...]");
	assert_int_equal(load_text(HEAD "input: {size: 320x192, flat_size: [64x64]}\noutput: {kind: logits}\n", &m, &err), VRS_ECONFIG);
	assert_string_equal(err.text, "input.flat_size: two sizes are expected, a normal and a large one");
}

static void sizes_that_a_network_was_trained_for_are_known(void **state)
{
	struct vrs_manifest m;
	struct vrs_error err = {0};

	(void)state;
	assert_int_equal(load_text(HEAD "input: {size: 320x192}\noutput: {kind: logits}\n", &m, &err), VRS_OK);
	assert_int_equal(m.trained_count, 0);
	assert_true(vrs_manifest_is_trained(&m, (int[]){1024, 1024}));
	assert_int_equal(load_text(HEAD "trained_sizes: [[320, 192], 256x256]\ninput: {size: 320x192}\noutput: {kind: logits}\n", &m, &err), VRS_OK);
	assert_int_equal(m.trained_count, 2);
	assert_true(vrs_manifest_is_trained(&m, (int[]){320, 192}));
	assert_true(vrs_manifest_is_trained(&m, (int[]){256, 256}));
	assert_true(vrs_manifest_is_trained(&m, (int[]){0, 0}));
	assert_false(vrs_manifest_is_trained(&m, (int[]){192, 320}));
	assert_int_equal(load_text(HEAD "trained_sizes: [320, 192]\ninput: {size: 320x192}\noutput: {kind: logits}\n", &m, &err), VRS_ECONFIG);
	assert_string_equal(err.text, "trained_sizes: \"320\" is not a size; write [[width, height], ...]");
}

/* The shipped networks are small ones of one size each: 1024x1024 takes the default from an IoU of 0.978 to 0.349. */
static void shipped_networks_tell_their_sizes(void **state)
{
	static const char *const names[] = {"selfie_segmentation", "selfie_segmentation_landscape"};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct vrs_manifest m;

		assert_int_equal(vrs_manifest_load(&m, names[i], NULL), VRS_OK);
		assert_true(vrs_manifest_is_trained(&m, (int[]){0, 0}));
		assert_false(vrs_manifest_is_trained(&m, (int[]){512, 512}));
		assert_false(vrs_manifest_is_trained(&m, (int[]){1024, 1024}));
	}
}

static void heads_are_described(void **state)
{
	struct vrs_manifest m;
	struct vrs_error err = {0};

	(void)state;
	assert_int_equal(load_text(HEAD "input: {size: 512x288, name: src}\noutput: {kind: alpha_foreground, name: fgr_pha, channel: 3}\n"
				   "states: [r1i > r1o, r2i>r2o]\n", &m, &err), VRS_OK);
	assert_string_equal(m.input_name, "src");
	assert_string_equal(m.output_name, "fgr_pha");
	assert_int_equal(m.output_kind, VRS_OUTPUT_ALPHA_FOREGROUND);
	assert_int_equal(m.output_channel, 3);
	assert_int_equal(m.state_count, 2);
	assert_string_equal(m.states[0].in, "r1i");
	assert_string_equal(m.states[1].in, "r2i");
	assert_string_equal(m.states[1].out, "r2o");
	assert_int_equal(load_text(HEAD "input.size: 640x640\noutput: {kind: prototypes, name: proto, detections: [head3, head4], classes: 80,"
				   " threshold: 0.5}\n", &m, &err), VRS_OK);
	assert_int_equal(m.output_kind, VRS_OUTPUT_PROTOTYPES);
	assert_int_equal(m.output_channel, -1);
	assert_int_equal(m.detection_count, 2);
	assert_string_equal(m.detections[1], "head4");
	assert_int_equal(m.classes, 80);
	assert_int_equal(m.person_class, 0);
	assert_true(m.threshold > 0.49f && m.threshold < 0.51f);
}

static void constants_arrive(void **state)
{
	struct vrs_manifest m;
	struct vrs_error err = {0};

	(void)state;
	assert_int_equal(load_text(HEAD "input: {size: 512x288, constants: {downsample_ratio: 0.25, window: [1, -2e3]}}\noutput: {kind: probability}\n", &m,
				   &err), VRS_OK);
	assert_int_equal(m.constant_count, 2);
	assert_string_equal(m.constants[0].name, "downsample_ratio");
	assert_int_equal(m.constants[0].count, 1);
	assert_true(m.constants[0].values[0] > 0.24 && m.constants[0].values[0] < 0.26);
	assert_string_equal(m.constants[1].name, "window");
	assert_int_equal(m.constants[1].count, 2);
	assert_true(m.constants[1].values[1] < -1999 && m.constants[1].values[1] > -2001);
}

static void mistakes_have_a_place(void **state)
{
	static const struct {
		const char *text;
		int line;
		const char *message;
	} cases[] = {
		{"file: a\n", 0, "the key licence is missing"},
		{HEAD "input.size: 256x256\n", 0, "the key output.kind is missing"},
		{HEAD "input.size: big\n", 4, "input.size: \"big\" is not a size; write [width, height] within 1 to 8192"},
		{HEAD "input.size: [0, 16]\n", 4, "input.size: \"[0, 16]\" is not a size; write [width, height] within 1 to 8192"},
		{HEAD "input:\n  mean: [1, 2]\n", 5, "input.mean: three numbers are expected, or one for all channels"},
		{HEAD "input:\n  mean: [1, 2, x]\n", 5, "input.mean: \"x\" is not a number from -1000 to 1000"},
		{HEAD "input:\n  bgr: 2\n", 5, "input.bgr: \"2\" is neither true nor false"},
		{HEAD "input:\n  size_multiple: -1\n", 5, "input.size_multiple: \"-1\" is not a whole number from 0 to 1024"},
		{HEAD "output:\n  kind: softmax\n", 5, "output.kind: \"softmax\" is not one of probability, logits, softmax2, alpha_foreground, prototypes"},
		{HEAD "output:\n  kid: logits\n", 5, "unknown key \"output.kid\" in a model manifest; did you mean \"output.kind\"?"},
		{HEAD "zzzzzzzzzz: 1\n", 4, "unknown key \"zzzzzzzzzz\" in a model manifest"},
		{HEAD "sha256: abc\ninput.size: 16x16\noutput.kind: logits\n", 4, "sha256: 64 lower-case hexadecimal digits are expected"},
		{HEAD "output.channel: x\n", 4, "output.channel: \"x\" is not a whole number from 0 to 65535"},
		{HEAD "states: [a, b > c]\n", 4, "states: \"a\" is not a pair \"INPUT > OUTPUT\""},
		{HEAD "states: []\n", 4, "states: 1 to 8 pairs are expected"},
		{HEAD "output.detections: [a, b, c, d, e]\n", 4, "output.detections: 1 to 4 names are expected"},
		{HEAD "output.threshold: 2\n", 4, "output.threshold: \"2\" is not a number from 0 to 1"},
		{HEAD "input.size: 16x16\noutput: {kind: logits, classes: 3}\n", 5,
		  "output.classes: only networks with \"output.kind: prototypes\" have it"},
		{HEAD "input.size: 16x16\noutput: {kind: prototypes, classes: 3}\n", 0,
		  "the key output.detections is missing; \"output.kind: prototypes\" needs it"},
		{HEAD "input.size: 16x16\noutput: {kind: prototypes, detections: a, classes: 3, person_class: 3}\n", 5,
		  "output.person_class: there are classes 0 to 2"},
		{HEAD "name:\n", 4, "name: the value is missing"},
		{HEAD "input.constants: ratio\n", 4, "input.constants: a value for each name is expected, as in {downsample_ratio: 0.25}"},
		{HEAD "input:\n  constants: {ratio: half}\n", 5, "input.constants.ratio: \"half\" is not a number"},
		{HEAD "input:\n  constants: {ratio: [1, nan]}\n", 5, "input.constants.ratio: \"nan\" is not a number"},
		{HEAD "input:\n  constants: {ratio: []}\n", 5, "input.constants.ratio: 1 to 16 numbers are expected"},
		{HEAD "name: 0123456789012345678901234567890123456789012345678901234567890123\n", 4, "name: the text is longer than 63 bytes"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct vrs_manifest m;
		struct vrs_error err = {0};

		assert_int_equal(load_text(cases[i].text, &m, &err), VRS_ECONFIG);
		assert_string_equal(err.text, cases[i].message);
		assert_int_equal(err.line, cases[i].line);
		assert_string_equal(err.file, "test_manifest_scratch.yaml");
	}
}

static void network_files_need_no_manifest(void **state)
{
	struct vrs_manifest m;
	struct vrs_error err = {0};

	(void)state;
	assert_int_equal(vrs_file_replace("test_manifest.net.tflite", "x", 1, NULL), VRS_OK);
	assert_int_equal(vrs_manifest_load(&m, "test_manifest.net.tflite", &err), VRS_OK);
	assert_string_equal(m.name, "test_manifest.net");
	assert_string_equal(m.file, "test_manifest.net.tflite");
	assert_int_equal(m.input_width, 0);
	assert_int_equal(m.size_multiple, 1);
	assert_int_equal(remove("test_manifest.net.tflite"), 0);
	assert_int_equal(vrs_manifest_load(&m, "test_manifest.net.tflite", &err), VRS_ENOTFOUND);
	assert_string_equal(err.text, "cannot find the network file test_manifest.net.tflite");
}

static void unknown_names_have_a_suggestion(void **state)
{
	struct vrs_manifest m;
	struct vrs_error err = {0};

	(void)state;
	assert_int_equal(vrs_manifest_load(&m, "selfie_segmentaton", &err), VRS_ECONFIG);
	assert_string_equal(err.text, "there is no model \"selfie_segmentaton\"; did you mean \"selfie_segmentation\"?");
	assert_int_equal(vrs_manifest_load(&m, "qqqqqqqqqq", &err), VRS_ECONFIG);
	assert_string_equal(err.text, "there is no model \"qqqqqqqqqq\"; --list-models shows all");
	assert_int_equal(vrs_manifest_load(&m, "", &err), VRS_ECONFIG);
	assert_int_equal(vrs_manifest_load(&m, "no/such/file.yaml", &err), VRS_ENOTFOUND);
}

/* Another network would have other mattes. */
static void auto_is_no_other_network_for_lack_of_memory(void **state)
{
	struct vrs_manifest m;
	bool fired = true;

	(void)state;
	for (uint64_t n = 1; fired; n++) {
		vrs_mem_fail_after(n, false);
		enum vrs_status status = vrs_manifest_load(&m, VRS_MODEL_AUTO, NULL);
		fired = vrs_mem_fault_fired();
		vrs_mem_fail_after(0, false);
		assert_int_equal(status, fired ? VRS_ENOMEM : VRS_OK);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(selfie_networks_are_described),
		cmocka_unit_test(robust_video_matting_is_described),
		cmocka_unit_test(every_manifest_of_the_data_folders_loads),
		cmocka_unit_test(all_keys_arrive),
		cmocka_unit_test(sizes_for_vr_and_for_flat_pictures_are_normal_and_large),
		cmocka_unit_test(sizes_that_a_network_was_trained_for_are_known),
		cmocka_unit_test(shipped_networks_tell_their_sizes),
		cmocka_unit_test(heads_are_described),
		cmocka_unit_test(constants_arrive),
		cmocka_unit_test(mistakes_have_a_place),
		cmocka_unit_test(network_files_need_no_manifest),
		cmocka_unit_test(unknown_names_have_a_suggestion),
		cmocka_unit_test(auto_is_no_other_network_for_lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
