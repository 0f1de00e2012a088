/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tags that players read, by the mode and layout of an output.
 *
 *     mode alpha   deovr                        FISHEYE180_alpha, FISHEYE190_alpha, MKX200_alpha ..
 *                  heresphere, skybox, 4xvr     LR_180_FISHEYE_F180_alpha, LR_FISHEYE190_alpha ..
 *                  xbvr                         only MKX200, MKX220, VRCA220, RF52 and FISHEYE190; it does not know others together with alpha
 *     mode green   all                          LR_180, TB_360, mono_360, RL_180 ..; heresphere and 4xvr LR_180_SBS, xbvr 180_180x180_3dh_LR
 */
#ifndef VRS_JOB_PLAYER_TAGS_H
#define VRS_JOB_PLAYER_TAGS_H

#include <vrseg/layout.h>
#include <vrseg/options.h>

/*
 * Tags of the output of an input of this name and layout, "" for a flat video with one eye.  VRS_ECONFIG: a combination that the player ignores, or
 * that no tag says, with what to do.
 */
enum vrs_status vrs_player_tags(char *ret, size_t size, const struct vrs_settings *settings, const struct vrs_layout *layout, const char *input,
				struct vrs_error *err) VRS_MUST_CHECK;
/*
 * Whether the player will take settings.output.file for what it is.  VRS_ECONFIG, with a name that it takes.  Without a player a name that hides a
 * packed matte is only warned of (vrs_config_warn: VRS_ECONFIG with --strict).  Targets that are no files pass.
 */
enum vrs_status vrs_player_check(const struct vrs_settings *settings, const struct vrs_layout *layout, const char *input, struct vrs_error *err)
	VRS_MUST_CHECK;

#endif
