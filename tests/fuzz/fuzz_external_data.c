/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ONNX files whose weights lie in other files: no input harms, and nothing outside the folder of the network gets into it, whichever names the file
 * has.  The first byte says how many bytes follow for weights.bin, the network comes behind them.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "graph/model_graph.h"
#include "require.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SECRET "\x5a\xa5\x17\xe3\x5a\xa5\x17\xe3"
#define SECRET_BYTES 8

/* A folder with the network, and what it must not read: a file beside the folder, links to it, a pipe, a folder. */
static void make_places(void)
{
	char path[256], secret[4096];

	for (size_t i = 0; i < sizeof secret; i += SECRET_BYTES)
		memcpy(secret + i, SECRET, SECRET_BYTES);
	require(mkdir(scratch_path(path, sizeof path, "net"), 0700) == 0 && mkdir(scratch_path(path, sizeof path, "net/folder"), 0700) == 0);
	scratch_write(scratch_path(path, sizeof path, "secret"), secret, sizeof secret);
	require(symlink("../secret", scratch_path(path, sizeof path, "net/link")) == 0);
	require(symlink("..", scratch_path(path, sizeof path, "net/up")) == 0);
	require(mkfifo(scratch_path(path, sizeof path, "net/pipe"), 0600) == 0);
}

static bool holds_secret(const void *data, size_t size)
{
	return size >= SECRET_BYTES && memmem(data, size, SECRET, SECRET_BYTES) != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool made;
	uint64_t live = vrs_mem_stats().live_bytes;
	struct vrs_model *model = NULL;
	struct vrs_error err = {0};
	char path[256];
	size_t weights;

	if (size < 1 || holds_secret(data, size))
		return 0;
	if (!made)
		make_places();
	made = true;
	weights = data[0] < size - 1 ? data[0] : size - 1;
	scratch_write(scratch_path(path, sizeof path, "net/weights.bin"), data + 1, weights);
	scratch_write(scratch_path(path, sizeof path, "net/model.onnx"), data + 1 + weights, size - 1 - weights);
	if (vrs_model_load(&model, path, &err) == VRS_OK) {
		const struct vrs_graph *graph = vrs_model_graph(model);

		for (int32_t i = 0; i < graph->tensor_count; i++)
			if (graph->tensors[i].data != NULL)
				require(!holds_secret(graph->tensors[i].data, vrs_tensor_elements(&graph->tensors[i]) * vrs_dtype_size(graph->tensors[i].dtype)));
		vrs_model_destroy(model);
	} else {
		require(err.text[0] != '\0');
	}
	require(vrs_mem_stats().live_bytes == live);
	return 0;
}
