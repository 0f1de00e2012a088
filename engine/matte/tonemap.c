/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table has a node every 1/64 of luma's codes; of chroma's every 1/128 in the middle quarter, where PQ and HLG have nearly all colours, and every
 * 1/32 outside.  Nodes of Y lie side by side, so that the two of a cell are one cache line.  Values are codes of 8 bits times 128.  A chroma sample
 * fixes the four columns of its cell and their weights for all luma samples that belong to it.
 */
#include "matte/tonemap.h"

#include <math.h>

#include "base/mem.h"
#include "matte/hdr_transfer.h"
#include "matte/yuv_color.h"

#define LUMA_BITS 6
#define FINE 32             /* cells of chroma in the middle quarter, and those on each side of it */
#define COARSE 12
#define LUMA_NODES ((1 << LUMA_BITS) + 1)
#define CHROMA_NODES (FINE + 2 * COARSE + 1)
#define UNIT 128            /* of a value, for one code */
#define FRACTION_BITS 8     /* of a place between two nodes */
#define ONE (1u << FRACTION_BITS)
#define BT709 1             /* H.273: primaries and transfer */
#define BT2020 9

/* Of a chroma code: the node at or below it, and the place between that and the next, 0..255 of ONE. */
struct place {
	uint8_t node, fraction;
};

struct vrs_tonemap {
	struct vrs_picture_format source, target;
	uint16_t nodes[CHROMA_NODES * CHROMA_NODES * LUMA_NODES * 4]; /* [cb][cr][y][Y, Cb, Cr, 0] */
	struct place places[];  /* [1 << bit_depth] */
};

double vrs_tonemap_eetf(double nits, double peak_nits)
{
	double white = vrs_pq_code(peak_nits), e = fmin(vrs_pq_code(nits) / white, 1), most = vrs_pq_code(VRS_SDR_WHITE_NITS) / white;
	double knee = 1.5 * most - 0.5;
	if (most >= 1 || e < knee)
		return fmin(nits, VRS_SDR_WHITE_NITS);
	double t = (e - knee) / (1 - knee), t2 = t * t, t3 = t2 * t;
	double rolled = (2 * t3 - 3 * t2 + 1) * knee + (t3 - 2 * t2 + t) * (1 - knee) + (3 * t2 - 2 * t3) * most;
	return fmin(vrs_pq_nits(rolled * white), VRS_SDR_WHITE_NITS);
}

/* No channel below 0: as far towards the grey of the same luminance as it takes. */
static void into_gamut(double rgb[3])
{
	double grey = 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2], least = fmin(rgb[0], fmin(rgb[1], rgb[2]));
	if (least >= 0)
		return;
	double keep = grey > 0 ? grey / (grey - least) : 0;
	for (int c = 0; c < 3; c++)
		rgb[c] = fmax(grey, 0) + keep * (rgb[c] - grey);
}

void vrs_tonemap_color(const struct vrs_picture_format *format, double peak_nits, const double code[3], double ret[3])
{
	double clipped[3], nits[3], rgb[3];
	for (int c = 0; c < 3; c++)
		clipped[c] = fmin(fmax(code[c], 0), 1);
	vrs_hdr_light(format, clipped, nits);
	if (format->primaries == BT2020)
		vrs_bt709_from_bt2020(nits, rgb);
	else
		for (int c = 0; c < 3; c++)
			rgb[c] = nits[c];
	into_gamut(rgb);
	double largest = fmax(rgb[0], fmax(rgb[1], rgb[2]));
	double gain = largest > 0 ? vrs_tonemap_eetf(largest, peak_nits) / largest : 0;
	for (int c = 0; c < 3; c++)
		ret[c] = pow(fmin(fmax(rgb[c] * gain / VRS_SDR_WHITE_NITS, 0), 1), 1 / VRS_SDR_GAMMA);
}

struct vrs_picture_format vrs_tonemap_format(const struct vrs_picture_format *source)
{
	struct vrs_picture_format target = *source;
	target.bit_depth = 8;
	target.matrix = VRS_MATRIX_BT709;
	target.range = VRS_RANGE_LIMITED;
	target.primaries = target.transfer = BT709;
	return target;
}

static void fill_node(const struct vrs_tonemap *tonemap, double peak_nits, const double yuv[3], uint16_t *node)
{
	double code[3], sdr[3], mapped[3];
	vrs_yuv_to_share(code, &tonemap->source, yuv);
	vrs_tonemap_color(&tonemap->source, peak_nits, code, sdr);
	vrs_yuv_codes(mapped, &tonemap->target, sdr);
	for (int c = 0; c < 3; c++)
		node[c] = (uint16_t)lround(fmin(fmax(mapped[c], 0), 255) * UNIT);
}

/* Share of the codes at a node of chroma. */
static double chroma_at(int node)
{
	return node < COARSE ? node / 32.0 : node <= COARSE + FINE ? 0.375 + (node - COARSE) / 128.0 : 0.625 + (node - COARSE - FINE) / 32.0;
}

static void find_places(struct vrs_tonemap *tonemap)
{
	int codes = 1 << tonemap->source.bit_depth, node = 0;
	for (int code = 0; code < codes; code++) {
		double share = (double)code / codes;
		while (chroma_at(node + 1) <= share)
			node++;
		tonemap->places[code] = (struct place){(uint8_t)node, (uint8_t)(ONE * (share - chroma_at(node)) / (chroma_at(node + 1) - chroma_at(node)))};
	}
}

enum vrs_status vrs_tonemap_create(struct vrs_tonemap **ret_tonemap, const struct vrs_picture_format *source, double peak_nits)
{
	if (!vrs_format_is_hdr(source) || source->planes != 3 || source->bit_depth < 8)
		return VRS_EINVAL;
	struct vrs_tonemap *tonemap = vrs_calloc(1, sizeof *tonemap + ((size_t)1 << source->bit_depth) * sizeof tonemap->places[0]);
	if (!tonemap)
		return VRS_ENOMEM;
	tonemap->source = *source;
	tonemap->target = vrs_tonemap_format(source);
	find_places(tonemap);
	double codes = (double)(1 << source->bit_depth);
	uint16_t *node = tonemap->nodes;
	peak_nits = fmax(peak_nits, VRS_SDR_WHITE_NITS);
	for (int cb = 0; cb < CHROMA_NODES; cb++)
		for (int cr = 0; cr < CHROMA_NODES; cr++)
			for (int y = 0; y < LUMA_NODES; y++, node += 4) {
				const double yuv[3] = {codes * y / (1 << LUMA_BITS), codes * chroma_at(cb), codes * chroma_at(cr)};
				fill_node(tonemap, peak_nits, yuv, node);
			}
	*ret_tonemap = tonemap;
	return VRS_OK;
}

void vrs_tonemap_destroy(struct vrs_tonemap *tonemap)
{
	vrs_free(tonemap);
}

/* Columns of the cell that a chroma sample lies in; the weights' sum is ONE * ONE. */
struct cell {
	const uint16_t *column[4];
	uint32_t weight[4];
};

static unsigned at(const uint8_t *row, int x, bool wide)
{
	return wide ? ((const uint16_t *)(const void *)row)[x] : row[x];
}

static unsigned legal(unsigned code, int depth)
{
	unsigned top = (1u << depth) - 1;
	return code < top ? code : top; /* damaged pictures may use bits above the depth */
}

static void find_cell(const struct vrs_tonemap *tonemap, unsigned cb, unsigned cr, struct cell *ret)
{
	const struct place *b_place = &tonemap->places[legal(cb, tonemap->source.bit_depth)];
	const struct place *r_place = &tonemap->places[legal(cr, tonemap->source.bit_depth)];
	uint32_t b = b_place->fraction, r = r_place->fraction;
	const uint16_t *first = tonemap->nodes + ((size_t)b_place->node * CHROMA_NODES + r_place->node) * LUMA_NODES * 4;
	ret->column[0] = first;
	ret->column[1] = first + (size_t)LUMA_NODES * 4;
	ret->column[2] = first + (size_t)CHROMA_NODES * LUMA_NODES * 4;
	ret->column[3] = ret->column[2] + (size_t)LUMA_NODES * 4;
	ret->weight[0] = (ONE - b) * (ONE - r);
	ret->weight[1] = (ONE - b) * r;
	ret->weight[2] = b * (ONE - r);
	ret->weight[3] = b * r;
}

/* Component c of the cell at a luma node: its value. 65536 * 32640 fits into 32 bits. */
static uint32_t column_value(const struct cell *cell, unsigned node, int c)
{
	size_t place = (size_t)node * 4 + (size_t)c;
	return (cell->weight[0] * cell->column[0][place] + cell->weight[1] * cell->column[1][place] + cell->weight[2] * cell->column[2][place] +
		cell->weight[3] * cell->column[3][place]) >> (2 * FRACTION_BITS);
}

static uint8_t look_up(const struct vrs_tonemap *tonemap, const struct cell *cell, unsigned luma, int c)
{
	int depth = tonemap->source.bit_depth, shift = depth - LUMA_BITS;
	unsigned code = legal(luma, depth), node = code >> shift, rest = code & ((1u << shift) - 1);
	uint32_t fraction = shift > FRACTION_BITS ? rest >> (shift - FRACTION_BITS) : rest << (FRACTION_BITS - shift);
	uint32_t value = (ONE - fraction) * column_value(cell, node, c) + fraction * column_value(cell, node + 1, c);
	return (uint8_t)((value + ONE * UNIT / 2) / (ONE * UNIT));
}

/* One row of chroma samples and the luma samples that belong to them. */
static void map_rows(const struct vrs_tonemap *tonemap, struct vrs_frame *dst, const struct vrs_frame *src, int row)
{
	const struct vrs_picture_format *format = &tonemap->source;
	int sx = format->chroma_shift_x, sy = format->chroma_shift_y, first = row << sy, end = (row + 1) << sy;
	const uint8_t *cb = src->data[1] + src->stride_bytes[1] * row, *cr = src->data[2] + src->stride_bytes[2] * row;
	bool wide = format->bit_depth > 8;
	end = end < format->height ? end : format->height;
	for (int x = 0; x < vrs_plane_width(format, 1); x++) {
		int left = x << sx, right = (x + 1) << sx;
		unsigned sum = 0, count = 0;
		struct cell cell;
		right = right < format->width ? right : format->width;
		find_cell(tonemap, at(cb, x, wide), at(cr, x, wide), &cell);
		for (int y = first; y < end; y++)
			for (int i = left; i < right; i++) {
				unsigned luma = at(src->data[0] + src->stride_bytes[0] * y, i, wide);
				dst->data[0][dst->stride_bytes[0] * y + i] = look_up(tonemap, &cell, luma, 0);
				sum += luma;
				count++;
			}
		for (int c = 1; c < 3; c++)
			dst->data[c][dst->stride_bytes[c] * row + x] = look_up(tonemap, &cell, (sum + count / 2) / count, c);
	}
}

void vrs_tonemap_run(const struct vrs_tonemap *tonemap, struct vrs_frame *dst, const struct vrs_frame *src)
{
	for (int row = 0; row < vrs_plane_height(&tonemap->source, 1); row++)
		map_rows(tonemap, dst, src, row);
}
