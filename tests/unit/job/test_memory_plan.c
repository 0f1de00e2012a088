/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards the memory plan: every knob takes memory, they are lowered in the stated order and never where the user has chosen, a refusal says what is
 * needed and what would fit, and what a job may use is the tightest of RAM, control group and the limits of the process.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include <vrseg/memory_plan.h>

#include "video/codec_memory.h"

#define MIB (UINT64_C(1) << 20)

/* A 4K video of 4:2:0, encoded by x264. */
static struct vrs_memory_work work_4k(void)
{
	return (struct vrs_memory_work){.codec = "h264", .references = 6, .frame_bytes = 11059200, .output_width = 3840, .output_height = 1920,
		.output_bytes = 11059200, .encoder = "libx264", .preset = "veryfast", .eyes = 2, .cpus = 2, .net_threads = 1, .weight_bytes = MIB,
		.input_bytes = 2 * MIB, .knob = {4, 8, 2, 4, 8}};
}

static void every_knob_takes_memory(void **state)
{
	(void)state;
	for (int i = 0; i < VRS_KNOBS; i++) {
		struct vrs_memory_work work = work_4k();
		uint64_t before = vrs_memory_plan_make(&work).bytes;
		work.knob[i] /= 2;
		assert_true(vrs_memory_plan_make(&work).bytes < before);
	}
	struct vrs_memory_work work = work_4k();
	struct vrs_memory_plan plan = vrs_memory_plan_make(&work);
	struct vrs_memory_work recurrent = work;
	recurrent.state_bytes = 10 * MIB; /* of each stream, of which there are 4, in 2 processes */
	assert_int_equal(vrs_memory_plan_make(&recurrent).part[VRS_MEMORY_NETWORK], plan.part[VRS_MEMORY_NETWORK] + 80 * MIB);
	uint64_t sum = 0;
	for (int i = 0; i < VRS_MEMORY_PARTS; i++)
		sum += plan.part[i];
	assert_int_equal(sum, plan.bytes);
}

/* With ever less room: what was lowered at one size stays lowered at the next, and nothing begins before all before it are at 1. */
static void lowered_in_order(void **state)
{
	(void)state;
	struct vrs_memory_work work = work_4k();
	char text[200];
	bool lowered[VRS_KNOBS] = {false};
	for (uint64_t room = vrs_memory_plan_make(&work).bytes; room > 0; room -= 16 * MIB) {
		struct vrs_memory_work tried = work_4k();
		const struct vrs_memory_room limit = {.bytes = room, .reason = "test"};
		if (vrs_memory_fit(&tried, &limit, text, sizeof text, NULL))
			break;
		assert_true(vrs_memory_plan_make(&tried).bytes <= room);
		for (int i = 0; i < VRS_KNOBS; i++) {
			lowered[i] = lowered[i] || tried.knob[i] < work.knob[i];
			for (int before = 0; before < i && tried.knob[i] < work.knob[i]; before++)
				assert_int_equal(tried.knob[before], 1);
		}
	}
	for (int i = 0; i < VRS_KNOBS; i++)
		assert_true(lowered[i]);
}

static void own_choices_stay(void **state)
{
	(void)state;
	struct vrs_memory_work work = work_4k(), least = work_4k();
	struct vrs_error err = {0};
	char text[200];
	work.fixed[VRS_KNOB_DECODE] = true;
	for (int i = 0; i < VRS_KNOBS; i++)
		least.knob[i] = 1;
	const struct vrs_memory_room room = {.bytes = vrs_memory_plan_make(&least).bytes, .reason = "the test's limit"};
	assert_int_equal(vrs_memory_fit(&work, &room, text, sizeof text, &err), VRS_ELIMIT);
	assert_int_equal(work.knob[VRS_KNOB_DECODE], 8);
	assert_non_null(strstr(err.text, "it fits with --decode-workers 1"));
	assert_non_null(strstr(err.text, "the test's limit"));
	work.fixed[VRS_KNOB_DECODE] = false;
	assert_int_equal(vrs_memory_fit(&work, &room, text, sizeof text, &err), VRS_OK);
	assert_non_null(strstr(text, "decoder threads 8 to 1"));
}

/* The figure of a refusal is enough. */
static void refusal_says_what_is_needed(void **state)
{
	(void)state;
	struct vrs_memory_work work = work_4k();
	struct vrs_error err = {0};
	char text[200];
	unsigned long long need = 0;
	struct vrs_memory_room room = {.bytes = 500 * MIB, .reason = "the test's limit"};
	assert_int_equal(vrs_memory_fit(&work, &room, text, sizeof text, &err), VRS_ELIMIT);
	assert_non_null(strstr(err.text, "it fits with --preset ultrafast"));
	assert_int_equal(sscanf(err.text, "the job needs at least %llu MiB", &need), 1);
	room.bytes = need * MIB;
	work = work_4k();
	assert_int_equal(vrs_memory_fit(&work, &room, text, sizeof text, &err), VRS_OK);
	room = (struct vrs_memory_room){.address_bytes = 600 * MIB, .address_limit = "RLIMIT_AS"};
	assert_int_equal(vrs_memory_fit(&work, &room, text, sizeof text, &err), VRS_ELIMIT);
	assert_non_null(strstr(err.text, "RLIMIT_AS"));
	assert_int_equal(sscanf(err.text, "the job needs at least %llu MiB", &need), 1);
	room.address_bytes = need * MIB;
	assert_int_equal(vrs_memory_fit(&work, &room, text, sizeof text, &err), VRS_OK);
}

static void room_is_the_tightest(void **state)
{
	(void)state;
	struct vrs_machine machine = {.memory_bytes = 8192 * MIB, .memory_available_bytes = 8000 * MIB};
	struct vrs_memory_room room = vrs_memory_room(&machine, 0.5);
	assert_int_equal(room.bytes, 4096 * MIB);
	assert_string_equal(room.reason, "50 % of the 8192 MiB of RAM");
	machine.memory_limit_bytes = 1000 * MIB;
	machine.memory_available_bytes = 1000 * MIB;
	assert_int_equal(vrs_memory_room(&machine, 0.9).bytes, 900 * MIB);
	assert_string_equal(vrs_memory_room(&machine, 0.9).reason, "90 % of the 1000 MiB of the control group");
	machine.memory_available_bytes = 100 * MIB; /* others in the group have the rest; what we have ourselves counts as there */
	room = vrs_memory_room(&machine, 0.9);
	assert_true(room.bytes > 100 * MIB && room.bytes < 400 * MIB);
	assert_non_null(strstr(room.reason, "what is free"));
	struct rlimit old, limit;
	assert_int_equal(getrlimit(RLIMIT_DATA, &old), 0);
	limit = old;
	limit.rlim_cur = 90 * MIB;
	assert_int_equal(setrlimit(RLIMIT_DATA, &limit), 0);
	room = vrs_memory_room(&machine, 0.9);
	assert_int_equal(setrlimit(RLIMIT_DATA, &old), 0);
	assert_int_equal(room.address_bytes, 90 * MIB);
	assert_non_null(strstr(room.address_limit, "RLIMIT_DATA"));
	assert_int_equal(vrs_memory_room(&(struct vrs_machine){0}, 0.9).bytes, 0); /* nothing is known: nothing is refused */
}

static void what_is_left(void **state)
{
	const struct vrs_memory_plan none = {0}, plan = {.bytes = 300, .address_bytes = 700};
	const struct {
		struct vrs_memory_room room;
		uint64_t left;
	} rows[] = {{{0}, UINT64_MAX}, {{.bytes = 450}, 150}, {{.bytes = 300}, 0}, {{.bytes = 200}, 0}, {{.address_bytes = 750}, 50},
		    {{.address_bytes = 700}, 0}, {{.address_bytes = 600, .bytes = 400}, 0}, {{.address_bytes = 1000, .bytes = 400}, 100}};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		assert_int_equal(vrs_memory_left(&plan, &rows[i].room), rows[i].left);
		assert_int_equal(vrs_memory_left(&none, &rows[i].room), UINT64_MAX);
	}
}

static void queues_are_bounded(void **state)
{
	(void)state;
	assert_int_equal(vrs_memory_queue(11059200, 4), 4);
	assert_int_equal(vrs_memory_queue(11059200, 100), 6);
	assert_int_equal(vrs_memory_queue(44236800, 4), 1);
	assert_int_equal(vrs_memory_queue(UINT64_C(1) << 30, 4), 1);
}

/* ISO 14496-10, A.3.1: four frames of 1920x1080 at level 4; ISO 23008-2, A.4.2: six at the largest size of a level, 16 at a quarter of it. */
static void references_follow_levels(void **state)
{
	(void)state;
	assert_int_equal(vrs_decoder_references("h264", 1920, 1080, 40), 4);
	assert_int_equal(vrs_decoder_references("h264", 3840, 1920, 51), 6);
	assert_int_equal(vrs_decoder_references("h264", 640, 480, 51), 16);
	assert_int_equal(vrs_decoder_references("h264", 1920, 1080, -99), 16);
	assert_int_equal(vrs_decoder_references("hevc", 3840, 2160, 150), 6);
	assert_int_equal(vrs_decoder_references("hevc", 1920, 1080, 150), 16);
	assert_int_equal(vrs_decoder_references("vp9", 3840, 2160, 0), 8);
	assert_int_equal(vrs_decoder_references("prores", 3840, 2160, 0), 0);
}

/* libx264 looks ahead in the smaller ones alone, and the plan goes by the same size. */
static void small_pictures_are_looked_ahead_in(void **state)
{
	(void)state;
	struct vrs_encoder_work small = {.encoder = "libx264", .preset = "veryfast", .width = 5760, .height = 2880, .frame_bytes = 24883200, .cpus = 2};
	struct vrs_encoder_work large = small;
	large.frame_bytes *= 2;
	assert_true(vrs_x264_looks_ahead(small.frame_bytes) && !vrs_x264_looks_ahead(large.frame_bytes));
	assert_true(vrs_encoder_memory(&small) > 2 * vrs_encoder_memory(&large));
}

/* A background is there with all else; the picture of --exclude goes before frames are worked on, and counts where it takes more than these. */
static void files_beside_the_input(void **state)
{
	(void)state;
	struct vrs_memory_work work = work_4k(), still, video, exclude, small;
	work.knob[VRS_KNOB_PROCESSES] = 1;
	still = video = exclude = small = work;
	uint64_t bytes = vrs_memory_plan_make(&work).bytes;
	still.background = (struct vrs_memory_file){.frame_bytes = 500 * MIB, .references = 2, .is_still = true, .converted = true};
	assert_true(vrs_memory_plan_make(&still).bytes > bytes + 1000 * MIB && vrs_memory_plan_make(&still).bytes < bytes + 1100 * MIB);
	video.background = (struct vrs_memory_file){.frame_bytes = 500 * MIB, .references = 2};
	assert_true(vrs_memory_plan_make(&video).bytes > bytes + (2 + 1 + 2 * 8 + 2) * 500 * MIB);
	exclude.exclude = still.background;
	assert_true(vrs_memory_plan_make(&exclude).bytes < bytes + 1000 * MIB);
	exclude.exclude.frame_bytes *= 10;
	assert_true(vrs_memory_plan_make(&exclude).bytes > bytes + 8000 * MIB);
	small.exclude = (struct vrs_memory_file){.frame_bytes = MIB, .is_still = true};
	assert_int_equal(vrs_memory_plan_make(&small).bytes, bytes);
}

/* A conversion holds what it makes, and RGB in between where the matrix becomes another one; the container may save it. */
static void encoders_convert(void **state)
{
	(void)state;
	const struct vrs_picture_format full = {.width = 512, .height = 256, .planes = 3, .chroma_shift_x = 1, .chroma_shift_y = 1, .bit_depth = 8,
		.matrix = VRS_MATRIX_BT709, .range = VRS_RANGE_FULL};
	const uint64_t luma = UINT64_C(512) * 256, picture = luma * 3 / 2;
	uint64_t converter;
	assert_int_equal(vrs_encoder_frame_bytes("ffv1", "a/b.mkv", &full, &converter), picture);
	assert_int_equal(converter, 0);
	assert_int_equal(vrs_encoder_frame_bytes("ffv1", "a/b.avi", &full, &converter), picture);
	assert_int_equal(converter, picture);
	assert_int_equal(vrs_encoder_frame_bytes("mjpeg", "a/b.mkv", &full, &converter), picture);
	assert_int_equal(converter, picture + 4 * luma);
	assert_int_equal(vrs_encoder_frame_bytes("tiff", "b_%d.tif", &full, &converter), 3 * luma);
	assert_int_equal(converter, 3 * luma);
	assert_int_equal(vrs_encoder_frame_bytes("nosuch", "b.mkv", &full, &converter), 0);
	assert_int_equal(converter, 0);
}

/* Of one picture alone each stage holds one; encoders of general kind count with the format that they take. */
static void one_picture_alone(void **state)
{
	(void)state;
	struct vrs_memory_work many = work_4k(), one;
	snprintf(many.encoder, sizeof many.encoder, "mjpeg");
	many.encoder_bytes = many.output_bytes;
	many.knob[VRS_KNOB_PROCESSES] = 1;
	one = many;
	one.pictures = 1;
	struct vrs_memory_plan plan = vrs_memory_plan_make(&one), full = vrs_memory_plan_make(&many);
	assert_true(plan.part[VRS_MEMORY_DECODER] < one.frame_bytes + 9 * MIB);
	assert_int_equal(plan.part[VRS_MEMORY_FRAMES], one.frame_bytes + one.output_bytes);
	assert_int_equal(plan.part[VRS_MEMORY_ENCODER], 4 * one.output_bytes);
	assert_int_equal(full.part[VRS_MEMORY_ENCODER], 13 * one.output_bytes);
	one.converted = true;
	assert_int_equal(vrs_memory_plan_make(&one).bytes, plan.bytes + one.frame_bytes);
	many.encoder_bytes = 2 * many.output_bytes;
	assert_int_equal(vrs_memory_plan_make(&many).part[VRS_MEMORY_ENCODER], 2 * full.part[VRS_MEMORY_ENCODER]);
	many.converter_bytes = 7 * MIB;
	assert_int_equal(vrs_memory_plan_make(&many).part[VRS_MEMORY_ENCODER], 2 * full.part[VRS_MEMORY_ENCODER] + 7 * MIB);
	/* Threads that share a picture hold no more of them. */
	snprintf(many.encoder, sizeof many.encoder, "mpeg2video");
	many.cpus = 2;
	uint64_t few = vrs_memory_plan_make(&many).part[VRS_MEMORY_ENCODER];
	many.cpus = 64;
	assert_int_equal(vrs_memory_plan_make(&many).part[VRS_MEMORY_ENCODER], few);
	snprintf(many.encoder, sizeof many.encoder, "mjpeg");
	assert_true(vrs_memory_plan_make(&many).part[VRS_MEMORY_ENCODER] > 4 * few);
	assert_true(vrs_decoder_memory(0, 3, 0, 10 * MIB) < vrs_decoder_memory(2, 3, 0, 10 * MIB));
	assert_int_equal(vrs_decoder_references("mjpeg", 3840, 2160, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_knob_takes_memory), cmocka_unit_test(lowered_in_order), cmocka_unit_test(own_choices_stay),
		cmocka_unit_test(refusal_says_what_is_needed), cmocka_unit_test(room_is_the_tightest), cmocka_unit_test(what_is_left),
		cmocka_unit_test(queues_are_bounded), cmocka_unit_test(references_follow_levels),
		cmocka_unit_test(small_pictures_are_looked_ahead_in), cmocka_unit_test(files_beside_the_input),
		cmocka_unit_test(encoders_convert), cmocka_unit_test(one_picture_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
