/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards binary rows (seven operations, every broadcast, NaN, epilogues, tails), and the conversions between half or bfloat16 and float: exact
 * for all 65536 values, to nearest even back, the same bits on every instruction set.
 */
#include "kernels/row_check.h"

#define ROUNDS 500

struct operand {
	struct floats data;
	ptrdiff_t px;
	int ch;
};

static struct operand random_operand(struct vrs_rng *rng, int pixels, int channels)
{
	struct operand o = {.px = vrs_rng_below(rng, 3) ? channels : 0, .ch = vrs_rng_below(rng, 3) ? 1 : 0};
	if (!o.ch && o.px)
		o.px = 1; /* one value a pixel */
	o.data = floats_random(rng, (size_t)((pixels - 1) * o.px + (channels - 1) * o.ch + 1));
	/* No division by nearly nothing. */
	for (size_t i = 0; i < o.data.count; i++)
		o.data.data[i] += o.data.data[i] < 0 ? -0.25f : 0.25f;
	return o;
}

static double binary_double(enum vrs_kernel_binary op, double a, double b)
{
	switch (op) {
	case VRS_KBIN_ADD: return a + b;
	case VRS_KBIN_SUB: return a - b;
	case VRS_KBIN_MUL: return a * b;
	case VRS_KBIN_DIV: return a / b;
	case VRS_KBIN_MIN: return fmin(a, b);
	case VRS_KBIN_MAX: return fmax(a, b);
	case VRS_KBIN_PRELU: return a < 0 ? a * b : a;
	}
	return 0;
}

static double expect_binary(const struct row_case *c, int pixel, int channel, double *ret_tolerance)
{
	const struct vrs_eltwise_row *row = c->fixture;
	double x = binary_double(row->op, (double)row->a[pixel * row->a_px + channel * row->a_ch], (double)row->b[pixel * row->b_px + channel * row->b_ch]);
	*ret_tolerance = sum_tolerance(1, fabs(x));
	return x;
}

static void run_binary(const struct row_case *c, int first, int pixels, float *out)
{
	const struct vrs_eltwise_row *whole = c->fixture;
	struct vrs_eltwise_row row = *whole;
	row.a += first * row.a_px;
	row.b += first * row.b_px;
	row.out = out;
	row.pixels = pixels;
	row.epilogue = epilogue_from(&whole->epilogue, first);
	c->kernels->eltwise(&row);
}

static void check_binary(const struct vrs_kernels *kernels)
{
	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		struct vrs_rng rng;
		vrs_rng_init(&rng, seed);
		int pixels = random_int(&rng, 1, 19), channels = 1 + (int)(seed % 70);
		struct operand a = random_operand(&rng, pixels, channels), b = random_operand(&rng, pixels, channels);
		struct floats residual = floats_random(&rng, (size_t)pixels * (size_t)channels);
		struct vrs_eltwise_row row = {
			.op = (enum vrs_kernel_binary)vrs_rng_below(&rng, 7), .a = a.data.data, .b = b.data.data, .a_px = a.px, .b_px = b.px,
			.a_ch = a.ch, .b_ch = b.ch, .channels = channels, .out_px = channels, .epilogue = random_epilogue(&rng, residual.data, channels),
		};
		struct floats out = check_row(&(struct row_case){
			.kernels = kernels, .what = "binary", .seed = seed, .fixture = &row, .pixels = pixels, .channels = channels, .out_px = channels,
			.epilogue = &row.epilogue, .run = run_binary, .expect = expect_binary,
		}, &rng);
		floats_free(&a.data);
		floats_free(&b.data);
		floats_free(&residual);
		floats_free(&out);
	}
}

/* A NaN on either side is the result; infinities compare. */
static void check_binary_nan(const struct vrs_kernels *kernels)
{
	static const float values[] = {NAN, -NAN, INFINITY, -INFINITY, 0.0f, 1.0f};
	enum { COUNT = 6 };
	for (int op = VRS_KBIN_ADD; op <= VRS_KBIN_PRELU; op++) {
		for (int i = 0; i < COUNT * COUNT; i++) {
			float a = values[i / COUNT], b = values[i % COUNT], out;
			struct vrs_eltwise_row row = {.op = (enum vrs_kernel_binary)op, .a = &a, .b = &b, .a_ch = 1, .b_ch = 1, .pixels = 1, .channels = 1,
						       .out = &out, .out_px = 1};
			kernels->eltwise(&row);
			double want = binary_double(row.op, (double)a, (double)b);
			if ((isnan(a) || isnan(b)) && row.op != VRS_KBIN_PRELU)
				want = (double)NAN;
			assert_true(isnan(want) ? isnan(out) : want == (double)out);
		}
	}
}

/* Value of a half by definition. */
static double half_double(unsigned h)
{
	double sign = h & 0x8000u ? -1 : 1;
	int exponent = (int)(h >> 10 & 31u), fraction = (int)(h & 1023u);
	if (exponent == 31)
		return fraction ? (double)NAN : sign * (double)INFINITY;
	return exponent ? sign * ldexp(1024 + fraction, exponent - 25) : sign * ldexp(fraction, -24);
}

static void check_half(const struct vrs_kernels *kernels)
{
	static uint16_t halves[65536], back[65536];
	static float floats[65536];
	for (unsigned h = 0; h < 65536; h++)
		halves[h] = (uint16_t)h;
	kernels->half_to_float(halves, floats, 65536);
	kernels->float_to_half(floats, back, 65536);
	for (unsigned h = 0; h < 65536; h++) {
		double want = half_double(h);
		if (isnan(want)) {
			assert_true(isnan(floats[h]) && isnan(half_double(back[h])));
			continue;
		}
		assert_true((double)floats[h] == want && !!signbit(floats[h]) == !!(h & 0x8000u));
		assert_int_equal(back[h], h);
	}
}

/* Random floats near halves, halfway points among them, go to the nearer half, or to the even one. */
static void check_half_rounding(const struct vrs_kernels *kernels)
{
	struct vrs_rng rng;
	vrs_rng_init(&rng, 5);
	for (int i = 0; i < 20000; i++) {
		unsigned h = (unsigned)vrs_rng_below(&rng, 0x7c00);
		double low = half_double(h), high = h == 0x7bff ? 65536 : half_double(h + 1), t = vrs_rng_below(&rng, 3) ? vrs_rng_unit(&rng) : 0.5;
		float value = (float)(low + t * (high - low));
		uint16_t got;
		kernels->float_to_half(&value, &got, 1);
		double below = (double)value - low, above = high - (double)value;
		unsigned want = below < above ? h : below > above ? h + 1 : h + (h & 1);
		assert_int_equal(got, want);
	}
	for (int count = 0; count < 40; count++) {
		struct floats floats = floats_random(&rng, (size_t)count);
		struct halves tail = halves_new((size_t)count);
		kernels->float_to_half(floats.data, tail.data, (size_t)count);
		kernels->half_to_float(tail.data, floats.data, (size_t)count);
		halves_free(&tail);
		floats_free(&floats);
	}
}

static float float_of(uint32_t bits)
{
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

/* The conversion of CPUs with BF16 takes denormals for zero. */
static bool flushed(const struct vrs_kernels *kernels, uint32_t bits, uint16_t got)
{
	return kernels->conv_bf16 && (bits & 0x7f800000u) == 0 && got == (bits >> 16 & 0x8000u);
}

/* Every bfloat16 is the float with its bits above; back it is itself, and a NaN stays one with its sign. */
static void check_bf16(const struct vrs_kernels *kernels)
{
	static uint16_t all[65536], back[65536];
	static float floats[65536];
	for (unsigned h = 0; h < 65536; h++)
		all[h] = (uint16_t)h;
	kernels->bf16_to_float(all, floats, 65536);
	kernels->float_to_bf16(floats, back, 65536);
	for (unsigned h = 0; h < 65536; h++) {
		float want = float_of((uint32_t)h << 16);
		assert_memory_equal(&floats[h], &want, sizeof want);
		if (!flushed(kernels, (uint32_t)h << 16, back[h]))
			assert_int_equal(back[h], isnan(want) ? h | 0x40u : h);
	}
}

/* Floats between two neighbours go to the nearer, halfway to the even one, above the largest to infinity; NaNs whose payload is cut off stay NaNs. */
static void check_bf16_rounding(const struct vrs_kernels *kernels)
{
	struct vrs_rng rng;
	vrs_rng_init(&rng, 6);
	for (int i = 0; i < 20000; i++) {
		uint32_t sign = (uint32_t)vrs_rng_below(&rng, 2) << 15, upper = (uint32_t)vrs_rng_below(&rng, 0x7f80) | sign;
		uint32_t lower = vrs_rng_below(&rng, 3) ? (uint32_t)vrs_rng_below(&rng, 0x10000) : 0x8000;
		float value = float_of(upper << 16 | lower);
		uint16_t got;
		kernels->float_to_bf16(&value, &got, 1);
		if (flushed(kernels, upper << 16 | lower, got))
			continue;
		assert_int_equal(got, lower < 0x8000 ? upper : lower > 0x8000 ? upper + 1 : upper + (upper & 1));
	}
	for (uint32_t bits = 0x7f800001u; bits < 0x7f810001u; bits += 0x0fffu) {
		float values[17];
		uint16_t got[17];
		for (int i = 0; i < 17; i++)
			values[i] = float_of(bits | (uint32_t)(i & 1) << 31);
		kernels->float_to_bf16(values, got, 17);
		for (int i = 0; i < 17; i++)
			assert_true((got[i] & 0x7fffu) > 0x7f80u && (got[i] >> 15 & 1u) == (unsigned)(i & 1));
	}
	for (int count = 0; count < 40; count++) {
		struct floats floats = floats_random(&rng, (size_t)count);
		struct halves tail = halves_new((size_t)count);
		kernels->float_to_bf16(floats.data, tail.data, (size_t)count);
		kernels->bf16_to_float(tail.data, floats.data, (size_t)count);
		for (int i = 0; i < count; i++) {
			float want = float_of((uint32_t)tail.data[i] << 16);
			assert_memory_equal(&floats.data[i], &want, sizeof want);
		}
		halves_free(&tail);
		floats_free(&floats);
	}
}

ISA_TESTS(check_binary)
ISA_TESTS(check_binary_nan)
ISA_TESTS(check_bf16)
ISA_TESTS(check_bf16_rounding)
ISA_TESTS(check_half)
ISA_TESTS(check_half_rounding)

int main(void)
{
	const struct CMUnitTest tests[] = {ISA_ENTRIES(check_binary), ISA_ENTRIES(check_binary_nan), ISA_ENTRIES(check_half),
					    ISA_ENTRIES(check_half_rounding),
					    ISA_ENTRIES(check_bf16), ISA_ENTRIES(check_bf16_rounding)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
