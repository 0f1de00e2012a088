/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the fault layer is told by the environment, what it counts, and which objects are alive.  fault_layer.c has the list of variables.
 * All functions may be called from every thread.
 */
#ifndef VRS_TESTS_FAULT_STATE_H
#define VRS_TESTS_FAULT_STATE_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <CL/cl_icd.h>

#include "fault_calls.h"

#define FAULT_NAME(name, ...) FAULT_CALL_##name,
enum fault_call {
	FAULT_CALLS(FAULT_NAME, FAULT_NAME, FAULT_NAME, FAULT_NAME, FAULT_NAME, FAULT_NAME, FAULT_NAME, FAULT_NAME)
	FAULT_EXTENSIONS(FAULT_NAME)
	FAULT_N_CALLS
};

/* Kinds of objects; those after FAULT_N_COUNTED are there from the start and need no release. */
enum fault_kind {
	FAULT_CONTEXT,
	FAULT_QUEUE,
	FAULT_BUFFER,
	FAULT_PROGRAM,
	FAULT_KERNEL,
	FAULT_EVENT,
	FAULT_MAPPING, /* of a buffer; has no handle */
	FAULT_RECORDING, /* a command buffer */
	FAULT_N_COUNTED,
	FAULT_PLATFORM = FAULT_N_COUNTED,
	FAULT_DEVICE,
};

enum fault_build { FAULT_BUILD_REAL, FAULT_BUILD_FAIL, FAULT_BUILD_HANG };

struct fault_settings {
	const char *platform, *name, *extensions; /* NULL: the driver's */
	cl_device_type type;           /* 0: the driver's */
	uint64_t max_alloc, global;    /* bytes; 0: the driver's */
	size_t group;                  /* work-items that a kernel allows in a group; 0: the driver's */
	bool late;                     /* buffers take memory when a command uses them first, not when they are made */
	bool separate;                 /* parts of buffers are buffers of their own */
	bool keep;                     /* released buffers stay with the driver, and fills that change nothing are left out */
	unsigned units;                /* compute units; 0: the driver's */
	int pci_bus;                   /* of the first device; -1: none is told */
	enum fault_build build;
};

const struct fault_settings *fault_settings(void);
/* Read the environment; ends the process with a message when a variable is malformed. */
void fault_start(void);
const char *fault_call_name(enum fault_call call);
/*
 * Count a call on the object `of` (NULL: none).  True: it is not made and answers *ret_code, because `of` is not alive, its device is lost (unless
 * it only asks), or a fault is due.  Does not return where the fault is a hang, a crash or an exit.
 */
bool fault_due(enum fault_call call, const void *of, bool only_asks, cl_int *ret_code);
/* Add to a line of the file of VRS_CL_COUNT. */
void fault_count_made(enum fault_kind kind, int made, int left);
void fault_count_bytes(int64_t by);
void fault_count_misuse(enum fault_call call, const char *what);

/* fault_objects.c: the table of objects. */
void fault_add_object(enum fault_kind kind, const void *handle, const void *of, uint64_t bytes);
/* One reference more (by = 1) or less (by = -1). */
void fault_refer(const void *handle, int by);
bool fault_is_alive(const void *handle);
/* The device of an object, of a context its first; NULL where it has none. */
cl_device_id fault_device_of(const void *handle);
/* Index of a device in the order of listing; -1: not listed. */
int fault_device_index(cl_device_id device);
/* The buffer takes its memory; false: VRS_CL_GLOBAL does not allow it. */
bool fault_place(const void *buffer);
void fault_set_arg(const void *kernel, unsigned index, const void *maybe_buffer);
/* Places the buffers that the kernel's arguments name; CL_SUCCESS, or the code that the command fails with. */
cl_int fault_place_args(enum fault_call call, const void *kernel);

#endif
