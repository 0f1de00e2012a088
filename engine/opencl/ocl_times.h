/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the queues of a device did in one run, from the times of its events.  Begin, add each event when all are done, end.  No OpenCL call but those
 * for the times of an event; the object is the caller's, and one thread's at a time.
 */
#ifndef VRS_OPENCL_OCL_TIMES_H
#define VRS_OPENCL_OCL_TIMES_H

#include <vrseg/session.h>

#include "opencl/ocl_api.h"

struct vrs_ocl_times {
	struct vrs_device_span spans[VRS_DEVICE_QUEUES]; /* by the device's clock until the end, then by the host's */
	bool known;                /* a run has ended whose device told times */
};

/* Forget the run before. */
void vrs_ocl_times_begin(struct vrs_ocl_times *times);
/* Add a command that has ended, by the times of its event; NULL is fine. Returns its length in ns; 0: not told. */
uint64_t vrs_ocl_times_add(struct vrs_ocl_times *times, enum vrs_device_queue queue, cl_event event);
/* The same by its times, end after begin. */
void vrs_ocl_times_add_span(struct vrs_ocl_times *times, enum vrs_device_queue queue, uint64_t begin_ns, uint64_t end_ns);
/*
 * Nothing more comes.  now_ns is the host's clock when the wait for the run had returned: the last command had ended by then, so all spans are moved
 * to where it ends at that moment.  They are late by what it takes to wake the host up.
 */
void vrs_ocl_times_end(struct vrs_ocl_times *times, uint64_t now_ns);
/* Time between the first command of a queue and its last one in which it did nothing, in ns. */
uint64_t vrs_ocl_times_gaps(const struct vrs_ocl_times *times, enum vrs_device_queue queue);

#endif
