#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards recurrent networks whose views follow people: the mattes do not depend on batches and threads; a still picture keeps its
# matte once the states have settled (in fp32: rounding to 16 bits may have a rhythm), whatever is searched; a new scene knows nothing of the
# one before.
clip=$VRS_DATA/person_vr180_sbs.mp4
net=$VRS_TEST_DIR/files/recurrent/colours.yaml
mattes() { # NAME OPTION...: a line for each frame
  name=$1
  shift
  vrseg "$clip" -m "$net" -o "hash:$name.txt" --output-mode matte --overwrite --no-cache --log-level error "$@" >/dev/null
}
mattes follow -n 40
mattes still -n 40 --no-follow
cmp -s follow.txt still.txt || echo "views follow"
for regions in 1 3; do
  mattes first -n 12 --max-regions $regions
  for how in "--batch-size 1" "--threads 2"; do
    mattes other -n 12 --max-regions $regions $how
    cmp first.txt other.txt && echo "$regions regions, $how: same"
  done
done
mattes other -n 12 --max-regions 3 --batch-size 6
cmp first.txt other.txt && echo "one batch for all regions: same"

# The small network of early exit leaves the states alone, and where it is enough they wait.
mattes first -n 12 --view-projection source
mattes other -n 12 --early-exit --early-exit-threshold 1
cmp first.txt other.txt && echo "early exit that never is enough: same"
mattes first -n 12 --early-exit --early-exit-threshold 0.9
cmp -s first.txt other.txt || echo "early exit settles some"
mattes other -n 12 --early-exit --early-exit-threshold 0.9 --batch-size 1 --threads 2
cmp first.txt other.txt && echo "early exit, --batch-size 1: same"

for how in "--stride 2" "--skip-similar" "--view-projection gnomonic" "--scales 2 --max-regions 2" \
  "--layout mono --projection equirect --max-regions 3"; do
  mattes first -n 8 $how
  mattes other -n 8 $how --batch-size 1 --threads 2
  cmp first.txt other.txt && echo "$how: same"
done

# From frame 30 on all is looked at for newcomers once more, beside what the states know.
ffmpeg -v error -i "$clip" -vf "trim=end_frame=1,loop=44:1,setpts=N/30/TB" -c:v ffv1 still.mkv
clip=still.mkv
for regions in 1 3; do
  mattes still --layout sbs --projection hequirect --max-regions $regions --precision fp32
  sed -n '26,45p' still.txt | cut -d' ' -f3 | sort -u >mattes.txt
  [ "$(wc -l <mattes.txt)" -eq 1 ] && echo "$regions regions: a search leaves the matte of a still picture alone"
done

# Another scene, and back: its first frame is that of a video that begins there.
ffmpeg -v error -i still.mkv -filter_complex \
  "[0]split[a][b];[b]negate,hflip,trim=end_frame=3[c];[a]trim=end_frame=3,setpts=N/30/TB[a1];[c]setpts=N/30/TB[c1];[a1][c1]concat" -c:v ffv1 cut.mkv
ffmpeg -v error -i cut.mkv -vf "trim=start_frame=3,setpts=N/30/TB" -c:v ffv1 second.mkv
clip=cut.mkv
mattes cut --layout sbs --projection hequirect --no-follow
clip=second.mkv
mattes second --layout sbs --projection hequirect --no-follow
[ "$(sed -n '4,6p' cut.txt | cut -d' ' -f3)" = "$(cut -d' ' -f3 second.txt)" ] && echo "a new scene begins anew"
