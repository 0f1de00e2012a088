/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the name of a VR video says.  Players agree on tags between `_` or `-`, in any case: "title_180_LR.mp4", "title-TB-360.mkv".
 * A tag stands after a separator: the first word of a name is never one.
 */
#ifndef VRS_VR_NAME_TAGS_H
#define VRS_VR_NAME_TAGS_H

#include <stddef.h>

#include <vrseg/layout.h>

struct vrs_name_tags {
	enum vrs_stereo stereo;         /* VRS_STEREO_AUTO: no tag */
	bool implied;                   /* stereo follows from a lens tag (MKX200: side by side), no tag says it */
	bool right_eye_first;
	bool half_size;                 /* each eye is squeezed to half its width or height (HSBS, HOU) */
	enum vrs_projection projection; /* UNKNOWN: no tag, or one without a name here (EAC360) */
	double fov_degrees;             /* 0: no tag */
	bool cube_map;                  /* EAC360: an equi-angular cube map */
	bool alpha_packed;              /* _alpha: a matte lies in the corners */
	bool passthrough;               /* _passthrough */
	char stereo_tag[16], projection_tag[16]; /* as written in the name; "" : none */
};

/* Parse a name or path (the last component counts, without its extension). NULL: no tags. */
void vrs_name_tags_parse(struct vrs_name_tags *ret_tags, const char *name);
/*
 * The last component of a name without its extension and without tags: "films/trip_180_LR_2.mp4" gives "trip_2".  Never empty where the name is not.
 * False when it does not fit.
 */
bool vrs_name_tags_strip(char *ret, size_t size, const char *name);

#endif
