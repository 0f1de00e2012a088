/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory planner for devices whose buffers are used as a whole: items whose lifetimes do not meet share a buffer, which is as large as the largest
 * of them (shared objects of Pisarchyk & Lee, arXiv 2001.03288).  It needs somewhat more memory than offsets in one arena (mem_plan.h).
 */
#ifndef VRS_GRAPH_MEM_SHARE_H
#define VRS_GRAPH_MEM_SHARE_H

#include "graph/mem_items.h"

struct vrs_mem_sharing {
	int *buffer_of;    /* [item]; -1: an item of no bytes */
	size_t *bytes;     /* [buffer] multiples of 64; room for a buffer an item */
	int count;         /* of buffers */
	size_t total;      /* bytes of all */
	size_t lower_bound; /* the largest sum of live bytes at any step */
};

/* The plan depends on the items alone; offsets are neither read nor written.  VRS_EINVAL: first above last; VRS_ELIMIT, VRS_ENOMEM. */
enum vrs_status vrs_mem_share(struct vrs_mem_sharing *ret_sharing, const struct vrs_mem_item *items, int count);
/* A zeroed one is fine. */
void vrs_mem_sharing_fini(struct vrs_mem_sharing *sharing);

#endif
