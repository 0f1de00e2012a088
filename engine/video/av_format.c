/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/av_format.h"

#include <string.h>

#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>

/* From this size up, untagged video is BT.709, as players assume it. */
#define HD_WIDTH 1280
#define HD_HEIGHT 720

static bool components_are_planes(const AVPixFmtDescriptor *desc)
{
	int depth = desc->comp[0].depth;
	int bytes = depth > 8 ? 2 : 1;

	if (depth < 8 || depth > 16)
		return false;
	for (int c = 0; c < desc->nb_components; c++) {
		const AVComponentDescriptor *comp = &desc->comp[c];

		if (comp->plane != c || comp->depth != depth || comp->step != bytes || comp->offset || comp->shift)
			return false;
	}
	return true;
}

bool vrs_av_format_direct(enum AVPixelFormat format)
{
	const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(format);
	const uint64_t refused = AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_HWACCEL |
				 AV_PIX_FMT_FLAG_BAYER | AV_PIX_FMT_FLAG_FLOAT;

	if (!desc || (desc->flags & refused) || desc->log2_chroma_w > 1 || desc->log2_chroma_h > 1)
		return false;
	if (desc->nb_components != 1 && desc->nb_components != 3 && desc->nb_components != 4)
		return false;
	if ((desc->flags & AV_PIX_FMT_FLAG_BE) && desc->comp[0].depth > 8)
		return false;
	return components_are_planes(desc);
}

bool vrs_av_format_is_rgb(enum AVPixelFormat format)
{
	const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(format);

	return desc && (desc->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL)) != 0;
}

bool vrs_av_format_is_yuvj(enum AVPixelFormat format)
{
	const char *name = av_get_pix_fmt_name(format);

	return name && strncmp(name, "yuvj", 4) == 0;
}

enum AVPixelFormat vrs_av_format_yuvj(enum AVPixelFormat format)
{
	switch (format) {
	case AV_PIX_FMT_YUV420P: return AV_PIX_FMT_YUVJ420P;
	case AV_PIX_FMT_YUV422P: return AV_PIX_FMT_YUVJ422P;
	case AV_PIX_FMT_YUV444P: return AV_PIX_FMT_YUVJ444P;
	case AV_PIX_FMT_YUV440P: return AV_PIX_FMT_YUVJ440P;
	default: return AV_PIX_FMT_NONE;
	}
}

/* Among all direct formats, the one of this many planes and this sampling with the smallest depth that holds `depth` bits. */
static enum AVPixelFormat find_direct(int planes, int shift_x, int shift_y, int depth)
{
	const AVPixFmtDescriptor *best = NULL;

	for (const AVPixFmtDescriptor *desc = av_pix_fmt_desc_next(NULL); desc; desc = av_pix_fmt_desc_next(desc)) {
		enum AVPixelFormat format = av_pix_fmt_desc_get_id(desc);

		if (desc->nb_components != planes || !vrs_av_format_direct(format) || vrs_av_format_is_yuvj(format))
			continue;
		if (planes > 1 && (desc->log2_chroma_w != shift_x || desc->log2_chroma_h != shift_y))
			continue;
		if (desc->comp[0].depth >= depth && (!best || desc->comp[0].depth < best->comp[0].depth))
			best = desc;
	}
	return best ? av_pix_fmt_desc_get_id(best) : AV_PIX_FMT_NONE;
}

static int widest_component(const AVPixFmtDescriptor *desc)
{
	int depth = 8;

	for (int c = 0; c < desc->nb_components; c++)
		if (desc->comp[c].depth > depth)
			depth = desc->comp[c].depth;
	return depth > 16 ? 16 : depth;
}

enum AVPixelFormat vrs_av_format_nearest(enum AVPixelFormat format)
{
	const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(format);
	bool colour, alpha;
	int shift_x, shift_y, depth;
	enum AVPixelFormat found;

	if (vrs_av_format_direct(format))
		return format;
	if (!desc || !sws_isSupportedInput(format))
		return AV_PIX_FMT_NONE;
	alpha = (desc->flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
	colour = desc->nb_components >= 3 || (desc->flags & (AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BAYER)) || alpha;
	depth = widest_component(desc);
	if (!colour)
		return find_direct(1, 0, 0, depth);
	shift_x = desc->log2_chroma_w > 1 ? 1 : desc->log2_chroma_w;
	shift_y = desc->log2_chroma_h > 1 ? 1 : desc->log2_chroma_h;
	if (desc->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BAYER))
		shift_x = shift_y = 0;
	found = find_direct(alpha ? 4 : 3, shift_x, shift_y, depth);
	if (found == AV_PIX_FMT_NONE) /* a sampling that has no such depth */
		found = find_direct(alpha ? 4 : 3, 0, 0, depth);
	return found;
}

enum AVPixelFormat vrs_av_format_of(const struct vrs_picture_format *format)
{
	enum AVPixelFormat found = find_direct(format->planes, format->chroma_shift_x, format->chroma_shift_y, format->bit_depth);
	const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(found);

	return desc && desc->comp[0].depth == format->bit_depth ? found : AV_PIX_FMT_NONE;
}

bool vrs_av_is_hdr(enum AVColorTransferCharacteristic transfer)
{
	return transfer == AVCOL_TRC_SMPTE2084 || transfer == AVCOL_TRC_ARIB_STD_B67;
}

static enum vrs_matrix matrix_of(const AVFrame *frame)
{
	switch (frame->colorspace) {
	case AVCOL_SPC_BT709:
	case AVCOL_SPC_SMPTE240M: /* within 0.001 of BT.709's luma weights */
		return VRS_MATRIX_BT709;
	case AVCOL_SPC_BT470BG:
	case AVCOL_SPC_SMPTE170M:
	case AVCOL_SPC_FCC:
		return VRS_MATRIX_BT601;
	case AVCOL_SPC_BT2020_NCL:
	case AVCOL_SPC_BT2020_CL:
		return VRS_MATRIX_BT2020;
	default:
		break;
	}
	if (frame->color_primaries == AVCOL_PRI_BT2020 || vrs_av_is_hdr(frame->color_trc))
		return VRS_MATRIX_BT2020;
	return frame->width >= HD_WIDTH || frame->height >= HD_HEIGHT ? VRS_MATRIX_BT709 : VRS_MATRIX_BT601;
}

bool vrs_av_matrix_is_known(const AVFrame *frame)
{
	switch (frame->colorspace) {
	case AVCOL_SPC_BT2020_CL: /* luma of linear light */
	case AVCOL_SPC_YCGCO:
	case AVCOL_SPC_SMPTE2085:
	case AVCOL_SPC_CHROMA_DERIVED_NCL:
	case AVCOL_SPC_CHROMA_DERIVED_CL:
	case AVCOL_SPC_ICTCP:
		return false;
	default:
		return true;
	}
}

/* Codecs whose bit stream has a range flag: without it, it is limited range by their standards. */
static bool codec_has_range_flag(enum AVCodecID codec)
{
	switch (codec) {
	case AV_CODEC_ID_H264:
	case AV_CODEC_ID_HEVC:
	case AV_CODEC_ID_AV1:
	case AV_CODEC_ID_VP8:
	case AV_CODEC_ID_VP9:
	case AV_CODEC_ID_MPEG2VIDEO:
	case AV_CODEC_ID_MPEG4:
		return true;
	default:
		return false;
	}
}

static enum vrs_range range_of(const AVFrame *frame, enum AVCodecID codec)
{
	bool grey = av_pix_fmt_desc_get(frame->format)->nb_components <= 2; /* with alpha or without */

	if (vrs_av_format_is_yuvj(frame->format) || frame->color_range == AVCOL_RANGE_JPEG)
		return VRS_RANGE_FULL;
	if (frame->color_range == AVCOL_RANGE_MPEG)
		return VRS_RANGE_LIMITED;
	return grey && !codec_has_range_flag(codec) ? VRS_RANGE_FULL : VRS_RANGE_LIMITED;
}

/*
 * Tags that are not set get defaults: matrix BT.709 from 1280 x 720 up and BT.601 below (BT.2020 where primaries or transfer say so), range limited,
 * grey of codecs without a range flag full.
 */
bool vrs_av_picture_target(struct vrs_picture_format *ret, const AVFrame *frame, enum AVCodecID codec)
{
	const AVPixFmtDescriptor *from = av_pix_fmt_desc_get(frame->format), *desc = av_pix_fmt_desc_get(vrs_av_format_nearest(frame->format));

	if (!from || !desc)
		return false;
	*ret = (struct vrs_picture_format){
		.width = frame->width,
		.height = frame->height,
		.planes = desc->nb_components,
		.chroma_shift_x = desc->log2_chroma_w,
		.chroma_shift_y = desc->log2_chroma_h,
		.bit_depth = desc->comp[0].depth,
		.matrix = matrix_of(frame),
		.range = range_of(frame, codec),
		.primaries = frame->color_primaries,
		.transfer = frame->color_trc,
		.chroma_location = frame->chroma_location,
	};
	/* RGB is full range by nature; as YUV it takes the range that every player expects.  Grey stays as it is. */
	if (from->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL))
		ret->range = VRS_RANGE_LIMITED;
	return true;
}

bool vrs_av_stream_target(struct vrs_picture_format *ret, const AVCodecParameters *codec)
{
	const AVPixFmtDescriptor *desc = codec->format >= 0 ? av_pix_fmt_desc_get(vrs_av_format_nearest(codec->format)) : NULL;

	if (!desc || codec->width < 1 || codec->height < 1)
		return false;
	*ret = (struct vrs_picture_format){.width = codec->width, .height = codec->height, .planes = desc->nb_components,
		.chroma_shift_x = desc->log2_chroma_w, .chroma_shift_y = desc->log2_chroma_h, .bit_depth = desc->comp[0].depth,
		.primaries = codec->color_primaries, .transfer = codec->color_trc, .chroma_location = codec->chroma_location};
	return true;
}

enum AVColorSpace vrs_av_matrix(enum vrs_matrix matrix)
{
	switch (matrix) {
	case VRS_MATRIX_BT709: return AVCOL_SPC_BT709;
	case VRS_MATRIX_BT2020: return AVCOL_SPC_BT2020_NCL;
	default: return AVCOL_SPC_SMPTE170M;
	}
}

enum AVColorRange vrs_av_range(enum vrs_range range)
{
	return range == VRS_RANGE_FULL ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
}

void vrs_av_frame_tag(AVFrame *frame, const struct vrs_picture_format *format)
{
	frame->width = format->width;
	frame->height = format->height;
	frame->format = vrs_av_format_of(format);
	frame->colorspace = vrs_av_matrix(format->matrix);
	frame->color_range = vrs_av_range(format->range);
	frame->color_primaries = format->primaries;
	frame->color_trc = format->transfer;
	frame->chroma_location = format->chroma_location;
}

uint64_t vrs_av_picture_bytes(enum AVPixelFormat format, int width, int height)
{
	int bytes = av_image_get_buffer_size(format, width, height, 32);

	return bytes > 0 ? (uint64_t)bytes : 0;
}
