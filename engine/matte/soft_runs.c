/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/soft_runs.h"

#include <string.h>

#define GAP 8   /* samples: a run costs about as much */
#define WORD 64 /* samples of a word, the first one in its lowest bit */
#define REACH 1 /* samples that up-sampling mixes */

static enum vrs_status init_runs(struct vrs_runs *runs, struct vrs_arena *arena, int width, int height)
{
	runs->most = width / (GAP + 1) + 1;
	runs->count = vrs_arena_calloc(arena, (size_t)height, sizeof *runs->count);
	runs->items = vrs_arena_calloc(arena, (size_t)height, (size_t)runs->most * sizeof *runs->items);
	return arena->failed ? VRS_ENOMEM : VRS_OK;
}

enum vrs_status vrs_soft_runs_init(struct vrs_soft_runs *runs, struct vrs_arena *arena, int width, int height, int radius)
{
	if (width < 1 || height < 1 || radius < 0 || radius >= WORD)
		return VRS_EINVAL;
	*runs = (struct vrs_soft_runs){.width = width, .height = height, .radius = radius, .words = (width - 1) / WORD + 1};
	size_t row = (size_t)runs->words * sizeof *runs->people;
	runs->people = vrs_arena_calloc(arena, (size_t)height, row);
	runs->rest = vrs_arena_calloc(arena, (size_t)height, row);
	runs->edge = vrs_arena_calloc(arena, (size_t)height, row);
	runs->row[0] = vrs_arena_calloc(arena, 1, row);
	runs->row[1] = vrs_arena_calloc(arena, 1, row);
	enum vrs_status status = init_runs(&runs->soft, arena, width, height);
	return status == VRS_OK ? init_runs(&runs->near, arena, width, height) : status;
}

static uint64_t *bits_of(const struct vrs_soft_runs *runs, uint64_t *bits, int y)
{
	return bits + (size_t)y * (size_t)runs->words;
}

/* A bit for each of n samples that has another value than this one. */
static void find_others(uint64_t *bits, const uint8_t *row, int n, uint8_t value)
{
	const uint64_t same = UINT64_C(0x0101010101010101) * value;
	for (int x = 0; x < n; x += 8) {
		uint64_t eight = same, eight_bits = 0;
		memcpy(&eight, row + x, n - x < 8 ? (size_t)(n - x) : sizeof eight);
		for (int k = 0; k < 8 && eight != same; k++)
			eight_bits |= (uint64_t)(x + k < n && row[x + k] != value) << k;
		bits[x / WORD] = (x % WORD ? bits[x / WORD] : 0) | eight_bits << x % WORD;
	}
}

/* All bits of the rows within reach of row y. */
static void join_rows(const struct vrs_soft_runs *runs, uint64_t *dst, uint64_t *bits, int y, int reach)
{
	int from = y > reach ? y - reach : 0, to = runs->height - 1 - y > reach ? y + reach : runs->height - 1;
	memcpy(dst, bits_of(runs, bits, from), (size_t)runs->words * sizeof *dst);
	for (int at = from + 1; at <= to; at++)
		for (int w = 0; w < runs->words; w++)
			dst[w] |= bits_of(runs, bits, at)[w];
}

/* Word w of the bits, with those of their neighbours up to `reach` away. */
static uint64_t join_columns(const uint64_t *bits, int words, int w, int reach)
{
	uint64_t left = w > 0 ? bits[w - 1] : 0, right = w + 1 < words ? bits[w + 1] : 0, all = bits[w];
	for (int by = 1; by <= reach; by++)
		all |= bits[w] << by | left >> (WORD - by) | bits[w] >> by | right << (WORD - by);
	return all;
}

/* Runs of the set bits below n. */
static void store_runs(struct vrs_runs *runs, int y, const uint64_t *bits, int n)
{
	struct vrs_run_of_row *items = runs->items + (size_t)y * (size_t)runs->most;
	int count = 0;
	for (int w = 0; w * WORD < n; w++)
		for (uint64_t word = bits[w]; word;) {
			int first = __builtin_ctzll(word), length = ~(word >> first) ? __builtin_ctzll(~(word >> first)) : WORD;
			int from = w * WORD + first, end = from + length < n ? from + length : n;
			word = first + length < WORD ? word >> (first + length) << (first + length) : 0;
			if (from >= n)
				break;
			if (count > 0 && from - items[count - 1].end < GAP)
				items[count - 1].end = end;
			else
				items[count++] = (struct vrs_run_of_row){from, end};
		}
	runs->count[y] = count;
}

void vrs_soft_runs_find(struct vrs_soft_runs *runs, const struct vrs_matte *matte)
{
	int words = runs->words, width = runs->width;
	for (int y = 0; y < runs->height; y++) {
		find_others(bits_of(runs, runs->people, y), matte->data + matte->stride * y, width, 0);
		find_others(bits_of(runs, runs->rest, y), matte->data + matte->stride * y, width, 255);
	}
	for (int y = 0; y < runs->height; y++) {
		uint64_t *edge = bits_of(runs, runs->edge, y);
		join_rows(runs, runs->row[0], runs->people, y, REACH);
		join_rows(runs, runs->row[1], runs->rest, y, REACH);
		for (int w = 0; w < words; w++)
			edge[w] = join_columns(runs->row[0], words, w, REACH) & join_columns(runs->row[1], words, w, REACH);
		store_runs(&runs->soft, y, edge, width);
	}
	for (int y = 0; y < runs->height; y++) {
		join_rows(runs, runs->row[0], runs->edge, y, runs->radius);
		for (int w = 0; w < words; w++)
			runs->row[1][w] = join_columns(runs->row[0], words, w, runs->radius);
		store_runs(&runs->near, y, runs->row[1], width);
	}
}
