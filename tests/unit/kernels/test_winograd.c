/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the Winograd convolution: every size of tiles and filters against direct convolution in double, over channel counts with all tails, several
 * sources, blocks of channels, dilation, runs with partial tiles and unwanted rows, every activation and residual; no access outside the described
 * elements; the same bits however the tiles are batched and the channels cut.
 */
#include "kernels/row_check.h"

#include "kernels/winograd.h"

#define ROUNDS 240
#define MAX_SOURCES 3
#define MAX_RUNS 3

struct fixture {
	int m, taps, side, sources, channels[MAX_SOURCES], k, n, dilation, run_count;
	int tiles[MAX_RUNS], columns[MAX_RUNS];
	ptrdiff_t in_px[MAX_SOURCES], out_px;
	struct floats in[MAX_RUNS][MAX_SOURCES][VRS_WINO_MAX_SIDE], out[MAX_RUNS][VRS_WINO_MAX_M], residual[MAX_RUNS][VRS_WINO_MAX_M];
	struct floats weights, bias, packed, packed_bias, scratch;
	bool wanted[MAX_RUNS][VRS_WINO_MAX_M];
	const float *rows[MAX_RUNS][MAX_SOURCES * VRS_WINO_MAX_SIDE];
	struct vrs_wino_run runs[MAX_RUNS];
	struct vrs_wino_batch batch;
};

/* Input and output rows that end with the last element that the run may touch. */
static void add_run(struct fixture *f, struct vrs_rng *rng, int r)
{
	struct vrs_wino_run *run = &f->runs[r];
	int tiles = f->tiles[r] = random_int(rng, 1, 9), columns = f->columns[r] = random_int(rng, 0, 2) ? f->m : random_int(rng, 1, f->m);
	*run = (struct vrs_wino_run){.rows = f->rows[r], .in_px = f->in_px, .tiles = tiles, .columns = columns};
	for (int s = 0; s < f->sources; s++) {
		for (int i = 0; i < f->side; i++) {
			size_t count = (size_t)(tiles * f->m + f->taps - 2) * (size_t)f->in_px[s] + (size_t)f->channels[s];
			f->in[r][s][i] = floats_random(rng, count);
			f->rows[r][s * f->side + i] = f->in[r][s][i].data;
		}
	}
	for (int i = 0; i < f->m; i++) {
		size_t count = (size_t)((tiles - 1) * f->m + columns - 1) * (size_t)f->out_px + (size_t)f->n;
		f->out[r][i] = floats_new(count);
		f->residual[r][i] = floats_random(rng, count);
		f->wanted[r][i] = random_int(rng, 0, 7) != 0;
		run->out[i] = f->wanted[r][i] ? f->out[r][i].data : NULL;
		run->residual[i] = f->residual[r][i].data;
	}
}

/* F(m, taps); sizes[] of the rounds. */
static const int sizes[][2] = {{4, 3}, {2, 3}, {2, 5}, {4, 5}};

static void fixture_init(struct fixture *f, struct vrs_rng *rng, const struct vrs_kernels *kernels, const int *size, int k, int n)
{
	int all = 0;
	memset(f, 0, sizeof *f);
	f->m = size[0];
	f->taps = size[1];
	f->side = VRS_WINO_SIDE(f->m, f->taps);
	f->k = k;
	f->n = n;
	f->dilation = random_int(rng, 1, 3);
	f->sources = k >= 3 ? random_int(rng, 1, MAX_SOURCES) : 1;
	for (int s = 0, left = k; s < f->sources; left -= f->channels[s++]) {
		f->channels[s] = s + 1 == f->sources ? left : random_int(rng, 1, left - (f->sources - s - 1));
		f->in_px[s] = (ptrdiff_t)f->dilation * (f->channels[s] + random_int(rng, 0, 3));
	}
	f->out_px = (ptrdiff_t)f->dilation * (n + random_int(rng, 0, 3));
	f->run_count = random_int(rng, 1, MAX_RUNS);
	for (int r = 0; r < f->run_count; r++) {
		add_run(f, rng, r);
		all += f->tiles[r];
	}
	f->weights = floats_random(rng, (size_t)(n * f->taps * f->taps) * (size_t)k);
	f->bias = floats_random(rng, (size_t)n);
	f->packed = floats_new(vrs_pack_wino_size(f->m, f->taps, n, k, kernels->lanes));
	f->packed_bias = floats_new((size_t)(n + kernels->lanes - 1) / (size_t)kernels->lanes * (size_t)kernels->lanes);
	memset(f->packed_bias.data, 0, f->packed_bias.count * sizeof(float));
	memcpy(f->packed_bias.data, f->bias.data, (size_t)n * sizeof(float));
	vrs_pack_wino(f->packed.data, f->weights.data, f->m, f->taps, n, k, kernels->lanes);
	f->batch = (struct vrs_wino_batch){
		.m = f->m, .taps = f->taps, .block = random_int(rng, 0, 1) ? k : kernels->lanes * random_int(rng, 1, 3),
		.runs = f->runs, .run_count = f->run_count, .tiles = all, .sources = f->sources, .channels = f->channels, .k = k,
		.n = n, .weights = f->packed.data, .bias = f->packed_bias.data, .out_px = f->out_px,
		.epilogue = random_epilogue(rng, f->residual[0][0].data, f->out_px),
	};
	f->scratch = floats_new(vrs_wino_scratch(&f->batch, kernels->lanes));
	f->batch.scratch = f->scratch.data;
	if (random_int(rng, 0, 1))
		f->batch.epilogue.act = (enum vrs_kernel_act)random_int(rng, VRS_KACT_NONE, VRS_KACT_SILU);
	if (f->batch.epilogue.act == VRS_KACT_LEAKY)
		f->batch.epilogue.lo = 0.1f;
}

static void fixture_fini(struct fixture *f)
{
	for (int r = 0; r < f->run_count; r++) {
		for (int s = 0; s < f->sources; s++)
			for (int i = 0; i < f->side; i++)
				floats_free(&f->in[r][s][i]);
		for (int i = 0; i < f->m; i++) {
			floats_free(&f->out[r][i]);
			floats_free(&f->residual[r][i]);
		}
	}
	floats_free(&f->weights);
	floats_free(&f->bias);
	floats_free(&f->packed);
	floats_free(&f->packed_bias);
	floats_free(&f->scratch);
}

/* The direct sum at output (y, x) of a run, and the sum of magnitudes of its whole tile's inputs, which bounds the error of the transforms. */
static double direct(const struct fixture *f, int r, int y, int x, int n, double *magnitude)
{
	double sum = (double)f->bias.data[n], bound = fabs(sum);
	int k = 0;
	for (int s = 0; s < f->sources; s++) {
		for (int c = 0; c < f->channels[s]; c++, k++) {
			double largest = 0, total = 0;
			for (int i = 0; i < f->side; i++)
				for (int j = 0; j < f->side; j++)
					largest = fmax(largest, fabs((double)f->in[r][s][i].data[(x / f->m * f->m + j) * f->in_px[s] + c]));
			for (int tap = 0; tap < f->taps * f->taps; tap++) {
				double w = (double)f->weights.data[(n * f->taps * f->taps + tap) * f->k + k];
				sum += w * (double)f->in[r][s][y + tap / f->taps].data[(x + tap % f->taps) * f->in_px[s] + c];
				total += fabs(w);
			}
			bound += largest * total;
		}
	}
	*magnitude = bound;
	return sum;
}

/*
 * The transforms multiply rounding errors by at most the norms of their matrices.  Rows of |B'| sum to 10 (2), of |A'| to 19 (3), of |G| to 1 (1.5)
 * for F(4, 3) (F(2, 3)), to 10, 7, 1.3 for F(2, 5) and to 15, 19, 1.4 for F(4, 5), twice each: the worst case of a sum of k terms, (k + 40) * eps *
 * (10 * 19)^2, is far above what random roundings do.  Largest errors of the rounds here: 1.3e-6, 1e-7 and 4.5e-7 of the largest inputs of the tile
 * times the weights; F(4, 5): 1.2e-6.  The limit is a few times that.
 */
static double tolerance(const struct fixture *f, double magnitude)
{
	return (f->m == 4 ? 5e-6 : f->taps == 5 ? 2e-6 : 4e-7) * (magnitude + 4.0);
}

static void check_values(const struct fixture *f, const char *isa, uint64_t seed)
{
	for (int r = 0; r < f->run_count; r++) {
		int width = (f->tiles[r] - 1) * f->m + f->columns[r];
		for (int y = 0; y < f->m; y++) {
			struct vrs_epilogue e = f->batch.epilogue;
			const float *out = f->out[r][y].data;
			e.residual = e.residual ? f->residual[r][y].data : NULL;
			for (size_t i = 0; i < f->out[r][y].count; i++) {
				ptrdiff_t x = (ptrdiff_t)i / f->out_px, n = (ptrdiff_t)i % f->out_px;
				if (!f->wanted[r][y] || n >= f->n || x >= width) {
					assert_true(is_untouched(out[i]));
					continue;
				}
				double magnitude, want = direct(f, r, y, (int)x, (int)n, &magnitude);
				check_close(epilogue_double(&e, want, x, n), out[i], tolerance(f, magnitude), isa, seed, "winograd");
			}
		}
	}
}

/* Every run alone gives the bits of the batch, whatever the blocks. */
static void check_batches(struct fixture *f, const struct vrs_kernels *kernels)
{
	int block = f->batch.block < f->k ? f->k : kernels->lanes;
	for (int r = 0; r < f->run_count; r++) {
		struct floats whole[VRS_WINO_MAX_M];
		struct vrs_wino_batch batch = f->batch;
		for (int i = 0; i < f->m; i++) {
			whole[i] = f->out[r][i];
			f->out[r][i] = floats_new(whole[i].count);
			f->runs[r].out[i] = f->wanted[r][i] ? f->out[r][i].data : NULL;
		}
		batch.runs = &f->runs[r];
		batch.run_count = 1;
		batch.tiles = f->tiles[r];
		batch.block = block;
		struct floats scratch = floats_new(vrs_wino_scratch(&batch, kernels->lanes));
		batch.scratch = scratch.data;
		kernels->winograd(&batch);
		floats_free(&scratch);
		for (int i = 0; i < f->m; i++) {
			assert_memory_equal(whole[i].data, f->out[r][i].data, whole[i].count * sizeof(float));
			floats_free(&whole[i]);
		}
	}
}

static void check_winograd(const struct vrs_kernels *kernels)
{
	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		struct vrs_rng rng;
		struct fixture f;
		vrs_rng_init(&rng, seed);
		/* Every number of output channels up to 53 and of tiles up to 27 comes up. */
		fixture_init(&f, &rng, kernels, sizes[seed % 4], random_int(&rng, 1, 70), 1 + (int)(seed % 53));
		kernels->winograd(&f.batch);
		check_values(&f, kernels->isa, seed);
		check_batches(&f, kernels);
		fixture_fini(&f);
	}
}

ISA_TESTS(check_winograd)

int main(void)
{
	const struct CMUnitTest tests[] = {ISA_ENTRIES(check_winograd)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
