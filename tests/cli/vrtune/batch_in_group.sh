#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards the search for the largest batch in a control group: batches that the group cannot hold are left out before they run, with what they need;
# the largest that it holds is found by bisection and runs there, and nothing is killed.
. "$VRS_TEST_DIR/memory_group.sh"
make_memory_group 500M || exit 77
cp "$VRS_DATA/person_flat.mp4" a.mp4
search() { # OPTION...
  (enter_memory_group && vrtune --auto-optimize --only batch_size --input-size 512x512 --streams 1 --threads 1 --precision fp32 --max-frames 60 \
    --progress none "$@" a.mp4)
}
search --dry-run >plan
sed -nE 's/^ *engine.batch_size [0-9 ]*32 +memory: needs about [0-9]+ MiB, the limit is 4[0-9]+ MiB.*/32 does not fit/p' plan
largest=$(sed -nE 's/^ *engine.batch_size +[0-9a-z]+ +([0-9 ]*[0-9]) +[a-z].*/\1/p' plan | tr ' ' '\n' | sort -n | tail -n 1)
[ "${largest:-0}" -gt 8 ] || { cat plan; echo "no batch is found"; }
search --quick --rounds 1 --output-dir runs >out 2>err || cat err
# The group's own pages count, too, so that the two searches see limits that differ.  A batch needs as much more as the plan says for up to 32.
limit() { sed -nE 's/^ *engine.batch_size [0-9 ]*32 +memory: needs about ([0-9]+) MiB, the limit is ([0-9]+) MiB.*/\'"$1"'/p' "$2"; }
first=$(limit 2 plan) second=$(limit 2 out) needs=$(limit 1 plan)
expected=$((largest + (second - first) * (32 - largest) / (needs - first)))
ran=$(grep -o '"id":"[^"]*' runs/journal.jsonl | sed -nE 's/.*\/b=([0-9]+).*/\1/p' | sort -n | tail -n 1)
[ "$ran" -ge $((expected - 1)) ] && [ "$ran" -le $((expected + 1)) ] && echo "the largest ran" || echo "$ran ran, not $expected"
grep -c '"status":"\(oom\|killed\|failed\)"' runs/journal.jsonl || true
# Told that there is more memory than the group has, the search finds the largest batch by runs: larger ones end for lack of memory.
set_memory_group 280M
search --batch-size 8-32 --quick --rounds 1 --memory-limit 64G >out 2>err || cat err
grep -oE '^ *engine.batch_size [0-9]+ and more +a run with [0-9]+ ran' out | sed -E 's/ +/ /g; s/[0-9]+/N/g'
grep -cE '^ *r=[^ ]*/b=[0-9]+/.* out of memory' out | sed 's/^[2-9].*/several/'
