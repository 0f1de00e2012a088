/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job/pack_places.h"

#include <math.h>

#include "vr/alpha_pack.h"

enum vrs_status vrs_pack_places(struct vrs_pack_place *places, const struct vrs_layout *source, double fov, int width, int height, int side,
				struct vrs_error *err)
{
	struct vrs_lens lens, carrier;
	enum vrs_status status = vrs_alpha_pack_lenses(&lens, &carrier, source, fov, width, height, side, err);
	for (int i = 0; status == VRS_OK && i < side * side; i++) {
		double d[3], u, v;
		bool shown = vrs_lens_direction(&carrier, i % side + 0.5, i / side + 0.5, d);
		shown = vrs_lens_position(&lens, d, &u, &v) && shown;
		places[i] = shown ? (struct vrs_pack_place){(float)u, (float)v} : (struct vrs_pack_place){NAN, NAN};
	}
	return status;
}

uint8_t vrs_pack_alpha_at(const struct vrs_matte *matte, const struct vrs_rect *view, const struct vrs_pack_place *place)
{
	double x = ((double)place->u - view->x) * matte->width / view->width, y = ((double)place->v - view->y) * matte->height / view->height;

	if (!(x >= 0 && y >= 0 && x <= matte->width && y <= matte->height))
		return 0;
	x = fmin(fmax(x - 0.5, 0), matte->width - 1);
	y = fmin(fmax(y - 0.5, 0), matte->height - 1);
	int i = (int)x, j = (int)y, right = i + 1 < matte->width, below = j + 1 < matte->height;
	const uint8_t *p = matte->data + matte->stride * j + i, *q = p + (below ? matte->stride : 0);
	x -= i;
	y -= j;
	return (uint8_t)lrint((1 - y) * ((1 - x) * p[0] + x * p[right]) + y * ((1 - x) * q[0] + x * q[right]));
}
