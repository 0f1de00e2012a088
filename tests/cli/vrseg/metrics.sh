#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards --metrics-file and --metrics-port: the numbers of a run, of a run with worker processes and of several videos are there in the forms that
# promtool takes; the file keeps how the last run ended and is left alone where it is something else, links stay what they
# are (devices: metrics_devices.sh); the port answers as HTTP asks, and a port in use is a mistake of the command line.
clip=$VRS_DATA/person_flat.mp4

# Samples whose value does not depend on speed.
counts() { # FILE
  some='running|last_run_exit_code|videos_total|working|frames_total|video_frames|video_frames_expected|stage_seconds_count|frame_seconds_count'
  grep -E "^vrseg_($some)[ {]" "$1"
}

vrseg "$clip" -o null: --max-frames 8 --metrics-file one.prom --progress none --log-level error | sed 's/ in .*//'
counts one.prom
promtool check metrics <one.prom
success=$(grep '^vrseg_last_success' one.prom)

echo "== a run that fails leaves the last success"
vrseg missing.mp4 -o null: --metrics-file one.prom 2>&1 || echo "exit $?"
counts one.prom | head -4
test "$(grep '^vrseg_last_success' one.prom)" = "$success"

echo "== worker processes, several videos"
vrseg "$clip" -o two.mp4 --max-frames 40 --segment-frames 16 --processes --process-count 2 --metrics-file two.prom --progress none \
  --log-level error --encoder libx264 --preset ultrafast | sed 's/ in .*//'
counts two.prom
echo no video >broken.mp4
vrseg "$clip" two.mp4 broken.mp4 --output-dir out --max-frames 4 --metrics-file three.prom --progress none --log-level error >/dev/null 2>&1 ||
  echo "exit $?"
counts three.prom

echo "== what the file must not be"
cp "$clip" own.mp4
echo notes >notes.txt
for file in notes.txt own.mp4 none/x.prom; do
  vrseg own.mp4 -o null: --metrics-file "$file" 2>&1 || echo "exit $?"
done
cat notes.txt
cmp "$clip" own.mp4

echo "== links and devices"
mkdir far
for name in far/there.prom far/missing.prom; do
  ln -sf $name link.prom
  [ $name = far/missing.prom ] || cp one.prom $name
  vrseg "$clip" -o null: --max-frames 8 --metrics-file link.prom --progress none --log-level error >/dev/null
  echo "$(readlink link.prom) $(counts $name | head -2 | tr '\n' ' ')"
done
mkfifo pipe
vrseg "$clip" -o null: --metrics-file pipe --progress none 2>&1 || echo "exit $?"
timeout 60 vrseg "$clip" -o null: --max-frames 1 --metrics-file /proc/self/fd/1 --progress none --log-level error | grep -c '^vrseg_running'
echo kept >appended
vrseg "$clip" -o null: --max-frames 1 --metrics-file /dev/stdout --progress none --log-level error >>appended
head -n 1 appended
grep -c '^vrseg_running' appended
grep -c '^1 frame in' appended

echo "== port"
mkfifo commands
vrseg --interactive --metrics-port 0 <commands 2>log >/dev/null &
exec 4>commands
for _ in $(seq 600); do
  grep -q 'metrics: ' log && break
  sleep 0.1
done
url=$(sed -n 's/.*metrics: //p' log)
curl -s -o body -w '%{http_code} %{content_type}\n' "$url"
promtool check metrics <body
head -2 body
curl -s -o body -w '%{http_code} %{content_type}\n' -H 'Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5,*/*;q=0.1' "$url"
grep -A 1 'videos' body
tail -1 body
curl -s -o body -w '%{http_code} %{content_type}\n' -H 'Accept: text/plain, application/openmetrics-text; q=0.3' "$url"
curl -s -w '%{http_code} %{content_type}\n' "${url%metrics}"
curl -s -w '%{http_code}\n' "${url%metrics}other"
curl -s -X POST -d x=1 -w '%{http_code}\n' "$url"
curl -s -I "$url" | tr -d '\r' | sed -n '1p; /^Content-Type/p'
port=${url%/metrics}
vrseg "$clip" -o null: --metrics-port "${port##*:}" 2>message || echo "exit $?"
sed 's/ [0-9]*: / PORT: /' message
echo quit >&4
exec 4>&-
wait
for port in 65536 -1 x localhost:9464 1.2.3.4.5:1 '[::1:5' ''; do
  vrseg "$clip" -o null: --max-frames 1 --metrics-port "$port" 2>&1 >/dev/null --progress none --log-level warning || echo "exit $?"
done
