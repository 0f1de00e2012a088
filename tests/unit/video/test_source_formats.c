/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards video/av_format and av_convert through the source: every pixel format that FFmpeg can hand out arrives as planar YUV or grey with
 * the right samples.  Files are made here, raw pictures in NUT, odd sizes included.
 */
#include "media.h"

#include <math.h>

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>

#include "video/av_convert.h"
#include "video/av_format.h"

#define W 66
#define H 34

/* One raw picture as a NUT file. */
static void write_raw(const char *path, const AVFrame *frame)
{
	const AVCodec *codec = avcodec_find_encoder(AV_CODEC_ID_RAWVIDEO);
	AVCodecContext *context = avcodec_alloc_context3(codec);
	AVFormatContext *muxer = NULL;
	AVPacket *pkt = av_packet_alloc();
	AVStream *stream;

	context->width = frame->width;
	context->height = frame->height;
	context->pix_fmt = frame->format;
	context->time_base = (AVRational){1, 25};
	assert_true(avcodec_open2(context, codec, NULL) >= 0);
	assert_true(avcodec_send_frame(context, frame) >= 0);
	assert_true(avcodec_receive_packet(context, pkt) >= 0);
	assert_true(avformat_alloc_output_context2(&muxer, NULL, "nut", path) >= 0);
	stream = avformat_new_stream(muxer, NULL);
	avcodec_parameters_from_context(stream->codecpar, context);
	stream->time_base = context->time_base;
	assert_true(avio_open(&muxer->pb, path, AVIO_FLAG_WRITE) >= 0);
	assert_true(avformat_write_header(muxer, NULL) >= 0);
	pkt->pts = pkt->dts = 0;
	assert_true(av_write_frame(muxer, pkt) >= 0);
	assert_true(av_write_trailer(muxer) >= 0);
	avio_closep(&muxer->pb);
	avformat_free_context(muxer);
	av_packet_free(&pkt);
	avcodec_free_context(&context);
}

static AVFrame *new_frame(enum AVPixelFormat format, int w, int h)
{
	AVFrame *frame = av_frame_alloc();

	frame->format = format;
	frame->width = w;
	frame->height = h;
	assert_true(av_frame_get_buffer(frame, 0) >= 0);
	for (int p = 0; p < 4 && frame->buf[p]; p++)
		memset(frame->buf[p]->data, 0, frame->buf[p]->size); /* padding bits are defined too */
	return frame;
}

/* Fill component by component with media_sample of the component's own depth. */
static void fill_pattern(AVFrame *frame)
{
	const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(frame->format);
	uint16_t row[W + 8];

	for (int c = 0; c < desc->nb_components; c++) {
		bool chroma = c == 1 || c == 2;
		int w = chroma ? AV_CEIL_RSHIFT(frame->width, desc->log2_chroma_w) : frame->width;
		int h = chroma ? AV_CEIL_RSHIFT(frame->height, desc->log2_chroma_h) : frame->height;

		for (int y = 0; y < h; y++) {
			for (int x = 0; x < w; x++)
				row[x] = (uint16_t)media_sample(c, x, y, 0, desc->comp[c].depth);
			av_write_image_line(row, frame->data, frame->linesize, desc, 0, y, c, w);
		}
	}
}

static struct vrs_source *open_raw(const AVFrame *frame)
{
	const char *path = media_path("raw.nut");

	write_raw(path, frame);
	return media_open(path);
}

static void release(void *owner)
{
	AVFrame *frame = owner;

	av_frame_free(&frame);
}

/* The same without a file, for formats that no raw container can name. */
static struct vrs_frame convert_directly(const AVFrame *frame)
{
	struct vrs_av_converter *converter;
	struct vrs_av_shape from = {frame->format, frame->width, frame->height, VRS_MATRIX_BT601, VRS_RANGE_LIMITED}, to = from;
	struct vrs_frame got = {.unref = release};
	AVFrame *made = av_frame_alloc();

	assert_true(vrs_av_picture_target(&got.format, frame, AV_CODEC_ID_RAWVIDEO));
	to.format = vrs_av_format_of(&got.format);
	assert_int_equal(vrs_av_converter_create(&converter, &to), VRS_OK);
	assert_int_equal(vrs_av_convert(converter, frame, &from, made, NULL), VRS_OK);
	vrs_av_converter_destroy(converter);
	got.owner = made;
	for (int p = 0; p < got.format.planes; p++) {
		got.data[p] = made->data[p];
		got.stride_bytes[p] = made->linesize[p];
	}
	return got;
}

static struct vrs_frame read_raw(const AVFrame *frame)
{
	struct vrs_source *source;
	struct vrs_frame got, none;

	if (!avcodec_pix_fmt_to_codec_tag(frame->format))
		return convert_directly(frame);
	source = open_raw(frame);
	assert_int_equal(vrs_source_info(source)->converted, !vrs_av_format_direct(frame->format));
	assert_int_equal(vrs_source_read(source, &got, NULL), VRS_OK);
	assert_memory_equal(&got.format, &vrs_source_info(source)->format, sizeof got.format);
	assert_int_equal(vrs_source_read(source, &none, NULL), VRS_END);
	vrs_source_close(source); /* frames outlive their source */
	return got;
}

/* Every YUV and grey format: the samples come out as they went in, whatever their packing. */
static void yuv_formats_keep_their_samples(void **state)
{
	static const char *const names[] = {
		/* as they are */
		"yuv420p", "yuv422p", "yuv444p", "yuv440p", "yuvj420p", "yuvj422p", "yuvj444p", "yuva420p", "yuva422p", "yuva444p", "gray",
		"yuv420p9le", "yuv420p10le", "yuv420p12le", "yuv420p14le", "yuv420p16le", "yuv422p10le", "yuv422p12le", "yuv444p10le", "yuv444p16le",
		"yuva420p10le", "yuva444p16le", "gray9le", "gray10le", "gray12le", "gray16le",
		/* other packings of the same samples */
		"nv12", "nv21", "nv24", "nv42", "yuyv422", "uyvy422", "yvyu422", "yuv420p10be", "yuv444p16be", "gray16be", "p010le", "p016le", "p210le",
		"p216le", "y210le",
	};
	int checked = 0;

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		for (int odd = 0; odd < 2; odd++) {
			enum AVPixelFormat format = av_get_pix_fmt(names[i]);
			const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(format);
			AVFrame *frame;
			struct vrs_frame got;

			assert_non_null(desc);
			if (odd && !(desc->flags & AV_PIX_FMT_FLAG_PLANAR) && desc->log2_chroma_w)
				continue; /* pairs of pixels */
			frame = new_frame(format, W - odd, H - odd);
			fill_pattern(frame);
			got = read_raw(frame);
			assert_int_equal(got.format.width, W - odd);
			assert_int_equal(got.format.height, H - odd);
			assert_int_equal(got.format.bit_depth, desc->comp[0].depth);
			assert_int_equal(got.format.planes, desc->nb_components);
			if (media_difference(&got, 0) != 0)
				fail_msg("%s %s: samples differ by %d", names[i], odd ? "odd" : "even", media_difference(&got, 0));
			vrs_frame_unref(&got);
			av_frame_free(&frame);
			checked++;
		}
	}
	assert_true(checked > 70);
}

/* Y, Cb, Cr of an RGB colour as 8-bit limited range BT.601 (ITU-R BT.601-7, section 2.5), the default below 1280x720. */
static void expected_yuv(const int rgb[3], int ret[3])
{
	double r = rgb[0] / 255.0, g = rgb[1] / 255.0, b = rgb[2] / 255.0;
	double y = 0.299 * r + 0.587 * g + 0.114 * b;

	ret[0] = (int)lrint(16 + 219 * y);
	ret[1] = (int)lrint(128 + 224 * (b - y) / 1.772);
	ret[2] = (int)lrint(128 + 224 * (r - y) / 1.402);
}

static void fill_colour(AVFrame *frame, const int rgb[3])
{
	const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(frame->format);
	uint16_t row[W];

	for (int c = 0; c < desc->nb_components; c++) {
		int full = (1 << desc->comp[c].depth) - 1;

		for (int y = 0; y < frame->height; y++) {
			for (int x = 0; x < frame->width; x++)
				row[x] = (uint16_t)(c == 3 ? full : (rgb[c] * full + 127) / 255);
			av_write_image_line(row, frame->data, frame->linesize, desc, 0, y, c, frame->width);
		}
	}
}

static void rgb_formats_become_yuv444(void **state)
{
	static const char *const names[] = {"rgb24", "bgr24", "rgba", "bgra", "argb", "abgr", "bgr0", "rgb0", "0rgb", "gbrp", "gbrap", "gbrp10le",
					    "gbrp12le", "rgb48le", "rgb48be", "rgba64le", "rgb565le"};
	static const int colours[][3] = {{0, 0, 0}, {255, 255, 255}, {255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {123, 66, 33}, {128, 128, 128}};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		for (size_t k = 0; k < sizeof colours / sizeof colours[0]; k++) {
			const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(av_get_pix_fmt(names[i]));
			int tolerance = desc->comp[0].depth < 8 ? 6 : 1; /* 5 bits of red: half a step is 4.1 of 255, in 8-bit samples */
			AVFrame *frame = new_frame(av_get_pix_fmt(names[i]), W - 1, H - 1);
			struct vrs_frame got;
			int want[3];

			fill_colour(frame, colours[k]);
			got = read_raw(frame);
			expected_yuv(colours[k], want);
			assert_int_equal(got.format.planes, desc->flags & AV_PIX_FMT_FLAG_ALPHA ? 4 : 3);
			assert_int_equal(got.format.chroma_shift_x | got.format.chroma_shift_y, 0);
			assert_int_equal(got.format.range, VRS_RANGE_LIMITED);
			assert_int_equal(got.format.matrix, VRS_MATRIX_BT601);
			assert_true(got.format.bit_depth >= (desc->comp[0].depth > 8 ? desc->comp[0].depth : 8));
			for (int p = 0; p < 3; p++)
				for (int y = 0; y < H - 1; y += 8) {
					double v = (double)media_at(&got, p, y, y) / (1 << (got.format.bit_depth - 8));

					if (fabs(v - want[p]) > tolerance)
						fail_msg("%s colour %zu plane %d: %g, not %d", names[i], k, p, v, want[p]);
				}
			if (got.format.planes == 4)
				assert_true(media_at(&got, 3, 5, 5) >= (255u << (got.format.bit_depth - 8)));
			vrs_frame_unref(&got);
			av_frame_free(&frame);
		}
	}
}

static void palettes_become_yuv(void **state)
{
	AVFrame *frame = new_frame(AV_PIX_FMT_PAL8, W, H);
	uint32_t *palette = (uint32_t *)(void *)frame->data[1];
	const int red[3] = {200, 10, 40};
	struct vrs_frame got;
	int want[3];

	(void)state;
	memset(palette, 0, AVPALETTE_SIZE);
	palette[7] = 0xff000000u | (uint32_t)red[0] << 16 | (uint32_t)red[1] << 8 | (uint32_t)red[2];
	for (int y = 0; y < H; y++)
		memset(frame->data[0] + y * frame->linesize[0], 7, W);
	got = read_raw(frame);
	expected_yuv(red, want);
	for (int p = 0; p < 3; p++)
		assert_true(abs((int)media_at(&got, p, 9, 9) - want[p]) <= 1);
	vrs_frame_unref(&got);
	av_frame_free(&frame);
}

/* Properties of the choice, for each format that swscale reads. */
static void nearest_format_loses_nothing(void **state)
{
	int formats = 0;

	(void)state;
	for (const AVPixFmtDescriptor *d = av_pix_fmt_desc_next(NULL); d; d = av_pix_fmt_desc_next(d)) {
		enum AVPixelFormat format = av_pix_fmt_desc_get_id(d);
		enum AVPixelFormat nearest = vrs_av_format_nearest(format);
		const AVPixFmtDescriptor *n = av_pix_fmt_desc_get(nearest);
		int depth = d->comp[0].depth > 16 ? 16 : d->comp[0].depth;

		if (d->flags & AV_PIX_FMT_FLAG_HWACCEL) {
			assert_int_equal(nearest, AV_PIX_FMT_NONE);
			continue;
		}
		if (!sws_isSupportedInput(format) && !vrs_av_format_direct(format))
			continue;
		if (!n)
			fail_msg("%s has no nearest format", d->name);
		formats++;
		assert_true(vrs_av_format_direct(nearest));
		assert_true(n->comp[0].depth >= depth);
		assert_true(!(d->flags & AV_PIX_FMT_FLAG_ALPHA) || (n->flags & AV_PIX_FMT_FLAG_ALPHA));
		assert_true(n->nb_components < 3 || d->log2_chroma_w > 1 || n->log2_chroma_w <= d->log2_chroma_w);
		assert_true(n->nb_components < 3 || d->log2_chroma_h > 1 || n->log2_chroma_h <= d->log2_chroma_h);
		if (vrs_av_format_direct(format))
			assert_int_equal(nearest, format);
	}
	assert_true(formats > 150);
}

/* Tags that are missing are assumed by size; tags that are there are kept. */
static void colour_defaults(void **state)
{
	static const struct {
		int w, h;
		enum AVPixelFormat format;
		enum AVColorSpace space;
		enum AVColorRange range;
		enum AVColorTransferCharacteristic transfer;
		enum AVCodecID codec;
		enum vrs_matrix want_matrix;
		enum vrs_range want_range;
	} rows[] = {
		{640, 480, AV_PIX_FMT_YUV420P, 2, 0, 2, AV_CODEC_ID_H264, VRS_MATRIX_BT601, VRS_RANGE_LIMITED},
		{1280, 600, AV_PIX_FMT_YUV420P, 2, 0, 2, AV_CODEC_ID_H264, VRS_MATRIX_BT709, VRS_RANGE_LIMITED},
		{720, 720, AV_PIX_FMT_YUV420P, 2, 0, 2, AV_CODEC_ID_H264, VRS_MATRIX_BT709, VRS_RANGE_LIMITED},
		{3840, 1920, AV_PIX_FMT_YUV420P10, 2, 0, AVCOL_TRC_SMPTE2084, AV_CODEC_ID_HEVC, VRS_MATRIX_BT2020, VRS_RANGE_LIMITED},
		{3840, 1920, AV_PIX_FMT_YUV420P, AVCOL_SPC_SMPTE170M, AVCOL_RANGE_JPEG, 2, AV_CODEC_ID_H264, VRS_MATRIX_BT601, VRS_RANGE_FULL},
		{640, 480, AV_PIX_FMT_YUV420P, AVCOL_SPC_BT2020_NCL, 0, 2, AV_CODEC_ID_H264, VRS_MATRIX_BT2020, VRS_RANGE_LIMITED},
		{640, 480, AV_PIX_FMT_YUVJ420P, AVCOL_SPC_BT470BG, 0, 2, AV_CODEC_ID_MJPEG, VRS_MATRIX_BT601, VRS_RANGE_FULL},
		{640, 480, AV_PIX_FMT_GRAY8, 2, 0, 2, AV_CODEC_ID_FFV1, VRS_MATRIX_BT601, VRS_RANGE_FULL},
		{640, 480, AV_PIX_FMT_GRAY8, 2, 0, 2, AV_CODEC_ID_H264, VRS_MATRIX_BT601, VRS_RANGE_LIMITED},
		{640, 480, AV_PIX_FMT_YA8, 2, 0, 2, AV_CODEC_ID_TIFF, VRS_MATRIX_BT601, VRS_RANGE_FULL},
		{640, 480, AV_PIX_FMT_YA16BE, 2, 0, 2, AV_CODEC_ID_RAWVIDEO, VRS_MATRIX_BT601, VRS_RANGE_FULL},
		{640, 480, AV_PIX_FMT_YA8, 2, AVCOL_RANGE_MPEG, 2, AV_CODEC_ID_FFV1, VRS_MATRIX_BT601, VRS_RANGE_LIMITED},
		{640, 480, AV_PIX_FMT_YUVA420P, 2, 0, 2, AV_CODEC_ID_FFV1, VRS_MATRIX_BT601, VRS_RANGE_LIMITED},
		{640, 480, AV_PIX_FMT_GRAY8, 2, AVCOL_RANGE_MPEG, 2, AV_CODEC_ID_FFV1, VRS_MATRIX_BT601, VRS_RANGE_LIMITED},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		AVFrame *frame = av_frame_alloc();
		struct vrs_picture_format got;

		frame->width = rows[i].w;
		frame->height = rows[i].h;
		frame->format = rows[i].format;
		frame->colorspace = rows[i].space;
		frame->color_range = rows[i].range;
		frame->color_trc = rows[i].transfer;
		assert_true(vrs_av_picture_target(&got, frame, rows[i].codec));
		if (got.matrix != rows[i].want_matrix || got.range != rows[i].want_range)
			fail_msg("row %zu: matrix %d range %d", i, got.matrix, got.range);
		av_frame_free(&frame);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(yuv_formats_keep_their_samples),
		cmocka_unit_test(rgb_formats_become_yuv444),
		cmocka_unit_test(palettes_become_yuv),
		cmocka_unit_test(nearest_format_loses_nothing),
		cmocka_unit_test(colour_defaults),
	};
	return cmocka_run_group_tests(tests, media_setup, media_teardown);
}
