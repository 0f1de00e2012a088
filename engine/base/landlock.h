/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which files this process may open from now on (Landlock): a list of files and folders, and nothing else; also no TCP, no signals and no abstract
 * sockets to the outside where the kernel can keep from them.
 */
#ifndef VRS_BASE_LANDLOCK_H
#define VRS_BASE_LANDLOCK_H

#include <stdint.h>

#include <vrseg/status.h>

struct vrs_landlock {
	int fd;           /* of the list; -1: none */
	uint64_t rights;  /* that the kernel knows, all denied where the list does not grant them */
};

enum vrs_landlock_access {
	VRS_LANDLOCK_READ,  /* a file; of a folder, all that is in it */
	VRS_LANDLOCK_WRITE, /* also write, make, rename and remove */
};

/* An empty list. VRS_EUNSUPPORTED with the reason: the kernel has no Landlock, or one that cannot do enough. */
enum vrs_status vrs_landlock_open(struct vrs_landlock *ret, struct vrs_error *err) VRS_MUST_CHECK;
/* Add a file or folder; links are followed. One that does not exist adds nothing. VRS_EIO. */
enum vrs_status vrs_landlock_allow(struct vrs_landlock *list, const char *path, enum vrs_landlock_access access,
				   struct vrs_error *err) VRS_MUST_CHECK;
/* Hold this thread, and threads that it starts, to the list for ever; the process must have no other. VRS_EUNSUPPORTED. */
enum vrs_status vrs_landlock_enter(struct vrs_landlock *list, struct vrs_error *err) VRS_MUST_CHECK;
void vrs_landlock_close(struct vrs_landlock *list);

#endif
