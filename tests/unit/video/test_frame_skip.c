/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards decoding less than all: every frame that still comes is, sample by sample, the one that a complete decoding has at its time; the others are
 * counted, also across jumps, returns and the end of the film.  A jump ends as well where the sender begins anew, with times that may never get to
 * where it was to end.
 */
#include "media.h"

#include "base/hash.h"
#include "video/frame_skip.h"

#define FRAMES 520 /* with x264's defaults key frames are 0, 250 and 500, and there are B-frames */

struct film {
	int64_t pts[FRAMES];
	uint64_t hash[FRAMES];
	int count;
};

static uint64_t hash_of(const struct vrs_frame *frame)
{
	uint64_t hash = VRS_HASH_INIT;
	for (int y = 0; y < frame->format.height; y++)
		hash = vrs_hash(hash, frame->data[0] + y * frame->stride_bytes[0], (size_t)frame->format.width);
	return hash;
}

static struct vrs_source *open_clip(const char *clip)
{
	struct vrs_source *source = NULL;
	struct vrs_error err = {0};
	const struct vrs_source_options options = {.threads = 2};
	if (vrs_source_open(&source, clip, &options, &err))
		fail_msg("%s", err.text);
	return source;
}

static bool read_into(struct vrs_source *source, struct film *film)
{
	struct vrs_frame frame;
	struct vrs_error err = {0};
	enum vrs_status status = vrs_source_read(source, &frame, &err);
	if (status == VRS_END)
		return false;
	assert_int_equal(status, VRS_OK);
	assert_in_range(film->count, 0, FRAMES - 1);
	film->pts[film->count] = frame.pts;
	film->hash[film->count++] = hash_of(&frame);
	vrs_frame_unref(&frame);
	return true;
}

static void assert_part_of(const struct film *part, const struct film *whole)
{
	for (int i = 0, k = 0; i < part->count; i++) {
		while (k < whole->count && whole->pts[k] < part->pts[i])
			k++;
		assert_in_range(k, 0, whole->count - 1);
		assert_int_equal(part->pts[i], whole->pts[k]);
		assert_int_equal(part->hash[i], whole->hash[k]);
	}
}

static void read_whole(const char *clip, struct film *whole)
{
	struct vrs_source *source = open_clip(clip);
	while (read_into(source, whole))
		;
	assert_int_equal(whole->count, FRAMES);
	assert_int_equal(vrs_source_skipped(source), 0);
	vrs_source_close(source);
}

static void check_unreferenced(const char *clip)
{
	static struct film whole, part;
	memset(&whole, 0, sizeof whole);
	memset(&part, 0, sizeof part);
	read_whole(clip, &whole);
	struct vrs_source *source = open_clip(clip);
	for (int i = 0; i < 20; i++)
		assert_true(read_into(source, &part));
	vrs_source_skip_unreferenced(source, true);
	for (int i = 0; i < 20; i++)
		assert_true(read_into(source, &part));
	uint64_t half = vrs_source_skipped(source);
	assert_in_range(half, 10, 60);
	vrs_source_skip_unreferenced(source, false);
	while (read_into(source, &part))
		;
	assert_part_of(&part, &whole);
	assert_true(vrs_source_skipped(source) >= half);
	assert_int_equal(part.count + (int)vrs_source_skipped(source), FRAMES);
	vrs_source_close(source);
}

static void check_jump(const char *clip)
{
	static struct film whole, part;
	memset(&whole, 0, sizeof whole);
	memset(&part, 0, sizeof part);
	read_whole(clip, &whole);
	struct vrs_source *source = open_clip(clip);
	for (int i = 0; i < 10; i++)
		assert_true(read_into(source, &part));
	assert_true(vrs_source_jump(source, whole.pts[60] - whole.pts[9])); /* to the key frame after that */
	assert_true(read_into(source, &part));
	assert_int_equal(part.pts[10], whole.pts[250]);
	assert_int_equal(vrs_source_skipped(source), 240);
	vrs_source_skip_unreferenced(source, true);
	for (int i = 0; i < 5; i++)
		assert_true(read_into(source, &part));
	assert_true(vrs_source_jump(source, whole.pts[FRAMES - 1])); /* there is none: the film ends there */
	while (read_into(source, &part))
		;
	assert_part_of(&part, &whole);
	assert_int_equal(part.count + (int)vrs_source_skipped(source), FRAMES);
	vrs_source_close(source);
}

static void what_comes_is_right(void **state)
{
	static const char *const names[] = {"skip.mp4", "skip.mkv", "skip.ts"};
	struct vrs_picture_format format = media_format(96, 64, 3, 1, 1, 8);
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		struct vrs_sink_options options = media_options(&format, "libx264");
		const char *clip = media_path(names[i]);
		media_write(clip, &options, FRAMES);
		check_unreferenced(clip);
		check_jump(clip);
	}
}

static bool left_out(struct vrs_frame_skip *skip, AVCodecContext *decoder, int64_t pts, bool key)
{
	AVPacket *packet = av_packet_alloc();
	assert_non_null(packet);
	packet->pts = pts;
	packet->flags = key ? AV_PKT_FLAG_KEY : 0;
	bool out = vrs_frame_skip_packet(skip, decoder, packet);
	av_packet_free(&packet);
	return out;
}

static void a_clock_begins_anew(void **state)
{
	AVCodecContext *decoder = avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_H264));
	(void)state;
	assert_non_null(decoder);
	assert_int_equal(avcodec_open2(decoder, NULL, NULL), 0);
	for (int64_t anew = 0; anew <= 90000; anew += 90000) { /* from 0 on, and where the last frame was */
		struct vrs_frame_skip skip = {0};
		vrs_frame_skip_jump(&skip, 90000, 270000);
		assert_true(left_out(&skip, decoder, 93600, false));
		assert_true(left_out(&skip, decoder, 97200, true));
		assert_true(left_out(&skip, decoder, 95400, false));
		assert_true(left_out(&skip, decoder, anew, false)); /* nothing to begin with */
		assert_false(left_out(&skip, decoder, anew, true));
		assert_false(left_out(&skip, decoder, anew + 3600, false));
		assert_int_equal(vrs_frame_skip_count(&skip), 4);
	}
	avcodec_free_context(&decoder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_comes_is_right),
		cmocka_unit_test(a_clock_begins_anew),
	};
	return cmocka_run_group_tests(tests, media_setup, media_teardown);
}
