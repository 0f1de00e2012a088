/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Growing byte buffer with a named maximum. Always NUL-terminated after the content, so buf.data is a string when it holds text. */
#ifndef VRS_BASE_BUF_H
#define VRS_BASE_BUF_H

#include <stddef.h>

#include <vrseg/status.h>

struct vrs_buf {
	char *data;      /* NULL until the first append; use vrs_buf_str */
	size_t len, cap;
	size_t max;      /* content never grows above this */
};

void vrs_buf_init(struct vrs_buf *buf, size_t max);
void vrs_buf_fini(struct vrs_buf *buf);
void vrs_buf_clear(struct vrs_buf *buf);
/* VRS_ELIMIT above max, VRS_ENOMEM; the content is unchanged on failure. */
enum vrs_status vrs_buf_append(struct vrs_buf *buf, const void *data, size_t len);
/* Make room, so that appending len more bytes takes no memory. The same statuses. */
enum vrs_status vrs_buf_reserve(struct vrs_buf *buf, size_t len);
enum vrs_status vrs_buf_puts(struct vrs_buf *buf, const char *text);
enum vrs_status vrs_buf_printf(struct vrs_buf *buf, const char *fmt, ...) VRS_PRINTF(2, 3);
const char *vrs_buf_str(const struct vrs_buf *buf); /* "" when empty */
/*
 * Grow an array (elements of size bytes, capacity *cap) so that it holds at least need elements, at most max.  items: the address of the pointer to
 * its first element, of any type.  VRS_ELIMIT, VRS_ENOMEM; on failure nothing changes.
 */
enum vrs_status vrs_array_grow(void *items, size_t *cap, size_t need, size_t size, size_t max);
/* The last line that is not empty, without its newline: what a program said last.  Cut to size (above 0) and always terminated; "" without text. */
void vrs_buf_last_line(const struct vrs_buf *text, char *buf, size_t size);

#endif
