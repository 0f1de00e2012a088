#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Guards: the page's script sorts numbers by their value, intervals by their lower end, absent values last, and texts as such, in both directions.
command -v node >/dev/null || exit 77
cp "$VRS_TEST_DIR/files/results/three-cases.json" results.json
vranalyze results.json --html page.html >/dev/null
cat >sort.js <<'END'
const script = /<script>([^]*)<\/script>/.exec(require('fs').readFileSync('page.html', 'utf8'))[1];
function sorted(numbers, texts, clicks) {
  const listeners = [], body = {rows: texts.map(t => ({cells: [{textContent: t}]}))};
  body.appendChild = r => { body.rows = body.rows.filter(x => x !== r).concat([r]); };
  const head = {className: numbers ? 'n' : '', textContent: 'head', attributes: {}, appendChild() {}};
  head.getAttribute = k => head.attributes[k] || null;
  head.setAttribute = (k, v) => { head.attributes[k] = v; };
  head.removeAttribute = k => { delete head.attributes[k]; };
  const table = {tBodies: [body], querySelectorAll: () => [head]};
  const page = {querySelectorAll: () => [table], createElement: () => ({addEventListener: (k, f) => listeners.push(f)})};
  new Function('document', script)(page);
  for (let i = 0; i < clicks; i++)
    listeners[0]();
  console.log(body.rows.map(r => r.cells[0].textContent || 'absent').join('  '));
}
const intervals = ['[+9.0, +9.9]', '', '[+10.0, +12.0]', '[-2.0, +1.0]', '[-30.0, -1.0]', '[+100.0, +101.0]'];
sorted(true, intervals, 1);
sorted(true, intervals, 2);
sorted(true, ['9.5 [9.0, 9.9]', '100 [99, 101]', '10.0 [9.9, 12]', '1e-3'], 1);
sorted(false, ['b10', 'a', 'b9'], 1);
END
node sort.js
