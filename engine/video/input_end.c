/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/input_end.h"

#include <string.h>

#include "video/av_support.h"

/* A recording of MPEG-TS does, and so do those that a playlist names; the playlist itself is at its end from the beginning on. */
static bool ends_anywhere(const AVFormatContext *demuxer)
{
	static const char *const names[] = {"mpegts", "hls", "dash", "imf"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(demuxer->iformat->name, names[i]) == 0)
			return true;
	return false;
}

void vrs_input_end_init(struct vrs_input_end *end, const AVFormatContext *demuxer)
{
	bool told = vrs_av_took_cut_line();

	*end = (struct vrs_input_end){.is_cut = told && !ends_anywhere(demuxer)}; /* a short input has been read to its end already */
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

void vrs_input_end_note(struct vrs_input_end *end, const AVFormatContext *demuxer, const AVPacket *pkt, int rc)
{
	bool over = demuxer->pb && demuxer->pb->eof_reached, told = vrs_av_took_cut_line();
	bool is_list = strcmp(demuxer->iformat->name, "concat") == 0; /* of MPEG-TS, too, but what Matroska tells counts */

	if (rc >= 0 && pkt->pos >= 0)
		end->packet_end = pkt->pos + pkt->size;
	if (!over || ends_anywhere(demuxer))
		return;
	end->is_cut |= told || (rc >= 0 && !is_list && (pkt->flags & AV_PKT_FLAG_CORRUPT));
	if (rc != AVERROR_EOF)
		return;
	int64_t size = avio_tell(demuxer->pb);

	/* FFmpeg drops half a picture here; behind whole ones there is nothing */
	if (strcmp(demuxer->iformat->name, "yuv4mpegpipe") == 0 && size > end->packet_end)
		end->is_cut = true;
	if (!(demuxer->pb->seekable & AVIO_SEEKABLE_NORMAL) && index_goes_on(demuxer, size))
		end->is_cut = true;
}
