/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Regions and schedules.
 *
 * A region grows while the next operation reads something that the region makes, while the rings fit the cache, and while the rows that two
 * neighbouring threads both compute stay a small part of the work.  Large maps that are enlarged right before a convolution by tiles are a region
 * with it.  Then the rows of each thread's band are scheduled depth first: a chunk of the last operation's rows at a time, every operation making
 * just the rows that its readers need next.
 */
#include "backend/cpu/plan/cpu_plan_steps.h"

#include "backend/cpu/plan/cpu_plan_reach.h"
#include "backend/cpu/plan/cpu_plan_share.h"
#include "backend/cpu/plan/cpu_plan_sweep.h"
#include "base/assert.h"
#include "base/buf.h"
#include "base/mem.h"

#define MAX_ITEMS ((size_t)1 << 26)
#define MAX_REDUNDANCY 0.06 /* of the region's work */
#define FIRST_UNITS 4
#define FEED_MIN_BYTES ((size_t)1 << 20)  /* of an image of what goes into a convolution by tiles: less is held by the caches in any case */
#define FEED_RING_BYTES ((size_t)1 << 20) /* of its rings: more than a second-level cache, but nothing to what would go through memory */
#define NOMINAL_THREADS 2   /* with halves: regions must not depend on the thread count, since values are rounded between them */

/*
 * Units a thread: the first region has more, because workers are still waking up while it runs and late ones should find a part of it left.
 */
static int units_per_thread(const struct vrs_cpu_plan *plan, int first_op)
{
	return plan->threads > 1 && first_op == 0 ? FIRST_UNITS : 1;
}

/* Do the rows that threads make twice stay few, and the rings within so many bytes? */
static bool fits(struct vrs_cpu_plan *plan, int first, int count, size_t ring_bytes)
{
	struct vrs_cpu_sweep s;
	vrs_cpu_sweep_init(&s, plan, first, count);
	int bands = vrs_cpu_sweep_value(&s, count - 1)->images % plan->threads == 0 ? 1 : plan->threads;
	if (vrs_cpu_sweep_redundancy(&s, plan->half_values ? NOMINAL_THREADS : bands * units_per_thread(plan, first)) > MAX_REDUNDANCY)
		return false;
	vrs_cpu_sweep_init(&s, plan, first, count);
	return vrs_cpu_sweep_ring_bytes(&s) <= ring_bytes;
}

static bool can_join(struct vrs_cpu_plan *plan, int first, int op_id)
{
	const struct vrs_cpu_op *op = &plan->ops[op_id];
	const struct vrs_cpu_value *out = &plan->values[op->out];
	bool reads_region = false;
	int count = op_id - first;
	if (!plan->fusion || count + 1 > VRS_CPU_REGION_OPS || op->kind == VRS_CPU_FLAT || plan->ops[first].kind == VRS_CPU_FLAT)
		return false;
	/* Convolutions by tiles take many rows at once, all of whose products share one pass over the weights. */
	if (op->kind == VRS_CPU_WINOGRAD || plan->ops[op_id - 1].kind == VRS_CPU_WINOGRAD)
		return false;
	/* All threads work on the channels of one pixel. */
	if (vrs_cpu_op_stands_alone(plan, op) || vrs_cpu_op_stands_alone(plan, &plan->ops[op_id - 1]))
		return false;
	if (out->images != plan->values[plan->ops[first].out].images)
		return false;
	for (int i = first; i < op_id; i++) {
		const struct vrs_cpu_value *value = &plan->values[plan->ops[i].out];
		if (!vrs_cpu_op_reads(op, plan->ops[i].out))
			continue;
		reads_region = true;
		bool whole = op->kind == VRS_CPU_GLOBAL_AVG || op->scale == plan->ops[i].out;
		if ((whole && (value->height > 1 || value->width > 1)) || (value->height == 1 && out->height > 1) || (op->scale == plan->ops[i].out))
			return false;
	}
	return reads_region && fits(plan, first, count + 1, plan->cache_bytes);
}

/*
 * Resizes from `first` on that all go into one convolution by tiles, which reads a concatenation where its parts lie: the first operation after
 * that, or `first` if there is nothing of the kind, or it is small.  What a decoder enlarges then goes from ring to tiles, and not through memory
 * (Zen 3: MODNet in 0.96 of the time, RVM in 0.99; gates of a GRU before their convolution lost 2 % and stay apart).
 */
static int feeding_end(struct vrs_cpu_plan *plan, int first)
{
	size_t bytes = 0;
	int end = first;
	while (end < plan->op_count && plan->ops[end].kind == VRS_CPU_RESIZE && !plan->ops[end].u8)
		end++;
	if (!plan->fusion || end == first || end == plan->op_count || end - first >= VRS_CPU_REGION_OPS || plan->ops[end].kind != VRS_CPU_WINOGRAD)
		return first;
	for (int i = first; i < end; i++) {
		const struct vrs_cpu_value *out = &plan->values[plan->ops[i].out];
		if (!vrs_cpu_op_reads(&plan->ops[end], plan->ops[i].out) || plan->ops[end].scale == plan->ops[i].out)
			return first;
		bytes += (size_t)out->height * vrs_cpu_row_floats(out) * sizeof(float);
	}
	return bytes >= FEED_MIN_BYTES && fits(plan, first, end + 1 - first, FEED_RING_BYTES) ? end + 1 : first;
}

/* Bytes of what [first, end) makes and operations from cut on read: they leave the cache of a thread when a region ends at cut. */
static size_t crossing_bytes(const struct vrs_cpu_plan *plan, int first, int cut, const int *last_reader)
{
	size_t bytes = 0;
	for (int i = first; i < cut; i++) {
		const struct vrs_cpu_value *value = &plan->values[plan->ops[i].out];
		if (last_reader[i - first] >= cut)
			bytes += (size_t)value->images * (size_t)value->height * vrs_cpu_row_floats(value) * vrs_dtype_size(value->dtype);
	}
	return bytes;
}

static int last_reader_of(const struct vrs_cpu_plan *plan, int op)
{
	for (int i = plan->op_count - 1; i > op; i--)
		if (vrs_cpu_op_reads(&plan->ops[i], plan->ops[op].out))
			return i;
	return op;
}

/*
 * A region that could not take operation `end` may end earlier, where less goes on to the next: rather between inverted residuals than before their
 * depthwise convolution, whose input is six times as large and would have to be copied for its padding.  The next one must be able to take `end`.
 */
static int cheapest_cut(struct vrs_cpu_plan *plan, int first, int end)
{
	int last_reader[VRS_CPU_REGION_OPS], best = end;
	if (end == plan->op_count || end - first > VRS_CPU_REGION_OPS)
		return end;
	for (int i = first; i < end; i++)
		last_reader[i - first] = last_reader_of(plan, i);
	size_t least = crossing_bytes(plan, first, end, last_reader);
	for (int cut = end - 1; cut > first; cut--) {
		size_t bytes = crossing_bytes(plan, first, cut, last_reader);
		if (bytes < least) {
			least = bytes;
			best = cut;
		}
	}
	for (int i = best + 1; i <= end && best < end; i++)
		if (!can_join(plan, best, i))
			return end;
	return best;
}

/* First operation after the region that starts at `first`. */
static int region_end(struct vrs_cpu_plan *plan, int first)
{
	int end = feeding_end(plan, first);
	if (end > first)
		return end;
	for (end = first + 1; end < plan->op_count && feeding_end(plan, end) == end && can_join(plan, first, end);)
		end++;
	return cheapest_cut(plan, first, end);
}

static enum vrs_status add_region(struct vrs_cpu_plan *plan, int first, int count)
{
	enum vrs_status status = vrs_array_grow(&plan->regions, &plan->region_cap, (size_t)plan->region_count + 1, sizeof *plan->regions, MAX_ITEMS);
	if (status != VRS_OK)
		return status;
	VRS_ASSERT(count > 0 && first + count <= plan->op_count);
	for (int i = first; i < first + count; i++)
		plan->ops[i].region = plan->region_count;
	plan->regions[plan->region_count++] = (struct vrs_cpu_region){.first_op = first, .op_count = count};
	return VRS_OK;
}

static void region_rings(struct vrs_cpu_plan *plan, const struct vrs_cpu_region *region)
{
	for (int i = region->first_op; i < region->first_op + region->op_count; i++) {
		int left, right;
		vrs_cpu_op_pads(plan, &plan->ops[i], &left, &right);
		struct vrs_cpu_value *in = &plan->values[plan->ops[i].in[0]];
		if (in->region != plan->ops[i].region || in->op < 0)
			continue;
		in->pad_left = left > in->pad_left ? left : in->pad_left;
		in->pad_right = right > in->pad_right ? right : in->pad_right;
	}
}

static size_t take(size_t *used, size_t floats)
{
	size_t at = *used;
	*used += (floats + 15) / 16 * 16;
	return at;
}

/*
 * Rows with padding are an odd number of cache lines apart, so that the same column of neighbouring rows does not fall into the same sets of
 * the first-level cache (depthwise 5x5 with 128 channels: 50 to 70 GFLOP/s on Zen 3).  Rows without lie one after the other.
 */
static size_t ring_stride(const struct vrs_cpu_value *value)
{
	size_t row = (size_t)(value->pad_left + value->width + value->pad_right) * (size_t)value->channels;
	if (vrs_cpu_value_is_u8(value))
		row /= sizeof(float); /* channels are a multiple of 4 */
	if (value->pad_left + value->pad_right == 0)
		return row;
	size_t lines = (row + 15) / 16;
	return (lines + 1 - lines % 2) * 16;
}

/* Scratch memory of one thread for a region: rings, prepared weights, temporary rows. */
static void region_scratch(struct vrs_cpu_plan *plan, struct vrs_cpu_region *region)
{
	size_t used = 0;
	for (int i = region->first_op; i < region->first_op + region->op_count; i++) {
		struct vrs_cpu_op *op = &plan->ops[i];
		struct vrs_cpu_value *value = &plan->values[op->out];
		value->ring_stride = ring_stride(value);
		value->ring_offset = take(&used, (size_t)value->ring_rows * value->ring_stride);
		op->temp_scratch = take(&used, op->temp_count);
		op->tag_scratch = take(&used, (size_t)op->temp_rows);
		if (op->prepared)
			op->weights_scratch = take(&used, op->weights_count);
		VRS_ASSERT(value->ring_offset % 16 == 0 && op->temp_scratch % 16 == 0); /* cache lines */
		VRS_ASSERT(value->ring_rows == 0 || value->ring_stride > 0);
	}
	region->scratch_floats = used;
	if (used > plan->scratch_floats)
		plan->scratch_floats = used;
}

static enum vrs_status push_unit(struct vrs_cpu_plan *plan, size_t first_item)
{
	enum vrs_status status = vrs_array_grow(&plan->units, &plan->unit_cap, plan->unit_count + 1, sizeof *plan->units, MAX_ITEMS);
	if (status == VRS_OK)
		plan->units[plan->unit_count++] = (struct vrs_cpu_unit){first_item, plan->item_count - first_item};
	return status;
}

/* First of the rows (counted through all images) of band number `band`. */
static int64_t band_start(int64_t rows, int band, int bands, int align)
{
	return (rows / align * band + bands - 1) / bands * align;
}

/* The row next to `row` where a band may start: between the rows of tiles of an image. */
static int64_t tile_start(int64_t row, int height, const struct vrs_cpu_op *op)
{
	int64_t unit = (int64_t)op->tile * op->window.dilation_h, y = row % height, up = (y + unit / 2) / unit * unit;
	return row - y + (up < height ? up : height);
}

/* Measure, or schedule, band number u of `units`. */
static enum vrs_status region_band(struct vrs_cpu_plan *plan, struct vrs_cpu_sweep *s, int u, int units, int chunk, bool emit)
{
	const struct vrs_cpu_op *last = &plan->ops[s->first + s->count - 1];
	const struct vrs_cpu_value *out = vrs_cpu_sweep_value(s, s->count - 1);
	int stride = last->kind == VRS_CPU_DECONV ? last->window.stride_h : 1, align = out->height % stride == 0 ? stride : 1, height = out->height;
	int64_t rows = (int64_t)out->images * height, from = band_start(rows, u, units, align), to = band_start(rows, u + 1, units, align);
	enum vrs_status status = VRS_OK;
	if (last->kind == VRS_CPU_FLAT) {
		int part = last->parts * u / units, end = last->parts * (u + 1) / units;
		return emit && part < end ? vrs_cpu_plan_push(plan, (struct vrs_cpu_item){.op = s->first, .y0 = part, .y1 = end, .own_end = end}) : VRS_OK;
	}
	if (last->kind == VRS_CPU_WINOGRAD) {
		from = tile_start(from, height, last);
		to = tile_start(to, height, last);
	}
	VRS_ASSERT(from >= 0 && to <= rows);
	while (status == VRS_OK && from < to) {
		int image = (int)(from / height), y0 = (int)(from % height);
		int y1 = to - from < height - y0 ? (int)(y0 + to - from) : height;
		status = vrs_cpu_sweep_band(s, image, y0, y1, chunk, emit);
		from += y1 - y0;
	}
	return status;
}

/* Measure, or schedule, the bands of all threads. */
static enum vrs_status region_bands(struct vrs_cpu_plan *plan, struct vrs_cpu_sweep *s, int chunk, bool emit)
{
	enum vrs_status status = VRS_OK;
	struct vrs_cpu_region *region = &plan->regions[plan->ops[s->first].region];
	size_t *starts = plan->unit_start + (size_t)(region - plan->regions) * (size_t)plan->threads;
	int each = units_per_thread(plan, s->first), units = plan->threads * each;
	bool shares = vrs_cpu_plan_shares(plan, region, units);
	for (int u = 0; u < units && status == VRS_OK; u++) {
		size_t first_item = plan->item_count;
		if (emit && u % each == 0)
			starts[u / each] = plan->unit_count;
		status = shares ? vrs_cpu_plan_share(s, u, units, emit) : region_band(plan, s, u, units, chunk, emit);
		if (plan->item_count > first_item && status == VRS_OK)
			status = push_unit(plan, first_item);
	}
	if (emit) {
		starts[plan->threads] = plan->unit_count;
		region->units = (int)(plan->unit_count - starts[0]);
		VRS_ASSERT(status != VRS_OK || region->units > 0); /* a region without work would never be complete */
	}
	return status;
}

static enum vrs_status schedule_region(struct vrs_cpu_plan *plan, struct vrs_cpu_region *region)
{
	struct vrs_cpu_sweep s;
	region_rings(plan, region);
	vrs_cpu_sweep_init(&s, plan, region->first_op, region->op_count);
	bool rings = false;
	for (int i = 0; i < s.count; i++) {
		const struct vrs_cpu_value *value = vrs_cpu_sweep_value(&s, i);
		rings = rings || s.inner[i] || value->half;
	}
	int chunk = rings ? vrs_cpu_sweep_chunk(&s) : 1 << 28;
	enum vrs_status status = region_bands(plan, &s, chunk, false);
	if (status != VRS_OK)
		return status;
	for (int i = 0; i < s.count; i++) {
		struct vrs_cpu_value *value = &plan->values[plan->ops[s.first + i].out];
		bool padded = value->pad_left + value->pad_right > 0;
		bool direct = value->in_arena && !value->half && !padded;
		value->copied = value->in_arena && !direct;
		/* Written straight to the arena: the ring only takes the rows below the band, which exist with more than one thread. */
		if (!direct || (s.inner[i] && plan->threads > 1))
			value->ring_rows = s.ring[i];
	}
	region_scratch(plan, region);
	return region_bands(plan, &s, chunk, true);
}

enum vrs_status vrs_cpu_plan_regions(struct vrs_cpu_plan *plan, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;
	for (int i = 0; i < plan->op_count; i++)
		vrs_cpu_op_scale_input(plan, &plan->ops[i]);
	for (int i = 0; i < plan->op_count; i++)
		plan->half_values = plan->half_values || vrs_cpu_value_may_be_half(plan, &plan->values[plan->ops[i].out]);
	for (int first = 0; status == VRS_OK && first < plan->op_count;) {
		int end = region_end(plan, first);
		status = add_region(plan, first, end - first);
		first = end;
	}
	if (status == VRS_OK) {
		vrs_cpu_plan_place_values(plan);
		status = vrs_cpu_plan_insert_loads(plan);
	}
	plan->unit_start = vrs_calloc((size_t)plan->region_count * (size_t)plan->threads + 1, sizeof *plan->unit_start);
	if (status == VRS_OK && !plan->unit_start)
		status = VRS_ENOMEM;
	for (int r = 0; status == VRS_OK && r < plan->region_count; r++)
		status = schedule_region(plan, &plan->regions[r]);
	if (status != VRS_OK)
		return vrs_fail(err, status, "cannot plan the network: %s", vrs_status_str(status));
	return VRS_OK;
}
