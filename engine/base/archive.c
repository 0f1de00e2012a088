/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/archive.h"

#include <string.h>

#include "base/assert.h"

#define LEAST_ALPHA (-0.001f) /* what a mean of values in 0..1 may be, and what its byte is still right for */
#define MOST_ALPHA 1.001f

struct vrs_archive vrs_archive_writer(FILE *to)
{
	return (struct vrs_archive){.to = to};
}

struct vrs_archive vrs_archive_reader(const void *from, size_t size)
{
	return (struct vrs_archive){.from = from, .size = size};
}

static bool transfer(struct vrs_archive *archive, void *value, size_t size)
{
	if (archive->damaged || size == 0)
		return !archive->damaged;
	if (archive->to) {
		archive->damaged = fwrite(value, 1, size, archive->to) != size;
	} else if (size > archive->size - archive->at) {
		archive->damaged = true;
	} else {
		memcpy(value, archive->from + archive->at, size);
	}
	archive->at += archive->damaged ? 0 : size;
	return !archive->damaged;
}

bool vrs_archive_require(struct vrs_archive *archive, bool holds)
{
	VRS_ASSERT(holds || !archive->to || archive->damaged);
	archive->damaged |= !holds;
	return !archive->damaged;
}

bool vrs_archive_flag(struct vrs_archive *archive, bool *value)
{
	uint8_t byte = archive->to && *value ? 1 : 0;
	if (!transfer(archive, &byte, sizeof byte) || !vrs_archive_require(archive, byte <= 1))
		return false;
	*value = byte == 1;
	return true;
}

bool vrs_archive_int(struct vrs_archive *archive, int *value, int min, int max)
{
	int32_t number = *value;
	if (!transfer(archive, &number, sizeof number) || !vrs_archive_require(archive, number >= min && number <= max))
		return false;
	*value = number;
	return true;
}

bool vrs_archive_u32(struct vrs_archive *archive, uint32_t *value)
{
	return transfer(archive, value, sizeof *value);
}

bool vrs_archive_u64(struct vrs_archive *archive, uint64_t *value, uint64_t max)
{
	return transfer(archive, value, sizeof *value) && vrs_archive_require(archive, *value <= max);
}

bool vrs_archive_double(struct vrs_archive *archive, double *value, double min, double max)
{
	return transfer(archive, value, sizeof *value) && vrs_archive_require(archive, *value >= min && *value <= max);
}

bool vrs_archive_floats(struct vrs_archive *archive, float *values, size_t n)
{
	return n <= SIZE_MAX / sizeof *values && transfer(archive, values, n * sizeof *values);
}

bool vrs_archive_alpha(struct vrs_archive *archive, float *values, size_t n)
{
	bool good = vrs_archive_floats(archive, values, n);
	for (size_t i = 0; good && i < n; i++)
		good = values[i] >= LEAST_ALPHA && values[i] <= MOST_ALPHA;
	return !archive->damaged && vrs_archive_require(archive, good);
}

bool vrs_archive_bytes(struct vrs_archive *archive, uint8_t *values, size_t n)
{
	return transfer(archive, values, n);
}

static bool is_inside(const struct vrs_rect *part, const struct vrs_rect *eye, int circle)
{
	int64_t right = (int64_t)part->x + part->width, bottom = (int64_t)part->y + part->height;
	return part->width >= 1 && part->height >= 1 && part->width <= eye->width && part->x >= eye->x && part->x < eye->x + eye->width &&
	       (circle || right <= eye->x + eye->width) && part->y >= eye->y && bottom <= eye->y + eye->height;
}

bool vrs_archive_part(struct vrs_archive *archive, struct vrs_rect *part, const struct vrs_rect *eye, int circle)
{
	return transfer(archive, part, sizeof *part) && vrs_archive_require(archive, is_inside(part, eye, circle));
}

bool vrs_archive_mark(struct vrs_archive *archive, uint32_t mark)
{
	uint32_t found = mark;
	return vrs_archive_u32(archive, &found) && vrs_archive_require(archive, found == mark);
}

bool vrs_archive_end(struct vrs_archive *archive)
{
	if (archive->to)
		archive->damaged |= fflush(archive->to) != 0;
	else
		archive->damaged |= archive->at != archive->size;
	return !archive->damaged;
}
