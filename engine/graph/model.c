/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Models: recognise the format by content, import, describe. */
#include <vrseg/model.h>

#include <limits.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "graph/model_graph.h"
#include "graph/model_limits.h"
#include "graph/onnx_import.h"
#include "graph/tflite_import.h"

struct vrs_model {
	char *path;
	const char *format;
	uint64_t hash;
	uint64_t parameters;
	struct vrs_graph graph;
};

/* Weights and biases that any node reads; several nodes may share one. */
static enum vrs_status count_parameters(const struct vrs_graph *graph, uint64_t *ret_parameters)
{
	bool *seen = vrs_calloc((size_t)graph->tensor_count + 1, sizeof *seen);
	uint64_t total = 0;

	if (seen == NULL)
		return VRS_ENOMEM;
	for (int32_t i = 0; i < graph->node_count; i++) {
		const struct vrs_node *node = &graph->nodes[i];

		for (int k = 0; k < node->inputs && !node->dead; k++) {
			int32_t id = node->in[k];

			if (id >= 0 && !seen[id] && graph->tensors[id].data != NULL && graph->tensors[id].dtype == VRS_F32)
				total += vrs_tensor_elements(&graph->tensors[id]);
			if (id >= 0)
				seen[id] = true;
		}
	}
	vrs_free(seen);
	*ret_parameters = total;
	return VRS_OK;
}

/* Takes over graph, also on failure. */
static enum vrs_status create_model(struct vrs_model **ret_model, struct vrs_graph *graph, const char *name, const char *format, uint64_t hash,
				    struct vrs_error *err)
{
	struct vrs_model *model = vrs_calloc(1, sizeof *model);

	if (model == NULL) {
		vrs_graph_fini(graph);
		return vrs_fail(err, VRS_ENOMEM, "%s: out of memory", name);
	}
	model->graph = *graph;
	model->format = format;
	model->hash = hash;
	model->path = vrs_strdup(name);
	if (model->path == NULL || count_parameters(graph, &model->parameters) != VRS_OK) {
		vrs_model_destroy(model);
		return vrs_fail(err, VRS_ENOMEM, "%s: out of memory", name);
	}
	*ret_model = model;
	return VRS_OK;
}

/* folder: where external data of an ONNX file may lie; NULL: nowhere. */
static enum vrs_status load(struct vrs_model **ret_model, const void *data, size_t size, const char *name, const char *folder, struct vrs_error *err)
{
	bool tflite = vrs_tflite_probe(data, size);
	struct vrs_graph graph;

	if (!tflite && !vrs_onnx_probe(data, size))
		return vrs_fail(err, VRS_EFORMAT, "%s: damaged at byte 4 of %zu: not a network file that is known (TFLite files have TFL3 there, "
				"ONNX files start with their version)", name, size);
	VRS_TRY(tflite ? vrs_tflite_import(&graph, data, size, name, err) : vrs_onnx_import(&graph, data, size, name, folder, err));
	uint64_t hash = vrs_hash_block(VRS_HASH_INIT, data, size);
	if (graph.external_hash)
		hash = vrs_hash(hash, &graph.external_hash, sizeof graph.external_hash);
	return create_model(ret_model, &graph, name, tflite ? "tflite" : "onnx", hash, err);
}

enum vrs_status vrs_model_load_memory(struct vrs_model **ret_model, const void *data, size_t size, const char *name, struct vrs_error *err)
{
	if (ret_model == NULL || data == NULL || name == NULL)
		return vrs_fail(err, VRS_EINVAL, "vrs_model_load_memory needs data, a name and a place for the model");
	return load(ret_model, data, size, name, NULL, err);
}

/* The folder of a path, as a new string. */
static char *folder_of(const char *path)
{
	size_t len = (size_t)(vrs_path_base(path) - path);
	char *folder = vrs_strdup(len > 0 ? path : ".");

	if (folder != NULL && len > 0)
		folder[len] = '\0';
	return folder;
}

static enum vrs_status check_sha256(const struct vrs_buf *file, const char *path, const char *sha256, struct vrs_error *err)
{
	char found[65];

	vrs_sha256(file->data, file->len, found);
	if (strcmp(found, sha256) == 0)
		return VRS_OK;
	return vrs_fail(err, VRS_EFORMAT, "%s is not the file that its manifest names: its SHA-256 begins with %.12s, not %.12s; fetch it again or "
			"correct the manifest", path, found, sha256);
}

enum vrs_status vrs_model_load(struct vrs_model **ret_model, const char *path, struct vrs_error *err)
{
	return vrs_model_load_known(ret_model, path, NULL, err);
}

enum vrs_status vrs_model_load_known(struct vrs_model **ret_model, const char *path, const char *sha256, struct vrs_error *err)
{
	struct vrs_buf file;
	enum vrs_status status;
	char *folder;

	if (ret_model == NULL || path == NULL)
		return vrs_fail(err, VRS_EINVAL, "vrs_model_load needs a path and a place for the model");
	VRS_TRY(vrs_file_read(path, VRS_MODEL_MAX_FILE_BYTES, &file, err));
	folder = folder_of(path);
	status = folder == NULL ? vrs_fail(err, VRS_ENOMEM, "%s: out of memory", path) : sha256 ? check_sha256(&file, path, sha256, err) : VRS_OK;
	if (status == VRS_OK)
		status = load(ret_model, vrs_buf_str(&file), file.len, path, folder, err);
	vrs_free(folder);
	vrs_buf_fini(&file);
	return status;
}

enum vrs_status vrs_model_from_graph(struct vrs_model **ret_model, const struct vrs_graph *graph, const char *name, struct vrs_error *err)
{
	struct vrs_graph copy;
	enum vrs_status status;

	VRS_TRY(vrs_graph_validate(graph, err));
	status = vrs_graph_copy(&copy, graph);
	if (status != VRS_OK)
		return vrs_fail(err, status, "%s: out of memory", name);
	status = vrs_graph_infer(&copy, err);
	if (status != VRS_OK) {
		vrs_graph_fini(&copy);
		return status;
	}
	return create_model(ret_model, &copy, name, "graph", 0, err);
}

void vrs_model_destroy(struct vrs_model *model)
{
	if (model == NULL)
		return;
	vrs_graph_fini(&model->graph);
	vrs_free(model->path);
	vrs_free(model);
}

const struct vrs_graph *vrs_model_graph(const struct vrs_model *model)
{
	return &model->graph;
}

/* A picture dimension of input 0; 0 when the input is no picture, or the file leaves the size open. */
static int picture_dim(const struct vrs_graph_tensor *input, int axis)
{
	return input->rank == 4 && input->dims[axis] > 0 && input->dims[axis] <= INT_MAX ? (int)input->dims[axis] : 0;
}

struct vrs_model_info vrs_model_info(const struct vrs_model *model)
{
	const struct vrs_graph *graph = &model->graph;
	const struct vrs_graph_tensor none = {0}, *input = graph->input_count > 0 ? &graph->tensors[graph->inputs[0]] : &none;
	struct vrs_model_info info = {
		.path = model->path,
		.format = model->format,
		.inputs = graph->input_count,
		.outputs = graph->output_count,
		.parameters = model->parameters,
		.hash = model->hash,
		.nchw = graph->nchw,
		.input_width = picture_dim(input, graph->nchw ? 3 : 2),
		.input_height = picture_dim(input, graph->nchw ? 2 : 1),
		.input_channels = picture_dim(input, graph->nchw ? 1 : 3),
	};

	for (int32_t i = 0; i < graph->node_count; i++)
		info.nodes += !graph->nodes[i].dead;
	return info;
}

static struct vrs_tensor_info tensor_info(const struct vrs_graph *graph, const int32_t *ids, int32_t count, int index)
{
	struct vrs_tensor_info info = {0};
	const struct vrs_graph_tensor *tensor;

	if (index < 0 || index >= count)
		return info;
	tensor = &graph->tensors[ids[index]];
	info.name = tensor->name;
	info.dtype = tensor->dtype;
	info.rank = tensor->rank;
	for (int i = 0; i < tensor->rank; i++)
		info.dims[i] = tensor->open & 1u << i ? -1 : tensor->dims[i];
	return info;
}

struct vrs_tensor_info vrs_model_input(const struct vrs_model *model, int index)
{
	return tensor_info(&model->graph, model->graph.inputs, model->graph.input_count, index);
}

struct vrs_tensor_info vrs_model_output(const struct vrs_model *model, int index)
{
	return tensor_info(&model->graph, model->graph.outputs, model->graph.output_count, index);
}

bool vrs_model_input_gives_sizes(const struct vrs_model *model, int index)
{
	const struct vrs_graph *graph = vrs_model_graph(model);
	bool *wanted = index >= 0 && index < graph->input_count ? vrs_calloc((size_t)graph->tensor_count + 1, sizeof *wanted) : NULL;
	bool gives;

	if (wanted == NULL)
		return false; /* out of memory: making the session will say so */
	for (int32_t n = graph->node_count - 1; n >= 0; n--) {
		const struct vrs_node *node = &graph->nodes[n];
		bool all = wanted[node->out] && node->op != VRS_OP_SHAPE; /* shapes come from sizes, not from values */

		for (int k = 0; k < node->inputs; k++)
			if (node->in[k] >= 0 && (all || vrs_node_needs_value(node, k)))
				wanted[node->in[k]] = true;
	}
	gives = wanted[graph->inputs[index]];
	vrs_free(wanted);
	return gives;
}
