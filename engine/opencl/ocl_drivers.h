/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drivers as files, for the message where the loader finds none: nothing is loaded or run. */
#ifndef VRS_OPENCL_OCL_DRIVERS_H
#define VRS_OPENCL_OCL_DRIVERS_H

#include <stddef.h>

/*
 * Why the loader has no platform, and what to do, into buf: the .icd files whose drivers do not load; a driver library that no .icd file names, with
 * the file that is missing; or that there is no driver, with the folder that was searched.  Looks at OCL_ICD_VENDORS, LD_LIBRARY_PATH, the folders of
 * ld.so.conf.d and the usual folders of libraries.  `root` stands before every path that no variable gives: "" for this machine.  One thread, as it
 * reads the environment.
 */
void vrs_ocl_explain_no_platform(const char *root, char *buf, size_t size);

#endif
