/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "vr/alpha_unpack.h"

#define SHRUNK 0.4

void vrs_alpha_unpack_place(int eye, double u, double v, double *ret_x, double *ret_y)
{
	/* in the atlas: an eye has half of the width */
	double x = u / 2 * SHRUNK, y = v * SHRUNK;

	/* upper halves lie at the bottom of the frame, lower halves at its top */
	*ret_y = v < 0.5 ? 1 - SHRUNK / 2 + y : y - SHRUNK / 2;
	if (eye == 0)
		*ret_x = 0.5 - SHRUNK / 4 + x;
	else
		*ret_x = u < 0.5 ? 1 - SHRUNK / 4 + x : x - SHRUNK / 4;
}
