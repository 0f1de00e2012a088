/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Small files of /proc and /sys, read below a root folder: $VRSEG_ROOT, or the real root.  Reads are bounded and never block on a pipe;
 * a file that is absent, unreadable or not what it should be gives false, and the caller says why its value is not observable.
 */
#ifndef VRS_MACHINE_SYSFS_H
#define VRS_MACHINE_SYSFS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vrseg/machine.h>

#define VRS_SYSFS_PATH PATH_MAX /* groups of containers within containers have paths of hundreds of bytes */

/* $VRSEG_ROOT without trailing slashes; "" for the real root. */
const char *vrs_sysfs_root(void);
/* True when a recorded machine is replayed: then the running CPU and its drivers must not be asked. */
bool vrs_sysfs_replay(void);
/* Root + path into buf; false when it does not fit. */
bool vrs_sysfs_path(char *buf, size_t size, const char *path);
bool vrs_sysfs_exists(const char *path);
/* Content without trailing blanks and newlines, cut at size - 1; false: not readable (buf is then ""). The formatted path is relative to the root. */
bool vrs_sysfs_text(char *buf, size_t size, const char *fmt, ...) VRS_PRINTF(3, 4);
/* The first line as a whole number; false: not readable or no number ("max", "unlimited", "N/A"). */
bool vrs_sysfs_int(int64_t *ret, const char *fmt, ...) VRS_PRINTF(2, 3);
/* Value of the first line "KEY<blanks>[:=]<blanks>VALUE" of text, up to the end of its line; quotes around it are dropped. False: no such line. */
bool vrs_sysfs_field(const char *text, const char *key, char *buf, size_t size);
/*
 * Call fn(cookie, path) with "FOLDER/NAME" for each entry whose name starts with prefix, in order of name (numbers by value), at most
 * max entries.  Returns how many there are in all; -1 when the folder is absent; VRS_SYSFS_INCOMPLETE when there was no memory for all names.
 */
#define VRS_SYSFS_INCOMPLETE (-2)
int vrs_sysfs_each(const char *folder, const char *prefix, int max, void (*fn)(void *cookie, const char *path), void *cookie);

/* Record that something cannot be observed; the first reason stays. */
void vrs_absent_set(struct vrs_machine *machine, const char *what, const char *fmt, ...) VRS_PRINTF(3, 4);
void vrs_absent_clear(struct vrs_machine *machine, const char *what);

#endif
