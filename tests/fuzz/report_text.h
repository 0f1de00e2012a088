/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every report is, whatever names stand in it: UTF-8 without control characters, which could steer a terminal. */
#ifndef TESTS_FUZZ_REPORT_TEXT_H
#define TESTS_FUZZ_REPORT_TEXT_H

#include <string.h>

#include "base/printable.h"
#include "require.h"

static inline void require_readable(const char *report, const char *format)
{
	while (*report != '\0') {
		size_t length = vrs_utf8_length(report, strnlen(report, 4));

		require(length > 0);
		require(*report == '\n' || (*report == '\t' && strcmp(format, "json") == 0) || vrs_control_character(report) == 0);
		report += length;
	}
}

#endif
