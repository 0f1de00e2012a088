/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: files that NumPy wrote read as what they hold, in every type, order and version; what is refused says why; truncated files and bent
 * headers give a sentence, never a crash or a leak; what is written reads back, and is laid out as NumPy documents it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <vrseg/npy.h>

#include "base/file.h"
#include "base/mem.h"
#include "graph/eval.h"
#include "graph/npy_header.h"

static const char *file_path(const char *name)
{
	static char path[1024];

	snprintf(path, sizeof path, "%s/files/npy/%s.npy", VRS_TEST_DIR, name);
	return path;
}

static struct vrs_npy read_good(const char *name)
{
	struct vrs_error err = {0};
	struct vrs_npy array;

	if (vrs_npy_read(&array, file_path(name), &err) != VRS_OK)
		fail_msg("%s", err.text);
	return array;
}

static void assert_dims(const struct vrs_npy *array, int rank, const int64_t *dims)
{
	assert_int_equal(array->rank, rank);
	for (int i = 0; i < rank; i++)
		assert_int_equal(array->dims[i], dims[i]);
}

static void test_every_type(void **state)
{
	static const enum vrs_dtype types[] = {VRS_F32, VRS_F16, VRS_F64, VRS_I8, VRS_I16, VRS_I32, VRS_I64, VRS_U8, VRS_U16, VRS_U32, VRS_U64};
	static const double values[] = {0, 1, 2, 3, 100, 127};

	(void)state;
	for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
		char name[64];
		struct vrs_npy array;

		snprintf(name, sizeof name, "good-%s", vrs_dtype_name(types[t]));
		array = read_good(name);
		assert_int_equal(array.dtype, types[t]);
		assert_dims(&array, 2, (int64_t[]){2, 3});
		for (size_t i = 0; i < 6; i++)
			assert_true(vrs_load_f64(array.dtype, array.data, i) == values[i]);
		vrs_npy_fini(&array);
	}
}

static void test_bool_and_bfloat16(void **state)
{
	struct vrs_npy bools = read_good("good-bool"), halves = read_good("good-bfloat16");

	(void)state;
	assert_int_equal(bools.dtype, VRS_BOOL);
	assert_memory_equal(bools.data, "\1\0\1", 3);
	assert_int_equal(halves.dtype, VRS_BF16);
	assert_true(vrs_load_f64(VRS_BF16, halves.data, 0) == 1 && vrs_load_f64(VRS_BF16, halves.data, 1) == -2.5);
	vrs_npy_fini(&bools);
	vrs_npy_fini(&halves);
}

static void test_shapes_orders_versions(void **state)
{
	struct vrs_npy a = read_good("good-fortran");

	(void)state;
	assert_dims(&a, 3, (int64_t[]){2, 3, 4});
	for (size_t i = 0; i < 24; i++)
		assert_true(((const float *)a.data)[i] == (float)i);
	vrs_npy_fini(&a);
	for (int v = 2; v <= 3; v++) {
		a = read_good(v == 2 ? "good-version2" : "good-version3");
		assert_dims(&a, 2, (int64_t[]){3, 2});
		for (int i = 0; i < 6; i++)
			assert_int_equal(((const int32_t *)a.data)[i], i);
		vrs_npy_fini(&a);
	}
	a = read_good("good-scalar");
	assert_dims(&a, 0, NULL);
	assert_true(a.elements == 1 && *(const double *)a.data == 2.5);
	vrs_npy_fini(&a);
	a = read_good("good-empty");
	assert_dims(&a, 2, (int64_t[]){0, 3});
	assert_true(a.elements == 0 && a.bytes == 0);
	vrs_npy_fini(&a);
	a = read_good("good-rank8");
	assert_int_equal(a.rank, 8);
	for (int i = 0; i < 256; i++)
		assert_int_equal(((const uint8_t *)a.data)[i], i);
	vrs_npy_fini(&a);
}

static void test_refused_types(void **state)
{
	static const struct {
		const char *name, *words;
		enum vrs_status status;
	} bad[] = {
		{"bad-rank9", "has more than 8 dimensions", VRS_ELIMIT},
		{"bad-big-endian", "is big-endian (\">f4\"); save it as array.astype(\"<f4\")", VRS_EUNSUPPORTED},
		{"bad-complex", "NumPy type \"<c8\"", VRS_EUNSUPPORTED},
		{"bad-string", "NumPy type \"<U2\"", VRS_EUNSUPPORTED},
		{"bad-object", "NumPy type \"|O\"", VRS_EUNSUPPORTED},
		{"bad-record", "holds records", VRS_EUNSUPPORTED},
		{"README.md is not", "No such file", VRS_ENOTFOUND},
	};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct vrs_error err = {0};
		struct vrs_npy array;

		if (vrs_npy_read(&array, file_path(bad[i].name), &err) != bad[i].status || strstr(err.text, bad[i].words) == NULL)
			fail_msg("%s: %d %s", bad[i].name, (int)err.status, err.text);
		assert_null(array.data);
	}
}

/* A file of version 1.0 around a header text, with `bytes` zero bytes of elements behind it. */
static enum vrs_status parse_text(const char *text, size_t bytes, struct vrs_npy *array, struct vrs_error *err)
{
	char file[512] = "\x93NUMPY\1\0";
	size_t len = strlen(text);

	assert_true(10 + len + bytes <= sizeof file);
	file[8] = (char)len;
	file[9] = (char)(len >> 8);
	memcpy(file + 10, text, len);
	memset(file + 10 + len, 0, bytes);
	return vrs_npy_parse(array, file, 10 + len + bytes, "x.npy", err);
}

static void test_headers(void **state)
{
	static const struct {
		const char *text;
		size_t bytes;
		enum vrs_status status;
		const char *words;
	} cases[] = {
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", 24, VRS_OK, ""},
		{"{\"shape\":(2L,3L),\"fortran_order\":True,\"descr\":\"<f4\"}", 24, VRS_OK, ""},
		{"{'descr': '=u1', 'fortran_order': False, 'shape': ()}", 1, VRS_OK, ""},
		{"{'descr': '>u1', 'fortran_order': False, 'shape': ()}", 1, VRS_OK, ""},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", 23, VRS_EFORMAT, "23 bytes follow its header, its shape needs 24"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", 25, VRS_EFORMAT, "25 bytes follow its header, its shape needs 24"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (3)}", 12, VRS_EFORMAT, "shape is no tuple"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (3 4)}", 48, VRS_EFORMAT, "shape is no tuple of sizes"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", 4, VRS_EFORMAT, "shape is no tuple of sizes"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (16777217,)}", 4, VRS_ELIMIT, "a dimension is above 16777216"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999999,)}", 4, VRS_ELIMIT, "a dimension is above"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (16777216, 16777216, 16777216)}", 4, VRS_ELIMIT, "elements"},
		{"{'descr': '<f4', 'fortran_order': 1, 'shape': (1,)}", 4, VRS_EFORMAT, "neither True nor False"},
		{"{'descr': '<f4', 'shape': (1,)}", 4, VRS_EFORMAT, "needs descr, fortran_order and shape"},
		{"{'descr': '<f4', 'descr': '<f4', 'shape': (1,)}", 4, VRS_EFORMAT, "twice"},
		{"{'descr': '<f4', 'order': False, 'shape': (1,)}", 4, VRS_EFORMAT, "unknown key"},
		{"{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}", 4, VRS_EFORMAT, "a comma is missing"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} 1", 4, VRS_EFORMAT, "something follows"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)", 4, VRS_EFORMAT, "a comma is missing"},
		{"{'descr': '', 'fortran_order': False, 'shape': (1,)}", 4, VRS_EFORMAT, "no element type"},
		{"[1]", 4, VRS_EFORMAT, "no dictionary"},
		{"", 0, VRS_EFORMAT, "no dictionary"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct vrs_error err = {0};
		struct vrs_npy array;

		if (parse_text(cases[i].text, cases[i].bytes, &array, &err) != cases[i].status || strstr(err.text, cases[i].words) == NULL)
			fail_msg("%s: %d %s", cases[i].text, (int)err.status, err.text);
		vrs_npy_fini(&array);
	}
}

static void test_damage_everywhere(void **state)
{
	uint64_t live = vrs_mem_stats().live_bytes;
	struct vrs_buf file;
	struct vrs_npy array;

	(void)state;
	assert_int_equal(vrs_file_read(file_path("good-fortran"), 4096, &file, NULL), VRS_OK);
	for (size_t len = 0; len < file.len; len++) {
		struct vrs_error err = {0};

		assert_int_not_equal(vrs_npy_parse(&array, file.data, len, "cut.npy", &err), VRS_OK);
		assert_true(strlen(err.text) > 0);
	}
	for (size_t i = 0; i < file.len * 8; i++) {
		file.data[i / 8] = (char)(file.data[i / 8] ^ 1 << i % 8);
		if (vrs_npy_parse(&array, file.data, file.len, "bent.npy", NULL) == VRS_OK)
			vrs_npy_fini(&array);
		file.data[i / 8] = (char)(file.data[i / 8] ^ 1 << i % 8);
	}
	vrs_buf_fini(&file);
	assert_true(vrs_mem_stats().live_bytes == live);
}

static void test_write_reads_back(void **state)
{
	static const int64_t dims[VRS_MAX_RANK] = {1, 2, 1, 2, 1, 2, 1, 2};
	unsigned char data[16 * 8];
	char path[1024];

	(void)state;
	for (size_t i = 0; i < sizeof data; i++)
		data[i] = i % 3 == 0; /* sound for bools too */
	snprintf(path, sizeof path, "%s/test_npy.%d.npy", VRS_BUILD_DIR, (int)getpid());
	for (int dtype = 0; dtype < VRS_DTYPE_COUNT; dtype++)
		for (int rank = 0; rank <= VRS_MAX_RANK; rank++) {
			struct vrs_error err = {0};
			struct vrs_npy array;

			if (vrs_npy_write(path, (enum vrs_dtype)dtype, rank, dims, data, &err) != VRS_OK || vrs_npy_read(&array, path, &err) != VRS_OK)
				fail_msg("%s", err.text);
			assert_int_equal(array.dtype, dtype);
			assert_dims(&array, rank, dims);
			assert_memory_equal(array.data, data, array.bytes);
			vrs_npy_fini(&array);
		}
	assert_int_equal(vrs_npy_write(path, VRS_F32, VRS_MAX_RANK + 1, dims, data, NULL), VRS_EINVAL);
	assert_int_equal(vrs_npy_write(path, VRS_F32, 1, (int64_t[]){-1}, data, NULL), VRS_EINVAL);
	assert_int_equal(vrs_npy_write("/nowhere/x.npy", VRS_F32, 1, dims, data, NULL), VRS_EIO);
	unlink(path);
}

/* "it is recommended that (10 + length of the header) is divisible by 64", ended by a newline. */
static void test_header_layout(void **state)
{
	struct vrs_npy_header header = {.dtype = VRS_F32, .rank = 1, .dims = {5}}, again;
	char text[512];
	size_t len = vrs_npy_header_format(&header, text, sizeof text);

	(void)state;
	assert_int_equal(len, 128);
	assert_memory_equal(text, "\x93NUMPY\1\0\x76\0{'descr': '<f4', 'fortran_order': False, 'shape': (5,), }  ", 69);
	assert_int_equal(text[127], '\n');
	assert_int_equal(vrs_npy_header_format(&header, text, 127), 0);
	header.rank = VRS_MAX_RANK;
	for (int i = 0; i < VRS_MAX_RANK; i++)
		header.dims[i] = 1 << 24;
	len = vrs_npy_header_format(&header, text, sizeof text);
	assert_true(len > 0 && len % 64 == 0);
	assert_int_equal(vrs_npy_header_parse(&again, text, len, "x", NULL), VRS_OK);
	assert_int_equal(again.data_offset, len);
}

static void test_out_of_memory(void **state)
{
	uint64_t live = vrs_mem_stats().live_bytes;
	struct vrs_npy array;

	(void)state;
	for (uint64_t n = 1;; n++) {
		enum vrs_status status;

		vrs_mem_fail_after(n, false);
		status = vrs_npy_read(&array, file_path("good-fortran"), NULL);
		if (!vrs_mem_fault_fired()) {
			assert_int_equal(status, VRS_OK);
			break;
		}
		assert_int_equal(status, VRS_ENOMEM);
	}
	vrs_mem_fail_after(0, false);
	vrs_npy_fini(&array);
	assert_true(vrs_mem_stats().live_bytes == live);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_type), cmocka_unit_test(test_bool_and_bfloat16), cmocka_unit_test(test_shapes_orders_versions),
		cmocka_unit_test(test_refused_types), cmocka_unit_test(test_headers), cmocka_unit_test(test_damage_everywhere),
		cmocka_unit_test(test_write_reads_back), cmocka_unit_test(test_header_layout), cmocka_unit_test(test_out_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
