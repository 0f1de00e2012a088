/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: Robust Video Matting gives the values that ONNX Runtime gives (tests/golden/README.md) for alpha and foreground over four frames whose
 * states are fed back, on the reference and on the CPU backend at every instruction set level of this machine, fused or not.
 *
 * Without the network file (set-up puts it under share/vrseg/models) everything is skipped.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/backend/golden_picture.h"
#include "unit/isa_level.h"
#include "unit/roi/rvm_stream.h"

#define WIDTH 112
#define HEIGHT 144
#define STEP 3         /* of the stored rows and columns */
#define TOLERANCE 4e-5 /* 8e-6 are rounding of what is stored */

static const int shifts[] = {0, 24, 48, -40}; /* of the figure in each frame */
#define FRAMES (sizeof shifts / sizeof *shifts)
#define ROWS ((HEIGHT + STEP - 1) / STEP)
#define COLUMNS ((WIDTH + STEP - 1) / STEP)

static void read_stored(struct vrs_buf *file)
{
	struct vrs_error err = {0};

	if (vrs_file_read(VRS_TEST_DIR "/golden/rvm_112x144.u16", 1 << 20, file, &err) != VRS_OK)
		fail_msg("%s", err.text);
	assert_int_equal(file->len, FRAMES * ROWS * COLUMNS * 4 * 2);
}

/* Largest difference of red, green, blue and alpha to what is stored of a frame. */
static double compare(const struct vrs_tensor_view *fgr, const struct vrs_tensor_view *pha, const uint8_t *stored)
{
	double worst = 0;

	for (int y = 0; y < HEIGHT; y += STEP)
		for (int x = 0; x < WIDTH; x += STEP)
			for (int c = 0; c < 4; c++, stored += 2) {
				int at = y * WIDTH + x;
				double value = (double)(c < 3 ? fgr->data[at * 3 + c] : pha->data[at]);
				double d = fabs(value - (stored[0] | stored[1] << 8) / 65535.0);

				worst = d > worst || isnan(d) ? d : worst;
			}
	return worst;
}

/* All frames; prints and returns the largest difference. ret_isa: NULL, or what the session runs on. */
static double run_frames(const char *backend, bool fusion, int threads, const char **ret_isa)
{
	struct vrs_session_options options = vrs_session_options_default();
	struct rvm_network network;
	struct rvm_stream stream;
	struct vrs_buf file;
	double worst = 0;

	options.backend = backend;
	options.fusion = fusion;
	options.threads = threads;
	read_stored(&file);
	rvm_network_open(&network, WIDTH, HEIGHT);
	rvm_stream_open(&stream, &network, options);
	struct vrs_tensor_view fgr = rvm_tensor(stream.session, false, "fgr");
	assert_int_equal(fgr.elements, WIDTH * HEIGHT * 3);
	assert_int_equal(stream.pha.elements, WIDTH * HEIGHT);
	for (size_t i = 0; i < FRAMES; i++) {
		golden_draw(stream.src.data, WIDTH, HEIGHT, shifts[i]);
		rvm_stream_run(&stream);
		double d = compare(&fgr, &stream.pha, (const uint8_t *)file.data + i * ROWS * COLUMNS * 4 * 2);
		worst = d > worst || isnan(d) ? d : worst;
	}
	if (ret_isa)
		*ret_isa = vrs_session_info(stream.session).isa;
	printf("%s, fusion %d, %d threads: differs by %.2g\n", backend, fusion, threads, worst);
	rvm_stream_close(&stream);
	rvm_network_close(&network);
	vrs_buf_fini(&file);
	return worst;
}

static void test_ref(void **state)
{
	(void)state;
	assert_true(run_frames("ref", true, 1, NULL) <= TOLERANCE);
}

static void test_cpu_ref(void **state)
{
	(void)state;
	run_level("ref");
}

static void test_cpu_avx2(void **state)
{
	(void)state;
	run_level("avx2");
}

static void test_cpu_avx512(void **state)
{
	(void)state;
	run_level("avx512");
}

/* The child: exit 77 where the machine lacks the level. */
static int child(const char *level)
{
	const char *isa = NULL;
	double fused = run_frames("cpu", true, 2, &isa);

	if (strcmp(isa, level) != 0) {
		printf("this machine has %s, not %s: skipped\n", isa, level);
		return 77;
	}
	return fused <= TOLERANCE && run_frames("cpu", false, 1, NULL) <= TOLERANCE ? 0 : 1;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ref),
		cmocka_unit_test(test_cpu_ref),
		cmocka_unit_test(test_cpu_avx2),
		cmocka_unit_test(test_cpu_avx512),
	};

	if (!rvm_is_there())
		return 77;
	return argc > 1 ? child(argv[1]) : cmocka_run_group_tests(tests, NULL, NULL);
}
