/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one list of status values: X(name, value, text).  Values are pinned, since they appear in journals and logs.
 * Including this file without defining X is an error on purpose; see status.h.
 */
X(VRS_OK, 0, "success")
X(VRS_EINVAL, -1, "invalid argument")
X(VRS_ENOMEM, -2, "out of memory")
X(VRS_EIO, -3, "read or write failed")
X(VRS_EFORMAT, -4, "damaged or malformed data")
X(VRS_EUNSUPPORTED, -5, "not supported")
X(VRS_ELIMIT, -6, "a limit was exceeded")
X(VRS_ENOTFOUND, -7, "not found")
X(VRS_EEXIST, -8, "already exists")
X(VRS_ECONFIG, -9, "wrong usage or configuration")
X(VRS_ESTOPPED, -10, "stopped on request")
X(VRS_ETIMEOUT, -11, "timed out")
X(VRS_EDEVICE, -12, "device unavailable or failed")
X(VRS_EINTERNAL, -13, "internal error")
X(VRS_END, -14, "end of data")
X(VRS_ENOSPC, -15, "no space left on the disk")
