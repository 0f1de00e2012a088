#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards the summary of scripts/measure-gpu.sh: one page from the files of tests/files/gpu_results, whose figures are made up.  No goal may be called
# reached whose step failed or is missing, nor any where the device is no GPU or the engine's checks did not all pass.
summary() {
  sh "$VRS_SOURCE_DIR/scripts/measure-gpu.sh" summary results
}
fresh() { # TITLE
  rm -rf results
  cp -r "$VRS_TEST_DIR/files/gpu_results" results
  echo
  echo "## $1"
}
goals() {
  summary | sed -n '/^checks/p; /^GOAL/,/^$/p; /^missing/p; /^FAILED/,$p' | sed 's/  */ /g'
}
fail_step() { # TITLE
  awk -F '\t' -v OFS='\t' -v title="$1" '$3 == title { $1 = 134 } 1' results/steps.tsv >changed
  ! cmp -s changed results/steps.tsv
  mv changed results/steps.tsv
}
fresh 'a GPU'
summary
fresh 'a network failed after its line was written'
fail_step 'selfie_segmentation 256x256, batch 2, fp32'
goals
fresh 'a network was never run'
sed -i '/rvm_mobilenetv3 512x288, batch 1, fp32/d' results/steps.tsv
goals
fresh 'no figures of frames'
rm results/frames.jsonl
goals
fresh 'frames of another size'
sed -i 's/8192/4096/' results/frames.jsonl
goals
fresh 'no ceilings'
rm results/ceilings.json
goals
fresh 'a test of the engine failed'
fail_step test_ocl_conv
goals
fresh 'a test of the engine is missing'
sed -i '/test_ocl_conv/d' results/steps.tsv
goals
fresh 'mattes differ'
sed -i 's/0\.0002 0\.0003   1/0.0050 0.0090   1/' results/matte.txt
goals
fresh 'packed bytes differ'
sed -i 's/eaefe/eaeff/' results/packed_on.hash
goals
fresh 'a truncated number'
sed -i 's/"median_ms":0.45,/"median_ms":nan,/' results/networks.jsonl
goals
fresh 'not a GPU'
sed -i 's/"is_cpu": false/"is_cpu": true/' results/ceilings.json
goals
fresh 'an empty folder'
rm results/*
summary
