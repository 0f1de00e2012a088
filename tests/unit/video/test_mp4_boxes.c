/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards video/mp4_boxes: what st3d, sv3d, vexu, hfov and lhvC say, track by track, in files built here box by box, and that FFmpeg's own words go
 * first.  Sizes that lie end the walk without losing what came before.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <setjmp.h>
#include <cmocka.h>

#include "video/mp4_boxes.h"

static uint8_t file[4096];
static size_t length;

static void put32(uint32_t v)
{
	for (int i = 3; i >= 0; i--)
		file[length++] = (uint8_t)(v >> (8 * i));
}

static void put(const char *bytes, size_t n)
{
	memcpy(file + length, bytes, n);
	length += n;
}

/* Begins a box; end writes its size. */
static size_t begin(const char *name)
{
	put32(0);
	put(name, 4);
	return length - 8;
}

static void end(size_t at)
{
	size_t now = length;

	length = at;
	put32((uint32_t)(now - at));
	length = now;
}

static void leaf(const char *name, const char *bytes, size_t n)
{
	size_t at = begin(name);

	put(bytes, n);
	end(at);
}

static size_t open_boxes[16];
static int open_count;

/* moov and a track up to the inside of its sample entry. */
static void begin_track(uint32_t id, const char *handler)
{
	char hdlr[20] = {0}, zeros[78] = {0};

	memcpy(hdlr + 8, handler, 4);
	open_count = 0;
	open_boxes[open_count++] = begin("trak");
	size_t at = begin("tkhd");
	put(zeros, 12);
	put32(id);
	end(at);
	open_boxes[open_count++] = begin("mdia");
	leaf("hdlr", hdlr, sizeof hdlr);
	open_boxes[open_count++] = begin("minf");
	open_boxes[open_count++] = begin("stbl");
	open_boxes[open_count++] = begin("stsd");
	put32(0);
	put32(1);
	open_boxes[open_count++] = begin("hvc1");
	put(zeros, sizeof zeros);
}

static void end_track(void)
{
	while (open_count > 0)
		end(open_boxes[--open_count]);
}

static bool read_bytes(void *cookie, int64_t at, void *data, size_t size)
{
	(void)cookie;
	if (at < 0 || (size_t)at > length || size > length - (size_t)at)
		return false;
	memcpy(data, file + at, size);
	return true;
}

static struct vrs_mp4_boxes walk(void)
{
	struct vrs_mp4_boxes boxes;

	vrs_mp4_boxes_walk(&boxes, read_bytes, NULL, (int64_t)length);
	return boxes;
}

static void begin_file(void)
{
	length = 0;
	leaf("ftyp", "isom\0\0\0\0", 8);
}

static void stereo_modes(void **state)
{
	static const struct {
		char mode;
		bool has, inverted;
		enum vrs_stereo stereo;
		unsigned foreign;
	} modes[] = {
		{0, true, false, VRS_STEREO_MONO, 0}, {1, true, false, VRS_STEREO_TB, 0}, {2, true, false, VRS_STEREO_SBS, 0},
		{3, false, false, VRS_STEREO_AUTO, VRS_FOREIGN_MESH}, {4, true, true, VRS_STEREO_SBS, 0}, {5, false, false, VRS_STEREO_AUTO, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
		const char st3d[5] = {0, 0, 0, 0, modes[i].mode};
		size_t moov;

		begin_file();
		moov = begin("moov");
		begin_track(5, "vide");
		leaf("st3d", st3d, sizeof st3d);
		end_track();
		end(moov);
		struct vrs_mp4_boxes boxes = walk();
		assert_int_equal(boxes.count, 1);
		assert_int_equal(boxes.tracks[0].id, 5);
		struct vrs_stereo_side_data side = {0};
		vrs_mp4_boxes_apply(&boxes, 5, &side);
		assert_int_equal(side.has_stereo, modes[i].has);
		assert_int_equal(side.inverted, modes[i].inverted);
		assert_int_equal(side.foreign, modes[i].foreign);
		if (modes[i].has)
			assert_int_equal(side.stereo, modes[i].stereo);
	}
}

static void spherical_boxes(void **state)
{
	static const struct {
		const char *name;
		unsigned foreign;
	} kinds[] = {{"mshp", VRS_FOREIGN_MESH}, {"cbmp", VRS_FOREIGN_CUBE}, {"equi", 0}};

	(void)state;
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		size_t moov, sv3d, proj;

		begin_file();
		moov = begin("moov");
		begin_track(1, "vide");
		sv3d = begin("sv3d");
		leaf("svhd", "\0\0\0\0", 5);
		proj = begin("proj");
		leaf("prhd", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
		leaf(kinds[i].name, "\0\0\0\0\0\0\0", 8);
		end(proj);
		end(sv3d);
		end_track();
		end(moov);
		struct vrs_mp4_boxes boxes = walk();
		assert_int_equal(boxes.count, 1);
		assert_int_equal(boxes.tracks[0].side.foreign, kinds[i].foreign);
	}
}

/* vexu of a side-by-side film with the right eye first, of a lens with 195.5 degrees; in the second video track of a file with sound. */
static size_t apple(const char *projection, const char *packing, bool layers)
{
	size_t moov, vexu, part;
	char prji[8] = {0}, pkin[8] = {0};

	memcpy(prji + 4, projection, 4);
	memcpy(pkin + 4, packing, 4);
	begin_file();
	moov = begin("moov");
	begin_track(1, "soun");
	end_track();
	begin_track(2, "vide");
	if (layers)
		leaf("lhvC", "\1\1\1\1", 4);
	vexu = begin("vexu");
	part = begin("eyes");
	leaf("stri", "\0\0\0\0\x0b", 5);
	end(part);
	part = begin("pack");
	leaf("pkin", pkin, sizeof pkin);
	end(part);
	part = begin("proj");
	leaf("prji", prji, sizeof prji);
	end(part);
	end(vexu);
	leaf("hfov", "\0\x02\xfb\xac", 4); /* 195500 */
	end_track();
	end(moov);
	return moov;
}

static void apple_boxes(void **state)
{
	static const struct {
		const char *name;
		enum vrs_projection projection;
		unsigned foreign;
	} kinds[] = {
		{"rect", VRS_PROJECTION_FLAT, 0},         {"equi", VRS_PROJECTION_EQUIRECT, 0}, {"hequ", VRS_PROJECTION_HEQUIRECT, 0},
		{"fish", VRS_PROJECTION_FISHEYE, 0},      {"prim", VRS_PROJECTION_UNKNOWN, VRS_FOREIGN_LENS},
	};

	(void)state;
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		struct vrs_stereo_side_data side = {0};

		(void)apple(kinds[i].name, "side", false);
		struct vrs_mp4_boxes boxes = walk();
		assert_int_equal(boxes.count, 1); /* sound is no picture */
		vrs_mp4_boxes_apply(&boxes, 1, &side);
		assert_false(side.has_stereo || side.has_spherical);
		vrs_mp4_boxes_apply(&boxes, 2, &side);
		assert_true(side.has_stereo && side.inverted && side.has_spherical);
		assert_int_equal(side.stereo, VRS_STEREO_SBS);
		assert_int_equal(side.projection, kinds[i].projection);
		assert_int_equal(side.foreign, kinds[i].foreign);
		assert_true(side.fov_degrees == 195.5);
	}
	(void)apple("hequ", "none", true);
	struct vrs_mp4_boxes boxes = walk();
	assert_int_equal(boxes.tracks[0].side.foreign, VRS_FOREIGN_LAYERS);
	assert_false(boxes.tracks[0].side.has_stereo);
}

static void ffmpeg_goes_first(void **state)
{
	struct vrs_stereo_side_data side = {.has_stereo = true, .stereo = VRS_STEREO_TB, .has_spherical = true,
					    .projection = VRS_PROJECTION_EQUIRECT};

	(void)state;
	(void)apple("fish", "side", false);
	struct vrs_mp4_boxes boxes = walk();
	vrs_mp4_boxes_apply(&boxes, 2, &side);
	assert_int_equal(side.stereo, VRS_STEREO_TB);
	assert_false(side.inverted);
	assert_int_equal(side.projection, VRS_PROJECTION_EQUIRECT);
}

/* Every truncation: fewer boxes, nothing wrong.  A size beyond the parent ends the walk there. */
static void damaged_files(void **state)
{
	size_t whole, moov;

	(void)state;
	moov = apple("hequ", "over", true);
	whole = length;
	for (; length > 0; length--) {
		struct vrs_mp4_boxes boxes = walk();

		assert_true(boxes.count == (length == whole));
	}
	length = whole;
	file[moov + 3]--; /* moov is one byte too short: its last track does not fit and is not walked */
	assert_int_equal(walk().count, 0);
}

/* Where it stands, and what it is in, in each version of the description of a sound. */
static void ambisonics(void **state)
{
	static const char *const folders[] = {"moov", "trak", "mdia", "minf", "stbl", "stsd", "mp4a"};
	static const int more[] = {0, 16, 36};
	(void)state;
	for (int version = 0; version < 4; version++) {
		char hdlr[20] = "........soun", zeros[64] = {0};
		size_t at[7];
		length = 0;
		leaf("ftyp", zeros, 8);
		for (int i = 0; i < 7; i++) {
			at[i] = begin(folders[i]);
			if (i == 1)
				leaf("tkhd", "\0\0\0\0........\0\0\0\5", 16);
			if (i == 2)
				leaf("hdlr", hdlr, sizeof hdlr);
			if (i == 5)
				put(zeros, 8);
		}
		zeros[9] = (char)version;
		put(zeros, 28 + (size_t)more[version % 3]);
		leaf("esds", "....", 4);
		size_t spatial = length;
		leaf("SA3D", "............", 12);
		size_t after = length;
		for (int i = 6; i >= 0; i--)
			end(at[i]);
		const struct vrs_mp4_boxes boxes = walk();
		assert_int_equal(boxes.count, 0);
		assert_int_equal(boxes.sounds_count, version < 3);
		if (version == 3) /* not known */
			continue;
		assert_int_equal(boxes.sounds[0].id, 5);
		assert_int_equal(boxes.sounds[0].end, after);
		assert_int_equal(boxes.sounds[0].spatial_at, spatial);
		assert_int_equal(boxes.sounds[0].spatial_size, 20);
		for (int i = 0; i < 7; i++)
			assert_int_equal(boxes.sounds[0].at[i], at[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ambisonics),
		cmocka_unit_test(stereo_modes), cmocka_unit_test(spherical_boxes), cmocka_unit_test(apple_boxes),
		cmocka_unit_test(ffmpeg_goes_first), cmocka_unit_test(damaged_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
