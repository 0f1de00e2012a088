/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The registry of sources, and the public functions, which check arguments and pass on. */
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "video/av_reader.h"
#include "video/hw_device.h"
#include "video/source_kind.h"

enum vrs_status vrs_source_open(struct vrs_source **ret_source, const char *path, const struct vrs_source_options *options, struct vrs_error *err)
{
	static const struct vrs_source_options usual;
	const struct vrs_source_kind *kind;
	struct vrs_source *source;
	enum vrs_status status;

	if (!options)
		options = &usual;
	if (!ret_source || !path || !path[0])
		return vrs_fail(err, VRS_EINVAL, "no input is named");
	if (options->threads < 0 || !(options->start_seconds >= 0 && options->start_seconds <= 1e9) ||
	    !(options->duration_seconds >= 0 && options->duration_seconds <= 1e9))
		return vrs_fail(err, VRS_EINVAL, "decoder threads, start and duration must not be negative");
	if (options->hwdecode && !vrs_hw_name_known(options->hwdecode))
		return vrs_fail(err, VRS_ECONFIG, "--hwdecode: FFmpeg has no device \"%s\"; it takes auto, off, vaapi or cuda", options->hwdecode);
	if (options->raw_size[0] > 0 && !(options->raw_format && options->raw_format[0]))
		return vrs_fail(err, VRS_ECONFIG, "--raw-size is for raw video: give its pixel format too, --raw-format yuv420p or another");
	kind = strncmp(path, "synth:", 6) == 0 ? &vrs_source_synth_kind : &vrs_source_av_kind;
	source = vrs_calloc(1, kind->state_size);
	if (!source)
		return vrs_fail_nomem(err);
	source->kind = kind;
	status = kind->open(source, path, options, err);
	if (status != VRS_OK) {
		vrs_source_close(source);
		return status;
	}
	*ret_source = source;
	return VRS_OK;
}

const struct vrs_source_info *vrs_source_info(const struct vrs_source *source)
{
	return &source->info;
}

void vrs_source_skip_unreferenced(struct vrs_source *source, bool leave_out)
{
	if (source->reader)
		vrs_frame_skip_unreferenced(&source->reader->skip_frames, source->reader->decoder, leave_out);
}

bool vrs_source_jump(struct vrs_source *source, int64_t ahead)
{
	struct vrs_av_reader *reader = source->reader;

	if (!reader || (reader->sets_pace && reader->skip_frames.keys < 2))
		return false;
	vrs_frame_skip_jump(&reader->skip_frames, reader->last_ts, reader->last_ts + ahead);
	return true;
}

void vrs_source_spare(struct vrs_source *source, uint64_t bytes)
{
	struct vrs_av_decoder_notes *notes = source->reader ? &source->reader->notes : NULL;

	if (!notes)
		return;
	if (notes->largest > notes->frame_bytes) /* the plan has what was decoded */
		notes->frame_bytes = notes->largest;
	notes->spare_bytes = bytes;
	vrs_packet_relay_bound(source->reader->relay, bytes);
}

double vrs_source_sample_aspect(const struct vrs_source_info *info)
{
	return (double)info->sar_num / info->sar_den;
}

uint64_t vrs_source_skipped(const struct vrs_source *source)
{
	return source->reader ? vrs_frame_skip_count(&source->reader->skip_frames) : 0;
}

bool vrs_source_is_pulled(const struct vrs_source *source)
{
	const AVFormatContext *demuxer = source->reader ? source->reader->demuxer : NULL;

	if (!demuxer || (strncasecmp(source->reader->name, "http://", 7) != 0 && strncasecmp(source->reader->name, "https://", 8) != 0))
		return false;
	return strcmp(demuxer->iformat->name, "hls") == 0 || strcmp(demuxer->iformat->name, "dash") == 0 ||
	       (demuxer->pb && avio_size(demuxer->pb) > 0);
}

uint64_t vrs_source_waited_ns(const struct vrs_source *source)
{
	return source->reader ? source->reader->waited_ns : 0;
}

enum vrs_status vrs_source_read(struct vrs_source *source, struct vrs_frame *ret_frame, struct vrs_error *err)
{
	return source->kind->read(source, ret_frame, err);
}

int64_t vrs_source_peek(struct vrs_source *source)
{
	return source->reader ? vrs_av_reader_peek(source->reader) : INT64_MIN;
}

enum vrs_status vrs_source_rewind(struct vrs_source *source, struct vrs_error *err)
{
	return source->kind->rewind(source, err);
}

void vrs_source_close(struct vrs_source *source)
{
	if (!source)
		return;
	source->kind->close(source);
	vrs_free(source);
}

enum vrs_status vrs_source_fail_start(const char *name, double start, struct vrs_error *err)
{
	if (start > 0)
		return vrs_fail(err, VRS_EFORMAT, "%s has no frame at %.10g s or later", name, start);
	return vrs_fail(err, VRS_EFORMAT, "%s has no frame", name);
}
