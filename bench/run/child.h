/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The measured process: one job of the pipeline, told what to do on standard input, answering with one JSON line.
 */
#ifndef VRS_BENCH_CHILD_H
#define VRS_BENCH_CHILD_H

#include <stdbool.h>
#include <stdio.h>

#include "bench/run/run_request.h"

/* True when the program was started as a child (argv[1] is --run-case). Every main asks this first. */
bool vrs_child_requested(int argc, char **argv);
/* Read the request from `in`, run it, write the reply to `out`. Returns the exit code. */
int vrs_child_main(FILE *in, FILE *out);

#endif
