/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "video/mp4_boxes.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libavutil/common.h>
#include <libavutil/intreadwrite.h>

#define MOST_BOXES 20000  /* looked at in one file: real ones have some hundreds before and in moov */
#define MOST_DEPTH 12
#define ENTRY_BYTES 78    /* of a visual sample entry before its boxes */
#define SOUND_BYTES 28    /* of one of sound; QuickTime has versions with more */
#define MOST_SPATIAL 2048 /* of SA3D: 12, and 4 a channel */
#define STSD MKBETAG('s', 't', 's', 'd')

struct walk {
	struct vrs_mp4_boxes *boxes;
	vrs_mp4_read_fn read;
	void *cookie;
	int visited;
	struct vrs_mp4_track *track;  /* inside trak; NULL outside */
	bool video, is_sound;         /* the track's handler is "vide", "soun" */
	struct vrs_mp4_sound sound;
	int64_t at[MOST_DEPTH + 1];   /* where the boxes begin that lead here */
};

struct box {
	uint32_t name, parent;
	int64_t begin, end;           /* of the payload */
};

static void walk_boxes(struct walk *w, const struct box *parent, int64_t at, int depth);

static bool payload(struct walk *w, const struct box *box, void *data, size_t size)
{
	return box->end - box->begin >= (int64_t)size && w->read(w->cookie, box->begin, data, size);
}

static void take_track_id(struct walk *w, const struct box *box)
{
	uint8_t data[24];

	if (payload(w, box, data, 16) && data[0] == 0)
		w->track->id = AV_RB32(data + 12);
	else if (payload(w, box, data, sizeof data) && data[0] == 1)
		w->track->id = AV_RB32(data + 20);
}

static void set_stereo(struct vrs_stereo_side_data *side, enum vrs_stereo stereo)
{
	side->has_stereo = true;
	side->stereo = stereo;
}

/* 0 mono, 1 top-bottom, 2 left-right, 3 what the mesh says, 4 right-left. */
static void take_st3d(struct vrs_stereo_side_data *side, const uint8_t *data)
{
	static const enum vrs_stereo kinds[] = {VRS_STEREO_MONO, VRS_STEREO_TB, VRS_STEREO_SBS, VRS_STEREO_AUTO, VRS_STEREO_SBS};

	if (data[4] == 3)
		side->foreign |= VRS_FOREIGN_MESH;
	if (data[4] == 3 || data[4] > 4)
		return;
	set_stereo(side, kinds[data[4]]);
	side->inverted = data[4] == 4;
}

/* vexu's eyes: bit 0 left, bit 1 right, bit 3 the order is reversed.  How they are packed is another box; without it each has its own layer. */
static void take_stri(struct vrs_stereo_side_data *side, const uint8_t *data)
{
	if ((data[4] & 8) && (data[4] & 3) == 3)
		side->inverted = true;
}

static void take_pkin(struct vrs_stereo_side_data *side, const uint8_t *data)
{
	if (memcmp(data + 4, "side", 4) == 0)
		set_stereo(side, VRS_STEREO_SBS);
	else if (memcmp(data + 4, "over", 4) == 0)
		set_stereo(side, VRS_STEREO_TB);
}

static void take_prji(struct vrs_stereo_side_data *side, const uint8_t *data)
{
	static const struct {
		char name[5];
		enum vrs_projection projection;
	} rows[] = {{"rect", VRS_PROJECTION_FLAT}, {"equi", VRS_PROJECTION_EQUIRECT}, {"hequ", VRS_PROJECTION_HEQUIRECT}, {"fish", VRS_PROJECTION_FISHEYE}};

	side->has_spherical = memcmp(data + 4, "prim", 4) == 0;
	if (side->has_spherical)
		side->foreign |= VRS_FOREIGN_LENS;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (memcmp(data + 4, rows[i].name, 4) == 0) {
			side->has_spherical = true;
			side->projection = rows[i].projection;
			side->bound_left = side->bound_right = side->projection == VRS_PROJECTION_HEQUIRECT ? 0.25 : side->bound_left;
		}
}

/* Thousandths of a degree. */
static void take_hfov(struct vrs_stereo_side_data *side, const uint8_t *data)
{
	if (AV_RB32(data) >= 1000 && AV_RB32(data) <= 360000)
		side->fov_degrees = AV_RB32(data) / 1000.0;
}

static void take_handler(struct walk *w, const struct box *box)
{
	uint8_t data[12];

	if (payload(w, box, data, sizeof data))
		w->video = memcmp(data + 8, "vide", 4) == 0;
	w->is_sound = !w->video && payload(w, box, data, sizeof data) && memcmp(data + 8, "soun", 4) == 0;
}

static void walk_track(struct walk *w, const struct box *box, int depth)
{
	if (w->track || w->boxes->count == VRS_MP4_TRACKS_MAX)
		return;
	w->track = &w->boxes->tracks[w->boxes->count];
	memset(w->track, 0, sizeof *w->track);
	w->video = w->is_sound = false;
	memset(&w->sound, 0, sizeof w->sound);
	walk_boxes(w, box, box->begin, depth);
	if (w->video)
		w->boxes->count++;
	w->sound.id = w->track->id;
	if (w->is_sound && w->sound.end && w->boxes->sounds_count < VRS_MP4_TRACKS_MAX)
		w->boxes->sounds[w->boxes->sounds_count++] = w->sound;
	w->track = NULL;
}

/* Boxes inside the sample entry of a video track, and deeper: what they hold, or what their presence says. */
static void visit_entry_part(struct walk *w, const struct box *box)
{
	static const struct {
		uint32_t name;
		size_t bytes;
		void (*take)(struct vrs_stereo_side_data *side, const uint8_t *data);
		unsigned foreign;
	} parts[] = {
		{MKBETAG('s', 't', '3', 'd'), 5, take_st3d, 0},
		{MKBETAG('s', 't', 'r', 'i'), 5, take_stri, 0},
		{MKBETAG('p', 'k', 'i', 'n'), 8, take_pkin, 0},
		{MKBETAG('p', 'r', 'j', 'i'), 8, take_prji, 0},
		{MKBETAG('h', 'f', 'o', 'v'), 4, take_hfov, 0},
		{MKBETAG('m', 's', 'h', 'p'), 0, NULL, VRS_FOREIGN_MESH},
		{MKBETAG('c', 'b', 'm', 'p'), 0, NULL, VRS_FOREIGN_CUBE},
		{MKBETAG('l', 'h', 'v', 'C'), 0, NULL, VRS_FOREIGN_LAYERS},
	};
	uint8_t data[8];

	if (box->name == MKBETAG('S', 'A', '3', 'D') && w->is_sound && box->end - box->begin <= MOST_SPATIAL) {
		w->sound.spatial_at = box->begin - 8;
		w->sound.spatial_size = box->end - box->begin + 8;
	}
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		if (parts[i].name != box->name)
			continue;
		w->track->side.foreign |= parts[i].foreign;
		if (parts[i].take && payload(w, box, data, parts[i].bytes))
			parts[i].take(&w->track->side, data);
	}
}

/* Boxes that only hold others. */
static bool is_folder(uint32_t name)
{
	static const char names[][5] = {"moov", "mdia", "minf", "stbl", "sv3d", "vexu", "eyes", "pack", "proj"};
	bool found = false;

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		found = found || AV_RB32(names[i]) == name;
	return found;
}

/* The first description of a sound. */
static void walk_sound(struct walk *w, const struct box *box, int depth)
{
	static const int more[] = {0, 16, 36};
	uint8_t data[10];
	unsigned version = payload(w, box, data, sizeof data) ? AV_RB16(data + 8) : 3;

	if (version > 2 || w->sound.end || depth != VRS_MP4_ENTRY_DEPTH)
		return;
	memcpy(w->sound.at, w->at, sizeof w->sound.at);
	w->sound.end = box->end;
	walk_boxes(w, &(struct box){MKBETAG('e', 'n', 't', 'r'), 0, box->begin, box->end}, box->begin + SOUND_BYTES + more[version], depth);
}

static void visit(struct walk *w, const struct box *box, int depth)
{
	if (box->parent == STSD) { /* a sample entry: whatever its codec is called */
		if (w->video)
			walk_boxes(w, &(struct box){MKBETAG('e', 'n', 't', 'r'), 0, box->begin, box->end}, box->begin + ENTRY_BYTES, depth);
		else if (w->is_sound)
			walk_sound(w, box, depth);
	} else if (is_folder(box->name)) {
		walk_boxes(w, box, box->begin, depth);
	} else if (box->name == MKBETAG('t', 'r', 'a', 'k')) {
		walk_track(w, box, depth);
	} else if (!w->track) {
		return;
	} else if (box->name == MKBETAG('t', 'k', 'h', 'd')) {
		take_track_id(w, box);
	} else if (box->name == MKBETAG('h', 'd', 'l', 'r') && box->parent == MKBETAG('m', 'd', 'i', 'a')) {
		take_handler(w, box);
	} else if (box->name == STSD) {
		walk_boxes(w, box, box->begin + 8, depth); /* version, flags, number of entries */
	} else {
		visit_entry_part(w, box);
	}
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
		uint64_t size = AV_RB32(head);
		box.name = AV_RB32(head + 4);
		if (size == 1) { /* a 64-bit size follows */
			if (parent->end - at < 16 || !w->read(w->cookie, at + 8, head + 8, 8))
				return;
			size = (uint64_t)AV_RB32(head + 8) << 32 | AV_RB32(head + 12);
			box.begin = at + 16;
		} else if (size == 0) { /* up to the end */
			size = (uint64_t)(parent->end - at);
		}
		if (size < (uint64_t)(box.begin - at) || size > (uint64_t)(parent->end - at))
			return;
		box.end = at + (int64_t)size;
		w->at[depth] = at;
		visit(w, &box, depth + 1);
		if (depth == 0 && box.name == MKBETAG('m', 'o', 'o', 'v'))
			return;
		at = box.end;
	}
}

void vrs_mp4_boxes_walk(struct vrs_mp4_boxes *ret_boxes, vrs_mp4_read_fn read, void *cookie, int64_t size)
{
	struct walk w = {.boxes = ret_boxes, .read = read, .cookie = cookie};
	const struct box file = {.end = size};

	ret_boxes->count = ret_boxes->sounds_count = 0;
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

	ret_boxes->count = ret_boxes->sounds_count = 0;
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
