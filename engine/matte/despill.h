/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Colours of the people without what their soft edges took from behind them.  A camera sees C = a F + (1 - a) B; with the colour B around the people
 * (surround.h) and the matte's a, the people's own colour is
 *
 *     F = C + S (1 - a) / max(a, 1/4) (C - B)
 *
 * which is exact for strength S = 1 and a of 1/4 and more; below, where C tells little about F, the correction stays bounded.  Where a is 0 or 1
 * nothing changes.  The formula is the same for luma and chroma, as it is for R, G and B.
 */
#ifndef VRS_MATTE_DESPILL_H
#define VRS_MATTE_DESPILL_H

#include <stdint.h>

#include "matte/matte_rows.h"

#define VRS_DESPILL_ONE 32768 /* strength 1 */

/*
 * n samples of one plane, in place, with ground what lies behind.  row's alphas begin at its first column; sample_bytes 1 or 2; top: the largest
 * code value.
 */
void vrs_despill_row(uint8_t *samples, const uint8_t *ground, const struct vrs_matte_row *row, int strength, int sample_bytes,
		     int top, int n);

#endif
