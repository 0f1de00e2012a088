/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Texts from elsewhere (names of files, contents of results) on a terminal: a control character in them could move the cursor, colour or hide what
 * stands there, or forge a line of ours.
 */
#ifndef VRS_BASE_PRINTABLE_H
#define VRS_BASE_PRINTABLE_H

#include <stddef.h>
#include <stdio.h>

#include <vrseg/status.h>

/*
 * Bytes of the character at text when it is a control character: C0 with line breaks, DEL, C1 (ECMA-48), the separators of lines and paragraphs
 * (U+2028, U+2029), and those that turn the direction of writing (Unicode TR 9: U+202A to U+202E, U+2066 to U+2069); 0 for every other one.
 * text is UTF-8, or anything else that ends in 0.
 */
size_t vrs_control_character(const char *text);
/* The code point of that control character at text, which has `bytes` bytes (1 to 3). */
unsigned vrs_control_point(const char *text, size_t bytes);

/*
 * Bytes of the well-formed character of UTF-8 at text, of which `left` bytes remain (1 or more); 0: malformed.  By the table of the Unicode Standard
 * (3-7, well-formed byte sequences): no overlong forms, no surrogates, nothing above 10FFFF.
 */
size_t vrs_utf8_length(const char *text, size_t left);
/*
 * Copy text with each byte of a control character as \xHH and without the secrets of addresses (base/secrets.h), cut to size (above 0) and always
 * terminated.  Returns dst.
 */
char *vrs_printable(char *dst, size_t size, const char *text);
/* Write text, of any length, with control characters in the same way; whether that failed shows in the stream. */
void vrs_print_text(FILE *out, const char *text);
/* The same, with bytes that are no UTF-8, as names of files may have, as \xHH as well: no YAML file may hold them. */
void vrs_print_utf8(FILE *out, const char *text);
/*
 * A line "# ..." of a YAML file in this way, cut to 8 KiB: a line break in a name would end the comment, and what stands behind it would be
 * settings.  Without secrets of addresses.  fmt "": a line "#".
 */
void vrs_print_comment(FILE *out, const char *fmt, ...) VRS_PRINTF(2, 3);

#endif
