/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory: overflow-checked sizes, aligned allocation, accounting, and hooks so that tests can fail the n-th allocation.
 * Every allocation of the project's own code goes through here.  Thread-safe.
 */
#ifndef VRS_BASE_MEM_H
#define VRS_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* a * b and a + b without overflow; false (and *ret untouched) when they do not fit. */
bool vrs_mul_size(size_t a, size_t b, size_t *ret);
bool vrs_add_size(size_t a, size_t b, size_t *ret);

void *vrs_alloc(size_t size);                         /* NULL when out of memory; size 0 gives a unique pointer */
void *vrs_calloc(size_t n, size_t size);              /* zeroed, n * size checked */
void *vrs_realloc_array(void *p, size_t n, size_t size); /* p NULL allocates; on failure p stays valid */
char *vrs_strdup(const char *s);
void vrs_free(void *p);                               /* NULL is fine */
/* Aligned block (power of two, 64 or more for kernels); free with vrs_free_aligned. */
void *vrs_alloc_aligned(size_t alignment, size_t size);
void vrs_free_aligned(void *p);
/*
 * Memory that is freed together: of an object and all that is made for it.  {0} is empty; one thread at a time.  Whoever has the arena frees it, so
 * that objects in it need no end of their own.
 */
struct vrs_arena {
	struct vrs_arena_block *newest;
	bool failed; /* there was no memory for one of the blocks: to be asked once, after the last */
};
/* Zeroed, n * size checked, aligned for any type; NULL when out of memory. */
void *vrs_arena_calloc(struct vrs_arena *arena, size_t n, size_t size);
/* All blocks; the arena is empty then. */
void vrs_arena_free(struct vrs_arena *arena);
/*
 * Zeroed block for large, long-lived data, aligned to 64 bytes or more; free with vrs_free_pages and the same size.  Above 64 KiB it comes straight
 * from the system, in huge pages where they fit.  populate: in memory before anybody touches it, since a page fault for every 4 KiB costs more than
 * planning a network does; else a page is there only when it is touched, on the memory node of the thread that does.
 */
void *vrs_alloc_pages(size_t size, bool populate);
void vrs_free_pages(void *p, size_t size);

/* Give back to the system what was freed and the allocator has kept: before long work that is to take little memory. */
void vrs_mem_trim(void);

struct vrs_mem_stats {
	uint64_t allocations, frees;
	uint64_t live_bytes, peak_bytes;
	uint64_t refused; /* allocations for which there was no memory */
};
struct vrs_mem_stats vrs_mem_stats(void);
/* Test hook: let the n-th allocation from now on fail (1 = the next), and all after it when persistent; 0 switches it off. */
void vrs_mem_fail_after(uint64_t n, bool persistent);
/* True if a fault was delivered since the last vrs_mem_fail_after. */
bool vrs_mem_fault_fired(void);
/*
 * Resident bytes now (statm), and the most since the program began (VmHWM); 0 when the kernel does not tell.  Not getrusage: its ru_maxrss keeps what
 * the parent held when it forked, through exec (Linux, setmax_mm_hiwater_rss), so that a small program which a large one starts would seem large.
 */
uint64_t vrs_rss_bytes(void);
uint64_t vrs_peak_rss_bytes(void);

#endif
