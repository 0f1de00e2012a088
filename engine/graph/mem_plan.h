/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory planner: offsets of buffers with lifetimes in one arena.  Buffers are placed one by one into the tightest gap (greedy, Pisarchyk & Lee,
 * arXiv 2001.03288); the best of several orders is kept: by size, breadth, start, size times length, length and some perturbed ones.
 */
#ifndef VRS_GRAPH_MEM_PLAN_H
#define VRS_GRAPH_MEM_PLAN_H

#include "graph/mem_items.h"

/*
 * Fills offsets; *ret_total is the arena size, *ret_lower_bound the largest sum of live bytes at any step.  Items of no bytes are fine.
 * VRS_EINVAL: first above last; VRS_ELIMIT, VRS_ENOMEM.
 */
enum vrs_status vrs_mem_plan(struct vrs_mem_item *items, int count, size_t *ret_total, size_t *ret_lower_bound);

#endif
