#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards --sandbox: a decoder that a file has taken over reads, writes, makes and removes no file that the command does not name, opens no socket,
# starts no program and makes no code, while the job goes on; without --sandbox the same decoder does all of it.  What cannot be confined is refused
# with the reason, also by a kernel without Landlock or seccomp; a matte cache that cannot be made is told with the cause, as without it.
. "$VRS_TEST_DIR/cli/preload.sh"
preload hostile_decoder.so
command -v strace >/dev/null || exit 77
# LeakSanitizer starts a process that stops and reads this one, which the sandbox is there to refuse; other tests look for leaks.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
mkdir in out ../elsewhere
cp "$VRS_DATA/person_flat.mp4" in/clip.mp4
attack() { # OPTION...
  echo secret >../elsewhere/secret
  touch ../elsewhere/mode
  chmod 600 ../elsewhere/mode
  HOSTILE_SECRET=$PWD/../elsewhere/secret HOSTILE_NEW=$PWD/../elsewhere/new HOSTILE_MODE=$PWD/../elsewhere/mode LD_PRELOAD=$preload \
    vrseg in/clip.mp4 -o out/clip.mp4 --max-frames 3 --overwrite --preset ultrafast --progress none "$@" >summary 2>messages || echo "exit code $?"
  grep 'hostile decoder' messages || cat messages
  echo "$(cut -d ' ' -f 1-2 summary), and elsewhere: $(ls ../elsewhere | tr '\n' ' ')$(stat -c %a ../elsewhere/mode)"
  rm -f ../elsewhere/*
}
echo "-- without --sandbox"
attack
echo "-- with --sandbox"
attack --sandbox
echo "-- in segments"
attack --sandbox --segment-frames 2

echo "-- the folder of the file that an input is a link to"
mkdir typed behind
cp in/clip.mp4 behind/clip.mp4
ln -s ../behind/clip.mp4 typed/clip.mp4
echo secret >behind/secret
touch behind/mode
HOSTILE_SECRET=$PWD/behind/secret HOSTILE_NEW=$PWD/behind/new HOSTILE_MODE=$PWD/behind/mode LD_PRELOAD=$preload \
  vrseg typed/clip.mp4 --sandbox --max-frames 3 --preset ultrafast --progress none >summary 2>messages || cat messages
grep ' a file:' messages
echo "typed: $(ls -A typed | tr '\n' ' '), behind: $(ls -A behind | tr '\n' ' ')"

echo "-- the mode of an output that is replaced"
for mode in 600 644; do
  chmod $mode out/clip.mp4
  (umask 022 && attack --sandbox >/dev/null)
  stat -c %a out/clip.mp4
done
for mode in 600 644; do
  touch out/p000.png out/p001.png
  chmod $mode out/p000.png out/p001.png
  (umask 022 && vrseg in/clip.mp4 -o out/p%03d.png --max-frames 2 --overwrite --sandbox --progress none >summary 2>messages) || cat messages
  echo "pictures: $(stat -c %a out/p000.png out/p001.png | tr '\n' ' ')"
done
rm out/p00?.png

echo "-- a matte cache that cannot be made"
: >afile
for folder in afile/x /proc/nowhere/x; do
  for option in --overwrite --sandbox; do
    vrseg in/clip.mp4 -o out/clip.mp4 --cache --cache-dir $folder --max-frames 3 --overwrite --preset ultrafast --progress none $option \
      >summary 2>messages || echo "exit code $?"
    grep 'cannot make' messages
  done
done

echo "-- what does not go with it"
refuse() {
  code=0
  vrseg "$@" --sandbox --progress none >summary 2>messages </dev/null || code=$?
  echo "$(grep -v '^Usage\|^usage' messages | head -n 1) (exit code $code)"
}
refuse in/clip.mp4 -o out/no.mp4 --processes
refuse in/clip.mp4 -o out/no.mp4 --hwdecode vaapi
refuse in/clip.mp4 -o out/no.mp4 --encoder hardware
refuse in/clip.mp4 -o out/no.mp4 --encoder h264_vaapi
refuse udp://127.0.0.1:9 -o out/no.mp4
refuse in/clip.mp4 --live -o udp://127.0.0.1:9
refuse /dev/video0 --live -o out/no.mp4
refuse in/clip.mp4 --live -o /dev/video0
refuse in/clip.mp4 -o out/no.mp4 --metrics-port 0
refuse --interactive
# A kernel that lacks a part: strace answers in its place.
without() { # SYSCALL ERROR
  code=0
  strace -qq -o /dev/null -e trace="$1" -e inject="$1":error="$2" \
    vrseg in/clip.mp4 -o out/no.mp4 --sandbox --progress none >summary 2>messages || code=$?
  echo "$(cat messages) (exit code $code)"
}
without landlock_create_ruleset ENOSYS
without landlock_create_ruleset EOPNOTSUPP
without landlock_restrict_self EPERM
without seccomp ENOSYS
ls out
