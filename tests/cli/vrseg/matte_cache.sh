#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: with --cache a second output from the same input does without the network and shows the same pictures; other matte options, another network
# size, another field of view of packed mattes or other bytes of the input do not take what is there; damaged files and those of other jobs are
# noticed and made again; the least recently used go when there is no room.
cp "$VRS_DATA/person_flat.mp4" clip.mp4
cut() { # NAME OPTION...
  name=$1
  shift
  case " $* " in *' --cache '*) set -- "$@" --cache-dir cache ;; esac
  vrseg clip.mp4 -o "hash:$name" --overwrite --smoothing 0.5 --progress none "$@" >summary 2>messages
  sed -n 's/^vrseg: \(mattes of .* cache\)$/\1/p; s/.*\(cached mattes\) .*\(are damaged, or of another job; making them again\)/\1 \2/p' messages
}
same() { cmp "$1" "$2" && echo "$1 and $2 are the same"; }
cut plain.txt
cut first.txt --cache
cut second.txt --cache --streams 3 --batch-size 3 --stats
same plain.txt first.txt
same plain.txt second.txt
echo "$(awk '$1 == "inference" { print $3 }' summary) ms of inference a frame"
echo "-- another colour"
cut blue_plain.txt --color 0000ff
cut blue.txt --cache --color 0000ff
same blue_plain.txt blue.txt
echo "-- other options"
cut cutoff.txt --cache --cutoff 0.4
cmp -s plain.txt cutoff.txt || echo differs
ls cache | wc -l
echo "-- the files of two jobs, each under the other's name"
set -- cache/*
mv "$1" third && mv "$2" "$1" && mv third "$2"
cut swapped.txt --cache
same plain.txt swapped.txt
echo "-- in parts"
vrseg clip.mp4 -o a.mp4 --preset ultrafast --segment-frames 15 --cache --cache-dir cache --progress none >summary 2>messages
vrseg clip.mp4 -o b.mp4 --preset ultrafast --segment-frames 15 --cache --cache-dir cache --progress none --stats >summary 2>messages
grep -c 'mattes of 15 frames come from the cache' messages
echo "$(awk '$1 == "inference" { print $3 }' summary) ms of inference a frame"
cmp a.mp4 b.mp4
ls cache | wc -l
echo "-- damaged"
for file in cache/*; do printf x | dd of="$file" bs=1 seek=3000 conv=notrunc 2>/dev/null; done
cut again.txt --cache
same plain.txt again.txt
echo "-- the same input at another time"
touch -d '2001-02-03' clip.mp4
cut touched.txt --cache
same plain.txt touched.txt
echo "-- another input of the same size and time"
raw() { # NAME
  vrseg clip.y4m -o "hash:$1" --overwrite --cache --cache-dir raw --progress none 2>&1 >summary | sed -n 's/^vrseg: \(mattes of .* cache\)$/\1/p'
}
ffmpeg -v error -i clip.mp4 -frames:v 8 clip.y4m
cp -p clip.y4m old.y4m
raw former.txt
head -c 150000 /dev/zero | dd of=clip.y4m bs=10000 seek=4 conv=notrunc status=none
touch -r old.y4m clip.y4m
raw other.txt
cmp -s former.txt other.txt || echo differs
cp old.y4m clip.y4m
raw again.txt
same former.txt again.txt
echo "-- no room"
cut small.txt --cache --cache-size 0 --gamma 1.5
ls cache | wc -l
echo "-- another field of view, and back"
pack() { # NAME FOV
  cp "$VRS_DATA/person_vr180_sbs.mp4" vr.mp4
  touch -d '2001-02-03' vr.mp4
  vrseg vr.mp4 -o "hash:$1" --overwrite --max-frames 4 --output-mode alpha --max-regions 2 --cache --cache-dir packed --fov "$2" \
    --progress none 2>&1 >summary | sed -n 's/^vrseg: \(mattes of .* cache\)$/\1/p; /damaged/p'
}
pack first_180.txt 180
pack first_200.txt 200
pack again_180.txt 180
same first_180.txt again_180.txt
ls packed | wc -l
echo "-- no folder for it"
: >taken
vrseg clip.mp4 -o null: --max-frames 2 --progress none --cache --cache-dir taken/mattes 2>&1 >summary | grep -i 'not cached'
