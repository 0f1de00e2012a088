/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Contexts that a test program holds from begin to end, so that all its sessions join them.  PoCL reads its library of built-in functions once a
 * context: 0.35 s for each network, of the 0.5 s that a small one takes.
 *
 * Where VRS_OWN_BUFFERS is set (under_oclgrind.sh), all values of a network have buffers of their own: oclgrind knows bounds of buffers alone, which
 * values otherwise share.
 */
#ifndef TESTS_HELD_CONTEXTS_H
#define TESTS_HELD_CONTEXTS_H

#include <stdlib.h>

#include "opencl/ocl_context.h"

static struct vrs_ocl_context *held_contexts[2]; /* without and with times of events */

/* First in main.  Without a device, none. */
static inline void held_contexts_begin(void)
{
	struct vrs_error err = {0};
	for (int i = 0; i < 2; i++)
		if (vrs_ocl_context_open(&held_contexts[i], NULL, i == 1, &err) == VRS_OK)
			held_contexts[i]->caps.own_buffers = getenv("VRS_OWN_BUFFERS") != NULL;
}

/* Last in main, whose exit code it hands on.  No handler of exit() does, since oclgrind's data of a thread are gone by then. */
static inline int held_contexts_end(int code)
{
	for (int i = 0; i < 2; i++)
		vrs_ocl_context_close(held_contexts[i]);
	return code;
}

#endif
