/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Frame times beside a result, as anybody may have changed them: no input harms, a refusal is a sentence, no figure of what was read is infinite or
 * negative, of two runs with that file either both count or none, and the frames are written and read back the same.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/record/frame_metrics.h"
#include "bench/record/frames_file.h"
#include "require.h"
#include "scratch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* All frames up to the first that is refused. */
static uint64_t copy(struct vrs_frames_reader *reader, struct vrs_frames_writer *writer)
{
	struct vrs_frame_times times;
	struct vrs_error err = {0};
	enum vrs_status status;

	while ((status = vrs_frames_reader_next(reader, &times, &err)) == VRS_OK)
		vrs_frames_writer_add(writer, &times);
	require(status == VRS_END || err.text[0] != '\0');
	return writer->count;
}

static void check_copy(struct vrs_frames_reader *reader)
{
	struct vrs_frames_writer writer;
	struct vrs_frames_reader again;
	struct vrs_frame_times a, b;
	uint64_t count;

	require(vrs_frames_writer_open(&writer, "", NULL) == VRS_OK);
	count = copy(reader, &writer);
	require(vrs_frames_reader_of_writer(&again, &writer, NULL) == VRS_OK && again.count == count);
	require(vrs_frames_reader_rewind(reader, NULL) == VRS_OK);
	for (uint64_t i = 0; i < count; i++) {
		require(vrs_frames_reader_next(reader, &a, NULL) == VRS_OK && vrs_frames_reader_next(&again, &b, NULL) == VRS_OK);
		require(a.index == b.index && a.intended_ns == b.intended_ns);
		require(memcmp(a.start_ns, b.start_ns, sizeof a.start_ns) == 0 && memcmp(a.end_ns, b.end_ns, sizeof a.end_ns) == 0);
	}
	vrs_frames_reader_close(&again);
	vrs_frames_writer_discard(&writer);
}

static bool is_time(double value)
{
	return isnan(value) || (value >= 0 && !isinf(value));
}

static void check_metrics(struct vrs_frames_reader *reader, double hz)
{
	static struct vrs_run run;
	struct vrs_error err = {0};
	const struct vrs_live_goal goal = {.hz = hz, .deadline_ms = 20};

	memset(&run, 0, sizeof run);
	require(vrs_frames_reader_rewind(reader, NULL) == VRS_OK);
	if (vrs_frame_metrics(reader, &goal, &run, &err) != VRS_OK)
		require(err.text[0] != '\0');
	else
		require(run.frames >= 1 && is_time(run.wall_seconds) && is_time(run.frame_median_ms));
}

/* The same file as that of two runs: intervals of both, or of none. */
static void check_pool(void)
{
	struct vrs_frame_pool pool;
	struct vrs_result *result;

	require(vrs_result_create(&result) == VRS_OK);
	struct vrs_case_result *c = vrs_result_add_case(result);

	for (int i = 0; i < 2; i++) {
		struct vrs_run *run = vrs_case_result_add_run(c);

		run->status = VRS_RUN_OK;
		(void)snprintf(run->frames_file, sizeof run->frames_file, "frames.bin");
	}
	require(vrs_frame_pool_load(&pool, c, scratch_folder) == VRS_OK && pool.count >= 0 && pool.count <= VRS_FRAME_POOL_MAX);
	require(pool.cut || pool.count % 2 == 0);
	for (long i = 0; i < pool.count; i++)
		require(pool.interval_ms[i] >= 0 && !isinf(pool.interval_ms[i]));
	vrs_frame_pool_fini(&pool);
	vrs_result_destroy(result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vrs_frames_reader reader;
	struct vrs_error err = {0};
	char path[256];

	scratch_write(scratch_path(path, sizeof path, "frames.bin"), data, size);
	check_pool();
	if (vrs_frames_reader_open(&reader, path, &err) != VRS_OK) {
		require(err.text[0] != '\0');
		return 0;
	}
	check_copy(&reader);
	check_metrics(&reader, 0);
	check_metrics(&reader, 60);
	vrs_frames_reader_close(&reader);
	return 0;
}
