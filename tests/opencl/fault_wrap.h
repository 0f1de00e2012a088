/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the functions of the fault layer share: those made from fault_calls.h (fault_layer.c) and those written out (fault_own.c). */
#ifndef VRS_TESTS_FAULT_WRAP_H
#define VRS_TESTS_FAULT_WRAP_H

#include "fault_state.h"

/* The functions below the layer: the driver's, through the loader. */
extern const cl_icd_dispatch *next;

#define FAULT_DECLARE(name, ...) __typeof__(*((cl_icd_dispatch *)NULL)->name) layer_##name;
FAULT_CALLS(FAULT_DECLARE, FAULT_DECLARE, FAULT_DECLARE, FAULT_DECLARE, FAULT_DECLARE, FAULT_DECLARE, FAULT_DECLARE, FAULT_DECLARE)

void fault_answer(cl_int code, cl_int *ret_code);
/* Answer a query as OpenCL does: a value that does not fit is CL_INVALID_VALUE. */
cl_int fault_give(const void *from, size_t bytes, size_t room, void *to, size_t *ret_bytes);
bool fault_are_alive(enum fault_call call, cl_uint n, const cl_event *events);
/* Buffers that a command uses: they are alive, and have their memory from now on. */
cl_int fault_use_buffers(enum fault_call call, cl_uint n, const cl_mem *buffers);
/* May a kernel run in such groups? local NULL: the driver chooses them. */
bool fault_allows_group(cl_uint dimensions, const size_t *local);
/* After a command was queued: its event, if it has one, belongs to the queue's device. Returns code. */
cl_int fault_queued(cl_int code, cl_command_queue queue, const cl_event *event);

#endif
