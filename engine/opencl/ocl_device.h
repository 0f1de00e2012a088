/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * OpenCL devices of this machine, through the ICD loader.  Drivers are other people's code that may crash or hang already while they load,
 * so listing for reports happens in a child process; "no platform" and "the driver crashed" are reasons, not errors.
 */
#ifndef VRS_OPENCL_OCL_DEVICE_H
#define VRS_OPENCL_OCL_DEVICE_H

#include <vrseg/machine.h>

/* The result of a listing; crosses a pipe as plain bytes. */
struct vrs_ocl_list {
	int count;
	char reason[256]; /* why count is 0, or none is a GPU though there is a driver of one (ocl_drivers.h); "" otherwise */
	struct vrs_cl_device devices[VRS_MACHINE_MAX_CL];
};

/* List in this process: loads every driver. Order is platform, then device. */
void vrs_ocl_list(struct vrs_ocl_list *ret_list);
/*
 * The same once in a process: later calls have the first list, since one asks every driver, and hwloc for the whole machine.  A list without
 * devices is not kept: what was in the way may pass.  Thread-safe.
 */
void vrs_ocl_list_once(struct vrs_ocl_list *ret_list);
/*
 * Run lister in a forked child and wait at most timeout_seconds; a child that crashes, hangs, exits or answers nonsense gives count 0 and a
 * reason with the last line that it wrote to standard error.  Call it before the program starts threads, and before it loads a driver: many
 * drivers do not work in a process that was forked from one which uses them.
 */
void vrs_ocl_list_isolated(void (*lister)(struct vrs_ocl_list *ret_list), double timeout_seconds, struct vrs_ocl_list *ret_list);

#endif
