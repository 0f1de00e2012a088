#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: the command in a saved file comes to the verdict that the search came to.  Half the work of this clip is encoding, so that the fastest
# preset gains much; the file names what the preset was, what the output costs now, and what is left of the limit.
cp "$VRS_DATA/person_flat.mp4" "a clip.mp4"
vrtune --auto-optimize --quick --only preset --max-bitrate 100 --precision fp32 --threads 1 \
  --save-config plain.yaml --progress none "a clip.mp4" >out 2>err
grep -o '^VERDICT FASTER metric=fps' out
grep -oE '^# Chosen: output.preset: (ultra|super)fast; it was veryfast$' plain.yaml | sed 's/ultrafast\|superfast/FAST/'
grep -cE '^# Output: [0-9]+ kbit/s; default [0-9]+$' plain.yaml
grep -oE '^# Bit rate: at most 100000 kbit/s' plain.yaml
grep -cE '^  preset: (ultra|super)fast( |$)' plain.yaml
# What the user set is in the file too, so that side A is the same command with the preset of before.
command=$(sed -n 's/^# Check again with: //p' plain.yaml)
echo "$command"
code=0
eval "$command --runs 8 --duration 1.5 --warmup 0.5 --min-frames 10 --gates off" >again 2>err || code=$?
grep -o '^VERDICT FASTER metric=fps' again
echo "exit $code"
