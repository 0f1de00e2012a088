#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards docs/monitoring: Debian's prometheus, with the configuration that stands there, scrapes a running vrseg and vrbench and evaluates the rules;
# every metric that the rules, the dashboard and the tables of docs/monitoring.md name comes out of them, and the tables name all that come out.
command -v prometheus >/dev/null && command -v promtool >/dev/null || exit 77
docs=$VRS_SOURCE_DIR/docs
cp "$docs/monitoring/alerts.yml" "$VRS_TEST_DIR/monitoring/alerts.test.yml" .
promtool check rules alerts.yml
promtool test rules alerts.test.yml

# A live job of two eyes has all metrics, on machines that have all sensors between them; those of GPUs, whose driver is not here, are added.
for machine in hybrid-laptop numa-server; do
  VRSEG_ROOT=$VRS_TEST_DIR/machines/$machine vrseg "$VRS_DATA/person_vr180_sbs.mp4" -o null: --live --metrics-file $machine.prom --progress none \
    --log-level error >/dev/null
done
bench() { # FLAG...
  vrbench "$VRS_DATA/person_flat.mp4" --precision fp32 --threads 1 --warmup 0.1 --duration 0.3 --min-frames 2 --max-frames 12 --no-graphs "$@"
}
for machine in hybrid-laptop numa-server; do
  VRSEG_ROOT=$VRS_TEST_DIR/machines/$machine bench --runs 1 --metrics-file bench-$machine.prom --output-dir bench-$machine >/dev/null 2>&1
done
# A night that records, and one that compares with a slowed build: what one of them lacks, the other has.
night() { # FLAG...
  vrbench nightly "$VRS_DATA/person_flat.mp4" --filter p=fp32 --runs 1 --warmup 0.1 --duration 0.3 --min-frames 2 --gates off \
    --progress none "$@" || [ $? -eq 11 ]
}
night --history first --metrics-file first.prom >/dev/null 2>&1
night --history slowed --metrics-file slowed.prom --baseline "$VRS_BIN/vrbench" --inject-slowdown 20% >/dev/null 2>&1
names() {
  grep -oE '\bvr(seg|bench)_[a-z_]+' | sed -E 's/_(total|bucket|sum|count)$//' | sort -u
}
{
  sed -n 's/^# TYPE \([a-z_]*\) .*/\1/p' ./*.prom
  for program in vrseg vrbench; do printf "${program}_device_%s\n" busy_ratio memory_bytes throttled; done
} | names >real
sed -n 's/^| `\([a-z_]*\)`.*/\1/p' "$docs/monitoring.md" | names >in_table
echo "in the table and not in vrseg, or the other way:"
comm -3 real in_table
echo "in rules or dashboard and not in vrseg:"
cat "$docs/monitoring/alerts.yml" "$docs/monitoring/grafana.json" | names | comm -23 - real

mkfifo commands
vrseg --interactive --metrics-port 0 <commands 2>log >/dev/null &
exec 4>commands
wait_for() { # PATTERN FILE
  for _ in $(seq 1200); do
    ! grep -q "$1" "$2" 2>/dev/null || return 0
    sleep 0.1
  done
  echo "no $1 in $2:"
  cat "$2"
  return 1
}
wait_for 'metrics: ' log
bench --runs 1000 --metrics-port 0 --output-dir bench >/dev/null 2>bench.log &
bench=$!
wait_for 'metrics: ' bench.log
bench_target=$(sed -n 's|.*metrics: http://\(.*\)/metrics|\1|p' bench.log)
target=$(sed -n 's|.*metrics: http://\(.*\)/metrics|\1|p' log)
sed -e "s/127.0.0.1:9464/$target/" -e "s/127.0.0.1:9465/$bench_target/" -e 's/_interval: 15s/_interval: 1s/' \
  "$docs/monitoring/prometheus.yml" >prometheus.yml

# A port of its own; where another program has it, the next one.
port=$((20000 + $$ % 20000))
for _ in 1 2 3 4 5; do
  prometheus --config.file=prometheus.yml --storage.tsdb.path=storage --web.listen-address="127.0.0.1:$port" >prometheus.log 2>&1 &
  server=$!
  trap 'kill $server $bench 2>/dev/null || :' EXIT
  for _ in $(seq 600); do
    ! curl -s -f "http://127.0.0.1:$port/-/ready" >/dev/null || break 2
    kill -0 $server 2>/dev/null || break
    sleep 0.1
  done
  port=$((port + 1))
done
ask() { # QUERY
  promtool query instant "http://127.0.0.1:$port" "$1" 2>&1 | sed 's/ @\[.*//'
}
asked_until() { # PATTERN QUERY
  for _ in $(seq 600); do
    ask "$2" >answer
    ! grep -q "$1" answer || break
    sleep 0.2
  done
  sed "s/$target/TARGET/; s/$bench_target/BENCH/" answer
}
printf 'run %s -o null:\nrun missing.mp4\n' "$VRS_DATA/person_vr180_sbs.mp4" >&4
asked_until '=> 1' 'up{job="vrseg"}'
asked_until '=> 1' 'vrseg_videos_total{result="failed"}'
asked_until '=> 60' 'vrseg_frames_total'
asked_until '=> [1-9]' 'histogram_quantile(0.5, sum by (le) (vrseg_frame_seconds_bucket)) > bool 0'
asked_until '=> 1' 'up{job="vrbench"}'
asked_until '=> 1' 'vrbench_runs_total{result="ok"} > bool 1'
asked_until '=> 1' 'vrbench_case_frames_per_second > bool 0'
kill -TERM $bench
for _ in $(seq 600); do
  curl -s "http://127.0.0.1:$port/api/v1/rules" | grep -oE '"name":"Vr[A-Za-z]*"|"health":"[a-z]*"' | sort | uniq -c | sed 's/^ *//' >rules
  grep -q unknown rules || break
  sleep 0.2
done
cat rules
echo quit >&4
exec 4>&-
kill $server
wait
