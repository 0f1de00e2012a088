/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stacks of known sizes, whatever `ulimit -s` says. */
#ifndef VRS_BASE_STACKS_H
#define VRS_BASE_STACKS_H

#include <stdbool.h>

#define VRS_STACK_BYTES (2u << 20) /* of each thread, those of libraries included */

/*
 * Run the program: all threads that are created from now on, by us or by libraries, get stacks of VRS_STACK_BYTES.  A soft limit of the stack that
 * is smaller than that is raised to it; where the hard limit is smaller, too, the program itself runs on such a thread, and the first one waits for
 * it.  Returns what `program` does; call first of all.
 */
int vrs_run_program(int (*program)(int argc, char **argv), int argc, char **argv);

/* Is the limit of the stack smaller than VRS_STACK_BYTES?  Then the program has a second thread from the beginning (vrs_run_program). */
bool vrs_stack_is_limited(void);

#endif
