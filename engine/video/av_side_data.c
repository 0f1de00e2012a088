/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which container holds what (FFmpeg's muxers):
 *   mp4            st3d and sv3d boxes, only at compliance "unofficial" and below; right-eye-first order is refused by the muxer
 *   matroska, webm StereoMode from the stream's "stereo_mode" tag, Projection from the spherical side data
 *   others         nothing
 */
#include "video/av_side_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <libavcodec/codec_desc.h>
#include <libavutil/avstring.h>
#include <libavutil/display.h>
#include <libavutil/dovi_meta.h>
#include <libavutil/mem.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/spherical.h>
#include <libavutil/stereo3d.h>

#include <vrseg/log.h>

#include "video/av_format.h"

/* Bounds are 0.32 fixed point, angles 16.16. */
#define BOUND_ONE 4294967296.0
#define ANGLE_ONE 65536.0
/* A picture that keeps at most this share of 360 degrees is a half sphere (0.5, and some slack for cropped edges). */
#define HALF_SPHERE_SHARE 0.55

static const struct {
	enum AVStereo3DType type;
	enum vrs_stereo stereo;
	const char *tags[2]; /* of Matroska: left eye first, right eye first */
} stereos[] = {
	{AV_STEREO3D_2D, VRS_STEREO_MONO, {"mono", "mono"}},
	{AV_STEREO3D_SIDEBYSIDE, VRS_STEREO_SBS, {"left_right", "right_left"}},
	{AV_STEREO3D_TOPBOTTOM, VRS_STEREO_TB, {"top_bottom", "bottom_top"}},
};

/* Interleaved kinds are passed over, as if nothing was said: they have no two half pictures to cut. */
static void stereo_from(struct vrs_stereo_side_data *ret, const AVStereo3D *stereo)
{
	for (size_t i = 0; i < sizeof stereos / sizeof stereos[0]; i++)
		if (stereos[i].type == stereo->type) {
			ret->has_stereo = true;
			ret->stereo = stereos[i].stereo;
			ret->inverted = ret->stereo != VRS_STEREO_MONO && (stereo->flags & AV_STEREO3D_FLAG_INVERT) != 0;
			return;
		}
	vrs_log_once("stereo3d-kind", VRS_LOG_WARNING, "the video says that its stereo kind is \"%s\", which is not supported; it is ignored",
		     av_stereo3d_type_name(stereo->type));
}

static void spherical_from(struct vrs_stereo_side_data *ret, const AVSphericalMapping *map)
{
	ret->has_spherical = true;
	ret->yaw = map->yaw / ANGLE_ONE;
	ret->pitch = map->pitch / ANGLE_ONE;
	ret->roll = map->roll / ANGLE_ONE;
	ret->projection = VRS_PROJECTION_UNKNOWN;
	switch (map->projection) {
	case AV_SPHERICAL_EQUIRECTANGULAR:
		ret->projection = VRS_PROJECTION_EQUIRECT;
		break;
	case AV_SPHERICAL_EQUIRECTANGULAR_TILE:
		ret->bound_left = map->bound_left / BOUND_ONE;
		ret->bound_top = map->bound_top / BOUND_ONE;
		ret->bound_right = map->bound_right / BOUND_ONE;
		ret->bound_bottom = map->bound_bottom / BOUND_ONE;
		ret->projection = 1.0 - ret->bound_left - ret->bound_right <= HALF_SPHERE_SHARE ? VRS_PROJECTION_HEQUIRECT : VRS_PROJECTION_EQUIRECT;
		break;
	case AV_SPHERICAL_CUBEMAP:
		ret->foreign |= VRS_FOREIGN_CUBE;
		break;
	default:
		break;
	}
}

/* Side data of at least so many bytes, NULL: none. */
static void *side_of(const AVStream *stream, enum AVPacketSideDataType type, size_t least)
{
	size_t size = 0;
	uint8_t *data = av_stream_get_side_data(stream, type, &size);

	return size >= least ? data : NULL;
}

void vrs_av_side_read(struct vrs_stereo_side_data *ret, const AVStream *stream, const AVFrame *frame)
{
	const AVStereo3D *stereo = side_of(stream, AV_PKT_DATA_STEREO3D, sizeof *stereo);
	const AVSphericalMapping *map = side_of(stream, AV_PKT_DATA_SPHERICAL, sizeof *map);
	const AVFrameSideData *data;

	memset(ret, 0, sizeof *ret);
	if (stereo)
		stereo_from(ret, stereo);
	data = frame && !ret->has_stereo ? av_frame_get_side_data(frame, AV_FRAME_DATA_STEREO3D) : NULL;
	if (data)
		stereo_from(ret, (const AVStereo3D *)(const void *)data->data);
	data = frame && !map ? av_frame_get_side_data(frame, AV_FRAME_DATA_SPHERICAL) : NULL;
	if (data)
		map = (const AVSphericalMapping *)(const void *)data->data;
	if (map)
		spherical_from(ret, map);
}

static const AVDOVIDecoderConfigurationRecord *dolby_of(const AVStream *stream)
{
	return side_of(stream, AV_PKT_DATA_DOVI_CONF, sizeof(AVDOVIDecoderConfigurationRecord));
}

enum vrs_status vrs_av_side_check_colors(const AVStream *stream, const char *name, struct vrs_error *err)
{
	const AVDOVIDecoderConfigurationRecord *dolby = dolby_of(stream);
	bool is_own = dolby && (dolby->dv_profile == 5 || (dolby->dv_profile == 10 && dolby->dv_bl_signal_compatibility_id == 0)); /* 10: AV1 */

	if (!is_own)
		return VRS_OK;
	return vrs_fail(err, VRS_EUNSUPPORTED, "%s is Dolby Vision profile %d, whose colours (IPT) cannot be read; convert it first, for example with "
			"ffmpeg -i IN -vf libplacebo=colorspace=bt2020nc:color_primaries=bt2020:color_trc=smpte2084:format=yuv420p10 -c:v libx265 OUT",
			name, dolby->dv_profile);
}

const uint8_t *vrs_av_profile(const AVStream *stream, size_t *ret_size)
{
	*ret_size = 0;
	return av_stream_get_side_data(stream, AV_PKT_DATA_ICC_PROFILE, ret_size);
}

int32_t *vrs_av_display_matrix(const AVStream *stream)
{
	return side_of(stream, AV_PKT_DATA_DISPLAYMATRIX, 9 * sizeof(int32_t));
}

/* EXIF's number, where the decoder leaves it at that (WebP): 2, 4, 5 and 7 are mirrored. */
static void orient(int32_t matrix[9], long number)
{
	static const double degrees[] = {0, 0, 180, 180, 90, 90, -90, -90}; /* clockwise, before the mirror */

	av_display_rotation_set(matrix, degrees[number - 1]);
	if (number == 2 || number == 4 || number == 5 || number == 7)
		av_display_matrix_flip(matrix, 1, 0);
}

bool vrs_av_photo_matrix(int32_t ret_matrix[9], const AVStream *stream, const AVFrame *frame)
{
	const AVCodecDescriptor *codec = avcodec_descriptor_get(stream->codecpar->codec_id);
	const AVFrameSideData *data = av_frame_get_side_data(frame, AV_FRAME_DATA_DISPLAYMATRIX);
	const AVDictionaryEntry *exif = av_dict_get(frame->metadata, "Orientation", NULL, 0);
	long number = exif ? strtol(exif->value, NULL, 10) : 0;

	if (!codec || !(codec->props & AV_CODEC_PROP_INTRA_ONLY))
		return false;
	if (data && data->size >= 9 * sizeof *ret_matrix)
		memcpy(ret_matrix, data->data, 9 * sizeof *ret_matrix);
	else if (number >= 1 && number <= 8)
		orient(ret_matrix, number);
	else
		return false;
	return true;
}

static enum vrs_status attach(AVStream *stream, enum AVPacketSideDataType type, void *data, size_t size)
{
	if (av_stream_add_side_data(stream, type, data, size) >= 0)
		return VRS_OK;
	av_free(data);
	return VRS_ENOMEM;
}

static enum vrs_status copy_raw(AVStream *stream, const AVStream *raw, enum AVPacketSideDataType type)
{
	size_t size = 0;
	const uint8_t *data = av_stream_get_side_data(raw, type, &size);
	void *copy;

	if (!data)
		return VRS_OK;
	copy = av_memdup(data, size);
	return copy ? attach(stream, type, copy, size) : VRS_ENOMEM;
}

/* PNG tells its primaries in this way, and no display was there. */
static bool is_of_a_display(const AVFrameSideData *data)
{
	return data->type != AV_FRAME_DATA_MASTERING_DISPLAY_METADATA || ((const AVMasteringDisplayMetadata *)data->data)->has_luminance;
}

enum vrs_status vrs_av_side_adopt(AVStream *stream, const AVFrame *frame)
{
	static const struct {
		enum AVPacketSideDataType of_stream;
		enum AVFrameSideDataType of_frame;
	} kinds[] = {{AV_PKT_DATA_MASTERING_DISPLAY_METADATA, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA},
		     {AV_PKT_DATA_CONTENT_LIGHT_LEVEL, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL}};
	enum vrs_status status = VRS_OK;

	for (size_t i = 0; status == VRS_OK && i < sizeof kinds / sizeof kinds[0]; i++) {
		const AVFrameSideData *data = av_frame_get_side_data(frame, kinds[i].of_frame);

		if (!data || !is_of_a_display(data) || av_stream_get_side_data(stream, kinds[i].of_stream, NULL))
			continue;
		void *copy = av_memdup(data->data, data->size);

		status = copy ? attach(stream, kinds[i].of_stream, copy, data->size) : VRS_ENOMEM;
	}
	return status;
}

bool vrs_av_is_matroska(const AVOutputFormat *muxer)
{
	return av_match_name(muxer->name, "matroska,webm") > 0;
}

bool vrs_av_is_mp4(const AVOutputFormat *muxer)
{
	return av_match_name(muxer->name, "mp4,mov,ipod,ismv,3gp,3g2,psp,f4v") > 0;
}

static enum vrs_status write_stereo(AVStream *stream, const AVOutputFormat *muxer, const struct vrs_stereo_side_data *side)
{
	AVStereo3D *stereo;
	size_t i = sizeof stereos / sizeof stereos[0] - 1;

	while (i > 0 && stereos[i].stereo != side->stereo)
		i--;
	if (vrs_av_is_matroska(muxer))
		return av_dict_set(&stream->metadata, "stereo_mode", stereos[i].tags[side->inverted], 0) < 0 ? VRS_ENOMEM : VRS_OK;
	if (strcmp(muxer->name, "mp4") != 0 || side->inverted) {
		if (side->stereo != VRS_STEREO_MONO && !side->stereo_is_named)
			vrs_log(VRS_LOG_WARNING, "a %s file cannot say that the video is %s%s; players need a name tag, or use .mkv", muxer->name,
				side->stereo == VRS_STEREO_SBS ? "side by side" : "top-bottom", side->inverted ? " with the right eye first" : "");
		return VRS_OK;
	}
	stereo = av_stereo3d_alloc();
	if (!stereo)
		return VRS_ENOMEM;
	stereo->type = stereos[i].type;
	return attach(stream, AV_PKT_DATA_STEREO3D, stereo, sizeof *stereo);
}

static uint32_t bound(double share)
{
	double value = share * BOUND_ONE;

	return value <= 0 ? 0 : value >= UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static enum vrs_status write_spherical(AVStream *stream, const AVOutputFormat *muxer, const struct vrs_stereo_side_data *side, const AVStream *raw)
{
	bool whole = side->bound_left == 0 && side->bound_top == 0 && side->bound_right == 0 && side->bound_bottom == 0;
	AVSphericalMapping *map;
	size_t size = 0;

	if (!vrs_av_is_matroska(muxer) && strcmp(muxer->name, "mp4") != 0) {
		if (!side->projection_is_named)
			vrs_log(VRS_LOG_WARNING, "a %s file cannot hold the projection of the video; use .mp4 or .mkv", muxer->name);
		return VRS_OK;
	}
	if (side->projection == VRS_PROJECTION_UNKNOWN && raw)
		return copy_raw(stream, raw, AV_PKT_DATA_SPHERICAL);
	if (side->projection != VRS_PROJECTION_EQUIRECT && side->projection != VRS_PROJECTION_HEQUIRECT) {
		if (!side->projection_is_named)
			vrs_log(VRS_LOG_WARNING, "the container cannot hold the projection of the video; players need a name tag");
		return VRS_OK;
	}
	map = av_spherical_alloc(&size);
	if (!map)
		return VRS_ENOMEM;
	map->yaw = (int32_t)lrint(side->yaw * ANGLE_ONE);
	map->pitch = (int32_t)lrint(side->pitch * ANGLE_ONE);
	map->roll = (int32_t)lrint(side->roll * ANGLE_ONE);
	map->projection = whole ? AV_SPHERICAL_EQUIRECTANGULAR : AV_SPHERICAL_EQUIRECTANGULAR_TILE;
	map->bound_left = bound(side->bound_left);
	map->bound_top = bound(side->bound_top);
	map->bound_right = bound(side->bound_right);
	map->bound_bottom = bound(side->bound_bottom);
	if (whole && side->projection == VRS_PROJECTION_HEQUIRECT) { /* a decided half sphere without bounds: a quarter off on each side */
		map->projection = AV_SPHERICAL_EQUIRECTANGULAR_TILE;
		map->bound_left = map->bound_right = bound(0.25);
	}
	return attach(stream, AV_PKT_DATA_SPHERICAL, map, size);
}

static void tell_dolby(const AVStream *raw)
{
	const AVDOVIDecoderConfigurationRecord *dolby = dolby_of(raw);

	if (dolby && dolby->dv_profile == 8)
		vrs_log(VRS_LOG_INFO, "the Dolby Vision metadata of the video (profile 8.%d) are left out", dolby->dv_bl_signal_compatibility_id);
	else if (dolby)
		vrs_log(VRS_LOG_INFO, "the Dolby Vision metadata of the video (profile %d) are left out", dolby->dv_profile);
}

enum vrs_status vrs_av_side_write(AVStream *stream, const AVOutputFormat *muxer, const struct vrs_stereo_side_data *side, const AVStream *raw)
{
	static const enum AVPacketSideDataType kept[] = {AV_PKT_DATA_DISPLAYMATRIX, AV_PKT_DATA_MASTERING_DISPLAY_METADATA,
							 AV_PKT_DATA_CONTENT_LIGHT_LEVEL};
	bool becomes_sdr = raw && vrs_av_is_hdr(raw->codecpar->color_trc) && !vrs_av_is_hdr(stream->codecpar->color_trc);
	size_t count = becomes_sdr ? 1 : sizeof kept / sizeof kept[0]; /* it is no longer as bright */
	enum vrs_status status = VRS_OK;

	if (side && side->has_stereo)
		status = write_stereo(stream, muxer, side);
	if (status == VRS_OK && side && side->has_spherical)
		status = write_spherical(stream, muxer, side, raw);
	if (raw)
		tell_dolby(raw);
	for (size_t i = 0; status == VRS_OK && raw && i < count; i++)
		status = copy_raw(stream, raw, kept[i]);
	return status;
}

/* The frame's side data goes before the stream's. */
static const void *either(const AVStream *stream, enum AVPacketSideDataType of_stream, const AVFrame *frame, enum AVFrameSideDataType of_frame)
{
	const AVFrameSideData *data = av_frame_get_side_data(frame, of_frame);

	return data ? (const void *)data->data : av_stream_get_side_data(stream, of_stream, NULL);
}

double vrs_av_peak_read(const AVStream *stream, const AVFrame *frame)
{
	const AVContentLightMetadata *content = either(stream, AV_PKT_DATA_CONTENT_LIGHT_LEVEL, frame, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL);
	const AVMasteringDisplayMetadata *display =
		either(stream, AV_PKT_DATA_MASTERING_DISPLAY_METADATA, frame, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA);
	double nits = content && content->MaxCLL ? content->MaxCLL : 0;

	if (nits <= 0 && display && display->has_luminance && display->max_luminance.num > 0 && display->max_luminance.den > 0)
		nits = av_q2d(display->max_luminance);
	return nits > 0 && nits <= 10000 ? nits : 0;
}
