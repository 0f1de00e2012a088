/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards that an ONNX file that keeps its sequence before its batch, as attention is often exported, with a class token spread over the batch,
 * gives an image the same bits alone and in a batch, that the calibration of one image serves for more, and that a lack of
 * memory is told.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <vrseg/calibration.h>

#include "base/mem.h"
#include "base/rng.h"
#include "unit/graph/onnx_net.h"

enum { SIDE = 16, PIXELS = 3 * SIDE * SIDE, MATTE = 16, IMAGES = 3, WIDTH = 8, TOKENS = 16 };

#define INTS(...) (const int64_t[]){__VA_ARGS__}

static void ints(struct onnx_net *net, Onnx__NodeProto *node, const char *name, size_t count, const int64_t *values)
{
	Onnx__AttributeProto *attribute = net_attribute(net, node, name);
	attribute->has_type = 1;
	attribute->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS;
	attribute->n_ints = count;
	attribute->ints = net_alloc(net, count * sizeof *values);
	memcpy(attribute->ints, values, count * sizeof *values);
}

static void axis(struct onnx_net *net, Onnx__NodeProto *node, int64_t value)
{
	Onnx__AttributeProto *attribute = net_attribute(net, node, "axis");
	attribute->has_type = attribute->has_i = 1;
	attribute->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
	attribute->i = value;
}

static void weights(struct onnx_net *net, const char *name, int rank, const int64_t *dims)
{
	float values[512];
	size_t count = 1;
	struct vrs_rng rng;
	vrs_rng_init(&rng, (uint64_t)name[1]);
	for (int i = 0; i < rank; i++)
		count *= (size_t)dims[i];
	assert_true(count <= sizeof values / sizeof *values);
	for (size_t i = 0; i < count; i++)
		values[i] = (float)(vrs_rng_unit(&rng) - 0.5);
	net_initializer(net, name, ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, rank, dims, values, count * sizeof *values);
}

static void numbers(struct onnx_net *net, const char *name, int64_t count, const int64_t *values)
{
	net_initializer(net, name, ONNX__TENSOR_PROTO__DATA_TYPE__INT64, 1, &count, values, (size_t)count * sizeof *values);
}

static void transpose(struct onnx_net *net, const char *in, const char *out, const int64_t *perm)
{
	ints(net, net_node(net, "Transpose", in, out), "perm", 3, perm);
}

static void constants(struct onnx_net *net)
{
	weights(net, "wa", 4, INTS(WIDTH, 3, 4, 4));
	weights(net, "wq", 2, INTS(WIDTH, WIDTH));
	weights(net, "wk", 2, INTS(WIDTH, WIDTH));
	weights(net, "wo", 4, INTS(1, WIDTH, 1, 1));
	weights(net, "token", 3, INTS(1, 1, WIDTH));
	numbers(net, "zero", 1, INTS(0));
	numbers(net, "one", 1, INTS(1));
	numbers(net, "rest", 2, INTS(WIDTH, TOKENS));
	numbers(net, "width", 1, INTS(WIDTH));
	numbers(net, "map", 3, INTS(WIDTH, 4, 4));
	numbers(net, "all", 1, INTS(TOKENS + 1));
}

static void nodes(struct onnx_net *net)
{
	ints(net, net_node(net, "Conv", "x,wa", "patches"), "strides", 2, INTS(4, 4));
	net_node(net, "Shape", "x", "shape");
	net_node(net, "Gather", "shape,zero", "images");
	axis(net, net_node(net, "Concat", "images,rest", "rows"), 0);
	axis(net, net_node(net, "Concat", "one,images,width", "tokens_shape"), 0);
	axis(net, net_node(net, "Concat", "images,map", "map_shape"), 0);
	net_node(net, "Reshape", "patches,rows", "lines");
	transpose(net, "lines", "sequence", INTS(2, 0, 1));
	net_node(net, "Expand", "token,tokens_shape", "tokens");
	axis(net, net_node(net, "Concat", "tokens,sequence", "values"), 0);
	net_node(net, "MatMul", "values,wq", "q");
	net_node(net, "MatMul", "values,wk", "k");
	transpose(net, "q", "q_image", INTS(1, 0, 2));
	transpose(net, "k", "k_image", INTS(1, 2, 0));
	transpose(net, "values", "v_image", INTS(1, 0, 2));
	net_node(net, "MatMul", "q_image,k_image", "scores");
	axis(net, net_node(net, "Softmax", "scores", "parts"), -1);
	net_node(net, "MatMul", "parts,v_image", "mixed");
	transpose(net, "mixed", "mixed_sequence", INTS(1, 0, 2));
	net_node(net, "Add", "mixed_sequence,values", "sum");
	net_node(net, "Slice", "sum,one,all,zero", "body");
	transpose(net, "body", "body_lines", INTS(1, 2, 0));
	net_node(net, "Reshape", "body_lines,map_shape", "body_map");
	net_node(net, "Conv", "body_map,wo", "logits");
	net_node(net, "Sigmoid", "logits", "y");
}

static struct vrs_model *make_model(void)
{
	struct onnx_net net;
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	size_t size;
	net_init(&net, 13);
	net_value(&net, false, "x", ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, 4, INTS(-1, 3, SIDE, SIDE));
	constants(&net);
	nodes(&net);
	net_value(&net, true, "y", ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, 4, INTS(-1, 1, 4, 4));
	uint8_t *bytes = net_pack(&net, &size);
	if (vrs_model_load_memory(&model, bytes, size, "sequence", &err) != VRS_OK)
		fail_msg("%s", err.text);
	free(bytes); /* libc: see onnx_net.h */
	net_fini(&net);
	return model;
}

static void fill(float *values, int first, int images)
{
	struct vrs_rng rng;
	for (int i = 0; i < images; i++) {
		vrs_rng_init(&rng, (uint64_t)(first + i) + 1);
		for (int k = 0; k < PIXELS; k++)
			values[i * PIXELS + k] = (float)vrs_rng_unit(&rng);
	}
}

static void run(const struct vrs_model *model, struct vrs_session_options options, int first, int images, float *ret_mattes)
{
	struct vrs_session *session = NULL;
	struct vrs_error err = {0};
	options.batch = images;
	if (vrs_session_create(&session, model, &options, &err) != VRS_OK)
		fail_msg("%s", err.text);
	fill(vrs_session_input(session, 0).data, first, images);
	assert_int_equal(vrs_session_run(session, &err), VRS_OK);
	assert_int_equal(vrs_session_output(session, 0).elements, images * MATTE);
	memcpy(ret_mattes, vrs_session_output(session, 0).data, (size_t)images * MATTE * sizeof *ret_mattes);
	vrs_session_destroy(session);
}

static void check(const struct vrs_model *model, struct vrs_session_options options)
{
	float many[IMAGES * MATTE], one[MATTE];
	run(model, options, 0, IMAGES, many);
	for (int i = 0; i < IMAGES; i++) {
		run(model, options, i, 1, one);
		if (memcmp(one, many + i * MATTE, sizeof one) != 0)
			fail_msg("%s, %s: image %d has other bits alone", options.backend, vrs_precision_name(options.precision), i);
	}
	assert_memory_not_equal(many, many + MATTE, sizeof one);
}

static struct vrs_calibration *calibrate(const struct vrs_model *model, const struct vrs_session_options *options)
{
	struct vrs_calibration_settings settings = vrs_calibration_settings_default();
	struct vrs_calibrator *calibrator = NULL;
	struct vrs_calibration *calibration = NULL;
	struct vrs_error err = {0};
	struct vrs_session_options wrong = *options;
	wrong.batch = 257; /* options are those of a session */
	assert_int_equal(vrs_calibrator_create(&calibrator, model, &wrong, &err), VRS_EINVAL);
	assert_int_equal(vrs_calibrator_create(&calibrator, model, options, &err), VRS_OK);
	fill(vrs_calibrator_input(calibrator, 0).data, 9, 1);
	assert_int_equal(vrs_calibrator_add(calibrator, &err), VRS_OK);
	struct vrs_calibration_settings odd[3] = {settings, settings, settings};
	odd[0].method = (enum vrs_range_method)99;
	odd[1].percentile = NAN;
	odd[2].mixed_part = -1;
	for (int i = 0; i < 3; i++)
		assert_int_equal(vrs_calibrator_finish(calibrator, &odd[i], &calibration, &err), VRS_EINVAL);
	assert_int_equal(vrs_calibrator_finish(calibrator, &settings, &calibration, &err), VRS_OK);
	vrs_calibrator_destroy(calibrator);
	return calibration;
}

static void test_bits(void **state)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_model *model = make_model();
	(void)state;
	options.threads = 1;
	options.half_min_bytes = 0;
	options.backend = "ref";
	check(model, options);
	options.backend = "cpu";
	for (options.precision = VRS_PRECISION_FP32; options.precision <= VRS_PRECISION_BF16; options.precision++)
		check(model, options);
	struct vrs_calibration *calibration = calibrate(model, &options);
	options.calibration = calibration;
	for (options.precision = VRS_PRECISION_INT8; options.precision <= VRS_PRECISION_MIXED; options.precision++)
		check(model, options);
	vrs_calibration_destroy(calibration);
	vrs_model_destroy(model);
}

/* Each allocation fails once: that is told, and nothing is left. */
static void test_out_of_memory(void **state)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_model *model = make_model();
	uint64_t live = vrs_mem_stats().live_bytes;
	(void)state;
	options.backend = "cpu";
	options.threads = 1;
	for (options.batch = 1; options.batch <= 2; options.batch++) {
		options.precision = options.batch == 1 ? VRS_PRECISION_FP32 : VRS_PRECISION_FP16;
		bool fired = true;
		for (uint64_t n = 1; fired; n++) {
			struct vrs_session *session = NULL;
			vrs_mem_fail_after(n, false);
			enum vrs_status status = vrs_session_create(&session, model, &options, NULL);
			fired = vrs_mem_fault_fired();
			vrs_mem_fail_after(0, false);
			vrs_session_destroy(session);
			assert_int_equal(vrs_mem_stats().live_bytes, live);
			assert_int_equal(status, fired ? VRS_ENOMEM : VRS_OK);
		}
	}
	vrs_model_destroy(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits), cmocka_unit_test(test_out_of_memory)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
