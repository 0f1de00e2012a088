/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/input_end.h"

#include <string.h>

#include <libavutil/opt.h>

#include "video/av_support.h"
#include "video/avi_end.h"

#define AVI_HEAD_BYTES 8   /* of the index, as of a dropped frame, */
#define AVI_ENTRY_BYTES 16 /* and of each of its entries; */
#define AVI_MOST_REST 4096 /* of what else stands behind the pictures */
#define SLACK_FRAMES 3 /* decoders may hold time stamps for pictures that come later */

/* A recording of MPEG does, and so do those that a playlist names; the playlist itself is at its end from the beginning on. */
static bool ends_anywhere(const AVFormatContext *demuxer)
{
	static const char *const names[] = {"mpegts", "mpeg", "hls", "dash", "imf"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(demuxer->iformat->name, names[i]) == 0)
			return true;
	return false;
}

static bool is_avi(const AVFormatContext *demuxer)
{
	return strcmp(demuxer->iformat->name, "avi") == 0;
}

static bool can_seek(const AVFormatContext *demuxer)
{
	return demuxer->pb && (demuxer->pb->seekable & AVIO_SEEKABLE_NORMAL);
}

/* The connection that gives the demuxer its bytes; those of a playlist's segments are its own. */
static bool is_connection(const AVFormatContext *demuxer, const void *connection)
{
	AVIOContext *bytes = demuxer->pb;

	return connection && bytes && bytes->av_class && av_opt_child_next(bytes, NULL) == connection;
}

/*
 * Behind the end that the server has stated, where FFmpeg asks for nothing: the connection is left in a chunk that is not the last one.  The index of
 * an AVI file is passed so.
 */
static bool is_at_stated_end(const AVFormatContext *demuxer)
{
	int64_t size = avio_size(demuxer->pb);

	return size > 0 && avio_tell(demuxer->pb) >= size;
}

/* What FFmpeg has said since the last call; all of it is of this thread. */
static struct vrs_av_said take_said(struct vrs_input_end *end, const AVFormatContext *demuxer)
{
	struct vrs_av_said said = vrs_av_take_said(end->list);

	end->lost += said.lost;
	end->no_length |= said.no_length;
	end->needs_farewell &= !said.farewell;
	if (is_connection(demuxer, said.connection))
		end->in_chunks = said.in_chunks;
	return said;
}

void vrs_input_end_init(struct vrs_input_end *end, const AVFormatContext *demuxer, AVStream *stream, const char *path)
{
	int list = strcmp(demuxer->iformat->name, "hls") == 0 ? stream->id : -1;
	int count = avformat_index_get_entries_count(stream);

	/* a recording of RTSP has a length, which players know the end by */
	*end = (struct vrs_input_end){.list = list, .needs_farewell = strcmp(demuxer->iformat->name, "rtsp") == 0 && demuxer->duration <= 0};
	end->is_cut = take_said(end, demuxer).cut && !ends_anywhere(demuxer); /* a short input has been read to its end already */
	if (count > 0 && is_avi(demuxer) && can_seek(demuxer) && vrs_avi_is_whole(path, avio_size(demuxer->pb)))
		end->index_end = avformat_index_get_entry(stream, count - 1)->timestamp + 1;
}

void vrs_input_end_sought(struct vrs_input_end *end, const AVFormatContext *demuxer)
{
	(void)take_said(end, demuxer);
}

bool vrs_input_end_is_whole(const struct vrs_input_end *end, int64_t last)
{
	/* without an index FFmpeg makes one of the pictures that it looked at when the file was opened */
	return end->has_index || (end->index_end > 0 && last >= end->index_end - SLACK_FRAMES && last <= end->index_end + SLACK_FRAMES);
}

/* The index of a pipe comes first, or with each fragment, and says where packets lie that are to come. */
static bool index_goes_on(const AVFormatContext *demuxer, int64_t size)
{
	for (unsigned i = 0; i < demuxer->nb_streams; i++) {
		int count = avformat_index_get_entries_count(demuxer->streams[i]);
		const AVIndexEntry *last = count > 0 ? avformat_index_get_entry(demuxer->streams[i], count - 1) : NULL;

		if (last && last->pos + last->size > size)
			return true;
	}
	return false;
}

/* As many bytes as its entries have follow the last packet, but not as many as a copy has that was filled up with zeros. */
static bool has_index_behind(const AVFormatContext *demuxer, int64_t bytes, int64_t packets)
{
	int64_t pictures = 0;

	for (unsigned i = 0; i < demuxer->nb_streams; i++)
		if (demuxer->streams[i]->codecpar->codec_type == AVMEDIA_TYPE_VIDEO)
			pictures = FFMAX(pictures, demuxer->streams[i]->nb_frames);
	return pictures > 0 && pictures <= INT32_MAX && bytes >= AVI_HEAD_BYTES + AVI_ENTRY_BYTES * pictures &&
	       bytes <= AVI_MOST_REST + AVI_ENTRY_BYTES * packets + (AVI_ENTRY_BYTES + AVI_HEAD_BYTES) * pictures;
}

int vrs_input_end_note(struct vrs_input_end *end, const AVFormatContext *demuxer, const AVPacket *pkt, int rc)
{
	struct vrs_av_said said = take_said(end, demuxer);
	bool over = demuxer->pb && demuxer->pb->eof_reached;
	bool is_list = strcmp(demuxer->iformat->name, "concat") == 0; /* of MPEG-TS, too, but what Matroska tells counts */

	rc = rc == AVERROR(EIO) && end->no_length ? AVERROR_EOF : rc;
	end->is_cut |= rc == AVERROR_EOF && over && end->in_chunks && !is_at_stated_end(demuxer);
	end->packets += rc >= 0;
	if (rc >= 0 && pkt->pos >= 0)
		end->packet_end = FFMAX(end->packet_end, pkt->pos + pkt->size);
	if (!over || ends_anywhere(demuxer))
		return rc;
	end->is_cut |= said.cut || (rc >= 0 && !is_list && (pkt->flags & AV_PKT_FLAG_CORRUPT));
	if (rc != AVERROR_EOF)
		return rc;
	int64_t size = avio_tell(demuxer->pb);

	/* FFmpeg drops half a picture here; behind whole ones there is nothing */
	if (strcmp(demuxer->iformat->name, "yuv4mpegpipe") == 0 && size > end->packet_end)
		end->is_cut = true;
	if (!can_seek(demuxer) && index_goes_on(demuxer, size))
		end->is_cut = true;
	if (!can_seek(demuxer) && is_avi(demuxer))
		end->has_index = has_index_behind(demuxer, size - end->packet_end, end->packets);
	return rc;
}
