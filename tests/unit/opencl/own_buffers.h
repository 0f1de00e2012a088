/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Buffers of their own for all values of a network, where VRS_OWN_BUFFERS is set (under_oclgrind.sh): oclgrind knows bounds of buffers alone, which
 * values otherwise share.
 */
#ifndef TESTS_OWN_BUFFERS_H
#define TESTS_OWN_BUFFERS_H

#include <stdlib.h>

#include "opencl/ocl_context.h"

static struct vrs_ocl_context *own_buffers_contexts[2]; /* without and with times of events */

/* First in main: holds contexts to its end, which all sessions on the device join.  Without a device, none. */
static inline void own_buffers_begin(void)
{
	struct vrs_error err = {0};
	if (!getenv("VRS_OWN_BUFFERS"))
		return;
	for (int i = 0; i < 2; i++)
		if (vrs_ocl_context_open(&own_buffers_contexts[i], NULL, i == 1, &err) == VRS_OK)
			own_buffers_contexts[i]->caps.own_buffers = true;
}

/* Last in main, whose exit code it hands on.  No handler of exit() does, since oclgrind's data of a thread are gone by then. */
static inline int own_buffers_end(int code)
{
	for (int i = 0; i < 2; i++)
		vrs_ocl_context_close(own_buffers_contexts[i]);
	return code;
}

#endif
