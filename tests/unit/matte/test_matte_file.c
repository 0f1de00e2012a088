/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: mattes come back from their file as they went in, with padded rows too, and so does what the next segment needs of them; every cut,
 * every changed byte and another key is noticed on opening.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/rng.h"
#include "matte/matte_file.h"

#include "scratch_folder.h"

#define WIDTH 33
#define HEIGHT 17
#define STRIDE 48
#define FRAMES 5
#define KEY 12345

static const char path[] = "mattes", past_path[] = "mattes.past";
static const struct vrs_matte_shape shape = {2, WIDTH, HEIGHT};
static uint8_t samples[FRAMES][2][HEIGHT * STRIDE];
static const uint8_t past_bytes[100] = {1, 2, 3};
static const struct vrs_rect rects[2] = {{2, 4, 600, 400}, {-8, 0, 65536, 1}};

static void write_all(const char *past)
{
	struct vrs_matte_writer *writer;
	struct vrs_error err = {0};
	struct vrs_rng rng;
	vrs_rng_init(&rng, 7);
	assert_int_equal(vrs_matte_writer_create(&writer, path, KEY, &shape, &err), VRS_OK);
	for (int f = 0; f < FRAMES; f++) {
		struct vrs_matte mattes[2];
		for (int eye = 0; eye < 2; eye++) {
			for (size_t i = 0; i < sizeof samples[f][eye]; i++)
				samples[f][eye][i] = (uint8_t)(vrs_rng_next(&rng) >> 56);
			mattes[eye] = (struct vrs_matte){WIDTH, HEIGHT, STRIDE, samples[f][eye]};
		}
		assert_int_equal(vrs_matte_writer_add(writer, mattes, rects, &err), VRS_OK);
	}
	if (past)
		assert_int_equal(vrs_matte_writer_add_past(writer, past, &err), VRS_OK);
	assert_int_equal(vrs_matte_writer_finish(writer, &err), VRS_OK);
	vrs_matte_writer_close(writer);
}

static void check_round_trip(const char *past)
{
	struct vrs_matte_reader *reader;
	size_t size;
	uint8_t got[2][HEIGHT * WIDTH];
	struct vrs_matte mattes[2] = {{WIDTH, HEIGHT, WIDTH, got[0]}, {WIDTH, HEIGHT, WIDTH, got[1]}};
	struct vrs_rect covers[2];
	write_all(past);
	assert_int_equal(vrs_matte_reader_open(&reader, path, KEY, NULL), VRS_OK);
	assert_int_equal(vrs_matte_reader_frames(reader), FRAMES);
	assert_int_equal(vrs_matte_reader_shape(reader).width, WIDTH);
	for (int f = FRAMES - 1; f >= 0; f--) {
		assert_int_equal(vrs_matte_reader_get(reader, (uint64_t)f, mattes, covers), VRS_OK);
		assert_memory_equal(covers, rects, sizeof rects);
		for (int eye = 0; eye < 2; eye++)
			for (int y = 0; y < HEIGHT; y++)
				assert_memory_equal(got[eye] + y * WIDTH, samples[f][eye] + y * STRIDE, WIDTH);
	}
	assert_int_equal(vrs_matte_reader_get(reader, FRAMES, mattes, covers), VRS_EINVAL);
	const void *found = vrs_matte_reader_past(reader, &size);
	assert_int_equal(size, past ? sizeof past_bytes : 0);
	if (past)
		assert_memory_equal(found, past_bytes, size);
	vrs_matte_reader_close(reader);
}

static void test_round_trip(void **state)
{
	(void)state;
	check_round_trip(NULL);
	assert_int_equal(vrs_file_replace(past_path, past_bytes, sizeof past_bytes, NULL), VRS_OK);
	check_round_trip(past_path);
}

static enum vrs_status open_bytes(const char *bytes, size_t size)
{
	struct vrs_matte_reader *reader = NULL;
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
	enum vrs_status status = vrs_matte_reader_open(&reader, path, KEY, NULL);
	vrs_matte_reader_close(reader);
	return status;
}

static void test_damage(void **state)
{
	(void)state;
	struct vrs_buf text;
	struct vrs_matte_reader *other;
	write_all(past_path);
	assert_int_equal(vrs_file_read(path, 1 << 20, &text, NULL), VRS_OK);
	assert_int_equal(open_bytes(text.data, text.len), VRS_OK);
	assert_int_equal(vrs_matte_reader_open(&other, path, KEY + 1, NULL), VRS_EFORMAT);
	for (size_t at = 0; at < text.len; at += at < 64 || at + 128 > text.len ? 1 : 37) {
		text.data[at] ^= 0x20;
		assert_int_equal(open_bytes(text.data, text.len), VRS_EFORMAT);
		text.data[at] ^= 0x20;
		assert_int_equal(open_bytes(text.data, at), VRS_EFORMAT);
	}
	vrs_buf_fini(&text);
	const struct vrs_matte_shape wrong = {3, 10, 10};
	struct vrs_matte_writer *writer;
	assert_int_equal(vrs_matte_writer_create(&writer, path, KEY, &wrong, NULL), VRS_EINVAL);
}

static int set_up(void **state)
{
	(void)state;
	return scratch_folder_enter("matte_file");
}

static int clean_up(void **state)
{
	(void)state;
	return unlink(path) | unlink(past_path) | scratch_folder_leave("matte_file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip), cmocka_unit_test(test_damage)};
	return cmocka_run_group_tests(tests, set_up, clean_up);
}
