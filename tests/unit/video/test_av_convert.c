/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards video/av_convert and av_levels: plain colours between pixel formats, ranges, depths and sizes, against values computed here from
 * ITU-R BT.601, BT.709 and BT.2100 (ranges).  A picture of the same size and one that is scaled take different ways through swscale.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>

#include "base/mem.h"
#include "video/av_convert.h"
#include "video/av_format.h"

#define W 66
#define H 34

/* Red, green and blue, 0 to 1. */
static const double colours[][3] = {{0, 0, 0}, {1, 1, 1}, {.5, .5, .5}, {1, 0, 0}, {0, 0, 1}, {.2, .7, .4}};
#define GREYS 3 /* the first ones */
#define COLOURS 6

static bool is_rgb(const AVPixFmtDescriptor *desc)
{
	return (desc->flags & AV_PIX_FMT_FLAG_RGB) != 0;
}

static bool is_alpha(const AVPixFmtDescriptor *desc, int c)
{
	return (desc->flags & AV_PIX_FMT_FLAG_ALPHA) && c == desc->nb_components - 1;
}

/* Component c of an opaque colour, unrounded. */
static double truth(const double rgb[3], const struct vrs_av_shape *shape, int c)
{
	const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(shape->format);
	double red = shape->matrix == VRS_MATRIX_BT601 ? .299 : .2126, blue = shape->matrix == VRS_MATRIX_BT601 ? .114 : .0722;
	double luma = red * rgb[0] + (1 - red - blue) * rgb[1] + blue * rgb[2];
	double chroma = c == 1 ? (rgb[2] - luma) / 2 / (1 - blue) : (rgb[0] - luma) / 2 / (1 - red);
	double max = (1 << desc->comp[c].depth) - 1, unit = 1 << (desc->comp[c].depth - 8);
	bool full = shape->range == VRS_RANGE_FULL;
	double value;

	if (is_alpha(desc, c))
		return max;
	if (is_rgb(desc))
		return rgb[c] * max;
	if (c == 0)
		value = full ? luma * max : (16 + 219 * luma) * unit;
	else
		value = full ? 128 * unit + chroma * max : (128 + 224 * chroma) * unit;
	return fmin(fmax(value, 0), max);
}

static AVFrame *make_colour(const double rgb[3], const struct vrs_av_shape *shape)
{
	const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(shape->format);
	AVFrame *frame = av_frame_alloc();
	uint16_t row[W];

	frame->format = shape->format;
	frame->width = shape->width;
	frame->height = shape->height;
	assert_true(av_frame_get_buffer(frame, 0) >= 0);
	for (int p = 0; p < 4 && frame->buf[p]; p++)
		memset(frame->buf[p]->data, 0, frame->buf[p]->size);
	for (int c = 0; c < desc->nb_components; c++) {
		bool chroma = (c == 1 || c == 2) && desc->nb_components > 2;
		int w = chroma ? AV_CEIL_RSHIFT(shape->width, desc->log2_chroma_w) : shape->width;
		int h = chroma ? AV_CEIL_RSHIFT(shape->height, desc->log2_chroma_h) : shape->height;

		for (int x = 0; x < w; x++)
			row[x] = (uint16_t)lrint(truth(rgb, shape, c));
		for (int y = 0; y < h; y++)
			av_write_image_line(row, frame->data, frame->linesize, desc, 0, y, c, w);
	}
	return frame;
}

/* All samples of YUV, grey and RGB; alpha, which swscale shifts to another depth, is not this module's. */
static void check_frame(const AVFrame *frame, const double rgb[3], const struct vrs_av_shape *from, const struct vrs_av_shape *to, double tolerance)
{
	const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(to->format);
	const uint8_t *data[4] = {frame->data[0], frame->data[1], frame->data[2], frame->data[3]};
	uint16_t row[W];

	for (int c = 0; c < desc->nb_components; c++) {
		bool chroma = (c == 1 || c == 2) && !is_rgb(desc);
		int w = chroma ? AV_CEIL_RSHIFT(to->width, desc->log2_chroma_w) : to->width;
		int h = chroma ? AV_CEIL_RSHIFT(to->height, desc->log2_chroma_h) : to->height;
		double want = truth(rgb, to, c), step = ((1 << desc->comp[c].depth) - 1) / 255.;

		if (is_alpha(desc, c))
			continue;
		for (int y = 0; y < h; y++) {
			av_read_image_line(row, data, frame->linesize, desc, 0, y, c, w, 0);
			for (int x = 0; x < w; x++)
				if (fabs(row[x] - want) > tolerance * step)
					fail_msg("%s of range %d to %s of range %d, %dx%d, colour %.1f %.1f %.1f: component %d is %d, not %g",
						 av_get_pix_fmt_name(from->format), from->range, desc->name, to->range, to->width, to->height, rgb[0],
						 rgb[1], rgb[2], c, row[x], want);
		}
	}
}

/* tolerance: in steps of 8 bits. */
static void check(const struct vrs_av_shape *from, const struct vrs_av_shape *to, double tolerance)
{
	const AVPixFmtDescriptor *a = av_pix_fmt_desc_get(from->format), *b = av_pix_fmt_desc_get(to->format);
	bool grey = a->nb_components < 3 || b->nb_components < 3; /* what luma colours have in grey is a matter of taste */
	struct vrs_av_converter *converter;

	assert_int_equal(vrs_av_converter_create(&converter, to), VRS_OK);
	for (int k = 0; k < (grey ? GREYS : COLOURS); k++) {
		AVFrame *frame = make_colour(colours[k], from), *made = av_frame_alloc();
		struct vrs_error err = {0};

		if (vrs_av_convert(converter, frame, from, made, &err))
			fail_msg("%s", err.text);
		check_frame(made, colours[k], from, to, tolerance);
		assert_int_equal(made->color_range, is_rgb(b) ? AVCOL_RANGE_JPEG : vrs_av_range(to->range));
		av_frame_free(&made);
		av_frame_free(&frame);
	}
	vrs_av_converter_destroy(converter);
}

/* Both ranges on both sides, in the same size and scaled. */
static int check_ranges(const char *from_name, const char *to_name, enum vrs_matrix to_matrix, double tolerance)
{
	struct vrs_av_shape from = {av_get_pix_fmt(from_name), W, H, VRS_MATRIX_BT709, VRS_RANGE_LIMITED};
	struct vrs_av_shape to = {av_get_pix_fmt(to_name), W, H, to_matrix, VRS_RANGE_LIMITED};

	assert_true(from.format != AV_PIX_FMT_NONE && to.format != AV_PIX_FMT_NONE);
	for (int i = 0; i < 8; i++) {
		from.range = i & 1 ? VRS_RANGE_FULL : VRS_RANGE_LIMITED;
		to.range = i & 2 ? VRS_RANGE_FULL : VRS_RANGE_LIMITED;
		to.width = i & 4 ? 50 : W;
		to.height = i & 4 ? 46 : H;
		check(&from, &to, tolerance);
	}
	return 8;
}

/* Samples of the formats that pictures have inside the program, and those that encoders ask for. */
static void levels_follow_the_ranges(void **state)
{
	static const char *const sources[] = {"yuv420p", "yuv422p", "yuv444p", "yuva444p", "yuv420p10le", "yuv444p12le", "yuv420p16le", "yuva444p16le",
					      "gray", "gray10le", "gray16le"};
	static const char *const targets[] = {"yuv420p", "yuv444p", "yuva420p", "yuv422p10le", "yuv420p12le", "yuv444p16le", "yuva444p16le", "gray",
					      "gray12le", "gray16le", "gray16be", "ya8", "ya16be", "nv12", "p010le", "p016le", "yuv422p10be", "uyvy422"};
	int checked = 0;

	(void)state;
	for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
		for (size_t k = 0; k < sizeof targets / sizeof targets[0]; k++)
			checked += check_ranges(sources[i], targets[k], VRS_MATRIX_BT709, 1.45); /* rounded twice, and half a step of dither */
	assert_true(checked == 11 * 18 * 8);
}

/* What decoders hand out as it is packed. */
static void packed_sources_have_their_levels(void **state)
{
	static const char *const names[][2] = {{"ya8", "yuva444p"}, {"ya16be", "yuva444p16le"}, {"ya16le", "yuva444p16le"}, {"gray16be", "gray16le"},
					       {"nv12", "yuv420p"}, {"p010le", "yuv420p10le"}, {"yuv422p10be", "yuv422p10le"}, {"uyvy422", "yuv422p"}};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		(void)check_ranges(names[i][0], names[i][1], VRS_MATRIX_BT709, 1.35);
		(void)check_ranges(names[i][0], names[i][1], VRS_MATRIX_BT601, 3); /* by way of RGB of the same depth */
	}
}

static void matrix_and_rgb_have_their_levels(void **state)
{
	static const char *const formats[] = {"yuv420p", "yuv444p", "yuv420p10le", "yuv444p16le", "yuva444p"};
	static const char *const others[] = {"yuv420p", "yuv444p", "yuv422p10le", "yuv444p16le", "rgb24", "rgba", "gbrp", "gbrp10le", "rgb48be"};
	static const char *const greys[] = {"gray", "gray10le", "gray16le"};

	(void)state;
	for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
		for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
			(void)check_ranges(formats[i], others[k], VRS_MATRIX_BT601, 3);
		for (size_t i = 0; i < sizeof greys / sizeof greys[0]; i++)
			(void)check_ranges(greys[i], others[k], VRS_MATRIX_BT601, 1.45);
	}
}

/*
 * Black and white are exact; with RGB of 16 bits to 15 of its steps.  swscale by itself takes 255 << (depth - 8) for white, 65280 of 65535.
 */
static void ends_are_exact(void **state)
{
	static const struct {
		const char *names[2];
		double tolerance;
	} rows[] = {
		{{"yuv420p", "yuv420p"}, 0}, {{"gray", "gray"}, 0}, {{"gray16le", "gray16le"}, 0}, {{"ya16be", "yuva444p16le"}, 0},
		{{"yuv420p10le", "yuv420p10le"}, 0}, {{"yuv444p", "yuv444p10le"}, 0}, {{"gray", "yuv420p16le"}, 0}, {{"gray10le", "gray"}, 0},
		{{"rgb24", "yuv444p"}, 0}, {{"gbrp10le", "yuv444p10le"}, 0}, {{"rgb48be", "yuv444p16le"}, 0.06},
		{{"rgba64le", "yuva444p16le"}, 0.06}, {{"yuv420p", "rgb24"}, 0}, {{"yuv420p10le", "gbrp10le"}, 0}, {{"yuv444p16le", "rgb24"}, 0},
		{{"yuv420p", "rgb48be"}, 0.06}, {{"yuv444p16le", "rgb48be"}, 0.06}, {{"yuva444p16le", "rgba64be"}, 0.06}, {{"gray16le", "rgb48be"}, 0.06},
	};
	struct vrs_av_converter *converter;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		for (int k = 0; k < 16; k++) {
			struct vrs_av_shape from = {av_get_pix_fmt(rows[i].names[0]), W, H, VRS_MATRIX_BT709, k & 1 ? VRS_RANGE_FULL : VRS_RANGE_LIMITED};
			struct vrs_av_shape to = from;
			AVFrame *frame = make_colour(colours[k / 8], &from), *made = av_frame_alloc();

			to.format = av_get_pix_fmt(rows[i].names[1]);
			to.width = k & 4 ? 50 : W;
			to.range = k & 2 ? VRS_RANGE_FULL : VRS_RANGE_LIMITED;
			assert_int_equal(vrs_av_converter_create(&converter, &to), VRS_OK);
			assert_int_equal(vrs_av_convert(converter, frame, &from, made, NULL), VRS_OK);
			check_frame(made, colours[k / 8], &from, &to, rows[i].tolerance);
			vrs_av_converter_destroy(converter);
			av_frame_free(&made);
			av_frame_free(&frame);
		}
}

/* One converter, pictures of one range and then of the other. */
static void source_may_change(void **state)
{
	struct vrs_av_shape from = {AV_PIX_FMT_YUV420P, W, H, VRS_MATRIX_BT709, VRS_RANGE_LIMITED}, to = from;
	struct vrs_av_converter *converter;

	(void)state;
	assert_int_equal(vrs_av_converter_create(&converter, &to), VRS_OK);
	for (int i = 0; i < 4; i++) {
		AVFrame *made = av_frame_alloc(), *frame;

		from.range = i % 2 ? VRS_RANGE_FULL : VRS_RANGE_LIMITED;
		from.matrix = i < 3 ? VRS_MATRIX_BT709 : VRS_MATRIX_BT601;
		frame = make_colour(colours[1], &from);
		assert_int_equal(vrs_av_convert(converter, frame, &from, made, NULL), VRS_OK);
		check_frame(made, colours[1], &from, &to, i < 3 ? 0 : 1);
		av_frame_free(&made);
		av_frame_free(&frame);
	}
	vrs_av_converter_destroy(converter);
}

/* Memory that ends while a conversion is set up is an error of that picture; the next one goes well. */
static void no_memory_for_levels(void **state)
{
	struct vrs_av_shape from = {AV_PIX_FMT_YUV420P, W, H, VRS_MATRIX_BT709, VRS_RANGE_FULL}, to = from;
	AVFrame *frame = make_colour(colours[1], &from), *made = av_frame_alloc();
	struct vrs_av_converter *converter;
	enum vrs_status status = VRS_ENOMEM;
	int refused = 0;

	(void)state;
	to.range = VRS_RANGE_LIMITED;
	assert_int_equal(vrs_av_converter_create(&converter, &to), VRS_OK);
	while (status != VRS_OK && refused < 9) {
		vrs_mem_fail_after((uint64_t)refused + 1, false);
		status = vrs_av_convert(converter, frame, &from, made, NULL);
		if (!vrs_mem_fault_fired())
			break;
		assert_int_equal(status, VRS_ENOMEM);
		assert_null(made->buf[0]);
		refused++;
	}
	vrs_mem_fail_after(0, false);
	assert_int_equal(refused, 3); /* the levels, those of luma and of chroma */
	check_frame(made, colours[1], &from, &to, 0);
	vrs_av_converter_destroy(converter);
	av_frame_free(&made);
	av_frame_free(&frame);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_follow_the_ranges),
		cmocka_unit_test(packed_sources_have_their_levels),
		cmocka_unit_test(matrix_and_rgb_have_their_levels),
		cmocka_unit_test(ends_are_exact),
		cmocka_unit_test(source_may_change),
		cmocka_unit_test(no_memory_for_levels),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
