/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards all passes in any combination: random networks in the layout of ONNX, rewritten by a random subset of the passes (and by all, and by each
 * alone), give the results of the network as it was; transpositions never become more; pictures may go in and out as [N][H][W][C].
 * A failure prints the seed and the subset.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "graph/passes.h"
#include "unit/graph/graph_run.h"
#include "unit/graph/random_nchw_graph.h"

#define NETWORKS 400
#define SUBSETS 6
/* Of values near 1 after at most some twenty operators, whose weights may have been multiplied out. */
#define TOLERANCE 2e-4

static void check(const struct vrs_graph *plain, const struct graph_run *want, uint64_t seed, uint32_t passes)
{
	struct vrs_graph graph;
	struct vrs_error err = {0};
	struct graph_run got;

	assert_int_equal(vrs_graph_copy(&graph, plain), VRS_OK);
	if (vrs_passes_run_some(&graph, passes, &err) != VRS_OK)
		fail_msg("seed %llu, passes %#x: %s", (unsigned long long)seed, passes, err.text);
	if (vrs_layout_cost(&graph) > vrs_layout_cost(plain))
		fail_msg("seed %llu, passes %#x: transpositions grew", (unsigned long long)seed, passes);
	got = graph_run(&graph, seed);
	for (int i = 0; i < plain->output_count; i++) {
		double error = graph_run_error(want, &got, i);

		if (!(error >= 0 && error < TOLERANCE))
			fail_msg("seed %llu, passes %#x: output %d differs by %g", (unsigned long long)seed, passes, i, error);
	}
	graph_run_free(&got);
	/* What inference says of the rewritten graph is what the passes said. */
	if (vrs_graph_infer(&graph, &err) != VRS_OK || vrs_graph_validate(&graph, &err) != VRS_OK)
		fail_msg("seed %llu, passes %#x: %s", (unsigned long long)seed, passes, err.text);
	vrs_graph_fini(&graph);
}

static void test_subsets(void **state)
{
	struct vrs_rng rng;

	(void)state;
	vrs_rng_init(&rng, 7);
	for (uint64_t seed = 1; seed <= NETWORKS; seed++) {
		struct vrs_graph plain;
		struct graph_run want;

		nchw_graph_build(&plain, seed);
		want = graph_run(&plain, seed);
		check(&plain, &want, seed, UINT32_MAX);
		check(&plain, &want, seed, 1u << seed % (uint64_t)vrs_pass_count());
		for (int i = 0; i < SUBSETS; i++)
			check(&plain, &want, seed, (uint32_t)vrs_rng_below(&rng, 1u << vrs_pass_count()));
		graph_run_free(&want);
		vrs_graph_fini(&plain);
	}
}

/* A tensor of four dims the other way round. */
static void turn(const struct vrs_graph_tensor *from, const void *in, const int *perm, void *out)
{
	int64_t at[4], dims[4], size = (int64_t)vrs_dtype_size(from->dtype), k = 0;

	for (int i = 0; i < 4; i++)
		dims[i] = from->dims[perm[i]];
	for (at[0] = 0; at[0] < dims[0]; at[0]++)
		for (at[1] = 0; at[1] < dims[1]; at[1]++)
			for (at[2] = 0; at[2] < dims[2]; at[2]++)
				for (at[3] = 0; at[3] < dims[3]; at[3]++, k++) {
					int64_t index = 0;

					for (int i = 0; i < 4; i++) {
						int64_t where = 0;

						for (int j = 0; j < 4; j++)
							where = perm[j] == i ? at[j] : where;
						index = index * from->dims[i] + where;
					}
					memcpy((char *)out + k * size, (const char *)in + index * size, (size_t)size);
				}
}

/* Pictures in and out as [N][H][W][C]: the results are those of the network, turned. */
static void test_picture_ends(void **state)
{
	const int to_nhwc[4] = {0, 2, 3, 1};

	(void)state;
	for (uint64_t seed = 1; seed <= NETWORKS / 4; seed++) {
		struct vrs_graph plain, graph;
		struct vrs_error err = {0};
		struct graph_run want, got;

		nchw_graph_build(&plain, seed);
		assert_int_equal(vrs_graph_copy(&graph, &plain), VRS_OK);
		if (vrs_graph_use_nhwc(&graph, &err) != VRS_OK || vrs_graph_validate(&graph, &err) != VRS_OK)
			fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
		assert_false(graph.nchw);
		if (vrs_passes_run(&graph, true, &err) != VRS_OK)
			fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
		got = graph_run(&graph, seed);
		want = graph_run(&plain, seed);
		for (int i = 0; i < plain.input_count; i++) { /* the values that the other graph had, in this one's layout */
			const struct vrs_graph_tensor *from = &graph.tensors[graph.inputs[i]];

			turn(from, got.values[graph.inputs[i]], (int[]){0, 3, 1, 2}, want.values[plain.inputs[i]]);
		}
		for (int32_t i = 0; i < plain.node_count; i++) {
			struct vrs_eval e = vrs_eval_from_values(&plain, &plain.nodes[i], want.values);

			if (!plain.nodes[i].dead)
				vrs_node_eval(&e);
		}
		for (int i = 0; i < plain.output_count; i++) {
			const struct vrs_graph_tensor *from = &plain.tensors[plain.outputs[i]];
			void *turned = malloc(graph_run_bytes(from));
			double error;

			assert_non_null(turned);
			if (from->rank == 4) {
				turn(from, want.values[plain.outputs[i]], to_nhwc, turned);
				memcpy(want.values[plain.outputs[i]], turned, graph_run_bytes(from));
				for (int k = 0; k < 4; k++)
					plain.tensors[plain.outputs[i]].dims[k] = graph.tensors[graph.outputs[i]].dims[k];
			}
			free(turned);
			error = graph_run_error(&want, &got, i);
			if (!(error >= 0 && error < TOLERANCE))
				fail_msg("seed %llu: output %d differs by %g", (unsigned long long)seed, i, error);
		}
		graph_run_free(&want);
		graph_run_free(&got);
		vrs_graph_fini(&plain);
		vrs_graph_fini(&graph);
	}
}

/* Every allocation that fails is reported, and nothing is lost or broken. */
static void test_memory(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 12; seed++) {
		struct vrs_graph plain, graph;
		bool fired = true;

		nchw_graph_build(&plain, seed);
		for (uint64_t n = 1; fired; n++) {
			enum vrs_status status;

			assert_int_equal(vrs_graph_copy(&graph, &plain), VRS_OK);
			vrs_mem_fail_after(n, true);
			status = vrs_passes_run(&graph, true, NULL);
			fired = vrs_mem_fault_fired();
			vrs_mem_fail_after(0, false);
			assert_int_equal(status, fired ? VRS_ENOMEM : VRS_OK);
			vrs_graph_fini(&graph);
		}
		vrs_graph_fini(&plain);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_subsets),
		cmocka_unit_test(test_picture_ends),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
