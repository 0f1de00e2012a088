/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: values that one routine writes come back by the same routine, bit by bit; what is out of range, missing or left over makes the archive
 * damaged, and nothing after it is read; parts lie inside their eye, around its seam where it is a circle.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/archive.h"

static const struct vrs_rect eye = {100, 0, 100, 50};

struct values {
	bool flag;
	int number;
	uint32_t who;
	uint64_t count;
	double sum;
	float states[3], alpha[2];
	uint8_t bytes[5];
	struct vrs_rect part;
};

static const struct values sample = {.flag = true, .number = -3, .who = UINT32_MAX, .count = 1 << 20, .sum = 0.1, .states = {1e30f, -0.0f, 3.5f},
	.alpha = {0.25f, 1.0000001f}, .bytes = {9, 8, 7, 6, 5}, .part = {150, 10, 50, 40}};

static bool archive_values(struct vrs_archive *archive, struct values *v)
{
	return vrs_archive_mark(archive, 7) && vrs_archive_flag(archive, &v->flag) && vrs_archive_int(archive, &v->number, -3, 3) &&
	       vrs_archive_u32(archive, &v->who) && vrs_archive_u64(archive, &v->count, 1 << 20) && vrs_archive_double(archive, &v->sum, -1, 1) &&
	       vrs_archive_floats(archive, v->states, 3) && vrs_archive_alpha(archive, v->alpha, 2) && vrs_archive_bytes(archive, v->bytes, 5) &&
	       vrs_archive_part(archive, &v->part, &eye, 0) && vrs_archive_end(archive);
}

static size_t write_sample(char **ret_bytes)
{
	size_t size;
	FILE *to = open_memstream(ret_bytes, &size);
	assert_non_null(to);
	struct vrs_archive archive = vrs_archive_writer(to);
	struct values values = sample;
	assert_true(archive_values(&archive, &values));
	fclose(to);
	assert_int_equal(archive.at, size);
	return size;
}

static bool read_bytes(const char *bytes, size_t size, struct values *values)
{
	struct vrs_archive archive = vrs_archive_reader(bytes, size);
	memset(values, 0, sizeof *values);
	return archive_values(&archive, values);
}

static void test_round_trip(void **state)
{
	(void)state;
	char *bytes;
	struct values values;
	size_t size = write_sample(&bytes);
	assert_true(read_bytes(bytes, size, &values));
	assert_true(values.flag);
	assert_int_equal(values.number, sample.number);
	assert_int_equal(values.who, sample.who);
	assert_int_equal(values.count, sample.count);
	assert_memory_equal(&values.sum, &sample.sum, sizeof sample.sum);
	assert_memory_equal(values.states, sample.states, sizeof sample.states);
	assert_memory_equal(values.alpha, sample.alpha, sizeof sample.alpha);
	assert_memory_equal(values.bytes, sample.bytes, sizeof sample.bytes);
	assert_memory_equal(&values.part, &sample.part, sizeof sample.part);
	free(bytes);
}

/* Every size but the right one; and a byte too many. */
static void test_lengths(void **state)
{
	(void)state;
	char *bytes;
	struct values values;
	size_t size = write_sample(&bytes);
	for (size_t cut = 0; cut < size; cut++)
		assert_false(read_bytes(bytes, cut, &values));
	char *more = calloc(1, size + 1);
	assert_non_null(more);
	memcpy(more, bytes, size);
	assert_false(read_bytes(more, size + 1, &values));
	free(more);
	free(bytes);
}

static bool reads_double(double value)
{
	struct vrs_archive archive = vrs_archive_reader(&value, sizeof value);
	return vrs_archive_double(&archive, &value, -1, 1);
}

static bool reads_alpha(float value)
{
	struct vrs_archive archive = vrs_archive_reader(&value, sizeof value);
	return vrs_archive_alpha(&archive, &value, 1);
}

static bool reads_part(struct vrs_rect part, int circle)
{
	struct vrs_archive archive = vrs_archive_reader(&part, sizeof part);
	return vrs_archive_part(&archive, &part, &eye, circle);
}

static void test_ranges(void **state)
{
	(void)state;
	const uint8_t two[] = {2, 2, 2, 2, 2, 2, 2, 2};
	bool flag;
	int number;
	uint64_t count;
	struct vrs_archive archive = vrs_archive_reader(two, sizeof two);
	assert_false(vrs_archive_flag(&archive, &flag));
	assert_false(vrs_archive_int(&archive, &number, INT32_MIN, INT32_MAX)); /* nothing after it */
	archive = vrs_archive_reader(two, sizeof two);
	assert_false(vrs_archive_int(&archive, &number, 0, 100));
	archive = vrs_archive_reader(two, sizeof two);
	assert_false(vrs_archive_u64(&archive, &count, 100));
	archive = vrs_archive_reader(two, sizeof two);
	assert_false(vrs_archive_mark(&archive, 7));
	assert_true(reads_double(-1));
	assert_false(reads_double(1.5));
	assert_false(reads_double((double)NAN));
	assert_true(reads_alpha(1));
	assert_false(reads_alpha(1.1f));
	assert_false(reads_alpha(-1));
	assert_false(reads_alpha(NAN));
}

static void test_parts(void **state)
{
	(void)state;
	assert_true(reads_part(eye, 0));
	assert_false(reads_part((struct vrs_rect){99, 0, 10, 10}, 0));
	assert_false(reads_part((struct vrs_rect){150, 0, 51, 10}, 0));
	assert_true(reads_part((struct vrs_rect){150, 0, 51, 10}, 100)); /* goes on at the left edge */
	assert_false(reads_part((struct vrs_rect){200, 0, 10, 10}, 100));
	assert_false(reads_part((struct vrs_rect){150, 0, 101, 10}, 100));
	assert_false(reads_part((struct vrs_rect){150, 0, 0, 10}, 0));
	assert_false(reads_part((struct vrs_rect){150, 45, 10, 6}, 0));
	assert_false(reads_part((struct vrs_rect){150, 1, INT32_MAX, INT32_MAX}, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip), cmocka_unit_test(test_lengths), cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_parts)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
