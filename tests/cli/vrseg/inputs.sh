#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: what films come as.  One truth clip in many containers, codecs, samplings, depths, ranges, matrices, sizes, rates and states; each must give
# mattes that agree with the truth, and say what is special about it.
clip=$VRS_DATA/person_flat.mp4
alpha=$VRS_DATA/person_flat_alpha.mkv
make="ffmpeg -v error -y -i $clip -frames:v 4"
x264="-c:v libx264 -preset ultrafast -crf 12"

# try NAME FILE [TRUTH]
try() {
  vrseg "$2" -o null: --layout mono --truth "${3:-$alpha}" --max-frames 4 >out.txt 2>err.txt || cat err.txt
  awk -v name="$1" '$2 == "frame" { print name ":", $3, "frames", ($4 > 0.955 ? "good" : "IoU " $4) }' out.txt
  grep -e turned -e mirrored -e converted -e HDR -e interlaced -e matrix -e "video streams" -e damaged err.txt | sed 's/^vrseg: /  /'
}

# containers and codecs
$make -an -c:v mjpeg -q:v 2 a.avi && try mjpeg a.avi
$make -an -c:v mpeg2video -q:v 2 a.ts && try mpeg2 a.ts
$make -an -c:v libvpx-vp9 -deadline realtime -cpu-used 8 -crf 10 -b:v 0 a.webm && try vp9 a.webm
$make -an -c:v prores_ks -profile:v 3 a.mov && try "prores 4:2:2, 10 bits" a.mov
$make -an -c:v ffv1 -pix_fmt yuv444p16 a.mkv && try "ffv1 4:4:4, 16 bits" a.mkv
$make -an -c:v png a.mkv && try "png, rgb" a.mkv
# samplings, depths, ranges, matrices
$make $x264 -pix_fmt yuv420p10 a.mp4 && try "4:2:0, 10 bits" a.mp4
$make -c:v ffv1 -pix_fmt yuv422p12 a.mkv && try "4:2:2, 12 bits" a.mkv
$make $x264 -vf scale=out_range=full -color_range pc a.mp4 && try "full range" a.mp4
$make $x264 -vf scale=out_color_matrix=bt709 -colorspace bt709 a.mp4 && try bt.709 a.mp4
$make $x264 -vf scale=out_color_matrix=bt2020nc -colorspace bt2020nc a.mp4 && try bt.2020 a.mp4
$make -c:v ffv1 -vf scale=639:477 -pix_fmt yuv420p a.mkv
ffmpeg -v error -y -i "$alpha" -frames:v 4 -vf scale=639:477 -c:v ffv1 -pix_fmt gray truth.mkv && try "odd size" a.mkv truth.mkv
# light: SDR as PQ, code value by code value (ITU-R BT.2100)
light="pow(0.0203*pow(val/65535,2.4),0.1593017578125)"
pq="pow((0.8359375+18.8515625*$light)/(1+18.6875*$light),78.84375)*65535"
$make -an -c:v ffv1 -vf "format=gbrp16,lutrgb=r='$pq':g='$pq':b='$pq',scale=out_color_matrix=bt709,format=yuv420p10" \
  -colorspace bt709 -color_trc smpte2084 \
  -color_primaries bt709 a.mkv && try PQ a.mkv
# rates and times
$make $x264 -vf "setpts='if(lt(N,2),N,N*3)/30/TB'" -vsync vfr a.mp4 && try "variable rate" a.mp4
$make $x264 -bsf:v "setts=pts=N*0:dts=N*0" -f h264 a.h264 && try "no time stamps" a.h264
# turned: made to stand on its head or side, with a matrix that says so
$make $x264 -vf hflip,vflip -metadata:s:v rotate=180 b.mp4
ffmpeg -v error -y -i b.mp4 -c copy -metadata:s:v rotate=180 a.mp4 && try "head down" a.mp4
$make $x264 -vf transpose=cclock b.mp4
ffmpeg -v error -y -i b.mp4 -c copy -metadata:s:v rotate=270 a.mp4 && try "on its side" a.mp4
# states
$make $x264 -flags +ilme+ildct -x264-params tff=1 a.mp4 && try interlaced a.mp4
$make $x264 -colorspace bt2020c a.mp4 && try matrix a.mp4
$make -an $x264 film.mp4
ffmpeg -v error -y -f lavfi -i color=red:s=64x64:r=30 -frames:v 1 cover.png
ffmpeg -v error -y -f lavfi -i color=red:s=64x64:r=30 -frames:v 4 $x264 red.mp4
ffmpeg -v error -y -i cover.png -i film.mp4 -map 0 -map 1 -c copy -disposition:v:0 attached_pic a.mp4 && try "with a cover" a.mp4
ffmpeg -v error -y -i red.mp4 -i film.mp4 -map 0 -map 1 -c copy a.mkv && try "two films" a.mkv
ffmpeg -v error -y -f lavfi -i sine=d=1 a.m4a && try "sound alone" a.m4a
