/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/mp4_boxes.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_BOXES 20000  /* looked at in one file: real ones have some hundreds before and in moov */
#define MOST_DEPTH 12
#define ENTRY_BYTES 78    /* of a visual sample entry before its boxes */

#define NAME(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

struct walk {
	struct vrs_mp4_boxes *boxes;
	vrs_mp4_read_fn read;
	void *cookie;
	int visited;
	struct vrs_mp4_track *track;  /* inside trak; NULL outside */
	bool video;                   /* the track's handler is "vide" */
};

struct box {
	uint32_t name, parent;
	int64_t begin, end;           /* of the payload */
};

static void walk_boxes(struct walk *w, const struct box *parent, int64_t at, int depth);

static uint32_t be32(const uint8_t *p)
{
	return NAME(p[0], p[1], p[2], p[3]);
}

static bool payload(struct walk *w, const struct box *box, void *data, size_t size)
{
	return box->end - box->begin >= (int64_t)size && w->read(w->cookie, box->begin, data, size);
}

static void take_track_id(struct walk *w, const struct box *box)
{
	uint8_t data[24];

	if (payload(w, box, data, 16) && data[0] == 0)
		w->track->id = be32(data + 12);
	else if (payload(w, box, data, sizeof data) && data[0] == 1)
		w->track->id = be32(data + 20);
}

/* 0 mono, 1 top-bottom, 2 left-right, 3 what the mesh says, 4 right-left. */
static void take_st3d(struct walk *w, const struct box *box)
{
	struct vrs_stereo_side_data *side = &w->track->side;
	uint8_t data[5];

	if (!payload(w, box, data, sizeof data) || data[4] > 4)
		return;
	if (data[4] == 3) {
		side->foreign |= VRS_FOREIGN_MESH;
		return;
	}
	side->has_stereo = true;
	side->stereo = data[4] == 0 ? VRS_STEREO_MONO : data[4] == 1 ? VRS_STEREO_TB : VRS_STEREO_SBS;
	side->inverted = data[4] == 4;
}

/* vexu's eyes: bit 0 left, bit 1 right, bit 3 the order is reversed.  How they are packed is another box; without it each has its own layer. */
static void take_stri(struct walk *w, const struct box *box)
{
	uint8_t data[5];

	if (payload(w, box, data, sizeof data) && (data[4] & 8) && (data[4] & 3) == 3)
		w->track->side.inverted = true;
}

static void take_pkin(struct walk *w, const struct box *box)
{
	struct vrs_stereo_side_data *side = &w->track->side;
	uint8_t data[8];

	if (!payload(w, box, data, sizeof data))
		return;
	uint32_t kind = be32(data + 4);
	if (kind != NAME('s', 'i', 'd', 'e') && kind != NAME('o', 'v', 'e', 'r'))
		return;
	side->has_stereo = true;
	side->stereo = kind == NAME('s', 'i', 'd', 'e') ? VRS_STEREO_SBS : VRS_STEREO_TB;
}

static void take_prji(struct walk *w, const struct box *box)
{
	struct vrs_stereo_side_data *side = &w->track->side;
	uint8_t data[8];

	if (!payload(w, box, data, sizeof data))
		return;
	side->has_spherical = true;
	switch (be32(data + 4)) {
	case NAME('r', 'e', 'c', 't'):
		side->projection = VRS_PROJECTION_FLAT;
		break;
	case NAME('e', 'q', 'u', 'i'):
		side->projection = VRS_PROJECTION_EQUIRECT;
		break;
	case NAME('h', 'e', 'q', 'u'):
		side->projection = VRS_PROJECTION_HEQUIRECT;
		side->bound_left = side->bound_right = 0.25;
		break;
	case NAME('f', 'i', 's', 'h'):
		side->projection = VRS_PROJECTION_FISHEYE;
		break;
	case NAME('p', 'r', 'i', 'm'):
		side->foreign |= VRS_FOREIGN_LENS;
		break;
	default:
		side->has_spherical = false;
	}
}

/* Thousandths of a degree. */
static void take_hfov(struct walk *w, const struct box *box)
{
	uint8_t data[4];

	if (payload(w, box, data, sizeof data) && be32(data) >= 1000 && be32(data) <= 360000)
		w->track->side.fov_degrees = be32(data) / 1000.0;
}

static void take_handler(struct walk *w, const struct box *box)
{
	uint8_t data[12];

	if (payload(w, box, data, sizeof data))
		w->video = be32(data + 8) == NAME('v', 'i', 'd', 'e');
}

static void walk_track(struct walk *w, const struct box *box, int depth)
{
	if (w->track || w->boxes->count == VRS_MP4_TRACKS_MAX)
		return;
	w->track = &w->boxes->tracks[w->boxes->count];
	memset(w->track, 0, sizeof *w->track);
	w->video = false;
	walk_boxes(w, box, box->begin, depth);
	if (w->video)
		w->boxes->count++;
	w->track = NULL;
}

/* Boxes inside the sample entry of a video track, and deeper. */
static void visit_entry_part(struct walk *w, const struct box *box, int depth)
{
	switch (box->name) {
	case NAME('s', 't', '3', 'd'):
		take_st3d(w, box);
		break;
	case NAME('s', 'v', '3', 'd'):
	case NAME('v', 'e', 'x', 'u'):
	case NAME('e', 'y', 'e', 's'):
	case NAME('p', 'a', 'c', 'k'):
	case NAME('p', 'r', 'o', 'j'):
		walk_boxes(w, box, box->begin, depth);
		break;
	case NAME('m', 's', 'h', 'p'):
		w->track->side.foreign |= VRS_FOREIGN_MESH;
		break;
	case NAME('c', 'b', 'm', 'p'):
		w->track->side.foreign |= VRS_FOREIGN_CUBE;
		break;
	case NAME('s', 't', 'r', 'i'):
		take_stri(w, box);
		break;
	case NAME('p', 'k', 'i', 'n'):
		take_pkin(w, box);
		break;
	case NAME('p', 'r', 'j', 'i'):
		take_prji(w, box);
		break;
	case NAME('h', 'f', 'o', 'v'):
		take_hfov(w, box);
		break;
	case NAME('l', 'h', 'v', 'C'):
		w->track->side.foreign |= VRS_FOREIGN_LAYERS;
		break;
	default:
		break;
	}
}

static void visit(struct walk *w, const struct box *box, int depth)
{
	if (box->parent == NAME('s', 't', 's', 'd')) { /* a sample entry: whatever its codec is called */
		if (w->video)
			walk_boxes(w, &(struct box){NAME('e', 'n', 't', 'r'), 0, box->begin, box->end}, box->begin + ENTRY_BYTES, depth);
		return;
	}
	switch (box->name) {
	case NAME('m', 'o', 'o', 'v'):
	case NAME('m', 'd', 'i', 'a'):
	case NAME('m', 'i', 'n', 'f'):
	case NAME('s', 't', 'b', 'l'):
		walk_boxes(w, box, box->begin, depth);
		return;
	case NAME('t', 'r', 'a', 'k'):
		walk_track(w, box, depth);
		return;
	default:
		break;
	}
	if (!w->track)
		return;
	if (box->name == NAME('t', 'k', 'h', 'd'))
		take_track_id(w, box);
	else if (box->name == NAME('h', 'd', 'l', 'r') && box->parent == NAME('m', 'd', 'i', 'a'))
		take_handler(w, box);
	else if (box->name == NAME('s', 't', 's', 'd'))
		walk_boxes(w, box, box->begin + 8, depth); /* version, flags, number of entries */
	else
		visit_entry_part(w, box, depth);
}

/* The boxes from `at` to the end of the parent. */
static void walk_boxes(struct walk *w, const struct box *parent, int64_t at, int depth)
{
	if (depth > MOST_DEPTH)
		return;
	while (parent->end - at >= 8 && w->visited++ < MOST_BOXES) {
		uint8_t head[16];
		struct box box = {.parent = parent->name, .begin = at + 8};

		if (!w->read(w->cookie, at, head, 8))
			return;
		uint64_t size = be32(head);
		box.name = be32(head + 4);
		if (size == 1) { /* a 64-bit size follows */
			if (parent->end - at < 16 || !w->read(w->cookie, at + 8, head + 8, 8))
				return;
			size = (uint64_t)be32(head + 8) << 32 | be32(head + 12);
			box.begin = at + 16;
		} else if (size == 0) { /* up to the end */
			size = (uint64_t)(parent->end - at);
		}
		if (size < (uint64_t)(box.begin - at) || size > (uint64_t)(parent->end - at))
			return;
		box.end = at + (int64_t)size;
		visit(w, &box, depth + 1);
		if (depth == 0 && box.name == NAME('m', 'o', 'o', 'v'))
			return;
		at = box.end;
	}
}

void vrs_mp4_boxes_walk(struct vrs_mp4_boxes *ret_boxes, vrs_mp4_read_fn read, void *cookie, int64_t size)
{
	struct walk w = {.boxes = ret_boxes, .read = read, .cookie = cookie};
	const struct box file = {.end = size};

	ret_boxes->count = 0;
	walk_boxes(&w, &file, 0, 0);
}

static bool read_file(void *cookie, int64_t at, void *data, size_t size)
{
	return pread(*(int *)cookie, data, size, at) == (ssize_t)size;
}

void vrs_mp4_boxes_read(struct vrs_mp4_boxes *ret_boxes, const char *path)
{
	struct stat st;
	int fd;

	ret_boxes->count = 0;
	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode)) /* opening a pipe would take its reader's place */
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	vrs_mp4_boxes_walk(ret_boxes, read_file, &fd, st.st_size);
	close(fd);
}

void vrs_mp4_boxes_apply(const struct vrs_mp4_boxes *boxes, uint32_t track_id, struct vrs_stereo_side_data *side)
{
	for (int i = 0; i < boxes->count; i++) {
		const struct vrs_stereo_side_data *own = &boxes->tracks[i].side;

		if (boxes->tracks[i].id != track_id)
			continue;
		if (!side->has_stereo && own->has_stereo) {
			side->has_stereo = true;
			side->stereo = own->stereo;
			side->inverted = own->inverted && own->stereo != VRS_STEREO_MONO;
		}
		if (!side->has_spherical && own->has_spherical) {
			side->has_spherical = true;
			side->projection = own->projection;
			side->bound_left = own->bound_left;
			side->bound_right = own->bound_right;
		}
		if (side->fov_degrees == 0)
			side->fov_degrees = own->fov_degrees;
		side->foreign |= own->foreign;
	}
}
