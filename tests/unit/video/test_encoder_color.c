/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards what colours become on their way into files: flat pictures of all ranges, matrices and depths, written with encoders and into containers
 * that have one range or matrix alone or none to say, are read again with the colour that they were made of; what can say it keeps the range; opacity
 * is not touched; and a full range that is given up is said, once.
 */
#include "media.h"

#include <math.h>

#include <libavutil/pixdesc.h>

#include "video/encoder_query.h"

#define SIDE 64

static const struct row {
	const char *encoder, *name;
	bool keeps_range, says_matrix; /* says_matrix: in the file, or by what the format is */
	double tolerance;              /* of 255, beside the rounding of YUV */
} rows[] = {
	{"mjpeg", "o.mov", false, true, 3}, {"mjpeg", "o.avi", false, true, 3}, {"ljpeg", "o.mkv", false, true, 1}, {"auto", "o.jpg", false, true, 3},
	{"auto", "o.tif", false, true, 0}, {"tiff", "o.mov", false, true, 0}, {"auto", "o.png", false, true, 0}, {"auto", "o.bmp", false, true, 0},
	{"libvpx", "o.webm", false, true, 3}, {"libvpx", "o.ivf", false, true, 3}, {"speedhq", "o.mkv", false, true, 3}, {"vc2", "o.mkv", false, true, 1},
	{"utvideo", "o.avi", false, true, 0}, {"utvideo", "o.mkv", true, true, 0}, {"ffv1", "o.avi", false, false, 0}, {"ffv1", "o.mkv", true, true, 0},
	{"mpeg2video", "o.mkv", false, true, 3}, {"mpeg4", "o.mp4", false, false, 3}, {"mpeg4", "o.mkv", true, true, 3},
	{"prores_ks", "o.mov", false, true, 1}, {"magicyuv", "o.mov", false, false, 0}, {"libtheora", "o.ogv", false, false, 3},
	{"rawvideo", "o.nut", false, false, 0}, {"libx264", "o.mp4", true, true, 3}, {"libvpx-vp9", "o.webm", true, true, 3},
	{"auto", "o.y4m", true, false, 0},
};

/* Y, U or V of a colour of 0..1, as a sample of the format. */
static double sample_of(const struct vrs_picture_format *format, const double rgb[3], int p)
{
	static const double weights[][2] = {[VRS_MATRIX_BT601] = {0.299, 0.114}, [VRS_MATRIX_BT709] = {0.2126, 0.0722},
					    [VRS_MATRIX_BT2020] = {0.2627, 0.0593}};
	double red = weights[format->matrix][0], blue = weights[format->matrix][1];
	double luma = red * rgb[0] + (1 - red - blue) * rgb[1] + blue * rgb[2];
	double value = p == 0 ? luma : p == 1 ? (rgb[2] - luma) / (2 * (1 - blue)) : (rgb[0] - luma) / (2 * (1 - red));
	double unit = 1 << (format->bit_depth - 8);

	if (format->range == VRS_RANGE_FULL)
		return value * ((1 << format->bit_depth) - 1) + (p ? 128 * unit : 0);
	return p ? (128 + 224 * value) * unit : (16 + 219 * value) * unit;
}

static struct vrs_frame flat(const struct vrs_picture_format *format, const double rgb[3])
{
	struct vrs_frame frame;

	assert_int_equal(vrs_frame_alloc(&frame, format), VRS_OK);
	frame.index = frame.pts = 0;
	for (int p = 0; p < format->planes; p++)
		for (int y = 0; y < vrs_plane_height(format, p); y++) {
			double exact = p < 3 ? sample_of(format, rgb, p) : 0, most = (1 << format->bit_depth) - 1;
			int value = (int)lround(exact < 0 ? 0 : exact > most ? most : exact);

			vrs_samples_fill(frame.data[p] + y * frame.stride_bytes[p], p < 3 ? value : 4 * y, vrs_plane_width(format, p), vrs_sample_bytes(format));
		}
	return frame;
}

static void write_flat(const struct row *row, const struct vrs_picture_format *format, const double rgb[3])
{
	struct vrs_sink_options options = media_options(format, row->encoder);
	struct vrs_frame frame = flat(format, rgb);
	struct vrs_error err = {0};
	struct vrs_sink *sink;

	options.overwrite = true;
	if (vrs_sink_open(&sink, media_path(row->name), &options, NULL, &err) || vrs_sink_write(sink, &frame, &err) || vrs_sink_finish(sink, &err))
		fail_msg("%s in %s: %s", row->encoder, row->name, err.text);
	vrs_sink_close(sink);
}

static struct vrs_frame read_one(const struct row *row)
{
	struct vrs_source *source = media_open(media_path(row->name));
	struct vrs_frame frame;

	assert_int_equal(vrs_source_read(source, &frame, NULL), VRS_OK);
	vrs_source_close(source);
	return frame;
}

/* Rounding before and after: half a step of chroma is up to 1.8 / 2 of a component of RGB, and YUV of another matrix mixes both. */
static void check(const struct row *row, const struct vrs_picture_format *format, const double rgb[3])
{
	write_flat(row, format, rgb);
	struct vrs_frame frame = read_one(row);
	double tolerance = row->tolerance + 1.5;

	for (int p = 0; p < 3 && p < frame.format.planes; p++) {
		double wanted = sample_of(&frame.format, rgb, p) / (1 << (frame.format.bit_depth - 8));
		double found = (double)media_at(&frame, p, vrs_plane_width(&frame.format, p) / 2, vrs_plane_height(&frame.format, p) / 2) /
			       (1 << (frame.format.bit_depth - 8));

		if (fabs(found - wanted) > tolerance)
			fail_msg("%s in %s: range %d, matrix %d, %d bits: plane %d is %.2f, wanted is %.2f", row->encoder, row->name, (int)format->range,
				 (int)format->matrix, format->bit_depth, p, found, wanted);
	}
	if (row->keeps_range)
		assert_int_equal(frame.format.range, format->range);
	vrs_frame_unref(&frame);
}

static void colors_arrive(void **state)
{
	static const double colors[][3] = {{224 / 255.0, 64 / 255.0, 32 / 255.0}, {1, 1, 1}};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		for (int kind = 0; kind < 16; kind++) {
			struct vrs_picture_format format = media_format(SIDE, SIDE, 3, 1, 1, kind & 1 ? 10 : 8);

			format.range = kind & 2 ? VRS_RANGE_FULL : VRS_RANGE_LIMITED;
			format.matrix = kind & 4 ? VRS_MATRIX_BT709 : VRS_MATRIX_BT601;
			if (rows[i].says_matrix || format.matrix == VRS_MATRIX_BT601)
				check(&rows[i], &format, colors[kind >> 3]);
		}
	media_files(true);
}

static void opacity_stays(void **state)
{
	static const struct row cutouts[] = {{"ffv1", "o.avi", false, false, 0}, {"utvideo", "o.avi", false, true, 0}, {"ffv1", "o.mkv", true, true, 0}};
	static const double color[] = {0.5, 0.25, 0.125};

	(void)state;
	for (size_t i = 0; i < sizeof cutouts / sizeof cutouts[0]; i++) {
		struct vrs_picture_format format = media_format(SIDE, SIDE, 4, 1, 1, 8);

		format.range = VRS_RANGE_FULL;
		format.matrix = VRS_MATRIX_BT601;
		check(&cutouts[i], &format, color);
		struct vrs_frame frame = read_one(&cutouts[i]);

		assert_int_equal(frame.format.planes, 4);
		for (int y = 0; y < SIDE; y++)
			if (media_at(&frame, 3, y, y) != 4 * (unsigned)y)
				fail_msg("%s: opacity %d is %u", cutouts[i].name, 4 * y, media_at(&frame, 3, y, y));
		vrs_frame_unref(&frame);
	}
	media_files(true);
}

static void what_is_converted(void **state)
{
	static const struct {
		const char *encoder, *muxer, *wanted; /* format, range, matrix; converted */
		enum vrs_range range;
		enum vrs_matrix matrix;
	} cases[] = {
		{"mjpeg", "avi", "yuvj420p 1 0 yes", VRS_RANGE_LIMITED, VRS_MATRIX_BT709}, {"mjpeg", "avi", "yuvj420p 1 0 no", VRS_RANGE_FULL, VRS_MATRIX_BT601},
		{"tiff", NULL, "rgb24 1 1 yes", VRS_RANGE_LIMITED, VRS_MATRIX_BT709},      {"libvpx", "webm", "yuv420p 0 0 yes", VRS_RANGE_FULL, VRS_MATRIX_BT601},
		{"libvpx", "webm", "yuv420p 0 0 no", VRS_RANGE_LIMITED, VRS_MATRIX_BT601}, {"ffv1", "avi", "yuv420p 0 1 yes", VRS_RANGE_FULL, VRS_MATRIX_BT709},
		{"ffv1", "matroska", "yuv420p 1 1 no", VRS_RANGE_FULL, VRS_MATRIX_BT709},  {"ffv1", "avi", "yuv420p 0 2 no", VRS_RANGE_LIMITED, VRS_MATRIX_BT2020},
		{"utvideo", "avi", "yuv420p 0 1 yes", VRS_RANGE_LIMITED, VRS_MATRIX_BT2020}, {"libx264", NULL, "yuv420p 1 1 no", VRS_RANGE_FULL, VRS_MATRIX_BT709},
	};
	char found[64];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct vrs_picture_format format = media_format(SIDE, SIDE, 3, 1, 1, 8);
		struct vrs_encoder_format chosen;

		format.range = cases[i].range;
		format.matrix = cases[i].matrix;
		assert_int_equal(vrs_encoder_format_find(&chosen, avcodec_find_encoder_by_name(cases[i].encoder),
							 av_guess_format(cases[i].muxer, NULL, NULL), &format, NULL), VRS_OK);
		snprintf(found, sizeof found, "%s %d %d %s", av_get_pix_fmt_name(chosen.format), (int)chosen.range, (int)chosen.matrix,
			 chosen.convert ? "yes" : "no");
		if (strcmp(found, cases[i].wanted) != 0)
			fail_msg("%s in %s: %s, wanted is %s", cases[i].encoder, cases[i].muxer ? cases[i].muxer : "none", found, cases[i].wanted);
	}
}

/* Grey is read as full range where nothing is said, as FFmpeg does. */
static void grey_without_tags(void **state)
{
	struct vrs_picture_format format = media_format(SIDE, SIDE, 1, 0, 0, 8);
	struct vrs_encoder_format chosen;

	(void)state;
	for (int full = 0; full < 2; full++) {
		format.range = full ? VRS_RANGE_FULL : VRS_RANGE_LIMITED;
		for (int mkv = 0; mkv < 2; mkv++) {
			const AVOutputFormat *muxer = av_guess_format(mkv ? "matroska" : "avi", NULL, NULL);

			assert_int_equal(vrs_encoder_format_find(&chosen, avcodec_find_encoder_by_name("ffv1"), muxer, &format, NULL), VRS_OK);
			assert_int_equal(chosen.range, full || !mkv ? VRS_RANGE_FULL : VRS_RANGE_LIMITED);
			assert_int_equal(chosen.convert, !full && !mkv);
		}
	}
}

/* Before all other tests. */
static void range_is_said_once(void **state)
{
	static const double white[] = {1, 1, 1};
	struct vrs_picture_format format = media_format(SIDE, SIDE, 3, 1, 1, 8);
	const struct row in_mkv = {"ffv1", "o.mkv", true, true, 0}, in_avi = {"ffv1", "o.avi", false, false, 0};

	(void)state;
	media_log_clear();
	format.range = VRS_RANGE_LIMITED;
	write_flat(&in_avi, &format, white);
	format.range = VRS_RANGE_FULL;
	write_flat(&in_mkv, &format, white);
	assert_null(strstr(media_log, "full range"));
	write_flat(&in_avi, &format, white);
	const char *first = strstr(media_log, "encoder ffv1 in avi cannot tag full range: pictures are converted to limited range");
	assert_non_null(first);
	write_flat(&in_avi, &format, white);
	assert_null(strstr(first + 1, "encoder ffv1 in avi"));
	media_files(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(range_is_said_once), cmocka_unit_test(what_is_converted), cmocka_unit_test(grey_without_tags),
		cmocka_unit_test(colors_arrive),      cmocka_unit_test(opacity_stays),
	};

	return cmocka_run_group_tests(tests, media_setup, media_teardown);
}
