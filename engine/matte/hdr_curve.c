/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "matte/hdr_curve.h"

#include <math.h>

#include "base/mem.h"

/* ITU-T H.273 */
#define TRANSFER_PQ 16
#define TRANSFER_HLG 18
#define PRIMARIES_BT2020 9

#define WHITE_NITS 203.0
#define HLG_NITS 1000.0
#define KNEE 0.7
#define STEPS 1024 /* of the tables; between them values are interpolated */

struct vrs_hdr_curve {
	float light[STEPS + 1]; /* of code value i / STEPS; 1 is reference white */
	float code[STEPS + 1];  /* of light (i / STEPS)^2, after the knee: the square root spreads the dark values */
	bool wide;              /* BT.2020 primaries */
};

/* BT.2020 to BT.709, linear light (ITU-R BT.2087). */
static const float to_bt709[3][3] = {
	{1.6605f, -0.5876f, -0.0728f}, {-0.1246f, 1.1329f, -0.0083f}, {-0.0182f, -0.1006f, 1.1187f}};

static double pq_nits(double code)
{
	const double m1 = 2610.0 / 16384, m2 = 2523.0 / 4096 * 128, c1 = 3424.0 / 4096, c2 = 2413.0 / 4096 * 32, c3 = 2392.0 / 4096 * 32;
	double power = pow(code, 1 / m2);

	return 10000 * pow(fmax(power - c1, 0) / (c2 - c3 * power), 1 / m1);
}

static double hlg_nits(double code)
{
	const double a = 0.17883277, b = 1 - 4 * a, c = 0.5 - a * log(4 * a);
	double scene = code <= 0.5 ? code * code / 3 : (exp((code - c) / a) + b) / 12;

	return HLG_NITS * pow(scene, 1.2);
}

/* Light up to the knee as it is, all above it into what is left up to 1. */
static double roll_off(double light)
{
	return light <= KNEE ? light : KNEE + (1 - KNEE) * (1 - exp(-(light - KNEE) / (1 - KNEE)));
}

enum vrs_status vrs_hdr_curve_create(struct vrs_hdr_curve **ret_curve, const struct vrs_picture_format *format)
{
	bool pq = format->transfer == TRANSFER_PQ, hlg = format->transfer == TRANSFER_HLG;
	struct vrs_hdr_curve *curve;

	*ret_curve = NULL;
	if (!pq && !hlg)
		return VRS_OK;
	curve = vrs_calloc(1, sizeof *curve);
	if (!curve)
		return VRS_ENOMEM;
	curve->wide = format->primaries == PRIMARIES_BT2020;
	for (int i = 0; i <= STEPS; i++) {
		double share = (double)i / STEPS, light = pq ? pq_nits(share) : hlg_nits(share);

		curve->light[i] = (float)(light / WHITE_NITS);
		curve->code[i] = (float)pow(roll_off(4 * share * share), 1 / 2.4); /* up to four times white */
	}
	*ret_curve = curve;
	return VRS_OK;
}

void vrs_hdr_curve_destroy(struct vrs_hdr_curve *curve)
{
	vrs_free(curve);
}

static float look_up(const float table[STEPS + 1], float share)
{
	float at = fminf(fmaxf(share, 0), 1) * STEPS;
	int i = at < STEPS ? (int)at : STEPS - 1;

	return table[i] + (table[i + 1] - table[i]) * (at - (float)i);
}

void vrs_hdr_curve_color(const struct vrs_hdr_curve *curve, float rgb[3])
{
	float light[3], shown[3];

	for (int c = 0; c < 3; c++)
		shown[c] = light[c] = look_up(curve->light, rgb[c]);
	for (int c = 0; curve->wide && c < 3; c++)
		shown[c] = to_bt709[c][0] * light[0] + to_bt709[c][1] * light[1] + to_bt709[c][2] * light[2];
	for (int c = 0; c < 3; c++)
		rgb[c] = look_up(curve->code, sqrtf(fmaxf(shown[c], 0) / 4));
}

void vrs_hdr_curve_run(const struct vrs_hdr_curve *curve, float *pixels, int n, bool bgr, const float mean[3], const float scale[3])
{
	for (int i = 0; i < n; i++, pixels += 3) {
		float rgb[3];

		for (int c = 0; c < 3; c++)
			rgb[c] = pixels[bgr ? 2 - c : c] / scale[c] + mean[c];
		vrs_hdr_curve_color(curve, rgb);
		for (int c = 0; c < 3; c++)
			pixels[bgr ? 2 - c : c] = (rgb[c] - mean[c]) * scale[c];
	}
}
