/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which way a convolution is computed: the ways that fit a device and a shape, in the order of an estimate.  On GPUs it counts cycles, over tiles
 * that other engines choose (TFLite's GPU delegate, CLBlast's database for GeForce cards) and slices of them along k: large tiles multiply more for
 * what they read, small ones and slices leave no compute unit idle.  Its constants were fitted to 326 times of two networks on an H200, 11 % off on
 * average (docs/performance-log.md).  On CPUs a work-item is a loop nest for the compiler, and what PoCL makes of each was measured.
 */
#include "opencl/ocl_conv.h"

#define START 7500           /* cycles from kernel to kernel, 4.6 to 6.5 us on an H200 */
#define PLANE_BYTES (1 << 30) /* at most, of Winograd tiles of one picture */

struct ranked {
	struct vrs_ocl_tile tile;
	double cost;
};

struct ranking {
	struct ranked best[VRS_OCL_MAX_TILES];
	int count, max;
};

/* Insertion; of equal ones the first stays first. */
static void add(struct ranking *ranking, const struct vrs_ocl_tile *tile, double cost)
{
	int at = ranking->count;

	if (ranking->count < ranking->max)
		ranking->count++;
	else if (ranking->best[--at].cost <= cost)
		return;
	for (; at > 0 && ranking->best[at - 1].cost > cost; at--)
		ranking->best[at] = ranking->best[at - 1];
	ranking->best[at] = (struct ranked){*tile, cost};
}

/* Matrices of a product, `count` of them. */
struct product {
	int64_t count, m, n;
	int64_t k;
	double extra;              /* the cost of transforms */
};

static int64_t parts(int64_t value, int64_t size)
{
	return (value + size - 1) / size;
}

/* Floating point units of a compute unit: CUDA cores of a multiprocessor, lanes of an AMD compute unit, of an Intel execution unit. */
static double unit_lanes(enum vrs_ocl_vendor vendor)
{
	return vendor == VRS_OCL_VENDOR_NVIDIA ? 128 : vendor == VRS_OCL_VENDOR_INTEL ? 8 : 64;
}

/*
 * Cycles of a device, as on the H200.  With local memory each step costs a wait, whatever it holds, and an item what it multiplies and reads, times
 * how often the lanes are filled; slices share the steps, and pay for adding their sums.  Without it the wait is there for each product along k.
 * Other groups of a unit hide no wait: all of them wait, and what counts is when the last one ends.
 */
static double gpu_cost(const struct vrs_ocl_caps *caps, const struct product *p, const struct vrs_ocl_tile *tile)
{
	double units = caps->compute_units > 0 ? caps->compute_units : 1, size = (double)tile->group_n * tile->group_m * tile->split;
	double groups = (double)(p->count * parts(p->m, (int64_t)tile->group_m * tile->item_m) * parts(p->n, (int64_t)tile->group_n * tile->item_n));
	double products = (double)tile->item_m * tile->item_n, reads = tile->item_m + tile->item_n;
	double fills = groups * size / (units * unit_lanes(caps->vendor)), steps = (double)parts(p->k, (int64_t)tile->step_k * tile->split);

	fills = fills < 1 ? 1 : fills;
	if (!tile->local)
		return (double)p->k * (fills * (products + 10 * reads) + 250) + fills * 150;
	return steps * (tile->step_k * fills * 1.5 * (products + reads) + 1500) + fills * (tile->split > 1 ? 600 : 150);
}

static const struct vrs_ocl_tile gpu_tiles[] = {
	{.local = true, .group_n = 16, .group_m = 16, .item_n = 4, .item_m = 4, .vector = 4, .step_k = 16, .split = 1},
	{.local = true, .group_n = 8, .group_m = 8, .item_n = 8, .item_m = 8, .vector = 4, .step_k = 16, .split = 1},
	{.local = true, .group_n = 16, .group_m = 16, .item_n = 8, .item_m = 8, .vector = 4, .step_k = 16, .split = 1},
	{.local = true, .group_n = 16, .group_m = 8, .item_n = 4, .item_m = 8, .vector = 4, .step_k = 16, .split = 1},
	{.local = true, .group_n = 8, .group_m = 16, .item_n = 4, .item_m = 4, .vector = 4, .step_k = 16, .split = 1},
	{.local = true, .group_n = 8, .group_m = 16, .item_n = 4, .item_m = 8, .vector = 4, .step_k = 16, .split = 1},
	{.local = true, .group_n = 8, .group_m = 8, .item_n = 4, .item_m = 4, .vector = 4, .step_k = 32, .split = 1},
	{.local = true, .group_n = 4, .group_m = 16, .item_n = 4, .item_m = 4, .vector = 4, .step_k = 16, .split = 1},
	{.local = true, .group_n = 4, .group_m = 32, .item_n = 4, .item_m = 4, .vector = 4, .step_k = 16, .split = 1},
	{.local = true, .group_n = 2, .group_m = 32, .item_n = 4, .item_m = 4, .vector = 4, .step_k = 16, .split = 1},
	{.local = true, .group_n = 16, .group_m = 4, .item_n = 4, .item_m = 2, .vector = 4, .step_k = 32, .split = 1},
	{.local = true, .group_n = 2, .group_m = 16, .item_n = 4, .item_m = 4, .vector = 4, .step_k = 16, .split = 4},
	{.local = true, .group_n = 8, .group_m = 8, .item_n = 4, .item_m = 4, .vector = 4, .step_k = 16, .split = 4},
	{.local = true, .group_n = 4, .group_m = 8, .item_n = 4, .item_m = 4, .vector = 4, .step_k = 16, .split = 8},
	{.local = true, .group_n = 4, .group_m = 8, .item_n = 4, .item_m = 2, .vector = 4, .step_k = 16, .split = 8},
	{.group_n = 8, .group_m = 8, .item_n = 4, .item_m = 4, .vector = 4, .step_k = 1, .split = 1},
	{.group_n = 4, .group_m = 16, .item_n = 4, .item_m = 2, .vector = 4, .step_k = 1, .split = 1},
	{.group_n = 16, .group_m = 4, .item_n = 4, .item_m = 1, .vector = 4, .step_k = 1, .split = 1},
	{.group_n = 1, .group_m = 64, .item_n = 4, .item_m = 1, .vector = 4, .step_k = 1, .split = 1},
	{.group_n = 32, .group_m = 1, .item_n = 4, .item_m = 1, .vector = 4, .step_k = 1, .split = 1},
};

static size_t local_bytes(const struct vrs_ocl_tile *tile)
{
	size_t rows = (size_t)tile->group_m * (size_t)tile->item_m, columns = (size_t)tile->group_n * (size_t)tile->item_n;
	size_t step = (rows + 4 + columns) * (size_t)tile->step_k, totals = tile->split > 1 ? rows * columns : 0;

	return tile->local ? (step > totals ? step : totals) * (size_t)tile->split * sizeof(float) : 0;
}

static bool fits(const struct vrs_ocl_caps *caps, const struct vrs_ocl_tile *tile)
{
	size_t size = (size_t)tile->group_n * (size_t)tile->group_m * (size_t)tile->split;

	return size <= caps->max_group && (size_t)tile->split <= caps->max_items[2] && (size_t)tile->group_n <= caps->max_items[0] &&
	       (size_t)tile->group_m <= caps->max_items[tile->group_n == 1 && !tile->local ? 0 : 1] && local_bytes(tile) <= caps->local_bytes;
}

static void add_gpu(struct ranking *ranking, const struct vrs_ocl_caps *caps, const struct product *p, enum vrs_ocl_algorithm algorithm)
{
	static const struct vrs_ocl_tile alone = {.group_n = 1, .group_m = 1, .item_n = 4, .item_m = 4, .vector = 4, .step_k = 1, .split = 1};
	int before = ranking->count;

	for (size_t i = 0; i < sizeof gpu_tiles / sizeof gpu_tiles[0]; i++) {
		struct vrs_ocl_tile tile = gpu_tiles[i];

		tile.algorithm = algorithm;
		if (fits(caps, &tile) && (tile.split == 1 || algorithm == VRS_OCL_GEMM)) /* 36 planes leave no unit idle */
			add(ranking, &tile, gpu_cost(caps, p, &tile) + p->extra);
	}
	if (ranking->count == before && algorithm == VRS_OCL_GEMM)
		add(ranking, &alone, gpu_cost(caps, p, &alone)); /* a device of very small groups */
}

/*
 * Ways of CPUs and the time of each for one product, tails of tiles counted, against the first (PoCL 3.1, AVX-512, channels in tens).  12 vectors of
 * 8 floats that accumulate leave room for operands among the 16 registers of AVX2.
 */
static const struct {
	int item_n, item_m, vector;
	double cost;
} cpu_tiles[] = {
	{16, 6, 16, 1}, {16, 8, 16, 1.05}, {16, 4, 16, 1.1}, {16, 12, 16, 1.1}, {32, 4, 16, 1.1}, {24, 4, 8, 1.4}, {16, 2, 16, 1.4}, {8, 8, 8, 1.9},
	{16, 1, 16, 2}, {4, 8, 4, 3.5}, {8, 1, 8, 3.8}, {4, 1, 4, 7},
};

static void add_cpu(struct ranking *ranking, const struct vrs_ocl_caps *caps, const struct product *p, enum vrs_ocl_algorithm algorithm)
{
	for (size_t i = 0; i < sizeof cpu_tiles / sizeof cpu_tiles[0]; i++) {
		int64_t items_m = parts(p->m, cpu_tiles[i].item_m), items_n = parts(p->n, cpu_tiles[i].item_n);
		const struct vrs_ocl_tile tile = {.algorithm = algorithm, .group_n = 1, .group_m = items_m >= 8 && caps->max_group >= 8 ? 8 : 1,
						  .item_n = cpu_tiles[i].item_n, .item_m = cpu_tiles[i].item_m, .vector = cpu_tiles[i].vector,
						  .step_k = 1, .split = 1};
		double products = (double)(p->count * items_m * items_n) * tile.item_m * tile.item_n;

		add(ranking, &tile, (double)p->k * cpu_tiles[i].cost * products + p->extra);
	}
}

static void add_products(struct ranking *ranking, const struct vrs_ocl_caps *caps, const struct product *p, enum vrs_ocl_algorithm algorithm)
{
	if (caps->vendor == VRS_OCL_VENDOR_CPU)
		add_cpu(ranking, caps, p, algorithm);
	else
		add_gpu(ranking, caps, p, algorithm);
}

/*
 * 36 points of a tile are written and read for each channel: on CPUs in the time of 16 products each (PoCL, 64 channels), on GPUs at 16 bytes a cycle
 * and unit, as a part of them stays in the cache, and by two kernels more.
 */
static double transform_cost(const struct vrs_ocl_caps *caps, const struct vrs_ocl_conv *conv, int64_t tiles)
{
	double points = 36.0 * (double)tiles * (double)(conv->channels + conv->outputs);

	if (caps->vendor == VRS_OCL_VENDOR_CPU)
		return 16 * points;
	return points * sizeof(float) / (8.0 * (caps->compute_units > 0 ? caps->compute_units : 1)) + 2 * START;
}

/* Tiles of one picture. */
static int64_t tiles_of(const struct vrs_ocl_conv *conv)
{
	return parts(conv->out_height, 4) * parts(conv->out_width, 4);
}

/*
 * Are there enough tiles of a picture, and not too many points?  The limit is the same for all devices: a process may have less memory than another
 * (RLIMIT_DATA), and must not get other bits by it.  It is a quarter of the largest block of a GPU with 16 GB; one with 4 GB still has the memory.
 */
static bool suits_winograd(const struct vrs_ocl_conv *conv)
{
	int64_t tiles = tiles_of(conv);
	double bytes = 36.0 * (double)tiles * (double)(conv->channels + conv->outputs) * (double)sizeof(float);

	return vrs_ocl_conv_suits_winograd(conv) && conv->channels >= 32 && conv->outputs >= 32 && tiles >= 32 &&
	       bytes <= PLANE_BYTES;
}

static int power_of_two(int most, int64_t enough)
{
	int value = 1;

	while (2 * value <= most && value < enough)
		value *= 2;
	return value;
}

/* A work-item of GPUs takes four channels; neighbours in a group follow each other in memory.  One of CPUs takes what a vector has. */
static void add_depthwise(struct ranking *ranking, const struct vrs_ocl_caps *caps, const struct vrs_ocl_conv *conv)
{
	static const int widths[] = {4, 2, 8, 1}, cpu_widths[] = {8, 4, 2, 1};
	bool cpu = caps->vendor == VRS_OCL_VENDOR_CPU;
	int vector = !cpu ? 4 : conv->outputs % 16 == 0 ? 16 : conv->outputs % 8 == 0 ? 8 : 4;
	int64_t items = parts(conv->outputs, vector);
	double lanes = unit_lanes(caps->vendor) * caps->compute_units;
	int most = cpu ? 8 : 64, limit = caps->max_group < (size_t)most ? (int)caps->max_group : most;

	for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
		int width = cpu ? cpu_widths[i] : widths[i];
		int64_t tiles = parts(conv->out_width, width);
		double all = (double)(conv->batch * conv->out_height) * (double)(tiles * items);
		struct vrs_ocl_tile tile = {.algorithm = VRS_OCL_DEPTHWISE, .item_n = vector, .item_m = width, .vector = vector, .step_k = 1, .split = 1};

		tile.group_n = power_of_two(limit < 16 ? limit : 16, items);
		tile.group_m = power_of_two(limit / tile.group_n, tiles);
		add(ranking, &tile, cpu ? all * (width + 2) : (all > lanes ? all / lanes : 1) * (width + 1));
	}
}

/* All ways for all pictures, or for one of them. */
static void add_dense(struct ranking *ranking, const struct vrs_ocl_caps *caps, const struct vrs_ocl_conv *conv, bool one)
{
	const struct vrs_window *w = &conv->window;
	int64_t batch = one ? 1 : conv->batch, pixels = conv->out_height * conv->out_width / (one ? conv->joined : 1), tiles = batch * tiles_of(conv);
	const struct product plain = {.count = batch * w->groups, .m = pixels, .n = conv->outputs / w->groups,
				      .k = (int64_t)w->kernel_h * w->kernel_w * (conv->channels / w->groups)};
	const struct product planes = {.count = 36, .m = tiles, .n = conv->outputs, .k = conv->channels, .extra = transform_cost(caps, conv, tiles)};

	add_products(ranking, caps, &plain, VRS_OCL_GEMM);
	if (suits_winograd(conv))
		add_products(ranking, caps, &planes, VRS_OCL_WINOGRAD);
}

/*
 * The best way with the order of sums that is best for one picture goes first: those of another order have other last bits, and the bits of a picture
 * must not depend on how many others go through the network with it.
 */
static void put_first(struct ranking *ranking, const struct vrs_ocl_caps *caps, const struct vrs_ocl_conv *conv)
{
	struct ranking one = {.max = 1};
	int at = 0;

	add_dense(&one, caps, conv, true);
	while (at < ranking->count - 1 && !vrs_ocl_same_order(&ranking->best[at].tile, &one.best[0].tile))
		at++;
	const struct ranked first = ranking->best[at];

	for (; at > 0; at--)
		ranking->best[at] = ranking->best[at - 1];
	ranking->best[0] = first;
}

int vrs_ocl_tile_candidates(const struct vrs_ocl_caps *caps, const struct vrs_ocl_conv *conv, struct vrs_ocl_tile *ret_tiles, int max)
{
	struct ranking ranking = {.max = VRS_OCL_MAX_TILES}; /* of 20 and 16 ways of two algorithms, so that both are among them */

	if (conv->depthwise) {
		add_depthwise(&ranking, caps, conv);
	} else {
		add_dense(&ranking, caps, conv, false);
		put_first(&ranking, caps, conv);
	}
	int count = ranking.count < max ? ranking.count : max;

	for (int i = 0; i < count; i++)
		ret_tiles[i] = ranking.best[i].tile;
	return count;
}
