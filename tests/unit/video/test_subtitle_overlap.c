/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards video/subtitle_overlap: at each time the pieces show what the subtitles show, in the order in which they began, however far the limit has
 * come; pieces do not overlap; one without an end stays until the next one begins; more than there is room for are left out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <libavutil/avstring.h>
#include <libavutil/mem.h>

#include "base/rng.h"
#include "video/subtitle_overlap.h"

#define EVENTS 40
#define LENGTH 120

static bool add(struct vrs_subtitle_overlap *overlap, const char *text, int64_t begin, int64_t end)
{
	AVSubtitle subtitle = {.num_rects = 1, .rects = av_mallocz(sizeof(AVSubtitleRect *))};
	subtitle.rects[0] = av_mallocz(sizeof(AVSubtitleRect));
	subtitle.rects[0]->type = SUBTITLE_ASS;
	subtitle.rects[0]->ass = av_strdup(text);
	bool added = vrs_subtitle_overlap_add(overlap, &subtitle, begin, end);
	assert_null(subtitle.rects);
	return added;
}

/* The texts of all pieces into shown[time]; the next piece begins at or after `now`, which is returned. */
static int64_t take(struct vrs_subtitle_overlap *overlap, int64_t limit, int64_t now, char shown[LENGTH][4 * EVENTS])
{
	struct vrs_shown_subtitle piece;

	while (vrs_subtitle_overlap_next(overlap, limit, &piece) == 1) {
		assert_true(piece.begin >= now && piece.end > piece.begin && piece.end <= LENGTH && piece.end <= limit);
		for (int64_t t = piece.begin; t < piece.end; t++)
			for (unsigned i = 0; i < piece.subtitle.num_rects; i++)
				(void)av_strlcat(shown[t], piece.subtitle.rects[i]->ass, sizeof shown[t]);
		now = piece.end;
		avsubtitle_free(&piece.subtitle);
	}
	return now;
}

static void what_is_shown_stays(void **state)
{
	struct vrs_rng rng;
	(void)state;
	vrs_rng_init(&rng, 5);
	for (int round = 0; round < 200; round++) {
		static char shown[LENGTH][4 * EVENTS], wanted[LENGTH][4 * EVENTS];
		struct vrs_subtitle_overlap overlap;
		int64_t begin = 0, now = 0;
		vrs_subtitle_overlap_init(&overlap);
		memset(shown, 0, sizeof shown);
		memset(wanted, 0, sizeof wanted);
		for (int i = 0; i < EVENTS && begin < LENGTH - 1; i++) {
			int64_t end = begin + 1 + vrs_rng_next(&rng) % 20;
			const char text[] = {(char)('!' + i), 0};
			end = end < LENGTH ? end : LENGTH;
			assert_true(add(&overlap, text, begin, end));
			for (int64_t t = begin; t < end; t++) {
				if (wanted[t][0])
					(void)av_strlcat(wanted[t], "\\N", sizeof wanted[t]);
				(void)av_strlcat(wanted[t], text, sizeof wanted[t]);
			}
			begin += vrs_rng_next(&rng) % 6;
			now = take(&overlap, begin, now, shown);
		}
		(void)take(&overlap, INT64_MAX, now, shown);
		for (int t = 0; t < LENGTH; t++)
			assert_string_equal(shown[t], wanted[t]);
		assert_int_equal(overlap.count, 0);
		vrs_subtitle_overlap_fini(&overlap);
	}
}

static void one_without_an_end(void **state)
{
	struct vrs_subtitle_overlap overlap;
	struct vrs_shown_subtitle piece;
	(void)state;
	vrs_subtitle_overlap_init(&overlap);
	assert_true(add(&overlap, "a", 10, VRS_SUBTITLE_NO_END));
	assert_int_equal(vrs_subtitle_overlap_next(&overlap, 1000, &piece), 0);
	assert_true(add(&overlap, "b", 50, VRS_SUBTITLE_NO_END));
	assert_int_equal(vrs_subtitle_overlap_next(&overlap, 50, &piece), 1);
	assert_true(piece.begin == 10 && piece.end == 50 && piece.subtitle.num_rects == 1);
	avsubtitle_free(&piece.subtitle);
	assert_int_equal(vrs_subtitle_overlap_next(&overlap, INT64_MAX, &piece), 1);
	assert_true(piece.begin == 50 && piece.end == VRS_SUBTITLE_NO_END);
	avsubtitle_free(&piece.subtitle);
	assert_int_equal(vrs_subtitle_overlap_next(&overlap, INT64_MAX, &piece), 0);
}

/* What comes behind its own time is shown for the rest of it. */
static void a_late_one(void **state)
{
	static char shown[LENGTH][4 * EVENTS];
	struct vrs_subtitle_overlap overlap;
	(void)state;
	vrs_subtitle_overlap_init(&overlap);
	assert_true(add(&overlap, "a", 10, 20));
	int64_t now = take(&overlap, 20, 0, shown);
	assert_true(add(&overlap, "b", 15, 25));
	assert_true(add(&overlap, "c", 12, 18));
	(void)take(&overlap, INT64_MAX, now, shown);
	assert_string_equal(shown[19], "a");
	assert_string_equal(shown[20], "b");
	assert_string_equal(shown[25], "");
	assert_int_equal(overlap.count, 0);
}

static void too_many(void **state)
{
	struct vrs_subtitle_overlap overlap;
	(void)state;
	vrs_subtitle_overlap_init(&overlap);
	for (int i = 0; i < VRS_SUBTITLES_AT_ONCE; i++)
		assert_true(add(&overlap, "a", i, 1000));
	assert_false(add(&overlap, "b", 100, 1000));
	vrs_subtitle_overlap_fini(&overlap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_shown_stays), cmocka_unit_test(one_without_an_end), cmocka_unit_test(a_late_one),
					   cmocka_unit_test(too_many)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
