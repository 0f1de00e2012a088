/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards video/picture_watch: the first picture decides, what a later one says of its size, format, range and matrix is heard, what it leaves open is
 * as in the first, and nothing is converted or told without need.  So it is where the first picture is known, and not read again.
 */
#include "media.h"

#include "video/picture_watch.h"

#define UNSAID AVCOL_SPC_UNSPECIFIED

struct said {
	enum AVPixelFormat format;
	enum AVColorRange range;
	enum AVColorSpace space;
};

static AVFrame *make(const struct said *said)
{
	AVFrame *frame = av_frame_alloc();

	frame->format = said->format;
	frame->width = 640;
	frame->height = 480;
	frame->color_range = said->range;
	frame->colorspace = said->space;
	return frame;
}

static void begin(struct vrs_picture_watch *watch, const struct said *said)
{
	AVFrame *frame = make(said);

	media_log_clear();
	assert_int_equal(vrs_picture_watch_begin(watch, "clip", AV_CODEC_ID_H264, frame, NULL), VRS_OK);
	av_frame_free(&frame);
}

static void look(struct vrs_picture_watch *watch, const struct said *said, int64_t index)
{
	AVFrame *frame = make(said);

	assert_int_equal(vrs_picture_watch_look(watch, frame, index, NULL), VRS_OK);
	av_frame_free(&frame);
}

static void changes_of_colours_are_heard(void **state)
{
	static const struct {
		struct said first, later;
		bool as_is;
		enum vrs_range range;
		enum vrs_matrix matrix;
	} rows[] = {
		/* as the first one, also where it says nothing */
		{{AV_PIX_FMT_YUV420P, 1, 1}, {AV_PIX_FMT_YUV420P, 1, 1}, true, VRS_RANGE_LIMITED, VRS_MATRIX_BT709},
		{{AV_PIX_FMT_YUV420P, 1, 1}, {AV_PIX_FMT_YUV420P, 0, UNSAID}, true, VRS_RANGE_LIMITED, VRS_MATRIX_BT709},
		{{AV_PIX_FMT_YUV420P, 2, 1}, {AV_PIX_FMT_YUV420P, 0, UNSAID}, true, VRS_RANGE_FULL, VRS_MATRIX_BT709},
		{{AV_PIX_FMT_YUV420P, 0, UNSAID}, {AV_PIX_FMT_YUV420P, 1, AVCOL_SPC_SMPTE170M}, true, VRS_RANGE_LIMITED, VRS_MATRIX_BT601},
		{{AV_PIX_FMT_YUV420P, 0, UNSAID}, {AV_PIX_FMT_YUV420P, 0, AVCOL_SPC_BT470BG}, true, VRS_RANGE_LIMITED, VRS_MATRIX_BT601},
		{{AV_PIX_FMT_YUV420P, 2, 1}, {AV_PIX_FMT_YUVJ420P, 0, 1}, true, VRS_RANGE_FULL, VRS_MATRIX_BT709},
		{{AV_PIX_FMT_YUVJ420P, 0, 1}, {AV_PIX_FMT_YUV420P, 2, 1}, true, VRS_RANGE_FULL, VRS_MATRIX_BT709},
		{{AV_PIX_FMT_GRAY8, 1, 1}, {AV_PIX_FMT_GRAY8, 1, AVCOL_SPC_SMPTE170M}, true, VRS_RANGE_LIMITED, VRS_MATRIX_BT601},
		/* another range or matrix */
		{{AV_PIX_FMT_YUV420P, 1, 1}, {AV_PIX_FMT_YUV420P, 2, 1}, false, VRS_RANGE_FULL, VRS_MATRIX_BT709},
		{{AV_PIX_FMT_YUV420P, 1, 1}, {AV_PIX_FMT_YUVJ420P, 0, UNSAID}, false, VRS_RANGE_FULL, VRS_MATRIX_BT709},
		{{AV_PIX_FMT_YUVJ420P, 2, 1}, {AV_PIX_FMT_YUV420P, 1, 1}, false, VRS_RANGE_LIMITED, VRS_MATRIX_BT709},
		{{AV_PIX_FMT_YUV420P, 0, UNSAID}, {AV_PIX_FMT_YUV420P, 2, UNSAID}, false, VRS_RANGE_FULL, VRS_MATRIX_BT601},
		{{AV_PIX_FMT_YUV420P10LE, 1, AVCOL_SPC_BT2020_NCL}, {AV_PIX_FMT_YUV420P10LE, 1, 1}, false, VRS_RANGE_LIMITED, VRS_MATRIX_BT709},
		{{AV_PIX_FMT_YUV420P, 1, 1}, {AV_PIX_FMT_YUV420P, 1, AVCOL_SPC_SMPTE170M}, false, VRS_RANGE_LIMITED, VRS_MATRIX_BT601},
		{{AV_PIX_FMT_GRAY8, 1, 1}, {AV_PIX_FMT_GRAY8, 2, 1}, false, VRS_RANGE_FULL, VRS_MATRIX_BT709},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct vrs_picture_watch watch;

		begin(&watch, &rows[i].first);
		assert_true(watch.as_is);
		look(&watch, &rows[i].later, 7);
		if (watch.as_is != rows[i].as_is || watch.now.range != rows[i].range || watch.now.matrix != rows[i].matrix)
			fail_msg("row %zu: as it is %d, range %d, matrix %d", i, watch.as_is, watch.now.range, watch.now.matrix);
		assert_int_equal(media_log_count(VRS_LOG_WARNING), !rows[i].as_is);
		look(&watch, &rows[i].first, 8);
		assert_true(watch.as_is);
		assert_int_equal(media_log_count(VRS_LOG_WARNING), !rows[i].as_is);

		struct vrs_picture_format first = watch.picture;

		media_log_clear();
		vrs_picture_watch_resume(&watch, "clip", AV_CODEC_ID_H264, &first);
		look(&watch, &rows[i].later, -1);
		if (watch.as_is != rows[i].as_is || watch.now.range != rows[i].range || watch.now.matrix != rows[i].matrix)
			fail_msg("row %zu, resumed: as it is %d, range %d, matrix %d", i, watch.as_is, watch.now.range, watch.now.matrix);
		assert_int_equal(media_log_count(VRS_LOG_WARNING), !rows[i].as_is);
		look(&watch, &rows[i].first, 8);
		assert_true(watch.as_is);
	}
}

/* Devices deliver other packings; the kind of the pictures is the same. */
static void another_packing_is_no_change(void **state)
{
	static const struct said planar = {AV_PIX_FMT_YUV420P, 1, 1}, packed = {AV_PIX_FMT_NV12, 1, 1}, full = {AV_PIX_FMT_NV12, 2, 1};
	struct vrs_picture_watch watch;

	(void)state;
	begin(&watch, &planar);
	look(&watch, &packed, 3);
	assert_false(watch.as_is);
	assert_int_equal(watch.now.format, AV_PIX_FMT_NV12);
	assert_string_equal(media_log, "");
	look(&watch, &full, 4);
	assert_int_equal(watch.now.range, VRS_RANGE_FULL);
	assert_non_null(strstr(media_log, "1 clip changes from 640x480 yuv420p (limited range, bt709) to 640x480 yuv420p (full range, bt709) at frame 4; "
			       "pictures are converted to the first kind\n"));
}

static void another_size_is_told_once(void **state)
{
	static const struct said said = {AV_PIX_FMT_YUV420P, 1, 1};
	struct vrs_picture_watch watch;
	AVFrame *frame = make(&said);

	(void)state;
	begin(&watch, &said);
	frame->width = 320;
	for (int i = 0; i < 3; i++) {
		frame->height = 240 + i * 2;
		assert_int_equal(vrs_picture_watch_look(&watch, frame, -1, NULL), VRS_OK);
		assert_false(watch.as_is);
		assert_int_equal(watch.now.height, frame->height);
	}
	assert_string_equal(media_log, "1 clip changes from 640x480 yuv420p to 320x240 yuv420p; pictures are converted to the first kind\n");
	frame->format = AV_PIX_FMT_VAAPI;
	assert_int_equal(vrs_picture_watch_look(&watch, frame, -1, NULL), VRS_EUNSUPPORTED);
	av_frame_free(&frame);
}

/* Of primaries and transfer: told where they differ from what was said, or where SDR becomes HDR. */
static void light_that_is_not_converted_is_told(void **state)
{
	static const struct {
		enum AVColorPrimaries first_primaries;
		enum AVColorTransferCharacteristic first;
		enum AVColorPrimaries primaries;
		enum AVColorTransferCharacteristic transfer;
		bool told;
	} rows[] = {
		{AVCOL_PRI_BT709, AVCOL_TRC_BT709, AVCOL_PRI_BT709, AVCOL_TRC_SMPTE170M, false},
		{AVCOL_PRI_UNSPECIFIED, AVCOL_TRC_UNSPECIFIED, AVCOL_PRI_BT709, AVCOL_TRC_BT709, false},
		{AVCOL_PRI_BT2020, AVCOL_TRC_SMPTE2084, AVCOL_PRI_UNSPECIFIED, AVCOL_TRC_UNSPECIFIED, false},
		{AVCOL_PRI_BT709, AVCOL_TRC_BT709, AVCOL_PRI_BT2020, AVCOL_TRC_BT709, true},
		{AVCOL_PRI_BT2020, AVCOL_TRC_SMPTE2084, AVCOL_PRI_BT2020, AVCOL_TRC_BT2020_10, true},
		{AVCOL_PRI_UNSPECIFIED, AVCOL_TRC_UNSPECIFIED, AVCOL_PRI_UNSPECIFIED, AVCOL_TRC_ARIB_STD_B67, true},
	};
	static const struct said said = {AV_PIX_FMT_YUV420P10LE, 1, AVCOL_SPC_BT2020_NCL};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct vrs_picture_watch watch;
		AVFrame *frame = make(&said);

		media_log_clear();
		frame->color_primaries = rows[i].first_primaries;
		frame->color_trc = rows[i].first;
		assert_int_equal(vrs_picture_watch_begin(&watch, "clip", AV_CODEC_ID_HEVC, frame, NULL), VRS_OK);
		frame->color_primaries = rows[i].primaries;
		frame->color_trc = rows[i].transfer;
		for (int k = 0; k < 2; k++)
			assert_int_equal(vrs_picture_watch_look(&watch, frame, 5, NULL), VRS_OK);
		assert_true(watch.as_is);
		if (media_log_count(VRS_LOG_WARNING) != rows[i].told)
			fail_msg("row %zu: %s", i, media_log);
		av_frame_free(&frame);
	}
}

static void unknown_matrices_are_told(void **state)
{
	static const struct said first = {AV_PIX_FMT_YUV420P, 1, AVCOL_SPC_SMPTE170M}, later = {AV_PIX_FMT_YUV420P, 1, AVCOL_SPC_YCGCO};
	struct vrs_picture_watch watch;

	(void)state;
	begin(&watch, &first);
	look(&watch, &later, 5);
	look(&watch, &first, 6);
	look(&watch, &later, 7);
	assert_string_equal(media_log, "1 clip has the colour matrix ycgco, which is taken for smpte170m: colours will differ\n");
	begin(&watch, &later);
	assert_int_equal(media_log_count(VRS_LOG_WARNING), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_of_colours_are_heard),
		cmocka_unit_test(another_packing_is_no_change),
		cmocka_unit_test(another_size_is_told_once),
		cmocka_unit_test(light_that_is_not_converted_is_told),
		cmocka_unit_test(unknown_matrices_are_told),
	};
	return cmocka_run_group_tests(tests, media_setup, media_teardown);
}
