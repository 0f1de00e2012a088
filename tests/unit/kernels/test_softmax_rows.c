/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards softmax rows and their logarithm: every count of channels and pixels around the widths of vectors, in place and not, up to unreadable pages,
 * by a computed bound; large and equal values; NaN and infinity as the reference has them; a pixel does not depend on its neighbours.
 */
#include "kernels/row_check.h"

static const int channel_counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 19, 21, 24, 31, 32, 33, 47, 64, 80, 100, 257, 1001};
#define CHANNEL_COUNTS (int)(sizeof channel_counts / sizeof *channel_counts)

/* The definition, in double. */
static void softmax_double(const float *x, int channels, bool logarithm, double *y)
{
	double max = (double)x[0], sum = 0;
	for (int c = 1; c < channels; c++)
		max = (double)x[c] > max ? (double)x[c] : max;
	for (int c = 0; c < channels; c++)
		sum += exp((double)x[c] - max);
	for (int c = 0; c < channels; c++)
		y[c] = logarithm ? (double)x[c] - max - log(sum) : exp((double)x[c] - max) / sum;
}

/*
 * x - max is rounded once, which the exponential multiplies by |x - max|; exp and the division make 2 units more, the sum of n terms n / 8 + 4 (eight
 * lanes or more, each in order, the largest first met term is 1 or less) or n without vectors.
 */
static double softmax_tolerance(const struct vrs_kernels *kernels, int channels, bool logarithm, double distance, double want)
{
	double sum = strcmp(kernels->isa, "ref") == 0 ? channels : channels / 8.0 + 4, eps = (double)FLT_EPSILON;
	if (logarithm)
		return eps * (distance + fabs(want) + sum + 3);
	return eps * (fmin(distance, 200) / 2 + sum + 3) * want + (double)FLT_MIN;
}

static void check_pixel(const struct vrs_kernels *kernels, const float *in, const float *out, int channels, bool logarithm)
{
	double want[1024], max = (double)in[0];
	softmax_double(in, channels, logarithm, want);
	for (int c = 1; c < channels; c++)
		max = fmax(max, (double)in[c]);
	for (int c = 0; c < channels; c++) {
		if (isnan(want[c]) || isinf((float)want[c])) /* beyond FLT_MAX, too */
			assert_true(isnan(want[c]) ? isnan(out[c]) : out[c] == (float)want[c]);
		else
			check_close(want[c], out[c], softmax_tolerance(kernels, channels, logarithm, max - (double)in[c], want[c]), kernels->isa,
				    (uint64_t)channels, logarithm ? "log softmax" : "softmax");
	}
}

static void check_rows(const struct vrs_kernels *kernels)
{
	struct vrs_rng rng;
	vrs_rng_init(&rng, 2);
	for (int i = 0; i < CHANNEL_COUNTS * 40; i++) {
		int channels = channel_counts[i / 40], pixels = 1 + i % 20, scale = (i & 3) == 0 ? 1 : (i & 3) == 1 ? 40 : (i & 3) == 2 ? 0 : 1000;
		bool logarithm = i % 40 >= 20, in_place = vrs_rng_next(&rng) & 1;
		size_t count = (size_t)(pixels * channels);
		struct floats in = floats_random(&rng, count), copy = floats_new(count), out = floats_new(count);
		for (size_t k = 0; k < count; k++)
			in.data[k] *= (float)scale;
		memcpy(copy.data, in.data, count * sizeof(float));
		float *to = in_place ? in.data : out.data;
		kernels->softmax(in.data, to, pixels, channels, logarithm);
		for (int p = 0; p < pixels; p++) {
			float alone[1024];
			check_pixel(kernels, copy.data + p * channels, to + p * channels, channels, logarithm);
			kernels->softmax(copy.data + p * channels, alone, 1, channels, logarithm);
			assert_memory_equal(alone, to + p * channels, (size_t)channels * sizeof(float));
		}
		floats_free(&in);
		floats_free(&copy);
		floats_free(&out);
	}
}

/* One or two special values anywhere, and rows of nothing else. */
static void check_special(const struct vrs_kernels *kernels)
{
	static const float special[] = {NAN, INFINITY, -INFINITY, FLT_MAX, -FLT_MAX, 1e-42f};
	struct vrs_rng rng;
	vrs_rng_init(&rng, 3);
	for (int i = 0; i < CHANNEL_COUNTS * 200; i++) {
		enum { PIXELS = 3 };
		int channels = channel_counts[i / 200];
		float in[PIXELS * 1024], out[PIXELS * 1024];
		bool logarithm = i & 1;
		for (int k = 0; k < PIXELS * channels; k++)
			in[k] = random_float(&rng);
		for (int k = 0; k < 2; k++)
			in[vrs_rng_below(&rng, (uint64_t)(PIXELS * channels))] = special[vrs_rng_below(&rng, 6)];
		for (int c = 0; i % 5 == 0 && c < channels; c++)
			in[c] = special[i / 5 % 6];
		kernels->softmax(in, out, PIXELS, channels, logarithm);
		for (int p = 0; p < PIXELS; p++)
			check_pixel(kernels, in + p * channels, out + p * channels, channels, logarithm);
	}
}

ISA_TESTS(check_rows)
ISA_TESTS(check_special)

int main(void)
{
	const struct CMUnitTest tests[] = {ISA_ENTRIES(check_rows), ISA_ENTRIES(check_special)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
