/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/verdict_line.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void vrs_verdict_line_begin(char *buf, size_t size, const char *word)
{
	snprintf(buf, size, "VERDICT %s", word);
	for (char *p = buf; size > 0 && *p; p++)
		*p = (char)toupper((unsigned char)*p);
}

void vrs_verdict_line_put(char *buf, size_t size, const char *key, const char *fmt, ...)
{
	char value[VRS_VERDICT_LINE_MAX];
	size_t used = strlen(buf);
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(value, sizeof value, fmt, args);
	va_end(args);
	for (char *p = value; *p; p++)
		if (isspace((unsigned char)*p))
			*p = '_';
	if (n > 0 && (size_t)n < sizeof value && used + strlen(key) + (size_t)n + 3 <= size)
		(void)snprintf(buf + used, size - used, " %s=%s", key, value);
}
