/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/av_levels.h"

#include <math.h>

#include <libavutil/bswap.h>
#include <libavutil/pixdesc.h>

#include "base/assert.h"
#include "base/mem.h"

enum { LUMA, CHROMA, TABLES };

struct vrs_av_levels {
	const AVPixFmtDescriptor *desc;
	uint16_t *table[TABLES]; /* one entry for each sample value of the depth; grey has no chroma */
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

/* The same of samples that were shifted from their own depth to a larger one: full white lands below the largest value. */
static struct scale shifted_scale(enum vrs_range range, int own_depth, int depth, int table)
{
	struct scale scale = scale_of(range, depth, table);

	if (range == VRS_RANGE_FULL && own_depth < depth)
		scale.swing = (double)(((1 << own_depth) - 1) << (depth - own_depth));
	return scale;
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

enum vrs_status vrs_av_levels_create(struct vrs_av_levels **ret_levels, int depth, enum vrs_range from, enum AVPixelFormat format,
				     enum vrs_range to)
{
	const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(format);
	int target = desc->comp[0].depth;
	struct vrs_av_levels *levels;

	VRS_ASSERT(depth >= 8 && target >= 8 && target <= 16 && !(desc->flags & AV_PIX_FMT_FLAG_RGB));
	*ret_levels = NULL;
	if (from == to && (to == VRS_RANGE_LIMITED || depth >= target))
		return VRS_OK;
	levels = vrs_calloc(1, sizeof *levels);
	if (!levels)
		return VRS_ENOMEM;
	levels->desc = desc;
	for (int i = 0; i < (desc->nb_components > 2 ? TABLES : 1); i++) {
		levels->table[i] = make_table(target, shifted_scale(from, depth, target, i), scale_of(to, target, i));
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
	bool chroma = c > 0;
	const uint16_t *table = levels->table[chroma ? CHROMA : LUMA];
	int width = chroma ? AV_CEIL_RSHIFT(frame->width, desc->log2_chroma_w) : frame->width;
	int height = chroma ? AV_CEIL_RSHIFT(frame->height, desc->log2_chroma_h) : frame->height;

	for (int y = 0; y < height; y++) {
		uint8_t *row = frame->data[comp->plane] + (ptrdiff_t)frame->linesize[comp->plane] * y + comp->offset;

		if (comp->depth > 8)
			map_words(table, row, width, comp->step, comp->shift, (desc->flags & AV_PIX_FMT_FLAG_BE) != 0, comp->depth);
		else if (comp->step == 1)
			map_bytes(table, row, width, 1);
		else
			map_bytes(table, row, width, comp->step);
	}
}

void vrs_av_levels_apply(const struct vrs_av_levels *levels, AVFrame *frame)
{
	for (int c = 0; c < (levels->desc->nb_components > 2 ? 3 : 1); c++)
		map_component(levels, frame, c);
}
