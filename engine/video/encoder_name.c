/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/encoder_name.h"

#include <string.h>

#include <libavutil/pixdesc.h>

#include "base/str_parse.h"

#define MAX_ENCODERS 512

enum vrs_status vrs_encoder_find(const AVCodec **ret_codec, const char *name, struct vrs_error *err)
{
	const AVCodec *codec = avcodec_find_encoder_by_name(name);
	const char *names[MAX_ENCODERS];
	const char *close;
	void *state = NULL;
	int count = 0;

	if (codec && codec->type == AVMEDIA_TYPE_VIDEO) {
		*ret_codec = codec;
		return VRS_OK;
	}
	if (codec)
		return vrs_fail(err, VRS_ECONFIG, "%s is not a video encoder", name);
	while (count < MAX_ENCODERS - 1 && (codec = av_codec_iterate(&state)))
		if (av_codec_is_encoder(codec) && codec->type == AVMEDIA_TYPE_VIDEO)
			names[count++] = codec->name;
	names[count] = NULL;
	close = vrs_closest(name, names);
	if (close)
		return vrs_fail(err, VRS_ECONFIG, "there is no encoder %s; did you mean %s?", name, close);
	return vrs_fail(err, VRS_ECONFIG, "there is no encoder %s in this FFmpeg; see --list-encoders", name);
}

bool vrs_encoder_is_ours(const struct vrs_sink_options *options)
{
	return !options->encoder || !options->encoder[0] || strcmp(options->encoder, "auto") == 0 || strcmp(options->encoder, "hardware") == 0 ||
	       strncmp(options->encoder, VRS_ENCODER_CHOSEN, strlen(VRS_ENCODER_CHOSEN)) == 0;
}

bool vrs_encoder_is_x26x(const AVCodec *codec)
{
	return strncmp(codec->name, "libx264", 7) == 0 || strcmp(codec->name, "libx265") == 0;
}

bool vrs_encoder_has_alpha(const AVCodec *codec)
{
	for (int i = 0; codec->pix_fmts && codec->pix_fmts[i] != AV_PIX_FMT_NONE; i++) {
		const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(codec->pix_fmts[i]);

		if (desc && (desc->flags & AV_PIX_FMT_FLAG_ALPHA) && codec->pix_fmts[i] != AV_PIX_FMT_PAL8)
			return true;
	}
	return false;
}
