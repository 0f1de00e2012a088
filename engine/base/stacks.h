/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stacks of known sizes, whatever `ulimit -s` says. */
#ifndef VRS_BASE_STACKS_H
#define VRS_BASE_STACKS_H

#define VRS_STACK_BYTES (2u << 20) /* of each thread, those of libraries included */

/*
 * Run the program: all threads that are created from now on, by us or by libraries, get stacks of VRS_STACK_BYTES, and where the limit of the
 * stack is smaller than that, the program itself runs on such a thread.  Returns what `program` does; call first of all.
 */
int vrs_run_program(int (*program)(int argc, char **argv), int argc, char **argv);

#endif
