/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: every file under tests/files/tflite loads or is refused for its reason; truncated and bit-flipped files, small ones at every byte and
 * the real network at many, give a status and a sentence, never a crash, a leak or a huge allocation; the real network has the figures and
 * sizes that are known of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <vrseg/model.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"
#include "graph/model_graph.h"

static const char *const good[] = {
	"good-conv", "good-depthwise", "good-transpose-conv", "good-resize-bilinear", "good-resize-nearest", "good-pool", "good-elementwise",
	"good-shape", "good-dense", "good-custom-deconv",
};

static const struct {
	const char *name;
	enum vrs_status status;
	const char *words[3];
} refused[] = {
	{"unsupported-operators", VRS_EUNSUPPORTED, {"FLOOR (node 0)", "MaxPoolingWithArgmax2D (node 1)", "EXP (node 3)"}},
	{"unsupported-int8", VRS_EUNSUPPORTED, {"int8"}},
	{"unsupported-beta", VRS_EUNSUPPORTED, {"operator 0 (SOFTMAX) at byte", "beta is 2"}},
	{"unsupported-mean-axis", VRS_EUNSUPPORTED, {"operator 0 (MEAN)", "height and width"}},
	{"bad-shape", VRS_EFORMAT, {"operator 0 (CONV_2D) at byte", "another shape"}},
	{"bad-short-weights", VRS_EFORMAT, {"at byte", "constant weights has 288 bytes, its shape needs 432"}},
	{"bad-order", VRS_EFORMAT, {"operator 0 (ADD) at byte", "(never) is not computed"}},
	{"bad-output", VRS_EFORMAT, {"at byte", "output 0 is never computed"}},
	{"bad-pad", VRS_EFORMAT, {"operator 0 (PAD) at byte", "padding -3 is negative"}},
	{"bad-stride", VRS_EFORMAT, {"operator 0 (CONV_2D) at byte", "stride"}},
	{"bad-root", VRS_EFORMAT, {"damaged at byte"}},
	{"bad-truncated", VRS_EFORMAT, {"damaged at byte"}},
	{"bad-magic", VRS_EFORMAT, {"damaged at byte 4 of 21"}},
};

static const char *file_path(const char *name)
{
	static char path[1024];

	snprintf(path, sizeof path, "%s/files/tflite/%s.tflite", VRS_TEST_DIR, name);
	return path;
}

/* The real network; false: not installed. */
static bool real_path(const char *name, char *path, size_t size)
{
	return vrs_data_file(name, path, size, NULL) == VRS_OK;
}

static void test_good_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct vrs_model *model = NULL;
		struct vrs_error err = {0};

		if (vrs_model_load(&model, file_path(good[i]), &err) != VRS_OK)
			fail_msg("%s", err.text);
		assert_string_equal(vrs_model_info(model).format, "tflite");
		assert_int_equal(vrs_graph_validate(vrs_model_graph(model), &err), VRS_OK);
		vrs_model_destroy(model);
	}
}

static void test_refused_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		struct vrs_model *model = NULL;
		struct vrs_error err = {0};

		assert_int_equal(vrs_model_load(&model, file_path(refused[i].name), &err), refused[i].status);
		assert_null(model);
		if (strstr(err.text, refused[i].name) == NULL)
			fail_msg("\"%s\" does not name the file", err.text);
		for (int k = 0; k < 3 && refused[i].words[k] != NULL; k++)
			if (strstr(err.text, refused[i].words[k]) == NULL)
				fail_msg("\"%s\" does not say \"%s\"", err.text, refused[i].words[k]);
	}
	assert_int_equal(vrs_model_load(&(struct vrs_model *){NULL}, "/nonexistent/x.tflite", NULL), VRS_ENOTFOUND);
}

/* The bytes that are parsed are those whose SHA-256 is compared. */
static void only_the_known_file(void **state)
{
	struct vrs_model *model;
	struct vrs_error err = {0};
	char sha256[65];

	(void)state;
	assert_int_equal(vrs_file_sha256(file_path(good[0]), sha256, NULL), VRS_OK);
	assert_int_equal(vrs_model_load_known(&model, file_path(good[0]), sha256, NULL), VRS_OK);
	vrs_model_destroy(model);
	sha256[0] = sha256[0] == '0' ? '1' : '0';
	assert_int_equal(vrs_model_load_known(&model, file_path(good[0]), sha256, &err), VRS_EFORMAT);
	assert_non_null(strstr(err.text, "is not the file that its manifest names"));
}

/* Load damaged bytes: a status, a sentence on failure, memory given back. */
static void load_damaged(const char *bytes, size_t size)
{
	uint64_t live = vrs_mem_stats().live_bytes;
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	enum vrs_status status = vrs_model_load_memory(&model, bytes, size, "damaged", &err);

	if (status == VRS_OK)
		vrs_model_destroy(model);
	else if (model != NULL || err.text[0] == '\0' || (status != VRS_EFORMAT && status != VRS_EUNSUPPORTED && status != VRS_ELIMIT))
		fail_msg("status %s, \"%s\"", vrs_status_name(status), err.text);
	assert_int_equal(vrs_mem_stats().live_bytes, live);
}

/* A copy of exactly size bytes, so that AddressSanitizer sees a read beyond it. */
static void load_prefix(const char *bytes, size_t size)
{
	char *copy = vrs_alloc(size);

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	load_damaged(copy, size);
	vrs_free(copy);
}

static void read_file(const char *path, struct vrs_buf *buf)
{
	struct vrs_error err = {0};

	if (vrs_file_read(path, 1 << 20, buf, &err) != VRS_OK)
		fail_msg("%s", err.text);
}

static void test_damaged_small_files(void **state)
{
	static const uint8_t masks[] = {0x01, 0x04, 0x80, 0xff};

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct vrs_buf buf;

		read_file(file_path(good[i]), &buf);
		for (size_t n = 0; n < buf.len; n++) {
			load_prefix(buf.data, n);
			for (size_t k = 0; k < sizeof masks; k++) {
				buf.data[n] = (char)(buf.data[n] ^ masks[k]);
				load_damaged(buf.data, buf.len);
				buf.data[n] = (char)(buf.data[n] ^ masks[k]);
			}
		}
		vrs_buf_fini(&buf);
	}
	assert_true(vrs_mem_stats().peak_bytes < 16u << 20);
}

static void test_damaged_network(void **state)
{
	char path[1024];
	struct vrs_buf buf;
	struct vrs_rng rng;

	(void)state;
	if (!real_path("models/selfie_segmentation.tflite", path, sizeof path))
		skip();
	read_file(path, &buf);
	vrs_rng_init(&rng, 3);
	for (size_t n = 0; n < buf.len; n += n < 64 ? 1 : 1 + vrs_rng_below(&rng, 1999))
		load_prefix(buf.data, n);
	/* Tables lie at both ends of the file, weights between: most flips go to the tables. */
	for (int i = 0; i < 1500; i++) {
		size_t span = i % 4 == 0 ? buf.len : 40000;
		size_t at = vrs_rng_below(&rng, span), place = i % 2 == 0 ? at : buf.len - 1 - at;
		char old = buf.data[place];

		buf.data[place] = (char)(old ^ (char)(1 + vrs_rng_below(&rng, 255)));
		load_damaged(buf.data, buf.len);
		buf.data[place] = old;
	}
	/* The file, its weights widened, and the tables; nothing of the size that a damaged count claims. */
	assert_true(vrs_mem_stats().peak_bytes < 32u << 20);
	vrs_buf_fini(&buf);
}

/* Multiply-adds of one input at width x height; 0 when the size is impossible. */
static uint64_t macs_of(const struct vrs_model *model, int width, int height)
{
	struct vrs_graph graph;
	uint64_t total = 0;

	assert_int_equal(vrs_graph_copy(&graph, vrs_model_graph(model)), VRS_OK);
	if (vrs_graph_set_input(&graph, 1, height, width, NULL) == VRS_OK)
		for (int32_t i = 0; i < graph.node_count; i++)
			total += vrs_node_macs(&graph, &graph.nodes[i]);
	vrs_graph_fini(&graph);
	return total;
}

static void test_network_figures(void **state)
{
	static const struct {
		const char *name;
		int width, height;
		uint64_t macs;
	} networks[] = {
		{"models/selfie_segmentation.tflite", 256, 256, 59215744},
		{"models/selfie_segmentation_landscape.tflite", 256, 144, 33324928},
	};
	char path[1024];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct vrs_model *model = NULL;
		struct vrs_error err = {0};
		struct vrs_model_info info;

		if (!real_path(networks[i].name, path, sizeof path))
			skip();
		if (vrs_model_load(&model, path, &err) != VRS_OK)
			fail_msg("%s", err.text);
		info = vrs_model_info(model);
		assert_int_equal(info.nodes, 136);
		assert_int_equal(info.parameters, 106401);
		assert_int_equal(info.inputs, 1);
		assert_int_equal(info.outputs, 1);
		assert_int_equal(info.input_width, networks[i].width);
		assert_int_equal(info.input_height, networks[i].height);
		assert_int_equal(info.input_channels, 3);
		assert_int_equal(macs_of(model, networks[i].width, networks[i].height), networks[i].macs);
		for (int size = 16; size <= 1024; size += 16) /* any multiple of 16, also not square */
			assert_true(macs_of(model, size, 1040 - size) > 0);
		assert_int_equal(macs_of(model, 250, 250), 0);
		vrs_model_destroy(model);
	}
}

/* A size that does not fit gives a sentence that names the node. */
static void test_impossible_size(void **state)
{
	char path[1024];
	struct vrs_model *model = NULL;
	struct vrs_graph graph;
	struct vrs_error err = {0};

	(void)state;
	if (!real_path("models/selfie_segmentation.tflite", path, sizeof path))
		skip();
	assert_int_equal(vrs_model_load(&model, path, &err), VRS_OK);
	assert_int_equal(vrs_graph_copy(&graph, vrs_model_graph(model)), VRS_OK);
	assert_int_equal(vrs_graph_set_input(&graph, 1, 250, 250, &err), VRS_EUNSUPPORTED);
	assert_non_null(strstr(err.text, "node "));
	assert_non_null(strstr(err.text, "does not fit the network"));
	/* The copy can be given a good size afterwards, with any batch. */
	assert_int_equal(vrs_graph_set_input(&graph, 3, 144, 272, &err), VRS_OK);
	assert_int_equal(graph.tensors[graph.outputs[0]].dims[0], 3);
	assert_int_equal(graph.tensors[graph.outputs[0]].dims[1], 144);
	assert_int_equal(graph.tensors[graph.outputs[0]].dims[2], 272);
	vrs_graph_fini(&graph);
	vrs_model_destroy(model);
}

static void test_out_of_memory(void **state)
{
	struct vrs_buf buf;

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		read_file(file_path(good[i]), &buf);
		for (uint64_t n = 1; n < 10000; n++) {
			uint64_t live = vrs_mem_stats().live_bytes;
			struct vrs_model *model = NULL;
			enum vrs_status status;
			bool fired;

			vrs_mem_fail_after(n, true);
			status = vrs_model_load_memory(&model, buf.data, buf.len, good[i], NULL);
			fired = vrs_mem_fault_fired();
			vrs_mem_fail_after(0, false);
			vrs_model_destroy(status == VRS_OK ? model : NULL);
			assert_int_equal(vrs_mem_stats().live_bytes, live);
			if (!fired) {
				assert_int_equal(status, VRS_OK);
				break;
			}
			assert_int_equal(status, VRS_ENOMEM);
		}
		vrs_buf_fini(&buf);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_known_file),
		cmocka_unit_test(test_good_files),      cmocka_unit_test(test_refused_files),  cmocka_unit_test(test_damaged_small_files),
		cmocka_unit_test(test_damaged_network), cmocka_unit_test(test_network_figures), cmocka_unit_test(test_impossible_size),
		cmocka_unit_test(test_out_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
