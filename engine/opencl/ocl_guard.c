/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "opencl/ocl_guard.h"

#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vrseg/exit_codes.h>

#include "base/printable.h"
#include "base/stop.h"
#include "opencl/ocl_pocl.h"

#define MAX_LIBRARIES 128 /* PoCL brings about 20 */
#define MAX_FRAMES 64

/* Addresses of a library, or of the program. */
struct range {
	uintptr_t begin, end;
};

/* Written before the handlers are there, then only read. */
static struct range own, libraries[MAX_LIBRARIES];
static int library_count, loaded_before;
static bool takes_abort; /* nobody handled it before: LLVM, which PoCL brings, does from then on */
static pid_t process; /* a child of a driver has the handlers too */

static char names[200];
static char sentences[2][900]; /* one is in use while the other is written */
static const char *_Atomic sentence = "an OpenCL driver ended the program; its own message may stand above";

static struct range range_of(const struct dl_phdr_info *info)
{
	struct range range = {UINTPTR_MAX, 0};

	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, end = begin + info->dlpi_phdr[i].p_memsz;

		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		range.begin = begin < range.begin ? begin : range.begin;
		range.end = end > range.end ? end : range.end;
	}
	return range;
}

static bool is_in(const struct range *range, const void *address)
{
	return (uintptr_t)address >= range->begin && (uintptr_t)address < range->end;
}

static int count_library(struct dl_phdr_info *info, size_t size, void *cookie)
{
	(void)info;
	(void)size;
	++*(int *)cookie;
	return 0;
}

/* In the order in which they were loaded. */
static int note_library(struct dl_phdr_info *info, size_t size, void *cookie)
{
	int *index = cookie;
	struct range range = range_of(info);

	(void)size;
	if (is_in(&range, &own)) /* its own variables are */
		own = range;
	if ((*index)++ >= loaded_before && library_count < MAX_LIBRARIES)
		libraries[library_count++] = range;
	return 0;
}

/* Of the callers of the handler that asks.  Async-signal-safe once backtrace() was called: then it loads nothing. */
static bool is_drivers_doing(void)
{
	void *frames[MAX_FRAMES];
	int count = getpid() == process ? backtrace(frames, MAX_FRAMES) : 0, i = 0;

	while (i < count && is_in(&own, frames[i])) /* the handler itself */
		i++;
	for (; i < count && !is_in(&own, frames[i]); i++)
		for (int k = 0; k < library_count; k++)
			if (is_in(&libraries[k], frames[i]))
				return true;
	return false;
}

static void on_abort(int number, siginfo_t *info, void *context)
{
	struct sigaction usual = {.sa_handler = SIG_DFL};

	(void)context;
	if (info->si_code == SI_TKILL && info->si_pid == process && is_drivers_doing())
		vrs_stop_end(VRS_EXIT_FAILURE, atomic_load(&sentence));
	sigaction(number, &usual, NULL);
	raise(number); /* delivered when this returns */
}

void vrs_ocl_guard_check_exit(void)
{
	if (!process || !is_drivers_doing())
		return;
	(void)fflush(NULL); /* libc: results of earlier files */
	vrs_stop_end(VRS_EXIT_FAILURE, atomic_load(&sentence));
}

static void on_end(int code, void *cookie)
{
	(void)code;
	(void)cookie;
	vrs_ocl_guard_check_exit();
}

void vrs_ocl_guard_begin(void)
{
	struct sigaction before;

	takes_abort = sigaction(SIGABRT, NULL, &before) == 0 && !(before.sa_flags & SA_SIGINFO) && before.sa_handler == SIG_DFL;
	loaded_before = 0;
	(void)dl_iterate_phdr(count_library, &loaded_before);
}

void vrs_ocl_guard_loaded(void)
{
	const struct sigaction action = {.sa_sigaction = on_abort, .sa_flags = SA_SIGINFO};
	void *frame;
	int index = 0;

	if (process || !vrs_stop_is_installed())
		return;
	(void)dl_iterate_phdr(note_library, &index);
	(void)backtrace(&frame, 1); /* loads what it needs */
	process = getpid();
	(void)on_exit(on_end, NULL); /* before the handlers of the drivers, which may wait for what goes on */
	if (takes_abort)
		sigaction(SIGABRT, &action, NULL);
}

void vrs_ocl_guard_name(const char *platform, const char *version)
{
	char raw[90], name[90], folder[300];
	static bool pocl;
	char *next = sentences[atomic_load(&sentence) == sentences[0]];

	(void)snprintf(raw, sizeof raw, "%.50s %.30s", platform, version);
	(void)vrs_printable(name, sizeof name, raw);
	if (strstr(names, name) || strstr(names, " or "))
		return;
	(void)snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", names[0] ? " or " : "", name);
	pocl = pocl || vrs_ocl_is_pocl(platform);
	vrs_ocl_pocl_folder(folder, sizeof folder);
	if (pocl)
		(void)snprintf(next, sizeof sentences[0], "the OpenCL driver %s ended the program; its own message may stand above: make room where memory or the "
			       "disk of %s is short, and remove that folder where a file in it is damaged", names, folder);
	else
		(void)snprintf(next, sizeof sentences[0], "the OpenCL driver %s ended the program; its own message may stand above: use another device or the "
			       "CPU (--backend cpu)", names);
	atomic_store(&sentence, next);
}
