/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards video/matroska_uids: files built here, element by element, that differ in nothing but their identifiers become the same bytes, with names of
 * a track that still agree and right check sums; other content gives other identifiers; and a file whose sizes lie is refused and stays as it is.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <setjmp.h>
#include <unistd.h>
#include <cmocka.h>

#include <libavutil/crc.h>
#include <libavutil/intreadwrite.h>

#include "video/matroska_uids.h"

static uint8_t file[65536];
static size_t length;
static char path[64];

static void put(uint64_t value, int bytes)
{
	for (int i = bytes - 1; i >= 0; i--)
		file[length++] = (uint8_t)(value >> (8 * i));
}

/* An element with a size of eight bytes, which end() fills in. */
static size_t begin(uint32_t id)
{
	put(id, id > 0xFFFFFF ? 4 : id > 0xFFFF ? 3 : id > 0xFF ? 2 : 1);
	put(UINT64_C(1) << 56, 8);
	return length;
}

static void end(size_t at)
{
	AV_WB64(file + at - 8, UINT64_C(1) << 56 | (length - at));
}

static void leaf(uint32_t id, uint64_t value)
{
	size_t at = begin(id);

	put(value, 8);
	end(at);
}

static size_t begin_summed(uint32_t id, bool summed)
{
	size_t at = begin(id);

	if (summed) {
		put(0xBF84, 2);
		put(0, 4);
	}
	return at;
}

static uint32_t sum_of(const uint8_t *data, size_t size)
{
	return ~av_crc(av_crc_get_table(AV_CRC_32_IEEE_LE), UINT32_MAX, data, size);
}

static void end_summed(size_t at, bool summed)
{
	end(at);
	if (summed)
		AV_WL32(file + at + 2, sum_of(file + at + 6, length - at - 6));
}

struct recipe {
	uint64_t uid;      /* that the "random" ones begin with */
	bool summed;
	uint64_t duration; /* of Info */
	int cluster_size;
	uint8_t cluster_byte; /* in the middle of it */
};

static size_t info_at, track_at[2], tag_at, file_at;

static void build(const struct recipe *recipe)
{
	size_t segment, at, inner, deeper;

	length = 0;
	at = begin(0x1A45DFA3); /* EBML */
	leaf(0x4286, 1);
	end(at);
	segment = begin(0x18538067);
	info_at = begin_summed(0x1549A966, recipe->summed);
	at = begin(0x73A4);
	put(recipe->uid, 8);
	put(~recipe->uid, 8);
	end(at);
	leaf(0x4489, recipe->duration);
	end_summed(info_at, recipe->summed);
	at = begin_summed(0x1654AE6B, recipe->summed);
	for (int i = 0; i < 2; i++) {
		inner = begin(0xAE);
		leaf(0xD7, (uint64_t)i + 1);
		leaf(0x73C5, recipe->uid + 100 + (uint64_t)i);
		track_at[i] = length - 8;
		end(inner);
	}
	end_summed(at, recipe->summed);
	at = begin_summed(0x1941A469, recipe->summed);
	inner = begin(0x61A7);
	leaf(0x46AE, recipe->uid + 200);
	file_at = length - 8;
	end(inner);
	end_summed(at, recipe->summed);
	at = begin_summed(0x1254C367, recipe->summed);
	inner = begin(0x7373);
	deeper = begin(0x63C0);
	leaf(0x63C5, recipe->uid + 101); /* of the second track */
	tag_at = length - 8;
	end(deeper);
	end(inner);
	end_summed(at, recipe->summed);
	at = begin(0x1F43B675);
	memset(file + length, 7, (size_t)recipe->cluster_size);
	file[length + (size_t)recipe->cluster_size / 2] = recipe->cluster_byte;
	length += (size_t)recipe->cluster_size;
	end(at);
	end(segment);
}

static enum vrs_status rewrite(struct vrs_error *err)
{
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(file, 1, length, f), length);
	assert_int_equal(fclose(f), 0);
	enum vrs_status status = vrs_matroska_uids_set(path, err);

	f = fopen(path, "rb");
	assert_int_equal(fread(file, 1, length, f), length);
	assert_int_equal(fgetc(f), EOF);
	assert_int_equal(fclose(f), 0);
	return status;
}

static uint64_t first_track(const struct recipe *recipe)
{
	struct vrs_error err = {0};

	build(recipe);
	assert_int_equal(rewrite(&err), VRS_OK);
	return AV_RB64(file + track_at[0]);
}

static void random_identifiers_become_the_same(void **state)
{
	static uint8_t one[sizeof file];
	struct recipe recipe = {.cluster_size = 100, .duration = 5};
	struct vrs_error err = {0};
	(void)state;

	for (int summed = 0; summed < 2; summed++) {
		recipe.summed = summed;
		recipe.uid = UINT64_C(0x1122334455667788);
		build(&recipe);
		assert_int_equal(rewrite(&err), VRS_OK);
		memcpy(one, file, length);
		recipe.uid = UINT64_C(0x99AABBCCDDEEFF00);
		build(&recipe);
		assert_memory_not_equal(one, file, length);
		assert_int_equal(rewrite(&err), VRS_OK);
		assert_memory_equal(one, file, length);
		assert_int_equal(rewrite(&err), VRS_OK); /* and of the result comes the result */
		assert_memory_equal(one, file, length);
	}
}

static void names_agree_and_check_sums_are_right(void **state)
{
	const struct recipe recipe = {.uid = 77, .cluster_size = 100, .summed = true};
	uint64_t first = first_track(&recipe);
	(void)state;

	assert_true(first != 0 && first != 77 + 100);
	assert_true(AV_RB64(file + track_at[1]) != first);
	assert_true(AV_RB64(file + file_at) != first);
	assert_int_equal(AV_RB64(file + tag_at), AV_RB64(file + track_at[1]));
	size_t info_size = (size_t)(AV_RB64(file + info_at - 8) & 0xFFFFFFFF);

	assert_int_equal(AV_RL32(file + info_at + 2), sum_of(file + info_at + 6, info_size - 6));
}

static void other_content_gives_others(void **state)
{
	const struct recipe base = {.uid = 1, .cluster_size = 100};
	struct recipe other = base;
	uint64_t first = first_track(&base);
	(void)state;

	other.duration = 1;
	assert_true(first_track(&other) != first);
	other = base;
	other.cluster_byte = 1;
	assert_true(first_track(&other) != first);
	other = base;
	other.cluster_size = 101;
	assert_true(first_track(&other) != first);
}

static void lying_sizes_are_refused(void **state)
{
	static uint8_t before[sizeof file];
	const struct recipe recipe = {.uid = 1, .cluster_size = 100, .summed = true};
	struct vrs_error err = {0};
	(void)state;

	build(&recipe);
	size_t whole = length;

	for (length = 0; length < whole; length++) {
		size_t cut = length;

		build(&recipe);
		length = cut;
		memcpy(before, file, length);
		assert_int_equal(rewrite(&err), VRS_EFORMAT);
		assert_memory_equal(before, file, length);
	}
	build(&recipe);
	AV_WB64(file + track_at[0] - 8, UINT64_C(1) << 56 | 4); /* an identifier of four bytes, and junk behind it */
	assert_int_equal(rewrite(&err), VRS_EFORMAT);
	assert_int_equal(vrs_matroska_uids_set("/nowhere/x.mkv", &err), VRS_EIO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_identifiers_become_the_same),
		cmocka_unit_test(names_agree_and_check_sums_are_right),
		cmocka_unit_test(other_content_gives_others),
		cmocka_unit_test(lying_sizes_are_refused),
	};
	snprintf(path, sizeof path, "/tmp/vrs_matroska_uids.%d", (int)getpid());
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	unlink(path);
	return failed;
}
