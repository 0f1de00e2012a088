/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cuts finer than rows.  A map of one pixel (classifiers, squeeze-excitation) has but one row, and a map of 20 rows has 5 rows of Winograd tiles:
 * cut by rows, one of two threads would wait for all, or for a fifth, of the work.  So the first kind is cut by output channels, between the panels
 * of the packed weights, which also halves the weights that a core reads, and the second by tiles in the order of the picture.  Neither changes what
 * an output is the sum of.
 */
#include "backend/cpu_plan_sweep.h"

#define MIN_WEIGHTS (32 * 1024) /* of a layer cut by channels: some 5 us, ten times what it takes the threads to meet */
#define WORTH 0.97              /* tiles are cut apart when that makes the longest share shorter than this */

bool vrs_cpu_op_shares_channels(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op)
{
	const struct vrs_cpu_value *out = &plan->values[op->out];
	bool plain = op->kind == VRS_CPU_CONV && op->groups == 1 && !op->u8 && !op->dot && !op->prepared;
	return plan->threads > 1 && plain && out->height == 1 && out->width == 1 && op->weights_count >= MIN_WEIGHTS;
}

/* Winograd tiles of a value, whose phases of a dilation go together. */
struct grid {
	int unit, down, across;     /* rows and columns of a tile; tiles of an image */
	int64_t tiles;              /* of all images */
};

static struct grid grid_of(const struct vrs_cpu_plan *plan, const struct vrs_cpu_op *op)
{
	const struct vrs_cpu_value *out = &plan->values[op->out];
	int unit = op->tile * op->window.dilation_h;
	struct grid grid = { .unit = unit, .down = (out->height + unit - 1) / unit, .across = (out->width + unit - 1) / unit };
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

bool vrs_cpu_plan_shares(const struct vrs_cpu_plan *plan, const struct vrs_cpu_region *region, int shares)
{
	const struct vrs_cpu_op *op = &plan->ops[region->first_op];
	return region->op_count == 1 && (vrs_cpu_op_shares_channels(plan, op) || shares_tiles(plan, op, shares));
}

/* Panels are of 2 vectors, the first one of 3 where their number is odd (weight_pack.h). */
static int panel_cut(int vectors, int share, int shares)
{
	int at = (int)((int64_t)vectors * share / shares);
	if (at == 0 || at == vectors)
		return at;
	at += (at ^ vectors) & 1;
	return at == 1 ? 3 : at;
}

static enum vrs_status push_channels(struct vrs_cpu_plan *plan, int op_id, int share, int shares)
{
	const struct vrs_cpu_op *op = &plan->ops[op_id];
	int lanes = plan->kernels.lanes, vectors = (op->group_out + lanes - 1) / lanes;
	int first = panel_cut(vectors, share, shares) * lanes, end = panel_cut(vectors, share + 1, shares) * lanes;
	enum vrs_status status = VRS_OK;
	end = end < op->group_out ? end : op->group_out;
	for (int image = 0; first < end && status == VRS_OK && image < plan->values[op->out].images; image++)
		status = vrs_cpu_plan_push(plan, (struct vrs_cpu_item){
			.op = op_id, .image = image, .y1 = 1, .own_end = 1, .share = { .c0 = first, .c1 = end },
		});
	return status;
}

static enum vrs_status push_tiles(struct vrs_cpu_plan *plan, int op_id, int share, int shares)
{
	const struct vrs_cpu_value *out = &plan->values[plan->ops[op_id].out];
	struct grid grid = grid_of(plan, &plan->ops[op_id]);
	int64_t each = (int64_t)grid.down * grid.across, tile = grid.tiles * share / shares, end = grid.tiles * (share + 1) / shares;
	enum vrs_status status = VRS_OK;
	while (status == VRS_OK && tile < end) {
		int image = (int)(tile / each), first = (int)(tile % each);
		int last = (int)(end - (int64_t)image * each < each ? end - (int64_t)image * each : each) - 1;
		int y1 = (last / grid.across + 1) * grid.unit, x1 = (last % grid.across + 1) * grid.unit;
		struct vrs_cpu_item item = { .op = op_id, .image = image, .y0 = first / grid.across * grid.unit };
		item.y1 = item.own_end = y1 < out->height ? y1 : out->height;
		item.share.x0 = first % grid.across * grid.unit;
		item.share.x1 = x1 < out->width ? x1 : out->width;
		status = vrs_cpu_plan_push(plan, item);
		tile = (int64_t)image * each + last + 1;
	}
	return status;
}

enum vrs_status vrs_cpu_plan_push_share(struct vrs_cpu_plan *plan, int op, int share, int shares)
{
	return plan->ops[op].kind == VRS_CPU_WINOGRAD ? push_tiles(plan, op, share, shares) : push_channels(plan, op, share, shares);
}
