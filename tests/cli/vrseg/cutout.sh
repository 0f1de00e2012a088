#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards --output-mode cutout: the file's alpha, decoded by FFmpeg, is the matte of mode matte in every kind of file; the colours are the film's, also
# where alpha is 0 (straight alpha); and names or encoders without transparency are refused with those that have it.
command -v ffmpeg >/dev/null || exit 77
clip=$VRS_DATA/person_vr180_sbs.mp4
vrseg "$clip" -o matte.mkv --encoder ffv1 --max-frames 2 --output-mode matte --log-level error >/dev/null

# peak signal-to-noise ratio of the alpha of $1 against the matte, in dB; at least $2
alpha_is_matte() {
  file=$1 least=$2
  shift 2
  psnr=$(ffmpeg -nostats -vsync 0 "$@" -i "$file" -i matte.mkv -lavfi \
    "[0:v]alphaextract,format=gray,settb=1/30,setpts=N[a];
     [1:v]scale=out_range=pc,format=gray,settb=1/30,setpts=N[b];[a][b]psnr=shortest=1" -f null - 2>&1 |
    sed -n 's/.*average:\([0-9a-z.]*\) .*/\1/p')
  echo "$psnr" | awk -v least="$least" -v file="$file" '
    { print file ": " ($1 == "inf" || $1 >= least ? "alpha is the matte" : "alpha differs, " $1 " dB") }'
}
cut() {
  vrseg "$clip" --max-frames 2 --output-mode cutout --log-level error "$@" >/dev/null
}
show() {
  ffprobe -v error -select_streams v -show_entries stream=codec_name,pix_fmt -of csv=p=0 "$1"
}
cut -o a.mkv
cut -o a.mov
cut -o a.webm
cut -o vp8.webm --encoder libvpx
cut -o "a_%03d.png"
cut -o png:folder
alpha_is_matte a.mkv 50
alpha_is_matte a.mov 45
alpha_is_matte a.webm 30 -c:v libvpx-vp9
alpha_is_matte vp8.webm 30 -c:v libvpx
alpha_is_matte "a_%03d.png" 50
alpha_is_matte folder/%06d.png 50
show a.mkv
show a.mov
ffprobe -v error -select_streams v -show_entries stream_tags=alpha_mode -of csv=p=0 a.webm | tr -d ,

# FFV1 without its alpha is the film, sample by sample
ffmpeg -v error -vsync 0 -i a.mkv -vf extractplanes=y -f rawvideo ours
ffmpeg -v error -vsync 0 -i "$clip" -frames:v 2 -vf extractplanes=y -f rawvideo films
cmp ours films && echo "colours are straight"

ffmpeg -v error -i "$clip" -frames:v 1 -pix_fmt yuv420p12le -c:v ffv1 deep.mkv
vrseg deep.mkv --output-mode cutout -o b.mkv --log-level error 2>&1 || :
rm deep.mkv
vrseg "$clip" --output-mode cutout -o a.mp4 2>&1 || :
vrseg "$clip" --output-mode cutout -o b.mkv --encoder libx264 2>&1 | grep -v layout || :
vrseg "$clip" --output-mode cutout -o "b_%d.jpg" 2>&1 || :
vrseg "$clip" --output-mode cutout -o "a_%03d.png" 2>&1 || :
ls
