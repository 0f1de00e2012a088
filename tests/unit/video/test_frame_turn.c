/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards video/frame_turn: all eight ways to stand, 8 and 16 bits, every chroma sampling, odd sizes, sample by sample; which matrices are; EXIF's
 * numbers.
 */
#include "media.h"

#include <libavformat/avformat.h>
#include <libavutil/display.h>

#include "video/frame_turn.h"

static const struct vrs_turn turns[] = {
	{1, 0, 0, 1}, {-1, 0, 0, -1}, {0, -1, 1, 0}, {0, 1, -1, 0}, {-1, 0, 0, 1}, {1, 0, 0, -1}, {0, 1, 1, 0}, {0, -1, -1, 0},
};

static AVFrame *av_of(const struct vrs_frame *frame)
{
	AVFrame *av = av_frame_alloc();

	for (int p = 0; p < frame->format.planes; p++) {
		av->data[p] = frame->data[p];
		av->linesize[p] = (int)frame->stride_bytes[p];
	}
	av->width = frame->format.width;
	av->height = frame->format.height;
	av->pts = 77;
	av->pkt_duration = 3;
	return av;
}

/* Where a sample is shown, by the definition. */
static int shown(int cx, int cy, int x, int y, int width, int height)
{
	return (cx < 0 ? cx * (x - width + 1) : cx * x) + (cy < 0 ? cy * (y - height + 1) : cy * y);
}

static void check(const struct vrs_picture_format *format, const struct vrs_turn *turn)
{
	struct vrs_frame frame = media_frame(format, 3, 0);
	struct vrs_picture_format to = *format;
	struct vrs_frame_turner *turner;
	AVFrame *av = av_of(&frame);
	struct vrs_frame out = {0};

	vrs_turn_format(&to, turn);
	assert_int_equal(vrs_frame_turner_create(&turner, turn, format), VRS_OK);
	assert_int_equal(vrs_frame_turner_run(turner, &av), VRS_OK);
	assert_true(av->width == to.width && av->height == to.height && av->pts == 77 && av->pkt_duration == 3);
	out.format = to;
	for (int p = 0; p < format->planes; p++) {
		int w = vrs_plane_width(format, p), h = vrs_plane_height(format, p);

		out.data[p] = av->data[p];
		out.stride_bytes[p] = av->linesize[p];
		assert_int_equal(vrs_plane_width(&to, p), turn->xy ? h : w);
		for (int y = 0; y < h; y++)
			for (int x = 0; x < w; x++)
				if (media_at(&out, p, shown(turn->xx, turn->xy, x, y, w, h), shown(turn->yx, turn->yy, x, y, w, h)) !=
				    media_at(&frame, p, x, y))
					fail_msg("%s: plane %d at %d,%d of %dx%d", vrs_turn_words(turn), p, x, y, w, h);
	}
	av_frame_free(&av);
	vrs_frame_turner_destroy(turner);
	vrs_frame_unref(&frame);
}

static void every_way_to_stand(void **state)
{
	static const int sizes[][2] = {{64, 48}, {67, 35}, {33, 32}, {2, 6}, {1, 1}, {130, 3}};

	(void)state;
	for (size_t t = 0; t < sizeof turns / sizeof turns[0]; t++)
		for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
			for (int kind = 0; kind < 8; kind++) {
				struct vrs_picture_format format = media_format(sizes[s][0], sizes[s][1], kind < 2 ? 1 : 3, kind >= 4, kind >= 6,
										kind & 1 ? 10 : 8);

				check(&format, &turns[t]);
			}
}

static void matrices(void **state)
{
	static const struct {
		double degrees;
		bool quarter;
	} cases[] = {{90, true}, {-90, true}, {180, true}, {0, false}, {45, false}, {-30.5, false}};
	AVFormatContext *muxer = avformat_alloc_context();
	AVStream *stream = avformat_new_stream(muxer, NULL);
	struct vrs_turn turn;
	int32_t *matrix;

	(void)state;
	assert_false(vrs_turn_read(&turn, stream, NULL, "film"));
	matrix = (int32_t *)(void *)av_stream_new_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, 9 * sizeof *matrix);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		media_log_clear();
		av_display_rotation_set(matrix, cases[i].degrees); /* clockwise */
		assert_int_equal(vrs_turn_read(&turn, stream, NULL, "film"), cases[i].quarter);
		assert_int_equal(media_log_count(VRS_LOG_WARNING), !cases[i].quarter && cases[i].degrees != 0);
		if (cases[i].quarter && !strstr(vrs_turn_words(&turn), cases[i].degrees == 180 ? "180" : cases[i].degrees > 0 ? "90" : "270"))
			fail_msg("%g: %s", cases[i].degrees, vrs_turn_words(&turn));
	}
	av_display_rotation_set(matrix, 180);
	av_display_matrix_flip(matrix, 1, 0);
	assert_true(vrs_turn_read(&turn, stream, NULL, "film"));
	assert_string_equal(vrs_turn_words(&turn), "mirrored");
	vrs_turn_forget(stream);
	assert_false(vrs_turn_read(&turn, stream, NULL, "film"));
	memset(matrix, 0, 9 * sizeof *matrix); /* singular */
	assert_false(vrs_turn_read(&turn, stream, NULL, "film"));
	avformat_free_context(muxer);
}

/* EXIF's number says where the picture's first row and column are shown: 6, for one, at the right and at the top. */
static void photos(void **state)
{
	static const struct vrs_turn held[] = {
		{1, 0, 0, 1}, {-1, 0, 0, 1}, {-1, 0, 0, -1}, {1, 0, 0, -1}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, -1, -1, 0}, {0, 1, -1, 0},
	};
	AVFormatContext *muxer = avformat_alloc_context();
	AVStream *stream = avformat_new_stream(muxer, NULL);
	AVFrame *photo = av_frame_alloc();
	struct vrs_turn turn;
	int32_t *matrix;

	(void)state;
	stream->codecpar->codec_id = AV_CODEC_ID_WEBP;
	assert_false(vrs_turn_read(&turn, stream, photo, "photo"));
	for (int number = 1; number <= 8; number++) {
		av_dict_set_int(&photo->metadata, "Orientation", number, 0);
		assert_int_equal(vrs_turn_read(&turn, stream, photo, "photo"), number > 1);
		if (number > 1)
			assert_memory_equal(&turn, &held[number - 1], sizeof turn);
	}
	av_dict_set(&photo->metadata, "Orientation", "9", 0);
	assert_false(vrs_turn_read(&turn, stream, photo, "photo"));
	matrix = (int32_t *)(void *)av_frame_new_side_data(photo, AV_FRAME_DATA_DISPLAYMATRIX, 9 * sizeof *matrix)->data;
	av_display_rotation_set(matrix, 90);
	assert_true(vrs_turn_read(&turn, stream, photo, "photo"));
	assert_memory_equal(&turn, &held[5], sizeof turn);
	stream->codecpar->codec_id = AV_CODEC_ID_H264; /* a message that may be told once for all frames */
	assert_false(vrs_turn_read(&turn, stream, photo, "film"));
	stream->codecpar->codec_id = AV_CODEC_ID_MJPEG;
	matrix = (int32_t *)(void *)av_stream_new_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, 9 * sizeof *matrix);
	av_display_rotation_set(matrix, 180); /* the file's word goes before the photo's */
	assert_true(vrs_turn_read(&turn, stream, photo, "photo"));
	assert_memory_equal(&turn, &held[2], sizeof turn);
	av_frame_free(&photo);
	avformat_free_context(muxer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_way_to_stand), cmocka_unit_test(matrices), cmocka_unit_test(photos)};

	return cmocka_run_group_tests(tests, media_setup, media_teardown);
}
