/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Weights that an ONNX file keeps in files beside it.  Only what lies inside the folder of the model is read. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "graph/model_limits.h"
#include "graph/onnx_build.h"

struct place {
	const char *location;
	uint64_t offset, length;
	bool has_length;
};

static bool read_number(const char *text, uint64_t *ret)
{
	char *end;

	errno = 0;
	if (*text < '0' || *text > '9')
		return false;
	*ret = strtoull(text, &end, 10);
	return errno == 0 && *end == '\0';
}

static enum vrs_status read_place(const Onnx__TensorProto *tensor, struct place *place, struct vrs_error *err)
{
	for (size_t i = 0; i < tensor->n_external_data; i++) {
		const char *key = vrs_onnx_text(tensor->external_data[i]->key), *value = vrs_onnx_text(tensor->external_data[i]->value);

		if (strcmp(key, "location") == 0)
			place->location = value;
		else if (strcmp(key, "offset") == 0 && !read_number(value, &place->offset))
			return vrs_fail(err, VRS_EFORMAT, "external data: the offset %.40s is not a number", value);
		else if (strcmp(key, "length") == 0 && !(place->has_length = read_number(value, &place->length)))
			return vrs_fail(err, VRS_EFORMAT, "external data: the length %.40s is not a number", value);
	}
	return place->location != NULL ? VRS_OK : vrs_fail(err, VRS_EFORMAT, "external data without a location");
}

/* No part of the path leads out: not absolute, no "..", and after all links it still lies in the folder. */
static enum vrs_status resolve(const struct vrs_onnx_build *build, const char *location, char *ret_path)
{
	char joined[PATH_MAX], folder[PATH_MAX];
	size_t len;

	if (build->folder == NULL)
		return vrs_fail(build->err, VRS_EUNSUPPORTED, "the values lie in another file (%.100s), but the network was not read from a folder", location);
	for (const char *part = location; part != NULL; part = strchr(part, '/')) {
		part += *part == '/';
		if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
			return vrs_fail(build->err, VRS_EFORMAT, "the external data %.100s would lie outside the folder of the network", location);
	}
	if (location[0] == '/' || location[0] == '\0')
		return vrs_fail(build->err, VRS_EFORMAT, "the external data \"%.100s\" is not a file name relative to the network", location);
	if (vrs_path_join(joined, sizeof joined, build->folder, location) != VRS_OK)
		return vrs_fail(build->err, VRS_ELIMIT, "the path of the external data %.100s is too long", location);
	if (realpath(build->folder, folder) == NULL || realpath(joined, ret_path) == NULL)
		return vrs_fail(build->err, errno == ENOENT ? VRS_ENOTFOUND : VRS_EIO, "cannot open the external data %.100s: %s", joined, strerror(errno));
	len = strlen(folder);
	if (strncmp(ret_path, folder, len) != 0 || (ret_path[len] != '/' && strcmp(folder, "/") != 0))
		return vrs_fail(build->err, VRS_EFORMAT, "the external data %.100s leads outside the folder of the network", location);
	return VRS_OK;
}

static enum vrs_status check_range(int fd, const struct place *place, size_t size, struct vrs_error *err)
{
	struct stat info;

	if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
		return vrs_fail(err, VRS_EIO, "the external data %.100s is not a regular file", place->location);
	if (place->offset > (uint64_t)info.st_size || size > (uint64_t)info.st_size - place->offset)
		return vrs_fail(err, VRS_EFORMAT, "the external data %.100s has %lld bytes; %zu at %llu are needed", place->location,
				(long long)info.st_size, size, (unsigned long long)place->offset);
	return VRS_OK;
}

enum vrs_status vrs_onnx_open_external(struct vrs_onnx_build *build, const Onnx__TensorProto *tensor, size_t size, struct vrs_onnx_external *ret)
{
	struct place place = {0};
	char path[PATH_MAX];
	enum vrs_status status;
	int fd;

	VRS_TRY(read_place(tensor, &place, build->err));
	VRS_TRY(resolve(build, place.location, path));
	if (place.has_length && place.length != size)
		return vrs_fail(build->err, VRS_EFORMAT, "the external data %.100s: %llu bytes are given, the shape needs %zu", place.location,
				(unsigned long long)place.length, size);
	if (size > VRS_MODEL_MAX_EXTERNAL_BYTES - build->external_bytes)
		return vrs_fail(build->err, VRS_ELIMIT, "the external data has more than %zu bytes", VRS_MODEL_MAX_EXTERNAL_BYTES);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return vrs_fail(build->err, VRS_EIO, "cannot open the external data %.100s: %s", path, strerror(errno));
	status = check_range(fd, &place, size, build->err);
	if (status != VRS_OK) {
		close(fd);
		return status;
	}
	build->external_bytes += size;
	build->file_bytes += size;
	*ret = (struct vrs_onnx_external){.fd = fd, .offset = place.offset, .size = size};
	return VRS_OK;
}

enum vrs_status vrs_onnx_read_external(struct vrs_onnx_build *build, const struct vrs_onnx_external *from, void *to)
{
	size_t done = 0;

	while (done < from->size) {
		ssize_t n = pread(from->fd, (char *)to + done, from->size - done, (off_t)(from->offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return vrs_fail(build->err, VRS_EIO, "cannot read the external data: %s", n < 0 ? strerror(errno) : "the file got shorter");
		done += (size_t)n;
	}
	build->graph.external_hash = vrs_hash_block(build->graph.external_hash, to, from->size);
	return VRS_OK;
}
