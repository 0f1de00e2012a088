#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes a history of vrbench nightly with made-up figures: one case, its rate and IoU against a baseline, with a little noise that repeats.
#   make_nights.sh DIR NIGHTS [STEP_NIGHT STEP]    from STEP_NIGHT on the build is slower by the share STEP (0.05)
# Nights from STEP_NIGHT on have commit bbbbbbb..., those before aaaaaaa...
set -eu
mkdir -p "$1"
awk -v nights="$2" -v at="${3:-0}" -v step="${4:-0}" -v folder="$1" '
  BEGIN {
    for (n = 1; n <= nights; n++) {
      noise = ((n * 7919) % 13 - 6) / 3000          # within 0.2 %
      slow = at && n >= at ? step : 0
      cost = (1 + slow) * (1 + noise) - 1
      month = sprintf("%04d-%02d", 2026, 1 + int((n - 1) / 28))
      date = sprintf("%s-%02d", month, 1 + (n - 1) % 28)
      name = folder "/nights-" month ".jsonl"
      printf "{\"schema\":\"vrbench-history/1\",\"number\":%d,\"time\":%d,\"date_utc\":\"%sT02:00:00Z\",\"version\":\"0.1.0\",", n, \
        1767232800 + (n - 1) * 86400, date >> name
      printf "\"commit\":\"%s%03d\",\"sha256\":\"%064d\",\"baseline_sha256\":\"%064d\",\"fingerprint\":\"0000000000001234\",", \
        slow ? "bbbbbbb" : "aaaaaaa", n, n, 1 >> name
      printf "\"complete\":true,\"rounds\":10,\"command\":\"vrbench nightly\",\"gate\":\"passed\",\"outcome\":\"passed\",\"cases\":[{" >> name
      printf "\"input\":\"person.mp4\",\"input_hash\":\"0000000000000001\",\"id\":\"r=3840x1920/b=2/p=fp32/t=1\",\"metrics\":[" >> name
      printf "{\"metric\":\"fps\",\"unit\":\"frames/s\",\"a\":20,\"b\":%.5f,\"change\":%.5f,\"low\":%.5f,\"high\":%.5f,\"pairs\":10,", \
        20 / (1 + cost), cost, cost - 0.01, cost + 0.01 >> name
      printf "\"margin\":0.02,\"verdict\":\"EQUIVALENT\"},{\"metric\":\"iou\",\"a\":0.95,\"b\":0.95,\"change\":0,\"margin\":0.002," >> name
      printf "\"pairs\":1,\"verdict\":\"EQUIVALENT\"}]}]}\n" >> name
    }
  }'
printf '{"schema":"vrbench-history/1","kind":"accept","night":1,"time":1767232800,"date_utc":"2026-01-01T02:00:00Z","version":"0.1.0",%s"%064d",%s\n' \
  '"commit":"aaaaaaa001","sha256":' 1 '"reason":"the first night"}' >"$1/decisions.jsonl"
