/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Headers of .npy files (numpy.lib.format): "\x93NUMPY", version, header length (two bytes in version 1, four in 2 and 3), then a Python
 * dictionary with exactly the keys descr, fortran_order and shape, padded with spaces and ended by a newline.
 */
#include "graph/npy_header.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "graph/model_limits.h"

#define MAGIC "\x93NUMPY"
#define MAGIC_BYTES 6
#define ALIGNMENT 64

struct cursor {
	const char *at, *end;
	const char *name;
	struct vrs_error *err;
};

/* Bits of the keys seen. */
enum { KEY_DESCR = 1, KEY_ORDER = 2, KEY_SHAPE = 4, KEY_ALL = 7 };

/* NumPy's names; "|" where the byte order means nothing. */
static const char *const descrs[VRS_DTYPE_COUNT] = {
	[VRS_F32] = "<f4", [VRS_F16] = "<f2", [VRS_I32] = "<i4", [VRS_I64] = "<i8", [VRS_U8] = "|u1", [VRS_I8] = "|i1", [VRS_BOOL] = "|b1",
	[VRS_F64] = "<f8", [VRS_BF16] = "<V2", [VRS_I16] = "<i2", [VRS_U16] = "<u2", [VRS_U32] = "<u4", [VRS_U64] = "<u8",
};

static enum vrs_status fail_header(const struct cursor *c, const char *what)
{
	return vrs_fail(c->err, VRS_EFORMAT, "%s: the header of this .npy file is damaged: %s", c->name, what);
}

static void skip_spaces(struct cursor *c)
{
	while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t'))
		c->at++;
}

static bool take(struct cursor *c, char expected)
{
	skip_spaces(c);
	if (c->at == c->end || *c->at != expected)
		return false;
	c->at++;
	return true;
}

static bool take_word(struct cursor *c, const char *word)
{
	size_t len = strlen(word);

	skip_spaces(c);
	if ((size_t)(c->end - c->at) < len || memcmp(c->at, word, len) != 0)
		return false;
	c->at += len;
	return true;
}

/* 'text' or "text" without escapes, as repr() writes short names. */
static bool take_string(struct cursor *c, char *buf, size_t size)
{
	size_t len = 0;
	char quote;

	skip_spaces(c);
	if (c->at == c->end || (*c->at != '\'' && *c->at != '"'))
		return false;
	quote = *c->at++;
	for (; c->at < c->end && *c->at != quote; c->at++) {
		if (*c->at == '\\' || !isprint((unsigned char)*c->at) || len + 1 >= size)
			return false;
		buf[len++] = *c->at;
	}
	buf[len] = '\0';
	return take(c, quote);
}

static enum vrs_status parse_descr(struct cursor *c, struct vrs_npy_header *header)
{
	char text[32];

	skip_spaces(c);
	if (c->at < c->end && *c->at == '[')
		return vrs_fail(c->err, VRS_EUNSUPPORTED, "%s holds records; an array of plain numbers is needed", c->name);
	if (!take_string(c, text, sizeof text) || strlen(text) < 2)
		return fail_header(c, "descr is no element type");
	if (text[0] == '>' && text[2] != '1')
		return vrs_fail(c->err, VRS_EUNSUPPORTED, "%s is big-endian (\"%s\"); save it as array.astype(\"<%s\")", c->name, text, text + 1);
	for (int i = 0; i < VRS_DTYPE_COUNT; i++)
		if (strcmp(text + 1, descrs[i] + 1) == 0 && strchr("<|=>", text[0])) {
			header->dtype = (enum vrs_dtype)i;
			return VRS_OK;
		}
	return vrs_fail(c->err, VRS_EUNSUPPORTED, "%s holds elements of NumPy type \"%s\", which no network takes", c->name, text);
}

static enum vrs_status parse_order(struct cursor *c, struct vrs_npy_header *header)
{
	header->fortran_order = take_word(c, "True");
	return header->fortran_order || take_word(c, "False") ? VRS_OK : fail_header(c, "fortran_order is neither True nor False");
}

/* (), (3,), (3, 4): one dim needs its comma. */
static enum vrs_status parse_shape(struct cursor *c, struct vrs_npy_header *header)
{
	bool comma = true;

	if (!take(c, '('))
		return fail_header(c, "shape is no tuple");
	for (header->rank = 0; !take(c, ')');) {
		int64_t dim = 0;
		const char *start;

		skip_spaces(c);
		start = c->at;
		if (!comma)
			return fail_header(c, "shape is no tuple of sizes");
		for (; c->at < c->end && isdigit((unsigned char)*c->at) && dim <= VRS_MODEL_MAX_ELEMENTS; c->at++)
			dim = dim * 10 + (*c->at - '0');
		if (c->at == start)
			return fail_header(c, "shape is no tuple of sizes");
		if (dim > VRS_MODEL_MAX_DIM)
			return vrs_fail(c->err, VRS_ELIMIT, "%s: a dimension is above %lld", c->name, (long long)VRS_MODEL_MAX_DIM);
		if (header->rank == VRS_MAX_RANK)
			return vrs_fail(c->err, VRS_ELIMIT, "%s has more than %d dimensions", c->name, VRS_MAX_RANK);
		header->dims[header->rank++] = dim;
		(void)take_word(c, "L"); /* Python 2 wrote long integers so */
		comma = take(c, ',');
	}
	return header->rank != 1 || comma ? VRS_OK : fail_header(c, "shape is no tuple");
}

static enum vrs_status parse_pair(struct cursor *c, struct vrs_npy_header *header, int *seen)
{
	static const struct {
		const char *key;
		int bit;
		enum vrs_status (*parse)(struct cursor *c, struct vrs_npy_header *header);
	} keys[] = {{"descr", KEY_DESCR, parse_descr}, {"fortran_order", KEY_ORDER, parse_order}, {"shape", KEY_SHAPE, parse_shape}};
	char key[32];

	if (!take_string(c, key, sizeof key) || !take(c, ':'))
		return fail_header(c, "it is no dictionary of descr, fortran_order and shape");
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		if (strcmp(key, keys[i].key) != 0)
			continue;
		if (*seen & keys[i].bit)
			return fail_header(c, "a key is there twice");
		*seen |= keys[i].bit;
		return keys[i].parse(c, header);
	}
	return fail_header(c, "it has an unknown key");
}

static enum vrs_status parse_dictionary(struct cursor *c, struct vrs_npy_header *header)
{
	bool comma = true;
	int seen = 0;

	if (!take(c, '{'))
		return fail_header(c, "it is no dictionary");
	while (!take(c, '}')) {
		enum vrs_status status = comma ? parse_pair(c, header, &seen) : fail_header(c, "a comma is missing");

		if (status != VRS_OK)
			return status;
		comma = take(c, ',');
	}
	if (seen != KEY_ALL)
		return fail_header(c, "it needs descr, fortran_order and shape");
	skip_spaces(c);
	return c->at == c->end ? VRS_OK : fail_header(c, "something follows the dictionary");
}

enum vrs_status vrs_npy_header_parse(struct vrs_npy_header *ret_header, const void *data, size_t size, const char *name, struct vrs_error *err)
{
	const unsigned char *bytes = data;
	struct vrs_npy_header header = {.rank = 0};
	size_t length, start;
	enum vrs_status status;

	if (size < MAGIC_BYTES + 2 || memcmp(bytes, MAGIC, MAGIC_BYTES) != 0)
		return vrs_fail(err, VRS_EFORMAT, "%s is not an .npy file; numpy.save writes them", name);
	if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0)
		return vrs_fail(err, VRS_EUNSUPPORTED, "%s has .npy format version %d.%d; versions 1.0, 2.0 and 3.0 are known", name, bytes[6], bytes[7]);
	start = bytes[6] == 1 ? 10 : 12;
	if (size < start)
		return vrs_fail(err, VRS_EFORMAT, "%s: the header of this .npy file is damaged: it ends after %zu bytes", name, size);
	length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
	if (bytes[6] > 1)
		length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
	if (length > VRS_NPY_MAX_HEADER_BYTES)
		return vrs_fail(err, VRS_ELIMIT, "%s: the header has %zu bytes; at most %d are read", name, length, VRS_NPY_MAX_HEADER_BYTES);
	if (length > size - start)
		return vrs_fail(err, VRS_EFORMAT, "%s: the header of this .npy file is damaged: it ends after %zu bytes", name, size);
	struct cursor c = {(const char *)bytes + start, (const char *)bytes + start + length, name, err};

	status = parse_dictionary(&c, &header);
	if (status != VRS_OK)
		return status;
	header.data_offset = start + length;
	*ret_header = header;
	return VRS_OK;
}

size_t vrs_npy_header_format(const struct vrs_npy_header *header, char *buf, size_t size)
{
	char shape[VRS_MAX_RANK * 22 + 4] = "";
	size_t used = 0, total;
	int text;

	for (int i = 0; i < header->rank; i++)
		used += (size_t)snprintf(shape + used, sizeof shape - used, i > 0 ? ", %lld" : "%lld", (long long)header->dims[i]);
	if (size < 10)
		return 0;
	text = snprintf(buf + 10, size - 10, "{'descr': '%s', 'fortran_order': %s, 'shape': (%s%s), }", descrs[header->dtype],
			header->fortran_order ? "True" : "False", shape, header->rank == 1 ? "," : "");
	total = (10 + (size_t)text + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	if (total > size)
		return 0;
	memcpy(buf, MAGIC "\x01", 8); /* with the terminating zero: version 1.0 */
	buf[8] = (char)((total - 10) & 0xff);
	buf[9] = (char)((total - 10) >> 8);
	memset(buf + 10 + text, ' ', total - 10 - (size_t)text);
	buf[total - 1] = '\n';
	return total;
}
