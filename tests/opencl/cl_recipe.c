/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Networks of strangers on an OpenCL device: recipes (tests/fuzz/network_recipe.h) with sizes of 0 and 1, every operator, NaN, infinities and huge
 * numbers, and files that a fuzzer has kept.  What the reference runs, the device runs, and its clone with the same bits; what a tame one gives is
 * what the reference gives but for rounding.  under_oclgrind.sh sees what its kernels read and write.
 *   cl_recipe [--seed N] [--count N] [--fp16] [--no-fusion] [--backend NAME] [FILE...]      COUNT recipes, of seed N and on, or these files
 * Exit codes: 0, 3 (the device fails), 4 (a wrong result), 2 (a wrong option, no file, or nothing ran).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/rng.h"
#include "fuzz/network_bytes.h"
#include "fuzz/network_rounding.h"
#include "unit/opencl/held_contexts.h"

#define MAX_FILE_BYTES (1u << 20)
#define LONGEST 160 /* bytes of a recipe */
#define DEVICE_FUNCTIONS 64 /* how much less exact functions of a device may be: OpenCL 1.2, section 7.4, allows up to 16 units, and errors add up */

enum { RIGHT, FAILED = 3, WRONG = 4 };

static const char *name; /* of the network */

static int failed(const struct vrs_error *err)
{
	(void)fprintf(stderr, "cl_recipe: error: %s: %s\n", name, err->text);
	return FAILED;
}

static int same_bits(struct vrs_session *a, struct vrs_session *b)
{
	for (int k = 0; vrs_session_output(a, k).raw != NULL; k++) {
		struct vrs_tensor_view x = vrs_session_output(a, k), y = vrs_session_output(b, k);

		if (memcmp(x.raw, y.raw, x.bytes) == 0)
			continue;
		(void)fprintf(stderr, "cl_recipe: error: %s: a clone gives other bits in output %d\n", name, k);
		return WRONG;
	}
	return RIGHT;
}

static int near(struct vrs_session *want, struct vrs_session *got, float limit)
{
	for (int k = 0; vrs_session_output(want, k).raw != NULL; k++) {
		struct vrs_tensor_view x = vrs_session_output(want, k), y = vrs_session_output(got, k);

		for (size_t i = 0; x.dtype == VRS_F32 && i < x.elements; i++) {
			if (network_is_near(y.data[i], x.data[i], limit))
				continue;
			(void)fprintf(stderr, "cl_recipe: error: %s: element %zu of output %d is %.9g, not %.9g\n", name, i, k, (double)y.data[i],
				      (double)x.data[i]);
			return WRONG;
		}
	}
	return RIGHT;
}

/* A session that has run; NULL: refused, with err. */
static struct vrs_session *run(const struct vrs_model *model, const struct vrs_session_options *options, bool wild, struct vrs_error *err)
{
	struct vrs_session *session = NULL;

	if (vrs_session_create(&session, model, options, err) != VRS_OK)
		return NULL;
	network_fill_inputs(session, model, wild);
	if (vrs_session_run(session, err) == VRS_OK)
		return session;
	vrs_session_destroy(session);
	return NULL;
}

static int run_clone(struct vrs_session *session, const struct vrs_model *model, bool wild)
{
	struct vrs_session *clone = NULL;
	struct vrs_error err = {0};
	int code;

	if (vrs_session_clone(&clone, session, &err) != VRS_OK)
		return failed(&err);
	network_fill_inputs(clone, model, wild);
	code = vrs_session_run(clone, &err) == VRS_OK ? same_bits(session, clone) : failed(&err);
	vrs_session_destroy(clone);
	return code;
}

static int compare(const struct vrs_model *model, const struct vrs_session_options *options, bool tame, bool wild)
{
	struct vrs_session_options host = *options;
	struct vrs_error err = {0}, host_err = {0};
	float limit = 0;

	host.backend = "ref";
	host.fusion = false;
	host.precision = VRS_PRECISION_FP32;
	struct vrs_session *want = run(model, &host, wild, &host_err), *got = run(model, options, wild, &err);
	int code = want != NULL && got == NULL ? failed(&err) : RIGHT;

	if (got != NULL)
		code = run_clone(got, model, wild);
	if (code == RIGHT && got != NULL && want != NULL && tame && options->precision == VRS_PRECISION_FP32 &&
	    network_rounding(vrs_model_graph(model), &limit))
		code = near(want, got, DEVICE_FUNCTIONS * limit);
	vrs_session_destroy(want);
	vrs_session_destroy(got);
	return code;
}

static int network(struct vrs_session_options options, const uint8_t *bytes, size_t size, int *ret_run)
{
	bool wild, recipe = size > 0 && bytes[0] == 'R';
	struct vrs_model *model = network_of_bytes(bytes, size, &wild);
	struct vrs_graph graph = {0};
	int code = RIGHT;

	if (model == NULL)
		return RIGHT;
	options.batch = recipe ? network_batch(model) : 1;
	if (network_at_size(&graph, model, &options)) {
		code = compare(model, &options, recipe && !wild, wild);
		++*ret_run;
	}
	vrs_graph_fini(&graph);
	vrs_model_destroy(model);
	return code;
}

static int random_recipe(const struct vrs_session_options *options, uint64_t seed, int *ret_run)
{
	uint8_t bytes[LONGEST];
	struct vrs_rng rng;
	char text[32];

	vrs_rng_init(&rng, seed);
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)(vrs_rng_unit(&rng) * 256);
	bytes[0] = 'R';
	(void)snprintf(text, sizeof text, "recipe %llu", (unsigned long long)seed);
	name = text;
	return network(*options, bytes, 24 + seed % (LONGEST - 24), ret_run);
}

static int file(const struct vrs_session_options *options, const char *path, int *ret_run)
{
	struct vrs_error err = {0};
	struct vrs_buf buf;
	int code = 2;

	name = path;
	if (vrs_file_read(path, MAX_FILE_BYTES, &buf, &err) == VRS_OK)
		code = network(*options, (const uint8_t *)vrs_buf_str(&buf), buf.len, ret_run);
	else
		(void)fprintf(stderr, "cl_recipe: error: %s\n", err.text);
	vrs_buf_fini(&buf);
	return code;
}

int main(int argc, char **argv)
{
	struct vrs_session_options options = vrs_session_options_default();
	uint64_t seed = 1, count = 10;
	int code = RIGHT, ran = 0, at;

	options.backend = "opencl";
	options.precision = VRS_PRECISION_FP32;
	options.threads = 1;
	for (at = 1; at < argc && argv[at][0] == '-'; at++) {
		if (strcmp(argv[at], "--seed") == 0 && at + 1 < argc)
			seed = strtoull(argv[++at], NULL, 10);
		else if (strcmp(argv[at], "--count") == 0 && at + 1 < argc)
			count = strtoull(argv[++at], NULL, 10);
		else if (strcmp(argv[at], "--backend") == 0 && at + 1 < argc)
			options.backend = argv[++at];
		else if (strcmp(argv[at], "--fp16") == 0)
			options.precision = VRS_PRECISION_FP16;
		else if (strcmp(argv[at], "--no-fusion") == 0)
			options.fusion = false;
		else
			return 2;
	}
	held_contexts_begin();
	for (uint64_t i = 0; at == argc && i < count && code == RIGHT; i++)
		code = random_recipe(&options, seed + i, &ran);
	for (; at < argc && code == RIGHT; at++)
		code = file(&options, argv[at], &ran);
	(void)printf("%d networks ran\n", ran);
	return held_contexts_end(code == RIGHT && ran == 0 ? 2 : code);
}
