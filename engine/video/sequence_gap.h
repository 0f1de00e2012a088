/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers that are missing in a picture sequence.  FFmpeg finds the end of p%03d.png by steps that double: a gap ends the sequence without a word,
 * or, where a step leaps over it, fails when it is reached.
 */
#ifndef VRS_VIDEO_SEQUENCE_GAP_H
#define VRS_VIDEO_SEQUENCE_GAP_H

#include <vrseg/status.h>

/* VRS_EFORMAT names the first picture that is missing between others; VRS_OK also where `pattern` has no number, or its folder cannot be listed. */
enum vrs_status vrs_sequence_check(const char *pattern, struct vrs_error *err) VRS_MUST_CHECK;

#endif
