/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <sha2.h>
#include <string.h>

#include "base/file.h"

enum vrs_status vrs_file_sha256(const char *path, char ret_hex[65], struct vrs_error *err)
{
	errno = 0;
	if (SHA256File(path, ret_hex) == NULL)
		return vrs_fail(err, errno == ENOENT ? VRS_ENOTFOUND : VRS_EIO, "cannot read %s: %s", path, strerror(errno ? errno : EIO));
	return VRS_OK;
}
