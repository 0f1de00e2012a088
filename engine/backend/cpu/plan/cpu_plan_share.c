/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cuts finer than rows.  A map of one pixel (classifiers, squeeze-excitation) has but one row, a map of 20 rows has 5 rows of Winograd tiles, and 7
 * rows are 4 and 3: cut by rows, one of two threads would wait for all, a fifth or a seventh of the work.  So the first kind is cut by output
 * channels, between the panels of the packed weights, which also halves the weights that a core reads, the second by tiles in the order of the
 * picture, and regions of pointwise operations by pixels, whose average then is cut by channels.  None of it changes what an output is the sum of.
 */
#include "backend/cpu/plan/cpu_plan_share.h"

#include "backend/cpu/plan/cpu_plan_reach.h"
#include "base/assert.h"

#define MIN_WEIGHTS (32 * 1024) /* of a layer cut by channels, or floats of an average: some 5 us, ten times what it takes the threads to meet */
#define WORTH 0.97              /* tiles and pixels are cut apart when that makes the longest share shorter than this */
#define SMALL_MAP 256           /* pixels: regions of several operations on larger maps are cut by rows */
#define TILE_PIXELS 6           /* of a register tile two vectors wide, AVX2; 12 for AVX-512 */

/* Winograd tiles of a value, whose phases of a dilation go together. */
struct grid {
	int unit, down, across;     /* rows and columns of a tile; tiles of an image */
	int64_t tiles;              /* of all images */
};

static struct grid grid_of(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op)
{
	const struct vrs_cpu_value *out = &plan->values[op->out];
	int unit = op->tile * op->window.dilation_h;
	struct grid grid = {.unit = unit, .down = (out->height + unit - 1) / unit, .across = (out->width + unit - 1) / unit};
	grid.tiles = (int64_t)out->images * grid.down * grid.across;
	return grid;
}

/* The longest share as a multiple of the mean one. */
static double unevenness(int64_t pieces, int shares)
{
	return (double)((pieces + shares - 1) / shares * shares) / (double)pieces;
}

static bool shares_tiles(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op, int shares)
{
	const struct vrs_cpu_value *out = &plan->values[op->out];
	if (plan->threads == 1 || op->kind != VRS_CPU_WINOGRAD || !out->in_arena || out->half || out->sum_mem_item >= 0)
		return false;
	struct grid grid = grid_of(plan, op);
	return unevenness(grid.tiles, shares) < WORTH * unevenness((int64_t)out->images * grid.down, shares);
}

/* A dense convolution in floats; others of the kind make whole rows of all channels. */
static bool is_dense(const struct vrs_cpu_op *op)
{
	return op->routine == VRS_CPU_RUN_CONV && op->groups == 1;
}

/* Can an operation make single pixels, of what its region makes of the same pixels? */
static bool is_pixelwise(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op)
{
	const struct vrs_cpu_value *in = &plan->values[op->in[0]], *out = &plan->values[op->out];
	bool outside = in->op < 0 || plan->ops[in->op].region != op->region || plan->ops[in->op].kind == VRS_CPU_LOAD;
	bool stored = !out->half && out->sum_mem_item < 0 && out->pad_left + out->pad_right == 0;
	if (op->u8 || op->dot || !stored)
		return false;
	if (op->kind == VRS_CPU_CONV)
		return is_dense(op) && !op->edges && vrs_cpu_op_is_pointwise(plan, op);
	return (op->kind == VRS_CPU_DWCONV && outside) || op->routine == VRS_CPU_RUN_BINARY || op->routine == VRS_CPU_RUN_UNARY;
}

/* A share goes through its region in one piece, whose values between operations have to fit the cache, and into little memory for each thread. */
static bool shares_pixels(const struct vrs_cpu_plan *plan, const struct vrs_cpu_region *region, int shares)
{
	const struct vrs_cpu_value *last = &plan->values[plan->ops[region->first_op + region->op_count - 1].out];
	double bytes = 0;
	if (plan->threads == 1 || (region->op_count > 1 && (int64_t)last->height * last->width > SMALL_MAP))
		return false;
	for (int i = region->first_op; i < region->first_op + region->op_count; i++) {
		const struct vrs_cpu_op *op = &plan->ops[i];
		const struct vrs_cpu_value *out = &plan->values[op->out];
		if (op->kind == VRS_CPU_LOAD)
			continue;
		if (out != last)
			bytes += (double)vrs_cpu_row_floats(out) * (double)sizeof(float) * ((double)last->images * last->height / shares + 2);
		if (!is_pixelwise(plan, op) || out->images != last->images || out->height != last->height || out->width != last->width)
			return false;
	}
	int64_t rows = (int64_t)last->images * last->height;
	return bytes <= (double)plan->cache_bytes && unevenness(rows * last->width, shares) < WORTH * unevenness(rows, shares);
}

/*
 * A large average of what is made pixel by pixel, without sums of whole rows: it reads the tensor, in the same order.  Asked while regions are made
 * too, where those before the operation are known.
 */
static bool averages_pixels(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op)
{
	const struct vrs_cpu_value *in = &plan->values[op->in[0]];
	if (op->kind != VRS_CPU_GLOBAL_AVG || plan->half || in->op < 0 || in->sum_mem_item >= 0 || vrs_cpu_value_is_u8(in))
		return false;
	const struct vrs_cpu_region *known = plan->region_count > 0 ? &plan->regions[plan->region_count - 1] : NULL;
	if (!known || in->op >= known->first_op + known->op_count)
		return false; /* in the region that is being made, which this operation ends */
	double floats = (double)in->height * (double)vrs_cpu_row_floats(in);
	return floats >= MIN_WEIGHTS && shares_pixels(plan, &plan->regions[plan->ops[in->op].region], plan->threads);
}

static bool makes_one_pixel(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op)
{
	return plan->values[op->out].height == 1 && plan->values[op->out].width == 1;
}

bool vrs_cpu_op_shares_channels(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op)
{
	if (plan->threads == 1 || !makes_one_pixel(plan, op))
		return false;
	return (is_dense(op) && !op->prepared && op->weights_count >= MIN_WEIGHTS) || averages_pixels(plan, op);
}

bool vrs_cpu_op_stands_alone(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op)
{
	bool scaled = op->scale >= 0 && op->scaled_rows == 0;
	if (!plan->half_values)
		return vrs_cpu_op_shares_channels(plan, op);
	return makes_one_pixel(plan, op) && is_dense(op) && !scaled && op->weights_count >= MIN_WEIGHTS;
}

bool vrs_cpu_plan_shares(const struct vrs_cpu_plan *plan, const struct vrs_cpu_region *region, int shares)
{
	const struct vrs_cpu_op *op = &plan->ops[region->first_op];
	bool alone = region->op_count == 1;
	return (alone && (vrs_cpu_op_shares_channels(plan, op) || shares_tiles(plan, op, shares))) || shares_pixels(plan, region, shares);
}

/* Panels are of 2 vectors, the first one of 3 where their number is odd (weight_pack.h). */
static int panel_cut(int vectors, int share, int shares)
{
	int at = (int)((int64_t)vectors * share / shares);
	if (at == 0 || at == vectors)
		return at;
	at += (at ^ vectors) & 1;
	VRS_ASSERT(at > 0 && at <= vectors);
	return at == 1 ? 3 : at;
}

static enum vrs_status push_channels(struct vrs_cpu_plan *plan, int op_id, int share, int shares)
{
	const struct vrs_cpu_op *op = &plan->ops[op_id];
	int lanes = plan->kernels.lanes, channels = plan->values[op->out].channels, vectors = (channels + lanes - 1) / lanes;
	int first = panel_cut(vectors, share, shares) * lanes, end = panel_cut(vectors, share + 1, shares) * lanes;
	enum vrs_status status = VRS_OK;
	end = end < channels ? end : channels;
	for (int image = 0; first < end && status == VRS_OK && image < plan->values[op->out].images; image++)
		status = vrs_cpu_plan_push(plan, (struct vrs_cpu_item){
			.op = op_id, .image = image, .y1 = 1, .own_end = 1, .share = {.c0 = first, .c1 = end},
		});
	return status;
}

static enum vrs_status push_tiles(struct vrs_cpu_plan *plan, int op_id, int share, int shares)
{
	const struct vrs_cpu_value *out = &plan->values[plan->ops[op_id].out];
	struct grid grid = grid_of(plan, &plan->ops[op_id]);
	VRS_ASSERT(share >= 0 && share < shares);
	int64_t each = (int64_t)grid.down * grid.across, tile = grid.tiles * share / shares, end = grid.tiles * (share + 1) / shares;
	enum vrs_status status = VRS_OK;
	while (status == VRS_OK && tile < end) {
		int image = (int)(tile / each), first = (int)(tile % each);
		int last = (int)(end - (int64_t)image * each < each ? end - (int64_t)image * each : each) - 1;
		int y1 = (last / grid.across + 1) * grid.unit, x1 = (last % grid.across + 1) * grid.unit;
		struct vrs_cpu_item item = {.op = op_id, .image = image, .y0 = first / grid.across * grid.unit};
		item.y1 = item.own_end = y1 < out->height ? y1 : out->height;
		item.share.x0 = first % grid.across * grid.unit;
		item.share.x1 = x1 < out->width ? x1 : out->width;
		status = vrs_cpu_plan_push(plan, item);
		tile = (int64_t)image * each + last + 1;
	}
	return status;
}

/* Before a cut lie whole register tiles where that hardly makes the shares unequal. */
static int64_t pixel_cut(int64_t pixels, int share, int shares)
{
	int64_t at = pixels * share / shares, whole = (at + TILE_PIXELS / 2) / TILE_PIXELS * TILE_PIXELS;
	int64_t off = whole > at ? whole - at : at - whole;
	return share < shares && off * shares * 40 <= pixels ? whole : at;
}

/* Pixels [from, to) of an image. */
static enum vrs_status sweep_pixels(struct vrs_cpu_sweep *s, int image, int from, int to, bool emit)
{
	int width = vrs_cpu_sweep_value(s, s->count - 1)->width, y0 = from / width, y1 = (to + width - 1) / width;
	size_t first = s->plan->item_count;
	enum vrs_status status = vrs_cpu_sweep_band(s, image, y0, y1, 1 << 28, emit);
	for (size_t i = first; status == VRS_OK && i < s->plan->item_count; i++) {
		struct vrs_cpu_item *item = &s->plan->items[i];
		if (item->y1 >= 0 && s->plan->ops[item->op].kind != VRS_CPU_LOAD)
			item->share = (struct vrs_cpu_share){.x0 = from - y0 * width, .x1 = to - (y1 - 1) * width};
	}
	return status;
}

static enum vrs_status share_pixels(struct vrs_cpu_sweep *s, int share, int shares, bool emit)
{
	const struct vrs_cpu_value *last = vrs_cpu_sweep_value(s, s->count - 1);
	int64_t each = (int64_t)last->height * last->width, all = last->images * each;
	int64_t pixel = pixel_cut(all, share, shares), end = pixel_cut(all, share + 1, shares);
	enum vrs_status status = VRS_OK;
	while (status == VRS_OK && pixel < end) {
		int64_t image = pixel / each, to = end < (image + 1) * each ? end : (image + 1) * each;
		status = sweep_pixels(s, (int)image, (int)(pixel - image * each), (int)(to - image * each), emit);
		pixel = to;
	}
	return status;
}

enum vrs_status vrs_cpu_plan_share(struct vrs_cpu_sweep *s, int share, int shares, bool emit)
{
	const struct vrs_cpu_op *op = &s->plan->ops[s->first];
	if (s->count == 1 && op->kind == VRS_CPU_WINOGRAD)
		return emit ? push_tiles(s->plan, s->first, share, shares) : VRS_OK;
	if (s->count == 1 && vrs_cpu_op_shares_channels(s->plan, op))
		return emit ? push_channels(s->plan, s->first, share, shares) : VRS_OK;
	return share_pixels(s, share, shares, emit);
}
