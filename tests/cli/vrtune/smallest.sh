#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards --objective size: of settings that keep the speed the one with the smallest output is chosen, with what that is sure to be, and the command
# in the saved file comes to the same verdict.
cp "$VRS_DATA/person_flat.mp4" a.mp4
vrtune --auto-optimize --quick --rounds 8 --objective size --target-fps 1 --only crf --crf 20,22 --threads 1 --precision fp32 \
  --max-frames 12 --progress none --save-config my.yaml a.mp4 >out 2>err || cat err
sed -nE 's/ (fps|low|delta|bytes)=[-+0-9.%]*//g; /^VERDICT/p' out
tr '\n' ' ' <out | grep -oE 'its output has 0\.[0-9]+ times the size' | sed 's/0\.[0-9]*/N/'
grep -oE '^ *crf: [0-9]+' my.yaml
command=$(sed -n 's/^# Check again with: //p' my.yaml)
echo "$command"
eval "$command --runs 8 --duration 0.1 --warmup 0.1 --min-frames 24 --gates off" >again 2>err || cat err
grep -oE '^VERDICT [A-Z]+ metric=[a-z]+' again
