/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What parser and help share: the flags of every program, and flag names for "did you mean". */
#ifndef VRS_CONFIG_CLI_COMMON_H
#define VRS_CONFIG_CLI_COMMON_H

#include <stdbool.h>
#include <stddef.h>

#include <vrseg/config.h>

extern const struct vrs_cli_action vrs_cli_common[]; /* ends with flag NULL */

/* The program's own action of that name; NULL: none. */
const struct vrs_cli_action *vrs_cli_find_action(const struct vrs_cli_spec *spec, const char *flag);
/* The flag closest to an unknown one, without dashes; false when none is close. */
bool vrs_cli_closest_flag(const struct vrs_cli_spec *spec, const char *flag, char *buf, size_t size);

#endif
