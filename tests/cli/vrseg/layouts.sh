#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: every layout and projection on the truth clip, turned into it here: the decision with its reason, and the IoU of each eye (each against its
# own truth, so that swapped eyes show) above a floor.
clip=$VRS_DATA/person_vr180_sbs.mp4
alpha=$VRS_DATA/person_vr180_sbs_alpha.mkv
bare=sidedata=mode=delete:type=STEREO3D,sidedata=mode=delete:type=SPHERICAL # the encoder would write them into its stream

# try NAME FILTER FLOOR [FLAGS]
try() {
  name=$1 filter=$2 floor=$3
  shift 3
  ffmpeg -v error -i "$clip" -frames:v 3 -vf "$filter,$bare" -an -map_metadata -1 -c:v libx264 -preset ultrafast -crf 12 "$name.mp4"
  ffmpeg -v error -i "$alpha" -frames:v 3 -vf "$filter" -c:v ffv1 -pix_fmt gray alpha.mkv
  vrseg "$name.mp4" -o null: --truth alpha.mkv "$@" >out.txt 2>err.txt || cat err.txt
  sed -n 's/^vrseg: layout //p' err.txt
  awk -v name="$name" -v floor="$floor" '$2 == "frame" { eyes++; if ($4 < floor) print name, $1, "IoU", $4, "below", floor; else good++ }
    END { print name ":", good + 0, "of", eyes + 0, "eyes above", floor }' out.txt
  rm -f "$name.mp4" alpha.mkv
}

try a_LR_180 null 0.93
try a_RL_180 stereo3d=sbsl:sbsr 0.93
try a_TB_180 stereo3d=sbsl:abl 0.93
try a_BT_180 stereo3d=sbsl:abr 0.93
try a_HSBS_180 scale=iw/2:ih 0.92
try a_HTB_180 stereo3d=sbsl:abl,scale=iw:ih/2 0.92
try a_LR_FISHEYE180 v360=hequirect:fisheye:in_stereo=sbs:out_stereo=sbs:h_fov=180:v_fov=180:w=1024:h=1024 0.93
try a_LR_360 v360=hequirect:equirect:in_stereo=sbs:out_stereo=sbs:w=2048:h=1024 0.93
try a_TB_360 v360=hequirect:equirect:in_stereo=sbs:out_stereo=tb:w=2048:h=1024 0.93
try a_mono_360 crop=iw/2:ih:0:0,v360=hequirect:equirect:w=2048:h=1024 0.93
try a_LR_flat v360=hequirect:flat:in_stereo=sbs:out_stereo=sbs:h_fov=90:v_fov=60:w=1024:h=640 0.95
try a_LR_180_low v360=hequirect:hequirect:in_stereo=sbs:out_stereo=sbs:pitch=30:w=1024:h=1024 0.92
try a_LR_180_low50 v360=hequirect:hequirect:in_stereo=sbs:out_stereo=sbs:pitch=50:w=1024:h=1024 0.91
try a_LR_180_side v360=hequirect:hequirect:in_stereo=sbs:out_stereo=sbs:yaw=60:w=1024:h=1024 0.92
try a_LR_180_other_side v360=hequirect:hequirect:in_stereo=sbs:out_stereo=sbs:yaw=-60:w=1024:h=1024 0.92
try a_mono_360_low crop=iw/2:ih:0:0,v360=hequirect:equirect:pitch=50:yaw=170:w=2048:h=1024 0.91
try a_LR_180_camera null 0.93 --view-projection gnomonic
try a_LR_FISHEYE190_camera v360=hequirect:fisheye:in_stereo=sbs:out_stereo=sbs:h_fov=190:v_fov=190:w=1024:h=1024 0.92 \
  --view-projection gnomonic --max-regions 2 --scales 2
try plain null 0.93
try asked_right stereo3d=sbsl:sbsr 0.93 --layout rl
try asked_below stereo3d=sbsl:abr 0.93 --layout bt --projection hequirect
try asked_half stereo3d=sbsl:abl,scale=iw:ih/2 0.92 --layout htb --projection hequirect
try asked_lens v360=hequirect:fisheye:in_stereo=sbs:out_stereo=sbs:h_fov=190:v_fov=190:w=1024:h=1024 0.93 --projection fisheye:190
try asked_mono crop=iw/2:ih:0:0,v360=hequirect:equirect:w=2048:h=1024 0.93 --projection equirect
