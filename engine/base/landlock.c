/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/landlock.h>

#define ABI_LEAST 2 /* Linux 5.19: renaming between folders that are both granted */
#define ABI_NET 4
#define ABI_SCOPE 6

/* What later kernels than that of the headers know (linux/landlock.h). */
#define ACCESS_TRUNCATE (UINT64_C(1) << 14)  /* ABI 3; before it the system call filter refuses truncation by name */
#define ACCESS_IOCTL_DEV (UINT64_C(1) << 15) /* ABI 5 */
#define RIGHTS_ABI_2 ((UINT64_C(1) << 14) - 1)
#define NET_TCP UINT64_C(3)                  /* bind and connect */
#define SCOPE_ALL UINT64_C(3)                /* abstract sockets and signals */

#define RIGHTS_READ ((uint64_t)(LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR))
#define RIGHTS_WRITE (RIGHTS_READ | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | \
		      LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REFER | ACCESS_TRUNCATE)
#define RIGHTS_OF_FILES ((uint64_t)(LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE) | ACCESS_TRUNCATE)

/* struct landlock_ruleset_attr as of ABI 6; older kernels take its beginning. */
struct ruleset {
	uint64_t fs, net, scoped;
};

static enum vrs_status fail_kernel(struct vrs_error *err, const char *why)
{
	return vrs_fail(err, VRS_EUNSUPPORTED, "--sandbox needs Landlock, which this kernel does not offer (%s); use Linux 5.19 or later, with landlock "
			"among the security modules, or leave --sandbox out", why);
}

enum vrs_status vrs_landlock_open(struct vrs_landlock *ret, struct vrs_error *err)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	struct ruleset ruleset = {.fs = RIGHTS_ABI_2};
	size_t size = sizeof ruleset.fs;

	ret->fd = -1;
	if (abi < 0)
		return fail_kernel(err, strerror(errno));
	if (abi < ABI_LEAST)
		return fail_kernel(err, "its version 1 cannot rename");
	if (abi >= 3)
		ruleset.fs |= ACCESS_TRUNCATE;
	if (abi >= 5)
		ruleset.fs |= ACCESS_IOCTL_DEV;
	if (abi >= ABI_NET) {
		ruleset.net = NET_TCP;
		size = 2 * sizeof ruleset.fs;
	}
	if (abi >= ABI_SCOPE) {
		ruleset.scoped = SCOPE_ALL;
		size = sizeof ruleset;
	}
	ret->rights = ruleset.fs;
	ret->fd = (int)syscall(SYS_landlock_create_ruleset, &ruleset, size, 0);
	return ret->fd < 0 ? fail_kernel(err, strerror(errno)) : VRS_OK;
}

enum vrs_status vrs_landlock_allow(struct vrs_landlock *list, const char *path, enum vrs_landlock_access access, struct vrs_error *err)
{
	struct landlock_path_beneath_attr rule = {.allowed_access = access == VRS_LANDLOCK_WRITE ? RIGHTS_WRITE : RIGHTS_READ};
	struct stat st;

	rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
	if (rule.parent_fd < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG ? VRS_OK : vrs_fail(err, VRS_EIO, "cannot open %s: %s", path, strerror(errno));
	rule.allowed_access &= list->rights;
	if (fstat(rule.parent_fd, &st) < 0 || !S_ISDIR(st.st_mode))
		rule.allowed_access &= RIGHTS_OF_FILES;
	long rc = syscall(SYS_landlock_add_rule, list->fd, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	enum vrs_status status = VRS_OK;

	if (rc < 0 && errno != EBADFD) /* EBADFD: a pipe, which no rule is needed for */
		status = vrs_fail(err, VRS_EIO, "cannot keep %s open to --sandbox: %s", path, strerror(errno));
	close(rule.parent_fd);
	return status;
}

enum vrs_status vrs_landlock_enter(struct vrs_landlock *list, struct vrs_error *err)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || syscall(SYS_landlock_restrict_self, list->fd, 0) < 0)
		return fail_kernel(err, strerror(errno));
	return VRS_OK;
}

void vrs_landlock_close(struct vrs_landlock *list)
{
	if (list->fd >= 0)
		close(list->fd);
	list->fd = -1;
}
