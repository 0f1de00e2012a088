/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The disc's samples lie 2.5 carrier samples apart, around a whole sample position, whatever the height is.  Its map leads to the source eye; from
 * there the matte's view is a scale and a shift away, which may change in every frame.  Runs of the map that cannot touch anything but background
 * are told from their bounds alone, so that the cost goes with the size of the people.
 */
#include "vr/alpha_disc.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

#define RUN VRS_REMAP_RUN
#define SCALE 0.4
#define MAX_SIDE 16384               /* of an eye, as in vr/remap_build.c */
#define MAX_DISC (MAX_SIDE * 2 / 5 + 4)

/* Bounds of what a run looks at, whole samples of the source eye; left > right: nothing. */
struct bounds {
	int16_t left, right, top, bottom;
};

struct vrs_alpha_disc {
	int size, runs;                  /* samples of a side, runs of a row */
	struct vrs_remap *map;
	struct bounds *bounds;           /* [size][runs] */
};

struct placed {
	const struct vrs_matte *matte;
	struct vrs_alpha_disc_place at;
	struct bounds people;            /* the part of the eye that may have an alpha above 0 */
};

static void find_bounds(struct vrs_alpha_disc *disc, int run, int y)
{
	struct bounds *b = &disc->bounds[(size_t)y * (size_t)disc->runs + (size_t)run];
	int32_t u[RUN], v[RUN];
	uint32_t inside = vrs_remap_run(disc->map, run, y, u, v);

	*b = (struct bounds){INT16_MAX, INT16_MIN, INT16_MAX, INT16_MIN};
	for (int t = 0; t < RUN; t++) {
		int16_t x = (int16_t)(u[t] >> 16), row = (int16_t)(v[t] >> 16);
		if (!(inside >> t & 1))
			continue;
		b->left = x < b->left ? x : b->left;
		b->right = x > b->right ? x : b->right;
		b->top = row < b->top ? row : b->top;
		b->bottom = row > b->bottom ? row : b->bottom;
	}
}

enum vrs_status vrs_alpha_disc_create(struct vrs_alpha_disc **ret_disc, const struct vrs_lens *carrier, const struct vrs_lens *source,
				      struct vrs_error *err)
{
	struct vrs_alpha_disc *disc = vrs_calloc(1, sizeof *disc);

	if (!disc)
		return vrs_fail_nomem(err);
	int radius = (int)ceil(carrier->height * SCALE / 2);
	double offset = carrier->height / 2.0 - radius / SCALE;
	const struct vrs_remap_options options = {.target = *carrier, .source = *source,
		.target_grid = {.width = 2 * radius, .height = 2 * radius, .step = {1 / SCALE, 1 / SCALE}, .offset = {offset, offset}},
		.source_grid = {.width = source->width, .height = source->height, .step = {1, 1}}};
	disc->size = 2 * radius;
	disc->runs = (disc->size + RUN - 1) / RUN;
	enum vrs_status status = vrs_remap_create(&disc->map, &options, err);
	if (status == VRS_OK) {
		disc->bounds = vrs_calloc((size_t)disc->size * (size_t)disc->runs, sizeof *disc->bounds);
		status = disc->bounds ? VRS_OK : vrs_fail_nomem(err);
	}
	if (status != VRS_OK) {
		vrs_alpha_disc_destroy(disc);
		return status;
	}
	for (int y = 0; y < disc->size; y++)
		for (int run = 0; run < disc->runs; run++)
			find_bounds(disc, run, y);
	*ret_disc = disc;
	return VRS_OK;
}

void vrs_alpha_disc_destroy(struct vrs_alpha_disc *disc)
{
	if (!disc)
		return;
	vrs_remap_destroy(disc->map);
	vrs_free(disc->bounds);
	vrs_free(disc);
}

/* Columns and rows of a matte with anything above 0; false: there is none. */
static bool people_of(const struct vrs_matte *matte, int first[2], int last[2])
{
	first[0] = first[1] = INT32_MAX;
	last[0] = last[1] = -1;
	for (int y = 0; y < matte->height; y++) {
		const uint8_t *row = matte->data + matte->stride * y;
		int x = 0, end = matte->width;
		uint64_t word = 0;
		for (; x + 8 <= end && !word; x += 8)
			memcpy(&word, row + x, 8);
		x = word ? x - 8 : x;
		while (x < end && !row[x])
			x++;
		if (x == end)
			continue;
		while (!row[end - 1])
			end--;
		first[0] = x < first[0] ? x : first[0];
		last[0] = end - 1 > last[0] ? end - 1 : last[0];
		first[1] = y < first[1] ? y : first[1];
		last[1] = y;
	}
	return last[1] >= 0;
}

static int16_t whole(double value)
{
	return (int16_t)(value < INT16_MIN + 1 ? INT16_MIN + 1 : value > INT16_MAX - 1 ? INT16_MAX - 1 : value);
}

/* Eye position x (0: centre of the first sample) is matte position (x + 0.5 - at) * size / length - 0.5. */
struct vrs_alpha_disc_place vrs_alpha_disc_place(int width, int height, const struct vrs_rect *view)
{
	const int at[2] = {view->x, view->y}, length[2] = {view->width, view->height}, size[2] = {width, height};
	struct vrs_alpha_disc_place place;

	for (int i = 0; i < 2; i++) {
		double factor = (double)size[i] / length[i];
		place.factor[i] = llrint(ldexp(factor, VRS_ALPHA_DISC_BITS));
		place.shift[i] = llrint(((0.5 - at[i]) * factor - 0.5) * 65536);
	}
	return place;
}

const struct vrs_remap *vrs_alpha_disc_map(const struct vrs_alpha_disc *disc)
{
	return disc->map;
}

static bool place(struct placed *placed, const struct vrs_matte *matte, const struct vrs_rect *view)
{
	const int at[2] = {view->x, view->y}, length[2] = {view->width, view->height}, size[2] = {matte->width, matte->height};
	int first[2], last[2];
	double low[2], high[2];

	placed->matte = matte;
	placed->at = vrs_alpha_disc_place(matte->width, matte->height, view);
	if (!people_of(matte, first, last))
		return false;
	for (int i = 0; i < 2; i++) {
		double factor = (double)size[i] / length[i];
		low[i] = (first[i] - 1) / factor + at[i] - 2;
		high[i] = (last[i] + 2) / factor + at[i] + 2;
	}
	placed->people = (struct bounds){whole(low[0]), whole(high[0]), whole(low[1]), whole(high[1])};
	return true;
}

static bool meet(const struct bounds *a, const struct bounds *b)
{
	return a->left <= b->right && b->left <= a->right && a->top <= b->bottom && b->top <= a->bottom;
}

/* Alpha of a run: bilinear inside the view, 0 outside it and outside the disc. */
static void sample_run(const struct vrs_alpha_disc *disc, const struct placed *placed, int run, int y, uint8_t alpha[RUN])
{
	const struct vrs_matte *matte = placed->matte;
	const struct vrs_remap_plane plane = {matte->data, matte->stride, matte->width, matte->height};
	int32_t u[RUN], v[RUN];
	uint32_t inside = vrs_remap_run(disc->map, run, y, u, v), covered = 0;
	int64_t right = ((int64_t)matte->width << 16) - 32768, bottom = ((int64_t)matte->height << 16) - 32768;

	for (int t = 0; t < RUN; t++) {
		int64_t x = ((u[t] * placed->at.factor[0]) >> VRS_ALPHA_DISC_BITS) + placed->at.shift[0];
		int64_t row = ((v[t] * placed->at.factor[1]) >> VRS_ALPHA_DISC_BITS) + placed->at.shift[1];
		bool in_view = x >= -32768 && x <= right && row >= -32768 && row <= bottom;
		covered |= (uint32_t)in_view << t;
		u[t] = in_view ? (int32_t)x : 0;
		v[t] = in_view ? (int32_t)row : 0;
	}
	vrs_picture_kernels()->remap_sample_u8(alpha, &plane, u, v, RUN);
	for (int t = 0; t < RUN; t++)
		alpha[t] = (inside & covered) >> t & 1 ? alpha[t] : 0;
}

/* A row of the frame that discs are drawn into. */
struct disc_row {
	struct vrs_frame *dst;
	const uint16_t (*codes)[256];
	int y, left;                     /* row of the frame, and column of the disc's first sample: may be negative */
	uint8_t *largest;                /* alpha of each chroma sample of the row so far; NULL: chroma stays */
};

static void put(struct vrs_frame *dst, int p, int x, int y, uint16_t code)
{
	uint8_t *row = dst->data[p] + dst->stride_bytes[p] * y;

	if (dst->format.bit_depth == 8)
		row[x] = (uint8_t)code;
	else
		((uint16_t *)(void *)row)[x] = code;
}

static void put_run(const struct disc_row *row, int i, const uint8_t alpha[RUN])
{
	const struct vrs_picture_format *format = &row->dst->format;
	int sx = format->chroma_shift_x, sy = format->chroma_shift_y;

	for (int t = 0; t < RUN; t++) {
		int at = row->left + i + t, x = at < 0 ? at + format->width : at >= format->width ? at - format->width : at;
		if (!alpha[t])
			continue;
		put(row->dst, 0, x, row->y, row->codes[0][alpha[t]]);
		if (!row->largest)
			continue;
		uint8_t *largest = &row->largest[(at >> sx) - (row->left >> sx)];
		if (alpha[t] <= *largest)
			continue;
		*largest = alpha[t];
		put(row->dst, 1, x >> sx, row->y >> sy, row->codes[1][alpha[t]]);
		put(row->dst, 2, x >> sx, row->y >> sy, row->codes[2][alpha[t]]);
	}
}

void vrs_alpha_disc_draw(const struct vrs_alpha_disc *disc, struct vrs_frame *dst, int centre_x, const struct vrs_matte *matte,
			 const struct vrs_rect *view, const uint16_t codes[3][256], bool colored)
{
	uint8_t largest[MAX_DISC];
	struct disc_row row = {.dst = dst, .codes = codes, .left = centre_x - disc->size / 2, .largest = colored ? largest : NULL};
	struct placed placed;
	int chroma_row = -1;

	if (!place(&placed, matte, view))
		return;
	for (int j = 0; j < disc->size; j++) {
		int first, end, y = j - disc->size / 2;
		row.y = y < 0 ? y + dst->format.height : y;
		if (row.y >> dst->format.chroma_shift_y != chroma_row)
			memset(largest, 0, sizeof largest);
		chroma_row = row.y >> dst->format.chroma_shift_y;
		vrs_remap_row(disc->map, j, &first, &end);
		for (int run = first; run < end; run++) {
			uint8_t alpha[RUN];
			if (!meet(&disc->bounds[(size_t)j * (size_t)disc->runs + (size_t)run], &placed.people))
				continue;
			sample_run(disc, &placed, run, j, alpha);
			put_run(&row, run * RUN, alpha);
		}
	}
}
