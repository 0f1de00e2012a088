/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/av_levels.h"

#include <math.h>

#include <libavutil/bswap.h>
#include <libavutil/pixdesc.h>

#include "base/assert.h"
#include "base/mem.h"
#include "video/av_format.h"

enum { LUMA, CHROMA, TABLES };

struct vrs_av_levels {
	const AVPixFmtDescriptor *desc;
	uint16_t *table[TABLES]; /* one entry for each sample value of the depth; grey and RGB have no chroma */
};

/* Where luma is 0 and colour is neutral, and the samples from there to white or over the whole swing of chroma. */
struct scale {
	double zero, swing;
};

static struct scale scale_of(enum vrs_range range, int depth, int table)
{
	double unit = (double)(1 << (depth - 8));

	if (range == VRS_RANGE_FULL)
		return (struct scale){table == CHROMA ? 128 * unit : 0, (double)((1 << depth) - 1)};
	return table == CHROMA ? (struct scale){128 * unit, 224 * unit} : (struct scale){16 * unit, 219 * unit};
}

/* The white of full range that swscale assumes. */
static double white_of_swscale(int depth)
{
	return (double)(255 << (depth - 8));
}

static struct scale scale_made(const struct vrs_av_levels_made *made, int depth, int table)
{
	struct scale scale = scale_of(made->range, depth, table);

	if (made->range == VRS_RANGE_FULL)
		scale.swing = white_of_swscale(depth);
	if (made->was_full)
		scale.swing *= ((1 << made->depth) - 1) / white_of_swscale(made->depth);
	if (made->range == VRS_RANGE_FULL) /* more was cut off */
		scale.swing = fmin(scale.swing, (double)((1 << depth) - 1));
	return scale;
}

/* Components but alpha. */
static int colours_of(const AVPixFmtDescriptor *desc)
{
	return desc->nb_components > 2 ? 3 : 1;
}

/* Samples that are bytes or words of their own. */
static bool has_whole_samples(const AVPixFmtDescriptor *desc)
{
	bool whole = !(desc->flags & (AV_PIX_FMT_FLAG_FLOAT | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_PAL));

	for (int c = 0; c < colours_of(desc); c++) {
		const AVComponentDescriptor *comp = &desc->comp[c];

		if (comp->depth > 8)
			whole = whole && comp->depth + comp->shift <= 16 && (comp->offset | comp->step) % 2 == 0;
		else
			whole = whole && comp->depth == 8 && comp->shift == 0;
	}
	return whole;
}

static uint16_t *make_table(int depth, struct scale from, struct scale to)
{
	int count = 1 << depth;
	uint16_t *table = vrs_calloc((size_t)count, sizeof *table);

	for (int i = 0; table && i < count; i++) {
		long value = lround(to.zero + (i - from.zero) * to.swing / from.swing);

		table[i] = (uint16_t)(value < 0 ? 0 : value >= count ? count - 1 : value);
	}
	return table;
}

static bool same_scale(struct scale a, struct scale b)
{
	return a.zero == b.zero && fabs(a.swing - b.swing) < 1e-6;
}

enum vrs_status vrs_av_levels_create(struct vrs_av_levels **ret_levels, const struct vrs_av_levels_made *made, enum AVPixelFormat format,
				     enum vrs_range range)
{
	const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(format);
	int depth = desc->comp[0].depth, tables = colours_of(desc) > 1 && !vrs_av_format_is_rgb(format) ? TABLES : 1;
	struct vrs_av_levels *levels;

	VRS_ASSERT(made->depth >= 8 && made->depth <= 16);
	*ret_levels = NULL;
	/* Where luma is right, so is chroma. */
	if (!has_whole_samples(desc) || same_scale(scale_made(made, depth, LUMA), scale_of(range, depth, LUMA)))
		return VRS_OK;
	levels = vrs_calloc(1, sizeof *levels);
	if (!levels)
		return VRS_ENOMEM;
	levels->desc = desc;
	for (int i = 0; i < tables; i++) {
		levels->table[i] = make_table(depth, scale_made(made, depth, i), scale_of(range, depth, i));
		if (!levels->table[i]) {
			vrs_av_levels_destroy(levels);
			return VRS_ENOMEM;
		}
	}
	*ret_levels = levels;
	return VRS_OK;
}

void vrs_av_levels_destroy(struct vrs_av_levels *levels)
{
	if (!levels)
		return;
	for (int i = 0; i < TABLES; i++)
		vrs_free(levels->table[i]);
	vrs_free(levels);
}

static void map_bytes(const uint16_t *table, uint8_t *samples, int count, int step)
{
	for (int x = 0; x < count; x++)
		samples[x * step] = (uint8_t)table[samples[x * step]];
}

/* Samples of 16 bits, of which those of the depth lie `shift` from the lowest. */
static void map_words(const uint16_t *table, uint8_t *samples, int count, int step, int shift, bool big_endian, int depth)
{
	const unsigned mask = (1u << depth) - 1;

	for (int x = 0; x < count; x++) {
		uint16_t *sample = (uint16_t *)(void *)(samples + (ptrdiff_t)x * step);
		unsigned value = big_endian ? av_be2ne16(*sample) : *sample;
		uint16_t mapped = (uint16_t)(table[(value >> shift) & mask] << shift);

		*sample = big_endian ? av_be2ne16(mapped) : mapped;
	}
}

static void map_component(const struct vrs_av_levels *levels, AVFrame *frame, int c)
{
	const AVPixFmtDescriptor *desc = levels->desc;
	const AVComponentDescriptor *comp = &desc->comp[c];
	bool chroma = c > 0 && levels->table[CHROMA];
	const uint16_t *table = levels->table[chroma ? CHROMA : LUMA];
	int width = chroma ? AV_CEIL_RSHIFT(frame->width, desc->log2_chroma_w) : frame->width;
	int height = chroma ? AV_CEIL_RSHIFT(frame->height, desc->log2_chroma_h) : frame->height;

	for (int y = 0; y < height; y++) {
		uint8_t *row = frame->data[comp->plane] + (ptrdiff_t)frame->linesize[comp->plane] * y + comp->offset;

		if (comp->depth > 8)
			map_words(table, row, width, comp->step, comp->shift, (desc->flags & AV_PIX_FMT_FLAG_BE) != 0, comp->depth);
		else if (comp->step == 1) /* by far the most: a loop of its own */
			map_bytes(table, row, width, 1);
		else
			map_bytes(table, row, width, comp->step);
	}
}

void vrs_av_levels_apply(const struct vrs_av_levels *levels, AVFrame *frame)
{
	for (int c = 0; c < colours_of(levels->desc); c++)
		map_component(levels, frame, c);
}
