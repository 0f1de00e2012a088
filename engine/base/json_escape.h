/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Escapes of JSON texts that cJSON neither writes nor reads: of control characters that could steer a terminal, and of bytes that are no UTF-8, as
 * names of files may have.  Texts of JSON are UTF-8 (RFC 8259 8.1); such a byte is \udc80 to \udcff there, half of a surrogate pair without the other
 * half, as in Python (PEP 383).
 */
#ifndef VRS_BASE_JSON_ESCAPE_H
#define VRS_BASE_JSON_ESCAPE_H

#include <stddef.h>

/* What cJSON printed with \uXXXX in their place; takes text, gives memory of the same allocator. NULL: out of memory. */
char *vrs_json_escape(char *text);
/* Where the next escape of a byte that is no UTF-8 begins in [from, to) of the text; to: there is none. */
size_t vrs_json_find_raw_byte(const char *text, size_t from, size_t to);
/* [from, to) with such bytes in place of their escapes; freed with vrs_free. NULL: out of memory. */
char *vrs_json_raw_bytes(const char *text, size_t from, size_t to, size_t *ret_len);
/* Where in the text the byte `offset` of that copy comes from. */
size_t vrs_json_raw_place(const char *text, size_t from, size_t to, size_t offset);

#endif
