/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: what sessions promise. Options out of range and unknown backends are refused with a sentence; sizes and batches give views of the
 * right shape; passes change no result; the cpu backend agrees with the reference on random networks, fused or not; outputs
 * that nobody wants are not computed; memory faults are errors; a network may have as many inputs and outputs as a graph can.
 */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <vrseg/session.h>

#include "base/mem.h"
#include "graph/model_graph.h"
#include "unit/backend/random_graph.h"
#include "unit/graph/graph_builder.h"

static struct vrs_model *random_model(uint64_t seed)
{
	struct vrs_graph graph;
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};

	random_graph_build(&graph, seed);
	if (vrs_model_from_graph(&model, &graph, "random", &err) != VRS_OK)
		fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
	vrs_graph_fini(&graph);
	return model;
}

/* A graph begins: an image of 16x16 pixels, and a convolution of it to 4 channels, which is to be emitted. */
static struct vrs_node begin_with_conv(struct random_graph *r, int stride)
{
	struct vrs_graph_tensor input = {.name = "image", .dtype = VRS_F32, .rank = 4, .dims = {1, 16, 16, 3}};
	const int64_t dims[4] = {4, 3, 3, 3}, out = 4;
	struct vrs_node node;

	vrs_rng_init(&r->rng, 7);
	r->graph.inputs[r->graph.input_count++] = random_check(vrs_graph_add_tensor(&r->graph, &input));
	vrs_node_init(&node, VRS_OP_CONV, NULL);
	node.inputs = 3;
	node.in[0] = 0;
	node.in[1] = random_const(r, 4, dims, 0.3);
	node.in[2] = random_const(r, 1, &out, 0.3);
	node.u.window.kernel_h = node.u.window.kernel_w = 3;
	node.u.window.stride_h = node.u.window.stride_w = stride;
	node.u.window.same = true;
	return node;
}

/* A conv 3x3 SAME of stride 2, and a sigmoid. */
static struct vrs_model *small_model(void)
{
	struct random_graph r = {.serial = 0};
	struct vrs_model *model = NULL;
	struct vrs_node node = begin_with_conv(&r, 2);

	node.act = VRS_ACT_SIGMOID;
	r.graph.outputs[r.graph.output_count++] = random_emit(&r, &node);
	assert_int_equal(vrs_model_from_graph(&model, &r.graph, "small", NULL), VRS_OK);
	vrs_graph_fini(&r.graph);
	return model;
}

static void fill(struct vrs_session *session, uint64_t seed)
{
	struct vrs_tensor_view in = vrs_session_input(session, 0);
	struct vrs_rng rng;

	vrs_rng_init(&rng, seed);
	for (size_t i = 0; i < in.elements; i++)
		in.data[i] = (float)(vrs_rng_unit(&rng) * 2 - 1);
}

static struct vrs_session *open_session(const struct vrs_model *model, const char *backend, bool fusion, int threads)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_session *session = NULL;
	struct vrs_error err = {0};

	options.backend = backend;
	options.fusion = fusion;
	options.threads = threads;
	options.batch = (int)vrs_model_graph(model)->tensors[vrs_model_graph(model)->inputs[0]].dims[0];
	if (vrs_session_create(&session, model, &options, &err) != VRS_OK)
		fail_msg("%s: %s", backend, err.text);
	return session;
}

/* Both sessions get the same input; every output value within tolerance of its size. */
static void compare(struct vrs_session *a, struct vrs_session *b, int outputs, const char *what, uint64_t seed)
{
	struct vrs_error err = {0};

	fill(a, seed);
	fill(b, seed);
	assert_int_equal(vrs_session_run(a, &err), VRS_OK);
	assert_int_equal(vrs_session_run(b, &err), VRS_OK);
	for (int k = 0; k < outputs; k++) {
		struct vrs_tensor_view x = vrs_session_output(a, k), y = vrs_session_output(b, k);
		double largest = 0, worst = 0;

		assert_int_equal(x.elements, y.elements);
		assert_int_equal(x.rank, y.rank);
		for (size_t i = 0; i < x.elements; i++) {
			double d = fabs((double)x.data[i] - (double)y.data[i]);

			largest = fabs((double)x.data[i]) > largest ? fabs((double)x.data[i]) : largest;
			worst = d > worst || isnan(d) ? d : worst;
		}
		/* float sums of up to a few hundred terms, a dozen layers deep */
		if (!(worst <= 2e-5 * (1 + largest)))
			fail_msg("seed %llu, %s, output %d: differs by %g of %g", (unsigned long long)seed, what, k, worst, largest);
	}
}

static void test_random_graphs(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct vrs_model *model = random_model(seed);
		struct vrs_session *plain = open_session(model, "ref", false, 1), *fused = open_session(model, "ref", true, 1);
		struct vrs_session *cpu = open_session(model, "cpu", true, 1 + (int)(seed % 3)), *unfused = open_session(model, "cpu", false, 2);
		int outputs = vrs_model_info(model).outputs;

		compare(plain, fused, outputs, "ref fused", seed);
		compare(plain, cpu, outputs, "cpu fused", seed);
		compare(plain, unfused, outputs, "cpu as imported", seed);
		vrs_session_destroy(plain);
		vrs_session_destroy(fused);
		vrs_session_destroy(cpu);
		vrs_session_destroy(unfused);
		vrs_model_destroy(model);
	}
}

/* Every batch and size gives what the reference gives; one that cannot be is refused. */
static void test_sizes(void **state)
{
	static const int sizes[][3] = {{1, 16, 16}, {2, 24, 10}, {3, 8, 40}, {1, 9, 9}, {1, 10, 9}, {1, 11, 9}};
	struct vrs_model *model = small_model();
	struct vrs_session *sessions[2] = {NULL, NULL};
	const char *const backends[] = {"cpu", "ref"};

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		for (int b = 0; b < 2; b++) {
			struct vrs_session_options options = vrs_session_options_default();

			options.backend = backends[b];
			options.batch = sizes[i][0];
			options.input_width = sizes[i][1];
			options.input_height = sizes[i][2];
			assert_int_equal(vrs_session_create(&sessions[b], model, &options, NULL), VRS_OK);
		}
		assert_int_equal(vrs_session_input(sessions[0], 0).dims[2], sizes[i][1]);
		compare(sessions[0], sessions[1], 1, "size", i);
		vrs_session_destroy(sessions[0]);
		vrs_session_destroy(sessions[1]);
	}
	for (int b = 0; b < 2; b++) {
		struct vrs_session_options options = vrs_session_options_default();

		options.backend = backends[b];
		options.input_width = options.input_height = 1 << 30;
		assert_int_not_equal(vrs_session_create(&sessions[b], model, &options, NULL), VRS_OK);
		options.input_width = options.input_height = 30;
		vrs_mem_fail_after(1, true);
		assert_int_equal(vrs_session_create(&sessions[b], model, &options, NULL), VRS_ENOMEM);
		vrs_mem_fail_after(0, false);
	}
	vrs_model_destroy(model);
}

static void expect(const struct vrs_model *model, const struct vrs_session_options *options, enum vrs_status status, const char *word)
{
	struct vrs_session *session = NULL;
	struct vrs_error err = {0};

	assert_int_equal(vrs_session_create(&session, model, options, &err), status);
	assert_null(session);
	if (strstr(err.text, word) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", err.text, word);
}

static void test_options(void **state)
{
	struct vrs_model *model = small_model();
	struct vrs_session_options options = vrs_session_options_default();

	(void)state;
	options.threads = 1025;
	expect(model, &options, VRS_EINVAL, "1025 threads");
	options = vrs_session_options_default();
	options.threads = -1;
	expect(model, &options, VRS_EINVAL, "-1 threads");
	options = vrs_session_options_default();
	options.batch = 0;
	expect(model, &options, VRS_EINVAL, "batch of 0");
	options.batch = 257;
	expect(model, &options, VRS_EINVAL, "batch of 257");
	options = vrs_session_options_default();
	options.input_width = -4;
	expect(model, &options, VRS_EINVAL, "-4x0");
	options = vrs_session_options_default();
	options.precision = VRS_PRECISION_INT8;
	expect(model, &options, VRS_EINVAL, "int8 needs a calibration");
	options = vrs_session_options_default();
	options.backend = "gpu";
	expect(model, &options, VRS_ENOTFOUND, "\"gpu\"");
	options = vrs_session_options_default();
	options.input_width = 1 << 24;
	options.input_height = 1 << 24;
	expect(model, &options, VRS_ELIMIT, "elements");
	vrs_model_destroy(model);
}

static void test_views(void **state)
{
	struct vrs_model *model = small_model();
	struct vrs_session_options options = vrs_session_options_default();
	static const char *const backends[] = {"cpu", "ref", "null"};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct vrs_session *session = NULL;
		struct vrs_tensor_view in, out;

		options.backend = backends[i];
		options.batch = 3;
		options.input_width = 33;
		options.input_height = 20;
		assert_int_equal(vrs_session_create(&session, model, &options, NULL), VRS_OK);
		in = vrs_session_input(session, 0);
		out = vrs_session_output(session, 0);
		assert_string_equal(in.name, "image");
		assert_int_equal(in.rank, 4);
		assert_int_equal(in.dims[0], 3);
		assert_int_equal(in.dims[1], 20);
		assert_int_equal(in.dims[2], 33);
		assert_int_equal(in.dims[3], 3);
		assert_int_equal(in.elements, 3 * 20 * 33 * 3);
		assert_int_equal((uintptr_t)in.data % 64, 0);
		assert_int_equal((uintptr_t)out.data % 64, 0);
		assert_int_equal(out.dims[1], 10);
		assert_int_equal(out.dims[2], 17);
		assert_null(vrs_session_input(session, 1).data);
		assert_null(vrs_session_output(session, -1).data);
		fill(session, 1);
		assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
		assert_string_equal(vrs_session_info(session).backend, backends[i]);
		assert_ptr_equal(vrs_session_output(session, 0).data, out.data);
		vrs_session_destroy(session);
	}
	vrs_model_destroy(model);
}

static void test_profile(void **state)
{
	struct vrs_model *model = small_model();
	struct vrs_session_options options = vrs_session_options_default();
	static const char *const backends[] = {"cpu", "ref"};

	(void)state;
	for (int i = 0; i < 2; i++)
		for (int profile = 0; profile < 2; profile++) {
			const struct vrs_op_profile *rows = NULL;
			struct vrs_session *session = NULL;
			uint64_t macs = 0;
			int n;

			options.backend = backends[i];
			options.profile = profile != 0;
			assert_int_equal(vrs_session_create(&session, model, &options, NULL), VRS_OK);
			fill(session, 1);
			assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
			assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
			n = vrs_session_profile(session, &rows);
			assert_true(profile ? n >= 1 : n == 0);
			for (int k = 0; k < n; k++) {
				assert_int_equal(rows[k].runs, 2);
				assert_true(rows[k].name[0] != '\0' && rows[k].kernel[0] != '\0');
				macs += rows[k].macs;
			}
			if (profile) /* 8x8 pixels of 4 channels from 3x3x3 */
				assert_int_equal(macs, 8 * 8 * 4 * 27);
			assert_int_equal(vrs_session_info(session).macs, 8 * 8 * 4 * 27);
			vrs_session_destroy(session);
		}
	vrs_model_destroy(model);
}

/* The multiply-adds of a session are those that its operators make, also where fusion has taken some away: rates are computed from both. */
static void test_macs_as_they_run(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++)
		for (int fusion = 0; fusion < 2; fusion++) {
			struct vrs_model *model = random_model(seed);
			struct vrs_session_options options = vrs_session_options_default();
			const struct vrs_op_profile *rows = NULL;
			struct vrs_session *session = NULL;
			uint64_t macs = 0;
			options.threads = 1;
			options.fusion = fusion != 0;
			options.profile = true;
			options.batch = (int)vrs_model_graph(model)->tensors[vrs_model_graph(model)->inputs[0]].dims[0];
			assert_int_equal(vrs_session_create(&session, model, &options, NULL), VRS_OK);
			fill(session, seed);
			assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
			int n = vrs_session_profile(session, &rows);
			for (int k = 0; k < n; k++)
				macs += rows[k].macs;
			assert_int_equal(vrs_session_info(session).macs, macs);
			vrs_session_destroy(session);
			vrs_model_destroy(model);
		}
}

/* A global average that is made of the sums of rows, which the convolution before it leaves, does not read the rows themselves. */
static void test_profile_of_sums(void **state)
{
	struct random_graph r = {.serial = 0};
	struct vrs_session_options options = vrs_session_options_default();
	const struct vrs_op_profile *rows = NULL;
	struct vrs_session *session = NULL;
	struct vrs_model *model = NULL;
	struct vrs_node node = begin_with_conv(&r, 1);
	int averages = 0;

	(void)state;
	const int32_t conv = random_emit(&r, &node);
	vrs_node_init(&node, VRS_OP_GLOBAL_AVG, NULL);
	node.inputs = 1;
	node.in[0] = conv;
	r.graph.outputs[r.graph.output_count++] = random_emit(&r, &node);
	assert_int_equal(vrs_model_from_graph(&model, &r.graph, "average", NULL), VRS_OK);
	vrs_graph_fini(&r.graph);
	options.backend = "cpu";
	options.profile = true;
	assert_int_equal(vrs_session_create(&session, model, &options, NULL), VRS_OK);
	fill(session, 1);
	assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
	const int n = vrs_session_profile(session, &rows);
	for (int k = 0; k < n; k++)
		if (strncmp(rows[k].name, "global_avg", 10) == 0) {
			averages++;
			assert_int_equal(rows[k].bytes, (16 + 1) * 4 * sizeof(float)); /* 16 rows of 4 channels, and the output */
		}
	assert_int_equal(averages, 1);
	vrs_session_destroy(session);
	vrs_model_destroy(model);
}

/* Every allocation of a creation fails once: always VRS_ENOMEM, nothing leaks (LeakSanitizer in the asan preset). */
static void test_out_of_memory(void **state)
{
	struct vrs_model *model = random_model(5);
	static const char *const backends[] = {"cpu", "ref", "null"};

	(void)state;
	for (int i = 0; i < 3; i++)
		for (uint64_t n = 1; n < 100000; n++) {
			struct vrs_session_options options = vrs_session_options_default();
			struct vrs_session *session = NULL;
			uint64_t live = vrs_mem_stats().live_bytes;
			enum vrs_status status;
			bool fired;

			options.backend = backends[i];
			options.threads = 1;
			vrs_mem_fail_after(n, true);
			status = vrs_session_create(&session, model, &options, NULL);
			fired = vrs_mem_fault_fired();
			vrs_mem_fail_after(0, false);
			vrs_session_destroy(status == VRS_OK ? session : NULL);
			assert_int_equal(vrs_mem_stats().live_bytes, live);
			if (!fired) {
				assert_int_equal(status, VRS_OK);
				break;
			}
			assert_int_equal(status, VRS_ENOMEM);
		}
	vrs_model_destroy(model);
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(vrs_precision_name(VRS_PRECISION_FP16), "fp16");
	assert_string_equal(vrs_precision_name(VRS_PRECISION_MIXED), "mixed");
	for (const char *const *name = (const char *const[]){"cpu", "ref", "null", NULL}; *name != NULL; name++) {
		struct vrs_model *model = small_model();
		struct vrs_session *session = open_session(model, *name, true, 1);

		assert_string_equal(vrs_session_info(session).backend, *name);
		vrs_session_destroy(session);
		vrs_model_destroy(model);
	}
}

/* What is asked for has the values that it has among all; what is not is neither there nor computed. */
static void test_wanted_outputs(void **state)
{
	int smaller = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct vrs_model *model = random_model(seed);
		struct vrs_session *all = open_session(model, "cpu", true, 1);
		int outputs = vrs_model_info(model).outputs;

		for (int k = 0; k < outputs; k++) {
			struct vrs_session_options options = vrs_session_options_default();
			struct vrs_session *one = NULL;
			struct vrs_error err = {0};

			options.threads = 1;
			options.batch = (int)vrs_model_graph(model)->tensors[vrs_model_graph(model)->inputs[0]].dims[0];
			options.outputs = UINT32_C(1) << k;
			if (vrs_session_create(&one, model, &options, &err) != VRS_OK)
				fail_msg("seed %llu, output %d: %s", (unsigned long long)seed, k, err.text);
			fill(all, seed);
			fill(one, seed);
			assert_int_equal(vrs_session_run(all, &err), VRS_OK);
			assert_int_equal(vrs_session_run(one, &err), VRS_OK);
			struct vrs_tensor_view x = vrs_session_output(all, k), y = vrs_session_output(one, 0);
			assert_int_equal(x.elements, y.elements);
			for (size_t i = 0; i < x.elements; i++)
				assert_true(fabs((double)x.data[i] - (double)y.data[i]) <= 2e-5 * (1 + fabs((double)x.data[i])));
			assert_null(vrs_session_output(one, 1).raw);
			smaller += vrs_session_info(one).macs < vrs_session_info(all).macs;
			vrs_session_destroy(one);
		}
		vrs_session_destroy(all);
		vrs_model_destroy(model);
	}
	assert_true(smaller > 0);
}

static void test_no_wanted_output(void **state)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_model *model = small_model();
	struct vrs_session *session = NULL;
	struct vrs_error err = {0};

	(void)state;
	options.outputs = 2;
	assert_int_equal(vrs_session_create(&session, model, &options, &err), VRS_EINVAL);
	assert_string_equal(err.text, "none of the 1 outputs of the network is wanted");
	vrs_model_destroy(model);
}

/* As many inputs and outputs as a graph can have, on every backend. */
static void test_most_ends(void **state)
{
	static const char *const backends[] = {"cpu", "ref", "null"};
	struct vrs_graph graph;
	struct vrs_model *model = NULL;

	(void)state;
	vrs_graph_init(&graph);
	for (int i = 0; i < VRS_MAX_ENDS; i++) {
		int32_t x = build_input(&graph, 2, 3, 1);

		build_output(&graph, build_unary(&graph, x, VRS_ACT_RELU));
	}
	assert_int_equal(vrs_model_from_graph(&model, &graph, "ends", NULL), VRS_OK);
	vrs_graph_fini(&graph);
	for (int b = 0; b < 3; b++) {
		struct vrs_session *session = open_session(model, backends[b], true, 1);

		for (int i = 0; i < VRS_MAX_ENDS; i++)
			vrs_session_input(session, i).data[5] = (float)(1 + i);
		assert_int_equal(vrs_session_run(session, NULL), VRS_OK);
		for (int i = 0; i < VRS_MAX_ENDS; i++)
			assert_true(vrs_session_output(session, i).data[5] == (b < 2 ? (float)(1 + i) : 0));
		vrs_session_destroy(session);
	}
	vrs_model_destroy(model);
}

/* What the caller has set in fenv.h neither changes results nor is changed: threads of a team have another history than the caller. */
static void test_rounding_of_callers(void **state)
{
	static const char *const backends[] = {"cpu", "ref"};
	struct vrs_model *model = random_model(5);

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct vrs_session *session = open_session(model, backends[i / 2], true, i % 2 + 1);
		struct vrs_tensor_view out = vrs_session_output(session, 0);
		struct vrs_error err = {0};
		float *nearest = vrs_calloc(out.elements, sizeof *nearest);

		fill(session, 5);
		assert_int_equal(vrs_session_run(session, &err), VRS_OK);
		memcpy(nearest, out.data, out.elements * sizeof *nearest);
		fill(session, 5);
		assert_int_equal(fesetround(FE_UPWARD), 0);
		enum vrs_status status = vrs_session_run(session, &err);
		int rounding = fegetround();
		assert_int_equal(fesetround(FE_TONEAREST), 0);
		assert_int_equal(status, VRS_OK);
		assert_int_equal(rounding, FE_UPWARD);
		assert_memory_equal(nearest, out.data, out.elements * sizeof *nearest);
		vrs_free(nearest);
		vrs_session_destroy(session);
	}
	vrs_model_destroy(model);
}

/* What vrs_backend_check says of a precision is what a session gets that is made with it. */
static void test_check_is_what_create_does(void **state)
{
	static const char *const backends[] = {"cpu", "ref", "null"};
	struct vrs_model *model = random_model(5);

	(void)state;
	for (int i = 0; i < 3; i++)
		for (int p = VRS_PRECISION_AUTO; p <= VRS_PRECISION_BF16; p++) {
			struct vrs_session_options options = vrs_session_options_default();
			struct vrs_session *session = NULL;
			struct vrs_error err = {0};

			options.backend = backends[i];
			options.precision = (enum vrs_precision)p;
			options.batch = (int)vrs_model_graph(model)->tensors[vrs_model_graph(model)->inputs[0]].dims[0];
			assert_int_equal(vrs_backend_check(&options, &err), vrs_session_create(&session, model, &options, &err));
			vrs_session_destroy(session);
		}
	vrs_model_destroy(model);
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_error err = {0};
	options.backend = "ref";
	options.precision = VRS_PRECISION_INT8;
	assert_int_equal(vrs_backend_check(&options, &err), VRS_EINVAL);
	assert_string_equal(err.text, "the reference backend computes in fp32, fp16 or bf16, not in int8");
	assert_true(vrs_backend_computes(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_options), cmocka_unit_test(test_views), cmocka_unit_test(test_profile), cmocka_unit_test(test_macs_as_they_run),
		cmocka_unit_test(test_profile_of_sums),
		cmocka_unit_test(test_names),   cmocka_unit_test(test_random_graphs),
		cmocka_unit_test(test_sizes), cmocka_unit_test(test_out_of_memory), cmocka_unit_test(test_wanted_outputs),
		cmocka_unit_test(test_no_wanted_output), cmocka_unit_test(test_most_ends), cmocka_unit_test(test_rounding_of_callers),
		cmocka_unit_test(test_check_is_what_create_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
