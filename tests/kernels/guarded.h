/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Buffers of kernel tests that show any access outside them: an unreadable page follows the last byte, and what lies before is checked at the end. */
#ifndef VRS_TESTS_KERNELS_GUARDED_H
#define VRS_TESTS_KERNELS_GUARDED_H

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A buffer whose last byte is the last one before an unreadable page. */
struct guarded {
	uint8_t *map, *data;
	size_t map_bytes;
};

static inline struct guarded guarded_new(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (bytes + page - 1) / page + 1;
	struct guarded g = {.map_bytes = (pages + 1) * page};
	g.map = mmap(NULL, g.map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(g.map != MAP_FAILED);
	assert_int_equal(mprotect(g.map + pages * page, page, PROT_NONE), 0);
	g.data = g.map + pages * page - bytes;
	memset(g.map, 0xa5, pages * page);
	return g;
}

/* Nothing before the data may have changed; that part is at least a page long. */
static inline void guarded_free(struct guarded *g)
{
	for (const uint8_t *p = g->map; p < g->data; p++)
		assert_int_equal(*p, 0xa5);
	munmap(g->map, g->map_bytes);
}

#endif
