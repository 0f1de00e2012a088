/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * "hash:FILE" or "hash:-": one line per frame, "INDEX PTS HASH", with the 64-bit hash (base/hash.h) of the visible samples of all planes in
 * order, row by row: the same for any stride or alignment.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "video/sink_kind.h"
#include "video/sink_target.h"

#define PREFIX "hash:"

struct sink_hash {
	struct vrs_sink base;
	struct vrs_sink_target target;
	FILE *file;
	bool to_stdout;
};

static bool sink_hash_takes(const char *target)
{
	return strncmp(target, PREFIX, strlen(PREFIX)) == 0;
}

static enum vrs_status fail_write(const struct sink_hash *sink, struct vrs_error *err)
{
	return vrs_file_fail_write(err, sink->to_stdout ? "standard output" : sink->target.path, errno);
}

static enum vrs_status sink_hash_open(struct vrs_sink *base, const char *target, const struct vrs_sink_options *options, struct vrs_source *source,
				      struct vrs_error *err)
{
	struct sink_hash *sink = (struct sink_hash *)base;
	const char *path = target + strlen(PREFIX);
	enum vrs_status status;

	sink->to_stdout = strcmp(path, "-") == 0;
	if (sink->to_stdout) {
		sink->file = stdout; /* libc: the user named it as the target */
		return VRS_OK;
	}
	status = vrs_sink_target_open(&sink->target, path, options, source, err);
	if (status != VRS_OK)
		return status;
	sink->file = sink->target.direct ? fopen(sink->target.path, "we") : vrs_temp_file_stream(&sink->target.temp, "w");
	return sink->file ? VRS_OK : fail_write(sink, err);
}

static uint64_t hash_frame(const struct vrs_frame *frame)
{
	uint64_t hash = VRS_HASH_INIT;

	for (int p = 0; p < frame->format.planes; p++) {
		size_t row_bytes = (size_t)vrs_plane_width(&frame->format, p) * (size_t)vrs_sample_bytes(&frame->format);

		for (int y = 0; y < vrs_plane_height(&frame->format, p); y++)
			hash = vrs_hash(hash, frame->data[p] + y * frame->stride_bytes[p], row_bytes);
	}
	return hash;
}

static enum vrs_status sink_hash_write(struct vrs_sink *base, struct vrs_frame *frame, struct vrs_error *err)
{
	struct sink_hash *sink = (struct sink_hash *)base;
	int rc = fprintf(sink->file, "%" PRId64 " %" PRId64 " %016" PRIx64 "\n", frame->index, frame->pts, hash_frame(frame));

	vrs_frame_unref(frame);
	return rc < 0 ? fail_write(sink, err) : VRS_OK;
}

static enum vrs_status sink_hash_finish(struct vrs_sink *base, struct vrs_error *err)
{
	struct sink_hash *sink = (struct sink_hash *)base;
	FILE *file = sink->file;
	int rc;

	sink->file = NULL;
	rc = sink->to_stdout ? fflush(file) : fclose(file);
	if (rc != 0)
		return fail_write(sink, err);
	return sink->to_stdout ? VRS_OK : vrs_sink_target_commit(&sink->target, err);
}

static void sink_hash_close(struct vrs_sink *base)
{
	struct sink_hash *sink = (struct sink_hash *)base;

	if (sink->file && !sink->to_stdout)
		(void)fclose(sink->file); /* not finished: the file goes away */
	vrs_sink_target_discard(&sink->target);
}

const struct vrs_sink_kind vrs_sink_hash_kind = {
	.state_size = sizeof(struct sink_hash),
	.is_virtual = true,
	.takes = sink_hash_takes,
	.open = sink_hash_open,
	.write = sink_hash_write,
	.finish = sink_hash_finish,
	.close = sink_hash_close,
};
