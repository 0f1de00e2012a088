/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random buffers with short lives, for the tests of memory planners. */
#ifndef TESTS_UNIT_GRAPH_MEM_RANDOM_H
#define TESTS_UNIT_GRAPH_MEM_RANDOM_H

#include "base/rng.h"
#include "graph/mem_items.h"

#define MEM_RANDOM_MOST 80

/* Fills up to MEM_RANDOM_MOST items; how many. */
static inline int random_items(struct vrs_mem_item *items, struct vrs_rng *rng)
{
	int count = 1 + (int)vrs_rng_below(rng, MEM_RANDOM_MOST);

	for (int i = 0; i < count; i++) {
		items[i].bytes = (size_t)(1 + vrs_rng_below(rng, 100)) * 64;
		items[i].first = (int)vrs_rng_below(rng, 60);
		items[i].last = items[i].first + (int)vrs_rng_below(rng, 6);
		items[i].offset = 0;
	}
	return count;
}

#endif
