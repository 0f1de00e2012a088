/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A job that failed for lack of memory, or with its device, is made again from its beginning with what is left. */
#ifndef VRS_MODES_ANOTHER_TRY_H
#define VRS_MODES_ANOTHER_TRY_H

#include "modes/program.h"

/* A job of the program has lost a device; left: as of vrs_job_lost_device. */
void vrs_program_note_lost(struct vrs_program_state *program, const char *left);
/*
 * A job that could not be made, or has failed: whether another try may succeed, with program->settings changed for it, which is told.  A device
 * counts as lost where a job ran on it before; one that fails from the start was chosen wrongly.  repeats: what was written so far can be written
 * again.  True: program->job is gone, and what it has left will be replaced.  status VRS_OK: false.
 */
bool vrs_program_tries_again(struct vrs_program_state *program, enum vrs_status status, bool repeats, const struct vrs_error *why);

#endif
