/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a player's shader looks for the matte of a packed film: the table of tiles, read the way players read it.  Written from the decoder's side
 * and apart from vr/alpha_pack.h on purpose, since it is what packing is checked with.
 */
#ifndef VRS_VR_ALPHA_UNPACK_H
#define VRS_VR_ALPHA_UNPACK_H

/*
 * Eye 0 (left) or 1 and a place in its picture, 0..1 from the upper left corner: the place in the frame, shares of its width and height.  A matte's
 * atlas is 0.4 of the frame both ways; the left eye's part of it is cut in two, the right eye's in four.
 */
void vrs_alpha_unpack_place(int eye, double u, double v, double *ret_x, double *ret_y);

#endif
