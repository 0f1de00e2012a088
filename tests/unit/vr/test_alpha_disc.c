/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards discs of mattes with a side of one sample, on every instruction set: nothing beside the matte is read (it lies before an unreadable page, in
 * bytes that no matte has), and the disc is that of the matte with each of these samples doubled, which says the same.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernels/guarded.h"
#include "vr/alpha_disc.h"

#define HEIGHT 200 /* of the packed picture, and of an eye */

static struct vrs_alpha_disc *disc;
static uint16_t codes[3][256];

static void draw(struct vrs_frame *dst, const struct vrs_matte *matte)
{
	const struct vrs_rect view = {20, 30, 150, 140};
	memset(dst->data[0], 0, (size_t)dst->stride_bytes[0] * HEIGHT);
	vrs_alpha_disc_draw(disc, dst, HEIGHT, matte, &view, codes, false);
}

/* Samples of the disc that are not 0; -1: the discs differ. */
static int compare(const struct vrs_frame *a, const struct vrs_frame *b)
{
	int drawn = 0;
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < 2 * HEIGHT; x++) {
			uint8_t one = a->data[0][a->stride_bytes[0] * y + x];
			if (one != b->data[0][b->stride_bytes[0] * y + x])
				return -1;
			drawn += one > 0;
		}
	return drawn;
}

/* Is the disc of a matte of that size right? */
static bool is_right(int width, int height)
{
	const struct vrs_picture_format format = {.width = 2 * HEIGHT, .height = HEIGHT, .planes = 1, .bit_depth = 8};
	struct guarded thin = guarded_new((size_t)(width * height));
	int times_x = width == 1 ? 2 : 1, times_y = height == 1 ? 2 : 1, wide = width * times_x, high = height * times_y;
	uint8_t doubled[2 * 64 * 2];
	struct vrs_frame want, got;
	for (int i = 0; i < wide * high; i++) {
		int from = i / wide / times_y * width + i % wide / times_x;
		doubled[i] = thin.data[from] = (uint8_t)(255 - 7 * (from % 30));
	}
	if (vrs_frame_alloc(&want, &format) != VRS_OK || vrs_frame_alloc(&got, &format) != VRS_OK)
		return false;
	draw(&want, &(struct vrs_matte){.width = wide, .height = high, .stride = wide, .data = doubled});
	draw(&got, &(struct vrs_matte){.width = width, .height = height, .stride = width, .data = thin.data});
	int drawn = compare(&want, &got);
	guarded_free(&thin);
	vrs_frame_unref(&want);
	vrs_frame_unref(&got);
	return drawn > 500;
}

/* The instruction set is chosen once in a process: each has its own. */
static int check_with(const char *cpu)
{
	struct vrs_lens carrier, source;
	int wrong = 0;
	(void)signal(SIGSEGV, SIG_DFL); /* not cmocka's */
	if (cpu && setenv("VRSEG_CPU", cpu, 1))
		return 100;
	for (int a = 0; a < 256; a++)
		codes[0][a] = (uint16_t)a;
	if (vrs_lens_init(&carrier, VRS_PROJECTION_FISHEYE, 180, HEIGHT, HEIGHT, NULL) != VRS_OK ||
	    vrs_lens_init(&source, VRS_PROJECTION_HEQUIRECT, 180, HEIGHT, HEIGHT, NULL) != VRS_OK ||
	    vrs_alpha_disc_create(&disc, &carrier, &source, NULL) != VRS_OK)
		return 101;
	wrong += !is_right(1, 1);
	for (int n = 2; n <= 64; n++)
		wrong += !is_right(1, n) + !is_right(n, 1);
	vrs_alpha_disc_destroy(disc);
	return wrong < 100 ? wrong : 99;
}

static void test_thin_mattes(void **state)
{
	static const char *const cpus[] = {"ref", "avx2", NULL};
	(void)state;
	for (size_t i = 0; i < sizeof cpus / sizeof cpus[0]; i++) {
		int status = -1;
		pid_t child = fork();
		assert_true(child >= 0);
		if (child == 0)
			_exit(check_with(cpus[i]));
		assert_int_equal(waitpid(child, &status, 0), child);
		if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
			fail_msg("%s: %s %d", cpus[i] ? cpus[i] : "best", WIFEXITED(status) ? "wrong sizes:" : "signal",
				 WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_thin_mattes),
	};
	return cmocka_run_group_tests_name("alpha_disc", tests, NULL, NULL);
}
