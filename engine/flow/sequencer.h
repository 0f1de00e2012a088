/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lets threads pass one after the other in the order of their sequence numbers. */
#ifndef VRS_FLOW_SEQUENCER_H
#define VRS_FLOW_SEQUENCER_H

#include <stdbool.h>
#include <stdint.h>

#include <vrseg/status.h>

struct vrs_sequencer;

enum vrs_status vrs_sequencer_create(struct vrs_sequencer **ret_sequencer);
void vrs_sequencer_destroy(struct vrs_sequencer *sequencer);
/* Wait until all numbers below seq have passed. False when aborted. */
bool vrs_sequencer_wait(struct vrs_sequencer *sequencer, uint64_t seq, uint64_t *wait_ns);
/* Wait until seq itself has passed, without a turn of one's own. False when aborted. */
bool vrs_sequencer_wait_past(struct vrs_sequencer *sequencer, uint64_t seq, uint64_t *wait_ns);
/* Is it the turn of seq? For assertions of the thread that has it. */
bool vrs_sequencer_is_at(struct vrs_sequencer *sequencer, uint64_t seq);
/* The number whose turn it is has passed. */
void vrs_sequencer_done(struct vrs_sequencer *sequencer);
void vrs_sequencer_abort(struct vrs_sequencer *sequencer);

#endif
