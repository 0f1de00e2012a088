#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards what vrseg does when nobody chooses: Robust Video Matting with refined edges where it is installed, as profile balanced; profile fast is the
# small network; caches and unfinished videos hold the network, not the word auto; options that a recurrent network cannot have are lowered with
# a warning, and refused where the network was named.  missing_network.sh has the machine without it.
unset $VRS_SMALL_NETWORK
if vrseg --list-models | grep -q '^rvm_mobilenetv3 .*not installed'; then exit 77; fi
clip=$VRS_DATA/person_vr180_sbs.mp4
cut() { # NAME OPTION...
  name=$1
  shift
  vrseg "$clip" -o "hash:$name" -n 2 --overwrite --progress none "$@" >summary 2>messages
  sed -n 's/^vrseg: network \([^ ]*\) at \([^ ]*\) .*/'"$name"': \1, \2/p; s/^vrseg: \(mattes of .* cache\)$/'"$name"': \1/p' messages
}
same() { cmp "$1" "$2" && echo "$1 is $2"; }
refused() {
  if vrseg "$clip" -o null: -n 1 --progress none --streams 2 "$@" 2>messages; then exit 1; else echo "exit $?: $(tail -n 1 messages)"; fi
}
cut default
cut named -m rvm_mobilenetv3 --refine
same default named
cut balanced --profile balanced
same default balanced
cut fast --profile fast
cut former -m selfie_segmentation --no-refine
echo "-- options"
vrseg --list-options | sed -n '/^engine.model$/,/values:/p; /^matte.refine$/,/values:/p'
vrseg --dump-config | grep -E '^  (model|refine): ' | tr -s ' '
echo "-- lowered"
cut lowered --streams 2 --batch-size 64
same default lowered
grep warning: messages
refused --strict
refused -m rvm_mobilenetv3
echo "-- a cache"
cut cached --cache --cache-dir cache
cut cached --cache --cache-dir cache -m rvm_mobilenetv3
cut small --cache --cache-dir cache -m selfie_segmentation
same default cached
echo "-- an unfinished video"
ffmpeg -v error -i "$clip" -vf scale=512:256 -frames:v 30 -c:v libx264 -preset ultrafast -an short_180_sbs.mp4
common="--segment-frames 5 --preset ultrafast --progress none"
vrseg short_180_sbs.mp4 -o whole.mp4 $common >summary 2>messages
vrseg short_180_sbs.mp4 -o out.mp4 $common >summary 2>messages &
pid=$!
while kill -0 $pid 2>/dev/null && [ "$(ls .out.mp4.vrseg 2>/dev/null | grep -c '^segment.*part')" -lt 2 ]; do sleep 0.02; done
kill -KILL $pid
wait $pid || true
vrseg short_180_sbs.mp4 -o out.mp4 $common -m selfie_segmentation >summary 2>messages || echo "exit $?"
sed -n 's/.*of an unfinished run that/unfinished, that/p' messages
vrseg short_180_sbs.mp4 -o out.mp4 $common -m rvm_mobilenetv3 >summary 2>messages
sed -n 's/.*unfinished run: [0-9]* of/unfinished: N of/p' messages
same whole.mp4 out.mp4
