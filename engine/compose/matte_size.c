/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compose/matte_size.h"

#include <math.h>

#include "base/assert.h"
#include "vr/alpha_pack.h"

#define DISC 0.4 /* of the carrier's scale: vr/alpha_pack.h */

/* Samples of a disc for one of the source's eye: lens and size of a packed video may differ from the source's. */
static double disc_scale(const struct vrs_alpha_pack *pack, const struct vrs_layout *layout, int eye_height)
{
	double degrees = layout->fov_degrees > 0 ? layout->fov_degrees : 180;
	double scale = (double)vrs_alpha_pack_format(pack)->height / eye_height;
	return DISC * scale * degrees / vrs_alpha_pack_fov(pack);
}

static int bounded(int size, double most)
{
	int limit = (int)ceil(most);
	return limit < 1 ? 1 : size < limit ? size : limit;
}

void vrs_matte_size_fit(int *width, int *height, const struct vrs_alpha_pack *pack, const struct vrs_layout *layout, int eye_height,
			const struct vrs_rect *areas, int eyes)
{
	VRS_ASSERT(eyes > 0 && eye_height > 0);
	double scale = disc_scale(pack, layout, eye_height), most_width = 0, most_height = 0;
	for (int eye = 0; eye < eyes; eye++) {
		most_width = fmax(most_width, areas[eye].width * scale);
		most_height = fmax(most_height, areas[eye].height * scale);
	}
	*width = bounded(*width, most_width);
	*height = bounded(*height, most_height);
}
