/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Harness of the row kernel tests: guard-paged buffers, random values, activations in double, one cmocka test an instruction set
 * (skipped, never passed, where the CPU lacks it).
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
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/rng.h"
#include "kernels/kernels.h"
#include "machine/cpu_features.h"

/* Floats that end right before an unreadable page. */
struct guarded {
	char *map;
	size_t map_bytes;
	float *data;
	size_t count;
};

static inline struct guarded guarded_new(size_t count)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = count * sizeof(float), pages = (bytes + page - 1) / page + 1;
	struct guarded g = { .map_bytes = (pages + 1) * page, .count = count };
	g.map = mmap(NULL, g.map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(g.map != MAP_FAILED);
	assert_int_equal(mprotect(g.map + pages * page, page, PROT_NONE), 0);
	g.data = (float *)(void *)(g.map + pages * page - bytes);
	memset(g.map, 0xa5, pages * page);
	return g;
}

/* The page before the data must not have been written. */
static inline void guarded_free(struct guarded *g)
{
	for (const char *p = g->map; p < (const char *)g->data; p++)
		assert_int_equal((unsigned char)*p, 0xa5);
	munmap(g->map, g->map_bytes);
}

static inline float random_float(struct vrs_rng *rng)
{
	return (float)(vrs_rng_unit(rng) * 4.0 - 2.0);
}

static inline struct guarded guarded_random(struct vrs_rng *rng, size_t count)
{
	struct guarded g = guarded_new(count);
	for (size_t i = 0; i < count; i++)
		g.data[i] = random_float(rng);
	return g;
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
	static const enum vrs_kernel_act acts[] = { VRS_KACT_NONE, VRS_KACT_CLAMP, VRS_KACT_HSWISH };
	struct vrs_epilogue e = { .act = acts[vrs_rng_below(rng, 3)], .lo = 0.0f, .hi = INFINITY, .residual_before = vrs_rng_next(rng) & 1 };
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

/* The table of one instruction set, or skip the test. */
static inline struct vrs_kernels table_for(const char *isa)
{
	unsigned features = vrs_cpu_features(), masked;
	struct vrs_error err;
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
