/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Growing buffers and arrays: capacity doubles, and is never above the named maximum. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

#define FIRST_CAPACITY 64

void vrs_buf_init(struct vrs_buf *buf, size_t max)
{
	*buf = (struct vrs_buf){.max = max};
}

void vrs_buf_fini(struct vrs_buf *buf)
{
	vrs_free(buf->data);
	*buf = (struct vrs_buf){.max = buf->max};
}

void vrs_buf_clear(struct vrs_buf *buf)
{
	buf->len = 0;
	if (buf->data)
		buf->data[0] = '\0';
}

/* Always with the terminating NUL. */
enum vrs_status vrs_buf_reserve(struct vrs_buf *buf, size_t len)
{
	size_t need, cap = buf->cap;
	void *data = buf->data;

	if (len > buf->max || buf->len > buf->max - len)
		return VRS_ELIMIT;
	if (!vrs_add_size(buf->len + len, 1, &need))
		return VRS_ELIMIT;
	enum vrs_status status = vrs_array_grow(&data, &cap, need, 1, buf->max == SIZE_MAX ? SIZE_MAX : buf->max + 1);

	if (status == VRS_OK) {
		buf->data = data;
		buf->cap = cap;
	}
	return status;
}

enum vrs_status vrs_buf_append(struct vrs_buf *buf, const void *data, size_t len)
{
	enum vrs_status status = vrs_buf_reserve(buf, len);

	if (status != VRS_OK)
		return status;
	if (len)
		memcpy(buf->data + buf->len, data, len);
	buf->len += len;
	buf->data[buf->len] = '\0';
	return VRS_OK;
}

enum vrs_status vrs_buf_puts(struct vrs_buf *buf, const char *text)
{
	return vrs_buf_append(buf, text, strlen(text));
}

enum vrs_status vrs_buf_printf(struct vrs_buf *buf, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	int len = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (len < 0)
		return VRS_EINVAL;
	enum vrs_status status = vrs_buf_reserve(buf, (size_t)len);

	if (status != VRS_OK)
		return status;
	va_start(args, fmt);
	vsnprintf(buf->data + buf->len, (size_t)len + 1, fmt, args);
	va_end(args);
	buf->len += (size_t)len;
	return VRS_OK;
}

const char *vrs_buf_str(const struct vrs_buf *buf)
{
	return buf->data ? buf->data : "";
}

enum vrs_status vrs_array_grow(void *items, size_t *cap, size_t need, size_t size, size_t max)
{
	if (need > max)
		return VRS_ELIMIT;
	if (need <= *cap)
		return VRS_OK;
	size_t target = *cap > SIZE_MAX / 2 ? SIZE_MAX : *cap * 2;
	size_t first = size < FIRST_CAPACITY ? FIRST_CAPACITY / (size ? size : 1) : 1;

	if (target < first)
		target = first;
	if (target < need)
		target = need;
	if (target > max)
		target = max;
	void *grown;

	memcpy(&grown, items, sizeof grown);
	grown = vrs_realloc_array(grown, target, size);
	if (!grown)
		return VRS_ENOMEM;
	memcpy(items, &grown, sizeof grown);
	*cap = target;
	return VRS_OK;
}

void vrs_buf_last_line(const struct vrs_buf *text, char *buf, size_t size)
{
	const char *s = vrs_buf_str(text);
	size_t length = strlen(s);
	while (length > 0 && s[length - 1] == '\n')
		length--;
	const char *newline = memrchr(s, '\n', length), *line = newline ? newline + 1 : s;
	size_t rest = length - (size_t)(line - s);
	snprintf(buf, size, "%.*s", (int)(rest < size ? rest : size - 1), line);
}
