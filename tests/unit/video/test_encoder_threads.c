/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards: the number of threads that is told to an encoder is the one that it chooses by itself on a machine with so many CPUs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "video/encoder_threads.h"

static void numbers(void **state)
{
	static const struct {
		const char *encoder;
		int width, height, cpus, threads;
	} rows[] = {
		{"libx264", 512, 384, 1, 1}, {"libx264", 512, 384, 2, 3}, {"libx264", 512, 384, 16, 12}, {"libx264", 3840, 1920, 16, 24},
		{"libx264", 64, 8, 8, 1}, {"libx264", 3840, 1920, 256, 60}, {"libx264", 7680, 4320, 256, 64}, {"libx264", 7680, 4320, 8, 8},
		{"libx265", 512, 384, 1, 1}, {"libx265", 512, 384, 4, 2}, {"libx265", 512, 384, 64, 6},
		{"mpeg4", 512, 384, 1, 1}, {"mpeg4", 512, 384, 2, 3}, {"mpeg4", 512, 384, 64, 16}, {"mpeg2video", 64, 32, 8, 3}, {"mpeg4", 64, 16, 8, 1},
		{"libvpx", 512, 384, 4, 4}, {"libvpx-vp9", 512, 384, 64, 16},
		{"ffv1", 512, 384, 1, 1}, {"png", 512, 384, 8, 0}, {"prores_ks", 512, 384, 8, 0}, {"no-such-encoder", 512, 384, 8, 0},
		{"libx264", 512, 384, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct vrs_picture_format format = {.width = rows[i].width, .height = rows[i].height,
			.planes = 3, .chroma_shift_x = 1, .chroma_shift_y = 1, .bit_depth = 8};
		int threads = vrs_encoder_own_threads(rows[i].encoder, &format, rows[i].cpus);

		if (threads != rows[i].threads)
			fail_msg("%s %dx%d, %d CPUs: %d threads", rows[i].encoder, rows[i].width, rows[i].height, rows[i].cpus, threads);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(numbers)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
