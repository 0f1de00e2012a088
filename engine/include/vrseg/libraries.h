/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The libraries that a job's speed and bytes depend on, as they are loaded. */
#ifndef VRSEG_LIBRARIES_H
#define VRSEG_LIBRARIES_H

#include <stdbool.h>

struct vrs_library {
	const char *name;          /* "libavcodec" */
	char version[24];          /* "59.37.100" */
};

enum { VRS_LIBRARIES = 4 };

/* Those of FFmpeg that decode, encode and scale. */
void vrs_libraries(struct vrs_library ret_libraries[VRS_LIBRARIES]);

/* A library that pictures come from: another build of it may make others. */
struct vrs_codec_library {
	const char *name;          /* "libx264" */
	char build[48];            /* "59.37.100 a53558b5197171b7": the version of one of FFmpeg, the begin of the build ID in the file; either may lack */
	bool decodes;              /* it has a part in mattes, too */
};

enum { VRS_CODEC_LIBRARIES = 16 };

/* Those that are loaded: FFmpeg's, and coders of videos that these are linked with. Returns how many. */
int vrs_codec_libraries(struct vrs_codec_library ret_libraries[VRS_CODEC_LIBRARIES]);

#endif
