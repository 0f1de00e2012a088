/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/packet_history.h"

#include <string.h>

#include <libavformat/avformat.h>

#include "base/mem.h"
#include "video/av_seek.h"

#define LEAST_BYTES (INT64_C(4) << 20)
#define MOST_BYTES (INT64_C(64) << 20)
#define UNKNOWN_BYTES (INT64_C(32) << 20) /* where no bit rate is stated */
#define SECONDS 10                        /* key frames are closer than this in nearly all videos */
#define KEYS 2

uint64_t vrs_packet_history_limit(AVFormatContext *demuxer, const AVStream *stream)
{
	int64_t rate = stream->codecpar->bit_rate > 0 ? stream->codecpar->bit_rate : demuxer->bit_rate;
	int64_t size = demuxer->pb && !vrs_av_opens_its_own(demuxer) ? avio_size(demuxer->pb) : 0;
	int64_t bytes = rate <= 0 ? UNKNOWN_BYTES : rate / 8 > MOST_BYTES / SECONDS ? MOST_BYTES : rate / 8 * SECONDS;

	if (stream->codecpar->codec_id == AV_CODEC_ID_RAWVIDEO) /* nothing to conceal */
		return 0;
	bytes = bytes < LEAST_BYTES ? LEAST_BYTES : bytes;
	return (uint64_t)(size > 0 && size < bytes ? size : bytes);
}

static void drop_first(struct vrs_packet_history *history, int count)
{
	if (count == 0)
		return;
	for (int i = 0; i < count; i++) {
		history->bytes -= (uint64_t)history->entries[i].packet->size;
		av_packet_free(&history->entries[i].packet);
	}
	history->count -= count;
	history->first += count;
	memmove(history->entries, history->entries + count, (size_t)history->count * sizeof *history->entries);
}

void vrs_packet_history_clear(struct vrs_packet_history *history)
{
	drop_first(history, history->count);
	vrs_free(history->entries);
	history->entries = NULL;
	history->room = 0;
	history->next = history->latest = history->first;
}

/* Where another decoder would begin; 0 where no key frame is known. */
static int start_of(const struct vrs_packet_history *history)
{
	int keys = history->bytes > history->limit_bytes / 8 * 3 ? 1 : KEYS; /* from here on one has to do */
	int64_t at = history->latest - history->first;

	at = at < history->count ? at : history->count - 1;
	while (at >= 0) {
		at = history->entries[at].key - history->first;
		if (at >= 0 && --keys == 0)
			return (int)at;
		at--;
	}
	return 0;
}

static bool grow(struct vrs_packet_history *history)
{
	int room = history->room ? 2 * history->room : 64;
	struct vrs_history_entry *entries;

	if (history->count < history->room)
		return true;
	entries = vrs_realloc_array(history->entries, (size_t)room, sizeof *entries);
	if (!entries)
		return false;
	history->entries = entries;
	history->room = room;
	return true;
}

void vrs_packet_history_add(struct vrs_packet_history *history, const AVPacket *packet)
{
	AVPacket *kept = history->limit_bytes > 0 && grow(history) ? av_packet_clone(packet) : NULL;
	int64_t number = history->first + history->count;

	if (kept) {
		int64_t key = kept->flags & AV_PKT_FLAG_KEY ? number : history->count > 0 ? history->entries[history->count - 1].key : -1;

		history->entries[history->count++] = (struct vrs_history_entry){.packet = kept, .key = key};
		history->bytes += (uint64_t)kept->size;
		drop_first(history, start_of(history));
	}
	if (!kept || history->bytes > history->limit_bytes) {
		drop_first(history, history->count);
		history->first = number + 1;
	}
	history->next = history->first + history->count;
}

bool vrs_packet_history_reaches(const struct vrs_packet_history *history)
{
	return history->count > 0 && history->first <= history->latest &&
	       (history->first == 0 || (history->entries[0].packet->flags & AV_PKT_FLAG_KEY));
}

void vrs_packet_history_restart(struct vrs_packet_history *history)
{
	drop_first(history, start_of(history));
	for (int i = 0; i < history->count; i++) {
		history->entries[i].skip += history->entries[i].taken; /* also those that the decoder before has not come to again */
		history->entries[i].taken = 0;
	}
	history->next = history->first;
}

const AVPacket *vrs_packet_history_next(struct vrs_packet_history *history, int64_t *ret_number)
{
	int64_t at = history->next - history->first;

	*ret_number = history->next;
	if (at >= history->count)
		return NULL;
	history->next++;
	return history->entries[at].packet;
}

bool vrs_packet_history_take(struct vrs_packet_history *history, int64_t number)
{
	int64_t at = number - history->first;

	if (number >= history->latest)
		history->latest = number + 1;
	if (at < 0 || at >= history->count)
		return true;
	struct vrs_history_entry *entry = &history->entries[at];

	entry->taken++;
	return entry->skip == 0 || entry->skip-- == 0;
}
