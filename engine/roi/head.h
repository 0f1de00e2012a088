/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a network's tensors mean, by its manifest: the picture goes in, states go from frame to frame, mattes come out.
 *
 * One head serves one session and thread.  For each run: vrs_head_begin for every batch entry, pictures into vrs_head_input, vrs_session_run,
 * then vrs_head_end for every entry.
 */
#ifndef VRS_ROI_HEAD_H
#define VRS_ROI_HEAD_H

#include <vrseg/model.h>
#include <vrseg/session.h>

struct vrs_head;

/* Shapes of the picture and the matte. */
struct vrs_network_shape {
	int batch, input_width, input_height;
	int matte_width, matte_height;
};

/*
 * Find the tensors that the manifest names and check their shapes; both must outlive the head.  eyes: independent sequences of frames.
 * VRS_ECONFIG: the manifest does not fit the network, with the tensors that it has; VRS_EUNSUPPORTED, VRS_ENOMEM.
 */
enum vrs_status vrs_head_create(struct vrs_head **ret_head, const struct vrs_manifest *manifest, struct vrs_session *session, int eyes,
				struct vrs_error *err);
void vrs_head_destroy(struct vrs_head *head); /* NULL is fine */
const struct vrs_network_shape *vrs_head_shape(const struct vrs_head *head);
/* Pictures [batch][height][width][3]. */
float *vrs_head_input(struct vrs_head *head);
/* Batch entry `entry` is the next frame of an eye; fresh: its past is forgotten (first frame, scene cut). */
void vrs_head_begin(struct vrs_head *head, int entry, int eye, bool fresh);
/* Keep the states, and write the matte [matte_height][matte_width] in 0..1. */
void vrs_head_end(struct vrs_head *head, int entry, int eye, float *alpha);

#endif
