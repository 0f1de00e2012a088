#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a run that is killed goes on where it stopped, whatever the number of streams and the batch size then are, and the file is the same to the
# byte as that of a run in one go: both eyes, smoothing over time, audio.  Unfinished work of other options is explained and kept, --no-resume starts
# anew, an interrupted run leaves a file that plays and is replaced by the next one, a damaged segment is made again, and nothing hidden stays.
# The progress of a run that goes on counts the frames of the run before: it ends at the last frame, with no time left; its rate is its own.
command -v ffmpeg >/dev/null || exit 77
clip=clip_180_sbs.mp4
ffmpeg -v error -i "$VRS_DATA/person_vr180_sbs.mp4" -vf scale=1024:512 -c:v libx264 -preset veryfast -g 25 -c:a copy $clip
common="--segment-frames 10 --smoothing 0.5 --preset ultrafast --progress none"
segments() { ls .out.mp4.vrseg | grep -c '^segment' || true; }
start_until() { # COUNT: in the background, until that many segments are there
  env --default-signal=INT vrseg "$clip" -o out.mp4 $common 2>message >summary &
  pid=$!
  while kill -0 $pid 2>/dev/null && [ "$(ls .out.mp4.vrseg 2>/dev/null | grep -c '^segment')" -lt "$1" ]; do sleep 0.02; done
}
vrseg "$clip" -o whole.mp4 $common --log-level warning >summary
ended() { # frame, frames_total and remaining_s of the last progress line, and whether the rate is that of the frames made here
  made=$(sed 's/ .*//' summary)
  grep '"done": true' message | jq -r --argjson made "$made" \
    '(if (.frames_per_s * .elapsed_s - $made | fabs) < 0.5 then "this run" else . end) as $whose |
      "\(.frame) of \(.frames_total), \(.remaining_s) s left, rate of \($whose)"'
}
for kill_at in 1 2 5; do
  start_until $kill_at
  kill -KILL $pid
  code=0
  wait $pid || code=$?
  vrseg "$clip" -o out.mp4 $common --progress json --streams 2 --batch-size $((kill_at + 1)) >summary 2>message
  ended
  kept=$(sed -n 's/.*unfinished run: \([0-9]*\) of 60.*/\1/p' message)
  echo "$code $((made + ${kept:-0})) $(cmp whole.mp4 out.mp4 && echo same)"
  test "${kept:-0}" -ge $((10 * kill_at - 10)) || echo "$kept frames were kept"
  rm out.mp4
done
ls -A

echo "-- by processes"
start_until 3
kill -KILL $pid
wait $pid || true
vrseg "$clip" -o out.mp4 $common --progress json --processes --process-count 2 --metrics-file run.prom >summary 2>message
ended
cmp whole.mp4 out.mp4
awk '$1 ~ /^vrseg_video_frames(_expected)?$/' run.prom
test "$(awk '$1 == "vrseg_frames_total" { print $2 }' run.prom)" = "$made"
rm out.mp4 run.prom

echo "-- other options"
start_until 2
kill -KILL $pid
wait $pid || true
code=0
vrseg "$clip" -o out.mp4 $common --crf 30 >summary 2>message || code=$?
sed -n 's/[0-9]* frames of/N frames of/; s/.*holds/holds/p' message
echo "exit $code"
echo "{" >.out.mp4.vrseg/checkpoint.json
vrseg "$clip" -o out.mp4 $common >summary 2>message || echo "exit $?: $(tail -n 1 message)"
vrseg "$clip" -o out.mp4 $common --no-resume >summary 2>message
grep -c 'unfinished' message || true
cmp whole.mp4 out.mp4
rm out.mp4

echo "-- another lens, by the name"
plain=$clip clip=clip_FISHEYE190_LR.mp4
mv $plain $clip
start_until 2
kill -KILL $pid
wait $pid || true
mv $clip clip_MKX220_LR.mp4
code=0
vrseg clip_MKX220_LR.mp4 -o out.mp4 $common >summary 2>message || code=$?
sed -n 's/[0-9]* frames of/N frames of/; s/.*holds/holds/p' message
echo "exit $code"
rm -r .out.mp4.vrseg
mv clip_MKX220_LR.mp4 $plain
clip=$plain

echo "-- interrupted"
mkdir .out.mp4.vrseg
echo torn >.out.mp4.vrseg/.output.01234567-0123456789abcdef.part # of a run that was killed while it joined, on whatever machine
start_until 2
kill -INT $pid
code=0
wait $pid || code=$?
frames=$(sed -n 's/.*after \([0-9]*\) frames, which are saved; run the same command to continue/\1/p' message)
echo "exit $code"
found=$(ffprobe -v error -count_frames -select_streams v:0 -show_entries stream=nb_read_frames -of csv=p=0 out.mp4 | tr -d ,)
test "$found" = "$frames" || echo "the file holds $found frames, not $frames"
printf damaged >.out.mp4.vrseg/segment-000000.part
vrseg "$clip" -o out.mp4 $common --skip-existing >summary 2>message
grep -c "out.mp4 is unfinished; going on with it" message
grep -c 'missing or damaged; making its 10 frames again' message
cmp whole.mp4 out.mp4
rm out.mp4

echo "-- other bytes in a segment, and a folder in place of one"
start_until 3
kill -KILL $pid
wait $pid || true
printf x | dd of=.out.mp4.vrseg/segment-000000.part bs=1 seek=2000 conv=notrunc status=none
rm .out.mp4.vrseg/segment-000001.part
mkdir .out.mp4.vrseg/segment-000001.part
vrseg "$clip" -o out.mp4 $common >summary 2>message
grep -o 'segment-00000[01].part is missing or damaged; making its 10 frames again' message
cmp whole.mp4 out.mp4
rm message summary
ls -A
