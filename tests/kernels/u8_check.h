/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Harness of the u8 row kernel tests, beside row_check.h: tables by instruction set, byte buffers before guard pages, random epilogues. */
#ifndef TESTS_KERNELS_U8_CHECK_H
#define TESTS_KERNELS_U8_CHECK_H

#include "kernels/row_check.h"

#include "kernels/kernels_u8.h"
#include "kernels/weight_pack_u8.h"

/* Bytes that end right before an unreadable page; the data begin at an address that is a multiple of 4 bytes before its end. */
static inline uint8_t *u8_of(struct floats *g)
{
	return (uint8_t *)(void *)g->data;
}

static inline struct floats u8_new(size_t bytes)
{
	assert_int_equal(bytes % 4, 0);
	return floats_new(bytes / 4);
}

/* Every value, extremes often. */
static inline struct floats u8_random(struct vrs_rng *rng, size_t bytes)
{
	struct floats g = u8_new(bytes);
	bool extreme = vrs_rng_below(rng, 4) == 0;
	for (size_t i = 0; i < bytes; i++)
		u8_of(&g)[i] = (uint8_t)(extreme ? vrs_rng_below(rng, 2) * 255 : vrs_rng_below(rng, 256));
	return g;
}

/* Weights that keep the rule for pairs, at their largest in one case of four. */
static inline void random_weights(struct vrs_rng *rng, int8_t *w, size_t count)
{
	bool extreme = vrs_rng_below(rng, 4) == 0;
	for (size_t i = 0; i < count; i += 2) {
		int a = random_int(rng, -127, 127), lo = -128 - a < -127 ? -127 : -128 - a, hi = 128 - a > 127 ? 127 : 128 - a;
		int b = random_int(rng, lo, hi);
		if (extreme) {
			a = vrs_rng_below(rng, 2) ? 127 : -127;
			b = vrs_rng_below(rng, 2) ? -a : a > 0 ? 1 : -1;
		}
		w[i] = (int8_t)a;
		if (i + 1 < count)
			w[i + 1] = (int8_t)b;
	}
}

/* Scales that spread the results of sums up to `magnitude` around 0..255. */
static inline void random_factors(struct vrs_rng *rng, struct floats *mult, struct floats *bias, int n, double magnitude)
{
	*mult = floats_new((size_t)n);
	*bias = floats_new((size_t)n);
	for (int i = 0; i < n; i++) {
		mult->data[i] = (float)(600.0 * (0.2 + vrs_rng_unit(rng)) / magnitude);
		bias->data[i] = (float)(300.0 * vrs_rng_unit(rng) - 20.0);
	}
}

static inline struct vrs_epilogue_u8 random_epilogue_u8(struct vrs_rng *rng, const uint8_t *residual, ptrdiff_t stride)
{
	static const enum vrs_kernel_act acts[] = {VRS_KACT_NONE, VRS_KACT_CLAMP, VRS_KACT_HSWISH};
	struct vrs_epilogue_u8 e = {
		.act = acts[vrs_rng_below(rng, 3)], .lo = 20.0f, .hi = 180.5f, .out_scale = 0.0137f, .out_zero = 12.0f, .residual_scale = 0.37f,
		.residual_zero = -14.2f, .residual_before = vrs_rng_next(rng) & 1,
	};
	if (vrs_rng_below(rng, 2)) {
		e.residual = residual;
		e.residual_px = stride;
	}
	return e;
}

static inline struct vrs_kernels_u8 table_u8_for(const char *isa)
{
	unsigned features = vrs_cpu_features(), masked;
	struct vrs_error err = {0};
	struct vrs_kernels_u8 kernels;
	bool vnni = strcmp(isa, "avx512vnni") == 0;
	memset(&err, 0, sizeof err);
	assert_int_equal(vrs_cpu_features_mask(features, vnni ? "avx512" : isa, &masked, &err), VRS_OK);
	vrs_kernels_u8_init(&kernels, masked);
	if (strcmp(kernels.isa, isa) != 0) {
		print_message("this CPU cannot run %s kernels\n", isa);
		skip();
	}
	return kernels;
}

/* Each level against the reference, whose packing has 8 lanes. */
#define U8_TESTS(check) \
	static void check##_ref(void **state) { (void)state; struct vrs_kernels_u8 k = table_u8_for("ref"); check(&k); } \
	static void check##_avx2(void **state) { (void)state; struct vrs_kernels_u8 k = table_u8_for("avx2"); check(&k); } \
	static void check##_avx512vnni(void **state) { (void)state; struct vrs_kernels_u8 k = table_u8_for("avx512vnni"); check(&k); }
#define U8_ENTRIES(check) cmocka_unit_test(check##_ref), cmocka_unit_test(check##_avx2), cmocka_unit_test(check##_avx512vnni)

#endif
