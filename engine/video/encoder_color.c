/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measured with FFmpeg 5.1: pictures of each encoder in each container, decoded again.  What is not in these tables says nothing, and is read as
 * everybody reads pictures without tags: YUV as limited range, RGB and grey as full range.  The matrix is left alone there, since readers guess it in
 * several ways.
 */
#include "video/encoder_color.h"

#include <string.h>

#include <libavutil/avstring.h>
#include <libavutil/pixdesc.h>

#include "video/av_format.h"

#define ANY_MATRIX (-1)

/* Codecs that have one range, whatever a container says; some have one matrix too. */
static const struct {
	enum AVCodecID codec;
	enum vrs_range range;
	int matrix;
} fixed[] = {
	{AV_CODEC_ID_MJPEG, VRS_RANGE_FULL, VRS_MATRIX_BT601}, /* JFIF */
	{AV_CODEC_ID_LJPEG, VRS_RANGE_FULL, VRS_MATRIX_BT601},
	{AV_CODEC_ID_AMV, VRS_RANGE_FULL, VRS_MATRIX_BT601},
	{AV_CODEC_ID_PNG, VRS_RANGE_FULL, ANY_MATRIX},
	{AV_CODEC_ID_APNG, VRS_RANGE_FULL, ANY_MATRIX},
	{AV_CODEC_ID_TIFF, VRS_RANGE_FULL, ANY_MATRIX},
	{AV_CODEC_ID_VP8, VRS_RANGE_LIMITED, VRS_MATRIX_BT601},
	{AV_CODEC_ID_WEBP, VRS_RANGE_LIMITED, VRS_MATRIX_BT601},
	{AV_CODEC_ID_DIRAC, VRS_RANGE_LIMITED, VRS_MATRIX_BT709}, /* VC-2: what FFmpeg writes of others is not read so */
	{AV_CODEC_ID_SPEEDHQ, VRS_RANGE_LIMITED, VRS_MATRIX_BT601},
	{AV_CODEC_ID_MPEG1VIDEO, VRS_RANGE_LIMITED, ANY_MATRIX},
	{AV_CODEC_ID_MPEG2VIDEO, VRS_RANGE_LIMITED, ANY_MATRIX},
	{AV_CODEC_ID_PRORES, VRS_RANGE_LIMITED, ANY_MATRIX},
	{AV_CODEC_ID_MAGICYUV, VRS_RANGE_LIMITED, ANY_MATRIX},
	{AV_CODEC_ID_THEORA, VRS_RANGE_LIMITED, ANY_MATRIX},
	{AV_CODEC_ID_DVVIDEO, VRS_RANGE_LIMITED, ANY_MATRIX},
};

/* Encoders that write the range into the stream. */
static const char *const telling[] = {
	"libx264",    "libx264rgb", "libx265",    "libvpx-vp9", "libaom-av1", "librav1e", "libsvtav1",
	"h264_nvenc", "hevc_nvenc", "av1_nvenc",  "h264_vaapi", "hevc_vaapi", "h264_qsv", "hevc_qsv",
};

/* Containers that have it for any codec; MP4 has it only where primaries and transfer are known too. */
#define TELLING_MUXERS "matroska,webm,mxf,yuv4mpegpipe"

static int fixed_row(const AVCodec *codec)
{
	for (int i = 0; i < (int)(sizeof fixed / sizeof fixed[0]); i++)
		if (fixed[i].codec == codec->id)
			return i;
	return -1;
}

static bool tells_range(const AVCodec *codec, const AVOutputFormat *muxer)
{
	for (size_t i = 0; i < sizeof telling / sizeof telling[0]; i++)
		if (strcmp(telling[i], codec->name) == 0)
			return true;
	return muxer && av_match_name(muxer->name, TELLING_MUXERS) > 0;
}

bool vrs_encoder_color_is_full(const AVCodec *codec)
{
	int row = fixed_row(codec);

	return row >= 0 && fixed[row].range == VRS_RANGE_FULL;
}

enum vrs_range vrs_encoder_color_range(const AVCodec *codec, const AVOutputFormat *muxer, enum AVPixelFormat pixels,
				       const struct vrs_picture_format *frames)
{
	const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(pixels);
	int row = fixed_row(codec);

	if (vrs_av_format_is_yuvj(pixels) || vrs_av_format_is_rgb(pixels))
		return VRS_RANGE_FULL;
	if (row >= 0)
		return fixed[row].range;
	if (tells_range(codec, muxer))
		return frames->range;
	return desc && desc->nb_components < 3 ? VRS_RANGE_FULL : VRS_RANGE_LIMITED;
}

enum vrs_matrix vrs_encoder_color_matrix(const AVCodec *codec, enum AVPixelFormat pixels, const struct vrs_picture_format *frames)
{
	int row = fixed_row(codec);

	if (vrs_av_format_is_rgb(pixels))
		return frames->matrix;
	if (row >= 0 && fixed[row].matrix != ANY_MATRIX)
		return (enum vrs_matrix)fixed[row].matrix;
	if (codec->id == AV_CODEC_ID_UTVIDEO && frames->matrix == VRS_MATRIX_BT2020) /* has the other two */
		return VRS_MATRIX_BT709;
	return frames->matrix;
}
