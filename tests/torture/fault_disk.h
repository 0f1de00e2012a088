/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is on disk for certain: the content of a file since its last fsync, the names in a folder since the folder's.  The fault layer notes both in a
 * folder beside the test's, from which disk.c makes what a loss of power may leave.  Layout of that folder:
 *   f.INODE     content of a file at its last fsync
 *   d.INODE     names in a folder at its last fsync, a line "INODE TYPE NAME" each (TYPE is d or f)
 *   old/INODE   files that have lost a name since, so that no inode number is used twice
 */
#ifndef FAULT_DISK_H
#define FAULT_DISK_H

#include <stdbool.h>

/* dir: files below it count; disk: the folder, "" for none. */
void vrs_fault_disk_begin(const char *dir, const char *disk);
bool vrs_fault_disk_has(int folder, const char *path);
bool vrs_fault_disk_has_fd(int fd);
void vrs_fault_disk_synced(int fd);
/* Before this name is given to another file or removed. */
void vrs_fault_disk_keep(int folder, const char *path);
void vrs_fault_disk_new_folder(int folder, const char *path);

#endif
