/* SPDX-License-Identifier: GPL-3.0-or-later */
/* FILE.png and other pictures: exactly one frame, encoded in memory and put into place when the sink is finished. */
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "video/av_encoder.h"
#include "video/image_codec.h"
#include "video/sink_kind.h"
#include "video/sink_target.h"

#define MAX_PICTURE_BYTES ((size_t)1 << 30)

struct sink_image {
	struct vrs_sink base;
	struct vrs_sink_target target;
	struct vrs_av_encoder encoder;
	struct vrs_buf data;
};

static bool sink_image_takes(const char *target)
{
	return vrs_image_has_extension(target);
}

static enum vrs_status sink_image_open(struct vrs_sink *base, const char *path, const struct vrs_sink_options *options, struct vrs_source *source,
				       struct vrs_error *err)
{
	struct sink_image *sink = (struct sink_image *)base;
	struct vrs_sink_options own;
	const AVCodec *codec;
	enum vrs_status status;

	vrs_buf_init(&sink->data, MAX_PICTURE_BYTES);
	status = vrs_image_codec_choose(&codec, &own, path, options, err);
	if (status != VRS_OK)
		return status;
	own.threads = 1;
	status = vrs_sink_target_open(&sink->target, path, options->overwrite, source, err);
	return status != VRS_OK ? status : vrs_av_encoder_open(&sink->encoder, codec, &own, false, 0, err);
}

static enum vrs_status on_packet(void *cookie, AVPacket *pkt, struct vrs_error *err)
{
	struct sink_image *sink = cookie;
	enum vrs_status status = vrs_buf_append(&sink->data, pkt->data, (size_t)pkt->size);

	return status != VRS_OK ? vrs_fail(err, status, "no memory for the picture %s", sink->target.path) : VRS_OK;
}

static enum vrs_status sink_image_write(struct vrs_sink *base, struct vrs_frame *frame, struct vrs_error *err)
{
	struct sink_image *sink = (struct sink_image *)base;

	if (base->frames > 0) {
		vrs_frame_unref(frame);
		return vrs_fail(err, VRS_ECONFIG, "%s holds one picture but the video has more; use --max-frames 1 or a video as output",
				sink->target.path);
	}
	if (frame->pts == INT64_MIN)
		frame->pts = 0;
	return vrs_av_encoder_write(&sink->encoder, frame, on_packet, sink, err);
}

static enum vrs_status sink_image_finish(struct vrs_sink *base, struct vrs_error *err)
{
	struct sink_image *sink = (struct sink_image *)base;
	enum vrs_status status;

	if (base->frames == 0)
		return vrs_fail(err, VRS_EINVAL, "%s: there is no frame to write", sink->target.path);
	status = vrs_av_encoder_write(&sink->encoder, NULL, on_packet, sink, err);
	if (status != VRS_OK)
		return status;
	if (!sink->target.overwrite && !sink->target.direct && vrs_path_exists(sink->target.path))
		return vrs_fail(err, VRS_EEXIST, "%s was created by another program meanwhile", sink->target.path);
	return vrs_file_replace(sink->target.path, sink->data.data, sink->data.len, err);
}

static void sink_image_close(struct vrs_sink *base)
{
	struct sink_image *sink = (struct sink_image *)base;

	vrs_av_encoder_close(&sink->encoder);
	vrs_buf_fini(&sink->data);
}

const struct vrs_sink_kind vrs_sink_image_kind = {
	.name = "image",
	.state_size = sizeof(struct sink_image),
	.takes = sink_image_takes,
	.open = sink_image_open,
	.write = sink_image_write,
	.finish = sink_image_finish,
	.close = sink_image_close,
};
