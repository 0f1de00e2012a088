/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations on whole tensors that only move elements, of any type. */
#include <string.h>

#include "backend/cpu/exec/cpu_flat.h"
#include "backend/cpu/exec/cpu_routines.h"
#include "graph/eval_rows.h"

/* Reshapes: the same bytes. The unit is an element. */
void vrs_cpu_flat_copy(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	struct vrs_eval e = vrs_cpu_whole(op, thread);
	const struct vrs_graph_tensor *y = &e.graph->tensors[e.node->out];
	size_t size = vrs_dtype_size(y->dtype);
	int64_t first, end;
	(void)image;
	vrs_cpu_part_units(op, (int64_t)vrs_tensor_elements(y), y0, y1, &first, &end);
	memcpy((char *)e.out + (size_t)first * size, (const char *)e.in[0] + (size_t)first * size, (size_t)(end - first) * size);
}

/*
 * A padding as rows of blocks: the last dims without padding are one block of elements, the dim before them is the row, the rest is counted.
 */
struct padding {
	const struct vrs_node *node;
	const struct vrs_graph_tensor *x, *y;
	int axis;                     /* of the row */
	size_t size, block;           /* bytes of an element; of a block */
	int64_t strides[VRS_MAX_RANK]; /* of x, in elements */
};

static struct padding padding_of(const struct vrs_eval *e)
{
	struct padding p = {.node = e->node, .x = &e->graph->tensors[e->node->in[0]], .y = &e->graph->tensors[e->node->out]};
	p.axis = p.y->rank - 1;
	p.block = p.size = vrs_dtype_size(p.y->dtype);
	vrs_dense_strides(p.x, p.strides);
	while (p.axis > 0 && e->node->u.pad.before[p.axis] == 0 && e->node->u.pad.after[p.axis] == 0)
		p.block *= (size_t)p.y->dims[p.axis--];
	return p;
}

static void fill(char *to, size_t bytes, const struct padding *p)
{
	const char *element = p->node->u.pad.fill;
	bool zero = true;
	for (size_t i = 0; i < p->size; i++)
		zero = zero && element[i] == 0;
	if (zero)
		memset(to, 0, bytes);
	for (size_t i = 0; !zero && i < bytes; i += p->size)
		memcpy(to + i, element, p->size);
}

/* Blocks [i0, i1) of the row whose input row begins at `from`, each from where the mode says. */
static void pad_blocks(const struct padding *p, char *to, const char *from, int64_t i0, int64_t i1)
{
	for (int64_t i = i0; i < i1; i++) {
		int64_t place = vrs_pad_source(p->node->u.pad.mode, i - p->node->u.pad.before[p->axis], p->x->dims[p->axis]);
		if (place < 0)
			fill(to + (size_t)i * p->block, p->block, p);
		else
			memcpy(to + (size_t)i * p->block, from + (size_t)place * p->block, p->block);
	}
}

static void pad_row(const struct padding *p, char *to, const char *from)
{
	int64_t before = p->node->u.pad.before[p->axis], length = p->y->dims[p->axis], width = p->x->dims[p->axis];
	int64_t first = before > 0 ? before : 0, last = before + width < length ? before + width : length; /* blocks from inside */
	if (last <= first) {
		pad_blocks(p, to, from, 0, length);
		return;
	}
	pad_blocks(p, to, from, 0, first);
	memcpy(to + (size_t)first * p->block, from + (size_t)(first - before) * p->block, (size_t)(last - first) * p->block);
	pad_blocks(p, to, from, last, length);
}

/* The unit of work is a row. */
void vrs_cpu_flat_pad(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	struct vrs_eval e = vrs_cpu_whole(op, thread);
	struct padding p = padding_of(&e);
	size_t row = p.block * (size_t)(p.y->rank > 0 ? p.y->dims[p.axis] : 1);
	int64_t rows = 1, first, end;
	(void)image;
	for (int i = 0; i < p.axis; i++)
		rows *= p.y->dims[i];
	vrs_cpu_part_units(op, rows, y0, y1, &first, &end);
	for (int64_t r = first; r < end; r++) {
		int64_t rest = r, from = 0;
		bool inside = true;
		for (int i = p.axis - 1; i >= 0; i--) {
			int64_t place = vrs_pad_source(e.node->u.pad.mode, rest % p.y->dims[i] - e.node->u.pad.before[i], p.x->dims[i]);
			rest /= p.y->dims[i];
			inside = inside && place >= 0;
			from += place * p.strides[i];
		}
		if (inside)
			pad_row(&p, (char *)e.out + (size_t)r * row, (const char *)e.in[0] + (size_t)from * p.size);
		else
			fill((char *)e.out + (size_t)r * row, row, &p);
	}
}
