/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operators that only move elements, of any type, and lists of numbers. */
#include <string.h>

#include "graph/eval_ops.h"
#include "graph/eval_rows.h"

void vrs_eval_reshape(const struct vrs_eval *e)
{
	memcpy(e->out, e->in[0], vrs_tensor_elements(vrs_eval_out(e)) * vrs_dtype_size(vrs_eval_out(e)->dtype));
}

/* Each input is outer blocks of (its axis x inner) values; the output interleaves the blocks. */
void vrs_eval_concat(const struct vrs_eval *e)
{
	const struct vrs_graph_tensor *y = vrs_eval_out(e);
	int axis = e->node->u.concat.axis;
	size_t outer = 1, inner = vrs_dtype_size(y->dtype), offset = 0;

	for (int i = 0; i < axis; i++)
		outer *= (size_t)y->dims[i];
	for (int i = axis + 1; i < y->rank; i++)
		inner *= (size_t)y->dims[i];
	for (int k = 0; k < e->node->inputs; k++) {
		size_t block = (size_t)vrs_eval_in(e, k)->dims[axis] * inner, row = (size_t)y->dims[axis] * inner;

		for (size_t i = 0; i < outer && block > 0; i++) /* an empty input may have no memory */
			memcpy((char *)e->out + i * row + offset, (const char *)e->in[k] + i * block, block);
		offset += block;
	}
}

void vrs_eval_transpose(const struct vrs_eval *e)
{
	int64_t from[VRS_MAX_RANK], strides[VRS_MAX_RANK] = {0};

	vrs_dense_strides(vrs_eval_in(e, 0), from);
	for (int i = 0; i < vrs_eval_out(e)->rank; i++)
		strides[i] = from[e->node->u.transpose.perm[i]];
	vrs_copy_strided(vrs_eval_out(e), e->out, e->in[0], strides, 0);
}

void vrs_eval_slice(const struct vrs_eval *e)
{
	int64_t from[VRS_MAX_RANK], strides[VRS_MAX_RANK] = {0}, offset = 0;

	vrs_dense_strides(vrs_eval_in(e, 0), from);
	for (int i = 0; i < vrs_eval_out(e)->rank; i++) {
		strides[i] = from[i] * e->node->u.slice.step[i];
		offset += from[i] * e->node->u.slice.start[i];
	}
	vrs_copy_strided(vrs_eval_out(e), e->out, e->in[0], strides, offset);
}

void vrs_eval_expand(const struct vrs_eval *e)
{
	const struct vrs_graph_tensor *x = vrs_eval_in(e, 0), *y = vrs_eval_out(e);
	int64_t from[VRS_MAX_RANK], strides[VRS_MAX_RANK] = {0};

	vrs_dense_strides(x, from);
	for (int i = 0; i < x->rank; i++)
		strides[y->rank - x->rank + i] = x->dims[i] == 1 ? 0 : from[i];
	vrs_copy_strided(y, e->out, e->in[0], strides, 0);
}

/* Indices are hostile: those outside are moved to the next border. */
static int64_t index_at(const struct vrs_eval *e, size_t i, int64_t n)
{
	int64_t index = vrs_load_i64(vrs_eval_in(e, 1)->dtype, e->in[1], i);

	index = index < 0 && index >= -n ? index + n : index;
	return index < 0 ? 0 : index >= n ? n - 1 : index;
}

void vrs_eval_gather(const struct vrs_eval *e)
{
	const struct vrs_graph_tensor *x = vrs_eval_in(e, 0);
	size_t outer = 1, inner = vrs_dtype_size(x->dtype), count = vrs_tensor_elements(vrs_eval_in(e, 1));
	int axis = e->node->u.gather.axis;
	int64_t n = x->dims[axis];
	char *to = e->out;

	for (int i = 0; i < axis; i++)
		outer *= (size_t)x->dims[i];
	for (int i = axis + 1; i < x->rank; i++)
		inner *= (size_t)x->dims[i];
	for (size_t o = 0; o < outer; o++)
		for (size_t i = 0; i < count; i++, to += inner)
			memcpy(to, (const char *)e->in[0] + (o * (size_t)n + (size_t)index_at(e, i, n)) * inner, inner);
}

/* Row by row of the output: the row of x at the same place modulo its dims, again and again. */
void vrs_eval_tile(const struct vrs_eval *e)
{
	const struct vrs_graph_tensor *x = vrs_eval_in(e, 0), *y = vrs_eval_out(e);
	size_t size = vrs_dtype_size(x->dtype), total = vrs_tensor_elements(y), done = 0;
	size_t row = (x->rank > 0 ? (size_t)x->dims[x->rank - 1] : 1), out_row = y->rank > 0 ? (size_t)y->dims[y->rank - 1] : 1;

	for (size_t r = 0; done < total; r++) {
		size_t rest = r, from = 0, step = row;

		for (int i = x->rank - 2; i >= 0; i--) {
			from += rest % (size_t)y->dims[i] % (size_t)x->dims[i] * step;
			rest /= (size_t)y->dims[i];
			step *= (size_t)x->dims[i];
		}
		for (size_t k = 0; k < out_row; k += row, done += row)
			memcpy((char *)e->out + done * size, (const char *)e->in[0] + from * size, row * size);
	}
}

void vrs_eval_shape(const struct vrs_eval *e)
{
	const struct vrs_graph_tensor *x = vrs_eval_in(e, 0);
	int first, last;

	vrs_shape_range(e->node, x->rank, &first, &last);
	for (int i = first; i < last; i++)
		((int64_t *)e->out)[i - first] = x->dims[i];
}

void vrs_eval_range(const struct vrs_eval *e)
{
	enum vrs_dtype dtype = vrs_eval_out(e)->dtype;
	size_t n = vrs_tensor_elements(vrs_eval_out(e));

	for (size_t i = 0; i < n; i++)
		if (vrs_dtype_is_float(dtype))
			vrs_store_f64(dtype, e->out, i, vrs_load_f64(dtype, e->in[0], 0) + (double)i * vrs_load_f64(dtype, e->in[2], 0));
		else
			vrs_store_i64(dtype, e->out, i, (int64_t)((uint64_t)vrs_load_i64(dtype, e->in[0], 0) +
								  i * (uint64_t)vrs_load_i64(dtype, e->in[2], 0)));
}
