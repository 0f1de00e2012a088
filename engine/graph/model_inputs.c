/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The inputs of a model made concrete.  Constants come from the manifest.  A state is as large as the output that it follows: the network is inferred
 * with open sizes of 1 (exports that spread a first state of [1, 1, 1, 1] over their maps), the outputs' sizes become those of the states, until
 * nothing changes.  Where 1 does not fit, the picture's size divided by a power of two is tried for one state after the other, and what
 * lets most of the network be inferred stays.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "graph/eval.h"
#include "graph/model_graph.h"
#include "graph/model_limits.h"
#include "graph/shape_infer.h"

#define ROUNDS 4            /* of sizes passed from outputs to states; a network whose states depend on each other in a row needs one each */
#define LARGEST_STRIDE 64   /* of a state's map against the picture */

_Static_assert(VRS_MODEL_MAX_INPUTS == VRS_MAX_ENDS, "every input of a graph has a place");

enum role { ROLE_PICTURE, ROLE_STATE, ROLE_CONSTANT };

struct finder {
	const struct vrs_graph *graph;
	const struct vrs_manifest *manifest;
	struct vrs_model_inputs *inputs;
	int place[VRS_MODEL_MAX_INPUTS];     /* in the manifest's list of states or constants */
	enum role role[VRS_MODEL_MAX_INPUTS];
	int outputs[VRS_MANIFEST_MAX_STATES]; /* of the states */
	int picture;
};

static const struct vrs_graph_tensor *input_of(const struct finder *f, int i)
{
	return &f->graph->tensors[f->graph->inputs[i]];
}

static int find_end(const struct vrs_graph *graph, const int32_t *ends, int count, const char *name)
{
	for (int i = 0; i < count; i++)
		if (strcmp(graph->tensors[ends[i]].name, name) == 0)
			return i;
	return -1;
}

/* "a, b, c" */
static void add_name(char *text, size_t size, const char *name)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", name);
}

static enum vrs_status no_such(const struct finder *f, bool output, const char *name, struct vrs_error *err)
{
	const int32_t *ends = output ? f->graph->outputs : f->graph->inputs;
	char names[400] = "";

	for (int i = 0; i < (output ? f->graph->output_count : f->graph->input_count); i++)
		add_name(names, sizeof names, f->graph->tensors[ends[i]].name);
	return vrs_fail(err, VRS_ECONFIG, "the network %s has no %s \"%s\"; it has %s", f->manifest->name, output ? "output" : "input", name, names);
}

static enum vrs_status find_named(struct finder *f, struct vrs_error *err)
{
	for (int i = 0; i < f->manifest->constant_count; i++) {
		int input = find_end(f->graph, f->graph->inputs, f->graph->input_count, f->manifest->constants[i].name);

		if (input < 0)
			return no_such(f, false, f->manifest->constants[i].name, err);
		f->role[input] = ROLE_CONSTANT;
		f->place[input] = i;
	}
	for (int i = 0; i < f->manifest->state_count; i++) {
		int input = find_end(f->graph, f->graph->inputs, f->graph->input_count, f->manifest->states[i].in);

		f->outputs[i] = find_end(f->graph, f->graph->outputs, f->graph->output_count, f->manifest->states[i].out);
		if (input < 0 || f->outputs[i] < 0)
			return no_such(f, input >= 0, input < 0 ? f->manifest->states[i].in : f->manifest->states[i].out, err);
		f->role[input] = ROLE_STATE;
		f->place[input] = i;
	}
	return VRS_OK;
}

/* What each input is; all that the manifest says nothing of are named at once. */
static enum vrs_status find_roles(struct finder *f, struct vrs_error *err)
{
	char rest[400] = "";
	int count = 0;
	enum vrs_status status = find_named(f, err);

	f->picture = -1;
	for (int i = 0; i < f->graph->input_count && status == VRS_OK; i++) {
		const char *name = input_of(f, i)->name;

		if (f->role[i] != ROLE_PICTURE)
			continue;
		if (f->picture < 0 && (!f->manifest->input_name[0] || strcmp(f->manifest->input_name, name) == 0)) {
			f->picture = i;
			continue;
		}
		add_name(rest, sizeof rest, name);
		count++;
	}
	if (status == VRS_OK && f->manifest->input_name[0] && f->picture < 0)
		return no_such(f, false, f->manifest->input_name, err);
	if (status == VRS_OK && count > 0)
		return vrs_fail(err, VRS_ECONFIG, "the network %s needs more than a picture: the manifest must say whether %s %s a state (states: [INPUT > "
				"OUTPUT]) or a constant (input.constants: {NAME: VALUE})", f->manifest->name, rest, count > 1 ? "are each" : "is");
	return status;
}

/* Numbers in the type of the input; false: a type that constants cannot have, or a number that it cannot hold. */
static bool store_values(enum vrs_dtype dtype, const struct vrs_manifest_constant *constant, size_t count, void *to)
{
	for (size_t i = 0; i < count; i++) {
		double value = constant->values[constant->count == 1 ? 0 : i];

		if (dtype != VRS_F32 && dtype != VRS_F64 && dtype != VRS_I32 && dtype != VRS_I64)
			return false;
		if (!vrs_dtype_is_float(dtype) && !(fabs(value) <= INT32_MAX && value == floor(value)))
			return false;
		vrs_store_f64(dtype, to, i, value);
	}
	return true;
}

/* Shape and values of a constant: one number serves for all elements, an open list is as long as the values. */
static enum vrs_status set_constant(struct finder *f, int i, char *to, struct vrs_error *err)
{
	const struct vrs_graph_tensor *input = input_of(f, i);
	const struct vrs_manifest_constant *constant = &f->manifest->constants[f->place[i]];
	struct vrs_shape *shape = &f->inputs->shapes[i];
	int64_t elements = 1;

	for (int k = 0; k < shape->rank; k++) {
		if (shape->dims[k] < 0 || (input->open & 1u << k))
			shape->dims[k] = input->rank == 1 ? constant->count : 1;
		elements = elements <= VRS_MANIFEST_MAX_VALUES && shape->dims[k] <= VRS_MANIFEST_MAX_VALUES ? elements * shape->dims[k] : INT16_MAX;
	}
	if (elements > VRS_MANIFEST_MAX_VALUES || (constant->count != 1 && constant->count != (int)elements))
		return vrs_fail(err, VRS_ECONFIG, "input.constants: %s of the network %s has another number of values than the %d given, or more than %d",
				input->name, f->manifest->name, constant->count, VRS_MANIFEST_MAX_VALUES);
	if (!store_values(input->dtype, constant, (size_t)elements, to))
		return vrs_fail(err, VRS_EUNSUPPORTED, "input.constants: %s of the network %s is %s and cannot have these values", input->name,
				f->manifest->name, vrs_dtype_name(input->dtype));
	f->inputs->values[i] = to;
	return VRS_OK;
}

static enum vrs_status set_picture(struct finder *f, int batch, int width, int height, struct vrs_error *err)
{
	struct vrs_shape *shape = &f->inputs->shapes[f->picture];
	int h = f->graph->nchw ? 2 : 1, c = f->graph->nchw ? 1 : 3;

	if (shape->rank > 0)
		shape->dims[0] = batch;
	if (shape->rank != 4)
		return VRS_OK; /* whoever wants a picture says so */
	if (shape->dims[c] < 0)
		shape->dims[c] = 3;
	if (height > 0 || shape->dims[h] < 0)
		shape->dims[h] = height > 0 ? height : f->manifest->input_height;
	if (width > 0 || shape->dims[h + 1] < 0)
		shape->dims[h + 1] = width > 0 ? width : f->manifest->input_width;
	if (shape->dims[h] < 1 || shape->dims[h + 1] < 1)
		return vrs_fail(err, VRS_ECONFIG, "the network %s leaves the size of its pictures open; give it with --input-size, or as input.size in a "
				"manifest", f->manifest->name);
	return VRS_OK;
}

/* First sizes of a state: those of the file, in the picture's ratio where there is one; open ones 1. */
static void set_state(struct finder *f, int i, int batch)
{
	const struct vrs_graph_tensor *input = input_of(f, i), *picture = f->picture >= 0 ? input_of(f, f->picture) : input;
	struct vrs_shape *shape = &f->inputs->shapes[i];
	int h = f->graph->nchw ? 2 : 1;

	if (shape->rank > 0)
		shape->dims[0] = batch;
	for (int k = 1; k < shape->rank; k++)
		if (input->dims[k] < 0)
			shape->dims[k] = 1;
		else if (f->picture >= 0 && shape->rank == 4 && picture->rank == 4 && (k == h || k == h + 1))
			shape->dims[k] = vrs_follow_size(input->dims[k], picture->dims[k], f->inputs->shapes[f->picture].dims[k]);
}

/* Infer with the present sizes; how many nodes were good, and which states their outputs contradict: those get the outputs' sizes. */
static enum vrs_status infer(struct finder *f, int32_t *ret_nodes, bool *ret_changed, struct vrs_error *err)
{
	struct vrs_graph graph;
	enum vrs_status status = vrs_graph_copy(&graph, f->graph);

	*ret_nodes = 0;
	*ret_changed = false;
	if (status != VRS_OK)
		return vrs_fail(err, status, "out of memory");
	status = vrs_graph_set_shapes(&graph, f->inputs->shapes, f->inputs->values, f->inputs->count, err);
	if (status == VRS_OK)
		status = vrs_graph_infer_count(&graph, ret_nodes, err);
	for (int i = 0; i < f->inputs->count && status == VRS_OK; i++) {
		struct vrs_shape *shape = &f->inputs->shapes[i], out;

		if (f->role[i] != ROLE_STATE)
			continue;
		out = vrs_shape_of(&graph, graph.outputs[f->outputs[f->place[i]]]);
		if (out.rank != shape->rank)
			status = vrs_fail(err, VRS_ECONFIG, "state %s of the network %s has %d dimensions, its output %d", input_of(f, i)->name,
					  f->manifest->name, shape->rank, out.rank);
		*ret_changed = *ret_changed || memcmp(out.dims, shape->dims, sizeof out.dims) != 0;
		*shape = out;
	}
	vrs_graph_fini(&graph);
	return status;
}

/* Does the file leave height or width of this state open? */
static bool is_open_map(const struct finder *f, int i)
{
	int h = f->graph->nchw ? 2 : 1;

	return f->role[i] == ROLE_STATE && input_of(f, i)->rank == 4 && (input_of(f, i)->dims[h] < 0 || input_of(f, i)->dims[h + 1] < 0);
}

/* The picture's size over stride, rounded up as convolutions with padding do. */
static struct vrs_shape strided(const struct finder *f, int i, int stride)
{
	struct vrs_shape shape = f->inputs->shapes[i];
	int h = f->graph->nchw ? 2 : 1;

	for (int k = h; k <= h + 1; k++)
		if (input_of(f, i)->dims[k] < 0)
			shape.dims[k] = (f->inputs->shapes[f->picture].dims[k] + stride - 1) / stride;
	return shape;
}

/* Give one state the size that lets most nodes be inferred; false: none gets further. */
static bool improve(struct finder *f, int32_t *nodes, enum vrs_status *ret_status)
{
	struct vrs_shape best = {0};
	int best_state = -1;

	for (int i = 0; i < f->inputs->count; i++) {
		struct vrs_shape before = f->inputs->shapes[i];

		for (int stride = 1; stride <= LARGEST_STRIDE && is_open_map(f, i); stride *= 2) {
			struct vrs_shape all[VRS_MODEL_MAX_INPUTS], tried = strided(f, i, stride);
			int32_t good;
			bool changed;

			memcpy(all, f->inputs->shapes, sizeof all);
			f->inputs->shapes[i] = tried;
			*ret_status = infer(f, &good, &changed, NULL);
			if (*ret_status == VRS_OK)
				return true; /* with the sizes of the outputs */
			memcpy(f->inputs->shapes, all, sizeof all);
			if (good > *nodes) {
				*nodes = good;
				best_state = i;
				best = tried;
			}
		}
		f->inputs->shapes[i] = before;
	}
	if (best_state >= 0)
		f->inputs->shapes[best_state] = best;
	return best_state >= 0;
}

static enum vrs_status settle(struct finder *f, struct vrs_error *err)
{
	struct vrs_error first = {0};
	int32_t nodes;
	bool changed;
	enum vrs_status status = infer(f, &nodes, &changed, &first), tried = status;

	while (tried != VRS_OK && status != VRS_ENOMEM && f->picture >= 0 && improve(f, &nodes, &tried))
		;
	for (int i = 0; i < f->inputs->count && tried != VRS_OK; i++)
		if (f->role[i] == ROLE_STATE && input_of(f, i)->open >> 1 != 0)
			return vrs_fail(err, status, "the network %s leaves the size of its state %s open, and none was found that it takes; export it with a fixed "
					"number of channels (%s)", f->manifest->name, input_of(f, i)->name, first.text);
	if (tried != VRS_OK)
		return vrs_fail(err, status, "%s", first.text);
	changed = true;
	for (int round = 0; round < ROUNDS && changed && tried == VRS_OK; round++)
		tried = infer(f, &nodes, &changed, err);
	if (tried == VRS_OK && changed)
		return vrs_fail(err, VRS_EUNSUPPORTED, "the states of the network %s have no size that stays the same from run to run", f->manifest->name);
	return tried;
}

enum vrs_status vrs_model_inputs_find(struct vrs_model_inputs *ret, const struct vrs_model *model, const struct vrs_manifest *manifest, int batch,
				      int width, int height, struct vrs_error *err)
{
	struct finder f = {.graph = vrs_model_graph(model), .manifest = manifest, .inputs = ret};
	const size_t room = VRS_MANIFEST_MAX_VALUES * sizeof(double); /* of one constant */
	enum vrs_status status = batch >= 1 && width >= 0 && height >= 0 ? find_roles(&f, err)
									 : vrs_fail(err, VRS_EINVAL, "a batch of %d or a size of %dx%d is not possible",
										    batch, width, height);

	memset(ret, 0, sizeof *ret);
	if (status != VRS_OK)
		return status;
	ret->storage = vrs_calloc(VRS_MANIFEST_MAX_CONSTANTS, room);
	if (ret->storage == NULL)
		return vrs_fail_nomem(err);
	ret->count = f.graph->input_count;
	for (int i = 0; i < ret->count; i++)
		ret->shapes[i] = vrs_shape_of(f.graph, f.graph->inputs[i]);
	if (f.picture >= 0)
		status = set_picture(&f, batch, width, height, err);
	for (int i = 0; i < ret->count && status == VRS_OK; i++)
		if (f.role[i] == ROLE_STATE)
			set_state(&f, i, batch);
		else if (f.role[i] == ROLE_CONSTANT)
			status = set_constant(&f, i, (char *)ret->storage + (size_t)f.place[i] * room, err);
	if (status == VRS_OK)
		status = settle(&f, err);
	if (status != VRS_OK)
		vrs_model_inputs_fini(ret);
	return status;
}

void vrs_model_inputs_fini(struct vrs_model_inputs *inputs)
{
	vrs_free(inputs->storage);
	memset(inputs, 0, sizeof *inputs);
}
