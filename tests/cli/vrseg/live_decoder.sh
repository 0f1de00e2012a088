#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards a live film that cannot be decoded at its rate: it still ends on time, what is left out before decoding is told and counted as dropped,
# pictures that are shown keep the time that they have in the film, and the sound is all there.
command -v ffmpeg >/dev/null || exit 77
ffmpeg -v error -f lavfi -i testsrc2=s=640x360:r=100:d=4 -c:v libx264 -preset ultrafast -bf 2 -g 40 part.mp4 </dev/null
for _ in $(seq 40); do echo "file $PWD/part.mp4"; done >parts
ffmpeg -v error -f concat -safe 0 -i parts -c copy long.mkv </dev/null
# 16000 frames in two seconds
ffmpeg -v error -itsscale 0.0125 -i long.mkv -f lavfi -i sine=d=2 -c:v copy -video_track_timescale 160000 -c:a flac -strict -2 film.mp4 </dev/null

begin=$(date +%s)
vrseg film.mp4 --live -o cut.mkv --preset ultrafast --progress none >summary 2>messages
seconds=$(($(date +%s) - begin))
test "$seconds" -le 20 || echo "took $seconds seconds"
grep -o 'decodes too slowly for its rate' messages
shown=$(sed -n 's/^\([0-9]*\) frames\{0,1\} in.*/\1/p' summary)
came=$(sed -n 's/^live: \([0-9]*\) frames came, .*/\1/p' summary)
dropped=$(sed -n 's/^live: .* came, \([0-9]*\) dropped.*/\1/p' summary)
skipped=$(sed -n 's/^decoding was too slow: \([0-9]*\) of the dropped frames were left out before it$/\1/p' summary)
echo "$came came"
test $((shown + dropped)) -eq "$came" || cat summary
test "${skipped:-0}" -ge 1000 && test "$skipped" -le "$dropped" || cat summary
# times in ms; those of mkv are rounded to them
stamps() {
  ffprobe -v error -select_streams v -show_entries packet=pts_time -of csv=p=0 "$1"
}
stamps film.mp4 | awk -F, '{printf "%d\n%d\n", $1 * 1000, $1 * 1000 + 1}' | sort -u >film_times
stamps cut.mkv | awk -F, '{printf "%d\n", $1 * 1000 + 0.5}' | sort -u >cut_times
test "$(comm -23 cut_times film_times | wc -l)" -eq 0 && echo "times are those of the film"
for file in film.mp4 cut.mkv; do ffmpeg -v error -i $file -map 0:a -c copy -f md5 -; done | uniq | wc -l
