/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The only file that calls the C allocator.  Counters are relaxed atomics: they are statistics, not synchronisation.
 */
#include "base/mem.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define POPULATE_STEP ((size_t)64 << 20)
#define PAGES_FROM ((size_t)64 << 10)
#define PAGE_SIZE_MIN ((size_t)4096)
#define PAGES_MOST (SIZE_MAX >> 24) /* 1 TiB: more is a mistake, and sanitizers stop at it */
#define HUGE_PAGE ((size_t)2 << 20)
#define SMALL_ALIGNMENT 64

/* Sanitizers see overruns of heap blocks only. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MAP_LARGE false
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define MAP_LARGE false
#endif
#endif
#ifndef MAP_LARGE
#define MAP_LARGE true
#endif

/*
 * Libraries are not built with MemorySanitizer, which therefore takes what malloc gives for initialised (MSAN_OPTIONS=poison_in_malloc=0).  Ours is
 * not until we write it.
 */
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
void __msan_poison(const volatile void *p, size_t size); /* of clang's runtime */
#define MARK_UNINITIALISED(p, size) __msan_poison(p, size)
#endif
#endif
#ifndef MARK_UNINITIALISED
#define MARK_UNINITIALISED(p, size) ((void)(p), (void)(size))
#endif

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; older kernels refuse it, which is fine */
#endif

static atomic_uint_fast64_t allocations, frees, live_bytes, peak_bytes, refused;
static atomic_uint_fast64_t fail_countdown; /* 0: off; 1: the next allocation fails */
static atomic_bool fail_persistent, fault_fired;

bool vrs_mul_size(size_t a, size_t b, size_t *ret)
{
	size_t product;

	if (__builtin_mul_overflow(a, b, &product))
		return false;
	*ret = product;
	return true;
}

bool vrs_add_size(size_t a, size_t b, size_t *ret)
{
	size_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return false;
	*ret = sum;
	return true;
}

/* True when the test hook wants this allocation to fail. */
static bool inject_fault(void)
{
	uint_fast64_t left = atomic_load_explicit(&fail_countdown, memory_order_relaxed);

	if (left == 0)
		return false;
	while (left > 1) {
		if (atomic_compare_exchange_weak(&fail_countdown, &left, left - 1))
			return false;
		if (left == 0)
			return false;
	}
	if (!atomic_load(&fail_persistent))
		atomic_store(&fail_countdown, 0);
	atomic_store(&fault_fired, true);
	return true;
}

static void count_bytes(size_t size)
{
	uint_fast64_t live = atomic_fetch_add_explicit(&live_bytes, size, memory_order_relaxed) + size;
	uint_fast64_t peak = atomic_load_explicit(&peak_bytes, memory_order_relaxed);

	atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
	while (live > peak && !atomic_compare_exchange_weak_explicit(&peak_bytes, &peak, live, memory_order_relaxed, memory_order_relaxed))
		;
}

/* The allocator's own block size is what is counted, so no header is needed and sanitizers see every overrun. */
static void *count_in(void *p)
{
	if (p)
		count_bytes(malloc_usable_size(p));
	else
		atomic_fetch_add_explicit(&refused, 1, memory_order_relaxed);
	return p;
}

static void count_out(size_t size)
{
	atomic_fetch_sub_explicit(&live_bytes, size, memory_order_relaxed);
	atomic_fetch_add_explicit(&frees, 1, memory_order_relaxed);
}

void *vrs_alloc(size_t size)
{
	void *p = inject_fault() ? NULL : malloc(size ? size : 1);

	if (p)
		MARK_UNINITIALISED(p, size);
	return count_in(p);
}

void *vrs_calloc(size_t n, size_t size)
{
	size_t total;

	if (!vrs_mul_size(n, size, &total) || inject_fault())
		return count_in(NULL);
	return count_in(calloc(1, total ? total : 1));
}

void *vrs_realloc_array(void *p, size_t n, size_t size)
{
	size_t total;

	if (!vrs_mul_size(n, size, &total) || inject_fault())
		return count_in(NULL);
	size_t before = p ? malloc_usable_size(p) : 0;
	void *grown = realloc(p, total ? total : 1);

	if (grown && p)
		count_out(before);
	if (grown && total > before)
		MARK_UNINITIALISED((char *)grown + before, total - before);
	return count_in(grown);
}

char *vrs_strdup(const char *s)
{
	size_t size = strlen(s) + 1;
	char *copy = vrs_alloc(size);

	if (copy)
		memcpy(copy, s, size);
	return copy;
}

void vrs_free(void *p)
{
	if (!p)
		return;
	count_out(malloc_usable_size(p));
	free(p);
}

/* A block of its own for each, so that sanitizers see every overrun. */
struct vrs_arena_block {
	struct vrs_arena_block *next;
	_Alignas(max_align_t) unsigned char bytes[];
};

void *vrs_arena_calloc(struct vrs_arena *arena, size_t n, size_t size)
{
	size_t total;
	struct vrs_arena_block *block = NULL;

	if (vrs_mul_size(n, size, &total) && vrs_add_size(total, sizeof *block, &total))
		block = vrs_calloc(1, total);
	if (!block) {
		arena->failed = true;
		return NULL;
	}
	block->next = arena->newest;
	arena->newest = block;
	return block->bytes;
}

void vrs_arena_free(struct vrs_arena *arena)
{
	while (arena->newest) {
		struct vrs_arena_block *block = arena->newest;
		arena->newest = block->next;
		vrs_free(block);
	}
	arena->failed = false;
}

void *vrs_alloc_aligned(size_t alignment, size_t size)
{
	void *p = NULL;

	if (alignment < sizeof(void *) || (alignment & (alignment - 1)) || inject_fault() || posix_memalign(&p, alignment, size ? size : 1))
		return count_in(NULL);
	MARK_UNINITIALISED(p, size);
	return count_in(p);
}

void vrs_free_aligned(void *p)
{
	vrs_free(p);
}

/* Whole pages; whole huge pages where that wastes at most an eighth. */
static size_t mapped_size(size_t size)
{
	size_t huge = (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;

	return huge - size <= size / 8 ? huge : (size + PAGE_SIZE_MIN - 1) / PAGE_SIZE_MIN * PAGE_SIZE_MIN;
}

/* A mapping that begins at a huge page when it holds one: too much is mapped, and the ends are given back. */
static void *map_pages(size_t size, bool populate)
{
	size_t extra = size >= HUGE_PAGE ? HUGE_PAGE : 0;
	char *base = mmap(NULL, size + extra, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t before;

	if (base == MAP_FAILED)
		return NULL;
	before = extra ? (HUGE_PAGE - (uintptr_t)base % HUGE_PAGE) % HUGE_PAGE : 0;
	if (before > 0)
		(void)munmap(base, before);
	if (extra > before)
		(void)munmap(base + before + size, extra - before);
	base += before;
	if (extra)
		(void)madvise(base, size, MADV_HUGEPAGE);       /* a hint */
	for (size_t at = 0; populate && at < size; at += POPULATE_STEP) /* between steps signals are served */
		(void)madvise(base + at, size - at < POPULATE_STEP ? size - at : POPULATE_STEP, MADV_POPULATE_WRITE); /* the same */
	return base;
}

void *vrs_alloc_pages(size_t size, bool populate)
{
	void *p;

	if (size > PAGES_MOST)
		return NULL;
	if (!MAP_LARGE || size < PAGES_FROM) {
		p = vrs_alloc_aligned(SMALL_ALIGNMENT, size);
		return p ? memset(p, 0, size) : NULL;
	}
	size = mapped_size(size);
	p = inject_fault() ? NULL : map_pages(size, populate);
	if (!p)
		return count_in(NULL);
	count_bytes(size);
	return p;
}

void vrs_free_pages(void *p, size_t size)
{
	if (!MAP_LARGE || size < PAGES_FROM) {
		vrs_free(p);
		return;
	}
	if (!p)
		return;
	size = mapped_size(size);
	(void)munmap(p, size); /* cannot fail for a whole mapping */
	count_out(size);
}

void vrs_mem_trim(void)
{
	(void)malloc_trim(0); /* libc: free pages anywhere in the heap, which free gives back at its end alone */
}

struct vrs_mem_stats vrs_mem_stats(void)
{
	return (struct vrs_mem_stats){
		.allocations = atomic_load(&allocations),
		.frees = atomic_load(&frees),
		.live_bytes = atomic_load(&live_bytes),
		.peak_bytes = atomic_load(&peak_bytes),
		.refused = atomic_load(&refused),
	};
}

void vrs_mem_fail_after(uint64_t n, bool persistent)
{
	atomic_store(&fail_countdown, 0);
	atomic_store(&fail_persistent, persistent);
	atomic_store(&fault_fired, false);
	atomic_store(&fail_countdown, n);
}

bool vrs_mem_fault_fired(void)
{
	return atomic_load(&fault_fired);
}

uint64_t vrs_rss_bytes(void)
{
	uint64_t pages = 0;
	FILE *in = fopen("/proc/self/statm", "re");

	if (in && fscanf(in, "%*s %" SCNu64, &pages) != 1)
		pages = 0;
	if (in)
		fclose(in);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

uint64_t vrs_peak_rss_bytes(void)
{
	uint64_t kib = 0;
	char line[256];
	FILE *in = fopen("/proc/self/status", "re");

	while (in && fgets(line, sizeof line, in))
		if (sscanf(line, "VmHWM: %" SCNu64 " kB", &kib) == 1)
			break;
	if (in)
		fclose(in);
	return kib * 1024;
}
