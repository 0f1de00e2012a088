#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards --profile-job: operators slowest first, shares of at most a whole, the time of all within that of the inference stage; and that what tells
# of one job is refused for several.
vrseg "$VRS_DATA/person_flat.mp4" -n 20 -o null: --profile-job --no-follow --log-level error --progress none >report
sed -n '/^operator/,/^and/p' report >operators
awk 'NR > 1 && /%/ { for (i = 1; i <= NF; i++) if ($i == "%") { ms = $(i - 2); share = $(i - 1); calls = $(i + 1) }
  if (NR > 2 && ms > last) print "not sorted: " $0
  if (calls != 20) print calls " calls: " $0
  last = ms; all += share; sum += ms; rows++ }
  END { print rows " operators"; if (all > 100.5 || all < 50) print all " %" }' operators
awk 'NR == FNR { if ($1 == "inference") stage = $3; next } /%/ { for (i = 1; i <= NF; i++) if ($i == "%") sum += $(i - 2) }
  END { if (sum > stage * 1.05) print sum " of " stage " ms" }' report operators
for flag in --live "--trace t.json" "--fail-on target"; do
  vrseg "$VRS_DATA/person_flat.mp4" "$VRS_DATA/person_vr180_sbs.mp4" --output-dir . $flag 2>words || echo "exit $?"
  sed "s|$VRS_DATA/||g" words
done
