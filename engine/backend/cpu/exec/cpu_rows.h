/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State of the threads of a run, and where the rows of values are while they work. */
#ifndef VRS_BACKEND_CPU_ROWS_H
#define VRS_BACKEND_CPU_ROWS_H

#include "backend/cpu/plan/cpu_plan_data.h"

struct vrs_cpu_thread;

/* Rows [y0, y1) of a value are there. */
typedef void (*vrs_cpu_observe_fn)(void *cookie, struct vrs_cpu_thread *thread, int value, int image, int y0, int y1);

/* State of one thread during a run. */
struct vrs_cpu_thread {
	const struct vrs_cpu_plan *plan;
	int region;                 /* of the current operation */
	const struct vrs_cpu_share *share; /* of the current item */
	char *arena;                /* of the run: [plan->arena_bytes] */
	float *scratch;             /* rings and temporary rows of the current region */
	size_t scratch_bytes;
	int *own_end;               /* [value] first row that belongs to the band after the current one */
	int *made_end;              /* [value] row after the last one made: what is in a ring, for assertions */
	const float **seg;          /* row pointers for kernels */
	uint64_t *op_ns;            /* [op] profile; NULL: off */
	vrs_cpu_observe_fn observe; /* called with finished rows; NULL: off */
	void *observe_cookie;
};

/* Memory for the tensors of one run of the plan, untouched: where and when it is first written to; vrs_cpu_arena_destroy. NULL: no memory. */
char *vrs_cpu_arena_create(const struct vrs_cpu_plan *plan, bool untouched);
void vrs_cpu_arena_destroy(const struct vrs_cpu_plan *plan, char *arena); /* NULL is fine */
/* What one thread needs to run units; also after a failure to be freed. VRS_ENOMEM. */
enum vrs_status vrs_cpu_thread_init(struct vrs_cpu_thread *thread, const struct vrs_cpu_plan *plan, char *arena, bool profile);
void vrs_cpu_thread_fini(struct vrs_cpu_thread *thread);

/* Row in the arena, where it may be half precision. */
char *vrs_cpu_arena_row(const struct vrs_cpu_thread *thread, const struct vrs_cpu_value *value, int image, int y);
/* Row in the ring of a value that has one. */
float *vrs_cpu_ring_row(const struct vrs_cpu_thread *thread, const struct vrs_cpu_value *value, int y);
/* Rows of values, for the row functions. */
const float *vrs_cpu_row(const struct vrs_cpu_thread *thread, int value, int image, int y);
float *vrs_cpu_out_row(const struct vrs_cpu_thread *thread, int value, int image, int y);
/* True if rows [y0, y1) lie one after the other without gaps. */
bool vrs_cpu_rows_dense(const struct vrs_cpu_thread *thread, int value, int y0, int y1);
/* First row after y0, y1 at most, that does not follow the ones from y0 on in memory, with *ret_gap floats between a row and the next. */
int vrs_cpu_rows_run(const struct vrs_cpu_thread *thread, int value, int y0, int y1, ptrdiff_t *ret_gap);
/* Row of the input that row ky of the window of output row y reads, from its first pixel; NULL: outside the picture. */
const float *vrs_cpu_tap_row(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread, int image, int y, int ky);
/* Columns [x0, x1) of a row of a picture, all zeros if it is NULL, into `to`, zero outside the picture. */
void vrs_cpu_copy_columns(const struct vrs_cpu_value *in, const float *row, int64_t x0, int64_t x1, float *to);
/* `channels` floats of each of some pixels that are from_px and to_px floats apart. */
void vrs_cpu_copy_pixels(const float *from, ptrdiff_t from_px, float *to, ptrdiff_t to_px, int pixels, int channels);
/* The factors of op->scale, one a channel; NULL: it has none. */
const float *vrs_cpu_scale_row(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread, int image);
/* Row of an operand that may be broadcast, and the floats from pixel to pixel and from channel to channel. */
const float *vrs_cpu_operand_row(const struct vrs_cpu_thread *thread, int value, int image, int y, ptrdiff_t *px, int *ch);
/* Packed weights, as prepared for the band where they are. */
const float *vrs_cpu_op_weights(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread);
/* The epilogue of a kernel for row y from pixel x on. */
struct vrs_epilogue vrs_cpu_epilogue(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread, int image, int y, int x);
/* Columns [*begin, *end) of row y that an item of rows [y0, y1) makes. */
void vrs_cpu_share_columns(const struct vrs_cpu_op *op, const struct vrs_cpu_thread *thread, int y, int y0, int y1, int *begin, int *end);

#endif
