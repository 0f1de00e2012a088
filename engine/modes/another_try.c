/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "modes/another_try.h"

#include <string.h>

#include "base/str_parse.h"

#include <vrseg/long_job.h>

void vrs_program_note_lost(struct vrs_program_state *program, const char *left)
{
	program->device_lost = true;
	(void)vrs_strcpy(program->devices_left, sizeof program->devices_left, left); /* of the same size */
}

/* An earlier job of the program has lost the device that this one asks for: what was left then goes on, and after that the CPU. */
static bool leaves_lost(struct vrs_program_state *program, const struct vrs_error *why)
{
	static const struct vrs_job_info none = {0};
	bool is_tried = strcmp(program->settings.engine.device, program->devices_left) == 0;
	return program->device_lost && vrs_device_down(&program->settings, &none, is_tried ? "" : program->devices_left, why);
}

static bool leaves_device(struct vrs_program_state *program, const struct vrs_error *why)
{
	char left[VRS_DEVICES_TEXT];
	if (!program->job || !vrs_job_lost_device(program->job, left, sizeof left))
		return leaves_lost(program, why);
	vrs_program_note_lost(program, left);
	vrs_truth_close(program->truth); /* which has seen frames */
	program->truth = NULL;
	return vrs_device_down(&program->settings, &program->info, left, why);
}

bool vrs_program_tries_again(struct vrs_program_state *program, enum vrs_status status, bool repeats, const struct vrs_error *why)
{
	bool again = false;
	if (status == VRS_ENOMEM)
		again = repeats && !(program->truth && program->job) && !program->settings.pipeline.live &&
			vrs_step_down(&program->settings, &program->info, why);
	else if (status == VRS_EDEVICE)
		again = leaves_device(program, why);
	if (again) {
		vrs_job_destroy(program->job);
		program->job = NULL;
	}
	return again;
}
