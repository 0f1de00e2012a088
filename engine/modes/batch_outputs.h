/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the outputs of several inputs go: no two to one file, however the inputs and their folders are spelled. */
#ifndef VRS_MODES_BATCH_OUTPUTS_H
#define VRS_MODES_BATCH_OUTPUTS_H

#include "modes/program.h"

struct vrs_batch_input {
	char *path;       /* to open */
	char *folder;     /* below the operand: "2024/trip" for IN_DIR/2024/trip/clip.mp4; "" for files named directly */
	int search_error; /* errno where it cannot be searched or looked at, so that nobody knows which outputs are missing; else 0 */
};

/* The input becomes program->input, and program->settings name its output, whose folder is made. */
enum vrs_status vrs_batch_output_name(struct vrs_program_state *program, const struct vrs_batch_input *input, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * Before the first of them: VRS_ECONFIG names two inputs that would have one output, of which the second would replace what the first has just made.
 * Inputs are opened only where names depend on them and are alike; those that cannot be opened will fail at their turn.  VRS_ENOMEM, VRS_ELIMIT.
 */
enum vrs_status vrs_batch_outputs_check(struct vrs_program_state *program, const struct vrs_batch_input *inputs, int count, struct vrs_error *err)
	VRS_MUST_CHECK;

#endif
