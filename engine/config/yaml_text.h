/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks on raw text before libfyaml sees it. */
#ifndef VRS_CONFIG_YAML_TEXT_H
#define VRS_CONFIG_YAML_TEXT_H

#include <stddef.h>

#include <vrseg/status.h>

/*
 * VRS_EFORMAT with line and column unless text is UTF-8 without control characters and directives.  libfyaml 0.7 does not return from a
 * directive that holds invalid UTF-8.
 */
enum vrs_status vrs_yaml_check_text(const char *text, size_t size, const char *name, struct vrs_error *err);

#endif
