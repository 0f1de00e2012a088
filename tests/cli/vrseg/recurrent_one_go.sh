#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards the pictures of videos in segments with a recurrent network: they are those of one go, whatever frames remember (people, views, states,
# smoothing to both sides, what is skipped, scenes), figures of --truth included; cached mattes bring along what the next segment needs.
command -v ffmpeg >/dev/null || exit 77
net=$VRS_TEST_DIR/files/recurrent/colours.yaml
ffmpeg -v error -i "$VRS_DATA/person_vr180_sbs.mp4" -vf scale=512:256 -frames:v 36 -an -c:v libx264 -preset veryfast -g 25 clip_180_sbs.mp4
ffmpeg -v error -i "$VRS_DATA/person_vr180_sbs_alpha.mkv" -vf scale=512:256 -frames:v 36 -c:v ffv1 truth.mkv
ffmpeg -v error -i clip_180_sbs.mp4 -vf "negate=enable='between(n,13,25)'" -c:v ffv1 cut_180_sbs.mkv
video() { # NAME OPTION...
  name=$1
  shift
  vrseg "$clip" -m "$net" -o "$name" --overwrite --progress none "$@" 2>messages
}
for how in "" "--smoothing 0.5 --max-regions 1 --stride 2" "--smoothing-window 4 --repair-eyes union" "--skip-similar --max-regions 1" \
  "--layout mono --projection equirect --max-regions 3 --refine" "--max-regions 1 --scales 2 --early-exit --early-exit-threshold 0.9" \
  "--view-projection gnomonic --max-regions 1 --every-nth 2" "--max-regions 3 --batch-size 6 --start 0.2 --max-frames 25" \
  "--no-follow" "cut"; do
  clip=clip_180_sbs.mp4 options=$how
  [ "$how" != cut ] || clip=cut_180_sbs.mkv options=
  for frames in none 8; do
    # shellcheck disable=SC2086
    video $frames.mkv --encoder ffv1 --output-mode matte --segment-frames $frames --truth truth.mkv $options | grep -v "frames/s" >$frames.truth
    ffmpeg -v error -i $frames.mkv -map 0:v -f framemd5 $frames.txt -y
  done
  cmp none.txt 8.txt && diff none.truth 8.truth && echo "${how:-default}: same"
done

echo "-- cached"
clip=clip_180_sbs.mp4
cached="--segment-frames 8 --smoothing-window 3 --preset ultrafast"
# shellcheck disable=SC2086
video whole.mp4 $cached >summary
for run in first second third; do
  # shellcheck disable=SC2086
  video out.mp4 $cached --cache --cache-dir cache >summary
  # equal lines of the log are written once: segments of 8 frames, and the last one
  echo "$run: $(grep -c 'come from the cache' messages), $(find cache -name '*.mattes' | wc -l) files, $(cmp whole.mp4 out.mp4 && echo same)"
  # shellcheck disable=SC2012
  [ $run != second ] || ls -tr cache/* | sed -n '2,3p' | xargs rm # segments whose neighbours stay
done
