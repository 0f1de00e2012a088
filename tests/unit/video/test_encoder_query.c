/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the sentence about an encoder that does not exist: the name of a codec leads to an encoder of that codec, a typing error to the nearest one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "video/encoder_query.h"

static void names_of_codecs(void **state)
{
	static const char *const hints[][2] = {
		{"h264", "no encoder h264; did you mean libx264?"}, {"x264", "did you mean libx264?"}, {"hevc", "did you mean libx265?"},
		{"h265", "did you mean libx265?"}, {"libx246", "did you mean libx264?"}, {"nothing-like-it", "see --list-encoders"},
		{"aac", "aac is not a video encoder"},
	};
	const AVCodec *codec = NULL;
	(void)state;
	for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++) {
		struct vrs_error err = {.status = VRS_OK};
		assert_int_equal(vrs_encoder_find(&codec, hints[i][0], &err), VRS_ECONFIG);
		if (!strstr(err.text, hints[i][1]))
			fail_msg("%s: %s", hints[i][0], err.text);
	}
	assert_int_equal(vrs_encoder_find(&codec, "libx264", NULL), VRS_OK);
	assert_string_equal(codec->name, "libx264");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(names_of_codecs)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
