#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a network whose file was never fetched is an error that names the command, and the list says so too; the other networks are not in the way.
# The default is another one then, with one warning that names the command, but not where its manifest is damaged.  A program without any data folder
# says what to do.
unset $VRS_SMALL_NETWORK
mkdir -p alone/bin alone/share/vrseg/models
cp "$VRS_BIN/vrseg" alone/bin/
for name in rvm_mobilenetv3 example_softmax2; do
  cp "$VRS_SOURCE_DIR/configs/models/$name".* alone/share/vrseg/models/
done
export XDG_DATA_DIRS="$PWD/none"
alone/bin/vrseg "$VRS_DATA/person_flat.mp4" -m rvm_mobilenetv3 -o null: --progress none || echo "exit $?"
alone/bin/vrseg --list-models
alone/bin/vrseg "$VRS_DATA/person_flat.mp4" -m example_softmax2 -o null: --max-frames 2 --log-level error \
  --progress none >summary.txt && echo "the other runs"

# The default does without it, says so once, and with --strict does not.
selfie=$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite
[ -f "$selfie" ] || exit 77
cp "$VRS_SOURCE_DIR/configs/models/selfie_segmentation.yaml" "$selfie" alone/share/vrseg/models/
cut() { # NAME OPTION...
  name=$1
  shift
  alone/bin/vrseg "$VRS_DATA/person_flat.mp4" -o "hash:$name" -n 2 --progress none "$@" >summary.txt 2>messages
  grep rvm_mobilenetv3 messages || true
}
cut default
cut auto -m auto
cut selfie -m selfie_segmentation
cmp default selfie && cmp auto selfie && echo "the default is selfie_segmentation"
alone/bin/vrseg "$VRS_DATA/person_flat.mp4" -o null: -n 2 --strict --progress none || echo "exit $?"

echo 'file: [' >alone/share/vrseg/models/rvm_mobilenetv3.yaml
alone/bin/vrseg "$VRS_DATA/person_flat.mp4" -o null: -n 2 --progress none 2>messages || echo "exit $?"
sed 's#/[^ ]*/alone/#.../#' messages

mkdir -p bare/bin && cp "$VRS_BIN/vrseg" bare/bin/
bare/bin/vrseg "$VRS_DATA/person_flat.mp4" -o null: --progress none || echo "exit $?"
