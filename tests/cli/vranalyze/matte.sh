#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: what is measured of the truth itself against the truth, flat and VR180, and of a matte that is late, repeats a frame and has lost one: the
# kind and layout that are found, estimates, errors, weights, events and lag.
ln -s "$VRS_DATA" DATA # names of one length, wherever the source lies: the report folds its lines
vranalyze matte DATA/person_vr180_sbs_alpha.mkv --source DATA/person_vr180_sbs.mp4 --truth DATA/person_vr180_sbs_alpha.mkv --max-frames 3
echo
# two frames late at first, three after a repeated one; one that is empty
late="tpad=start=2:start_mode=clone,trim=end_frame=24,drawbox=t=fill:color=black:enable='eq(n,16)'"
ffmpeg -v error -i "$VRS_DATA/person_flat_alpha.mkv" -vf "$late,loop=loop=1:size=1:start=11,trim=end_frame=24,setpts=N/30/TB" -pix_fmt gray \
  -c:v ffv1 late.mkv
vranalyze matte late.mkv --source DATA/person_flat.mp4 --format csv | grep -v ',estimates\|^estimates'
echo
# without a source only the matte itself tells
vranalyze matte late.mkv --format markdown
