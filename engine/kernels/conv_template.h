/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Dense convolution rows as register tiles of MR pixels x NV vectors: one broadcast of an input value times NV weight vectors.
 * Tiles by panel width: 1 vector: 12 pixels; 2 vectors: 6 (12 on 16 lanes with 32 registers); 3 vectors: 4 (8).  Fewer pixels are left
 * at the end of a row: tiles of 8, 5, 4, 3, 2, 1.  Every tile sums in the same order (bias, then segments, then k), so cuts do not show.
 */
#include "kernels/conv_epilogue.h"
#include "kernels/row_contract.h"
#include "kernels/weight_pack.h"

/* The column of a panel: packed weights, bias, first output channel, lanes in its last vector. */
struct conv_panel {
	const float *weights, *bias;
	int first;
	vm last;
};

/* Products k0 <= k < k1 of the segments s0 <= s < s1: all there are, or a share whose weights stay in the first-level cache. */
struct conv_part {
	const float *weights;
	int s0, s1, k0, k1;
	bool begins, ends;
};

#define CONV_PART_FLOATS 4096        /* 16 KiB of weights */
#define CONV_CUT_FLOATS (256 * 1024) /* from 1 MiB on, a large second-level cache, a panel is cut */

/* The output pixels of a tile, one after the other: a tile may begin in one row and end in another. */
struct conv_walk {
	float *out;
	int turn; /* pixel of the tile that begins a row */
};

VRS_INLINE struct conv_walk conv_walk_from(const struct vrs_conv_row *row, const struct conv_panel *panel, ptrdiff_t pixel)
{
	struct conv_walk walk = {row->out + pixel * row->out_px + panel->first, MR_MAX};
	if (row->wrap > 0) {
		unsigned y = (unsigned)pixel / (unsigned)row->wrap;
		walk.out += y * row->gap;
		walk.turn = (int)((y + 1) * (unsigned)row->wrap - (unsigned)pixel);
	}
	return walk;
}

/* To pixel i of the tile from the one before. */
VRS_INLINE void conv_walk_to(struct conv_walk *walk, const struct vrs_conv_row *row, int i)
{
	walk->out += row->out_px;
	if (i == walk->turn) {
		walk->out += row->gap;
		walk->turn += row->wrap;
	}
}

VRS_INLINE void conv_put(const struct vrs_conv_row *row, const struct conv_panel *panel, vf acc[MR_MAX][3], ptrdiff_t pixel, int mr, int nv,
			 bool masked)
{
	struct conv_walk to = conv_walk_from(row, panel, pixel);
	VRS_UNROLL
	for (int i = 0; i < mr; i++) {
		VRS_UNROLL
		for (int j = 0; j < nv; j++) {
			if (masked && j == nv - 1)
				v_storem(to.out + j * VL, panel->last, acc[i][j]);
			else
				v_store(to.out + j * VL, acc[i][j]);
		}
		conv_walk_to(&to, row, i + 1);
	}
}

VRS_INLINE void conv_store(const struct vrs_conv_row *row, const struct conv_panel *panel, vf acc[MR_MAX][3], ptrdiff_t pixel, int mr, int nv,
			   bool masked)
{
	conv_epilogue(&row->epilogue, panel->first, panel->last, acc, pixel, mr, nv, masked);
	conv_put(row, panel, acc, pixel, mr, nv, masked);
}

/* Where a tile begins: with the bias, or with the sums of the part before, which wait in the output. */
VRS_INLINE void conv_begin(const struct vrs_conv_row *row, const struct conv_panel *panel, const struct conv_part *part, vf acc[MR_MAX][3],
			   ptrdiff_t pixel, int mr, int nv, bool masked)
{
	if (part->begins) {
		VRS_UNROLL
		for (int i = 0; i < mr; i++) {
			VRS_UNROLL
			for (int j = 0; j < nv; j++)
				acc[i][j] = v_load(panel->bias + j * VL);
		}
		return;
	}
	struct conv_walk from = conv_walk_from(row, panel, pixel);
	VRS_UNROLL
	for (int i = 0; i < mr; i++) {
		VRS_UNROLL
		for (int j = 0; j < nv; j++)
			acc[i][j] = masked && j == nv - 1 ? v_loadm(from.out + j * VL, panel->last) : v_load(from.out + j * VL);
		conv_walk_to(&from, row, i + 1);
	}
}

VRS_INLINE void conv_tile(const struct vrs_conv_row *row, const struct conv_panel *panel, const struct conv_part *part, ptrdiff_t pixel, int mr,
			  int nv, bool masked)
{
	vf acc[MR_MAX][3];
	conv_begin(row, panel, part, acc, pixel, mr, nv, masked);
	const float *w = part->weights;
	ptrdiff_t px = row->in_px;
	int count = part->k1 - part->k0;
	for (int s = part->s0; s < part->s1; s++) {
		const float *a = row->seg[s] + part->k0 + pixel * px;
		VRS_UNROLL4
		for (int k = 0; k < count; k++) {
			vf b[3];
			VRS_UNROLL
			for (int j = 0; j < nv; j++)
				b[j] = v_load(w + j * VL);
			VRS_UNROLL
			for (int i = 0; i < mr; i++) {
				vf x = v_set1(a[i * px]);
				VRS_UNROLL
				for (int j = 0; j < nv; j++)
					acc[i][j] = v_fma(x, b[j], acc[i][j]);
			}
			w += nv * VL;
			a++;
		}
	}
	if (part->ends)
		conv_store(row, panel, acc, pixel, mr, nv, masked);
	else
		conv_put(row, panel, acc, pixel, mr, nv, masked);
}

/* A part of the products of all pixels. */
VRS_INLINE void conv_part_pixels(const struct vrs_conv_row *row, const struct conv_panel *panel, const struct conv_part *part, int mr, int nv,
				 bool masked)
{
	int p = 0, left = row->pixels;
	/* Six and one or two are four and three or four: short tiles wait for the latency of their few sums. */
	for (; left >= mr && !(mr == 6 && (left == 7 || left == 8)); p += mr, left -= mr)
		conv_tile(row, panel, part, p, mr, nv, masked);
	if (mr > 8 && left >= 8) {
		conv_tile(row, panel, part, p, 8, nv, masked);
		p += 8;
		left -= 8;
	}
	if (mr == 6 && left == 5) {
		conv_tile(row, panel, part, p, 5, nv, masked);
		return;
	}
	for (; mr > 4 && left >= 4; p += 4, left -= 4)
		conv_tile(row, panel, part, p, 4, nv, masked);
	if (mr > 3 && left == 3) {
		conv_tile(row, panel, part, p, 3, nv, masked);
		return;
	}
	if (left >= 2) {
		conv_tile(row, panel, part, p, 2, nv, masked);
		p += 2;
		left -= 2;
	}
	if (left > 0)
		conv_tile(row, panel, part, p, 1, nv, masked);
}

/*
 * All pixels of one panel.  Where its weights leave the second-level cache, the tiles share each part of them: 5x5 with 1280 channels would read
 * 2 MiB a tile.  Local copies: a vector store could change the caller's structures as far as the compiler knows.
 */
VRS_INLINE void conv_panel_pixels(const struct vrs_conv_row *args, const struct conv_panel *column, int mr, int nv, bool masked)
{
	const struct vrs_conv_row copy = *args, *row = &copy;
	const struct conv_panel column_copy = *column, *panel = &column_copy;
	int width = nv * VL, most = CONV_PART_FLOATS / width, segs = row->segs, klen = row->klen;
	struct conv_part part = {panel->weights, 0, segs, 0, klen, true, true};
	int cuts = 1, together = segs;
	if (row->pixels > mr && segs * klen > CONV_CUT_FLOATS / width) {
		cuts = (klen + most - 1) / most;
		together = cuts > 1 ? 1 : most / klen;
	}
	for (int s = 0; s < segs; s += together) {
		for (int c = 0; c < cuts; c++) {
			part.s0 = s;
			part.s1 = s + together < segs ? s + together : segs;
			part.k0 = (int)((long)klen * c / cuts);
			part.k1 = (int)((long)klen * (c + 1) / cuts);
			part.begins = s == 0 && c == 0;
			part.ends = part.s1 == segs && c + 1 == cuts;
			conv_part_pixels(row, panel, &part, mr, nv, masked);
			part.weights += (ptrdiff_t)(part.s1 - part.s0) * (part.k1 - part.k0) * width;
		}
	}
}

/*
 * One pixel reads all weights for little work, so what counts is how many cache lines are on their way, and a tile of one pixel waits for the latency
 * of its two sums: panels take the place of the pixels of a tile (1280 to 1000 channels on Zen 3, weights in L3: 36 to 65 GB/s).
 */
VRS_INLINE void conv_pixel_panels(const struct vrs_conv_row *args, const struct conv_panel *first, int count)
{
	struct vrs_conv_row row = *args;
	const struct conv_panel panel = *first;
	ptrdiff_t apart = (ptrdiff_t)row.segs * row.klen * 2 * VL;
	const float *w = panel.weights;
	vf acc[MR_MAX][3];
	VRS_UNROLL
	for (int i = 0; i < count; i++) {
		acc[i][0] = v_load(panel.bias + i * 2 * VL);
		acc[i][1] = v_load(panel.bias + i * 2 * VL + VL);
	}
	for (int s = 0; s < row.segs; s++) {
		const float *a = row.seg[s];
		VRS_UNROLL4
		for (int k = 0; k < row.klen; k++, w += 2 * VL) {
			vf x = v_set1(a[k]);
			VRS_UNROLL
			for (int i = 0; i < count; i++) {
				acc[i][0] = v_fma(x, v_load(w + i * apart), acc[i][0]);
				acc[i][1] = v_fma(x, v_load(w + i * apart + VL), acc[i][1]);
			}
		}
	}
	row.out_px = row.epilogue.residual_px = 2 * VL;
	row.wrap = 0;
	conv_store(&row, &panel, acc, 0, count, 2, false);
}

static __attribute__((noinline)) void conv_pixel4(const struct vrs_conv_row *row, const struct conv_panel *panel)
{
	conv_pixel_panels(row, panel, 4);
}

static __attribute__((noinline)) void conv_pixel2(const struct vrs_conv_row *row, const struct conv_panel *panel)
{
	conv_pixel_panels(row, panel, 2);
}

/* One function per panel shape, so that each keeps its registers. */
#define CONV_PANEL(name, mr, nv, masked) \
	static __attribute__((noinline)) void name(const struct vrs_conv_row *row, const struct conv_panel *panel) \
	{ \
		conv_panel_pixels(row, panel, mr, nv, masked); \
	}
CONV_PANEL(conv_panel1, MR1, 1, false)
CONV_PANEL(conv_panel2, MR2, 2, false)
CONV_PANEL(conv_panel3, MR3, 3, false)
CONV_PANEL(conv_panel1_masked, MR1, 1, true)
CONV_PANEL(conv_panel2_masked, MR2, 2, true)
CONV_PANEL(conv_panel3_masked, MR3, 3, true)

void VRS_ISA(vrs_conv_f32_rows)(const struct vrs_conv_row *row)
{
	vrs_conv_row_contract(row);
	static void (*const panels[2][3])(const struct vrs_conv_row *, const struct conv_panel *) = {
		{conv_panel1, conv_panel2, conv_panel3},
		{conv_panel1_masked, conv_panel2_masked, conv_panel3_masked},
	};
	int tail = row->n % VL;
	ptrdiff_t k = (ptrdiff_t)row->segs * row->klen;
	struct conv_panel panel = {row->weights, row->bias, 0, v_mask(tail)};
	for (int left = (row->n + VL - 1) / VL; left > 0;) {
		int nv = VRS_PANEL_VECTORS(left), whole = left - (tail > 0);
		if (row->pixels == 1 && nv == 2 && whole >= 4) {
			nv = whole >= 8 ? 8 : 4;
			(nv == 8 ? conv_pixel4 : conv_pixel2)(row, &panel);
		} else {
			panels[tail && left == nv][nv - 1](row, &panel);
		}
		panel.weights += k * nv * VL;
		panel.bias += nv * VL;
		panel.first += nv * VL;
		left -= nv;
	}
}

void VRS_ISA(vrs_conv_scale_f32)(float *dst, const float *packed, const float *scale, int scale_count, int k, int n, int lanes)
{
	for (int left = (n + lanes - 1) / lanes; left > 0;) {
		int nv = VRS_PANEL_VECTORS(left), width = nv * lanes;
		for (int i = 0, c = 0; i < k; i++) {
			vf s = v_set1(scale[c]);
			for (int j = 0; j < width; j += VL)
				v_store(dst + j, v_mul(s, v_load(packed + j)));
			dst += width;
			packed += width;
			c = c + 1 < scale_count ? c + 1 : 0;
		}
		left -= nv;
	}
}
