/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the places of the best values of lines and of columns for each instruction set: the first or the last of equal ones, values that are no
 * number, no access outside.
 */
#include "kernels/row_check.h"

#define CASES 600

struct case_of {
	struct vrs_arg arg;
	int n, count;                /* values of each, lines or columns */
	ptrdiff_t each, next;        /* floats from one line or column to the next, and from one of its values to the next */
};

/* Few different numbers, so that many are equal; some are none, or infinite. */
static void fill(struct vrs_rng *rng, struct floats *in)
{
	for (size_t i = 0; i < in->count; i++) {
		int kind = random_int(rng, 0, 60);
		in->data[i] = kind == 0 ? NAN : kind == 1 ? -INFINITY : kind == 2 ? INFINITY : (float)random_int(rng, -3, 3);
	}
}

/* By the definition: a value is better than the best so far, or as good where the last is wanted. */
static int64_t expected(const struct case_of *c, const float *in)
{
	int64_t best = 0;
	for (int64_t k = 1; k < c->n; k++) {
		float x = in[k * c->next], most = in[best * c->next];
		if ((c->arg.smallest ? x < most : x > most) || (c->arg.last && x == most))
			best = k;
	}
	return best;
}

static void check_places(const struct case_of *c, const struct floats *in, const struct guarded *places, const char *isa, int seed)
{
	const int64_t *got = (const int64_t *)(const void *)places->data;
	for (int i = 0; i < c->count; i++) {
		int64_t want = expected(c, in->data + i * c->each);
		if (got[i] != want)
			fail_msg("%s, seed %d: place %lld of %d values instead of %lld", isa, seed, (long long)got[i], c->n, (long long)want);
	}
}

static void check_lines(const struct vrs_kernels *kernels)
{
	struct vrs_rng rng;
	vrs_rng_init(&rng, 1);
	for (int i = 0; i < CASES; i++) {
		struct case_of c = {.arg = {i & 1, i >> 1 & 1}, .n = random_int(&rng, 1, i % 3 ? 11 : 200), .count = random_int(&rng, 1, 100), .next = 1};
		struct floats in = floats_new((size_t)c.n * (size_t)c.count);
		struct guarded places = guarded_new((size_t)c.count * sizeof(int64_t));
		c.each = c.n;
		fill(&rng, &in);
		kernels->arg_lines(&c.arg, in.data, c.n, (size_t)c.count, (int64_t *)(void *)places.data);
		check_places(&c, &in, &places, kernels->isa, i);
		guarded_free(&places);
		floats_free(&in);
	}
}

static void check_columns(const struct vrs_kernels *kernels)
{
	struct vrs_rng rng;
	vrs_rng_init(&rng, 2);
	for (int i = 0; i < CASES; i++) {
		struct case_of c = {.arg = {i & 1, i >> 1 & 1}, .n = random_int(&rng, 1, 40), .count = random_int(&rng, 1, 150), .each = 1};
		c.next = c.count + random_int(&rng, 0, 5);
		struct floats in = floats_new((size_t)(c.n - 1) * (size_t)c.next + (size_t)c.count);
		struct guarded places = guarded_new((size_t)c.count * sizeof(int64_t));
		fill(&rng, &in);
		kernels->arg_rows(&c.arg, in.data, c.next, c.n, c.count, (int64_t *)(void *)places.data);
		check_places(&c, &in, &places, kernels->isa, i);
		guarded_free(&places);
		floats_free(&in);
	}
}

ISA_TESTS(check_lines)
ISA_TESTS(check_columns)

int main(void)
{
	const struct CMUnitTest tests[] = {ISA_ENTRIES(check_lines), ISA_ENTRIES(check_columns)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
