/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Operations on whole tensors of any rank and type, what does not fit rows.  Each is cut into op->parts pieces for the threads, none of which changes
 * what an element is made of.
 */
#ifndef VRS_BACKEND_CPU_FLAT_H
#define VRS_BACKEND_CPU_FLAT_H

#include "backend/cpu/exec/cpu_rows.h"
#include "graph/eval.h"

/* The operands of an operation where they lie, for what takes nodes. */
struct vrs_eval vrs_cpu_whole(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread);

/* The units of work [*first, *end) of parts [part, part_end): units are cut evenly. */
static inline void vrs_cpu_part_units(const struct vrs_cpu_op *op, int64_t units, int part, int part_end, int64_t *first, int64_t *end)
{
	*first = units * part / op->parts;
	*end = units * part_end / op->parts;
}

/* out[r * out_step + c] = in[r + c * step] for r < rows, c < columns. */
void vrs_cpu_transpose_plane(float *out, int64_t out_step, const float *in, int64_t rows, int64_t columns, int64_t step);

#endif
