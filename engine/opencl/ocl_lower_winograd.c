/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Winograd convolution F(4x4, 3x3): transforms of the input (kernels/winograd_in.cl), 36 matrix products (conv_gemm.cl or conv_direct.cl),
 * transforms of the products (winograd_out.cl).  Filters are transformed here: u = G g G', with the points 0, 1, -1, 2, -2 and infinity, in double.
 */
#include "base/mem.h"
#include "opencl/ocl_conv.h"
#include "opencl/ocl_values.h"
#include "opencl/ocl_vector.h"

enum { SIDE = 6, POINTS = SIDE * SIDE, TAPS = 3, STEP = 4 };

/* Rows of G: the powers of a point by the scale that belongs to the whole numbers of B' (engine/kernels/winograd_points.h). */
static const double filter_rows[SIDE][TAPS] = {
	{1.0 / 4, 0, 0}, {-1.0 / 6, -1.0 / 6, -1.0 / 6}, {-1.0 / 6, 1.0 / 6, -1.0 / 6}, {1.0 / 24, 1.0 / 12, 1.0 / 6}, {1.0 / 24, -1.0 / 12, 1.0 / 6},
	{0, 0, 1},
};

/* to[p * pitch] = point p of the filter whose taps are `step` apart. */
static void transform_filter(const float *filter, size_t step, float *to, size_t pitch)
{
	double rows[SIDE][TAPS];

	for (int i = 0; i < SIDE; i++)
		for (int x = 0; x < TAPS; x++) {
			rows[i][x] = 0;
			for (int y = 0; y < TAPS; y++)
				rows[i][x] += filter_rows[i][y] * (double)filter[(size_t)(y * TAPS + x) * step];
		}
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++) {
			double sum = 0;

			for (int x = 0; x < TAPS; x++)
				sum += rows[i][x] * filter_rows[j][x];
			to[(size_t)(i * SIDE + j) * pitch] = (float)sum;
		}
}

/* Tiles of a picture, and scratch for their points. */
struct tiles {
	int64_t x, y, all;
	int64_t plane;             /* tiles from point to point: an odd number, as strides of whole pages would fall on few lines of a cache */
	int64_t channels, outputs; /* of the scratch: with zeros up to whole vectors */
	int vector;                /* of the transforms */
	int32_t inputs, products;
};

/*
 * [36][outputs][channels], packed for the tile.  Floats in fp16, too: the output transform would multiply the error of halves by ten and more.
 */
static int32_t packed_filters(struct vrs_ocl_plan *plan, const struct vrs_ocl_conv *conv, const struct tiles *tiles, const struct vrs_ocl_tile *tile)
{
	size_t channels = (size_t)conv->channels, outputs = (size_t)conv->outputs, width = (size_t)tiles->channels, pitch, elements;

	if (!vrs_mul_size(width, (size_t)tiles->outputs, &pitch) || !vrs_mul_size(pitch, POINTS, &elements) || elements > INT32_MAX)
		return VRS_ELIMIT;
	float *points = vrs_calloc(elements + 1, sizeof *points);

	if (!points)
		return VRS_ENOMEM;
	for (size_t o = 0; o < outputs; o++)
		for (size_t c = 0; c < channels; c++)
			transform_filter(conv->weights + o * TAPS * TAPS * channels + c, channels, points + o * width + c, pitch);
	int32_t value = vrs_ocl_gemm_pack(plan, tile, POINTS, tiles->outputs, tiles->channels, points, true);

	vrs_free(points);
	return value;
}

/*
 * One channel an item where many items run at once, as 36 points of a vector would fill their registers; products read four at a time.  CPUs: the
 * longest vector that adds no more zeros than a shorter one does.
 */
static void choose_vector(const struct vrs_ocl_plan *plan, const struct vrs_ocl_conv *conv, struct tiles *tiles)
{
	bool long_fits = vrs_ocl_rounded(conv->channels, 16) == vrs_ocl_rounded(conv->channels, 8) &&
			 vrs_ocl_rounded(conv->outputs, 16) == vrs_ocl_rounded(conv->outputs, 8);
	int unit = plan->caps.vendor != VRS_OCL_VENDOR_CPU ? 4 : long_fits ? 16 : 8;

	tiles->vector = unit == 4 ? 1 : unit;
	tiles->channels = vrs_ocl_rounded(conv->channels, unit);
	tiles->outputs = vrs_ocl_rounded(conv->outputs, unit);
}

static int32_t scratch(struct vrs_ocl_plan *plan, int64_t tiles, int64_t channels)
{
	size_t elements;

	if (!vrs_mul_size((size_t)tiles, (size_t)channels, &elements) || !vrs_mul_size(elements, POINTS, &elements))
		return VRS_ELIMIT;
	return vrs_ocl_scratch(plan, elements);
}

static enum vrs_status end_transform(struct vrs_ocl_plan *plan, const struct vrs_ocl_conv *conv, const struct tiles *tiles, int64_t channels,
				     struct vrs_error *err)
{
	size_t items = (size_t)(channels / tiles->vector), group = 1;

	while (group < 64 && group < items && 2 * group <= plan->caps.max_group && plan->caps.vendor != VRS_OCL_VENDOR_CPU)
		group *= 2;
	vrs_ocl_define_vector(plan, tiles->vector);
	return vrs_ocl_step_end_folded(plan, 2, (size_t[]){items, (size_t)tiles->x, (size_t)(conv->batch * tiles->y)}, (size_t[]){group, 1, 1}, err);
}

static enum vrs_status input_step(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct vrs_ocl_conv *conv, const struct tiles *tiles,
				  struct vrs_error *err)
{
	int vector = tiles->vector;
	int32_t x = vrs_ocl_value_of(plan, node->in[0]);
	bool tail = conv->channels < tiles->channels;

	vrs_ocl_step_begin(plan, node, "winograd_in");
	vrs_ocl_arg_value(plan, "x", x);
	vrs_ocl_define_vector_access(plan, "x", x, vector, !tail);
	vrs_ocl_arg_value(plan, "v", tiles->inputs);
	vrs_ocl_define_vector_access(plan, "v", tiles->inputs, vector, true);
	vrs_ocl_define_int(plan, "TAIL", tail);
	const int64_t sizes[] = {conv->height, conv->width, conv->channels, tiles->x, tiles->y, tiles->plane, tiles->channels, conv->window.pad_top,
				 conv->window.pad_left};

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		vrs_ocl_arg_int(plan, sizes[i]);
	return end_transform(plan, conv, tiles, tiles->channels, err);
}

static enum vrs_status output_step(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct vrs_ocl_conv *conv, const struct tiles *tiles,
				   struct vrs_error *err)
{
	int vector = tiles->vector;
	int32_t y = vrs_ocl_value_of(plan, node->out), b = conv->bias ? vrs_ocl_padded_bias(plan, conv->bias, 1, conv->outputs, tiles->outputs) : -1;
	bool tail = conv->outputs < tiles->outputs;

	vrs_ocl_step_begin(plan, node, "winograd_out");
	vrs_ocl_arg_value(plan, "m", tiles->products);
	vrs_ocl_define_vector_access(plan, "m", tiles->products, vector, true);
	vrs_ocl_define_int(plan, "BIAS", conv->bias != NULL);
	if (conv->bias) {
		vrs_ocl_arg_value(plan, "b", b);
		vrs_ocl_define_vector_access(plan, "b", b, vector, true);
	}
	vrs_ocl_arg_value(plan, "y", y);
	vrs_ocl_define_vector_access(plan, "y", y, vector, !tail);
	vrs_ocl_define_int(plan, "TAIL", tail);
	const int64_t sizes[] = {conv->out_height, conv->out_width, conv->outputs, tiles->x, tiles->y, tiles->plane, tiles->outputs};

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		vrs_ocl_arg_int(plan, sizes[i]);
	vrs_ocl_vector_epilogue(plan, node, vector, !tail);
	return end_transform(plan, conv, tiles, tiles->outputs, err);
}

static enum vrs_status product_step(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct vrs_ocl_conv *conv,
				    const struct tiles *tiles, const struct vrs_ocl_tile *tile, struct vrs_error *err)
{
	const struct vrs_ocl_conv product = {
		.batch = POINTS, .height = 1, .width = tiles->plane, .channels = tiles->channels, .out_height = 1, .out_width = tiles->all,
		.outputs = tiles->outputs, .pointwise = true,
		.window = {.kernel_h = 1, .kernel_w = 1, .stride_h = 1, .stride_w = 1, .dilation_h = 1, .dilation_w = 1, .groups = 1},
	};
	const struct vrs_ocl_gemm gemm = {
		.conv = &product, .planes = POINTS, .x = tiles->inputs, .w = packed_filters(plan, conv, tiles, tile), .bias = -1, .scale = -1,
		.y = tiles->products,
	};

	return vrs_ocl_gemm_step(plan, node, &gemm, tile, err);
}

enum vrs_status vrs_ocl_winograd_steps(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct vrs_ocl_conv *conv,
				       const struct vrs_ocl_tile *tile, struct vrs_error *err)
{
	struct tiles tiles = {.x = (conv->out_width + STEP - 1) / STEP, .y = (conv->out_height + STEP - 1) / STEP};

	tiles.all = conv->batch * tiles.y * tiles.x;
	tiles.plane = tiles.all | 1;
	choose_vector(plan, conv, &tiles);
	tiles.inputs = scratch(plan, tiles.plane, tiles.channels);
	tiles.products = scratch(plan, tiles.plane, tiles.outputs);
	enum vrs_status status = input_step(plan, node, conv, &tiles, err);

	if (status == VRS_OK)
		status = product_step(plan, node, conv, &tiles, tile, err);
	return status == VRS_OK ? output_step(plan, node, conv, &tiles, err) : status;
}
