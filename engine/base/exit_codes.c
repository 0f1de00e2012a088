/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of exit codes, and which of them a status ends with. */
#include <vrseg/exit_codes.h>
#include <vrseg/status.h>

const struct vrs_exit_row *vrs_exit_table(int *ret_count)
{
#define ROW(name, code, programs, meaning) {(code), (programs), (meaning)},
	static const struct vrs_exit_row rows[] = {VRS_EXIT_LIST(ROW)};
#undef ROW
	*ret_count = (int)(sizeof rows / sizeof *rows);
	return rows;
}

int vrs_exit_code(enum vrs_status status)
{
	switch (status) {
	case VRS_OK:
		return VRS_EXIT_OK;
	case VRS_ECONFIG:
	case VRS_EINVAL:
	case VRS_EEXIST:
		return VRS_EXIT_USAGE;
	case VRS_ESTOPPED:
		return VRS_EXIT_STOPPED;
	default:
		return VRS_EXIT_FAILURE;
	}
}
