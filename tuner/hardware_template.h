/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files of configs/hardware as starting points: the one whose name fits this machine proposes values, which a search tries first, together and each
 * alone.  They are proven like all others, or stay behind.
 */
#ifndef VRS_TUNER_HARDWARE_TEMPLATE_H
#define VRS_TUNER_HARDWARE_TEMPLATE_H

#include <vrseg/machine.h>

#include "tuner/space.h"

/*
 * Does a template's name ("rtx-2080-ti") name a device ("NVIDIA GeForce RTX 2080 Ti")?  Words are compared, in order and whole, without regard to
 * case.  Returns how many there are; 0: it does not.
 */
int vrs_template_match(const char *name, const char *device);
/*
 * The template for a machine: the one that names its GPU or CPU in most words, else that of a machine with little memory, of a GPU with much, or of a
 * CPU alone where OpenCL lists no GPU.  *name and *why (sizes in bytes) say which and why.  VRS_ENOTFOUND: none fits, or is installed; VRS_ENOMEM.
 */
enum vrs_status vrs_template_choose(const struct vrs_machine *machine, char *name, size_t name_size, char *why, size_t why_size,
				    struct vrs_error *err);
/*
 * Let the options of a space begin with the values that a template sets, where these are no defaults (vrs_space_prefer), and say so in space->start.
 * That of a CPU alone leaves all to auto; with it the options begin with a stream for each CPU, and the preset of x264 that is one step faster than
 * the default.  Statuses of vrs_config_load_hardware.
 */
enum vrs_status vrs_template_apply(struct vrs_space *space, const char *name, const char *why, struct vrs_error *err);
/* The same with any configuration, whatever its file is called.  Statuses of vrs_config_load_file. */
enum vrs_status vrs_template_apply_file(struct vrs_space *space, const char *path, const char *why, struct vrs_error *err);

#endif
