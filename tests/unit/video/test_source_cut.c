/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards --start and --duration at the source: the first frame is the first one at or after the start, whatever the container (with and without an
 * index) and wherever the key frames lie; the last lies before the end; times count from the start; a rewind begins there again.
 */
#include "media.h"

#define FRAMES 520 /* more than two groups of pictures of x264's default */
#define STEP 0.04

static const struct {
	const char *name, *encoder;
} containers[] = {{"mp4", "libx264"}, {"mkv", "libx264"}, {"ts", "libx264"}, {"avi", "mpeg4"}, {"ts", "mpeg2video"}};

/* The pattern's index of a picture after lossy coding: the one that differs least. */
static int recognise(const struct vrs_frame *frame, int near)
{
	int best = -1, least = 1 << 30;

	for (int i = near - 5; i <= near + 5; i++) {
		int sum = 0;

		for (int y = 0; y < frame->format.height; y += 3)
			for (int x = 0; x < frame->format.width; x += 3)
				sum += abs((int)media_at(frame, 0, x, y) - (int)media_sample(0, x, y, i, 8));
		if (sum < least) {
			least = sum;
			best = i;
		}
	}
	return best;
}

static double seconds_of(const struct vrs_source *source, int64_t units)
{
	const struct vrs_source_info *info = vrs_source_info(source);

	return (double)units * info->time_base_num / info->time_base_den;
}

static void check_cut(const char *path, double start, double duration)
{
	const struct vrs_source_options options = {.threads = 2, .start_seconds = start, .duration_seconds = duration};
	int first = (int)((start + STEP - 1e-4) / STEP), end = duration > 0 ? (int)((start + duration + STEP - 1e-4) / STEP) : FRAMES;
	struct vrs_error err = {0};
	struct vrs_source *source;

	end = end > FRAMES ? FRAMES : end;
	if (vrs_source_open(&source, path, &options, &err))
		fail_msg("%s", err.text);
	for (int loop = 0; loop < 2; loop++) {
		enum vrs_status status;
		struct vrs_frame frame;
		int index = first;

		while ((status = vrs_source_read(source, &frame, &err)) == VRS_OK) {
			/* In AVI time stamps are whole frames: the clock begins with the first one. */
			double at = seconds_of(source, frame.pts), want = strstr(path, ".avi") ? (index - first) * STEP : index * STEP - start;

			if (recognise(&frame, index) != index || at < want - 0.002 || at > want + 0.002)
				fail_msg("%s from %g: frame %d is %d, at %g", path, start, index, recognise(&frame, index), at);
			vrs_frame_unref(&frame);
			index++;
		}
		if (status != VRS_END || index != end)
			fail_msg("%s from %g for %g: ends at frame %d, not %d (%s)", path, start, duration, index, end, err.text);
		/* an estimate where there is no index */
		if (llabs(vrs_source_info(source)->frames - (end - first)) > 3)
			fail_msg("%s from %g for %g: %lld frames told, %d delivered", path, start, duration,
				 (long long)vrs_source_info(source)->frames, end - first);
		assert_int_equal(vrs_source_rewind(source, &err), VRS_OK);
	}
	vrs_source_close(source);
}

static void cuts_are_exact_in_every_container(void **state)
{
	static const double starts[] = {0, 0.04, 0.05, 9.98, 10, 10.04, 19.6};
	struct vrs_picture_format format = media_format(64, 48, 3, 1, 1, 8);

	(void)state;
	for (size_t c = 0; c < sizeof containers / sizeof containers[0]; c++) {
		struct vrs_sink_options options = media_options(&format, containers[c].encoder);
		char name[32];
		const char *path;

		snprintf(name, sizeof name, "%s.%s", containers[c].encoder, containers[c].name);
		path = media_path(name);
		media_write(path, &options, FRAMES);
		for (size_t s = 0; s < sizeof starts / sizeof starts[0]; s++)
			check_cut(path, starts[s], s % 2 ? 0.4 : s == 0 ? 1.0 : 0.41);
		check_cut(path, 20.5, 0);
		check_cut(path, 20.5, 3600);
	}
}

static void a_start_behind_the_end_is_an_error(void **state)
{
	struct vrs_picture_format format = media_format(64, 48, 3, 1, 1, 8);
	struct vrs_sink_options options = media_options(&format, "libx264");
	const struct vrs_source_options late = {.threads = 1, .start_seconds = 2}, wrong = {.duration_seconds = -1};
	struct vrs_error err = {0};
	struct vrs_source *source;
	const char *path = media_path("short.mp4");

	(void)state;
	media_write(path, &options, 10);
	assert_int_equal(vrs_source_open(&source, path, &late, &err), VRS_EFORMAT);
	assert_int_equal(vrs_source_open(&source, path, &wrong, &err), VRS_EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cuts_are_exact_in_every_container),
		cmocka_unit_test(a_start_behind_the_end_is_an_error),
	};
	return cmocka_run_group_tests(tests, media_setup, media_teardown);
}
