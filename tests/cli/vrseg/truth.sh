#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: --truth prints a table per eye and size and how well the eyes agree, and refuses a truth of another size (2).
vrseg "$VRS_DATA/person_vr180_sbs.mp4" -o null: --truth "$VRS_DATA/person_vr180_sbs_alpha.mkv" --max-frames 4 --log-level error --progress none
vrseg "$VRS_DATA/person_flat.mp4" -o null: --truth "$VRS_DATA/person_vr180_sbs_alpha.mkv" --max-frames 4 --log-level error --progress none
