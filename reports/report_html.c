/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One self-contained HTML file: style inline, graphs as inline SVG, nothing fetched.  Order: verdict, what to do, tables, graphs, environment, how to
 * measure again.  One script of our own sorts tables by a click on a head; the page is complete without it.  Names from results are text everywhere,
 * and the page's policy allows no script but that one, whose hash it names.
 */
#include "base/file.h"
#include "reports/escape.h"
#include "reports/report_list.h"

#include <string.h>

#define SVG_MAX (4u << 20)

static const char page_style[] =
	":root{--ink:#1c2330;--soft:#5b6575;--line:#d9dee6;--back:#f6f7f9;--card:#fff;--accent:#0b6bcb;--warn:#9a5b00;--good:#1d6f42}\n"
	"@media(prefers-color-scheme:dark){:root{--ink:#e7eaf0;--soft:#a3adbd;--line:#343c4a;--back:#161a21;--card:#1e242d;--accent:#6cb2ff;"
	"--warn:#f0b357;--good:#69c795}}\n"
	"*{box-sizing:border-box}body{margin:0;background:var(--back);color:var(--ink);font:15px/1.5 system-ui,sans-serif}\n"
	"main{max-width:1120px;margin:0 auto;padding:24px 20px 60px}h1{font-size:26px;margin:0 0 4px}h2{font-size:18px;margin:34px 0 8px}\n"
	"h1,h2,p,.note,.cap,figcaption{overflow-wrap:anywhere}.good.verdict{border-left-color:var(--good);margin-top:-8px}\n"
	"th button{all:unset;cursor:pointer;font:inherit;color:inherit}th button:focus-visible{outline:2px solid var(--accent)}"
	"th[aria-sort=ascending] button:after{content:' \\2191'}th[aria-sort=descending] button:after{content:' \\2193'}\n"
	"@media(max-width:600px){main{padding:16px 12px 40px}h1{font-size:21px}th,td{padding:5px 8px}.verdict{font-size:16px}}\n"
	".sub{color:var(--soft);margin:0 0 18px}.verdict{font-size:18px;background:var(--card);border:1px solid var(--line);"
	"border-left:5px solid var(--accent);padding:12px 16px;border-radius:6px}\n"
	".scroll{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:6px}\n"
	"table{border-collapse:collapse;width:100%;font-size:14px;font-variant-numeric:tabular-nums}\n"
	"th,td{padding:6px 12px;text-align:left;white-space:nowrap;border-bottom:1px solid var(--line)}tr:last-child td{border-bottom:0}\n"
	"th{color:var(--soft);font-weight:600}.n{text-align:right}td.w{white-space:normal;min-width:15em;overflow-wrap:anywhere}\n"
	"caption,.cap{color:var(--soft);font-size:13px;margin:6px 2px 0}\n"
	".note{background:var(--card);border:1px solid var(--line);border-left:5px solid var(--soft);border-radius:6px;padding:10px 14px;margin:10px 0}\n"
	".warning{border-left-color:var(--warn)}.recommendation{border-left-color:var(--good)}.note b{text-transform:capitalize}\n"
	".why{color:var(--soft);font-size:14px}pre{background:var(--back);border:1px solid var(--line);border-radius:6px;padding:10px 12px;"
	"overflow-x:auto;font-size:13px;margin:8px 0 2px}\n"
	".graphs{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(460px,100%),1fr));gap:16px}\n"
	"figure{margin:0;background:#fff;color:#1c2330;border:1px solid var(--line);border-radius:6px;padding:10px}figure svg{width:100%;height:auto}\n"
	"figcaption{font-size:13px;color:#5b6575}\n";

/*
 * Heads become buttons; a click sorts the rows of that table, numbers by their value, intervals by their lower end and absent values last, and again
 * in the other direction.  The hash is that of exactly these bytes: tests/unit/reports/test_report_html.c holds them together.
 */
const char vrs_html_script[] =
	"document.querySelectorAll('table').forEach(function(t){var b=t.tBodies[0];t.querySelectorAll('th').forEach(function(h,i){"
	"var k=document.createElement('button');k.textContent=h.textContent;h.textContent='';h.appendChild(k);"
	"k.addEventListener('click',function(){var d=h.getAttribute('aria-sort')==='ascending'?-1:1,n=h.className==='n';"
	"t.querySelectorAll('th').forEach(function(o){o.removeAttribute('aria-sort')});"
	"h.setAttribute('aria-sort',d>0?'ascending':'descending');"
	"Array.from(b.rows).sort(function(x,y){var p=x.cells[i].textContent,q=y.cells[i].textContent;"
	"if(!p||!q)return(p?0:1)-(q?0:1);var u=parseFloat(p.replace('[','')),v=parseFloat(q.replace('[',''));"
	"return d*(n&&!isNaN(u)&&!isNaN(v)?u-v:p.localeCompare(q))}).forEach(function(r){b.appendChild(r)})})})})";
const char vrs_html_script_hash[] = "sha256-0vRqMBIcnBGJJlD70owwtNTHVunMVSdsZhUHepvBOmc=";

/* "<tag class>escaped text</tag>\n"; nothing for an empty text. */
static enum vrs_status put_element(struct vrs_buf *out, const char *open, const char *text, const char *close)
{
	if (!text[0])
		return VRS_OK;
	enum vrs_status status = vrs_buf_puts(out, open);
	if (status == VRS_OK)
		status = vrs_escape_html(out, text);
	return status != VRS_OK ? status : vrs_buf_puts(out, close);
}

/* How a column is shown: not at all without values; words that are long wrap. */
enum column { HIDDEN, NUMBERS, WORDS, SENTENCES };
enum { SENTENCE = 30 }; /* bytes */

static enum column column_of(const struct vrs_table *t, int column)
{
	bool longer = false;
	if (!vrs_table_has_values(t, column))
		return HIDDEN;
	for (int r = 0; r < t->rows && column > 0 && !longer; r++)
		longer = strlen(t->cells[r * t->columns + column]) > SENTENCE;
	return t->numeric[column] ? NUMBERS : longer ? SENTENCES : WORDS;
}

static enum vrs_status put_cells(struct vrs_buf *out, const struct vrs_table *t, int row, const enum column *columns)
{
	static const char *const opens[] = {"", "<%s class=\"n\">", "<%s>", "<%s class=\"w\">"};
	enum vrs_status status = vrs_buf_puts(out, "<tr>");
	for (int c = 0; status == VRS_OK && c < t->columns; c++) {
		if (columns[c] == HIDDEN)
			continue;
		const char *tag = row < 0 ? "th" : "td";
		status = vrs_buf_printf(out, opens[columns[c]], tag);
		if (status == VRS_OK)
			status = vrs_escape_html(out, row < 0 ? t->heads[c] : t->cells[row * t->columns + c]);
		if (status == VRS_OK)
			status = vrs_buf_printf(out, "</%s>", tag);
	}
	return status != VRS_OK ? status : vrs_buf_puts(out, "</tr>\n");
}

static enum vrs_status put_table(struct vrs_buf *out, const struct vrs_table *t)
{
	enum column columns[VRS_FINDINGS_MAX_COLUMNS];
	for (int c = 0; c < t->columns; c++)
		columns[c] = column_of(t, c);
	enum vrs_status status = put_element(out, "<h2>", t->title, "</h2>\n");
	if (status == VRS_OK)
		status = vrs_buf_puts(out, "<div class=\"scroll\"><table><thead>\n");
	for (int r = -1; status == VRS_OK && r < t->rows; r++) {
		status = put_cells(out, t, r, columns);
		if (status == VRS_OK && r < 0)
			status = vrs_buf_puts(out, "</thead><tbody>\n");
	}
	if (status == VRS_OK)
		status = vrs_buf_puts(out, "</tbody></table></div>\n");
	return status != VRS_OK ? status : put_element(out, "<p class=\"cap\">", t->caption, "</p>\n");
}

static enum vrs_status put_note(struct vrs_buf *out, const struct vrs_note *n)
{
	static const char *const kinds[] = {"note", "warning", "recommendation"};
	enum vrs_status status = vrs_buf_printf(out, "<div class=\"note %s\"><b>%s:</b> ", kinds[n->kind], kinds[n->kind]);
	if (status == VRS_OK)
		status = vrs_escape_html(out, n->text);
	if (status == VRS_OK)
		status = put_element(out, "<div class=\"why\">because ", n->evidence, "</div>");
	if (status == VRS_OK)
		status = put_element(out, "<pre>", n->yaml, "</pre>");
	return status != VRS_OK ? status : vrs_buf_puts(out, "</div>\n");
}

/* The SVG element of a file without XML prolog and doctype, which HTML does not take inside a page. */
static enum vrs_status put_svg(struct vrs_buf *out, const char *folder, const char *id)
{
	char path[1024];
	struct vrs_buf svg;
	if (snprintf(path, sizeof path, "%s/%s.svg", folder, id) >= (int)sizeof path)
		return VRS_ELIMIT;
	enum vrs_status status = vrs_file_read(path, SVG_MAX, &svg, NULL);
	if (status != VRS_OK)
		return status;
	const char *start = strstr(vrs_buf_str(&svg), "<svg");
	if (!start)
		status = VRS_EFORMAT;
	else
		status = vrs_buf_puts(out, start);
	vrs_buf_fini(&svg);
	return status;
}

static enum vrs_status put_graphs(struct vrs_buf *out, const struct vrs_findings *f, const char *folder)
{
	if (!folder || !f->graph_count)
		return VRS_OK;
	enum vrs_status status = vrs_buf_puts(out, "<h2>Graphs</h2>\n<div class=\"graphs\">\n");
	for (int i = 0; status == VRS_OK && i < f->graph_count; i++) {
		const struct vrs_graph_data *g = &f->graphs[i];
		status = vrs_buf_puts(out, "<figure>");
		if (status == VRS_OK) {
			enum vrs_status drawn = put_svg(out, folder, g->id);
			/* A graph that gnuplot could not draw leaves a sentence, not a broken page. */
			if (drawn == VRS_ENOTFOUND || drawn == VRS_EFORMAT)
				status = put_element(out, "<p>not drawn: ", g->title, "</p>");
			else
				status = drawn;
		}
		if (status == VRS_OK)
			status = put_element(out, "<figcaption>", g->caption, "</figcaption>");
		if (status == VRS_OK)
			status = vrs_buf_puts(out, "</figure>\n");
	}
	return status != VRS_OK ? status : vrs_buf_puts(out, "</div>\n");
}

static enum vrs_status put_head(struct vrs_buf *out, const struct vrs_findings *f)
{
	enum vrs_status status = vrs_buf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
						   "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n");
	if (status == VRS_OK)
		status = vrs_buf_printf(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
					     "img-src data:; script-src '%s'\">\n", vrs_html_script_hash);
	if (status == VRS_OK)
		status = put_element(out, "<title>", f->title, "</title>\n");
	if (status == VRS_OK)
		status = vrs_buf_printf(out, "<style>\n%s</style></head><body><main>\n", page_style);
	if (status == VRS_OK)
		status = put_element(out, "<h1>", f->title, "</h1>\n");
	if (status == VRS_OK)
		status = put_element(out, "<p class=\"sub\">", f->subtitle, "</p>\n");
	if (status == VRS_OK)
		status = put_element(out, "<p class=\"verdict\">", f->verdict, "</p>\n");
	return status != VRS_OK ? status : put_element(out, "<p class=\"verdict good\">", f->recommendation, "</p>\n");
}

static enum vrs_status write_html(const struct vrs_findings *f, const char *svg_dir, struct vrs_buf *out, struct vrs_error *err)
{
	enum vrs_status status = put_head(out, f);
	if (status == VRS_OK && f->note_count)
		status = vrs_buf_puts(out, "<h2>What to know and what to change</h2>\n");
	for (int i = 0; status == VRS_OK && i < f->note_count; i++)
		status = put_note(out, &f->notes[i]);
	for (int i = 0; status == VRS_OK && i < f->table_count; i++)
		status = put_table(out, &f->tables[i]);
	if (status == VRS_OK)
		status = put_graphs(out, f, svg_dir);
	if (status == VRS_OK)
		status = put_element(out, "<h2>env.json</h2>\n<details><summary>as it was recorded</summary><pre>", f->environment, "</pre></details>\n");
	if (status == VRS_OK)
		status = put_element(out, "<h2>Measure again</h2>\n<pre>", f->reproduce, "</pre>\n");
	if (status == VRS_OK)
		status = vrs_buf_printf(out, "</main><script>%s</script></body></html>\n", vrs_html_script);
	return status != VRS_OK ? vrs_fail(err, status, "cannot write the HTML report: %s", vrs_status_str(status)) : VRS_OK;
}

const struct vrs_report_writer vrs_report_html = {"html", "html", write_html};
