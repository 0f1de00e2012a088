/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/image_codec.h"

#include <vrseg/log.h>

#include "video/encoder_name.h"
#include "video/sink_target.h"

static const char *const extensions[] = {"png", "jpg", "jpeg", "bmp", "tif", "tiff", NULL};
static const enum AVCodecID codecs[] = {AV_CODEC_ID_PNG, AV_CODEC_ID_MJPEG, AV_CODEC_ID_MJPEG, AV_CODEC_ID_BMP, AV_CODEC_ID_TIFF, AV_CODEC_ID_TIFF};

bool vrs_image_has_extension(const char *path)
{
	return vrs_sink_target_has_extension(path, extensions, NULL);
}

enum vrs_status vrs_image_codec_choose(const AVCodec **ret_codec, struct vrs_sink_options *ret_options, const char *path,
				       const struct vrs_sink_options *options, struct vrs_error *err)
{
	const AVCodec *codec = NULL;
	enum vrs_status status = VRS_OK;
	int index = 0;

	*ret_options = *options;
	if (!vrs_sink_target_has_extension(path, extensions, &index))
		return vrs_fail(err, VRS_ECONFIG, "%s has no extension of a picture", path);
	if (!vrs_encoder_is_ours(options))
		status = vrs_encoder_find(&codec, options->encoder, err);
	if (status != VRS_OK)
		return status;
	if (!codec || codec->id != codecs[index]) {
		const AVCodec *fitting = avcodec_find_encoder(codecs[index]);

		if (!fitting)
			return vrs_fail(err, VRS_EUNSUPPORTED, "this FFmpeg cannot write .%s pictures", extensions[index]);
		if (codec)
			vrs_log(VRS_LOG_INFO, "%s is a picture: encoder %s is used, not %s", path, fitting->name, codec->name);
		codec = fitting;
		ret_options->preset = NULL;
		ret_options->crf = -1;
	}
	if (options->format.planes == 4 && !vrs_encoder_has_alpha(codec))
		return vrs_fail(err, VRS_ECONFIG, ".%s pictures have no transparency; name them .png or .tif", extensions[index]);
	*ret_codec = codec;
	return VRS_OK;
}
