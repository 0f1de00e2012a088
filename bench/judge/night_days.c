/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/judge/night_days.h"

static const int64_t day_seconds = 86400;

/* The latest time that is believed. */
static int64_t find_limit(const int64_t *times, int count, int64_t now)
{
	int later = 0;
	for (int i = 0; i < count; i++)
		later += times[i] - day_seconds > now;
	return 2 * later > count ? INT64_MAX : now + day_seconds;
}

/* The first of `length` chain ends that is later than time. */
static int find_end(const int64_t *times, const int *ends, int length, int64_t time)
{
	int low = 0, high = length;
	while (low < high) {
		int middle = low + (high - low) / 2;
		if (times[ends[middle]] > time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/*
 * The longest chain of nights whose times ascend (patience sorting): ends[k] is the night with which the earliest chain of k + 1 nights ends,
 * before[i] the one before night i.  Returns the last night of it, -1: there is none.
 */
static int find_chain(const int64_t *times, int count, int64_t limit, int *ends, int *before)
{
	int length = 0;
	for (int i = 0; i < count; i++) {
		if (times[i] > limit)
			continue;
		int k = find_end(times, ends, length, times[i]);
		before[i] = k > 0 ? ends[k - 1] : -1;
		ends[k] = i;
		length += k == length;
	}
	return length > 0 ? ends[length - 1] : -1;
}

/* Nights between two that are in step; left -1 or right count: there is none on that side. */
static void fill(const int64_t *times, int left, int right, int count, struct vrs_night_day *days)
{
	for (int i = left + 1; i < right; i++) {
		int64_t own = times[i] / day_seconds, span = left >= 0 && right < count ? days[right].day - days[left].day : 0;
		days[i].day = left >= 0 ? days[left].day + span * (i - left) / (right - left) : days[right].day;
		days[i].stray = own < days[i].day - 1 || own > days[i].day + 1;
	}
}

static void shorten_pauses(struct vrs_night_day *days, int count)
{
	int64_t before = count > 0 ? days[0].day : 0, cut = 0;
	for (int i = 1; i < count; i++) {
		int64_t pause = days[i].day - before;
		before = days[i].day;
		cut += pause > VRS_NIGHT_MOST_PAUSE ? pause - VRS_NIGHT_MOST_PAUSE : 0;
		days[i].day -= cut;
	}
}

enum vrs_status vrs_night_days(const int64_t *times, int count, int64_t now, struct vrs_arena *arena, struct vrs_night_day *ret)
{
	int *ends = vrs_arena_calloc(arena, (size_t)count + 1, sizeof *ends), *before = vrs_arena_calloc(arena, (size_t)count + 1, sizeof *before);
	if (!ends || !before)
		return VRS_ENOMEM;
	int right = count;
	for (int i = find_chain(times, count, find_limit(times, count, now), ends, before); i >= 0; i = before[i]) {
		ret[i] = (struct vrs_night_day){.day = times[i] / day_seconds};
		fill(times, i, right, count, ret);
		right = i;
	}
	if (right < count)
		fill(times, -1, right, count, ret);
	shorten_pauses(ret, count);
	return VRS_OK;
}
