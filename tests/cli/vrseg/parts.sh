#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: films in parts, by one process and by several, together with what speaks of the whole film.  Pictures, the comparison with a truth and the
# warnings of the container are those of one go; --max-frames and --every-nth leave exactly the same frames with the same times; a trace is one file
# over all processes; a comparison that was cut off goes on with its sums; what cannot be in parts is refused where it was asked for.
command -v ffmpeg >/dev/null || exit 77
cp "$VRS_DATA/person_flat_alpha.mkv" truth.mkv
truth=truth.mkv
cp "$VRS_DATA/person_flat.mp4" clip.mp4
export VRSEG_ENGINE_PRECISION=fp32 # the figures are the same on every machine
common="--encoder ffv1 --output-mode matte --progress none --overwrite"
frames() { ffmpeg -v error -i "$1" -map 0:v -fps_mode passthrough -f framemd5 - | grep -v '^#'; }
compare() { # OPTIONS: in one go, in parts, by processes
  vrseg clip.mp4 -o whole.mkv $common --segment-frames none "$@" >whole.txt 2>message
  frames whole.mkv >whole.md5
  for how in --no-processes "--processes --process-count 2"; do
    vrseg clip.mp4 -o parts.mkv $common --segment-frames 9 $how "$@" >parts.txt 2>message
    frames parts.mkv >parts.md5
    sed -i 1d parts.txt # the summary, which has the time
    if cmp whole.md5 parts.md5 && sed 1d whole.txt | cmp - parts.txt; then echo "$* $how: $(wc -l <parts.md5) frames"; fi
  done
}
compare --max-frames 40
compare --max-frames 36
compare --max-frames 1000
compare --every-nth 3 --max-frames 14
compare --truth "$truth"
compare --truth "$truth" --every-nth 2 --smoothing-window 5
sed 's/  *$//' whole.txt | sed 1d

echo "-- an uneven rate: more frames in the first half than the clock says"
ffmpeg -v error -i clip.mp4 -vf "setpts='if(lt(N,40),N,40+(N-40)*3)/30/TB'" -fps_mode vfr -c:v libx264 -preset ultrafast uneven.mp4
for count in 26 30 43; do
  vrseg uneven.mp4 -o whole.mkv $common --segment-frames none --max-frames $count --log-level error >whole.txt
  frames whole.mkv | cut -d, -f3 >whole.md5 # the times
  for how in --no-processes --processes; do
    vrseg uneven.mp4 -o parts.mkv $common --segment-frames 9 $how --max-frames $count --log-level error >parts.txt
    frames parts.mkv | cut -d, -f3 | cmp - whole.md5 && echo "$how: $(wc -l <whole.md5)"
  done
done
vrseg uneven.mp4 -o parts.mkv $common --segment-frames 9 --truth "$truth" --log-level error 2>&1 >parts.txt | sed 's/^vrseg: //' || true

echo "-- a comparison that is cut off"
env --default-signal=INT vrseg clip.mp4 -o parts.mkv $common --segment-frames 9 --truth "$truth" --trace trace.json >parts.txt 2>message &
pid=$!
while kill -0 $pid 2>/dev/null && [ "$(ls .parts.mkv.vrseg 2>/dev/null | grep -c '^segment')" -lt 3 ]; do sleep 0.02; done
kill -KILL $pid
wait $pid || true
vrseg clip.mp4 -o parts.mkv --encoder ffv1 --output-mode matte --progress none --segment-frames 9 --truth "$truth" --trace trace.json --overwrite \
  >parts.txt 2>message
grep -c 'continuing an unfinished run' message
vrseg clip.mp4 -o whole.mkv $common --segment-frames none --truth "$truth" >whole.txt 2>message
sed -i 1d whole.txt
sed 1d parts.txt | cmp - whole.txt

echo "-- a trace"
for how in "" --processes; do
  rm -f trace.json
  vrseg clip.mp4 -o parts.mkv $common --segment-frames 15 $how --trace trace.json >parts.txt 2>message
  python3 - <<'PY' 2>/dev/null || echo "no python"
import json
events = json.load(open("trace.json"))
ends = [e for e in events if e["ph"] == "f"]
print(len({e["pid"] for e in events}), "processes,", len({e["id"] for e in ends}), "arrows,",
      "ordered" if max(e["ts"] for e in events if "ts" in e) < 60e6 else "late")
PY
done
vrseg clip.mp4 -o new.mkv --encoder ffv1 --segment-frames 15 --trace trace.json --log-level error 2>&1 || echo "exit $?"

echo "-- once"
vrseg "$VRS_DATA/person_vr180_sbs.mp4" -o parts.mov --max-frames 20 --preset ultrafast --segment-frames 5 --progress none 2>message >parts.txt
sort message | uniq -d
grep -c layout message

echo "-- refused"
for with in "--segment-frames none" "--profile-job" "--live" "-o null:"; do
  vrseg clip.mp4 -o parts.mkv $common --processes $with 2>&1 >parts.txt || echo "exit $?"
done
vrseg clip.mp4 -o parts.mkv $common --resume --profile-job 2>&1 >parts.txt || echo "exit $?"
rm -f ./*.txt ./*.md5 message
ls -A
