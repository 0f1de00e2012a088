/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The libraries that a job's speed and bytes depend on, as they are loaded. */
#ifndef VRSEG_LIBRARIES_H
#define VRSEG_LIBRARIES_H

struct vrs_library {
	const char *name;          /* "libavcodec" */
	char version[24];          /* "59.37.100" */
};

enum { VRS_LIBRARIES = 4 };

/* Those of FFmpeg that decode, encode and scale. */
void vrs_libraries(struct vrs_library ret_libraries[VRS_LIBRARIES]);

#endif
