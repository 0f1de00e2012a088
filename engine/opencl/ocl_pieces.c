/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_pieces.h"

#include <stdio.h>

#include "opencl/ocl_lower_resize.h"
#include "opencl/ocl_maps.h"
#include "opencl/ocl_values.h"
#include "opencl/ocl_vector.h"

#define MAX_VIEWS VRS_OCL_MAX_ARGS

/* A kernel that is being made. */
struct builder {
	struct vrs_ocl_plan *plan;
	const struct vrs_node *node;
	int64_t pitch;
	struct vrs_ocl_text args, body;
	const struct vrs_node *resizes[MAX_VIEWS]; /* whose tables are arguments; their places in this list name them */
	int view_count, resize_count;
	size_t items_a_pixel;
};

/* Arguments of a piece at most: a view has its buffer, pitch and first channel, a resize two tables and two sizes. */
static int args_of(const struct vrs_ocl_piece *piece)
{
	int count = 1;

	for (int k = 0; k < piece->view_count; k++)
		count += piece->views[k].single ? 1 : piece->views[k].resize ? 7 : 3;
	return count;
}

/* Does every vector of four lie at a multiple of four? */
static bool is_aligned(const struct builder *b, int64_t to)
{
	return b->plan->caps.vendor != VRS_OCL_VENDOR_CPU && to % 4 == 0 && b->pitch % 4 == 0;
}

/*
 * Channels that a piece from channel `to` on reads and writes at once.  Where work-items that are neighbours should touch neighbours, fours that are
 * not aligned cost more than they save, unless the four share the places of a resize.
 */
static int vector_of(const struct builder *b, const struct vrs_ocl_piece *piece, int64_t to)
{
	bool four = piece->channels % 4 == 0, resized = false;

	if (b->plan->caps.vendor == VRS_OCL_VENDOR_CPU)
		return piece->channels % 8 == 0 ? 8 : four ? 4 : 1;
	for (int k = 0; k < piece->view_count; k++) {
		const struct vrs_ocl_view *view = &piece->views[k];

		four = four && (view->single || (view->pitch % 4 == 0 && view->first % 4 == 0));
		resized = resized || view->resize;
	}
	return four && (resized || is_aligned(b, to)) ? 4 : 1;
}

static void add_int(struct builder *b, const char *name, int number, int64_t value)
{
	vrs_ocl_text_put(&b->args, "int %s%d, ", name, number);
	vrs_ocl_arg_int(b->plan, value);
}

/* The number of a resize, whose tables become arguments when it is new. */
static int resize_number(struct builder *b, const struct vrs_node *resize)
{
	const struct vrs_graph_tensor *x = &b->plan->graph.tensors[resize->in[0]];
	int32_t places, weights;
	int number = 0;
	char name[16];

	while (number < b->resize_count && b->resizes[number] != resize)
		number++;
	if (number < b->resize_count)
		return number;
	b->resizes[b->resize_count++] = resize;
	if (vrs_ocl_resize_tables(b->plan, resize, &places, &weights) != VRS_OK)
		b->plan->status = VRS_ENOMEM;
	(void)snprintf(name, sizeof name, "places%d", number);
	vrs_ocl_arg_value(b->plan, name, places);
	(void)snprintf(name, sizeof name, "weights%d", number);
	vrs_ocl_arg_value(b->plan, name, weights);
	vrs_ocl_text_put(&b->args, "__global const int *places%d, __global const float *weights%d, ", number, number);
	add_int(b, "height", number, x->dims[1]);
	add_int(b, "width", number, x->dims[2]);
	return number;
}

/* The arguments of a view; returns its number. */
static int add_view(struct builder *b, const struct vrs_ocl_view *view, int vector)
{
	int number = b->view_count++;
	int32_t value = vrs_ocl_value_of(b->plan, view->tensor);
	bool aligned = b->plan->caps.vendor != VRS_OCL_VENDOR_CPU;
	char name[16];

	(void)snprintf(name, sizeof name, "x%d", number);
	vrs_ocl_arg_value(b->plan, name, value);
	vrs_ocl_define_vector_access(b->plan, name, value, view->single ? 1 : vector, aligned);
	vrs_ocl_text_put(&b->args, "__global const x%d_T *x%d, ", number, number);
	if (!view->single) {
		add_int(b, "pitch", number, view->pitch);
		add_int(b, "first", number, view->first);
	}
	return number;
}

/* Before the loop over channels: where the pixel lies in what is resized. */
static void put_places(struct builder *b, const struct vrs_ocl_piece *piece, int resizes[VRS_OCL_FORMULA_INPUTS])
{
	bool any = false;

	for (int k = 0; k < piece->view_count; k++) {
		bool known = false;

		resizes[k] = piece->views[k].resize ? resize_number(b, piece->views[k].resize) : -1;
		for (int i = 0; i < k; i++)
			known = known || resizes[i] == resizes[k];
		if (resizes[k] < 0 || known)
			continue;
		vrs_ocl_text_put(&b->body, any ? "CORNERS(%d) " : "PLACE CORNERS(%d) ", resizes[k]);
		any = true;
	}
}

/* vk = channels of a view */
static void put_load(struct builder *b, const struct vrs_ocl_view *view, const char *type, int k, int number, int resize)
{
	if (view->single)
		vrs_ocl_text_put(&b->body, "%s v%d = (%s)(x%d_LDV(x%d, 0)); ", type, k, type, number, number);
	else if (resize < 0)
		vrs_ocl_text_put(&b->body, "%s v%d = x%d_LDV(x%d, p * pitch%d + first%d + c); ", type, k, number, number, number, number);
	else
		vrs_ocl_text_put(&b->body, "%s v%d = %s(%d, x%d_LDV, x%d, pitch%d, first%d); ", type, k,
				 view->resize->u.resize.nearest ? "NEAREST" : "BLEND", resize, number, number, number, number);
}

static void put_piece(struct builder *b, const struct vrs_ocl_piece *piece, int n, int64_t to)
{
	int vector = vector_of(b, piece, to), resizes[VRS_OCL_FORMULA_INPUTS], numbers[VRS_OCL_FORMULA_INPUTS];
	char type[16], name[16];

	(void)snprintf(type, sizeof type, vector == 1 ? "float" : "float%d", vector);
	(void)snprintf(name, sizeof name, "y%d", n);
	if (vector > 1)
		vrs_ocl_define_vector_access(b->plan, name, vrs_ocl_value_of(b->plan, b->node->out), vector, is_aligned(b, to));
	add_int(b, "channels", n, piece->channels);
	vrs_ocl_text_put(&b->body, "BEGIN(channels%d, %d) ", n, vector);
	put_places(b, piece, resizes);
	for (int k = 0; k < piece->view_count; k++)
		numbers[k] = add_view(b, &piece->views[k], vector);
	vrs_ocl_text_put(&b->body, "EACH(%d) ", vector);
	for (int k = 0; k < piece->view_count; k++)
		put_load(b, &piece->views[k], type, k, numbers[k], resizes[k]);
	vrs_ocl_formula_put(b->plan, &piece->formula, type, n, &b->body);
	(void)snprintf(name, sizeof name, vector > 1 ? "y%d_STV" : "y_ST", n);
	vrs_ocl_text_put(&b->body, "%s(y, p * pitch + to + c, %s); ", name, piece->formula.node_count > 0 ? "t0" : "v0");
	vrs_ocl_text_put(&b->body, "END(channels%d, %d) ", n, vector);
	b->items_a_pixel += b->plan->caps.is_cpu ? 1 : (size_t)(piece->channels / vector);
}

/* Pieces from `at` on that one kernel makes, at least one. */
static int fitting(const struct vrs_ocl_pieces *pieces, int at)
{
	int args = 6, nodes = 0, count = 0;

	for (int i = at; i < pieces->count; i++, count++) {
		args += args_of(&pieces->piece[i]);
		nodes += pieces->piece[i].formula.node_count;
		if (count > 0 && (args > VRS_OCL_MAX_ARGS || nodes > VRS_OCL_FORMULA_NODES))
			break;
	}
	return count;
}

static enum vrs_status one_step(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct vrs_ocl_pieces *pieces, int at, int count,
				int64_t to, struct vrs_error *err)
{
	const struct vrs_graph_tensor *y = &plan->graph.tensors[node->out];
	struct builder b = {.plan = plan, .node = node, .pitch = pieces->pitch};
	const int64_t sizes[] = {y->rank == 4 ? y->dims[1] : 1, y->rank == 4 ? y->dims[2] : 1, pieces->pixels, pieces->pitch, to};

	vrs_ocl_step_begin(plan, node, "pieces");
	for (int64_t i = 0, next = to; i < count; next += pieces->piece[at + i].channels, i++)
		put_piece(&b, &pieces->piece[at + i], (int)i, next);
	vrs_ocl_arg_tensor(plan, "y", node->out);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		vrs_ocl_arg_int(plan, sizes[i]);
	vrs_ocl_define_text(plan, "ARGS", b.args.data);
	vrs_ocl_define_text(plan, "PIECES", b.body.data);
	vrs_ocl_define_int(plan, "BY_VECTOR", !plan->caps.is_cpu);
	return vrs_ocl_map_end(plan, b.items_a_pixel * (size_t)pieces->pixels, err);
}

enum vrs_status vrs_ocl_pieces_steps(struct vrs_ocl_plan *plan, const struct vrs_node *node, const struct vrs_ocl_pieces *pieces,
				     struct vrs_error *err)
{
	int64_t to = 0;

	for (int at = 0; at < pieces->count;) {
		int count = fitting(pieces, at);

		VRS_TRY(one_step(plan, node, pieces, at, count, to, err));
		for (; count > 0; count--)
			to += pieces->piece[at++].channels;
	}
	return VRS_OK;
}
