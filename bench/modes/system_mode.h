/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `vrbench system show|tune|reset`: what disturbs measurements in the operating system. */
#ifndef VRS_BENCH_SYSTEM_MODE_H
#define VRS_BENCH_SYSTEM_MODE_H

#include <stdbool.h>
#include <stdio.h>

#include <vrseg/status.h>

/* True for `vrbench system ...`. */
bool vrs_system_mode_requested(int argc, char **argv);
/*
 * Do it. With `tune ... -- COMMAND` the command runs in the tuned system, everything is put back when it has ended in whatever way, and its exit
 * code is *ret_exit; otherwise *ret_exit is not touched. VRS_ECONFIG: wrong usage; else what vrseg/system_settings.h says.
 */
enum vrs_status vrs_system_mode(int argc, char **argv, FILE *out, int *ret_exit, struct vrs_error *err);

#endif
