/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keys on a terminal during a job: R prints the stage report so far, q finishes and saves like one Ctrl-C. */
#ifndef VRS_MODES_KEYBOARD_H
#define VRS_MODES_KEYBOARD_H

#include "modes/program.h"

struct vrs_keyboard;

/* NULL, and nothing happens, where standard input is no terminal or is the video. */
struct vrs_keyboard *vrs_keyboard_begin(struct vrs_program_state *program);
/* The job that R tells of from now on; NULL: none. */
void vrs_keyboard_watch(struct vrs_keyboard *keys, struct vrs_job *job); /* NULL keys are fine */
void vrs_keyboard_end(struct vrs_keyboard *keys); /* NULL is fine */

#endif
