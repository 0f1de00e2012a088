/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/packet_history.h"

#include <string.h>

#include "base/mem.h"

#define MOST_BYTES (INT64_C(128) << 20)
#define MANY_BYTES (INT64_C(48) << 20) /* from here on one key frame has to do */
#define KEYS 2

static void drop_first(struct vrs_packet_history *history, int count)
{
	for (int i = 0; i < count; i++) {
		history->bytes -= (uint64_t)history->entries[i].packet->size;
		av_packet_free(&history->entries[i].packet);
	}
	history->count -= count;
	history->first += count;
	if (history->count > 0)
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
	int keys = history->bytes > MANY_BYTES ? 1 : KEYS;
	int64_t at = history->latest - history->first;

	for (int i = at < history->count ? (int)at : history->count - 1; i >= 0; i--)
		if ((history->entries[i].packet->flags & AV_PKT_FLAG_KEY) && --keys == 0)
			return i;
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
	AVPacket *kept = grow(history) ? av_packet_clone(packet) : NULL;

	if (kept) {
		history->entries[history->count++] = (struct vrs_history_entry){.packet = kept};
		history->bytes += (uint64_t)kept->size;
		drop_first(history, start_of(history));
	}
	if (!kept || history->bytes > MOST_BYTES) {
		drop_first(history, history->count);
		history->first += !kept;
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
