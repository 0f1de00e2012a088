/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Transposed convolutions as convolutions of the phases of their stride (plan/cpu_plan_deconv.h): each writes its columns of the output row. */
#include "backend/cpu/exec/cpu_routines.h"
#include "backend/cpu/plan/cpu_plan_deconv.h"
#include "base/assert.h"
#include "kernels/weight_pack.h"

/* Row pointers for periods [begin, end): into the input, or where columns are outside to copies. */
static void phase_rows(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, const struct vrs_cpu_phases *p, int first_row, int rows,
		       int begin, int end)
{
	const struct vrs_cpu_value *in = &thread->plan->values[op->in[0]];
	bool copied = begin < p->inner_begin || end > p->inner_end;
	float *columns = thread->scratch + op->temp_scratch;
	for (int s = 0; s < rows; s++) {
		int y = first_row + s;
		const float *row = y >= 0 && y < in->height ? vrs_cpu_row(thread, op->in[0], image, y) : NULL;
		thread->seg[s] = row ? row + ((ptrdiff_t)begin + p->first) * in->channels : thread->plan->zeros;
		if (!copied)
			continue;
		vrs_cpu_copy_columns(in, row, (int64_t)begin + p->first, (int64_t)end - 1 + p->first + p->taps, columns);
		thread->seg[s] = columns;
		columns += (ptrdiff_t)(end - begin - 1 + p->taps) * in->channels;
	}
}

void vrs_cpu_rows_deconv_phases(const struct vrs_cpu_op *op, struct vrs_cpu_thread *thread, int image, int y0, int y1)
{
	const struct vrs_cpu_plan *plan = thread->plan;
	const struct vrs_cpu_value *out = &plan->values[op->out];
	int stride = op->window.stride_w, period = vrs_cpu_deconv_period(plan, op), lanes = plan->kernels.lanes;
	for (int y = y0, first_row; y < y1; y++) {
		int rows = vrs_cpu_deconv_row_taps(op, y, &first_row);
		const float *weights = vrs_cpu_op_weights(op, thread) + vrs_cpu_deconv_weights(plan, op, y % op->window.stride_h);
		const float *bias = plan->weights + op->bias_offset;
		for (int x = 0; x < period;) {
			struct vrs_cpu_phases p = vrs_cpu_deconv_phases(plan, op, x);
			int n = (p.end - p.begin) * op->group_out, cuts[] = {0, p.inner_begin, p.inner_end, p.pixels};
			for (int part = 0; part < 3; part++) {
				int begin = cuts[part], at = begin * stride + p.begin;
				if (begin == cuts[part + 1])
					continue;
				struct vrs_conv_row row = {
					.seg = thread->seg, .segs = rows, .klen = p.taps * op->group_in, .in_px = op->group_in, .pixels = cuts[part + 1] - begin,
					.n = n, .weights = weights, .bias = bias, .out = vrs_cpu_out_row(thread, op->out, image, y) + (ptrdiff_t)at * out->channels,
					.out_px = (ptrdiff_t)stride * out->channels, .epilogue = vrs_cpu_epilogue(op, thread, image, y, at),
				};
				row.epilogue.residual_px *= stride;
				phase_rows(op, thread, image, &p, first_row, rows, begin, cuts[part + 1]);
				plan->kernels.conv(&row);
			}
			weights += vrs_pack_size(n, rows * p.taps * op->group_in, lanes);
			bias += vrs_pack_size(n, 1, lanes);
			x = p.end;
		}
	}
}
