/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory planner: offsets of buffers with lifetimes in one arena.  Buffers are placed one by one into the tightest gap (greedy, Pisarchyk & Lee,
 * arXiv 2001.03288); the best of several orders is kept: by size, breadth, start, size times length, length and some perturbed ones.
 */
#ifndef VRS_GRAPH_MEM_PLAN_H
#define VRS_GRAPH_MEM_PLAN_H

#include <stddef.h>

#include <vrseg/status.h>

struct vrs_mem_item {
	size_t bytes;
	int first, last;   /* steps, inclusive, during which the buffer is live */
	size_t offset;     /* result, multiple of 64 */
};

/* Can sizes of these items be summed?  VRS_EINVAL: first above last, count below 0; VRS_ELIMIT. */
enum vrs_status vrs_mem_check(const struct vrs_mem_item *items, int count);
/* Bytes of the items, each rounded up to 64, that live at a step. */
size_t vrs_mem_live_bytes(const struct vrs_mem_item *items, int count, int step);
/*
 * Fills offsets; *ret_total is the arena size, *ret_lower_bound the largest sum of live bytes at any step.  Items of no bytes are fine.
 * VRS_EINVAL: first above last; VRS_ELIMIT, VRS_ENOMEM.
 */
enum vrs_status vrs_mem_plan(struct vrs_mem_item *items, int count, size_t *ret_total, size_t *ret_lower_bound);

#endif
