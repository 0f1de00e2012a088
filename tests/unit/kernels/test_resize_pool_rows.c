/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards resize rows (blend, tables, epilogues), window pooling at borders, and row sums: values against double, all channel tails, bounds, any
 * cut.
 */
#include "kernels/row_check.h"

#define ROUNDS 300
#define MAX_ROWS 5

struct resize_fixture {
	struct vrs_resize_row row;
	struct vrs_epilogue expected; /* with the residual multiplied already */
};

static double expect_resize(const struct row_case *c, int pixel, int channel, double *ret_tolerance)
{
	const struct resize_fixture *f = c->fixture;
	const struct vrs_resize_row *row = &f->row;
	double wy = (double)row->wy, w = (double)row->wx[pixel];
	ptrdiff_t left = row->x0[pixel] * row->in_px + channel, right = row->x1[pixel] * row->in_px + channel;
	*ret_tolerance = sum_tolerance(4, 8);
	return (1 - w) * ((1 - wy) * (double)row->row0[left] + wy * (double)row->row1[left]) +
	       w * ((1 - wy) * (double)row->row0[right] + wy * (double)row->row1[right]);
}

static void run_resize(const struct row_case *c, int first, int pixels, float *out)
{
	const struct resize_fixture *f = c->fixture;
	struct vrs_resize_row row = f->row;
	row.x0 += first;
	row.x1 += first;
	row.wx += first;
	row.out = out;
	row.pixels = pixels;
	row.epilogue = epilogue_from(&f->row.epilogue, first);
	c->kernels->resize(&row);
}

static void check_resize(const struct vrs_kernels *kernels)
{
	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		struct vrs_rng rng;
		vrs_rng_init(&rng, seed);
		int in_pixels = random_int(&rng, 1, 12), pixels = random_int(&rng, 1, 20), channels = 1 + (int)(seed % 70);
		size_t in_count = (size_t)(in_pixels * channels), out_count = (size_t)(pixels * channels);
		struct floats a = floats_random(&rng, in_count), b = floats_random(&rng, in_count), blend = floats_new(in_count);
		struct floats residual = floats_random(&rng, out_count), factor = floats_random(&rng, (size_t)channels), scaled = floats_new(out_count);
		int32_t x0[20], x1[20];
		float wx[20];
		for (int i = 0; i < pixels; i++) {
			x0[i] = random_int(&rng, 0, in_pixels - 1);
			x1[i] = x0[i] + 1 < in_pixels ? x0[i] + 1 : x0[i];
			wx[i] = (float)vrs_rng_unit(&rng);
		}
		struct resize_fixture f = {.row = {
			.row0 = a.data, .row1 = b.data, .wy = vrs_rng_below(&rng, 4) ? (float)vrs_rng_unit(&rng) : 0.0f, .x0 = x0, .x1 = x1, .wx = wx,
			.in_pixels = in_pixels, .channels = channels, .in_px = channels, .blend = blend.data, .out_px = channels,
			.epilogue = random_epilogue(&rng, residual.data, channels),
		}};
		f.expected = f.row.epilogue;
		bool scale = f.expected.residual && vrs_rng_next(&rng) & 1;
		f.row.residual_scale = scale ? factor.data : NULL;
		for (size_t i = 0; i < out_count; i++)
			scaled.data[i] = residual.data[i] * (scale ? factor.data[i % (size_t)channels] : 1.0f);
		f.expected.residual = f.expected.residual ? scaled.data : NULL;
		struct floats out = check_row(&(struct row_case){
			.kernels = kernels, .what = "resize", .seed = seed, .fixture = &f, .pixels = pixels, .channels = channels, .out_px = channels,
			.epilogue = &f.expected, .run = run_resize, .expect = expect_resize,
		}, &rng);
		floats_free(&a);
		floats_free(&b);
		floats_free(&blend);
		floats_free(&out);
		floats_free(&residual);
		floats_free(&factor);
		floats_free(&scaled);
	}
}

/* Of no taps: the largest is -infinity, the mean 0. */
static double expect_pool(const struct row_case *c, int pixel, int channel, double *ret_tolerance)
{
	const struct vrs_pool_row *row = c->fixture;
	double sum = 0, max = -(double)INFINITY;
	int taps = 0;
	for (int r = 0; r < row->row_count; r++) {
		for (int q = 0; q < row->kw; q++) {
			int x = pixel * row->stride - row->pad_left + q * row->dilation;
			if (x < 0 || x >= row->in_pixels)
				continue;
			double v = (double)row->rows[r][x * row->in_px + channel];
			sum += v;
			max = fmax(max, v);
			taps++;
		}
	}
	*ret_tolerance = sum_tolerance(row->row_count * row->kw, 2.0 * row->row_count * row->kw);
	return row->max ? max : sum / (row->divisor ? row->divisor : taps ? taps : 1);
}

static void run_pool(const struct row_case *c, int first, int pixels, float *out)
{
	const struct vrs_pool_row *whole = c->fixture;
	struct vrs_pool_row row = *whole;
	row.pad_left -= first * row.stride;
	row.pixels = pixels;
	row.out = out;
	c->kernels->pool(&row);
}

static void check_pool(const struct vrs_kernels *kernels)
{
	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		struct vrs_rng rng;
		vrs_rng_init(&rng, seed);
		int channels = 1 + (int)(seed % 70), in_pixels = random_int(&rng, 1, 15), rows = random_int(&rng, 1, MAX_ROWS);
		struct vrs_pool_row row = {
			.max = vrs_rng_next(&rng) & 1, .row_count = rows, .kw = random_int(&rng, 1, 5), .stride = random_int(&rng, 1, 3),
			.dilation = random_int(&rng, 1, 2), .in_pixels = in_pixels, .channels = channels, .in_px = channels, .out_px = channels,
		};
		row.pad_left = random_int(&rng, 0, row.kw - 1) * row.dilation;
		row.pad_left = row.pad_left > in_pixels - 1 ? 0 : row.pad_left;
		row.divisor = vrs_rng_next(&rng) & 1 ? rows * row.kw : 0;
		struct floats in[MAX_ROWS];
		const float *data[MAX_ROWS];
		for (int r = 0; r < rows; r++) {
			in[r] = floats_random(&rng, (size_t)(in_pixels * channels));
			data[r] = in[r].data;
		}
		row.rows = data;
		struct floats out = check_row(&(struct row_case){
			.kernels = kernels, .what = "pool", .seed = seed, .fixture = &row, .pixels = (in_pixels - 1 + row.pad_left) / row.stride + 1,
			.channels = channels, .out_px = channels, .run = run_pool, .expect = expect_pool,
		}, &rng);
		for (int r = 0; r < rows; r++)
			floats_free(&in[r]);
		floats_free(&out);
	}
}

/* The largest value of a window with NaN: every instruction set folds the taps in their order by "a > b ? a : b". */
static void check_pool_nan(const struct vrs_kernels *kernels)
{
	static const float windows[][3] = {{NAN, 1, 2}, {1, NAN, 2}, {2, 1, NAN}, {2, NAN, 1}, {NAN, NAN, NAN}};
	enum { MOST_CHANNELS = 70 };
	float in[3 * MOST_CHANNELS], out[MOST_CHANNELS];
	const float *const rows[] = {in};
	for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
		float want = -INFINITY;
		for (int q = 0; q < 3; q++)
			want = want > windows[i][q] ? want : windows[i][q];
		for (int channels = 1; channels <= MOST_CHANNELS; channels++) {
			for (int k = 0; k < 3 * channels; k++)
				in[k] = windows[i][k / channels];
			kernels->pool(&(struct vrs_pool_row){.rows = rows, .out = out, .max = true, .row_count = 1, .kw = 3, .stride = 1, .dilation = 1,
					      .in_pixels = 3, .pixels = 1, .channels = channels, .in_px = channels, .out_px = channels});
			for (int c = 0; c < channels; c++)
				if (!(out[c] == want || (isnan(out[c]) && isnan(want))))
					fail_msg("window %zu, channel %d of %d: %g instead of %g", i, c, channels, (double)out[c], (double)want);
		}
	}
}

/* One pixel of sums. */
struct sum_fixture {
	struct floats in;
	int pixels;
};

static double expect_sum(const struct row_case *c, int pixel, int channel, double *ret_tolerance)
{
	const struct sum_fixture *f = c->fixture;
	double sum = 0;
	for (int p = pixel; p < f->pixels; p++)
		sum += (double)f->in.data[p * c->channels + channel];
	*ret_tolerance = sum_tolerance(f->pixels, 2.0 * f->pixels);
	return sum;
}

static void run_sum(const struct row_case *c, int first, int pixels, float *out)
{
	const struct sum_fixture *f = c->fixture;
	assert_true(first == 0 && pixels == 1);
	c->kernels->row_sum(f->in.data, c->channels, f->pixels, c->channels, out);
}

static void check_row_sum(const struct vrs_kernels *kernels)
{
	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		struct vrs_rng rng;
		vrs_rng_init(&rng, seed);
		int channels = 1 + (int)(seed % 70);
		struct sum_fixture f = {.pixels = random_int(&rng, 1, 40)};
		f.in = floats_random(&rng, (size_t)(f.pixels * channels));
		struct floats sum = check_row(&(struct row_case){
			.kernels = kernels, .what = "row sum", .seed = seed, .fixture = &f, .pixels = 1, .channels = channels, .out_px = channels,
			.run = run_sum, .expect = expect_sum,
		}, &rng);
		floats_free(&f.in);
		floats_free(&sum);
	}
}

ISA_TESTS(check_resize)
ISA_TESTS(check_pool)
ISA_TESTS(check_pool_nan)
ISA_TESTS(check_row_sum)

int main(void)
{
	const struct CMUnitTest tests[] = {ISA_ENTRIES(check_resize), ISA_ENTRIES(check_pool), ISA_ENTRIES(check_pool_nan),
		ISA_ENTRIES(check_row_sum)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
