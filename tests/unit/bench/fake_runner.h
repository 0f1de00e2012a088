/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A place for tests of the runner: a folder with a clip that is none, the child that a script plays, its log, and caches and state of its own, so
 * that no calibration of this machine decides.
 */
#ifndef VRS_TEST_FAKE_RUNNER_H
#define VRS_TEST_FAKE_RUNNER_H

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/stop.h"
#include "bench/run/runner.h"

#include "small_network.h"

/*
 * Begin of a child's script: $request is the run that is asked for; reply FIELDS answers with a run that went well, refuse STATUS SENTENCE ends the
 * child with a failed one.  $FAKE_LOG names the log, $FAKE_DEVICE the device that runs say they used.
 */
#define FAKE_CHILD \
	"#!/bin/sh\n" \
	"read -r request\n" \
	"schema=vrbench-run/1\n" \
	"device=${FAKE_DEVICE:+,\\\"device\\\":\\\"$FAKE_DEVICE\\\",\\\"driver\\\":\\\"1\\\"}\n" \
	"info='\"info\":{\"width\":640,\"height\":480,\"eyes\":1,\"batch\":1,\"threads\":1,\"streams\":1,\"net_width\":256,\"net_height\":256," \
	"\"fps\":30,\"layout\":\"mono\",\"projection\":\"flat\",\"backend\":\"cpu\",\"isa\":\"ref\",\"model\":\"fake\"'$device'}'\n" \
	"reply() { echo \"{\\\"schema\\\":\\\"$schema\\\",\\\"status\\\":\\\"VRS_OK\\\",$info,\\\"run\\\":{\\\"status\\\":\\\"ok\\\",$1}}\"; }\n" \
	"refuse() {\n" \
	"  echo \"{\\\"schema\\\":\\\"$schema\\\",\\\"status\\\":\\\"$1\\\",\\\"error\\\":\\\"$2\\\",$info,\\\"run\\\":" \
	"{\\\"status\\\":\\\"failed\\\"}}\"\n" \
	"  exit 3\n" \
	"}\n"
/* The answer to a probe, which is no run. */
#define FAKE_PROBE \
	"case $request in\n" \
	"  *'\"probe\":true'*) reply '\"fps\":1'; exit 0 ;;\n" \
	"esac\n"
/* An answer of 50 frames a second. */
#define FAKE_RUN "reply '\"fps\":'${FAKE_FPS:-50}',\"frames\":100,\"wall_seconds\":2,\"cpu_seconds\":3'\n"

static char folder[128], program[180], result_dir[160], clip[160], fake_log[160];
static struct vrs_config *base;

static inline int fake_write_program(const char *path, const char *script)
{
	return vrs_file_replace(path, script, strlen(script), NULL) == VRS_OK ? chmod(path, 0755) : -1;
}

/* name: of the test, for its folder. */
static inline int fake_set_up(const char *name, const char *script)
{
	snprintf(folder, sizeof folder, "/tmp/vrs-test-%s-%d", name, (int)getpid());
	snprintf(program, sizeof program, "%s/fake.sh", folder);
	snprintf(result_dir, sizeof result_dir, "%s/result", folder);
	snprintf(clip, sizeof clip, "%s/clip.mp4", folder);
	snprintf(fake_log, sizeof fake_log, "%s/log", folder);
	setenv("FAKE_LOG", fake_log, 1);
	setenv("XDG_CACHE_HOME", folder, 1);
	setenv("XDG_STATE_HOME", folder, 1);
	if (vrs_mkdirs(folder, NULL) != VRS_OK || vrs_file_replace(clip, "not a film", 10, NULL) != VRS_OK || fake_write_program(program, script) != 0)
		return -1;
	return vrs_config_create(&base) == VRS_OK && small_network_config(base) ? 0 : -1;
}

static inline int fake_tear_down(void **state)
{
	char command[200];
	(void)state;
	vrs_config_destroy(base);
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	return system(command);
}

/* Before each test: no result, an empty log. */
static inline int fake_fresh(void **state)
{
	char command[400];
	(void)state;
	vrs_stop_reset();
	snprintf(command, sizeof command, "rm -rf '%s' '%s'", result_dir, fake_log);
	return system(command);
}

/* What children wrote into the log so far; "" before the first. */
static inline void fake_read_log(char *buf, size_t size)
{
	FILE *file = fopen(fake_log, "r");
	size_t n = file ? fread(buf, 1, size - 1, file) : 0;
	buf[n] = '\0';
	if (file)
		(void)fclose(file);
}

static inline struct vrs_runner_options fake_options(void)
{
	struct vrs_runner_options o = vrs_runner_options_default();
	o.program = program;
	o.folder = result_dir;
	o.input = clip;
	o.plan.quality_frames = 0;
	return o;
}

#endif
