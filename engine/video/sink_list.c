/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The registry of sinks, and the public functions, which check arguments and pass on. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <libavcodec/avcodec.h>
#include <libavutil/opt.h>

#include "base/mem.h"
#include "video/av_support.h"
#include "video/sink_kind.h"

static bool is_null(const char *target)
{
	return strcmp(target, "null:") == 0;
}

/* "null:", for measuring everything before the encoder. */
static const struct vrs_sink_kind null_kind = {.state_size = sizeof(struct vrs_sink), .is_virtual = true, .takes = is_null};

/* In the order in which they are asked; the last takes everything. */
static const struct vrs_sink_kind *const kinds[] = {
	&null_kind, &vrs_sink_stream_kind, &vrs_sink_hash_kind, &vrs_sink_y4m_kind, &vrs_sink_picture_kind, &vrs_sink_av_kind,
};

static const struct vrs_sink_kind *kind_for(const char *target)
{
	int i = 0;

	while (kinds[i]->takes && !kinds[i]->takes(target))
		i++;
	return kinds[i];
}

static enum vrs_status check_options(const struct vrs_sink_options *options, struct vrs_error *err)
{
	if (vrs_picture_format_check(&options->format))
		return vrs_fail(err, VRS_EINVAL, "pictures of %d x %d cannot be written", options->format.width, options->format.height);
	if (options->time_base_num < 1 || options->time_base_den < 1)
		return vrs_fail(err, VRS_EINVAL, "the time base %d/%d is impossible", options->time_base_num, options->time_base_den);
	if (options->threads < 0)
		return vrs_fail(err, VRS_EINVAL, "the number of encoder threads must not be negative");
	return VRS_OK;
}

enum vrs_status vrs_sink_open(struct vrs_sink **ret_sink, const char *target, const struct vrs_sink_options *options, struct vrs_source *source,
			      struct vrs_error *err)
{
	const struct vrs_sink_kind *kind;
	struct vrs_sink *sink;
	enum vrs_status status;

	if (!ret_sink || !options || !target || !target[0])
		return vrs_fail(err, VRS_ECONFIG, "the output has no name");
	status = check_options(options, err);
	if (status != VRS_OK)
		return status;
	kind = options->segment_of ? &vrs_sink_av_kind : kind_for(target);
	vrs_av_init();
	sink = vrs_calloc(1, kind->state_size);
	if (!sink)
		return vrs_fail_nomem(err);
	sink->kind = kind;
	sink->format = options->format;
	status = kind->open ? kind->open(sink, target, options, source, err) : VRS_OK;
	if (status != VRS_OK) {
		vrs_sink_close(sink);
		return status;
	}
	*ret_sink = sink;
	return VRS_OK;
}

static bool fits(const struct vrs_picture_format *a, const struct vrs_picture_format *b)
{
	return a->width == b->width && a->height == b->height && a->planes == b->planes && a->bit_depth == b->bit_depth &&
	       (a->planes == 1 || (a->chroma_shift_x == b->chroma_shift_x && a->chroma_shift_y == b->chroma_shift_y));
}

enum vrs_status vrs_sink_write(struct vrs_sink *sink, struct vrs_frame *frame, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;

	if (sink->finished || !fits(&sink->format, &frame->format)) {
		vrs_frame_unref(frame);
		return vrs_fail(err, VRS_EINVAL, sink->finished ? "the output is already finished" : "a frame differs from the output's format");
	}
	if (sink->kind->write)
		status = sink->kind->write(sink, frame, err);
	else
		vrs_frame_unref(frame);
	if (status == VRS_OK)
		sink->frames++;
	return status;
}

enum vrs_status vrs_sink_finish(struct vrs_sink *sink, struct vrs_error *err)
{
	if (sink->finished)
		return vrs_fail(err, VRS_EINVAL, "the output is already finished");
	sink->finished = true;
	return sink->kind->finish ? sink->kind->finish(sink, err) : VRS_OK;
}

void vrs_sink_close(struct vrs_sink *sink)
{
	if (!sink)
		return;
	if (sink->kind->close)
		sink->kind->close(sink);
	vrs_free(sink);
}

bool vrs_sink_takes_segments(const char *target, const char *encoder)
{
	return kind_for(target) == &vrs_sink_av_kind && vrs_sink_av_takes_segments(target, encoder);
}

bool vrs_sink_saves(const char *target)
{
	const char *colon = strchr(target, ':'), *path = colon ? colon + 1 : target;
	struct stat st;

	if (is_null(target) || vrs_sink_is_stream(target) || strcmp(path, "-") == 0)
		return false;
	return (stat(target, &st) != 0 && stat(path, &st) != 0) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode);
}

bool vrs_sink_is_virtual(const char *target)
{
	return kind_for(target)->is_virtual;
}

bool vrs_sink_encoder_exists(const char *encoder)
{
	const AVCodec *codec = avcodec_find_encoder_by_name(encoder);

	return codec && codec->type == AVMEDIA_TYPE_VIDEO;
}

bool vrs_sink_encoder_has(const char *encoder, const char *option)
{
	const AVCodec *codec = avcodec_find_encoder_by_name(encoder);
	const AVClass *class = codec ? codec->priv_class : NULL;
	const AVOption *found;

	if (!class)
		return false;
	found = av_opt_find(&class, option, NULL, 0, AV_OPT_SEARCH_FAKE_OBJ);
	return found && (found->flags & AV_OPT_FLAG_ENCODING_PARAM) && found->type != AV_OPT_TYPE_CONST;
}

void vrs_sink_list_encoders(void (*line)(void *cookie, const char *text), void *cookie)
{
	const AVCodec *codec;
	void *state = NULL;
	char text[256];

	while ((codec = av_codec_iterate(&state))) {
		if (!av_codec_is_encoder(codec) || codec->type != AVMEDIA_TYPE_VIDEO || codec->id == AV_CODEC_ID_WRAPPED_AVFRAME)
			continue;
		snprintf(text, sizeof text, "%-18s %s%s%s", codec->name, codec->long_name ? codec->long_name : "",
			 vrs_sink_encoder_has(codec->name, "preset") ? " [preset]" : "", vrs_sink_encoder_has(codec->name, "crf") ? " [crf]" : "");
		line(cookie, text);
	}
}
