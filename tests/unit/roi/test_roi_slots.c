/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards who keeps which slot: people who are looked at where they were a frame before, in whatever order their regions come; those whom a region
 * names, wherever they are; newcomers get free slots; who leaves gives theirs back; and two never have one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "roi/roi_slots.h"

static const struct vrs_rect left = {0, 0, 100, 200}, right = {300, 0, 100, 200}, middle = {150, 20, 120, 180};

static struct vrs_regions regions_at(int count, const struct vrs_rect *a, const struct vrs_rect *b, const struct vrs_rect *c)
{
	struct vrs_regions regions = {.count = count, .rect = {*a}};
	if (b)
		regions.rect[1] = *b;
	if (c)
		regions.rect[2] = *c;
	return regions;
}

static struct vrs_rect moved(const struct vrs_rect *rect, int x)
{
	return (struct vrs_rect){rect->x + x, rect->y, rect->width, rect->height};
}

static void test_people_keep_theirs(void **state)
{
	(void)state;
	struct vrs_roi_slots slots = {.count = 3};
	struct vrs_regions both = regions_at(2, &left, &right, NULL);
	int slot[VRS_REGIONS_MAX], first[VRS_REGIONS_MAX];
	vrs_roi_slots_assign(&slots, &both, first);
	assert_int_not_equal(first[0], first[1]);
	assert_int_equal(vrs_roi_slots_settle(&slots, &both, first), 1 << first[0] | 1 << first[1] | 1 << 2);
	uint32_t who[2] = {both.who[0], both.who[1]};
	assert_true(who[0] && who[1] && who[0] != who[1]);
	/* both move, and are found anew in another order, with somebody between them */
	struct vrs_rect a = moved(&left, 30), b = moved(&right, -40);
	struct vrs_regions later = regions_at(3, &b, &middle, &a);
	vrs_roi_slots_assign(&slots, &later, slot);
	assert_int_equal(slot[2], first[0]);
	assert_int_equal(slot[0], first[1]);
	assert_int_equal(slot[1], 2);
	assert_true(later.who[2] == who[0] && later.who[0] == who[1] && later.who[1] != who[0] && later.who[1] != who[1]);
	assert_int_equal(vrs_roi_slots_settle(&slots, &later, slot), 1 << 2);
	/* the one on the right leaves: the slot is free, and the next newcomer has it */
	struct vrs_regions two = regions_at(2, &a, &middle, NULL);
	vrs_roi_slots_assign(&slots, &two, slot);
	assert_int_equal(vrs_roi_slots_settle(&slots, &two, slot), 1 << first[1]);
	struct vrs_regions again = regions_at(3, &a, &middle, &right);
	vrs_roi_slots_assign(&slots, &again, slot);
	assert_int_equal(slot[2], first[1]);
	assert_true(again.who[2] != who[1]);
}

static void test_frames_are_assigned_more_than_once(void **state)
{
	(void)state;
	struct vrs_roi_slots slots = {.count = 2};
	struct vrs_regions one = regions_at(1, &left, NULL, NULL), other = regions_at(2, &left, &right, NULL);
	int slot[VRS_REGIONS_MAX];
	vrs_roi_slots_assign(&slots, &one, slot);
	(void)vrs_roi_slots_settle(&slots, &one, slot);
	int kept = slot[0];
	vrs_roi_slots_assign(&slots, &other, slot);
	struct vrs_regions last = regions_at(1, &left, NULL, NULL);
	vrs_roi_slots_assign(&slots, &last, slot);
	assert_int_equal(slot[0], kept);
	assert_int_equal(last.who[0], one.who[0]);
	assert_int_equal(vrs_roi_slots_settle(&slots, &last, slot), 1 << !kept); /* free as before */
}

static void test_names_count(void **state)
{
	(void)state;
	struct vrs_roi_slots slots = {.count = 2};
	struct vrs_regions first = regions_at(2, &left, &right, NULL), crossed = regions_at(2, &left, &right, NULL);
	int before[VRS_REGIONS_MAX], after[VRS_REGIONS_MAX];
	first.who[0] = 50;
	first.who[1] = 60;
	vrs_roi_slots_assign(&slots, &first, before);
	(void)vrs_roi_slots_settle(&slots, &first, before);
	crossed.who[0] = 60;
	crossed.who[1] = 50;
	vrs_roi_slots_assign(&slots, &crossed, after);
	assert_true(after[0] == before[1] && after[1] == before[0]);
	assert_int_equal(vrs_roi_slots_settle(&slots, &crossed, after), 0);
	/* somebody with another name has the slot of nobody who is there, though they stand at the same place */
	struct vrs_regions stranger = regions_at(2, &left, &right, NULL);
	stranger.who[0] = 70;
	stranger.who[1] = 50;
	vrs_roi_slots_assign(&slots, &stranger, after);
	assert_int_equal(after[1], before[0]);
	assert_int_equal(vrs_roi_slots_settle(&slots, &stranger, after), 1 << after[0]);
}

static void test_circles_close(void **state)
{
	(void)state;
	struct vrs_roi_slots slots = {.count = 2, .circle = 1000};
	const struct vrs_rect across = {950, 0, 100, 100}, behind = {10, 0, 100, 100};
	struct vrs_regions before = regions_at(1, &across, NULL, NULL), after = regions_at(1, &behind, NULL, NULL);
	int slot[VRS_REGIONS_MAX];
	vrs_roi_slots_assign(&slots, &before, slot);
	(void)vrs_roi_slots_settle(&slots, &before, slot);
	vrs_roi_slots_assign(&slots, &after, slot);
	assert_int_equal(after.who[0], before.who[0]);
}

static void test_scenes_end(void **state)
{
	(void)state;
	struct vrs_roi_slots slots = {.count = 1};
	struct vrs_regions one = regions_at(1, &left, NULL, NULL), same = one;
	int slot[VRS_REGIONS_MAX];
	vrs_roi_slots_assign(&slots, &one, slot);
	(void)vrs_roi_slots_settle(&slots, &one, slot);
	vrs_roi_slots_clear(&slots);
	vrs_roi_slots_assign(&slots, &same, slot);
	assert_int_not_equal(same.who[0], one.who[0]);
	assert_int_equal(vrs_roi_slots_settle(&slots, &same, slot), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_people_keep_theirs),
		cmocka_unit_test(test_frames_are_assigned_more_than_once),
		cmocka_unit_test(test_names_count),
		cmocka_unit_test(test_circles_close),
		cmocka_unit_test(test_scenes_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
