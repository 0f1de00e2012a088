/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Harness of the row kernel tests: guard-paged buffers, random values, activations in double, the checker of a row, one cmocka test an instruction
 * set (skipped, never passed, where the CPU lacks it).
 */
#ifndef TESTS_KERNELS_ROW_CHECK_H
#define TESTS_KERNELS_ROW_CHECK_H

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "kernels/guarded.h"
#include "kernels/kernels.h"
#include "machine/cpu_features.h"

/* Floats, and halves (bfloat16 or binary16), that end right before an unreadable page. */
struct floats {
	struct guarded buffer;
	float *data;
	size_t count;
};
struct halves {
	struct guarded buffer;
	uint16_t *data;
	size_t count;
};

static inline struct floats floats_new(size_t count)
{
	struct floats f = {.buffer = guarded_new(count * sizeof(float)), .count = count};
	f.data = (float *)(void *)f.buffer.data;
	return f;
}

static inline void floats_free(struct floats *f)
{
	guarded_free(&f->buffer);
}

static inline struct halves halves_new(size_t count)
{
	struct halves h = {.buffer = guarded_new(count * sizeof(uint16_t)), .count = count};
	h.data = (uint16_t *)(void *)h.buffer.data;
	return h;
}

static inline void halves_free(struct halves *h)
{
	guarded_free(&h->buffer);
}

static inline float random_float(struct vrs_rng *rng)
{
	return (float)(vrs_rng_unit(rng) * 4.0 - 2.0);
}

static inline struct floats floats_random(struct vrs_rng *rng, size_t count)
{
	struct floats f = floats_new(count);
	for (size_t i = 0; i < count; i++)
		f.data[i] = random_float(rng);
	return f;
}

/* An output buffer keeps this pattern where a kernel does not write. */
static inline bool is_untouched(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	return bits == 0xa5a5a5a5u;
}

static inline int random_int(struct vrs_rng *rng, int lo, int hi)
{
	return lo + (int)vrs_rng_below(rng, (uint64_t)(hi - lo + 1));
}

static inline double act_double(enum vrs_kernel_act act, double lo, double hi, double x)
{
	switch (act) {
	case VRS_KACT_NONE: return x;
	case VRS_KACT_CLAMP: return fmin(fmax(x, lo), hi);
	case VRS_KACT_HSWISH: return x * fmin(fmax(x + 3, 0), 6) / 6;
	case VRS_KACT_HSIGMOID: return fmin(fmax(x / 6 + 0.5, 0), 1);
	case VRS_KACT_SIGMOID: return 1 / (1 + exp(-x));
	case VRS_KACT_TANH: return tanh(x);
	case VRS_KACT_LEAKY: return x < 0 ? x * lo : x;
	case VRS_KACT_SILU: return x / (1 + exp(-x));
	case VRS_KACT_ELU: return x < 0 ? lo * expm1(x) : x;
	case VRS_KACT_SELU: return hi * (x < 0 ? lo * expm1(x) : x);
	case VRS_KACT_GELU: return x * erfc(-x / sqrt(2)) / 2;
	case VRS_KACT_GELU_TANH: return x / (1 + exp(-2 * sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x)));
	case VRS_KACT_SOFTPLUS: return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
	case VRS_KACT_MISH: return x * tanh(x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)));
	case VRS_KACT_SOFTSIGN: return x / (1 + fabs(x));
	case VRS_KACT_LINEAR: return lo * x + hi;
	case VRS_KACT_ERF: return erf(x);
	case VRS_KACT_ABS: return fabs(x);
	case VRS_KACT_NEG: return -x;
	case VRS_KACT_SQRT: return sqrt(x);
	case VRS_KACT_EXP: return exp(x);
	case VRS_KACT_LOG: return log(x);
	case VRS_KACT_FLOOR: return floor(x);
	case VRS_KACT_CEIL: return ceil(x);
	case VRS_KACT_ROUND: return nearbyint(x);
	case VRS_KACT_SIGN: return x > 0 ? 1 : x < 0 ? -1 : x;
	case VRS_KACT_RECIPROCAL: return 1 / x;
	case VRS_KACT_COUNT: break;
	}
	return x;
}

/* A random epilogue; residual rows are `stride` floats apart and count pixels. */
static inline struct vrs_epilogue random_epilogue(struct vrs_rng *rng, const float *residual, ptrdiff_t stride)
{
	static const enum vrs_kernel_act acts[] = {VRS_KACT_NONE, VRS_KACT_CLAMP, VRS_KACT_HSWISH};
	struct vrs_epilogue e = {.act = acts[vrs_rng_below(rng, 3)], .lo = 0.0f, .hi = INFINITY, .residual_before = vrs_rng_next(rng) & 1};
	if (vrs_rng_below(rng, 2)) {
		e.lo = -0.5f;
		e.hi = 0.75f;
	}
	if (vrs_rng_below(rng, 2)) {
		e.residual = residual;
		e.residual_px = stride;
	}
	return e;
}

static inline double epilogue_double(const struct vrs_epilogue *e, double x, ptrdiff_t pixel, ptrdiff_t channel)
{
	double residual = e->residual ? (double)e->residual[pixel * e->residual_px + channel] : 0;
	if (e->residual_before)
		x += residual;
	x = act_double(e->act, (double)e->lo, (double)e->hi, x);
	return e->residual_before ? x : x + residual;
}

/*
 * Bound of the rounding error of a sum of n products with magnitudes adding up to `magnitude`, then an epilogue: n + 2 roundings of the sum
 * (Higham, gamma_n), at most a factor of 2 from hard-swish and its four roundings.
 */
static inline double sum_tolerance(int n, double magnitude)
{
	return (2.0 * (n + 2) + 8.0) * (double)FLT_EPSILON * (magnitude + 4.0);
}

static inline void check_close(double want, float got, double tolerance, const char *isa, uint64_t seed, const char *what)
{
	if (!(fabs(want - (double)got) <= tolerance)) {
		print_error("%s, %s, seed %llu: want %.9g, got %.9g, tolerance %.3g\n", isa, what, (unsigned long long)seed, want, (double)got, tolerance);
		fail();
	}
}

/*
 * One row of a kernel that makes pixels of channels, whatever its arguments: a test says how the kernel runs on a piece of the row and what an
 * element has to be, check_row does the rest.
 */
struct row_case {
	const struct vrs_kernels *kernels;
	const char *what;            /* for messages, as is the seed */
	uint64_t seed;
	const void *fixture;
	int pixels, channels;
	ptrdiff_t out_px;            /* floats between the output pixels */
	const struct vrs_epilogue *epilogue; /* of the whole row; NULL: none */
	/* Make output pixels [first, first + pixels) of the row; out is the place of the first of them. */
	void (*run)(const struct row_case *c, int first, int pixels, float *out);
	/* An element before the epilogue, and the error that it may have. */
	double (*expect)(const struct row_case *c, int pixel, int channel, double *ret_tolerance);
};

/* The epilogue of a row that begins at pixel `first` of the whole one. */
static inline struct vrs_epilogue epilogue_from(const struct vrs_epilogue *e, int first)
{
	struct vrs_epilogue moved = *e;
	if (moved.residual)
		moved.residual += first * moved.residual_px;
	return moved;
}

static inline struct floats row_buffer(const struct row_case *c)
{
	return floats_new((size_t)(c->pixels - 1) * (size_t)c->out_px + (size_t)c->channels);
}

/*
 * The row in one call has the expected values and nothing between its pixels; in two calls, cut at a random pixel, it has the same bits.  Returns
 * the row, for floats_free.
 */
static inline struct floats check_row(const struct row_case *c, struct vrs_rng *rng)
{
	struct floats whole = row_buffer(c);
	c->run(c, 0, c->pixels, whole.data);
	for (int p = 0; p < c->pixels; p++) {
		const float *pixel = whole.data + p * c->out_px;
		for (int n = 0; n < c->channels; n++) {
			double tolerance, want = c->expect(c, p, n, &tolerance);
			if (c->epilogue)
				want = epilogue_double(c->epilogue, want, p, n);
			if (isinf(want))
				assert_true((double)pixel[n] == want);
			else
				check_close(want, pixel[n], tolerance, c->kernels->isa, c->seed, c->what);
		}
		for (ptrdiff_t gap = c->channels; p + 1 < c->pixels && gap < c->out_px; gap++)
			assert_true(is_untouched(pixel[gap]));
	}
	if (c->pixels > 1) {
		struct floats parts = row_buffer(c);
		int cut = random_int(rng, 1, c->pixels - 1);
		c->run(c, 0, cut, parts.data);
		c->run(c, cut, c->pixels - cut, parts.data + cut * c->out_px);
		assert_memory_equal(whole.data, parts.data, whole.count * sizeof(float));
		floats_free(&parts);
	}
	return whole;
}

/* The table of one instruction set, or skip the test. */
static inline struct vrs_kernels table_for(const char *isa)
{
	unsigned features = vrs_cpu_features(), masked;
	struct vrs_error err = {0};
	struct vrs_kernels kernels;
	memset(&err, 0, sizeof err);
	assert_int_equal(vrs_cpu_features_mask(features, isa, &masked, &err), VRS_OK);
	vrs_kernels_init(&kernels, masked);
	if (strcmp(kernels.isa, isa) != 0) {
		print_message("this CPU cannot run %s kernels\n", isa);
		skip();
	}
	return kernels;
}

#define ISA_TESTS(check) \
	static void check##_ref(void **state) { (void)state; struct vrs_kernels k = table_for("ref"); check(&k); } \
	static void check##_avx2(void **state) { (void)state; struct vrs_kernels k = table_for("avx2"); check(&k); } \
	static void check##_avx512(void **state) { (void)state; struct vrs_kernels k = table_for("avx512"); check(&k); }
#define ISA_ENTRIES(check) cmocka_unit_test(check##_ref), cmocka_unit_test(check##_avx2), cmocka_unit_test(check##_avx512)

#endif
