/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards the file that an input is named like: itself where it is one; of sequences, drawn clips and devices a name that nothing reads as more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <vrseg/output_file.h>

static void every_input_is_like_a_file(void **state)
{
	static const struct {
		const char *input, *like;
	} cases[] = {
		{"a/clip.mp4", "a/clip.mp4"}, {"clip", "clip"}, {"50%.mp4", "50%.mp4"}, {"co:l,on.mp4", "co:l,on.mp4"},
		{"a/p%03d.png", "p.mp4"}, {"a/p_%d.png", "p.mp4"}, {"a/p_%d_LR.png", "p__LR.mp4"}, {"%d", "pictures.mp4"}, {"a/b.c/%05d.png", "b.c.mp4"},
		{"a/p.v2.%d.png", "p.v2.mp4"}, {"a/p%d*.png", "p.mp4"}, {"a/x*y%d.png", "x_y.mp4"},
		{"a/*.png", "a.mp4"}, {"*.png", "pictures.mp4"}, {"../*.png", "pictures.mp4"}, {"/*.png", "pictures.mp4"}, {"a*/?.png", "pictures.mp4"},
		{"a/p[0-9]x.png", "px.mp4"}, {"a/p[0.png", "p_0.mp4"}, {"a:b/*.png", "a_b.mp4"},
		{"synth:", "synth.mp4"}, {"synth:64x64,sbs,fps=29.97", "synth_64x64_sbs_fps_29.97.mp4"}, {"synth:scene=a/b", "synth_scene_a_b.mp4"},
		{"/dev/null", "null.mp4"}, {"/dev/fd/63", "63.mp4"},
	};
	char like[VRS_PATH_MAX];
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_int_equal(vrs_output_like(like, sizeof like, cases[i].input, NULL), VRS_OK);
		assert_string_equal(like, cases[i].like);
	}
}

static void what_has_no_name_is_told(void **state)
{
	char like[VRS_PATH_MAX], longer[VRS_PATH_MAX + 8];
	struct vrs_error err;
	(void)state;
	assert_int_equal(vrs_output_like(like, sizeof like, "-", &err), VRS_ECONFIG);
	assert_int_equal(vrs_output_like(like, sizeof like, "/dev/stdin", &err), VRS_ECONFIG);
	assert_int_equal(vrs_output_like(like, sizeof like, "UDP://127.0.0.1:9?a=b%d", &err), VRS_ECONFIG);
	assert_non_null(strstr(err.text, "has no name for its output"));
	memset(longer, 'x', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	assert_int_equal(vrs_output_like(like, sizeof like, longer, &err), VRS_ELIMIT);
	memcpy(longer, "synth:", 6);
	assert_int_equal(vrs_output_like(like, sizeof like, longer, &err), VRS_ELIMIT);
	assert_int_equal(vrs_output_like(like, 8, "a/p%d.png", &err), VRS_OK);
	assert_int_equal(vrs_output_like(like, 5, "a/p%d.png", &err), VRS_ELIMIT);
}

static void a_file_of_a_pattern_s_name_is_one(void **state)
{
	char folder[] = "/tmp/vrs-output-file-XXXXXX", path[64], like[VRS_PATH_MAX];
	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/p%%03d.mp4", folder);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(vrs_output_like(like, sizeof like, path, NULL), VRS_OK);
	assert_string_equal(like, path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_input_is_like_a_file),
		cmocka_unit_test(what_has_no_name_is_told),
		cmocka_unit_test(a_file_of_a_pattern_s_name_is_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
