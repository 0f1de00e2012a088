/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Settings of the operating system that disturb measurements: read by anybody, changed only on request, and put back.
 *
 *     vrs_system_read        governor, turbo, ASLR, affinity of interrupts, isolated processors, as they are
 *     vrs_system_tune        notes the old values in a state file, syncs it, and only then changes something
 *     vrs_system_reset       puts back what the state file holds, and removes it
 *
 * The state file survives a crash of the program that tuned, so that a reset is always possible.  All files lie below $VRSEG_ROOT when it is set.
 * Not thread-safe.
 */
#ifndef VRSEG_SYSTEM_SETTINGS_H
#define VRSEG_SYSTEM_SETTINGS_H

#include <stdbool.h>
#include <stdio.h>

#include <vrseg/status.h>

#define VRS_SYSTEM_MAX_SETTINGS 4096 /* a governor for each processor, an affinity for each interrupt */

enum vrs_system_kind { VRS_SYSTEM_GOVERNOR, VRS_SYSTEM_TURBO, VRS_SYSTEM_ASLR, VRS_SYSTEM_IRQ, VRS_SYSTEM_ISOLATED, VRS_SYSTEM_KIND_COUNT };

struct vrs_system_setting {
	enum vrs_system_kind kind;
	char path[128];           /* "/proc/sys/kernel/randomize_va_space" */
	char value[128];          /* as it is now */
	char wanted[16];          /* for measuring; "": nothing to change */
	bool writable;            /* by this process */
};

/* Of "governor", "turbo", "aslr", "irq", "isolated"; VRS_SYSTEM_KIND_COUNT for another word. */
enum vrs_system_kind vrs_system_kind_of(const char *name);

/* Every setting that this machine shows; *ret_settings is freed with free of base/mem.h (vrs_free). VRS_ENOMEM. */
enum vrs_status vrs_system_read(struct vrs_system_setting **ret_settings, int *ret_count);
/*
 * One line for each kind: its values, what tuning would make of them, or why nothing can be seen.  state_path: to say whether it is tuned now.
 * VRS_ENOMEM; VRS_EIO: `out` took less.
 */
enum vrs_status vrs_system_print(const char *state_path, FILE *out);

/*
 * Change the settings of the kinds in `kinds` (bit 1 << kind) that differ from what measuring wants.  *ret_changed and *ret_refused count settings;
 * refused ones need rights that this process does not have, or cannot be changed at all; the state file does not hold them.  VRS_EEXIST: a state file
 * is there already, so a reset comes first; VRS_EIO: nothing could be changed, or the state file cannot be written (then nothing was changed).
 */
enum vrs_status vrs_system_tune(unsigned kinds, const char *state_path, int *ret_changed, int *ret_refused, struct vrs_error *err);
/*
 * *ret_restored counts what is as it was, also what had its old value already.  VRS_ENOTFOUND: nothing is tuned; VRS_EFORMAT: a damaged state file,
 * or one that names another file than a setting of this machine (nothing is written); VRS_EIO: something could not be put back, and the state file
 * stays.
 */
enum vrs_status vrs_system_reset(const char *state_path, int *ret_restored, struct vrs_error *err);

#endif
