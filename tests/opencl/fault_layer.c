/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An OpenCL layer for tests, between the loader and the driver: it makes calls fail, tells other figures of devices than the driver, counts calls
 * and objects.  OPENCL_LAYERS=PATH/fault_layer.so loads it; ocl-icd from 2.3 on and the loader of Khronos know how.  Its variables:
 *
 *   VRS_CL_FAULT=CALL:N[:CODE]  the N-th call of CALL, a pattern of the shell ("clFinish", "clEnqueue*", "*"), fails with CODE, a negative number;
 *                               without one with a code that this function may answer.  hang: it does not return; crash: it aborts;
 *                               exit: it ends the process with exit code 1
 *   VRS_CL_FAULT_STICKY=1       and the device is lost: later calls on it fail as well, but for queries and releases
 *   VRS_CL_FAULT_DEVICE=INDEX   only calls on this device count, in the order of listing
 *   VRS_CL_MAX_ALLOC=BYTES      CL_DEVICE_MAX_MEM_ALLOC_SIZE, told and enforced
 *   VRS_CL_GLOBAL=BYTES         CL_DEVICE_GLOBAL_MEM_SIZE, told and enforced for the buffers of a process
 *   VRS_CL_GROUP=ITEMS          CL_KERNEL_WORK_GROUP_SIZE of all kernels, told and enforced; the device tells its own for all
 *   VRS_CL_LATE=1               buffers take their memory at the first command that uses them, as PoCL and NVIDIA do, not when they are made
 *   VRS_CL_SEPARATE=1           parts of buffers are buffers of their own, so that a device that checks bounds (oclgrind) sees accesses beyond one;
 *                               parts of read-only buffers begin with their values, those of others with nothing
 *   VRS_CL_KEEP=1               as oclgrind needs to keep track.  The driver keeps buffers that are released: oclgrind takes what it knew of one for
 *                               that of a later one.  Fills that change nothing are left out: what is filled, and all that is written there later,
 *                               counts as never written (its buffers begin with zeros, and what only such a fill writes is seen as never written).
 *                               The driver is not asked for what only extensions know of a device
 *   VRS_CL_BUILD=fail|hang      every build fails with a log, or does not return
 *   VRS_CL_NAME=TEXT  VRS_CL_TYPE=gpu|cpu|accelerator  VRS_CL_EXTENSIONS=LIST  what devices are called, are, and list
 *   VRS_CL_PLATFORM=TEXT        what platforms are called
 *   VRS_CL_UNITS=N              each device has so many compute units
 *   VRS_CL_PCI_BUS=N            the device with index I has the PCI address 0000:(N+I):00.0, told as NVIDIA does, or by cl_khr_pci_bus_info alone
 *                               where VRS_CL_EXTENSIONS lists it
 *   VRS_CL_COUNT=FILE           how often each function was called, what was made and not released: "calls clFinish 3", "left buffers 0"; the
 *                               processes of a run count together, and so does the N of VRS_CL_FAULT
 *   VRS_CL_TRACE=1              each call as a line on standard error
 *
 * Two devices: POCL_DEVICES="pthread basic".  No platform: OCL_ICD_VENDORS names an empty folder.  No device: VRS_CL_FAULT=clGetDeviceIDs:1.
 */
#include "fault_wrap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <CL/cl_layer.h>

const cl_icd_dispatch *next;
static cl_icd_dispatch own;

#define ASK_CALL(name, of, what, parameters, arguments) \
	cl_int CL_API_CALL layer_##name parameters \
	{ \
		cl_int code; \
\
		return fault_due(FAULT_CALL_##name, of, true, &code) ? code : next->name arguments; \
	}
#define DO_CALL(name, of, what, parameters, arguments) \
	cl_int CL_API_CALL layer_##name parameters \
	{ \
		cl_int code; \
\
		return fault_due(FAULT_CALL_##name, of, false, &code) ? code : next->name arguments; \
	}
/* Commands that a failing wait leaves running would write to memory that the program has freed since, which a lost device does not do. */
#define WAIT_CALL(name, of, what, parameters, arguments) \
	cl_int CL_API_CALL layer_##name parameters \
	{ \
		cl_int code, real; \
		bool fails = fault_due(FAULT_CALL_##name, of, false, &code); \
\
		if (!fault_is_alive(of)) \
			return code; \
		real = next->name arguments; \
		return fails ? code : real; \
	}
#define RETAIN_CALL(name, type) \
	cl_int CL_API_CALL layer_##name(type of) \
	{ \
		cl_int code; \
\
		if (fault_due(FAULT_CALL_##name, of, true, &code)) \
			return code; \
		code = next->name(of); \
		if (code == CL_SUCCESS) \
			fault_refer(of, 1); \
		return code; \
	}
/* A release that fails releases all the same: the program cannot do more. */
#define RELEASE_CALL(name, type) \
	cl_int CL_API_CALL layer_##name(type of) \
	{ \
		cl_int code, real; \
		bool fails = fault_due(FAULT_CALL_##name, of, true, &code); \
\
		if (of && !fault_is_alive(of)) \
			return code; \
		fault_refer(of, -1); \
		real = FAULT_CALL_##name == FAULT_CALL_clReleaseMemObject && fault_settings()->keep ? CL_SUCCESS : next->name(of); \
		return fails ? code : real; \
	}
#define MAKE_CALL(name, type, kind, of, what, parameters, arguments) \
	type CL_API_CALL layer_##name parameters \
	{ \
		type made = NULL; \
		cl_int code; \
\
		if (!fault_due(FAULT_CALL_##name, of, false, &code)) \
			made = next->name arguments; \
		fault_answer(code, error); \
		if (made) \
			fault_add_object(kind, made, of, 0); \
		return made; \
	}
#define ENQUEUE_CALL(name, n_used, used, parameters, arguments) \
	cl_int CL_API_CALL layer_##name parameters \
	{ \
		cl_int code; \
\
		if (fault_due(FAULT_CALL_##name, queue, false, &code)) \
			return code; \
		if (!fault_are_alive(FAULT_CALL_##name, waits, list)) \
			return CL_INVALID_EVENT_WAIT_LIST; \
		code = fault_use_buffers(FAULT_CALL_##name, n_used, used); \
		return code != CL_SUCCESS ? code : fault_queued(next->name arguments, queue, event); \
	}
#define NOTHING(name, what)
FAULT_CALLS(ASK_CALL, DO_CALL, WAIT_CALL, RETAIN_CALL, RELEASE_CALL, MAKE_CALL, ENQUEUE_CALL, NOTHING)

static void unknown_call(void)
{
	static const char text[] = "fault layer: an OpenCL function was called that tests/opencl/fault_calls.h does not have\n";

	(void)!write(STDERR_FILENO, text, sizeof text - 1);
	abort();
}

#define FILL(name, ...) own.name = layer_##name;
static void fill(void)
{
	void (*const unknown)(void) = unknown_call;

	for (size_t at = 0; at + sizeof unknown <= sizeof own; at += sizeof unknown)
		memcpy((char *)&own + at, &unknown, sizeof unknown);
	FAULT_CALLS(FILL, FILL, FILL, FILL, FILL, FILL, FILL, FILL)
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t room, void *value, size_t *ret_bytes)
{
	const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
	static const char name[] = "vrseg fault layer";

	if (what == CL_LAYER_API_VERSION)
		return fault_give(&version, sizeof version, room, value, ret_bytes);
	return what == CL_LAYER_NAME ? fault_give(name, sizeof name, room, value, ret_bytes) : CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint n, const cl_icd_dispatch *target, cl_uint *ret_n, const cl_icd_dispatch **ret_dispatch)
{
	if (!target || !ret_n || !ret_dispatch || n < sizeof own / sizeof own.clGetPlatformIDs)
		return CL_INVALID_VALUE;
	fault_start();
	fill();
	next = target;
	*ret_n = sizeof own / sizeof own.clGetPlatformIDs;
	*ret_dispatch = &own;
	return CL_SUCCESS;
}
