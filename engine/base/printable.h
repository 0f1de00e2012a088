/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Texts from elsewhere (names of files, contents of results) on a terminal: a control character in them could move the cursor, colour or hide what
 * stands there, or forge a line of ours.
 */
#ifndef VRS_BASE_PRINTABLE_H
#define VRS_BASE_PRINTABLE_H

#include <stddef.h>

/*
 * Bytes of the character at text when it is a control character: C0 with line breaks, DEL, C1 (ECMA-48), and those that turn the direction of
 * writing (Unicode TR 9: U+202A to U+202E, U+2066 to U+2069); 0 for every other one. text is UTF-8, or anything else that ends in 0.
 */
size_t vrs_control_character(const char *text);

/* Copy text with each byte of a control character as \xHH, cut to size (above 0) and always terminated. Returns dst. */
char *vrs_printable(char *dst, size_t size, const char *text);

#endif
