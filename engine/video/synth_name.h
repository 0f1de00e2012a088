/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of synth inputs. */
#ifndef VRS_VIDEO_SYNTH_NAME_H
#define VRS_VIDEO_SYNTH_NAME_H

#include <stdbool.h>

#include <vrseg/frame.h>
#include <vrseg/layout.h>

#include "video/synth_cast.h"

#define VRS_SYNTH_PEOPLE 4 /* cut-outs; a scene has up to VRS_SYNTH_CAST */

/*
 * What the name says: "synth:3840x1920,sbs,hequirect,frames=300,fps=30,people=1,bits=8,scene=meet+light,seed=2"; any part may be missing.  With a
 * scene people are bodies in a room (synth_stage.h) instead of cut-outs (synth_scene.h).
 */
struct vrs_synth_name {
	int width, height;
	enum vrs_stereo stereo;
	bool right_eye_first;
	enum vrs_projection projection;
	double fov_degrees;
	int frames;               /* 0: without end */
	int fps;
	struct vrs_synth_play play;
	int bits;                 /* 8 or 10 */
	bool alpha;               /* deliver coverage instead of pictures */
};

/* VRS_ECONFIG: a word that it does not know, or a size that does not go with the layout. */
enum vrs_status vrs_synth_name_parse(struct vrs_synth_name *ret_name, const char *text, struct vrs_error *err) VRS_MUST_CHECK;

/* Where the eyes lie in the picture; returns how many. */
int vrs_synth_eyes(const struct vrs_synth_name *name, struct vrs_rect ret_eyes[2]);

#endif
