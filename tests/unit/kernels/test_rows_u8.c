/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards the small u8 rows: every instruction set gives the bytes of the reference (conversions, elementwise, resize, sums), within guard pages. */
#include "kernels/u8_check.h"

#define ROUNDS 400

static void check_convert(const struct vrs_kernels_u8 *kernels)
{
	struct vrs_kernels_u8 ref = table_u8_for("ref");
	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		struct vrs_rng rng;
		vrs_rng_init(&rng, seed);
		int pixels = random_int(&rng, 1, 40), channels = random_int(&rng, 1, seed % 2 ? 4 : 40), px = VRS_U8_CHANNELS(channels);
		size_t count = (size_t)(pixels * channels), bytes = (size_t)(pixels * px);
		struct floats f = floats_random(&rng, count), q = u8_new(bytes), want = u8_new(bytes), back = floats_new(count), want_back = floats_new(count);
		if (seed % 3 == 0)
			f.data[vrs_rng_below(&rng, count)] = 1e6f;
		struct vrs_convert_row_u8 row = {.f = f.data, .q = u8_of(&q), .pixels = pixels, .channels = channels, .scale = 91.3f, .zero = 117.0f};
		kernels->quantize(&row);
		row.q = u8_of(&want);
		ref.quantize(&row);
		for (size_t i = 0; i < bytes; i++)
			if (i % (size_t)px < (size_t)channels)
				assert_int_equal(u8_of(&q)[i], u8_of(&want)[i]);
		row.scale = 0.017f;
		row.zero = -1.3f;
		row.f = back.data;
		kernels->dequantize(&row);
		row.f = want_back.data;
		ref.dequantize(&row);
		assert_memory_equal(back.data, want_back.data, count * sizeof(float));
		floats_free(&f);
		floats_free(&q);
		floats_free(&want);
		floats_free(&back);
		floats_free(&want_back);
	}
}

static void check_eltwise(const struct vrs_kernels_u8 *kernels)
{
	static const enum vrs_kernel_binary ops[] = {VRS_KBIN_ADD, VRS_KBIN_SUB, VRS_KBIN_MUL, VRS_KBIN_MIN, VRS_KBIN_MAX};
	static const enum vrs_kernel_act acts[] = {VRS_KACT_NONE, VRS_KACT_CLAMP, VRS_KACT_HSWISH};
	struct vrs_kernels_u8 ref = table_u8_for("ref");
	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		struct vrs_rng rng;
		vrs_rng_init(&rng, seed);
		int pixels = random_int(&rng, 1, 20), channels = 4 * random_int(&rng, 1, 12), wide = channels + 4 * random_int(&rng, 0, 2);
		size_t bytes = (size_t)((pixels - 1) * wide + channels);
		struct floats a = u8_random(&rng, bytes), b = u8_random(&rng, bytes), out = u8_new(bytes), want = u8_new(bytes);
		struct vrs_eltwise_row_u8 row = {
			.op = ops[seed % 5], .copy = seed % 7 == 0, .a = u8_of(&a), .b = u8_of(&b), .a_scale = 0.031f,
			.a_zero = -3.1f, .b_scale = 0.021f, .b_zero = -2.0f, .a_px = wide, .b_px = seed % 4 ? wide : 0, .out_px = wide, .pixels = pixels,
			.channels = channels, .act = acts[seed % 3], .lo = -0.5f, .hi = 2.5f, .out_scale = 20.1f, .out_zero = 81.0f, .out = u8_of(&out),
		};
		kernels->eltwise(&row);
		row.out = u8_of(&want);
		ref.eltwise(&row);
		assert_memory_equal(u8_of(&out), u8_of(&want), bytes); /* what lies between the pixels keeps its pattern */
		floats_free(&a);
		floats_free(&b);
		floats_free(&out);
		floats_free(&want);
	}
}

static void check_resize(const struct vrs_kernels_u8 *kernels)
{
	struct vrs_kernels_u8 ref = table_u8_for("ref");
	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		struct vrs_rng rng;
		vrs_rng_init(&rng, seed);
		int in = random_int(&rng, 1, 20), pixels = random_int(&rng, 1, 40), channels = 4 * random_int(&rng, 1, 12);
		size_t in_bytes = (size_t)(in * channels), bytes = (size_t)(pixels * channels);
		struct floats row0 = u8_random(&rng, in_bytes), row1 = u8_random(&rng, in_bytes), blend = floats_new((in_bytes + 1) / 2);
		struct floats out = u8_new(bytes), want = u8_new(bytes), residual = u8_random(&rng, bytes), factor = floats_random(&rng, (size_t)channels);
		int32_t x0[40], x1[40];
		uint8_t wx[40];
		for (int i = 0; i < pixels; i++) {
			x0[i] = random_int(&rng, 0, in - 1);
			x1[i] = random_int(&rng, 0, in - 1);
			wx[i] = (uint8_t)random_int(&rng, 0, 128);
		}
		struct vrs_resize_row_u8 row = {
			.row0 = u8_of(&row0), .row1 = u8_of(&row1), .wy = seed % 5 == 0 ? 128 * (int)(seed % 2) : random_int(&rng, 0, 128), .x0 = x0, .x1 = x1,
			.wx = wx, .in_pixels = in, .pixels = pixels, .channels = channels, .in_px = channels, .blend = (uint16_t *)(void *)blend.data,
			.scale = 1.1f / 16384, .zero = -7.0f, .residual_factor = seed % 2 ? factor.data : NULL, .out = u8_of(&out), .out_px = channels,
			.epilogue = random_epilogue_u8(&rng, u8_of(&residual), channels),
		};
		if (row.wy == 0)
			row.row1 = NULL;
		kernels->resize(&row);
		row.out = u8_of(&want);
		ref.resize(&row);
		assert_memory_equal(u8_of(&out), u8_of(&want), bytes);
		floats_free(&row0);
		floats_free(&row1);
		floats_free(&blend);
		floats_free(&out);
		floats_free(&want);
		floats_free(&residual);
		floats_free(&factor);
	}
}

static void check_row_sum(const struct vrs_kernels_u8 *kernels)
{
	struct vrs_kernels_u8 ref = table_u8_for("ref");
	for (uint64_t seed = 0; seed < 60; seed++) {
		struct vrs_rng rng;
		vrs_rng_init(&rng, seed);
		int pixels = random_int(&rng, 1, 700), channels = 4 * random_int(&rng, 1, 12);
		struct floats in = u8_random(&rng, (size_t)(pixels * channels)), sum = floats_new((size_t)channels);
		int32_t want[48];
		kernels->row_sum(u8_of(&in), channels, pixels, channels, (int32_t *)(void *)sum.data);
		ref.row_sum(u8_of(&in), channels, pixels, channels, want);
		assert_memory_equal(sum.data, want, (size_t)channels * sizeof *want);
		floats_free(&in);
		floats_free(&sum);
	}
}

/* The maximum over the valid part of a window, and tables. */
static void test_max_pool(void **state)
{
	(void)state;
	struct vrs_kernels_u8 kernels = table_u8_for("ref");
	struct vrs_rng rng;
	vrs_rng_init(&rng, 9);
	for (int round = 0; round < 200; round++) {
		int kw = random_int(&rng, 1, 4), stride = random_int(&rng, 1, 3), pad = random_int(&rng, 0, kw - 1), rows = random_int(&rng, 1, 3);
		int width = random_int(&rng, kw, 20), channels = 4 * random_int(&rng, 1, 5), pixels = (width + pad - kw) / stride + 1;
		struct floats in[3], out = u8_new((size_t)(pixels * channels));
		const uint8_t *data[3];
		for (int r = 0; r < rows; r++) {
			in[r] = u8_random(&rng, (size_t)(width * channels));
			data[r] = u8_of(&in[r]);
		}
		kernels.max_pool(&(struct vrs_pool_row_u8){.rows = data, .row_count = rows, .kw = kw, .stride = stride, .dilation = 1, .pad_left = pad,
			.in_pixels = width, .pixels = pixels, .channels = channels, .in_px = channels, .out = u8_of(&out), .out_px = channels});
		for (int i = 0; i < pixels * channels; i++) {
			int best = 0, first = i / channels * stride - pad;
			for (int x = first < 0 ? 0 : first; x < first + kw && x < width; x++)
				for (int r = 0; r < rows; r++)
					best = data[r][x * channels + i % channels] > best ? data[r][x * channels + i % channels] : best;
			assert_int_equal(u8_of(&out)[i], best);
		}
		for (int r = 0; r < rows; r++)
			floats_free(&in[r]);
		floats_free(&out);
	}
}

U8_TESTS(check_convert)
U8_TESTS(check_eltwise)
U8_TESTS(check_resize)
U8_TESTS(check_row_sum)

int main(void)
{
	const struct CMUnitTest tests[] = {
		U8_ENTRIES(check_convert), U8_ENTRIES(check_eltwise), U8_ENTRIES(check_resize), U8_ENTRIES(check_row_sum), cmocka_unit_test(test_max_pool),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
