/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards activation rows: the error of every function over all floats (a comb through all bit patterns, and every exponent near zero, one and the
 * ends) by a bound computed from its formula, NaN and infinity as the definition has them, every tail length, in place.
 */
#include "kernels/row_check.h"

#define COMB 4099  /* a prime: 2^32 / COMB = 1.05 million patterns, all low bits among them */
#define BLOCK 1024

static float bits_float(uint32_t bits)
{
	float x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

/*
 * Bound of the error in units of FLT_EPSILON * |result|: half for each rounding on the way from the last exact value, 1 for exp and 0.5 for
 * a fitted polynomial.  GELU by tanh rounds the argument of the exponential: its error is multiplied by that argument.
 */
static double act_units(enum vrs_kernel_act act, double x)
{
	switch (act) {
	case VRS_KACT_NONE:
	case VRS_KACT_CLAMP:
	case VRS_KACT_ABS:
	case VRS_KACT_NEG:
	case VRS_KACT_FLOOR:
	case VRS_KACT_CEIL:
	case VRS_KACT_ROUND:
	case VRS_KACT_SIGN: return 0;
	case VRS_KACT_LEAKY:
	case VRS_KACT_SQRT:
	case VRS_KACT_RECIPROCAL: return 0.5;
	case VRS_KACT_SOFTSIGN: return 1;
	case VRS_KACT_EXP: return 1;
	case VRS_KACT_LOG:
	case VRS_KACT_ELU: return 2;
	case VRS_KACT_HSWISH:
	case VRS_KACT_SIGMOID:
	case VRS_KACT_TANH:
	case VRS_KACT_SILU:
	case VRS_KACT_SELU:
	case VRS_KACT_SOFTPLUS: return 2.5;
	case VRS_KACT_MISH: return 4;
	case VRS_KACT_ERF: return 3;
	case VRS_KACT_GELU: return 4.5;
	case VRS_KACT_GELU_TANH: return 3 + 2 * fabs(1.596 * (x + 0.044715 * x * x * x));
	default: return 4;
	}
}

/* exp of less than -87.3 is subnormal and may be 0: what that is multiplied with stays. */
static double act_tolerance(const struct vrs_act_row *row, double x, double want)
{
	double least = 4 * ldexp(1, -149), flushed = (double)FLT_MIN; /* least: steps of the last place, on the way */
	double units = act_units(row->act, x) * (double)FLT_EPSILON * fabs(want);
	switch (row->act) {
	case VRS_KACT_LINEAR: return (double)FLT_EPSILON * (fabs(want) + fabs((double)row->lo * x) + fabs((double)row->hi));
	case VRS_KACT_HSIGMOID: return 2 * (double)FLT_EPSILON;
	case VRS_KACT_SIGMOID:
	case VRS_KACT_SOFTPLUS: return units + flushed;
	case VRS_KACT_SILU:
	case VRS_KACT_MISH:
	case VRS_KACT_GELU:
	case VRS_KACT_GELU_TANH: return units + flushed * (fabs(x) < 200 ? 1 + fabs(x) : 0) + least;
	default: return units + least;
	}
}

static void check_values(const struct vrs_kernels *kernels, enum vrs_kernel_act act, const float *in, int count)
{
	float out[BLOCK];
	struct vrs_act_row row = {.act = act, .lo = -0.3f, .hi = 0.9f, .in = in, .out = out, .count = (size_t)count};
	if (act == VRS_KACT_ELU || act == VRS_KACT_SELU) {
		row.lo = 1.6732632f;
		row.hi = 1.0507010f;
	}
	kernels->act(&row);
	for (int i = 0; i < count; i++) {
		double x = (double)in[i], want = act_double(act, (double)row.lo, (double)row.hi, x);
		if (isnan(x))
			want = (double)NAN;
		float nearest = (float)want;
		if (isnan(want) || isinf(nearest)) {
			/* A result beyond FLT_MAX may be the largest exponent's last steps where the bound reaches there. */
			bool close = !isnan(want) && fabs((double)out[i]) >= (double)FLT_MAX * (1 - 4 * (double)FLT_EPSILON) && signbit(out[i]) == signbit(nearest);
			if (!(isnan(want) ? isnan(out[i]) : close))
				fail_msg("%s, activation %d of %a: %a instead of %a", kernels->isa, (int)act, x, (double)out[i], want);
			continue;
		}
		if (!(fabs((double)out[i] - want) <= act_tolerance(&row, x, want)))
			fail_msg("%s, activation %d of %a: %a instead of %a, %.3g units", kernels->isa, (int)act, x, (double)out[i], want,
				 fabs((double)out[i] - want) / ((double)FLT_EPSILON * fabs(want)));
	}
}

/* All exponents and signs, with NaNs of both kinds, infinities, zeros and subnormals. */
static void check_all_floats(const struct vrs_kernels *kernels)
{
	float in[BLOCK];
	for (int act = VRS_KACT_NONE; act < VRS_KACT_COUNT; act++) {
		int count = 0;
		for (uint64_t bits = 0; bits <= UINT32_MAX; bits += COMB) {
			in[count++] = bits_float((uint32_t)bits);
			if (count == BLOCK) {
				check_values(kernels, (enum vrs_kernel_act)act, in, count);
				count = 0;
			}
		}
		check_values(kernels, (enum vrs_kernel_act)act, in, count);
	}
}

/* Where the formulas change, and the range of values in networks, densely. */
static void check_ranges(const struct vrs_kernels *kernels)
{
	static const float special[] = {0.0f, 1.0f, 0.625f, 0.85f, 14.0f, 20.0f, 87.336f, 87.68f, 88.376f, 88.722839f, 89.0f, 103.97f, 104.0f, 3.0f,
					 2.5f, 0.5f, 1.4142135f, 0.70710677f, FLT_MIN, FLT_MAX, INFINITY};
	float in[BLOCK];
	for (int act = VRS_KACT_NONE; act < VRS_KACT_COUNT; act++) {
		for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
			uint32_t bits;
			memcpy(&bits, &special[i], sizeof bits);
			for (int k = 0; k < BLOCK; k++)
				in[k] = bits_float((bits + (uint32_t)(k / 2) - BLOCK / 4) ^ (uint32_t)(k & 1) << 31);
			check_values(kernels, (enum vrs_kernel_act)act, in, BLOCK);
		}
		struct vrs_rng rng;
		vrs_rng_init(&rng, (uint64_t)act);
		for (int block = 0; block < 60; block++) {
			for (int k = 0; k < BLOCK; k++)
				in[k] = (float)((vrs_rng_unit(&rng) * 2 - 1) * (block % 2 ? 8 : 110));
			check_values(kernels, (enum vrs_kernel_act)act, in, BLOCK);
		}
	}
}

/* Rows of every length, in place, up to an unreadable page: each value as if it were alone. */
static void check_tails(const struct vrs_kernels *kernels)
{
	struct vrs_rng rng;
	vrs_rng_init(&rng, 1);
	for (int act = VRS_KACT_NONE; act < VRS_KACT_COUNT; act++) {
		for (size_t count = 0; count < 70; count++) {
			struct floats data = floats_random(&rng, count), copy = floats_new(count);
			memcpy(copy.data, data.data, count * sizeof(float));
			struct vrs_act_row row = {.act = (enum vrs_kernel_act)act, .lo = 0.1f, .hi = 0.6f, .in = data.data, .out = data.data, .count = count};
			kernels->act(&row);
			for (size_t i = 0; i < count; i++) {
				float alone;
				kernels->act(&(struct vrs_act_row){.act = row.act, .lo = 0.1f, .hi = 0.6f, .in = copy.data + i, .out = &alone, .count = 1});
				assert_true(isnan(alone) ? isnan(data.data[i]) : alone == data.data[i]);
			}
			floats_free(&data);
			floats_free(&copy);
		}
	}
}

ISA_TESTS(check_all_floats)
ISA_TESTS(check_ranges)
ISA_TESTS(check_tails)

int main(void)
{
	const struct CMUnitTest tests[] = {ISA_ENTRIES(check_all_floats), ISA_ENTRIES(check_ranges), ISA_ENTRIES(check_tails)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
