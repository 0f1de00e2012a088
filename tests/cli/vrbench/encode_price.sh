#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: an encoder's speed has its price beside it. Size and bit rate are those of the file, a coarser picture is less like what the encoder was
# given, a lossless one is the same, each setting of the output is compared once, and what is not encoded has neither size nor likeness.
clip=$VRS_DATA/person_flat.mp4
short="--runs 2 --duration 0.2 --warmup 0.1 --min-frames 5 --gates off --no-graphs --precision fp32 --batch-size 1"
values() {
  tr -d '\t\n' <"$1/results.json" | grep -oE '"id":"r=[^"]*"|"(output_bytes_per_frame|output_kbps|encode_ssim)":[0-9.]*' | tr -d '"'
}
vrbench $short --threads 1 --set output.crf=12,40 --output-dir crf "$clip" >/dev/null 2>&1
values crf | awk -F: '
  $1 == "id" { n++; id[n] = $2 }
  $1 == "output_bytes_per_frame" { bytes[n] = $2 }
  $1 == "output_kbps" { rate[n] = $2 }
  $1 == "encode_ssim" { ssim[n] = $2; compared[n]++ }
  END {
    for (i = 1; i <= n; i++)
      fine = id[i] ~ /crf=12/ ? i : fine
    for (i = 1; i <= n; i++)
      coarse = id[i] ~ /crf=40/ ? i : coarse
    print "compared", compared[fine], compared[coarse]
    print "smaller", (bytes[coarse] < bytes[fine] / 2)
    print "less like", (ssim[coarse] < ssim[fine] - 0.01 && ssim[fine] > 0.98 && ssim[fine] < 1)
    print "30 frames a second", (rate[fine] > 0.2399 * bytes[fine] && rate[fine] < 0.2401 * bytes[fine])
  }'
# What has the default's output is compared for the default alone; both sides of an A/B are.
vrbench $short --threads 1,2 --encoder ffv1 --output-dir lossless "$clip" >/dev/null 2>&1
values lossless | grep -c '^output_bytes'
values lossless | grep '^encode_ssim'
vrbench --versus output.crf=40 --runs 2 --duration 0.1 --warmup 0.1 --min-frames 2 \
  --gates off --no-graphs --output-dir sides "$clip" >/dev/null 2>&1 || true # two pairs decide nothing
values sides | grep -c '^encode_ssim'
vrbench $short --threads 1 --scope pipeline_no_io --set output.crf=12 --output-dir none "$clip" >/dev/null 2>&1
values none | grep -c "^output\|^encode" || true
ls crf crf/work 2>/dev/null | grep -c "plain\|run.mkv" || true
# What a profile says about the encoder, and the one at hand lacks, gives way; what was typed does not.
once="--runs 1 --duration 0.1 --warmup 0.1 --min-frames 2 --gates off --no-graphs --precision fp32 --threads 1"
code=0
vrbench $once --profile quality --encoder ffv1 --output-dir gives_way "$clip" >/dev/null 2>&1 || code=$?
echo "exit $code"
vrbench $once --crf 30 --encoder ffv1 --output-dir typed "$clip" 2>&1 >/dev/null | grep -o 'encoder ffv1 has no crf; leave --crf out'
