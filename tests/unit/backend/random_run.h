/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run of a random network on random inputs, the same for a seed on every backend and number of threads. */
#ifndef VRS_TESTS_RANDOM_RUN_H
#define VRS_TESTS_RANDOM_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <vrseg/session.h>

#include "base/rng.h"
#include "graph/ir.h"
#include "graph/model_graph.h"

/* Options for a model that holds its own batch. */
static inline struct vrs_session_options random_options(const struct vrs_model *model, const char *backend, int threads)
{
	struct vrs_session_options options = vrs_session_options_default();
	options.backend = backend;
	options.threads = threads;
	options.batch = (int)vrs_model_graph(model)->tensors[vrs_model_graph(model)->inputs[0]].dims[0];
	return options;
}

/* A session that has run once on the inputs of the seed. */
static inline struct vrs_session *random_run(const struct vrs_model *model, const char *backend, int threads, uint64_t seed)
{
	struct vrs_session_options options = random_options(model, backend, threads);
	struct vrs_session *session = NULL;
	struct vrs_error err = {0};
	struct vrs_rng rng;
	if (vrs_session_create(&session, model, &options, &err) != VRS_OK)
		fail_msg("seed %llu, %s: %s", (unsigned long long)seed, backend, err.text);
	vrs_rng_init(&rng, seed + 1);
	struct vrs_tensor_view in = vrs_session_input(session, 0);
	for (size_t k = 0; k < in.elements; k++)
		in.data[k] = (float)(vrs_rng_unit(&rng) * 2 - 1);
	assert_int_equal(vrs_session_run(session, &err), VRS_OK);
	return session;
}

#endif
