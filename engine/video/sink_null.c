/* SPDX-License-Identifier: GPL-3.0-or-later */
/* "null:": takes frames and forgets them; the smallest sink, for measuring everything before the encoder. */
#include <string.h>

#include "video/sink_kind.h"

static bool sink_null_takes(const char *target)
{
	return strcmp(target, "null:") == 0;
}

static enum vrs_status sink_null_open(struct vrs_sink *sink, const char *target, const struct vrs_sink_options *options, struct vrs_source *source,
				      struct vrs_error *err)
{
	(void)sink, (void)target, (void)options, (void)source, (void)err;
	return VRS_OK;
}

static enum vrs_status sink_null_write(struct vrs_sink *sink, struct vrs_frame *frame, struct vrs_error *err)
{
	(void)sink, (void)err;
	vrs_frame_unref(frame);
	return VRS_OK;
}

static enum vrs_status sink_null_finish(struct vrs_sink *sink, struct vrs_error *err)
{
	(void)sink, (void)err;
	return VRS_OK;
}

static void sink_null_close(struct vrs_sink *sink)
{
	(void)sink;
}

const struct vrs_sink_kind vrs_sink_null_kind = {
	.name = "null",
	.state_size = sizeof(struct vrs_sink),
	.is_virtual = true,
	.takes = sink_null_takes,
	.open = sink_null_open,
	.write = sink_null_write,
	.finish = sink_null_finish,
	.close = sink_null_close,
};
