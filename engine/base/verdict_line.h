/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The line for scripts that every program ends a judgement with: "VERDICT WORD key=value ...".  WORD is in capitals, keys are in lower case, values
 * hold no blank; docs/results.md lists words and keys.
 *
 *     vrs_verdict_line_begin(line, sizeof line, "slower");
 *     vrs_verdict_line_put(line, sizeof line, "n", "%d", pairs);
 */
#ifndef VRS_BASE_VERDICT_LINE_H
#define VRS_BASE_VERDICT_LINE_H

#include <stddef.h>

#include <vrseg/status.h>

#define VRS_VERDICT_LINE_MAX 512

/* "VERDICT SLOWER" for "slower" or "SLOWER". */
void vrs_verdict_line_begin(char *buf, size_t size, const char *word);
/* Append " key=value"; blanks of the value become '_'. What does not fit is left out as a whole. */
void vrs_verdict_line_put(char *buf, size_t size, const char *key, const char *fmt, ...) VRS_PRINTF(4, 5);

#endif
