#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A contact sheet replaces an older one.
prepare() {
  clip clip.mp4 6
  echo old >sheet.png
}
run() { exec vrseg clip.mp4 --preview 0.1 -o sheet.png --overwrite --backend null --log-level warning; }
