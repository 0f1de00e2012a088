/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How a dense convolution is computed: directly, or with 3x3 and 5x5 taps by Winograd tiles of 4x4 or 2x2 outputs; and which concatenations its
 * transforms read through.
 *
 * The model counts cycles of one core with two multiply-add pipes, fitted on Zen 3 (AVX2): product tiles run at 93 % of the peak, one vector of
 * channels of a tile takes 350, 170, 70 cycles in the input transform with 8, 6, 4 pixels a side, and 230, 150, 100, 55 in the output transform of
 * F(4, 5), F(4, 3), F(2, 5), F(2, 3), with the map in the last-level cache, and weights stream in at 8 bytes a cycle where a batch of tiles cannot
 * keep them in the second-level cache, hidden behind the products.
 *
 * Groups are convolutions of their own on the same tiles.
 *
 * In bfloat16, 3x3 convolutions may go by strips of four rows (kernels.h): Zen 5, Robust Video Matting at 256x256, its 13 layers of 16 to 171
 * channels took 5.4 ms that way, 6.5 as float tiles and 6.9 directly.
 *
 * Channels: the transformed inputs of a batch fill half of the second-level cache.  Where the fewest tiles that are worth a pass over the weights do
 * not fit by far, blocks of 64 channels are transformed and multiplied, the sums of all outputs wait in the last-level cache, and the weights are
 * fetched a point ahead: F(2, 5) of 1280 to 96 channels 46 ms in one piece, 28 in blocks; F(4, 3) of 256 to 256 4.7 and 3.9, 128 to 128 the same.
 */
#include "backend/cpu/plan/cpu_plan_conv.h"

#include "backend/cpu/plan/cpu_plan_reach.h"
#include "base/assert.h"
#include "graph/pass_edit.h"
#include "kernels/weight_pack.h"
#include "kernels/winograd.h"

#define DIRECT_EFFICIENCY 0.93
#define PRODUCT_EFFICIENCY 0.90
#define STREAM_BYTES 8.0
#define MIN_TILES 24        /* a batch: whole register tiles of 6, 8 and 12 */
#define MAX_TILES 48
#define MAX_TILES_4 96      /* of 4 x 4 inputs */
#define BLOCK 64            /* channels at a time, of many */
#define BLOCK_TILES 64
#define STRIP_INPUT_CYCLES 12.0  /* of the transforms of a strip, a vector of channels of a pixel */
#define STRIP_OUTPUT_CYCLES 14.0
#define STRIP_MAX_CHANNELS (1 << 16)
#define STRIP_MIN_PIXELS 48      /* at a time: several register tiles share each pass over the weights */
#define STRIP_MAX_PIXELS 256
#define MAX_BF16_ROW (1 << 28)   /* elements */
#define BF16_POINTWISE_PIXELS 96 /* rows of a pointwise convolution are taken together up to here */

bool vrs_cpu_act_has_kernel(enum vrs_act act)
{
	return act <= VRS_ACT_RECIPROCAL;
}

/*
 * Of one image, so that a batch does not change how a picture is computed, and with that its bits.  in, out: of a group, of which as many count as
 * one as vrs_cpu_groups_together says.
 */
struct conv_shape {
	int height, width, in, out, groups, taps, dilation;
};

int vrs_cpu_groups_together(const struct vrs_cpu_plan *plan, int groups, int out)
{
	int together = 1;
	for (int i = 2; i * out <= plan->kernels.lanes && i <= groups / 2; i++)
		if (groups % i == 0)
			together = i;
	return together;
}

/* A 3x3 or 5x5 convolution with stride 1 on floats, dense or in groups, whose weights are known. */
static bool read_shape(const struct vrs_cpu_plan *plan, const struct vrs_node *node, struct conv_shape *shape)
{
	const struct vrs_graph *graph = &plan->graph;
	const struct vrs_window *w = &node->u.window;
	if (node->op != VRS_OP_CONV || vrs_node_is_depthwise(graph, node))
		return false;
	const struct vrs_graph_tensor *in = &graph->tensors[node->in[0]], *out = &graph->tensors[node->out];
	bool square = (w->kernel_h == 3 || w->kernel_h == 5) && w->kernel_w == w->kernel_h && w->dilation_h == w->dilation_w;
	if (!square || w->stride_h != 1 || w->stride_w != 1 || w->groups < 1)
		return false;
	if (node->scale >= 0 || in->rank != 4 || out->rank != 4 || !vrs_cpu_act_has_kernel(node->act))
		return false;
	if (in->dtype != VRS_F32 || out->dtype != VRS_F32 || !graph->tensors[node->in[1]].data || graph->tensors[node->in[1]].dtype != VRS_F32)
		return false;
	if (node->inputs > 2 && node->in[2] >= 0 && !graph->tensors[node->in[2]].data)
		return false;
	int groups = w->groups / vrs_cpu_groups_together(plan, w->groups, (int)out->dims[3] / w->groups);
	*shape = (struct conv_shape){(int)out->dims[1], (int)out->dims[2], (int)in->dims[3] / groups, (int)out->dims[3] / groups, groups, w->kernel_h,
				     w->dilation_h};
	return true;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static double direct_cycles(const struct vrs_cpu_plan *plan, const struct conv_shape *s)
{
	int lanes = plan->kernels.lanes, vectors = (s->out + lanes - 1) / lanes;
	double taps = s->taps * s->taps, each = plan->dot && s->groups == 1 ? 4.0 : 2.0;
	double products = (double)s->height * s->width * taps * s->in * vectors / each;
	/* One vector wide, a tile is bound by the loads of its inputs. */
	return larger(products / (vectors == 1 ? 0.75 : DIRECT_EFFICIENCY), taps * s->in * s->out * sizeof(float) / STREAM_BYTES);
}

/* Tiles along an axis of `size` pixels, in all its phases. */
static double tiles_along(int size, int m, int dilation)
{
	double tiles = 0;
	for (int phase = 0; phase < dilation && phase < size; phase++)
		tiles += ((size - phase + dilation - 1) / dilation + m - 1) / m;
	return tiles;
}

static double wino_cycles(const struct vrs_cpu_plan *plan, const struct conv_shape *s, int m)
{
	int lanes = plan->kernels.lanes, vectors = (s->out + lanes - 1) / lanes, inputs = (s->in + lanes - 1) / lanes;
	int side = VRS_WINO_SIDE(m, s->taps), points = side * side;
	double tiles = tiles_along(s->height, m, s->dilation) * tiles_along(s->width, m, s->dilation);
	double weights = (double)points * s->in * vectors * lanes * sizeof(float);
	double batches = tiles / vrs_cpu_wino_tiles(plan, m, s->taps, s->in);
	double stream = weights * (weights > (double)plan->cache_bytes ? (batches > 1 ? batches : 1) : 1) / STREAM_BYTES;
	double products = tiles * points * s->in * vectors / 2.0 / PRODUCT_EFFICIENCY;
	double input = side == 8 ? 350.0 : side == 6 ? 170.0 : 70.0, output = side == 8 ? 230.0 : m == 4 ? 150.0 : side == 6 ? 100.0 : 55.0;
	return larger(products, stream) + tiles * (inputs * input + vectors * output);
}

/* Products of all pixels of a row of strips, and transforms that take so many cycles a vector of channels of a pixel. */
static double strip_cycles(const struct conv_shape *s)
{
	double inputs = (s->in + 15) / 16, vectors = (s->out + 15) / 16, pixels = (double)((s->height + 3) / 4) * s->width;
	double products = VRS_STRIP_POINTS * VRS_BF16_PAIRS(3 * s->in) * vectors / 2.0 / PRODUCT_EFFICIENCY;
	return pixels * (products + inputs * STRIP_INPUT_CYCLES + vectors * STRIP_OUTPUT_CYCLES);
}

int vrs_cpu_conv_candidates(const struct vrs_cpu_plan *plan, const struct vrs_node *node, struct vrs_cpu_conv_candidate *candidates)
{
	struct conv_shape shape;
	candidates[0] = (struct vrs_cpu_conv_candidate){0, 0};
	if (!read_shape(plan, node, &shape))
		return 1;
	candidates[0].cycles = direct_cycles(plan, &shape);
	candidates[1] = (struct vrs_cpu_conv_candidate){4, wino_cycles(plan, &shape, 4)};
	candidates[2] = (struct vrs_cpu_conv_candidate){2, wino_cycles(plan, &shape, 2)};
	for (int i = 0; i < 3; i++)
		candidates[i].cycles *= shape.groups;
	if (!plan->dot || shape.groups > 1 || shape.taps != 3 || shape.dilation != 1 || shape.in > STRIP_MAX_CHANNELS || shape.out > STRIP_MAX_CHANNELS)
		return 3;
	candidates[3] = (struct vrs_cpu_conv_candidate){VRS_CPU_STRIPS, strip_cycles(&shape)};
	return 4;
}

int vrs_cpu_conv_choose(const struct vrs_cpu_plan *plan, const struct vrs_node *node)
{
	struct vrs_cpu_conv_candidate candidates[VRS_CPU_CONV_CANDIDATES];
	int count = vrs_cpu_conv_candidates(plan, node, candidates), best = 0;
	if (plan->tuned && count > 1)
		return plan->tuned[node - plan->graph.nodes].m;
	for (int i = 1; i < count; i++)
		if (candidates[i].cycles < candidates[best].cycles)
			best = i;
	return candidates[best].m;
}

/* Channels that are transformed and multiplied at a time: all, or where those of a batch do not fit the cache, blocks. */
static int wino_block(const struct vrs_cpu_plan *plan, int m, int taps, int channels)
{
	int side = VRS_WINO_SIDE(m, taps);
	size_t least = (size_t)(side * side) * (size_t)channels * MIN_TILES * sizeof(float);
	return least > plan->cache_bytes / 2 * 3 ? BLOCK : channels;
}

int vrs_cpu_wino_tiles(const struct vrs_cpu_plan *plan, int m, int taps, int channels)
{
	int side = VRS_WINO_SIDE(m, taps);
	if (wino_block(plan, m, taps, channels) < channels)
		return side == 4 ? MAX_TILES_4 : BLOCK_TILES;
	size_t tile = (size_t)(side * side) * (size_t)channels * sizeof(float);
	int fit = (int)(plan->cache_bytes / tile > VRS_CPU_WINO_MAX_TILES ? VRS_CPU_WINO_MAX_TILES : plan->cache_bytes / tile) / 12 * 12;
	int most = side == 4 ? MAX_TILES_4 : MAX_TILES;
	return fit < MIN_TILES ? MIN_TILES : fit > most ? most : fit;
}

/* A convolution by tiles, that takes the parts one after the other. */
static bool takes_parts(const void *cookie, const struct vrs_graph *graph, int32_t node)
{
	return ((const int *)cookie)[node] && graph->nodes[node].u.window.groups <= 1;
}

bool vrs_cpu_concat_is_read_through(const struct vrs_cpu_plan *plan, const struct vrs_node *node, const int *tile)
{
	const struct vrs_graph_tensor *out = &plan->graph.tensors[node->out];
	if (node->op != VRS_OP_CONCAT || node->dead || out->rank != 4 || out->dtype != VRS_F32 || node->u.concat.axis != 3)
		return false;
	return node->act == VRS_ACT_NONE && node->residual < 0 && !vrs_node_reads_nothing(&plan->graph, node) &&
	       vrs_is_read_first_by(&plan->graph, node->out, takes_parts, tile);
}

/* Scratch of the operation: transforms and products, then the columns of the tiles at the borders. */
void vrs_cpu_lower_wino(struct vrs_cpu_plan *plan, struct vrs_cpu_op *op, int m)
{
	int channels[VRS_NODE_MAX_INPUTS], all = 0, taps = op->window.kernel_h, side = VRS_WINO_SIDE(m, taps), lanes = plan->kernels.lanes;
	for (int i = 0; i < op->inputs; i++) {
		channels[i] = plan->values[op->in[i]].channels;
		all += channels[i];
	}
	VRS_ASSERT((m == 2 || m == 4) && op->window.kernel_w == taps && (taps == 3 || taps == 5));
	vrs_cpu_op_set_kind(op, VRS_CPU_WINOGRAD);
	op->tile = m;
	int out = plan->values[op->out].channels, groups = op->window.groups;
	op->groups = groups / vrs_cpu_groups_together(plan, groups, out / groups);
	op->group_in = all / op->groups;
	op->group_out = out / op->groups;
	op->tiles = plan->tuned && plan->tuned[op->node].tiles > 0 ? plan->tuned[op->node].tiles : vrs_cpu_wino_tiles(plan, m, taps, op->group_in);
	VRS_ASSERT(op->tiles > 0 && op->tiles <= VRS_CPU_WINO_MAX_TILES);
	VRS_ASSERT(op->groups == 1 || op->inputs == 1);
	op->block = wino_block(plan, m, taps, op->group_in);
	struct vrs_wino_batch batch = {
		.m = m, .taps = taps, .tiles = op->tiles, .sources = op->inputs, .channels = op->groups > 1 ? &op->group_in : channels, .k = op->group_in,
		.n = op->group_out, .block = op->block,
	};
	op->weights_count = (size_t)op->groups * vrs_pack_wino_size(m, taps, op->group_out, op->group_in, lanes);
	op->bias_count = (size_t)op->groups * vrs_pack_size(op->group_out, 1, lanes);
	op->border_scratch = (vrs_wino_scratch(&batch, lanes) + 15) / 16 * 16;
	op->temp_count = op->border_scratch + (size_t)VRS_CPU_WINO_BORDERS * (size_t)(side * side) * (size_t)all;
}

/*
 * Scratch of the operation: transformed inputs as bfloat16, then products, of as many pixels (with two beyond each row) as fill half of the cache.
 * Rows of narrow maps go through together.
 */
void vrs_cpu_lower_strips(struct vrs_cpu_plan *plan, struct vrs_cpu_op *op)
{
	int in = 0, lanes = plan->kernels.lanes, width = plan->values[op->out].width;
	for (int i = 0; i < op->inputs; i++)
		in += plan->values[op->in[i]].channels;
	vrs_cpu_op_set_kind(op, VRS_CPU_WINOGRAD);
	op->routine = VRS_CPU_RUN_STRIPS_BF16;
	op->tile = VRS_STRIP_ROWS;
	op->groups = 1;
	op->group_in = in;
	op->group_out = plan->values[op->out].channels;
	size_t products = vrs_pack_size(op->group_out, 1, lanes);
	size_t pixel = VRS_STRIP_POINTS * ((size_t)in * sizeof(uint16_t) + products * sizeof(float));
	size_t fit = plan->cache_bytes / 2 / pixel;
	op->block = fit < STRIP_MIN_PIXELS ? STRIP_MIN_PIXELS : fit > STRIP_MAX_PIXELS ? STRIP_MAX_PIXELS : (int)fit;
	int strips = op->block / (width + 2), across = (width + VRS_STRIP_ROWS - 1) / VRS_STRIP_ROWS;
	op->tiles = (strips > 1 ? strips : 1) * across;
	op->half_weights = true;
	op->weights_count = vrs_pack_strips_size(op->group_out, in, lanes);
	op->bias_count = products;
	op->temp_px = (op->block * in + 31) / 32 * 32;
	op->border_scratch = VRS_STRIP_POINTS * (size_t)op->temp_px / 2;
	op->temp_count = op->border_scratch + VRS_STRIP_POINTS * (size_t)vrs_cpu_strip_products(plan, op);
}

/* Pixels of a ring row: left zeros, the picture, right zeros as far as windows reach. */
static int bf16_columns(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op)
{
	int reach = (int)vrs_cpu_op_columns(plan, op), own = op->window.pad_left + plan->values[op->in[0]].width;
	return reach > own ? reach : own;
}

bool vrs_cpu_conv_takes_bf16(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op)
{
	return plan->dot && op->kind == VRS_CPU_CONV && op->groups == 1 && (double)bf16_columns(plan, op) * op->group_in < MAX_BF16_ROW;
}

int vrs_cpu_conv_segments(const struct vrs_cpu_op *op, int *ret_klen)
{
	const struct vrs_window *w = &op->window;
	*ret_klen = w->dilation_w == 1 ? w->kernel_w * op->group_in : op->group_in;
	return w->dilation_w == 1 ? w->kernel_h : w->kernel_h * w->kernel_w;
}

/* Ring: the rows of a window, or as many as a pointwise convolution takes at once; then floats of one row for the factors. */
void vrs_cpu_lower_bf16(struct vrs_cpu_plan *plan, struct vrs_cpu_op *op)
{
	const struct vrs_window *w = &op->window;
	size_t row = (size_t)bf16_columns(plan, op) * (size_t)op->group_in;
	int klen, segs = vrs_cpu_conv_segments(op, &klen);
	op->dot = true;
	op->half_weights = true;
	op->prepared = false;
	op->weights_count = vrs_pack_size(op->group_out, segs * 2 * VRS_BF16_PAIRS(klen), plan->kernels.lanes);
	op->routine = VRS_CPU_RUN_CONV_BF16;
	op->temp_rows = (w->kernel_h - 1) * w->dilation_h + 1;
	if (op->temp_rows == 1)
		op->temp_rows = (BF16_POINTWISE_PIXELS + bf16_columns(plan, op) - 1) / bf16_columns(plan, op);
	VRS_ASSERT(op->temp_rows > 0 && row > 0 && row < MAX_BF16_ROW);
	op->temp_px = (int)row;
	op->temp_count = ((size_t)op->temp_rows * row + 1) / 2 + row;
}
