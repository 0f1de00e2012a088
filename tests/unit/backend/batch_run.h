/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of the networks of batch_graph.h: images alone and in a batch. */
#ifndef TESTS_BATCH_RUN_H
#define TESTS_BATCH_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <vrseg/session.h>

#include "graph/model_graph.h"
#include "unit/backend/batch_graph.h"

enum { BATCH_IMAGES = 3 };

struct batch_run {
	struct batch_graph graph;
	struct vrs_model *model;
	struct batch_value ends[BATCH_ENDS];
	uint64_t seed;
};

static inline void batch_fill(float *values, size_t count, int image)
{
	struct vrs_rng rng;
	vrs_rng_init(&rng, (uint64_t)image + 1);
	for (size_t i = 0; i < count; i++)
		values[i] = (float)(vrs_rng_unit(&rng) * 2 - 1);
}

static inline void batch_run_on(const struct batch_run *r, struct vrs_session *session, int first, int images)
{
	struct vrs_tensor_view in = vrs_session_input(session, 0);
	struct vrs_error err = {0};
	for (int i = 0; i < images; i++)
		batch_fill(in.data + (size_t)i * (in.elements / (size_t)images), in.elements / (size_t)images, first + i);
	if (vrs_session_run(session, &err) != VRS_OK)
		fail_msg("network %llu: %s", (unsigned long long)r->seed, err.text);
}

/* A session that has run on the first images. */
static inline struct vrs_session *batch_run(const struct batch_run *r, struct vrs_session_options options, int images)
{
	struct vrs_session *session = NULL;
	struct vrs_error err = {0};
	options.batch = images;
	if (vrs_session_create(&session, r->model, &options, &err) != VRS_OK)
		fail_msg("network %llu, %s, %s, batch %d: %s;%s", (unsigned long long)r->seed, options.backend, vrs_precision_name(options.precision), images,
			 err.text, r->graph.trace);
	batch_run_on(r, session, 0, images);
	return session;
}

/* Where element i of one image lies in an output of many. */
static inline size_t batch_place(const struct batch_value *end, const struct vrs_tensor_view *one, size_t i, int image, int images)
{
	size_t inner = (size_t)end->inner;
	for (int k = end->axis + 1; k < one->rank; k++)
		inner *= (size_t)one->dims[k];
	return (i / inner * (size_t)images + (size_t)image) * inner + i % inner;
}

static inline void batch_compare_image(const struct batch_run *r, struct vrs_session *one, struct vrs_session *many, int image, int images)
{
	struct vrs_session_info info = vrs_session_info(one);
	for (int k = 0; k < vrs_model_info(r->model).outputs; k++) {
		struct vrs_tensor_view a = vrs_session_output(one, k), b = vrs_session_output(many, k);
		if (b.elements != a.elements * (size_t)images)
			fail_msg("network %llu: output %d of %d images has another size;%s", (unsigned long long)r->seed, k, images, r->graph.trace);
		for (size_t i = 0; i < a.elements; i++) {
			float x = a.data[i], y = b.data[batch_place(&r->ends[k], &a, i, image, images)];
			if (memcmp(&x, &y, sizeof x) != 0 && !(isnan(x) && isnan(y)))
				fail_msg("network %llu, %s, %s: image %d of %d has other bits than alone in output %d (%.9g, %.9g);%s",
					 (unsigned long long)r->seed, info.backend, vrs_precision_name(info.precision), image, images, k, (double)y, (double)x,
					 r->graph.trace);
		}
	}
}

/* Each image has the same bits alone and in a batch. */
static inline void batch_compare(const struct batch_run *r, struct vrs_session_options options, int images)
{
	struct vrs_session *many = batch_run(r, options, images), *one = batch_run(r, options, 1);
	for (int image = 0; image < images; image++) {
		batch_run_on(r, one, image, 1);
		batch_compare_image(r, one, many, image, images);
	}
	vrs_session_destroy(one);
	vrs_session_destroy(many);
}

/* All is near the reference, but for `bound` of the largest value and 1. */
static inline void batch_compare_reference(const struct batch_run *r, struct vrs_session_options options, double bound)
{
	struct vrs_session *got = batch_run(r, options, BATCH_IMAGES);
	options.backend = "ref";
	options.precision = VRS_PRECISION_FP32;
	struct vrs_session *want = batch_run(r, options, BATCH_IMAGES);
	for (int k = 0; k < vrs_model_info(r->model).outputs; k++) {
		struct vrs_tensor_view a = vrs_session_output(want, k), b = vrs_session_output(got, k);
		double largest = 1;
		assert_int_equal(a.elements, b.elements);
		for (size_t i = 0; i < a.elements; i++)
			largest = isfinite(a.data[i]) ? fmax(largest, fabs((double)a.data[i])) : largest;
		for (size_t i = 0; i < a.elements; i++)
			if (isfinite(a.data[i]) && !(fabs((double)a.data[i] - (double)b.data[i]) <= bound * largest))
				fail_msg("network %llu, %s: element %zu of output %d is %.9g, not %.9g;%s", (unsigned long long)r->seed,
					 vrs_session_info(got).backend, i, k, (double)b.data[i], (double)a.data[i], r->graph.trace);
	}
	vrs_session_destroy(want);
	vrs_session_destroy(got);
}

/* The network of a seed as a model; batch_close when done. */
static inline void batch_open(struct batch_run *r, uint64_t seed)
{
	struct vrs_error err = {0};
	r->seed = seed;
	batch_graph_build(&r->graph, seed, r->ends);
	if (vrs_model_from_graph(&r->model, &r->graph.graph, "batch", &err) != VRS_OK)
		fail_msg("network %llu: %s", (unsigned long long)seed, err.text);
}

static inline void batch_close(struct batch_run *r)
{
	vrs_model_destroy(r->model);
	vrs_graph_fini(&r->graph.graph);
}

#endif
