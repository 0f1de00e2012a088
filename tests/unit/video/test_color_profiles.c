/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards video/color_profiles: each picture has the profile that was noted for it, also where it is noted again after a rewind; one of more than a
 * segment of JPEG holds comes whole into a picture, and nothing into what is none; of more different ones than are kept the rest is left out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "video/color_profiles.h"

static struct vrs_color_profiles *profiles;

static int set_up(void **state)
{
	(void)state;
	return vrs_color_profiles_create(&profiles) != VRS_OK;
}

static int tear_down(void **state)
{
	(void)state;
	vrs_color_profiles_destroy(profiles);
	return 0;
}

static void note(int64_t index, const char *text)
{
	assert_int_equal(vrs_color_profiles_note(profiles, index, (const uint8_t *)text, text ? strlen(text) : 0), VRS_OK);
}

static void expect(int64_t index, const char *text)
{
	AVFrame *frame = av_frame_alloc();
	assert_int_equal(vrs_color_profiles_give(profiles, index, frame), VRS_OK);
	const AVFrameSideData *data = av_frame_get_side_data(frame, AV_FRAME_DATA_ICC_PROFILE);
	assert_true(text ? data && data->size == strlen(text) && memcmp(data->data, text, data->size) == 0 : !data);
	av_frame_free(&frame);
}

static void each_has_its_own(void **state)
{
	static const char *const texts[] = {NULL, "one", "one", "other", NULL, "one"};
	int count = sizeof texts / sizeof texts[0];
	(void)state;
	expect(0, NULL);
	assert_false(vrs_color_profiles_any(profiles));
	for (int i = 0; i < count; i++)
		note(i, texts[i]);
	for (int i = 0; i < count; i++)
		note(i, texts[i]);
	for (int i = count - 1; i >= 0; i--)
		expect(i, texts[i]);
	assert_true(vrs_color_profiles_any(profiles));
}

static void too_many(void **state)
{
	(void)state;
	for (int i = 0; i <= VRS_MOST_PROFILES; i++)
		note(i, (const char[]){(char)(' ' + i), 0});
	note(VRS_MOST_PROFILES + 1, " ");
	expect(VRS_MOST_PROFILES - 1, (const char[]){' ' + VRS_MOST_PROFILES - 1, 0});
	expect(VRS_MOST_PROFILES, NULL);
	expect(VRS_MOST_PROFILES + 1, " ");
}

static void in_jpeg(void **state)
{
	enum { BYTES = 70000, FIRST = 65519, HEADS = 2 * 18 };
	static const uint8_t picture[] = {0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xd9};
	static uint8_t profile[BYTES];
	AVPacket *packet = av_packet_alloc();
	(void)state;
	for (int i = 0; i < BYTES; i++)
		profile[i] = (uint8_t)(i % 251);
	assert_int_equal(vrs_color_profiles_note(profiles, 0, profile, BYTES), VRS_OK);
	assert_int_equal(av_new_packet(packet, sizeof picture), 0);
	memset(packet->data, 0, sizeof picture);
	assert_int_equal(vrs_color_profiles_give_jpeg(profiles, 0, packet), VRS_OK);
	assert_int_equal(packet->size, sizeof picture);
	memcpy(packet->data, picture, sizeof picture);
	assert_int_equal(vrs_color_profiles_give_jpeg(profiles, 0, packet), VRS_OK);
	assert_int_equal(packet->size, sizeof picture + BYTES + HEADS);
	assert_memory_equal(packet->data, picture, 8);
	assert_memory_equal(packet->data + 8, "\xff\xe2\xff\xffICC_PROFILE\0\1\2", 18);
	assert_memory_equal(packet->data + 26, profile, FIRST);
	assert_memory_equal(packet->data + 26 + FIRST + 18, profile + FIRST, BYTES - FIRST);
	assert_memory_equal(packet->data + packet->size - 2, picture + 8, 2);
	av_packet_free(&packet);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(each_has_its_own, set_up, tear_down),
					   cmocka_unit_test_setup_teardown(too_many, set_up, tear_down),
					   cmocka_unit_test_setup_teardown(in_jpeg, set_up, tear_down)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
