#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Text form of every tracked or new text file: trailing blanks, final newline, carriage returns, invisible Unicode, tabs against spaces,
# line length, the licence line.
#   text.sh SOURCE_DIR [BUILD_DIR]
set -eu
cd "$1"

# Recorded and generated files keep the form that they came in.
files() {
  { git ls-files -co --exclude-standard 2>/dev/null || find . -type f -not -path './build/*' -not -path './.git/*' | sed 's|^\./||'; } |
    grep -Ev '^(tests/(files|golden|machines|fuzz/(corpus|kept)|data)/|LICENSE$)' |
    grep -Ev '\.(exact|glob)$' |
    grep -E '(\.(c|h|cl|sh|cmake|in|md|yaml|yml|json|txt|gp|html|css|svg|supp|def)|^\.(gitignore|editorconfig)|^\.ci/run)$' |
    while read -r file; do [ ! -f "$file" ] || echo "$file"; done
}

status=0
files | sort | LC_ALL=C xargs awk '
  function complain(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text
    bad = 1
  }
  FNR == 1 {
    c_file = FILENAME ~ /\.[ch]$/
    shell = FILENAME ~ /\.sh$/ || FILENAME == ".ci/run"
    cmake = FILENAME ~ /CMakeLists\.txt$|\.cmake$/
    spaces_only = FILENAME ~ /\.(md|yaml|yml|sh)$/
    kernel = FILENAME ~ /\.cl$/
    spdx = "SPDX-License-Identifier: GPL-3.0-or-later"
    if ((c_file || kernel) && $0 != "/* " spdx " */") complain("the first line is not /* " spdx " */")
    if (cmake && $0 != "# " spdx) complain("the first line is not # " spdx)
    if (shell && $0 !~ /^#!/) complain("the first line is not #!")
  }
  FNR == 2 && shell && $0 != "# " spdx { complain("the second line is not # " spdx) }
  /\r/ { complain("carriage return") }
  /[ \t]$/ { complain("blanks at the end of the line") }
  (c_file || cmake) && /^\t* +\t/ { complain("spaces before a tab") }
  (c_file || cmake) && /^    / { complain("indented with spaces, not tabs") }
  spaces_only && /^\t/ && FILENAME !~ /\.md$/ { complain("indented with a tab, not spaces") }
  {
    # Characters: a UTF-8 sequence counts one, and so does a tab.
    line = $0
    gsub(/[\200-\277]/, "", line)
    if ((c_file || cmake || shell) && length(line) > 150 && FILENAME != "tests/lint/includes.sh")
      complain("the line has " length(line) " characters, more than 150")
  }
  # Zero-width and direction-changing characters, no-break space, soft hyphen, byte-order mark.
  /\342\200[\213-\217\252-\256]|\342\201[\240-\257]|\357\273\277|\302\240|\302\255/ { complain("invisible Unicode character") }
  END { exit bad }' || status=1

for file in $(files); do
  if [ -s "$file" ] && [ "$(tail -c 1 "$file" | od -An -tx1 | tr -d ' ')" != 0a ]; then
    echo "$file:$(wc -l <"$file"): no newline at the end"
    status=1
  fi
done
exit $status
