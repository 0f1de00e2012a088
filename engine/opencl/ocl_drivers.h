/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drivers as files, for the message where the loader finds none, or none of a GPU: nothing is loaded or run. */
#ifndef VRS_OPENCL_OCL_DRIVERS_H
#define VRS_OPENCL_OCL_DRIVERS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Why the loader has no platform, and what to do, into buf: the .icd files whose drivers do not load; a driver library that no .icd file names, with
 * the file that is missing; or that there is no driver, with the folder that was searched.  Looks at OCL_ICD_VENDORS, LD_LIBRARY_PATH, the folders of
 * ld.so.conf.d and the usual folders of libraries.  `root` stands before every path that no variable gives: "" for this machine.  One thread, as it
 * reads the environment.
 */
void vrs_ocl_explain_no_platform(const char *root, char *buf, size_t size);

/*
 * The same where drivers are listed, and none has a GPU: one of NVIDIA, AMD or Intel whose library is there and that no .icd file names, with the
 * file that is missing.  Containers that come with PoCL and get a GPU are such.  false: there is none, or OCL_ICD_VENDORS chooses the drivers.
 */
bool vrs_ocl_explain_unnamed_driver(const char *root, char *buf, size_t size);

#endif
