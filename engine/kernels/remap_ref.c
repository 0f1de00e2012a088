/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Positions along curves, and bilinear samples at them. */
#include "kernels/remap_sample.h"

static void vrs_remap_positions__ref(int32_t *u, int32_t *v, const struct vrs_remap_curve *curves, int count)
{
	for (int i = 0; i < count; i++) {
		const struct vrs_remap_curve *c = &curves[i];
		for (int t = 0; t < VRS_REMAP_RUN; t++) {
			int32_t steps = t * (t - 1) / 2;
			*u++ = c->u + t * c->du + steps * c->ddu;
			*v++ = c->v + t * c->dv + steps * c->ddv;
		}
	}
}

static void vrs_remap_sample_u8__ref(uint8_t *dst, const struct vrs_remap_plane *plane, const int32_t *u, const int32_t *v, int n)
{
	for (int i = 0; i < n; i++)
		dst[i] = vrs_remap_one_u8(plane, u[i], v[i]);
}

static void vrs_remap_sample_u16__ref(uint16_t *dst, const struct vrs_remap_plane *plane, const int32_t *u, const int32_t *v, int n)
{
	for (int i = 0; i < n; i++)
		dst[i] = vrs_remap_one_u16(plane, u[i], v[i]);
}

void vrs_remap_init__ref(struct vrs_picture_kernels *kernels)
{
	kernels->remap_positions = vrs_remap_positions__ref;
	kernels->remap_sample_u8 = vrs_remap_sample_u8__ref;
	kernels->remap_sample_u16 = vrs_remap_sample_u16__ref;
}
