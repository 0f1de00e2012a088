/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Winograd convolutions of the CPU plan: the tiles of some output rows as batches for the kernel.
 *
 * Tiles lie on a grid fixed to the picture, so that an output does not depend on the bands.  With dilation d the grid is d x d grids of every d-th
 * row and column.  A tile row is cut into single tiles at the left and right border, whose columns are copied with zeros beside them, and one run of
 * tiles between, which reads the input where it lies.
 */
#include <string.h>

#include "backend/cpu/exec/cpu_routines.h"
#include "backend/cpu/plan/cpu_plan_conv.h"
#include "base/assert.h"
#include "kernels/winograd.h"

struct tiling {
	const struct vrs_cpu_op *op;
	struct vrs_cpu_thread *thread;
	int image, y0, y1, m, side, dilation, sources;
	int channels[VRS_NODE_MAX_INPUTS];
	ptrdiff_t px[VRS_NODE_MAX_INPUTS];             /* floats between taps in the inputs; copied columns: the channels */
	ptrdiff_t copied_px[VRS_NODE_MAX_INPUTS];
	/* The current row of tiles. */
	const float *rows[VRS_NODE_MAX_INPUTS][VRS_WINO_MAX_SIDE]; /* NULL: outside the picture */
	float *out[VRS_WINO_MAX_M];                    /* NULL: not wanted */
	const float *residual[VRS_WINO_MAX_M];
	int phase, columns;                            /* first column, and columns of the phase */
	/* The batch so far. */
	struct vrs_wino_run runs[VRS_CPU_WINO_MAX_TILES];
	int run_count, tiles, borders;
};

/* From a group to the next. */
static void next_group(struct tiling *t, struct vrs_wino_batch *batch)
{
	const struct vrs_cpu_op *op = t->op;
	for (int i = 0; i < t->run_count * t->side; i++)
		t->thread->seg[i] += op->group_in;
	for (int r = 0; r < t->run_count; r++)
		for (int i = 0; i < t->m; i++) {
			t->runs[r].out[i] += t->runs[r].out[i] ? op->group_out : 0;
			t->runs[r].residual[i] += t->runs[r].residual[i] ? op->group_out : 0;
		}
	batch->weights += op->weights_count / (size_t)op->groups;
	batch->bias += op->bias_count / (size_t)op->groups;
}

static void flush(struct tiling *t)
{
	const struct vrs_cpu_op *op = t->op;
	const struct vrs_cpu_plan *plan = t->thread->plan;
	struct vrs_wino_batch batch = {
		.m = t->m, .taps = op->window.kernel_h, .runs = t->runs, .run_count = t->run_count, .tiles = t->tiles, .sources = t->sources,
		.channels = op->groups > 1 ? &op->group_in : t->channels, .k = op->group_in, .n = op->group_out, .block = op->block,
		.weights = plan->weights + op->weights_offset, .bias = plan->weights + op->bias_offset,
		.out_px = (ptrdiff_t)t->dilation * plan->values[op->out].channels, .epilogue = vrs_cpu_epilogue(op, t->thread, t->image, t->y0, 0),
		.scratch = t->thread->scratch + op->temp_scratch,
	};
	batch.epilogue.residual_px = batch.out_px;
	for (int g = 0; g < op->groups && t->tiles > 0; g++) {
		if (g > 0)
			next_group(t, &batch);
		plan->kernels.winograd(&batch);
	}
	t->run_count = t->tiles = t->borders = 0;
}

/* Rows of the tile row that starts at output row y, and whether any of its outputs is wanted. */
static bool find_rows(struct tiling *t, int y)
{
	const struct vrs_cpu_op *op = t->op;
	const struct vrs_cpu_plan *plan = t->thread->plan;
	bool any = false;
	for (int i = 0; i < t->m; i++) {
		int64_t at = (int64_t)y + (int64_t)i * t->dilation;
		bool wanted = at >= t->y0 && at < t->y1;
		t->out[i] = wanted ? vrs_cpu_out_row(t->thread, op->out, t->image, (int)at) : NULL;
		t->residual[i] = wanted && op->fused_residual ? vrs_cpu_row(t->thread, op->residual, t->image, (int)at) : NULL;
		any = any || wanted;
	}
	for (int s = 0; any && s < t->sources; s++) {
		for (int i = 0; i < t->side; i++) {
			int64_t at = (int64_t)y - op->window.pad_top + (int64_t)i * t->dilation;
			bool inside = at >= 0 && at < plan->values[op->in[s]].height;
			t->rows[s][i] = inside ? vrs_cpu_row(t->thread, op->in[s], t->image, (int)at) : NULL;
		}
	}
	return any;
}

/* The next run of the batch: `tiles` tiles from number `first`; its row pointers are still to be filled in. */
static const float **add_run(struct tiling *t, int first, int tiles, const ptrdiff_t *px)
{
	const float **rows = t->thread->seg + (ptrdiff_t)t->run_count * t->sources * t->side;
	VRS_ASSERT(t->run_count < VRS_CPU_WINO_MAX_TILES && t->tiles + tiles <= t->op->tiles);
	VRS_ASSERT((size_t)(t->run_count + 1) * (size_t)(t->sources * t->side) <= t->thread->plan->max_segs);
	struct vrs_wino_run *run = &t->runs[t->run_count++];
	int left = t->columns - (first + tiles - 1) * t->m, x = t->phase + first * t->m * t->dilation;
	ptrdiff_t at = (ptrdiff_t)x * t->thread->plan->values[t->op->out].channels;
	*run = (struct vrs_wino_run){.rows = rows, .in_px = px, .tiles = tiles, .columns = left < t->m ? left : t->m};
	for (int i = 0; i < t->m; i++) {
		run->out[i] = t->out[i] ? t->out[i] + at : NULL;
		run->residual[i] = t->residual[i] ? t->residual[i] + at : NULL;
	}
	t->tiles += tiles;
	return rows;
}

/* Input column of tap 0 of a tile. */
static int64_t input_column(const struct tiling *t, int tile)
{
	return (int64_t)t->phase + (int64_t)tile * t->m * t->dilation - t->op->window.pad_left;
}

/* One tile with columns outside the picture. */
static void add_border(struct tiling *t, int tile)
{
	const struct vrs_cpu_plan *plan = t->thread->plan;
	VRS_ASSERT(t->borders < VRS_CPU_WINO_BORDERS);
	const float **rows = add_run(t, tile, 1, t->copied_px);
	float *to = t->thread->scratch + t->op->temp_scratch + t->op->border_scratch;
	to += (ptrdiff_t)t->borders++ * t->side * t->side * t->op->group_in * t->op->groups;
	for (int s = 0; s < t->sources; s++) {
		size_t pixel = (size_t)t->channels[s];
		int width = plan->values[t->op->in[s]].width;
		for (int i = 0; i < t->side; i++) {
			rows[s * t->side + i] = to;
			for (int j = 0; j < t->side; j++, to += pixel) {
				int64_t x = input_column(t, tile) + (int64_t)j * t->dilation;
				if (t->rows[s][i] && x >= 0 && x < width)
					memcpy(to, t->rows[s][i] + (size_t)x * pixel, pixel * sizeof *to);
				else
					memset(to, 0, pixel * sizeof *to);
			}
		}
	}
}

static void add_inner(struct tiling *t, int first, int tiles)
{
	const float **rows = add_run(t, first, tiles, t->px);
	for (int s = 0; s < t->sources; s++) {
		for (int i = 0; i < t->side; i++) {
			const float *row = t->rows[s][i] ? t->rows[s][i] : t->thread->plan->zeros;
			rows[s * t->side + i] = row + (ptrdiff_t)input_column(t, first) * t->channels[s];
		}
	}
}

static bool is_inner(const struct tiling *t, int tile)
{
	int64_t first = input_column(t, tile), last = first + (int64_t)(t->side - 1) * t->dilation;
	return first >= 0 && last < t->thread->plan->values[t->op->in[0]].width;
}

/* The tiles of a row of tiles, from number `tile` to `end`. */
static void add_tiles(struct tiling *t, int tile, int end)
{
	int count = (t->columns + t->m - 1) / t->m;
	for (count = count < end ? count : end; tile < count;) {
		bool inner = is_inner(t, tile);
		int tiles = 1;
		if (t->tiles == t->op->tiles || (!inner && t->borders == VRS_CPU_WINO_BORDERS))
			flush(t);
		while (inner && tile + tiles < count && t->tiles + tiles < t->op->tiles && is_inner(t, tile + tiles))
			tiles++;
		if (inner)
			add_inner(t, tile, tiles);
		else
			add_border(t, tile);
		tile += tiles;
	}
}

void vrs_cpu_rows_wino(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	struct tiling t = {
		.op = op, .thread = thread, .image = image, .y0 = y0, .y1 = y1, .m = op->tile, .dilation = op->window.dilation_h,
		.sources = op->inputs, .side = VRS_WINO_SIDE(op->tile, op->window.kernel_h),
	};
	int width = plan->values[op->out].width, unit = t.m * t.dilation;
	for (int s = 0; s < t.sources; s++) {
		t.channels[s] = plan->values[op->in[s]].channels;
		t.copied_px[s] = t.channels[s];
		t.px[s] = (ptrdiff_t)t.dilation * t.channels[s];
	}
	for (int y = y0 / unit * unit; y < y1; y += unit) {
		int begin, end;
		vrs_cpu_share_columns(op, thread, y, y0, y1, &begin, &end);
		for (int row = y; row < y + t.dilation; row++) {
			if (!find_rows(&t, row))
				continue;
			for (t.phase = 0; t.phase < t.dilation && t.phase < width; t.phase++) {
				t.columns = (width - t.phase + t.dilation - 1) / t.dilation;
				add_tiles(&t, begin / unit, (end + unit - 1) / unit);
			}
		}
	}
	flush(&t);
}
