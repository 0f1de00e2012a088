/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * FFmpeg's libraries pull some 130 others into a process, 40 ms of every start.  A program that is linked with this file instead of them loads
 * them at its first call of one of their functions: never where no file is read or written (help, --list, analysis, built-in people into null:).
 *
 * Each function has an entry of its own name that jumps to where the function is, as a linker's table of procedures does.  Until then its slot
 * is NULL, and the entry first calls vrs_av_enter, which keeps the registers that carry arguments (System V ABI for x86-64: six integers, eight
 * vectors, rax for variadic calls, r10 for a static chain) and has the slots filled.  Other processors: cmake/libraries.cmake links as usual.
 */
#include "video/av_functions.h"

#ifdef VRS_DELAY_FFMPEG

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

#include <libavcodec/version_major.h>
#include <libavformat/version_major.h>
#include <libavutil/macros.h>
#include <libavutil/version.h>
#include <libswscale/version_major.h>

#include <vrseg/log.h>

#define ALL_FUNCTIONS(X) VRS_AVUTIL_FUNCTIONS(X) VRS_AVCODEC_FUNCTIONS(X) VRS_AVFORMAT_FUNCTIONS(X) VRS_SWSCALE_FUNCTIONS(X)
#define HIDDEN __attribute__((visibility("hidden"))) /* reached from the entries without a table */

#define DECLARE_SLOT(name) extern void *vrs_slot_##name HIDDEN; void *vrs_slot_##name;
ALL_FUNCTIONS(DECLARE_SLOT)

void vrs_av_load(void) HIDDEN;

/* clang-format off */
#define ENTRY(name) __asm__( \
	".pushsection .text\n" ".globl " #name "\n" ".type " #name ", @function\n" ".p2align 4\n" \
	#name ":\n" ".cfi_startproc\n" \
	"	cmpq $0, vrs_slot_" #name "(%rip)\n" \
	"	jne 1f\n" \
	"	call vrs_av_enter\n" \
	"1:	jmp *vrs_slot_" #name "(%rip)\n" \
	".cfi_endproc\n" ".size " #name ", . - " #name "\n" ".popsection\n");
ALL_FUNCTIONS(ENTRY)

/* 8 x 8 bytes of integers and 8 x 16 of vectors; the stack is aligned for movaps because the entry's call has made up for its caller's. */
__asm__(
	".pushsection .text\n" ".type vrs_av_enter, @function\n" ".p2align 4\n"
	"vrs_av_enter:\n" ".cfi_startproc\n"
	"	sub $192, %rsp\n" ".cfi_adjust_cfa_offset 192\n"
	"	mov %rdi, 128(%rsp)\n" "	mov %rsi, 136(%rsp)\n" "	mov %rdx, 144(%rsp)\n" "	mov %rcx, 152(%rsp)\n"
	"	mov %r8, 160(%rsp)\n" "	mov %r9, 168(%rsp)\n" "	mov %rax, 176(%rsp)\n" "	mov %r10, 184(%rsp)\n"
	"	movups %xmm0, (%rsp)\n" "	movups %xmm1, 16(%rsp)\n" "	movups %xmm2, 32(%rsp)\n" "	movups %xmm3, 48(%rsp)\n"
	"	movups %xmm4, 64(%rsp)\n" "	movups %xmm5, 80(%rsp)\n" "	movups %xmm6, 96(%rsp)\n" "	movups %xmm7, 112(%rsp)\n"
	"	call vrs_av_load\n"
	"	mov 128(%rsp), %rdi\n" "	mov 136(%rsp), %rsi\n" "	mov 144(%rsp), %rdx\n" "	mov 152(%rsp), %rcx\n"
	"	mov 160(%rsp), %r8\n" "	mov 168(%rsp), %r9\n" "	mov 176(%rsp), %rax\n" "	mov 184(%rsp), %r10\n"
	"	movups (%rsp), %xmm0\n" "	movups 16(%rsp), %xmm1\n" "	movups 32(%rsp), %xmm2\n" "	movups 48(%rsp), %xmm3\n"
	"	movups 64(%rsp), %xmm4\n" "	movups 80(%rsp), %xmm5\n" "	movups 96(%rsp), %xmm6\n" "	movups 112(%rsp), %xmm7\n"
	"	add $192, %rsp\n" ".cfi_adjust_cfa_offset -192\n"
	"	ret\n" ".cfi_endproc\n" ".size vrs_av_enter, . - vrs_av_enter\n" ".popsection\n");
/* clang-format on */

struct function {
	const char *name;
	void **slot;
};

#define ROW(name) {#name, &vrs_slot_##name},
static const struct function avutil[] = {VRS_AVUTIL_FUNCTIONS(ROW) {NULL, NULL}};
static const struct function avcodec[] = {VRS_AVCODEC_FUNCTIONS(ROW) {NULL, NULL}};
static const struct function avformat[] = {VRS_AVFORMAT_FUNCTIONS(ROW) {NULL, NULL}};
static const struct function swscale[] = {VRS_SWSCALE_FUNCTIONS(ROW) {NULL, NULL}};

/* Lowest first: a library's own names are looked for in what it needs, not among all 140 (47 -> 40 ms of processor time). */
static const struct library {
	const char *name;
	const struct function *functions;
} libraries[] = {
	{"libavutil.so." AV_STRINGIFY(LIBAVUTIL_VERSION_MAJOR), avutil},
	{"libavcodec.so." AV_STRINGIFY(LIBAVCODEC_VERSION_MAJOR), avcodec},
	{"libavformat.so." AV_STRINGIFY(LIBAVFORMAT_VERSION_MAJOR), avformat},
	{"libswscale.so." AV_STRINGIFY(LIBSWSCALE_VERSION_MAJOR), swscale},
};

/* What the system's loader does when it misses a library, said in our log; there is no caller that could be told. */
static _Noreturn void give_up(const char *what)
{
	vrs_log(VRS_LOG_ERROR, "FFmpeg cannot be loaded: %s; install the package that brings it", what ? what : "no reason given");
	_exit(127);
}

/* The libraries stay for good: they have threads and handlers of their own. */
static void load(void)
{
	for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
		void *library = dlopen(libraries[i].name, RTLD_LAZY | RTLD_LOCAL);
		if (!library)
			give_up(dlerror());
		for (const struct function *f = libraries[i].functions; f->name; f++) {
			void *address = dlsym(library, f->name);
			if (!address)
				give_up(dlerror());
			__atomic_store_n(f->slot, address, __ATOMIC_RELEASE);
		}
	}
}

void vrs_av_load(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void)pthread_once(&once, load); /* cannot fail with a valid argument */
}

#endif
