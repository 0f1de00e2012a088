/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards activation rows: stated relative errors over -100..100 and special values, every tail length, in place, and softmax rows. */
#include "kernels/row_check.h"

#define RELATIVE 3e-7 /* as act_template.h states it */

static double act_tolerance(enum vrs_kernel_act act, double x, double want)
{
	switch (act) {
	case VRS_KACT_SIGMOID:
	case VRS_KACT_TANH:
	case VRS_KACT_SILU: return RELATIVE * fabs(want) + 1e-36 * (1 + fabs(x)); /* below -87 the exponential is clamped */
	default: return 4 * (double)FLT_EPSILON * (fabs(want) + fabs(x) + 1);
	}
}

static void check_error(const struct vrs_kernels *kernels)
{
	for (int act = VRS_KACT_NONE; act <= VRS_KACT_SILU; act++) {
		for (double x = -100; x <= 100; x += 0.00371) {
			float in = (float)x, out;
			struct vrs_act_row row = { .act = (enum vrs_kernel_act)act, .lo = -0.3f, .hi = 0.9f, .in = &in, .out = &out, .count = 1 };
			kernels->act(&row);
			double want = act_double(row.act, (double)row.lo, (double)row.hi, (double)in);
			check_close(want, out, act_tolerance(row.act, (double)in, want), kernels->isa, (uint64_t)act, "activation");
		}
	}
}

static void check_special(const struct vrs_kernels *kernels)
{
	static const struct {
		enum vrs_kernel_act act;
		float in, want;
	} cases[] = {
		{ VRS_KACT_SIGMOID, INFINITY, 1 }, { VRS_KACT_SIGMOID, -INFINITY, 0 }, { VRS_KACT_TANH, INFINITY, 1 }, { VRS_KACT_TANH, -INFINITY, -1 },
		{ VRS_KACT_CLAMP, INFINITY, 6 },   { VRS_KACT_CLAMP, -INFINITY, 0 },   { VRS_KACT_LEAKY, -4, 0 },       { VRS_KACT_HSIGMOID, INFINITY, 1 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		float out;
		struct vrs_act_row row = { .act = cases[i].act, .hi = 6, .in = &cases[i].in, .out = &out, .count = 1 };
		kernels->act(&row);
		check_close((double)cases[i].want, out, 1e-36, kernels->isa, i, "special value");
	}
}

static void check_tails(const struct vrs_kernels *kernels)
{
	struct vrs_rng rng;
	vrs_rng_init(&rng, 1);
	for (size_t count = 0; count < 70; count++) {
		struct guarded data = guarded_random(&rng, count), copy = guarded_new(count);
		memcpy(copy.data, data.data, count * sizeof(float));
		struct vrs_act_row row = { .act = VRS_KACT_SIGMOID, .in = data.data, .out = data.data, .count = count };
		kernels->act(&row);
		for (size_t i = 0; i < count; i++) {
			double want = act_double(VRS_KACT_SIGMOID, 0, 0, (double)copy.data[i]);
			check_close(want, data.data[i], RELATIVE * want, kernels->isa, count, "tail");
		}
		guarded_free(&data);
		guarded_free(&copy);
	}
}

static void check_softmax(const struct vrs_kernels *kernels)
{
	struct vrs_rng rng;
	vrs_rng_init(&rng, 2);
	for (int channels = 1; channels < 40; channels++) {
		enum { PIXELS = 5 };
		struct guarded in = guarded_random(&rng, (size_t)(PIXELS * channels)), out = guarded_new((size_t)(PIXELS * channels));
		for (size_t i = 0; i < in.count; i++)
			in.data[i] *= 40;
		kernels->softmax(in.data, out.data, PIXELS, channels);
		for (int p = 0; p < PIXELS; p++) {
			const float *x = in.data + p * channels;
			double max = (double)x[0], sum = 0;
			for (int c = 0; c < channels; c++)
				max = fmax(max, (double)x[c]);
			for (int c = 0; c < channels; c++)
				sum += exp((double)x[c] - max);
			for (int c = 0; c < channels; c++)
				check_close(exp((double)x[c] - max) / sum, out.data[p * channels + c], 4e-6, kernels->isa, (uint64_t)channels, "softmax");
		}
		guarded_free(&in);
		guarded_free(&out);
	}
}

ISA_TESTS(check_error)
ISA_TESTS(check_special)
ISA_TESTS(check_tails)
ISA_TESTS(check_softmax)

int main(void)
{
	const struct CMUnitTest tests[] = { ISA_ENTRIES(check_error), ISA_ENTRIES(check_special), ISA_ENTRIES(check_tails), ISA_ENTRIES(check_softmax) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
