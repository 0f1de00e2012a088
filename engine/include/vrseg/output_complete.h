/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts about media files without decoding them: how many frames they hold, and whether an output is all there. */
#ifndef VRSEG_OUTPUT_COMPLETE_H
#define VRSEG_OUTPUT_COMPLETE_H

#include <stdbool.h>
#include <stdint.h>

#include <vrseg/options.h>
#include <vrseg/status.h>

struct vrs_media_info {
	int64_t frames;   /* of the video stream: by the container's index where it has one, else counted */
	double seconds;   /* from the first frame to the end of the last */
	bool complete;    /* the container was finished, and the file is as long as it says */
};

/*
 * Does `output` hold what a job over `input` with these settings makes: a complete container with as many frames (within 0.1 %, at least two: damaged
 * frames of an input are lost) and the same length (within 0.1 %, at least half a second)?  ret_reason (size bytes) says why not.
 */
bool vrs_output_is_complete(const char *input, const char *output, const struct vrs_settings *settings, char *ret_reason, size_t size);

#endif
