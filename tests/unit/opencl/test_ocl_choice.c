/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards what --device takes: every form of text chooses the device it means, a text that means none or several is refused with the devices that
 * there are, and no text, however hostile, reads beyond its end or chooses a device that is not listed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/str_parse.h"
#include "opencl/ocl_choice.h"

static const struct vrs_cl_device pocl = {.platform = 0, .device = 0, .name = "cpu-znver4-AMD EPYC, 2 cores", .is_cpu = true};
static const struct vrs_cl_device rtx_4090 = {.platform = 1, .name = "NVIDIA GeForce RTX 4090", .is_gpu = true, .address = "0000:01:00.0"};
static const struct vrs_cl_device rtx_3060 = {.platform = 1, .device = 1, .name = "NVIDIA GeForce RTX 3060", .is_gpu = true,
	.address = "0000:c1:00.0"};
static const struct vrs_cl_device ti_3060 = {.platform = 1, .device = 2, .name = "NVIDIA GeForce RTX 3060 Ti", .is_gpu = true,
	.address = "10de:0a:1f.7"};
static const struct vrs_cl_device fpga = {.platform = 2, .device = 0, .name = "fpga0"};

static struct vrs_ocl_list list;

static void fill(int count, const struct vrs_cl_device *const *devices)
{
	memset(&list, 0, sizeof list);
	for (int i = 0; i < count; i++)
		list.devices[list.count++] = *devices[i];
}

static void fill_all(void)
{
	fill(5, (const struct vrs_cl_device *const[]){&pocl, &rtx_4090, &rtx_3060, &ti_3060, &fpga});
}

/* The one device that a text chooses. */
static void expect(const char *text, int index)
{
	struct vrs_ocl_choice choice = {.count = -1};
	struct vrs_error err = {0};

	if (vrs_ocl_choose(&list, text, &choice, &err) != VRS_OK)
		fail_msg("\"%s\": %s", text, err.text);
	if (choice.count != 1 || choice.index[0] != index)
		fail_msg("\"%s\" chooses %d devices, the first is %d instead of %d", text, choice.count, choice.index[0], index);
}

static void refuse(const char *text, enum vrs_status status, const char *message)
{
	struct vrs_ocl_choice choice = {.count = -1};
	struct vrs_error err = {0};

	assert_int_equal(vrs_ocl_choose(&list, text, &choice, &err), status);
	assert_string_equal(err.text, message);
	assert_int_equal(choice.count, -1);
}

static void automatic(void **state)
{
	(void)state;
	fill_all();
	expect("", 1);
	expect("auto", 1);
	fill(2, (const struct vrs_cl_device *const[]){&pocl, &fpga});
	expect("", 1);
	fill(2, (const struct vrs_cl_device *const[]){&pocl, &pocl}); /* asked for by name, and nothing else is there */
	expect("auto", 0);
}

#define GIB (UINT64_C(1) << 30)

static const struct vrs_cl_device integrated = {.platform = 3, .name = "Intel UHD 770", .is_gpu = true, .unified_memory = true,
	.global_bytes = 48 * GIB, .address = "0000:00:02.0"};
static const struct vrs_cl_device small = {.platform = 4, .device = 0, .name = "AMD RX 7600", .is_gpu = true, .global_bytes = 8 * GIB,
	.address = "0000:03:00.0"};
static const struct vrs_cl_device large = {.platform = 4, .device = 1, .name = "AMD RX 7900", .is_gpu = true, .global_bytes = 24 * GIB,
	.address = "0000:0a:00.0"};
static const struct vrs_cl_device large_of_mesa = {.platform = 5, .name = "AMD RX 7900 (navi31)", .is_gpu = true, .global_bytes = 25 * GIB,
	.address = "0000:0A:00.0"};

static void expect_all(int count, const int *indices)
{
	struct vrs_ocl_choice choice = {.count = 0};

	assert_int_equal(vrs_ocl_choose(&list, "all", &choice, NULL), VRS_OK);
	assert_int_equal(choice.count, count);
	for (int i = 0; i < count; i++)
		assert_int_equal(choice.index[i], indices[i]);
}

/* A card of its own goes before what is part of the CPU, whatever memory that claims and whoever is listed first; then more memory. */
static void best_gpu(void **state)
{
	(void)state;
	fill(4, (const struct vrs_cl_device *const[]){&pocl, &integrated, &small, &large});
	expect("auto", 3);
	expect_all(3, (const int[]){3, 2, 1});
	fill(3, (const struct vrs_cl_device *const[]){&large, &integrated, &small});
	expect("auto", 0);
	expect_all(3, (const int[]){0, 2, 1});
	fill(3, (const struct vrs_cl_device *const[]){&fpga, &integrated, &pocl});
	expect("auto", 1);
	fill(2, (const struct vrs_cl_device *const[]){&small, &small}); /* equal ones keep their order */
	expect_all(2, (const int[]){0, 1});
}

/* ROCm and Mesa list one card: it is used once.  Tiles of a card have its address, too, and are used all. */
static void card_of_two_platforms(void **state)
{
	struct vrs_cl_device tile = large;

	(void)state;
	fill(4, (const struct vrs_cl_device *const[]){&large, &small, &large_of_mesa, &pocl});
	expect("auto", 0);
	expect_all(2, (const int[]){0, 1});
	expect("2", 2); /* by its number the other driver's, all the same */
	fill(3, (const struct vrs_cl_device *const[]){&small, &large_of_mesa, &large});
	expect("auto", 1);
	expect_all(2, (const int[]){1, 0});
	tile.device = 2;
	fill(2, (const struct vrs_cl_device *const[]){&large, &tile});
	expect_all(2, (const int[]){0, 1});
	tile.platform = 6; /* without addresses nobody knows */
	tile.address[0] = '\0';
	fill(2, (const struct vrs_cl_device *const[]){&tile, &large});
	list.devices[1].address[0] = '\0';
	expect_all(2, (const int[]){0, 1});
}

static void every_form(void **state)
{
	static const struct {
		const char *text;
		int index;
	} cases[] = {
		{"0", 0}, {"4", 4}, {" 2 ", 2}, {"02", 2}, {"0:0", 0}, {"1:2", 3}, {"2:00", 4}, {"01:00.0", 1}, {"0000:01:00.0", 1}, {"00000000:C1:00.0", 2},
		{"0000:c1:00.0", 2}, {"10DE:0A:1F.7", 3}, {"rtx 4090", 1}, {"4090", 1}, {"RTX 3060 TI", 3}, {"nvidia geforce rtx 3060", 2}, {"FPGA", 4},
		{"epyc", 0}, {"fpga0", 4},
	};

	(void)state;
	fill_all();
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		expect(cases[i].text, cases[i].index);
}

static void several(void **state)
{
	static const char *const texts[] = {"4+0+1:0", " fpga + EPYC+01:00.0", "4+ 0 +4090"};
	struct vrs_ocl_choice choice;

	(void)state;
	fill_all();
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		memset(&choice, 0x5a, sizeof choice);
		assert_int_equal(vrs_ocl_choose(&list, texts[i], &choice, NULL), VRS_OK);
		assert_int_equal(choice.count, 3);
		assert_int_equal(choice.index[0], 4);
		assert_int_equal(choice.index[1], 0);
		assert_int_equal(choice.index[2], 1);
	}
	refuse("0+epyc", VRS_ECONFIG, "the OpenCL device 0: cpu-znver4-AMD EPYC, 2 cores is named twice");
	refuse("0++1", VRS_ECONFIG, "a device is missing beside a plus; write 0+1 for two devices");
	refuse("+", VRS_ECONFIG, "a device is missing beside a plus; write 0+1 for two devices");
	refuse("1+ ", VRS_ECONFIG, "a device is missing beside a plus; write 0+1 for two devices");
}

/* All of the kind that auto takes. */
static void all(void **state)
{
	struct vrs_ocl_choice choice;

	(void)state;
	fill_all();
	assert_int_equal(vrs_ocl_choose(&list, "all", &choice, NULL), VRS_OK);
	assert_int_equal(choice.count, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(choice.index[i], i + 1);
	fill(3, (const struct vrs_cl_device *const[]){&pocl, &fpga, &pocl});
	expect("all", 1);
	fill(2, (const struct vrs_cl_device *const[]){&pocl, &pocl});
	assert_int_equal(vrs_ocl_choose(&list, "all", &choice, NULL), VRS_OK);
	assert_int_equal(choice.count, 2);
}

/* A name may hold what lies between devices, and what lies between values of an axis. */
static void names_with_signs(void **state)
{
	static const struct vrs_cl_device mi200 = {.name = "gfx90a:sramecc+:xnack-", .is_gpu = true};

	(void)state;
	fill(3, (const struct vrs_cl_device *const[]){&pocl, &mi200, &rtx_4090});
	expect("gfx90a:sramecc+:xnack-", 1);
	expect("gfx90a", 1);
	expect("AMD EPYC, 2 cores", 0);
	refuse("sramecc+", VRS_ECONFIG, "a device is missing beside a plus; write 0+1 for two devices");
}

static void refused(void **state)
{
	(void)state;
	fill(2, (const struct vrs_cl_device *const[]){&pocl, &rtx_4090});
	refuse("rtx 5090", VRS_ENOTFOUND, "no OpenCL device matches \"rtx 5090\"; there are 0: cpu-znver4-AMD EPYC, 2 cores (CPU), "
	       "1: NVIDIA GeForce RTX 4090 (GPU, 0000:01:00.0)");
	fill(1, (const struct vrs_cl_device *const[]){&fpga});
	refuse("1", VRS_ENOTFOUND, "no OpenCL device matches \"1\"; there is only 0: fpga0 (accelerator)");
	fill_all();
	refuse("3060", VRS_ECONFIG, "\"3060\" matches several OpenCL devices: 2: NVIDIA GeForce RTX 3060 (GPU, 0000:c1:00.0), "
	       "3: NVIDIA GeForce RTX 3060 Ti (GPU, 10de:0a:1f.7); name one by its number");
	fill(0, NULL);
	(void)vrs_strcpy(list.reason, sizeof list.reason, "no OpenCL driver is installed");
	refuse("", VRS_ENOTFOUND, "no OpenCL device can be used: no OpenCL driver is installed");
	refuse("0", VRS_ENOTFOUND, "no OpenCL device can be used: no OpenCL driver is installed");
}

/* One card under two drivers: the address alone does not say which. */
static void two_drivers(void **state)
{
	(void)state;
	fill(2, (const struct vrs_cl_device *const[]){&rtx_4090, &rtx_4090});
	refuse("01:00.0", VRS_ECONFIG, "\"01:00.0\" matches several OpenCL devices: 0: NVIDIA GeForce RTX 4090 (GPU, 0000:01:00.0), "
	       "1: NVIDIA GeForce RTX 4090 (GPU, 0000:01:00.0); name one by its number");
	expect("1", 1);
}

static void hostile(void **state)
{
	static const char *const texts[] = {
		"-1", "1 1", "99", "100", "0x1", "1:", ":1", ":", "1:2:3", "1:99", "01:00.", "1:00.0", "01:00.0.", "01:00.00", "001:00.0", "20000:01:00.0",
		"000000000:01:00.0", "0000:01:00.0 x", "0000:01:00.g", "0000:", "....", "\xff\xfe", "%s%n", "auto,0", "auto+0", "0+auto", "all+0",
		"NVIDIA GeForce RTX 4090x", "\n",
	};
	char longest[4096];
	struct vrs_error err = {0};
	struct vrs_ocl_choice choice;

	(void)state;
	fill_all();
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		if (vrs_ocl_choose(&list, texts[i], &choice, &err) != VRS_ENOTFOUND)
			fail_msg("\"%s\": %s", texts[i], err.text);
	memset(longest, '7', sizeof longest - 1);
	longest[sizeof longest - 1] = '\0';
	assert_int_equal(vrs_ocl_choose(&list, longest, &choice, &err), VRS_ENOTFOUND);
	memset(longest, '+', sizeof longest - 1);
	assert_int_equal(vrs_ocl_choose(&list, longest, &choice, &err), VRS_ECONFIG);
	/* Each prefix in a block of its own size: reading on is seen by the sanitizer. */
	for (size_t len = 0; len <= strlen("0000:01:00.0+rtx 4090 +1:2"); len++) {
		char *text = vrs_strdup("0000:01:00.0+rtx 4090 +1:2"), *prefix;

		assert_non_null(text);
		text[len] = '\0';
		prefix = vrs_strdup(text);
		assert_non_null(prefix);
		(void)!vrs_ocl_choose(&list, prefix, &choice, &err);
		vrs_free(prefix);
		vrs_free(text);
	}
}

/* As many devices as there can be, with the longest names: the message is cut at a device, and says how many are left out. */
static void full_list(void **state)
{
	struct vrs_error err = {0};
	struct vrs_ocl_choice choice;

	(void)state;
	memset(&list, 0, sizeof list);
	list.count = VRS_MACHINE_MAX_CL;
	for (int i = 0; i < list.count; i++)
		memset(list.devices[i].name, 'n', sizeof list.devices[i].name - 1);
	assert_int_equal(vrs_ocl_choose(&list, "x", &choice, &err), VRS_ENOTFOUND);
	assert_non_null(strstr(err.text, "nnn (accelerator), 1: nnn"));
	assert_non_null(strstr(err.text, "nnn (accelerator) and 14 more"));
	assert_int_equal(vrs_ocl_choose(&list, "n", &choice, &err), VRS_ECONFIG);
	assert_non_null(strstr(err.text, "and 14 more; name one by its number"));
	expect("15", 15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(automatic), cmocka_unit_test(every_form),  cmocka_unit_test(several), cmocka_unit_test(refused),
		cmocka_unit_test(all), cmocka_unit_test(names_with_signs),
		cmocka_unit_test(best_gpu), cmocka_unit_test(card_of_two_platforms),
		cmocka_unit_test(two_drivers), cmocka_unit_test(hostile), cmocka_unit_test(full_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
