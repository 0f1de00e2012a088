/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pictures: "FILE.png" holds exactly one frame, "name_%06d.png" and "png:FOLDER" (= FOLDER/%06d.png) one picture a frame, numbered from 0.  All
 * appear when the sink is finished (picture_set.h): until then those that they replace are as they were.  Pictures of other numbers are never
 * removed, since a name does not tell who made them.  Pictures hold no times and no sound: what plays them must know the frame rate.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <libavformat/avformat.h>

#include <vrseg/log.h>
#include <vrseg/options.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/str_parse.h"
#include "video/av_encoder.h"
#include "video/av_reader.h"
#include "video/encoder_query.h"
#include "video/picture_set.h"
#include "video/sink_kind.h"
#include "video/sink_target.h"
#include "video/source_kind.h"

#define MOST_DIGITS 9
#define MAX_PICTURE_BYTES ((size_t)1 << 30)

struct sink_picture {
	struct vrs_sink base;
	bool single;
	char pattern[PATH_MAX];        /* the name itself of a single one */
	struct vrs_sink_target target; /* of the first picture: its checks alone, nothing is made there */
	struct vrs_picture_set set;    /* of a sequence */
	struct vrs_av_encoder encoder;
	struct vrs_buf data;           /* of a single one, until the end */
	bool finished;
	char folder[PATH_MAX];         /* that was made here; "": none */
};

/* Exactly one %d or %0Nd, and no other %. */
static bool is_pattern(const char *path)
{
	const char *percent = strchr(path, '%');
	size_t n;

	if (!percent || strchr(percent + 1, '%'))
		return false;
	n = strspn(percent + 1, "0123456789");
	return percent[1 + n] == 'd' && (n == 0 || (n == 2 && percent[1] == '0' && percent[2] >= '1' && percent[2] <= '0' + MOST_DIGITS));
}

static bool sink_picture_takes(const char *target)
{
	return strncmp(target, VRS_PICTURES_PREFIX, strlen(VRS_PICTURES_PREFIX)) == 0 || vrs_image_has_extension(target);
}

/* png:FOLDER: the folder is made, and removed again if nothing comes of it. */
static enum vrs_status open_folder(struct sink_picture *sink, const char *folder, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;

	if (!folder[0] || strchr(folder, '%'))
		return vrs_fail(err, VRS_ECONFIG, "png: needs the name of a folder without %%, as in png:pictures");
	if (!vrs_path_exists(folder)) {
		status = vrs_mkdirs(folder, err);
		if (status == VRS_OK && !vrs_strcpy(sink->folder, sizeof sink->folder, folder))
			return vrs_fail(err, VRS_ELIMIT, "the name of the output is too long");
	} else if (!vrs_path_is_dir(folder)) {
		return vrs_fail(err, VRS_ECONFIG, "%s is not a folder; png: writes pictures into one", folder);
	}
	return status != VRS_OK ? status : vrs_path_join(sink->pattern, sizeof sink->pattern, folder, VRS_PICTURES_NAME);
}

/* Encoder for a picture of that name.  Another one that the options name is replaced, and said; *own becomes the options for it. */
static enum vrs_status choose_codec(const AVCodec **ret_codec, struct vrs_sink_options *own, const char *path, struct vrs_error *err)
{
	const AVOutputFormat *format = av_guess_format("image2", NULL, NULL);
	enum AVCodecID id = format ? av_guess_codec(format, NULL, path, NULL, AVMEDIA_TYPE_VIDEO) : AV_CODEC_ID_NONE;
	const AVCodec *codec = NULL, *fitting = avcodec_find_encoder(id);
	const char *extension = strrchr(path, '.');
	enum vrs_status status = vrs_encoder_is_ours(own) ? VRS_OK : vrs_encoder_find(&codec, own->encoder, err);

	if (status != VRS_OK)
		return status;
	if (!codec || codec->id != id) {
		if (!fitting)
			return vrs_fail(err, VRS_EUNSUPPORTED, "this FFmpeg cannot write %s pictures", extension);
		if (codec)
			vrs_log(VRS_LOG_INFO, "%s is a picture: encoder %s is used, not %s", path, fitting->name, codec->name);
		codec = fitting;
		own->preset = NULL;
		own->crf = -1;
	}
	if (own->format.planes == 4 && !vrs_encoder_has_alpha(codec))
		return vrs_fail(err, VRS_ECONFIG, "%s pictures have no transparency; name them .png or .tif", extension);
	*ret_codec = codec;
	return VRS_OK;
}

/* A sequence is opened before it is looked at whether its first picture is there: it may be one of a run that was killed. */
static enum vrs_status check_first(struct sink_picture *sink, char path[PATH_MAX], const struct vrs_sink_options *options,
				   const struct vrs_source *source, struct vrs_error *err)
{
	struct vrs_sink_options over = *options;
	enum vrs_status status = VRS_OK;

	over.overwrite = true;
	if (sink->single)
		(void)vrs_strcpy(path, PATH_MAX, sink->pattern); /* same size */
	else
		status = vrs_picture_name(sink->pattern, 0, path, err);
	if (status == VRS_OK && !sink->single)
		status = vrs_sink_target_check(&sink->target, path, &over, source, err);
	if (status == VRS_OK && !sink->single)
		status = vrs_picture_set_open(&sink->set, sink->pattern, err);
	return status != VRS_OK ? status : vrs_sink_target_check(&sink->target, path, options, source, err);
}

static enum vrs_status sink_picture_open(struct vrs_sink *base, const char *target, const struct vrs_sink_options *options,
					 struct vrs_source *source, struct vrs_error *err)
{
	struct sink_picture *sink = (struct sink_picture *)base;
	struct vrs_sink_options own = *options;
	bool is_folder = strncmp(target, VRS_PICTURES_PREFIX, strlen(VRS_PICTURES_PREFIX)) == 0;
	const AVCodec *codec = NULL;
	char path[PATH_MAX];
	enum vrs_status status = VRS_OK;

	vrs_buf_init(&sink->data, MAX_PICTURE_BYTES);
	sink->single = !is_folder && !is_pattern(target);
	if (is_folder)
		status = open_folder(sink, target + strlen(VRS_PICTURES_PREFIX), err);
	else if (!vrs_strcpy(sink->pattern, sizeof sink->pattern, target))
		status = vrs_fail(err, VRS_ELIMIT, "the name of the output is too long");
	if (status == VRS_OK)
		status = check_first(sink, path, options, source, err);
	if (status == VRS_OK)
		status = choose_codec(&codec, &own, path, err);
	if (status != VRS_OK)
		return status;
	own.light_of = source && source->reader ? source->reader->stream : NULL;
	own.profiles = source ? source->profiles : NULL;
	if (sink->single)
		own.threads = 1;
	else if (own.fps_num <= 0)
		own.fps_num = 1;
	status = vrs_av_encoder_open(&sink->encoder, codec, &own, NULL, 0, err);
	if (status == VRS_OK)
		vrs_av_encoder_tell_profile(&sink->encoder);
	return status;
}

static enum vrs_status put_single(struct sink_picture *sink, struct vrs_error *err)
{
	struct vrs_temp_file temp = {.fd = -1};
	char real[PATH_MAX];

	if (sink->target.direct)
		return vrs_file_write(sink->pattern, sink->data.data, sink->data.len, err);
	enum vrs_status status = vrs_file_resolve(sink->pattern, real, err);

	if (status == VRS_OK)
		status = vrs_temp_file_create(&temp, real, err);
	if (status == VRS_OK)
		status = vrs_temp_file_write(&temp, sink->data.data, sink->data.len, err);
	if (status == VRS_OK)
		status = vrs_sink_target_ask(&sink->target, temp.path, err);
	if (status == VRS_OK)
		status = vrs_temp_file_commit(&temp, sink->target.overwrite, err);
	vrs_temp_file_discard(&temp);
	return status != VRS_EEXIST ? status : vrs_fail(err, VRS_EEXIST, "%s already exists; use --overwrite to replace it", sink->pattern);
}

static enum vrs_status on_packet(void *cookie, AVPacket *pkt, struct vrs_error *err)
{
	struct sink_picture *sink = cookie;

	if (!sink->single)
		return vrs_picture_set_add(&sink->set, pkt->data, (size_t)pkt->size, sink->target.overwrite, err);
	return vrs_buf_append(&sink->data, pkt->data, (size_t)pkt->size) != VRS_OK ? vrs_fail_nomem(err) : VRS_OK;
}

static enum vrs_status sink_picture_write(struct vrs_sink *base, struct vrs_frame *frame, struct vrs_error *err)
{
	struct sink_picture *sink = (struct sink_picture *)base;

	if (sink->single && base->frames > 0) {
		vrs_frame_unref(frame);
		return vrs_fail(err, VRS_ECONFIG, "%s holds one picture but the video has more; use --max-frames 1 or a video as output", sink->pattern);
	}
	if (frame->pts == INT64_MIN)
		frame->pts = base->frames;
	return vrs_av_encoder_write(&sink->encoder, frame, on_packet, sink, err);
}

static enum vrs_status finish_sequence(struct sink_picture *sink, struct vrs_error *err)
{
	char path[PATH_MAX];
	enum vrs_status status = vrs_picture_set_pattern(&sink->set, path, err);

	if (status == VRS_OK)
		status = vrs_sink_target_ask(&sink->target, path, err);
	if (status == VRS_OK)
		status = vrs_picture_set_finish(&sink->set, sink->target.overwrite, err);
	if (status == VRS_OK && vrs_picture_name(sink->pattern, sink->set.count, path, NULL) == VRS_OK && vrs_path_exists(path))
		vrs_log(VRS_LOG_WARNING, "%s is left, and is not of this sequence of %d; remove it and those after it if they are of an earlier one",
			path, sink->set.count);
	return status;
}

static enum vrs_status sink_picture_finish(struct vrs_sink *base, struct vrs_error *err)
{
	struct sink_picture *sink = (struct sink_picture *)base;
	enum vrs_status status;

	if (sink->single && base->frames == 0)
		return vrs_fail(err, VRS_EINVAL, "%s: there is no frame to write", sink->pattern);
	status = vrs_av_encoder_write(&sink->encoder, NULL, on_packet, sink, err);
	if (status == VRS_OK && sink->single)
		status = put_single(sink, err);
	else if (status == VRS_OK)
		status = finish_sequence(sink, err);
	sink->finished = status == VRS_OK;
	return status;
}

static void sink_picture_close(struct vrs_sink *base)
{
	struct sink_picture *sink = (struct sink_picture *)base;

	vrs_av_encoder_close(&sink->encoder);
	vrs_buf_fini(&sink->data);
	vrs_picture_set_close(&sink->set);
	if (!sink->finished && sink->folder[0])
		(void)rmdir(sink->folder); /* stays where others put something into it */
}

const struct vrs_sink_kind vrs_sink_picture_kind = {
	.state_size = sizeof(struct sink_picture),
	.takes = sink_picture_takes,
	.open = sink_picture_open,
	.write = sink_picture_write,
	.finish = sink_picture_finish,
	.close = sink_picture_close,
};
