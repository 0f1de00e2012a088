/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of outputs, and whether one is all there.  Players know the layout of a VR video from tags in its name ("_LR_180"), and a packed matte from
 * a fisheye tag and "alpha" ("_FISHEYE190_alpha"); nothing else in the file tells them.
 */
#ifndef VRSEG_OUTPUT_FILE_H
#define VRSEG_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include <vrseg/layout.h>
#include <vrseg/options.h>
#include <vrseg/status.h>

/* The word that an output's name gets for its mode: "green", "matte". */
const char *vrs_output_suffix(const struct vrs_settings *settings);
/* Whether the output's name depends on what the input is, so that the input must be looked at first: mode alpha, or a player. */
bool vrs_output_name_needs_input(const struct vrs_settings *settings);
/*
 * The path of a file whose output is named as that of `input`: of a file that path itself; of what is none, a name without a folder, with .mp4:
 * p.mp4 of shots/p%03d.png, shots.mp4 of shots/?.png, synth_64x64_frames_3.mp4 of synth:64x64,frames=3, video0.mp4 of /dev/video0.  Others may
 * have it, too.
 * VRS_ECONFIG: standard input and addresses have no name; VRS_ELIMIT.
 */
enum vrs_status vrs_output_like(char *ret, size_t size, const char *input, struct vrs_error *err) VRS_MUST_CHECK;
/* True for an input without a file whose output has a name all the same, such as a picture sequence. */
bool vrs_output_of_no_file(const char *input);
/*
 * The name of the output of `input` without folder and extension.  Opens the input where vrs_output_name_needs_input.  Tags of the input's name go,
 * those of the output come: trip_180_LR.mp4 gives trip_FISHEYE180_alpha.  VRS_ECONFIG: what the player would ignore; VRS_ELIMIT: too long;
 * statuses of opening an input.
 */
enum vrs_status vrs_output_name(char *ret, size_t size, const char *input, const struct vrs_settings *settings, struct vrs_error *err) VRS_MUST_CHECK;
/* What all names have that it may give the output, whatever the input is.  Opens nothing.  VRS_ECONFIG: an input without a name; VRS_ELIMIT. */
enum vrs_status vrs_output_name_stem(char *ret, size_t size, const char *input, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * Whether the player will take settings.output.file for what it is; jobs look at it themselves, but those that make segments of a video.
 * VRS_ECONFIG, with a name that it takes; statuses of opening the input.
 */
enum vrs_status vrs_output_name_check(const char *input, const struct vrs_settings *settings, struct vrs_error *err) VRS_MUST_CHECK;
/*
 * Whether `name` is one that an output of `input` in its folder may have, in any mode and for any player: trip_180_LR_matte.mp4,
 * trip_green_LR_180.mkv and trip_FISHEYE180_alpha.mp4 of trip_180_LR.mp4.  Both are paths; only names are looked at.
 */
bool vrs_output_name_is_of(const char *name, const char *input);
/* Whether a name says that a matte is packed into the video. */
bool vrs_output_name_is_packed(const char *name);
/*
 * Does `output` hold what a job over `input` with these settings makes: a complete container with as many frames, and the same length (within 0.1 %,
 * at least half a second)?  Frames within 0.1 %, at least two, may be missing: before the last one, since damaged frames are lost; at the end only
 * where the container of the input has no exact count (all but MP4, MOV and Matroska).  ret_reason (size bytes) says why not.  An output that a
 * stopped run has saved is known by vrs_long_job_is_unfinished, too.
 */
bool vrs_output_is_complete(const char *input, const char *output, const struct vrs_settings *settings, char *ret_reason, size_t size);
/* Whether an input is still there when it was compared. VRS_ECONFIG: one that can be read only once (a pipe), which --skip-existing is not for. */
enum vrs_status vrs_output_compare_check(const char *input, struct vrs_error *err) VRS_MUST_CHECK;

#endif
