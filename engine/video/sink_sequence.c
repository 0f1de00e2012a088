/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * "name_%06d.png" and "png:FOLDER" (= FOLDER/%06d.png): one picture a frame, numbered from 0.  Each picture appears when it is complete.
 * Pictures hold no times and no sound: what plays them must know the frame rate.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vrseg/log.h>

#include "base/file.h"
#include "base/str_parse.h"
#include "video/av_encoder.h"
#include "video/image_codec.h"
#include "video/sink_kind.h"
#include "video/sink_target.h"

#define PREFIX "png:"
#define MOST_DIGITS 9

struct sink_sequence {
	struct vrs_sink base;
	char pattern[PATH_MAX];
	struct vrs_av_encoder encoder;
	int64_t made;                /* pictures written */
	bool overwrite, made_folder, finished;
	char folder[PATH_MAX];       /* that was made here */
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

static bool sink_sequence_takes(const char *target)
{
	if (strncmp(target, PREFIX, strlen(PREFIX)) == 0)
		return true;
	return is_pattern(target) && vrs_image_has_extension(target);
}

static enum vrs_status name_of(const struct sink_sequence *sink, int64_t number, char *path, size_t size, struct vrs_error *err)
{
	const char *percent = strchr(sink->pattern, '%'), *rest = strchr(percent, 'd') + 1;
	int width = percent[1] == '0' ? percent[2] - '0' : 0;
	int n = snprintf(path, size, "%.*s%0*" PRId64 "%s", (int)(percent - sink->pattern), sink->pattern, width, number, rest);

	return n > 0 && (size_t)n < size ? VRS_OK : vrs_fail(err, VRS_ELIMIT, "the name %s is too long", sink->pattern);
}

/* png:FOLDER: the folder is made, and removed again if nothing comes of it. */
static enum vrs_status open_folder(struct sink_sequence *sink, const char *folder, struct vrs_error *err)
{
	enum vrs_status status = VRS_OK;

	if (!folder[0] || strchr(folder, '%'))
		return vrs_fail(err, VRS_ECONFIG, "png: needs the name of a folder without %%, as in png:pictures");
	if (!vrs_path_exists(folder)) {
		status = vrs_mkdirs(folder, err);
		sink->made_folder = status == VRS_OK;
		if (!vrs_strcpy(sink->folder, sizeof sink->folder, folder))
			return vrs_fail(err, VRS_ELIMIT, "the name of the output is too long");
	} else if (!vrs_path_is_dir(folder)) {
		return vrs_fail(err, VRS_ECONFIG, "%s is not a folder; png: writes pictures into one", folder);
	}
	return status != VRS_OK ? status : vrs_path_join(sink->pattern, sizeof sink->pattern, folder, "%06d.png");
}

static enum vrs_status sink_sequence_open(struct vrs_sink *base, const char *target, const struct vrs_sink_options *options,
					  struct vrs_source *source, struct vrs_error *err)
{
	struct sink_sequence *sink = (struct sink_sequence *)base;
	struct vrs_sink_target first;
	struct vrs_sink_options own;
	const AVCodec *codec;
	char path[PATH_MAX];
	enum vrs_status status = VRS_OK;

	sink->overwrite = options->overwrite;
	if (strncmp(target, PREFIX, strlen(PREFIX)) == 0)
		status = open_folder(sink, target + strlen(PREFIX), err);
	else if (!vrs_strcpy(sink->pattern, sizeof sink->pattern, target))
		status = vrs_fail(err, VRS_ELIMIT, "the name of the output is too long");
	if (status == VRS_OK)
		status = name_of(sink, 0, path, sizeof path, err);
	if (status == VRS_OK) /* for its checks alone; nothing is made */
		status = vrs_sink_target_open(&first, path, options->overwrite, source, err);
	if (status == VRS_OK)
		status = vrs_image_codec_choose(&codec, &own, path, options, err);
	if (status != VRS_OK)
		return status;
	own.fps_num = options->fps_num > 0 ? options->fps_num : 1;
	return vrs_av_encoder_open(&sink->encoder, codec, &own, false, 0, err);
}

static enum vrs_status on_packet(void *cookie, AVPacket *pkt, struct vrs_error *err)
{
	struct sink_sequence *sink = cookie;
	char path[PATH_MAX];
	enum vrs_status status = name_of(sink, sink->made, path, sizeof path, err);

	if (status == VRS_OK && sink->made > 0 && !sink->overwrite && vrs_path_exists(path))
		return vrs_fail(err, VRS_EEXIST, "%s already exists; use --overwrite to replace it", path);
	if (status == VRS_OK)
		status = vrs_file_replace(path, pkt->data, (size_t)pkt->size, err);
	if (status == VRS_OK)
		sink->made++;
	return status;
}

static enum vrs_status sink_sequence_write(struct vrs_sink *base, struct vrs_frame *frame, struct vrs_error *err)
{
	struct sink_sequence *sink = (struct sink_sequence *)base;

	if (frame->pts == INT64_MIN)
		frame->pts = base->frames;
	return vrs_av_encoder_write(&sink->encoder, frame, on_packet, sink, err);
}

/* Pictures of a longer sequence that this one replaces. */
static void remove_rest(struct sink_sequence *sink)
{
	char path[PATH_MAX];

	for (int64_t i = sink->made; sink->overwrite && !name_of(sink, i, path, sizeof path, NULL); i++)
		if (unlink(path) < 0)
			return;
}

static enum vrs_status sink_sequence_finish(struct vrs_sink *base, struct vrs_error *err)
{
	struct sink_sequence *sink = (struct sink_sequence *)base;
	enum vrs_status status = vrs_av_encoder_write(&sink->encoder, NULL, on_packet, sink, err);

	if (status != VRS_OK)
		return status;
	remove_rest(sink);
	sink->finished = true;
	return VRS_OK;
}

static void sink_sequence_close(struct vrs_sink *base)
{
	struct sink_sequence *sink = (struct sink_sequence *)base;
	char path[PATH_MAX];

	vrs_av_encoder_close(&sink->encoder);
	for (int64_t i = 0; !sink->finished && i < sink->made; i++)
		if (!name_of(sink, i, path, sizeof path, NULL))
			(void)unlink(path); /* somebody else removed it: the same to us */
	if (!sink->finished && sink->made_folder)
		(void)rmdir(sink->folder); /* stays where others put something into it */
}

const struct vrs_sink_kind vrs_sink_sequence_kind = {
	.name = "sequence",
	.state_size = sizeof(struct sink_sequence),
	.takes = sink_sequence_takes,
	.open = sink_sequence_open,
	.write = sink_sequence_write,
	.finish = sink_sequence_finish,
	.close = sink_sequence_close,
};
