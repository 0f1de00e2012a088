/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Concats, and formulas of slices, as pieces (ocl_pieces.h).  What only moves, resizes or computes single elements for them is deferred: its node
 * gets no step, and the kernel of its reader does it on the way.  Any other reader has the step made first (vrs_ocl_settle), so that to defer is
 * never wrong.
 */
#include "graph/eval.h"
#include "opencl/ocl_fuse.h"
#include "opencl/ocl_lower.h"
#include "opencl/ocl_pieces.h"
#include "opencl/ocl_values.h"

#define MAX_DEEP 8 /* deferred nodes behind each other: calls nest with them */

static const struct vrs_graph_tensor *tensor_of(const struct vrs_ocl_plan *plan, int32_t tensor)
{
	return &plan->graph.tensors[tensor];
}

static bool is_float(const struct vrs_ocl_plan *plan, int32_t tensor)
{
	return tensor_of(plan, tensor)->dtype == VRS_F32 && vrs_tensor_elements(tensor_of(plan, tensor)) > 0;
}

static int64_t channels_of(const struct vrs_ocl_plan *plan, int32_t tensor)
{
	const struct vrs_graph_tensor *t = tensor_of(plan, tensor);

	return t->rank > 0 ? t->dims[t->rank - 1] : 1;
}

/* A concat that pieces make; some inputs may be empty. */
static bool is_concat(const struct vrs_ocl_plan *plan, const struct vrs_node *node)
{
	if (node->dead || node->op != VRS_OP_CONCAT || !is_float(plan, node->out))
		return false;
	for (int k = 0; k < node->inputs; k++)
		if (tensor_of(plan, node->in[k])->dtype != VRS_F32)
			return false;
	return true;
}

/* Along the channels, so that pixels stay what they are. */
static bool is_channel_concat(const struct vrs_ocl_plan *plan, const struct vrs_node *node)
{
	return is_concat(plan, node) && node->u.concat.axis == tensor_of(plan, node->out)->rank - 1;
}

static bool is_channel_slice(const struct vrs_ocl_plan *plan, const struct vrs_node *node)
{
	const struct vrs_graph_tensor *x = tensor_of(plan, node->in[0]), *y = tensor_of(plan, node->out);

	if (node->op != VRS_OP_SLICE || !is_float(plan, node->in[0]) || x->rank < 2 || node->u.slice.step[x->rank - 1] != 1)
		return false;
	for (int i = 0; i < x->rank - 1; i++)
		if (node->u.slice.start[i] != 0 || node->u.slice.step[i] != 1 || x->dims[i] != y->dims[i])
			return false;
	return true;
}

static bool is_resize(const struct vrs_ocl_plan *plan, const struct vrs_node *node)
{
	return node->op == VRS_OP_RESIZE && vrs_resize_is_pair(&node->u.resize) && is_float(plan, node->in[0]) && is_float(plan, node->out);
}

/* The node that alone reads the result of a node; NULL: none. */
static const struct vrs_node *reader_of(const struct vrs_ocl_plan *plan, const struct vrs_node *node)
{
	int32_t id = plan->only_reader[node->out];

	return id >= 0 && !plan->node_done[id] ? &plan->graph.nodes[id] : NULL;
}

static bool feeds_concat(const struct vrs_ocl_plan *plan, const struct vrs_node *node)
{
	const struct vrs_node *reader = reader_of(plan, node);

	return reader && is_channel_concat(plan, reader);
}

static bool may_defer(const struct vrs_ocl_plan *plan, const struct vrs_node *node)
{
	const struct vrs_node *reader = reader_of(plan, node);

	if (!is_float(plan, node->out) || plan->value_of[node->out] >= 0)
		return false; /* an output of the network has memory */
	if (is_channel_slice(plan, node))
		return true;
	if (is_resize(plan, node) || vrs_ocl_is_elementwise(plan, node))
		return feeds_concat(plan, node);
	return is_channel_concat(plan, node) && reader && (feeds_concat(plan, node) || (is_resize(plan, reader) && feeds_concat(plan, reader)));
}

bool vrs_ocl_defer(struct vrs_ocl_plan *plan, const struct vrs_node *node)
{
	int deepest = 0;

	if (!plan->fusion || !may_defer(plan, node))
		return false;
	for (int k = 0; k < node->inputs; k++) {
		int32_t id = node->in[k] >= 0 ? plan->graph.tensors[node->in[k]].producer : -1;

		deepest = id >= 0 && plan->deferred[id] > deepest ? plan->deferred[id] : deepest;
	}
	if (deepest == MAX_DEEP)
		return false;
	plan->deferred[node - plan->graph.nodes] = (uint8_t)(deepest + 1);
	return true;
}

/* The deferred node that makes a tensor; NULL: it has memory, or gets it by a step. */
static const struct vrs_node *deferred_for(const struct vrs_ocl_plan *plan, int32_t tensor)
{
	int32_t id = tensor >= 0 ? plan->graph.tensors[tensor].producer : -1;

	return id >= 0 && plan->deferred[id] ? &plan->graph.nodes[id] : NULL;
}

static enum vrs_status settle_tensor(struct vrs_ocl_plan *plan, int32_t tensor, struct vrs_error *err)
{
	const struct vrs_node *node = deferred_for(plan, tensor);

	if (!node)
		return VRS_OK;
	plan->deferred[node - plan->graph.nodes] = 0;
	return vrs_ocl_lower_now(plan, node, err);
}

enum vrs_status vrs_ocl_settle(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	struct vrs_ocl_formula formula = {.nodes = {node}, .node_count = 1};

	if (plan->fusion && vrs_ocl_is_elementwise(plan, node))
		vrs_ocl_formula_collect(plan, node, true, &formula);
	for (int i = 0; i < formula.node_count; i++) {
		const struct vrs_node *one = formula.nodes[i];

		for (int k = 0; k < one->inputs; k++)
			VRS_TRY(settle_tensor(plan, one->in[k], err));
		VRS_TRY(settle_tensor(plan, one->residual, err));
		VRS_TRY(settle_tensor(plan, one->scale, err));
	}
	return VRS_OK;
}

/* Move a view behind deferred slices and a resize, to what has memory or is something else; that node where it is deferred, else NULL. */
static const struct vrs_node *pass_through(const struct vrs_ocl_plan *plan, struct vrs_ocl_view *view)
{
	const struct vrs_node *node;

	while ((node = deferred_for(plan, view->tensor)) && (node->op == VRS_OP_SLICE || (node->op == VRS_OP_RESIZE && !view->resize))) {
		if (node->op == VRS_OP_SLICE)
			view->first += node->u.slice.start[tensor_of(plan, node->in[0])->rank - 1];
		else
			view->resize = node;
		view->tensor = node->in[0];
	}
	view->pitch = channels_of(plan, view->tensor);
	return node;
}

/* The views of a formula; *ret_any: one of them is no whole tensor. */
static enum vrs_status formula_views(struct vrs_ocl_plan *plan, struct vrs_ocl_piece *piece, bool *ret_any, struct vrs_error *err)
{
	const struct vrs_ocl_formula *f = &piece->formula;
	int64_t channels = channels_of(plan, f->nodes[0]->out);

	piece->channels = channels;
	piece->view_count = f->input_count;
	*ret_any = false;
	for (int k = 0; k < f->input_count; k++) {
		struct vrs_ocl_view *view = &piece->views[k];

		*view = (struct vrs_ocl_view){.tensor = f->inputs[k], .pitch = channels};
		view->single = vrs_tensor_elements(tensor_of(plan, view->tensor)) == 1;
		if (!view->single && channels_of(plan, view->tensor) == channels) /* else one value, or the same elements under other dims */
			(void)pass_through(plan, view);
		VRS_TRY(settle_tensor(plan, view->tensor, err));
		*ret_any = *ret_any || view->tensor != f->inputs[k];
	}
	return VRS_OK;
}

static enum vrs_status add_formula(struct vrs_ocl_plan *plan, struct vrs_ocl_pieces *pieces, const struct vrs_node *node, struct vrs_error *err)
{
	struct vrs_ocl_piece *piece = &pieces->piece[pieces->count++];
	bool any;

	vrs_ocl_formula_collect(plan, node, true, &piece->formula);
	return formula_views(plan, piece, &any, err);
}

static enum vrs_status add_view(struct vrs_ocl_plan *plan, struct vrs_ocl_pieces *pieces, struct vrs_ocl_view view, int64_t channels,
				struct vrs_error *err);

/* What a view sees of the inputs of a deferred concat. */
static enum vrs_status add_inputs(struct vrs_ocl_plan *plan, struct vrs_ocl_pieces *pieces, const struct vrs_node *concat,
				  const struct vrs_ocl_view *view, int64_t channels, struct vrs_error *err)
{
	int64_t begin = 0, end;

	for (int k = 0; k < concat->inputs; k++, begin = end) {
		int64_t low = view->first > begin ? view->first : begin, high = view->first + channels;

		end = begin + channels_of(plan, concat->in[k]);
		high = high < end ? high : end;
		if (low < high)
			VRS_TRY(add_view(plan, pieces, (struct vrs_ocl_view){.tensor = concat->in[k], .first = low - begin, .resize = view->resize}, high - low,
					 err));
	}
	return VRS_OK;
}

/* Pieces of `channels` of a view: a concat on the way is pieces of its own.  VRS_EUNSUPPORTED: there are too many. */
static enum vrs_status add_view(struct vrs_ocl_plan *plan, struct vrs_ocl_pieces *pieces, struct vrs_ocl_view view, int64_t channels,
				struct vrs_error *err)
{
	const struct vrs_node *node = pass_through(plan, &view);

	if (node && node->op == VRS_OP_CONCAT)
		return add_inputs(plan, pieces, node, &view, channels, err);
	if (pieces->count == VRS_OCL_MAX_PIECES)
		return VRS_EUNSUPPORTED;
	if (node && !view.resize && view.first == 0 && channels == view.pitch && vrs_ocl_is_elementwise(plan, node))
		return add_formula(plan, pieces, node, err);
	pieces->piece[pieces->count++] = (struct vrs_ocl_piece){.channels = channels, .views = {view}, .view_count = 1};
	return settle_tensor(plan, view.tensor, err);
}

static enum vrs_status fuse_concat(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_ocl_pieces *pieces, struct vrs_error *err)
{
	const struct vrs_graph_tensor *y = tensor_of(plan, node->out);
	int64_t inner = 1;
	int axis = node->u.concat.axis;
	bool along_channels = is_channel_concat(plan, node);

	for (int i = axis + 1; i < y->rank; i++)
		inner *= y->dims[i];
	pieces->pitch = y->dims[axis] * inner;
	for (int k = 0; k < node->inputs; k++) {
		struct vrs_ocl_view view = {.tensor = node->in[k]};
		int64_t channels = tensor_of(plan, node->in[k])->dims[axis] * inner;

		if (!is_float(plan, node->in[k]))
			continue;
		if (along_channels) {
			VRS_TRY(add_view(plan, pieces, view, channels, err));
			continue;
		}
		VRS_TRY(settle_tensor(plan, node->in[k], err));
		view.pitch = channels;
		pieces->piece[pieces->count++] = (struct vrs_ocl_piece){.channels = channels, .views = {view}, .view_count = 1};
	}
	return VRS_OK;
}

/* A formula that reads a slice; others are flat (ocl_fuse_elementwise.c). */
static enum vrs_status fuse_formula(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_ocl_pieces *pieces, struct vrs_error *err)
{
	struct vrs_ocl_piece *piece = &pieces->piece[pieces->count++];
	bool any;

	pieces->pitch = channels_of(plan, node->out);
	vrs_ocl_formula_collect(plan, node, true, &piece->formula);
	VRS_TRY(formula_views(plan, piece, &any, err));
	return any ? VRS_OK : VRS_EUNSUPPORTED;
}

enum vrs_status vrs_ocl_fuse_pieces(struct vrs_ocl_plan *plan, const struct vrs_node *node, struct vrs_error *err)
{
	struct vrs_ocl_pieces pieces = {.count = 0};
	bool concat = is_concat(plan, node);
	enum vrs_status status = VRS_EUNSUPPORTED;

	if (plan->fusion && concat)
		status = fuse_concat(plan, node, &pieces, err);
	else if (plan->fusion && vrs_ocl_is_elementwise(plan, node))
		status = fuse_formula(plan, node, &pieces, err);
	if (status == VRS_EUNSUPPORTED && plan->fusion && concat) { /* too many: a piece an input then */
		pieces.count = 0;
		VRS_TRY(vrs_ocl_settle(plan, node, err));
		status = fuse_concat(plan, node, &pieces, err);
	}
	if (status != VRS_OK)
		return status;
	pieces.pixels = (int64_t)vrs_tensor_elements(tensor_of(plan, node->out)) / pieces.pitch;
	return vrs_ocl_pieces_steps(plan, node, &pieces, err);
}
