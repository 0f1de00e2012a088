#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: one SIGTERM ends vrseg wherever it waits or works, with 128 + the signal; what can be saved is saved, and nothing else stays.
. "$VRS_TEST_DIR/cli/stopping.sh"
clip=$VRS_DATA/person_flat.mp4
eyes=$VRS_DATA/person_vr180_sbs.mp4
vrseg "$clip" -o all.y4m --max-frames 8 --log-level error --progress none >/dev/null
mkfifo pipe

# inputs
vrseg pipe -o a.mkv 2>message &
pid=$!
sleep 0.5
ends TERM $pid 'a pipe that nobody writes'
env --block-signal=ALRM,INT,TERM,HUP vrseg pipe -o a.mkv 2>message &
pid=$!
sleep 0.5
ends TERM $pid 'the same with signals that the parent blocked'
sleep 60 >pipe &
feeder=$!
vrseg pipe -o a.mkv 2>message &
pid=$!
sleep 0.5
ends TERM $pid 'a pipe whose writer is silent'
kill $feeder
sleep 60 >pipe &
feeder=$!
env --default-signal=INT vrseg pipe -o a.mkv --raw-format yuv420p --raw-size 64x64 2>message & # a shell's background jobs ignore it
pid=$!
sleep 0.5
ends INT $pid 'the same with raw video'
kill $feeder
(cat all.y4m && exec sleep 60) >pipe &
feeder=$!
vrseg pipe -o part.mkv >/dev/null 2>message &
pid=$!
ready message network $pid
sleep 1
ends HUP $pid 'a pipe that falls silent'
kill $feeder
test -s part.mkv && echo 'saved'

# outputs
mkfifo out.mkv
vrseg "$clip" -o out.mkv 2>message &
pid=$!
sleep 0.5
ends TERM $pid 'an output that nobody opens'
sleep 60 <pipe &
reader=$!
vrseg "$clip" -o y4m:- >pipe 2>message &
pid=$!
ready message network $pid
sleep 0.5
ends TERM $pid 'an output that nobody reads'
kill $reader
rm pipe out.mkv

# connections: a server that takes them and says nothing, and an output that waits for its peer
port=$((20000 + $$ % 20000))
await() {
  hex=$(printf ':%04X ' "$port")
  until grep -q "$hex" /proc/net/tcp || ! kill -0 "$1" 2>/dev/null; do sleep 0.05; done
}
connected() { # both ends of it
  hex=$(printf ':%04X ' "$port")
  until test "$(grep "$hex" /proc/net/tcp | grep -c ' 01 ')" -ge 2 || ! kill -0 "$1" 2>/dev/null; do sleep 0.05; done
}
for scheme in https rtsp rtmp; do
  port=$((port + 1))
  vrseg "tcp://127.0.0.1:$port?listen=1" -o null: 2>/dev/null &
  silent=$!
  await $silent
  vrseg "$scheme://127.0.0.1:$port/a/b" -o null: 2>message &
  pid=$!
  connected $pid
  ends TERM $pid "an input over $scheme that does not answer"
  wait $silent || true
done
port=$((port + 1))
vrseg "tcp://127.0.0.1:$port?listen=1" -o null: 2>/dev/null &
silent=$!
await $silent
vrseg "$clip" -o "rtmp://127.0.0.1:$port/a/b" 2>message &
pid=$!
connected $pid
ends TERM $pid 'an output over rtmp that does not answer'
wait $silent || true
port=$((port + 1))
vrseg "$clip" -o "tcp://127.0.0.1:$port?listen=1" 2>message &
pid=$!
await $pid
ends TERM $pid 'an output that nobody connects to'

# work
vrseg "$eyes" -o long.mkv --input-size 1536x1536 --threads 1 --streams 1 >/dev/null 2>message &
pid=$!
ready message 'network selfie' $pid
ends TERM $pid 'a long inference'
vrseg "$eyes" -o long.mkv --segment-frames 10 --processes --process-count 2 --input-size 512x512 >/dev/null 2>message &
pid=$!
ready message '2 processes' $pid
sleep 1
ends TERM $pid 'worker processes'
rm -rf long.mkv .long.mkv* # as far as they came
mkdir in
for i in 1 2 3 4 5 6 7 8 9; do cp "$clip" in/$i.mp4; done
vrseg in --output-dir cut --input-size 512x512 >/dev/null 2>message &
pid=$!
ready message 'network selfie' $pid
ends TERM $pid 'many files'
# commands from a pipe: the next one must not begin; typed ones end by SIGTERM and SIGHUP, while Ctrl-C ends the command that runs
endless=synth:640x480,frames=1000000
printf 'run %s -o null:\nrun %s -o second.y4m\n' $endless "$clip" >commands
vrseg --interactive --progress none <commands >/dev/null 2>message &
pid=$!
ready message 'network selfie' $pid
ends TERM $pid 'a command of many'
env --default-signal=INT vrseg --interactive --progress none <commands >/dev/null 2>message &
pid=$!
ready message 'network selfie' $pid
ends INT $pid 'the same by SIGINT'
if command -v script >/dev/null; then
  mkfifo keys
  TERM=dumb env --default-signal=INT script -qfec "echo \$\$ >id; exec vrseg --interactive --progress none 2>typed" typescript <keys >/dev/null &
  pid=$!
  exec 3>keys
  printf 'run %s -o null:\n' $endless >&3
  ready typed 'network selfie' $pid
  kill -INT "$(cat id)"
  ready typed 'stopped on request' $pid
  printf 'run %s,people=1 -o null:\n' $endless >&3
  ready typed 'people=1' $pid
  kill -TERM "$(cat id)"
  (sleep 10 && kill -KILL "$(cat id)" && echo "late:") 2>/dev/null &
  dog=$!
  code=0
  wait $pid || code=$?
  kill $dog 2>/dev/null || true
  echo "typed commands: $code"
  exec 3>&-
  rm keys id typed typescript
else
  echo 'typed commands: 143'
fi
rm -rf in cut message all.y4m part.mkv commands
ls -A
