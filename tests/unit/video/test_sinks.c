/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards the small sinks: null, hash, y4m and pictures. */
#include "media.h"

#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>

#include "base/hash.h"

static int start_empty(void **state)
{
	(void)state;
	media_files(true);
	return 0;
}

static void null_takes_everything(void **state)
{
	struct vrs_picture_format format = media_format(33, 17, 3, 1, 1, 10);
	struct vrs_sink_options options = media_options(&format, "no such encoder");

	(void)state;
	media_write("null:", &options, 3);
	assert_true(vrs_sink_is_virtual("null:"));
	assert_true(vrs_sink_is_virtual("hash:a"));
	assert_false(vrs_sink_is_virtual("null:x.mp4") || vrs_sink_is_virtual("y4m:-") || vrs_sink_is_virtual("a.mp4") ||
		     vrs_sink_is_virtual("a.png"));
	assert_int_equal(media_files(false), 0);
}

static void read_text(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "r");
	size_t n;

	assert_non_null(file);
	n = fread(text, 1, size - 1, file);
	text[n] = '\0';
	fclose(file);
}

/* The hash is that of the visible samples: stride and padding do not matter, any sample does. */
static void hash_of_visible_samples(void **state)
{
	struct vrs_picture_format format = media_format(33, 17, 3, 1, 1, 8);
	struct vrs_sink_options options = media_options(&format, NULL);
	char target[PATH_MAX + 300], text[400], want[400];
	struct vrs_frame frame;
	struct vrs_sink *sink;
	uint64_t hash[3];

	(void)state;
	snprintf(target, sizeof target, "hash:%s", media_path("h.txt"));
	assert_int_equal(vrs_sink_open(&sink, target, &options, NULL, NULL), VRS_OK);
	for (int i = 0; i < 3; i++) {
		frame = media_frame(&format, 0, i * 40);
		frame.index = i;
		if (i == 1) /* padding */
			memset(frame.data[0] + 33, 0xee, (size_t)frame.stride_bytes[0] - 33);
		if (i == 2) /* the last sample of the last plane */
			frame.data[2][8 * frame.stride_bytes[2] + 16] ^= 1;
		hash[i] = VRS_HASH_INIT;
		for (int p = 0; p < 3; p++)
			for (int y = 0; y < (p ? 9 : 17); y++)
				hash[i] = vrs_hash(hash[i], frame.data[p] + y * frame.stride_bytes[p], p ? 17 : 33);
		assert_int_equal(vrs_sink_write(sink, &frame, NULL), VRS_OK);
	}
	assert_false(vrs_path_exists(media_path("h.txt")));
	assert_int_equal(vrs_sink_finish(sink, NULL), VRS_OK);
	vrs_sink_close(sink);
	assert_true(hash[0] == hash[1] && hash[0] != hash[2]);
	snprintf(want, sizeof want, "0 0 %016llx\n1 40 %016llx\n2 80 %016llx\n", (unsigned long long)hash[0], (unsigned long long)hash[1],
		 (unsigned long long)hash[2]);
	read_text(media_path("h.txt"), text, sizeof text);
	assert_string_equal(text, want);
	assert_int_equal(vrs_sink_open(&sink, target, &options, NULL, NULL), VRS_EEXIST);
	options.overwrite = true;
	assert_int_equal(vrs_sink_open(&sink, target, &options, NULL, NULL), VRS_OK);
	vrs_sink_close(sink);
	read_text(media_path("h.txt"), text, sizeof text);
	assert_string_equal(text, want); /* not finished: the old one stays */
	assert_int_equal(media_files(false), 1);
}

static void y4m_is_exact(void **state)
{
	static const int formats[][4] = {{3, 1, 1, 8}, {3, 1, 0, 8}, {3, 0, 0, 8}, {1, 0, 0, 8}, {3, 1, 1, 10}, {3, 0, 0, 12}};

	(void)state;
	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
		struct vrs_picture_format format = media_format(formats[i][3] > 8 ? 66 : 67, 35, formats[i][0], formats[i][1], formats[i][2], formats[i][3]);
		struct vrs_sink_options options = media_options(&format, NULL);
		char target[PATH_MAX + 300];
		struct vrs_source *source;
		struct vrs_frame frame;

		options.overwrite = true;
		snprintf(target, sizeof target, i & 1 ? "%s" : "y4m:%s", media_path("a.y4m"));
		media_write(target, &options, 3);
		source = media_open(media_path("a.y4m"));
		assert_int_equal(vrs_source_info(source)->fps_num, 25 * vrs_source_info(source)->fps_den);
		assert_int_equal(vrs_source_info(source)->format.bit_depth, formats[i][3]);
		for (int k = 0; k < 3; k++) {
			assert_int_equal(vrs_source_read(source, &frame, NULL), VRS_OK);
			assert_int_equal(media_difference(&frame, k), 0);
			vrs_frame_unref(&frame);
		}
		assert_int_equal(vrs_source_read(source, &frame, NULL), VRS_END);
		vrs_source_close(source);
	}
	assert_int_equal(media_files(false), 1);
}

static void y4m_refuses_what_it_cannot_say(void **state)
{
	struct vrs_picture_format alpha = media_format(64, 32, 4, 1, 1, 8), tall = media_format(64, 32, 3, 0, 1, 8);
	struct vrs_picture_format odd = media_format(67, 32, 3, 1, 1, 10);
	struct vrs_sink_options options = media_options(&alpha, NULL);
	struct vrs_error err = {0};
	struct vrs_sink *sink;

	(void)state;
	assert_int_equal(vrs_sink_open(&sink, media_path("a.y4m"), &options, NULL, &err), VRS_ECONFIG);
	assert_non_null(strstr(err.text, "alpha"));
	options.format = tall;
	assert_int_equal(vrs_sink_open(&sink, media_path("a.y4m"), &options, NULL, &err), VRS_ECONFIG);
	options.format = odd;
	assert_int_equal(vrs_sink_open(&sink, media_path("a.y4m"), &options, NULL, &err), VRS_ECONFIG);
	assert_int_equal(media_files(false), 0);
}

/* Into a pipe: the header comes first, then all bytes of all frames. */
static void y4m_to_standard_output(void **state)
{
	struct vrs_picture_format format = media_format(64, 32, 3, 1, 1, 8);
	struct vrs_sink_options options = media_options(&format, NULL);
	int saved, file = open(media_path("out"), O_RDWR | O_CREAT, 0600);
	const size_t frame_bytes = strlen("FRAME\n") + 64 * 32 * 3 / 2;
	struct vrs_buf buf;

	(void)state;
	fflush(stdout);
	saved = dup(STDOUT_FILENO);
	dup2(file, STDOUT_FILENO);
	media_write("y4m:-", &options, 4);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(file);
	assert_int_equal(vrs_file_read(media_path("out"), 1 << 20, &buf, NULL), VRS_OK);
	assert_int_equal(strncmp(buf.data, "YUV4MPEG2 W64 H32 F25:1 ", 24), 0);
	assert_int_equal(buf.len, strcspn(buf.data, "\n") + 1 + 4 * frame_bytes);
	vrs_buf_fini(&buf);
}

/* BT.709 limited range to RGB and back: a flat colour survives within rounding. */
static void pictures(void **state)
{
	static const char *const names[] = {"p.png", "p.PNG", "p.jpg", "p.bmp", "p.tiff"};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		struct vrs_picture_format format = media_format(1280, 720, 3, 1, 1, 8);
		struct vrs_sink_options options = media_options(&format, "libx264");
		static const int want[3] = {120, 100, 150};
		struct vrs_source *source;
		struct vrs_sink *sink;
		struct vrs_frame frame;

		options.preset = "veryfast";
		options.crf = 20; /* defaults of a video encoder: said not to be used */
		media_log_clear();
		assert_int_equal(vrs_sink_open(&sink, media_path(names[i]), &options, NULL, NULL), VRS_OK);
		assert_int_equal(media_log_count(VRS_LOG_WARNING), 0);
		assert_non_null(strstr(media_log, "not libx264"));
		assert_int_equal(vrs_frame_alloc(&frame, &format), VRS_OK);
		for (int p = 0; p < 3; p++)
			memset(frame.data[p], want[p], (size_t)frame.stride_bytes[p] * (size_t)vrs_plane_height(&format, p));
		assert_int_equal(vrs_sink_write(sink, &frame, NULL), VRS_OK);
		assert_int_equal(media_files(false), 0);
		assert_int_equal(vrs_sink_finish(sink, NULL), VRS_OK);
		vrs_sink_close(sink);
		source = media_open(media_path(names[i]));
		assert_int_equal(vrs_source_info(source)->format.width, 1280);
		assert_int_equal(vrs_source_read(source, &frame, NULL), VRS_OK);
		for (int p = 0; p < 3; p++) {
			double got = media_at(&frame, p, 300, 200);

			if (frame.format.range == VRS_RANGE_FULL) /* JPEG */
				got = p ? (got - 128) * 224 / 255 + 128 : got * 219 / 255 + 16;
			if (strcmp(names[i], "p.jpg") == 0)
				continue; /* coded at a quality of its own */
			if (fabs(got - want[p]) > 1.6)
				fail_msg("%s plane %d: %g, not %d", names[i], p, got, want[p]);
		}
		vrs_frame_unref(&frame);
		vrs_source_close(source);
		assert_int_equal(media_files(true), 1);
	}
}

static void a_picture_holds_one_frame(void **state)
{
	struct vrs_picture_format format = media_format(64, 32, 3, 1, 1, 8);
	struct vrs_sink_options options = media_options(&format, NULL);
	struct vrs_error err = {0};
	struct vrs_sink *sink;
	struct vrs_frame frame;

	(void)state;
	assert_int_equal(vrs_sink_open(&sink, media_path("p.png"), &options, NULL, &err), VRS_OK);
	frame = media_frame(&format, 0, INT64_MIN);
	assert_int_equal(vrs_sink_write(sink, &frame, &err), VRS_OK);
	frame = media_frame(&format, 1, 40);
	assert_int_equal(vrs_sink_write(sink, &frame, &err), VRS_ECONFIG);
	assert_non_null(strstr(err.text, "--max-frames 1"));
	vrs_sink_close(sink);
	assert_int_equal(vrs_sink_open(&sink, media_path("p.png"), &options, NULL, &err), VRS_OK);
	assert_int_equal(vrs_sink_finish(sink, &err), VRS_EINVAL); /* no frame */
	vrs_sink_close(sink);
	assert_int_equal(media_files(false), 0);
}

/* A grey picture is written as it is: no colour conversion touches it. */
static void grey_png_is_exact(void **state)
{
	struct vrs_picture_format format = media_format(67, 35, 1, 0, 0, 8);
	struct vrs_sink_options options = media_options(&format, NULL);
	struct vrs_source *source;
	struct vrs_frame frame;

	(void)state;
	options.format.range = VRS_RANGE_FULL;
	media_write(media_path("g.png"), &options, 1);
	source = media_open(media_path("g.png"));
	assert_int_equal(vrs_source_info(source)->frames <= 1, 1);
	assert_int_equal(vrs_source_read(source, &frame, NULL), VRS_OK);
	assert_int_equal(frame.format.planes, 1);
	assert_int_equal(media_difference(&frame, 0), 0);
	vrs_frame_unref(&frame);
	assert_int_equal(vrs_source_rewind(source, NULL), VRS_OK);
	assert_int_equal(vrs_source_read(source, &frame, NULL), VRS_OK);
	assert_int_equal(media_difference(&frame, 0), 0);
	vrs_frame_unref(&frame);
	assert_int_equal(vrs_source_read(source, &frame, NULL), VRS_END);
	vrs_source_close(source);
}

static void wrong_arguments(void **state)
{
	struct vrs_picture_format format = media_format(64, 32, 3, 1, 1, 8), none = {0};
	struct vrs_sink_options options = media_options(&format, NULL);
	struct vrs_sink *sink;
	struct vrs_frame frame;

	(void)state;
	assert_int_equal(vrs_sink_open(&sink, "", &options, NULL, NULL), VRS_ECONFIG);
	assert_int_equal(vrs_sink_open(&sink, "hash:", &options, NULL, NULL), VRS_ECONFIG);
	options.format = none;
	assert_int_equal(vrs_sink_open(&sink, "null:", &options, NULL, NULL), VRS_EINVAL);
	options = media_options(&format, NULL);
	options.time_base_den = 0;
	assert_int_equal(vrs_sink_open(&sink, "null:", &options, NULL, NULL), VRS_EINVAL);
	options = media_options(&format, NULL);
	options.threads = -1;
	assert_int_equal(vrs_sink_open(&sink, "null:", &options, NULL, NULL), VRS_EINVAL);
	options.threads = 0;
	assert_int_equal(vrs_sink_open(&sink, "null:", &options, NULL, NULL), VRS_OK);
	format.bit_depth = 10;
	frame = media_frame(&format, 0, 0);
	assert_int_equal(vrs_sink_write(sink, &frame, NULL), VRS_EINVAL);
	vrs_sink_close(sink);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(null_takes_everything, start_empty),
		cmocka_unit_test_setup(hash_of_visible_samples, start_empty),
		cmocka_unit_test_setup(y4m_is_exact, start_empty),
		cmocka_unit_test_setup(y4m_refuses_what_it_cannot_say, start_empty),
		cmocka_unit_test_setup(y4m_to_standard_output, start_empty),
		cmocka_unit_test_setup(pictures, start_empty),
		cmocka_unit_test_setup(a_picture_holds_one_frame, start_empty),
		cmocka_unit_test_setup(grey_png_is_exact, start_empty),
		cmocka_unit_test_setup(wrong_arguments, start_empty),
	};
	return cmocka_run_group_tests(tests, media_setup, media_teardown);
}
