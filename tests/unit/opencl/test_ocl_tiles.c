/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the ways to compute a convolution: each candidate, of CPUs and of GPUs, gives what the reference gives, also where pixels, channels and
 * products are no multiples of any tile, and the same bits as those that add in the same order; and the choice among them fits the device and the
 * shape, and neither a batch nor memory changes sums by it.  No kernel has more groups than NVIDIA starts.
 *
 *     test_ocl_tiles [unrolled]
 *
 * Loops of kernels stay loops, and every second candidate of a shape is tried, so that two shapes try all; but with `unrolled`, which is what devices
 * get, all of each: most of PoCL's time goes into unrolling them.
 */
#include "tile_run.h"
#include "graph/eval.h"

struct shape {
	int in, out, groups, kernel, stride, height, width, batch;
	bool scaled, residual, winograd; /* winograd: by no other algorithm */
	int most, halves, products; /* candidates of a device; with halves in memory; with products of halves */
};

static bool unrolled;

static const struct shape shapes[] = {
	{12, 21, 1, 3, 1, 7, 9, 2, .residual = true, .most = VRS_OCL_MAX_TILES, .halves = 4, .products = 8},
	{10, 70, 1, 1, 1, 5, 7, 2, .scaled = true, .most = VRS_OCL_MAX_TILES, .products = 4},
	{40, 36, 1, 3, 1, 21, 23, 2, .residual = true, .winograd = true, .most = VRS_OCL_MAX_TILES, .halves = 2},
	{12, 26, 2, 3, 2, 9, 8, 1, .most = 4, .products = 2},
	{9, 18, 9, 3, 1, 6, 11, 2, .residual = true, .most = VRS_OCL_MAX_TILES, .halves = 4, .products = 2}, /* depthwise */
};

static void make_graph(struct vrs_graph *graph, const struct shape *s)
{
	struct vrs_node node;
	int64_t out = s->out, height = (s->height - 1) / s->stride + 1, width = (s->width - 1) / s->stride + 1;
	bool depthwise = s->groups == s->in;
	const int64_t dense[4] = {s->out, s->kernel, s->kernel, s->in / s->groups}, single[3] = {s->kernel, s->kernel, s->out};
	int pad = (s->kernel - 1) / 2;
	vrs_graph_init(graph);
	vrs_node_init(&node, VRS_OP_CONV, "conv");
	node.inputs = 3;
	node.in[0] = node_input(graph, 4, (const int64_t[]){s->batch, s->height, s->width, s->in});
	node.in[1] = node_const(graph, depthwise ? 3 : 4, depthwise ? single : dense, 0.5, 3);
	node.in[2] = node_const(graph, 1, &out, 0.5, 4);
	if (s->scaled)
		node.scale = node_input(graph, 4, (const int64_t[]){s->batch, 1, 1, s->in});
	if (s->residual)
		node.residual = node_input(graph, 4, (const int64_t[]){s->batch, height, width, s->out});
	node.act = VRS_ACT_LEAKY;
	node.act_lo = 0.2f;
	node.u.window = (struct vrs_window){
		.kernel_h = s->kernel, .kernel_w = s->kernel, .stride_h = s->stride, .stride_w = s->stride, .dilation_h = 1, .dilation_w = 1,
		.pad_top = pad, .pad_left = pad, .pad_bottom = pad, .pad_right = pad, .groups = s->groups,
	};
	graph->outputs[graph->output_count++] = node_emit(graph, &node, VRS_F32);
}

/* Values of every tensor; the output is what the reference makes of the others. */
static void fill_values(const struct vrs_graph *graph, void **values)
{
	struct vrs_rng rng;
	vrs_rng_init(&rng, 11);
	for (int32_t t = 0; t < graph->tensor_count; t++) {
		size_t count = vrs_tensor_elements(&graph->tensors[t]);
		float *to = malloc((count + 1) * sizeof *to); /* libc: test scratch */
		assert_non_null(to);
		for (size_t i = 0; i < count; i++)
			to[i] = graph->tensors[t].data ? ((const float *)graph->tensors[t].data)[i] : (float)(vrs_rng_unit(&rng) * 2 - 1);
		values[t] = to;
	}
	struct vrs_eval eval = vrs_eval_from_values(graph, &graph->nodes[0], values);
	vrs_node_eval(&eval);
}

/* Ways that add in one order have the same bits. all: the output of each, `bytes` long. */
static void check_orders(const struct tile_run *run, const char *all, size_t bytes, const char *what)
{
	for (int i = 0; i < run->count; i++)
		for (int j = 0; j < i; j++)
			if (vrs_ocl_same_order(&run->tiles[i], &run->tiles[j]) && memcmp(all + (size_t)i * bytes, all + (size_t)j * bytes, bytes) != 0)
				fail_msg("%s: the ways %d (%s memory, item %dx%d) and %d (%s memory, item %dx%d) have other bits", what, i,
					 run->tiles[i].local ? "local" : "global", run->tiles[i].item_n, run->tiles[i].item_m, j,
					 run->tiles[j].local ? "local" : "global", run->tiles[j].item_n, run->tiles[j].item_m);
}

static void check_tiles(const struct vrs_graph *graph, void *const *values, enum vrs_precision precision, enum vrs_device_math math, int shape,
			int most)
{
	struct tile_run run;
	int32_t out = graph->outputs[0];
	size_t bytes = vrs_tensor_elements(&graph->tensors[out]) * sizeof(float);
	struct node_result want = {values[out], bytes, VRS_F32}, got = {malloc(bytes), bytes, VRS_F32}; /* libc: test scratch */
	assert_non_null(got.data);
	char what[160];
	tile_run_init(&run, graph, precision, math, most, shapes[shape].winograd, unrolled ? -1 : shape % 2);
	assert_true(run.count > 0);
	char *all = malloc((size_t)run.count * bytes); /* libc: test scratch */
	assert_non_null(all);
	for (int i = 0; i < graph->input_count; i++)
		tile_run_write(&run, graph->inputs[i], values[graph->inputs[i]]);
	for (int i = 0; i < run.count; i++) {
		const struct vrs_ocl_tile *t = &run.tiles[i];
		memset(got.data, 0xff, bytes);
		tile_run_write(&run, out, got.data); /* not what the tile before has left */
		tile_run_start(&run, i);
		tile_run_read(&run, out, got.data);
		snprintf(what, sizeof what, "shape %d, precision %d by %d, algorithm %d, %s memory, group %dx%dx%d, item %dx%d", shape, (int)precision,
			 (int)math, (int)t->algorithm, t->local ? "local" : "global", t->group_n, t->group_m, t->split, t->item_n, t->item_m);
		double exact = t->algorithm == VRS_OCL_WINOGRAD ? 2 * OP_BOUND_FP32 : OP_BOUND_FP32;
		node_compare(&want, &got, precision == VRS_PRECISION_FP32 ? exact : OP_BOUND_FP16, what);
		memcpy(all + (size_t)i * bytes, got.data, bytes);
	}
	snprintf(what, sizeof what, "shape %d, precision %d by %d", shape, (int)precision, (int)math);
	check_orders(&run, all, bytes, what);
	tile_run_fini(&run);
	free(all); /* libc: see above */
	free(got.data); /* libc: see above */
}

static void test_every_tile(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		struct vrs_graph graph;
		void *values[8];
		make_graph(&graph, &shapes[i]);
		assert_true(graph.tensor_count <= 8);
		fill_values(&graph, values);
		check_tiles(&graph, values, VRS_PRECISION_FP32, VRS_DEVICE_MATH_FLOAT, (int)i, shapes[i].most);
		if (shapes[i].halves > 0)
			check_tiles(&graph, values, VRS_PRECISION_FP16, VRS_DEVICE_MATH_FLOAT, (int)i, shapes[i].halves);
		if (shapes[i].products > 0)
			check_tiles(&graph, values, VRS_PRECISION_FP16, VRS_DEVICE_MATH_HALF, (int)i, shapes[i].products);
		for (int32_t t = 0; t < graph.tensor_count; t++)
			free(values[t]); /* libc: see fill_values */
		vrs_graph_fini(&graph);
	}
}

static const struct vrs_ocl_caps gpu = {
	.vendor = VRS_OCL_VENDOR_NVIDIA, .compute_units = 32, .max_group = 256, .max_items = {256, 256, 64}, .local_bytes = 48 << 10,
	.global_bytes = (size_t)8 << 30, .max_alloc_bytes = (size_t)2 << 30,
};

static const struct vrs_ocl_conv wide = {
	.batch = 1, .height = 128, .width = 128, .channels = 64, .out_height = 128, .out_width = 128, .outputs = 64, .joined = 1,
	.window = {.kernel_h = 3, .kernel_w = 3, .stride_h = 1, .stride_w = 1, .dilation_h = 1, .dilation_w = 1, .groups = 1},
};

static const struct vrs_ocl_conv pointwise = {
	.batch = 1, .height = 18, .width = 32, .channels = 960, .out_height = 18, .out_width = 32, .outputs = 160, .joined = 1, .pointwise = true,
	.window = {.kernel_h = 1, .kernel_w = 1, .stride_h = 1, .stride_w = 1, .dilation_h = 1, .dilation_w = 1, .groups = 1},
};

static void check_group_counts(const struct vrs_ocl_plan *plan)
{
	for (int32_t s = 0; s < plan->step_count; s++)
		for (int d = 1; d < 3; d++)
			assert_in_range(plan->steps[s].global[d] / plan->steps[s].local[d], 1, VRS_OCL_MOST_GROUPS);
}

/* NVIDIA starts no kernel of more groups. */
static void test_group_counts(void **state)
{
	const int64_t dims[] = {1, 4096, 4096, 16};
	struct vrs_session_options options = vrs_session_options_default();
	struct vrs_ocl_tile tiles[VRS_OCL_MAX_TILES];
	struct vrs_ocl_conv conv;
	struct vrs_ocl_plan plan;
	struct vrs_graph graph;
	struct vrs_error err = {0};
	(void)state;
	vrs_graph_init(&graph);
	graph.outputs[graph.output_count++] = op_layer(&graph, node_input(&graph, 4, dims), 16, 3, true, VRS_ACT_NONE, 5);
	assert_int_equal(vrs_graph_infer(&graph, &err), VRS_OK);
	assert_int_equal(vrs_ocl_plan_begin(&plan, &graph, &gpu, &options, &err), VRS_OK);
	const struct vrs_node *node = &plan.graph.nodes[graph.node_count - 1];
	assert_int_equal(vrs_ocl_conv_init(&conv, &plan.graph, node), VRS_OK);
	int count = vrs_ocl_tile_candidates(&gpu, &conv, tiles, VRS_OCL_MAX_TILES);
	for (int i = 0; i < count; i++)
		assert_int_equal(vrs_ocl_conv_steps(&plan, node, &conv, &tiles[i], &err), VRS_OK);
	assert_true(plan.step_count > 8);
	check_group_counts(&plan);
	vrs_ocl_plan_fini(&plan);
	vrs_graph_fini(&graph);
}

static void check_folded(const struct shape *shape, const struct vrs_ocl_tile *tile)
{
	struct vrs_graph graph;
	struct tile_run run;
	struct vrs_ocl_conv conv;
	struct vrs_error err = {0};
	void *values[8];
	make_graph(&graph, shape);
	fill_values(&graph, values);
	tile_run_open(&run, &graph, VRS_PRECISION_FP32, VRS_DEVICE_MATH_FLOAT, &err);
	const struct vrs_node *node = &run.plan.graph.nodes[graph.node_count - 1];
	assert_int_equal(vrs_ocl_conv_init(&conv, &run.plan.graph, node), VRS_OK);
	assert_int_equal(vrs_ocl_conv_steps(&run.plan, node, &conv, tile, &err), VRS_OK);
	run.count = 1;
	run.first[1] = run.plan.step_count;
	check_group_counts(&run.plan);
	assert_non_null(strstr(vrs_buf_str(&run.plan.source.text), "#define FOLDS 2\n"));
	assert_int_equal(vrs_ocl_values_place(&run.plan, &err), VRS_OK);
	tile_run_make(&run, true, &err);
	size_t bytes = vrs_tensor_elements(&graph.tensors[graph.outputs[0]]) * sizeof(float);
	struct node_result want = {values[graph.outputs[0]], bytes, VRS_F32}, got = {malloc(bytes), bytes, VRS_F32}; /* libc: test scratch */
	assert_non_null(got.data);
	memset(got.data, 0xff, bytes);
	tile_run_write(&run, graph.inputs[0], values[graph.inputs[0]]);
	tile_run_write(&run, graph.outputs[0], got.data);
	tile_run_start(&run, 0);
	tile_run_read(&run, graph.outputs[0], got.data);
	node_compare(&want, &got, 2 * OP_BOUND_FP32, "many groups");
	tile_run_fini(&run);
	free(got.data); /* libc: see above */
	for (int32_t t = 0; t < graph.tensor_count; t++)
		free(values[t]); /* libc: see fill_values */
	vrs_graph_fini(&graph);
}

/* Maps so large that dimensions are folded give what the reference gives. */
static void test_folded(void **state)
{
	static const struct shape map = {4, 4, 1, 3, 1, 256, 260, 1, .most = 1}, pixels = {4, 4, 1, 1, 1, 600, 900, 1, .most = 1},
		rows = {4, 4, 4, 3, 1, 35000, 2, 2, .most = 1}, lines = {4, 4, 1, 3, 1, 132000, 4, 2, .most = 1};
	(void)state;
	check_folded(&map, &(struct vrs_ocl_tile){.group_n = 32, .group_m = 1, .item_n = 4, .item_m = 1, .vector = 4, .step_k = 1, .split = 1});
	check_folded(&pixels, &(struct vrs_ocl_tile){.local = true, .group_n = 1, .group_m = 4, .item_n = 4, .item_m = 2, .vector = 4, .step_k = 16,
						     .split = 1});
	check_folded(&rows, &(struct vrs_ocl_tile){.algorithm = VRS_OCL_DEPTHWISE, .group_n = 1, .group_m = 1, .item_n = 4, .item_m = 2, .vector = 4,
						   .step_k = 1, .split = 1});
	check_folded(&lines, &(struct vrs_ocl_tile){.algorithm = VRS_OCL_WINOGRAD, .group_n = 1, .group_m = 8, .item_n = 16, .item_m = 6, .vector = 16,
						    .step_k = 1, .split = 1});
}

/* No more than asked for, the same first one, each but once. */
static void test_candidates(void **state)
{
	struct vrs_ocl_tile all[VRS_OCL_MAX_TILES], some[VRS_OCL_MAX_TILES];
	int count = vrs_ocl_tile_candidates(&gpu, &wide, all, VRS_OCL_MAX_TILES);
	(void)state;
	assert_true(count > 8);
	assert_int_equal(vrs_ocl_tile_candidates(&gpu, &wide, some, 5), 5);
	for (int i = 0; i < 5; i++)
		assert_memory_equal(&some[i], &all[i], sizeof *some);
	for (int i = 0; i < count; i++)
		for (int j = 0; j < i; j++)
			assert_memory_not_equal(&all[i], &all[j], sizeof *all);
}

/* Devices that lack something, and shapes that have no use for it. */
static void test_limits(void **state)
{
	struct vrs_ocl_tile tiles[VRS_OCL_MAX_TILES];
	struct vrs_ocl_caps small = gpu, cpu = gpu;
	struct vrs_ocl_conv conv = wide;
	(void)state;
	small.max_group = 64;
	small.local_bytes = 8 << 10;
	int count = vrs_ocl_tile_candidates(&small, &wide, tiles, VRS_OCL_MAX_TILES);
	assert_true(count > 0);
	for (int i = 0; i < count; i++) {
		int rows = tiles[i].group_m * tiles[i].item_m + 4 + tiles[i].group_n * tiles[i].item_n;
		assert_true(tiles[i].group_n * tiles[i].group_m * tiles[i].split <= 64);
		assert_true(!tiles[i].local || rows * tiles[i].step_k * tiles[i].split * (int)sizeof(float) <= 8 << 10);
	}
	small = gpu;
	small.max_items[2] = 1;
	count = vrs_ocl_tile_candidates(&small, &pointwise, tiles, VRS_OCL_MAX_TILES);
	for (int i = 0; i < count; i++)
		assert_int_equal(tiles[i].split, 1);
	cpu.vendor = VRS_OCL_VENDOR_CPU;
	count = vrs_ocl_tile_candidates(&cpu, &wide, tiles, VRS_OCL_MAX_TILES);
	for (int i = 0; i < count; i++)
		assert_false(tiles[i].local);
	assert_int_equal(vrs_ocl_tile_candidates(&gpu, &wide, tiles, 1), 1);
	assert_int_equal(tiles[0].algorithm, VRS_OCL_WINOGRAD);
	conv.window.stride_w = 2;
	(void)vrs_ocl_tile_candidates(&gpu, &conv, tiles, 1);
	assert_int_equal(tiles[0].algorithm, VRS_OCL_GEMM);
	conv = wide;
	conv.height = conv.out_height = 2048;
	conv.width = conv.out_width = 1024; /* the points of all tiles take 2.25 GiB */
	(void)vrs_ocl_tile_candidates(&gpu, &conv, tiles, 1);
	assert_int_equal(tiles[0].algorithm, VRS_OCL_GEMM);
}

/* How much memory there is changes nothing: a limit of the process (RLIMIT_DATA) is one of PoCL's device. */
static void test_memory(void **state)
{
	static const size_t blocks[] = {1 << 20, 8 << 20, 32 << 20, 512 << 20};
	struct vrs_ocl_caps devices[] = {gpu, gpu};
	(void)state;
	devices[1].vendor = VRS_OCL_VENDOR_CPU;
	devices[1].is_cpu = true;
	for (int at = 0; at < 2 * 4; at++) {
		struct vrs_ocl_caps small = devices[at % 2];
		struct vrs_ocl_tile all[VRS_OCL_MAX_TILES], some[VRS_OCL_MAX_TILES];
		small.max_alloc_bytes = blocks[at / 2];
		small.global_bytes = 2 * small.max_alloc_bytes;
		int count = vrs_ocl_tile_candidates(&devices[at % 2], &wide, all, VRS_OCL_MAX_TILES);
		assert_int_equal(all[0].algorithm, VRS_OCL_WINOGRAD); /* its points take 18 MiB */
		assert_int_equal(vrs_ocl_tile_candidates(&small, &wide, some, VRS_OCL_MAX_TILES), count);
		assert_memory_equal(some, all, (size_t)count * sizeof *all);
	}
}

/* The order of sums, and with it their last bits, is that of one picture, however many there are. */
static void test_batches(void **state)
{
	static const int64_t sides[] = {8, 12, 16, 20, 28, 64}, channels[] = {32, 64, 128}, batches[] = {2, 4, 8, 32};
	struct vrs_ocl_caps devices[] = {gpu, gpu};
	(void)state;
	devices[1].vendor = VRS_OCL_VENDOR_CPU;
	for (size_t at = 0; at < 2 * 6 * 3 * 4; at++) {
		struct vrs_ocl_conv conv = wide;
		struct vrs_ocl_tile one, many;
		conv.height = conv.width = conv.out_height = conv.out_width = sides[at / 2 % 6];
		conv.channels = conv.outputs = channels[at / 12 % 3];
		assert_int_equal(vrs_ocl_tile_candidates(&devices[at % 2], &conv, &one, 1), 1);
		conv.batch = batches[at / 36];
		assert_int_equal(vrs_ocl_tile_candidates(&devices[at % 2], &conv, &many, 1), 1);
		assert_true(vrs_ocl_same_order(&one, &many));
	}
}

/* The same of pictures that are one row of pixels. */
static void test_joined(void **state)
{
	static const int widths[] = {4, 16, 32, 64, 300};
	struct vrs_ocl_caps h200 = gpu;
	bool split = false;
	(void)state;
	h200.compute_units = 132;
	h200.max_group = 1024;
	for (int at = 0; at < 5 * 4; at++) {
		struct vrs_ocl_conv conv = pointwise;
		struct vrs_ocl_tile one, many;
		int pictures = 2 << at / 5;
		conv.width = conv.out_width = widths[at % 5] * conv.height;
		conv.height = conv.out_height = 1;
		(void)vrs_ocl_tile_candidates(&h200, &conv, &one, 1);
		conv.width = conv.out_width = conv.width * pictures;
		conv.joined = pictures;
		(void)vrs_ocl_tile_candidates(&h200, &conv, &many, 1);
		assert_true(vrs_ocl_same_order(&one, &many));
		split = split || one.split > 1;
	}
	assert_true(split); /* else nothing was shown */
}

/* Large products go through local memory; a pixel or two do not fill a tile, and where there are slices, they take the smallest one. */
static void test_choice(void **state)
{
	struct vrs_ocl_tile tile;
	struct vrs_ocl_conv conv = wide;
	struct vrs_ocl_caps flat = gpu;
	(void)state;
	conv.window.kernel_h = conv.window.kernel_w = 1;
	(void)vrs_ocl_tile_candidates(&gpu, &conv, &tile, 1);
	assert_true(tile.local);
	assert_true(tile.item_m >= 4 && tile.item_n >= 4);
	conv.height = conv.width = conv.out_height = conv.out_width = 1;
	(void)vrs_ocl_tile_candidates(&gpu, &conv, &tile, 1);
	assert_true(tile.group_m * tile.item_m <= (tile.split > 1 ? 16 : 8));
	flat.max_items[2] = 1;
	(void)vrs_ocl_tile_candidates(&flat, &conv, &tile, 1);
	assert_true(tile.group_m * tile.item_m <= 8);
}

/* As an H200 showed (docs/performance-log.md): many channels on a small map wait for memory at each step, much longer without local memory. */
static void test_deep_products(void **state)
{
	static const int sizes[][2] = {{960, 128}, {672, 112}, {480, 112}, {240, 80}, {184, 80}, {128, 32}, {96, 32}};
	struct vrs_ocl_caps h200 = gpu;
	(void)state;
	h200.compute_units = 132;
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		struct vrs_ocl_conv conv = {.batch = 1, .joined = 1, .height = 18, .width = 32, .out_height = 18, .out_width = 32, .channels = sizes[i][0],
			.outputs = sizes[i][1], .window = {.kernel_h = 1, .kernel_w = 1, .stride_h = 1, .stride_w = 1, .dilation_h = 1, .dilation_w = 1,
			.groups = 1}};
		struct vrs_ocl_tile tile;
		(void)vrs_ocl_tile_candidates(&h200, &conv, &tile, 1);
		if (!tile.local)
			fail_msg("%d to %d channels are computed without local memory", sizes[i][0], sizes[i][1]);
	}
}

int main(int argc, char **argv)
{
	held_contexts_begin();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_candidates), cmocka_unit_test(test_limits), cmocka_unit_test(test_memory), cmocka_unit_test(test_choice),
		cmocka_unit_test(test_batches), cmocka_unit_test(test_joined), cmocka_unit_test(test_deep_products),
		cmocka_unit_test(test_group_counts), cmocka_unit_test(test_folded), cmocka_unit_test(test_every_tile),
	};
	unrolled = argc > 1 && strcmp(argv[1], "unrolled") == 0;
	return held_contexts_end(cmocka_run_group_tests(tests, NULL, NULL));
}
