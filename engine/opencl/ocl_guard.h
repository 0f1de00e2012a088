/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Drivers that end the process: their compilers call exit() on a full disk, and abort() when memory is short or a file of their cache is damaged.  In
 * programs (base/stop.h) such an end gets one sentence, which names the driver and where it keeps its files, and the exit code of a failure.
 *
 * An abort is a driver's when, behind libraries of both, the innermost caller belongs to what loading the drivers brought, and not to this program:
 * VRS_ASSERT, the C library's check of a damaged heap, and a signal from outside keep their way to end, with their core.  Where somebody handles
 * SIGABRT before a driver is loaded (sanitizers, fuzzers) it stays theirs.
 */
#ifndef VRS_OPENCL_OCL_GUARD_H
#define VRS_OPENCL_OCL_GUARD_H

/* Around what loads the drivers, once in a process. */
void vrs_ocl_guard_begin(void);
void vrs_ocl_guard_loaded(void);
/* A driver is in use, by CL_PLATFORM_NAME and CL_DRIVER_VERSION; up to two are named.  By one thread at a time. */
void vrs_ocl_guard_name(const char *platform, const char *version);
/* For exit handlers: does not return where a driver has called exit(). */
void vrs_ocl_guard_check_exit(void);

#endif
