#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: --foreground gives soft edges other colours in every mode that shows them, and leaves mattes and alpha as they are; auto goes by the network
# and by --despill; what it contradicts is refused; the result does not depend on streams.
clip=$VRS_DATA/person_vr180_sbs.mp4
net=example_matting

# compose NAME OPTION...
compose() {
  name=$1
  shift
  vrseg "$clip" -o "hash:$name.txt" --max-frames 3 --log-level error --progress none "$@" >/dev/null
}

compare() { # NAME NAME
  cmp -s "$1.txt" "$2.txt" && echo "$1 and $2: the same" || echo "$1 and $2: different"
}

for mode in green cutout alpha; do
  for when in on off auto; do
    compose $mode-$when -m $net --output-mode $mode --foreground $when
  done
  compare $mode-on $mode-off
  compare $mode-on $mode-auto
done
compose small-auto -m example_softmax2
compose small-off -m example_softmax2 --foreground off
compare small-auto small-off
compose despill-auto -m $net --despill 0.5
compose despill-off -m $net --despill 0.5 --foreground off
compare despill-auto despill-off
compose softmax-one -m example_softmax2 --foreground on --streams 1
compose softmax-two -m example_softmax2 --foreground on --streams 2
compare softmax-one softmax-two

# The alpha plane of a cutout.
for when in on off; do
  vrseg "$clip" -m $net -o cut-$when.mkv --encoder ffv1 --output-mode cutout --foreground $when --max-frames 3 --log-level error \
    --progress none >/dev/null
  ffmpeg -v error -i cut-$when.mkv -vf extractplanes=a -f framemd5 - | grep -v '^#' >alpha-$when.txt
done
compare alpha-on alpha-off

vrseg "$clip" -m $net -o null: --foreground on --despill 1 || echo "exit $?"
vrseg "$clip" -m $net -o null: --foreground on --output-mode matte || echo "exit $?"
