#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: a network whose file was never fetched is an error that names the command, and the list says so too; the other networks are not in the way.
# The network "auto" is another one then, with a warning.
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

# "auto" does without it, says so once, and with --strict does not
selfie=$VRS_BIN/../../share/vrseg/models/selfie_segmentation.tflite
[ -f "$selfie" ] || exit 77
cp "$VRS_SOURCE_DIR/configs/models/selfie_segmentation.yaml" "$selfie" alone/share/vrseg/models/
alone/bin/vrseg "$VRS_DATA/person_flat.mp4" -m auto -o null: -n 2 --stats --progress none 2>&1 >summary.txt | grep rvm_mobilenetv3
alone/bin/vrseg "$VRS_DATA/person_flat.mp4" -m auto -o null: -n 2 --strict --progress none || echo "exit $?"
