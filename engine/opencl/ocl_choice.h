/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which of the listed devices a text means: what --device and engine.device hold. */
#ifndef VRS_OPENCL_OCL_CHOICE_H
#define VRS_OPENCL_OCL_CHOICE_H

#include "opencl/ocl_device.h"

#include <vrseg/session.h>

/* Devices as indices into the listing, in the order of the text, of "all" the best first; none is there twice. */
struct vrs_ocl_choice {
	int count; /* at least 1 */
	int index[VRS_MACHINE_MAX_CL];
};

/*
 * Choose devices from `list` by `text`:
 *   "" or "auto"              the best GPU: one with memory of its own goes before one that shares the host's (CL_DEVICE_HOST_UNIFIED_MEMORY), then
 *                             more memory, then the order of the list; without a GPU the first accelerator, else the first CPU device (PoCL).  Who
 *                             calls has been asked for OpenCL by name, so a CPU device serves where nothing else is there;
 *   "0"                       the index in the list, which is the number that --hardware prints; at most two digits, so that "4090" is a name;
 *   "0:1"                     platform and device;
 *   "01:00.0", "0000:01:00.0" the PCI address, as lspci or nvidia-smi writes it;
 *   anything else             a name, or a part of only one name, without regard to the case of ASCII letters; a whole name goes before a part;
 *   several of these but auto, with + between them;
 *   "all"                     all devices of the kind that auto takes, in auto's order: a CPU device beside a GPU is none of them.  A card that
 *                             several platforms list, by its PCI address, is there once, as the first of them lists it.
 * Blanks around an item do not count.  VRS_ECONFIG: an empty item, an item that several devices match, or one device twice; VRS_ENOTFOUND: no device
 * matches an item, or none is listed.  err names the devices that there are, or the reason of the listing.  Any thread; list and text are only read.
 */
enum vrs_status vrs_ocl_choose(const struct vrs_ocl_list *list, const char *text, struct vrs_ocl_choice *ret_choice, struct vrs_error *err)
	VRS_MUST_CHECK;
/*
 * The devices of this machine that a text means, listed in this process: of each its number as text, name and driver.  Statuses of vrs_ocl_choose;
 * VRS_ENOMEM.  Any thread.
 */
enum vrs_status vrs_ocl_devices(struct vrs_device_set *ret, const char *text, struct vrs_error *err) VRS_MUST_CHECK;

#endif
