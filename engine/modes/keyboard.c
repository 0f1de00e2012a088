/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "modes/keyboard.h"

#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/stop.h"
#include "base/terminal.h"

#include <vrseg/log.h>

#define LOOK_MS 500 /* a terminal that came back to the foreground is noticed within this time */

struct vrs_keyboard {
	struct vrs_program_state *program;
	int wake;              /* an eventfd: the job is over */
	pthread_t thread;
	pthread_mutex_t lock;  /* guards job: it lives while it is set */
	struct vrs_job *job;
	_Atomic bool over;
};

static void print_report(struct vrs_keyboard *keys)
{
	struct vrs_program_state *program = keys->program;
	struct vrs_job_stats stats = {0};
	struct vrs_job_info info = {0};
	pthread_mutex_lock(&keys->lock);
	if (keys->job) {
		vrs_job_stats(keys->job, &stats);
		info = *vrs_job_info(keys->job);
	}
	pthread_mutex_unlock(&keys->lock);
	vrs_progress_clear(program->meter);
	if (stats.frames_done) {
		vrs_live_report(&stats, &info, program->aside);
		vrs_stage_report(&stats, &info, program->aside);
	} else
		fprintf(program->aside, "no frame is finished yet\n");
	fflush(program->aside);
}

static void *watch(void *arg)
{
	struct vrs_keyboard *keys = arg;
	while (!keys->over) {
		int key = vrs_terminal_key(keys->wake, LOOK_MS);
		if (key == 'r' || key == 'R')
			print_report(keys);
		if ((key != 'q' && key != 'Q') || vrs_stop_requested())
			continue;
		vrs_log(VRS_LOG_INFO, "finishing frames in flight");
		vrs_stop_request();
	}
	return NULL;
}

struct vrs_keyboard *vrs_keyboard_begin(struct vrs_program_state *program)
{
	if (strcmp(program->input, "-") == 0 || !isatty(STDIN_FILENO))
		return NULL;
	struct vrs_keyboard *keys = vrs_calloc(1, sizeof *keys);
	if (!keys)
		return NULL; /* a job without keys is a job */
	keys->program = program;
	pthread_mutex_init(&keys->lock, NULL);
	keys->wake = eventfd(0, EFD_CLOEXEC);
	if (keys->wake < 0 || !vrs_terminal_begin(STDIN_FILENO)) {
		if (keys->wake >= 0)
			close(keys->wake);
		vrs_free(keys);
		return NULL;
	}
	if (pthread_create(&keys->thread, NULL, watch, keys) != 0) {
		vrs_terminal_end();
		close(keys->wake);
		vrs_free(keys);
		return NULL;
	}
	(void)pthread_setname_np(keys->thread, "vrs-keys"); /* only for debuggers */
	return keys;
}

void vrs_keyboard_watch(struct vrs_keyboard *keys, struct vrs_job *job)
{
	if (!keys)
		return;
	pthread_mutex_lock(&keys->lock);
	keys->job = job;
	pthread_mutex_unlock(&keys->lock);
}

void vrs_keyboard_end(struct vrs_keyboard *keys)
{
	const uint64_t one = 1;
	if (!keys)
		return;
	keys->over = true;
	(void)!write(keys->wake, &one, sizeof one); /* an eventfd takes it; without it the thread looks by itself */
	pthread_join(keys->thread, NULL);
	vrs_terminal_end();
	close(keys->wake);
	vrs_free(keys);
}
