/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards video/sink_target.c: a run that is suspended while the disk takes its file, until another run has taken over, does not move it into place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "video/sink_target.h"

#include "scratch_folder.h"

static bool suspended; /* for long, in the next fsync */

int fsync(int fd)
{
	if (suspended) {
		suspended = false;
		assert_int_equal(unlink(".out.mp4.vrseg/.lease-000001"), 0);
		assert_int_equal(vrs_file_replace(".out.mp4.vrseg/.lease-000002", "other", 5, NULL), VRS_OK);
	}
	return (int)syscall(SYS_fsync, fd);
}

static void the_disk_takes_long(void **state)
{
	(void)state;
	for (int taken_over = 0; taken_over < 2; taken_over++) {
		const struct vrs_sink_options options = {.overwrite = true};
		struct vrs_sink_target target;
		struct vrs_error err = {0};
		struct vrs_buf text;
		assert_int_equal(vrs_file_replace("out.mp4", "other", 5, NULL), VRS_OK);
		assert_int_equal(vrs_sink_target_open(&target, "out.mp4", &options, NULL, &err), VRS_OK);
		assert_int_equal(vrs_temp_file_write(&target.temp, "ours", 4, &err), VRS_OK);
		suspended = taken_over;
		assert_int_equal(vrs_sink_target_commit(&target, &err), taken_over ? VRS_EEXIST : VRS_OK);
		vrs_sink_target_discard(&target);
		assert_int_equal(vrs_file_read("out.mp4", 100, &text, &err), VRS_OK);
		assert_string_equal(vrs_buf_str(&text), taken_over ? "other" : "ours");
		vrs_buf_fini(&text);
	}
	assert_int_equal(unlink(".out.mp4.vrseg/.lease-000002"), 0);
	assert_int_equal(rmdir(".out.mp4.vrseg"), 0);
	assert_int_equal(unlink("out.mp4"), 0);
}

static int enter(void **state)
{
	(void)state;
	return scratch_folder_enter("sink_target");
}

static int leave(void **state)
{
	(void)state;
	return scratch_folder_leave("sink_target");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_disk_takes_long)};
	return cmocka_run_group_tests(tests, enter, leave);
}
