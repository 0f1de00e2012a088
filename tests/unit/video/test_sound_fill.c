/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the time of sound where samples are counted: silence as long as each gap, in bytes that are silent in the format; packets that overlap lose
 * what has no place; time stamps that are a little off change nothing, but a clock that runs off is followed; stamps of damaged files are not.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <libavutil/channel_layout.h>

#include "video/sound_fill.h"

#define RATE 48000
#define MS (RATE / 1000)

static const AVRational milliseconds = {1, 1000};

static AVCodecParameters *sound(enum AVCodecID codec, int channels)
{
	AVCodecParameters *par = avcodec_parameters_alloc();

	par->codec_type = AVMEDIA_TYPE_AUDIO;
	par->codec_id = codec;
	par->sample_rate = RATE;
	av_channel_layout_default(&par->ch_layout, channels);
	return par;
}

static struct vrs_sound_fill fill_of(enum AVCodecID codec, int channels, const char *muxer)
{
	AVCodecParameters *par = sound(codec, channels);
	struct vrs_sound_fill fill;

	vrs_sound_fill_init(&fill, par, av_guess_format(muxer, NULL, NULL));
	avcodec_parameters_free(&par);
	return fill;
}

/* A packet of so many milliseconds; gives the samples of silence before it.  left: milliseconds of it that have a place. */
static int64_t put(struct vrs_sound_fill *fill, int64_t at_ms, int ms, int left)
{
	AVPacket *pkt = av_packet_alloc();
	int64_t missing = vrs_sound_fill_missing(fill, at_ms, milliseconds, false), end = fill->next + missing;

	while (fill->next < end) {
		assert_int_equal(vrs_sound_fill_make(fill, end - fill->next, pkt, fill->base), 0);
		av_packet_unref(pkt);
	}
	assert_int_equal(av_new_packet(pkt, ms * MS * fill->sample_bytes), 0);
	for (int i = 0; i < pkt->size; i++)
		pkt->data[i] = (uint8_t)(i / (MS * fill->sample_bytes)); /* its number of milliseconds */
	pkt->pts = pkt->dts = at_ms;
	assert_int_equal(vrs_sound_fill_place(fill, pkt, milliseconds), left > 0);
	if (left > 0) {
		assert_int_equal(pkt->size, left * MS * fill->sample_bytes);
		assert_int_equal(pkt->data[0], ms - left);
	}
	av_packet_free(&pkt);
	return missing;
}

static void silence_is_as_long_as_gaps(void **state)
{
	struct vrs_sound_fill avi = fill_of(AV_CODEC_ID_PCM_S16LE, 2, "avi"), mov = fill_of(AV_CODEC_ID_PCM_S16LE, 2, "mov");

	(void)state;
	vrs_sound_fill_begin(&avi, 40, milliseconds);
	vrs_sound_fill_begin(&mov, 40, milliseconds);
	assert_int_equal(avi.sample_bytes, 4);
	assert_int_equal(put(&avi, 640, 20, 20), 600 * MS);
	assert_int_equal(put(&mov, 640, 20, 20), 0); /* the file says when it begins */
	assert_int_equal(put(&avi, 660, 20, 20), 0);
	assert_int_equal(put(&avi, 1000, 20, 20), 320 * MS);
	assert_int_equal(put(&mov, 1000, 20, 20), 340 * MS);
	assert_int_equal(avi.next, 1020 * MS);
	assert_int_equal(mov.next, 1020 * MS);
}

static void what_has_no_place_is_cut(void **state)
{
	struct vrs_sound_fill fill = fill_of(AV_CODEC_ID_PCM_S16LE, 1, "mxf");

	(void)state;
	vrs_sound_fill_begin(&fill, 30, milliseconds);
	assert_int_equal(put(&fill, 0, 20, 0), 0);
	assert_int_equal(put(&fill, 20, 20, 10), 0); /* at first also less than a gap */
	assert_int_equal(put(&fill, 40, 20, 20), 0);
	assert_int_equal(put(&fill, 40, 30, 10), 0);
	assert_int_equal(fill.next, 70 * MS);
	assert_int_equal(fill.cut, 50 * MS);
}

static void clocks_that_run_off_are_followed(void **state)
{
	struct vrs_sound_fill fill = fill_of(AV_CODEC_ID_PCM_S16LE, 1, "mov");
	int64_t made = 0;

	(void)state;
	for (int i = 0; i < 100; i++)
		assert_int_equal(put(&fill, i * 20 + (i % 2) * 3, 20, 20), 0); /* rounded, on average */
	for (int i = 100; i < 200; i++)
		made += put(&fill, 2000 + (i - 100) * 21, 20, 20);
	assert_in_range(made, 90 * MS, 100 * MS);
}

static void each_format_has_its_silence(void **state)
{
	static const struct {
		enum AVCodecID codec;
		int bytes;
		uint8_t silence;
	} rows[] = {
		{AV_CODEC_ID_PCM_S16BE, 2, 0}, {AV_CODEC_ID_PCM_S24LE, 3, 0}, {AV_CODEC_ID_PCM_F32LE, 4, 0}, {AV_CODEC_ID_PCM_U8, 1, 0x80},
		{AV_CODEC_ID_PCM_ALAW, 1, 0xd5}, {AV_CODEC_ID_PCM_MULAW, 1, 0xff},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct vrs_sound_fill fill = fill_of(rows[i].codec, 2, "mov");
		AVPacket *pkt = av_packet_alloc();

		assert_int_equal(vrs_sound_fill_make(&fill, 10, pkt, fill.base), 0);
		assert_int_equal(pkt->size, 10 * 2 * rows[i].bytes);
		assert_int_equal(pkt->data[0], rows[i].silence);
		assert_memory_equal(pkt->data, pkt->data + 1, (size_t)pkt->size - 1);
		av_packet_free(&pkt);
	}
}

static void others_stay_as_they_are(void **state)
{
	(void)state;
	assert_int_equal(fill_of(AV_CODEC_ID_PCM_S16LE, 2, "matroska").sample_bytes, 0);
	assert_int_equal(fill_of(AV_CODEC_ID_AAC, 2, "mov").sample_bytes, 0);
	assert_int_equal(fill_of(AV_CODEC_ID_ADPCM_IMA_WAV, 2, "mov").sample_bytes, 0);
}

static void wrong_stamps_make_no_silence(void **state)
{
	struct vrs_sound_fill fill = fill_of(AV_CODEC_ID_PCM_S16LE, 2, "avi");

	(void)state;
	assert_true(vrs_sound_fill_can(&fill, INT64_C(3600) * RATE));
	assert_false(vrs_sound_fill_can(&fill, vrs_sound_fill_missing(&fill, INT64_C(1) << 50, milliseconds, false)));
	assert_int_equal(vrs_sound_fill_missing(&fill, INT64_MAX, milliseconds, false), 0);
	assert_int_equal(vrs_sound_fill_missing(&fill, AV_NOPTS_VALUE, milliseconds, true), 0);
}

/* A packet at this time; gives the packets of silence before it.  kept: it has a place. */
static int64_t put_frame(struct vrs_sound_fill *fill, int64_t at_ms, bool kept)
{
	AVPacket *pkt = av_packet_alloc();
	int64_t missing = vrs_sound_fill_missing(fill, at_ms, milliseconds, false), end = fill->next + missing;

	while (fill->next < end) {
		assert_int_equal(vrs_sound_fill_make(fill, end - fill->next, pkt, fill->base), 0);
		assert_int_equal(pkt->size, fill->silent->size);
		av_packet_unref(pkt);
	}
	assert_int_equal(av_new_packet(pkt, 100), 0);
	pkt->pts = pkt->dts = at_ms;
	assert_int_equal(vrs_sound_fill_place(fill, pkt, milliseconds), kept);
	assert_int_equal(pkt->size, 100);
	av_packet_free(&pkt);
	return missing / fill->frame;
}

static void compressed_packets_are_silent_or_cut(void **state)
{
	struct vrs_sound_fill fill = fill_of(AV_CODEC_ID_MP2, 2, "avi"); /* 24 ms each */

	(void)state;
	assert_int_equal(fill.frame, 1152);
	vrs_sound_fill_begin(&fill, 40, milliseconds);
	assert_int_equal(put_frame(&fill, 0, false), 0);
	assert_int_equal(put_frame(&fill, 24, false), 0);
	assert_int_equal(put_frame(&fill, 48, true), 0);
	assert_int_equal(put_frame(&fill, 72 + 8, true), 0); /* they are heard 8 ms early, then 16: no packet goes between */
	assert_int_equal(put_frame(&fill, 200, true), 5);
	assert_int_equal(put_frame(&fill, 224, true), 0);
	assert_int_equal(fill.next, (40 + 9 * 24) * MS);
	vrs_sound_fill_fini(&fill);
}

/* A packet that says how long it is; gives the samples that are missing before it.  kept: it has a place. */
static int64_t put_lasting(struct vrs_sound_fill *fill, int64_t at_ms, int ms, bool kept)
{
	AVPacket *pkt = av_packet_alloc();
	int64_t missing = vrs_sound_fill_missing(fill, at_ms, milliseconds, false);

	assert_false(missing > 0 && vrs_sound_fill_can(fill, missing));
	assert_int_equal(av_new_packet(pkt, 100), 0);
	pkt->pts = pkt->dts = at_ms;
	pkt->duration = ms;
	assert_int_equal(vrs_sound_fill_place(fill, pkt, milliseconds), kept);
	assert_int_equal(pkt->size, 100);
	assert_int_equal(pkt->pts, at_ms);
	av_packet_free(&pkt);
	return missing;
}

static void gaps_that_nothing_fills_are_found(void **state)
{
	AVCodecParameters *par = sound(AV_CODEC_ID_WMAV2, 2);
	struct vrs_sound_fill fill, keeping;

	(void)state;
	vrs_sound_fill_init(&keeping, par, av_guess_format("avi", NULL, NULL));
	par->block_align = 1000;
	vrs_sound_fill_init(&fill, par, av_guess_format("avi", NULL, NULL));
	avcodec_parameters_free(&par);
	vrs_sound_fill_begin(&fill, 50, milliseconds);
	vrs_sound_fill_begin(&keeping, 50, milliseconds);
	assert_int_equal(put_lasting(&fill, 0, 40, false), 0);
	assert_int_equal(put_lasting(&fill, 40, 40, true), 0);
	assert_int_equal(fill.cut, 40 * MS);
	assert_int_equal(put_lasting(&fill, 120, 40, true), 0); /* their lengths are estimates */
	assert_int_equal(put_lasting(&fill, 360, 0, true), 200 * MS);
	assert_int_equal(put_lasting(&fill, 800, 40, true), 0); /* how long the one before was nobody knows */
	assert_int_equal(put_lasting(&keeping, 0, 40, false), 0);
	assert_int_equal(put_lasting(&keeping, 500, 40, true), 0); /* of such the muxer keeps the time */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(silence_is_as_long_as_gaps), cmocka_unit_test(what_has_no_place_is_cut), cmocka_unit_test(clocks_that_run_off_are_followed),
		cmocka_unit_test(each_format_has_its_silence), cmocka_unit_test(others_stay_as_they_are), cmocka_unit_test(wrong_stamps_make_no_silence),
		cmocka_unit_test(compressed_packets_are_silent_or_cut), cmocka_unit_test(gaps_that_nothing_fills_are_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
