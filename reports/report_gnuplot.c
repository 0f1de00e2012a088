/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Graphs through gnuplot as a child process: data, script and picture are all kept, so that a reader can restyle a graph or check a number.
 * Colours are the eight of Okabe and Ito (2008), which colour-blind readers tell apart.
 */
#include "reports/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/proc.h"
#include "base/stop.h"

#define FILE_MAX (8u << 20)
#define GNUPLOT_SECONDS 60

enum { KEY_WIDTH = 24, FEW_POINTS = 64, NAME_LEVELS = 4 }; /* levels: heights that names of neighbours take in turn, so that they stay readable */

static bool by_category(const struct vrs_graph_data *g)
{
	return g->kind == VRS_GRAPH_BARS || g->kind == VRS_GRAPH_STACKED;
}

/* Bars with error marks: gnuplot then wants low and high of every series; a series without an interval repeats its value. */
static bool has_error_bars(const struct vrs_graph_data *g)
{
	bool any = false;
	for (int s = 0; s < g->series_count; s++)
		any = any || g->series[s].low;
	return any && g->kind == VRS_GRAPH_BARS;
}

/* 'text' for gnuplot: quotes doubled, control characters and line breaks as blanks. */
static enum vrs_status put_quoted(struct vrs_buf *out, const char *text)
{
	enum vrs_status status = vrs_buf_puts(out, "'");
	for (; status == VRS_OK && *text; text++) {
		char c = (unsigned char)*text < 0x20 ? ' ' : *text;
		status = c == '\'' ? vrs_buf_puts(out, "''") : vrs_buf_append(out, &c, 1);
	}
	return status != VRS_OK ? status : vrs_buf_puts(out, "'");
}

/* A label in a tab-separated file: gnuplot takes double quotes as its own. */
static enum vrs_status put_label(struct vrs_buf *out, const char *text)
{
	enum vrs_status status = vrs_buf_puts(out, "\"");
	for (; status == VRS_OK && *text; text++) {
		char c = (unsigned char)*text < 0x20 ? ' ' : *text == '"' ? '\'' : *text;
		status = vrs_buf_append(out, &c, 1);
	}
	return status != VRS_OK ? status : vrs_buf_puts(out, "\"");
}

static enum vrs_status put_value(struct vrs_buf *out, double value)
{
	return isfinite(value) ? vrs_buf_printf(out, "\t%.9g", value) : vrs_buf_puts(out, "\tNaN");
}

/* One line a category: label, then y, low, high of each series. */
static enum vrs_status category_data(const struct vrs_graph_data *g, struct vrs_buf *out)
{
	enum vrs_status status = vrs_buf_puts(out, "# category");
	for (int s = 0; status == VRS_OK && s < g->series_count; s++)
		status = vrs_buf_printf(out, "\tvalue %d\tlow\thigh", s + 1);
	for (int i = 0; status == VRS_OK && i < g->category_count; i++) {
		status = vrs_buf_puts(out, "\n");
		if (status == VRS_OK)
			status = put_label(out, g->categories[i]);
		for (int s = 0; status == VRS_OK && s < g->series_count; s++) {
			const struct vrs_series *one = &g->series[s];
			bool have = i < one->points;
			status = put_value(out, have ? one->y[i] : NAN);
			if (status == VRS_OK)
				status = put_value(out, have ? (one->low ? one->low[i] : one->y[i]) : NAN);
			if (status == VRS_OK)
				status = put_value(out, have ? (one->high ? one->high[i] : one->y[i]) : NAN);
		}
	}
	return status != VRS_OK ? status : vrs_buf_puts(out, "\n");
}

static bool has_names(const struct vrs_series *s)
{
	for (int i = 0; s->names && i < s->points; i++)
		if (s->names[i][0])
			return true;
	return false;
}

/* One block a series, blocks two empty lines apart: x, y, low, high; of boxes low and high of x as well, and names where there are any. */
static enum vrs_status series_data(const struct vrs_graph_data *g, struct vrs_buf *out)
{
	enum vrs_status status = VRS_OK;
	for (int s = 0; status == VRS_OK && s < g->series_count; s++) {
		const struct vrs_series *one = &g->series[s];
		bool named = has_names(one);
		status = vrs_buf_puts(out, s ? "\n\n# " : "# ");
		if (status == VRS_OK)
			status = put_label(out, one->name);
		if (status == VRS_OK)
			status = vrs_buf_puts(out, "\n");
		for (int i = 0; status == VRS_OK && i < one->points; i++) {
			status = vrs_buf_printf(out, "%.9g", one->x[i]);
			if (status == VRS_OK)
				status = put_value(out, one->y[i]);
			if (status == VRS_OK)
				status = put_value(out, one->low ? one->low[i] : one->y[i]);
			if (status == VRS_OK)
				status = put_value(out, one->high ? one->high[i] : one->y[i]);
			if (status == VRS_OK && one->x_low)
				status = put_value(out, one->x_low[i]);
			if (status == VRS_OK && one->x_low)
				status = put_value(out, one->x_high[i]);
			if (status == VRS_OK && named)
				status = vrs_buf_puts(out, "\t");
			if (status == VRS_OK && named)
				status = put_label(out, one->names[i]);
			if (status == VRS_OK)
				status = vrs_buf_puts(out, "\n");
		}
	}
	return status;
}

static enum vrs_status put_setting(struct vrs_buf *out, const char *what, const char *text)
{
	if (!text[0])
		return VRS_OK;
	enum vrs_status status = vrs_buf_printf(out, "set %s ", what);
	if (status == VRS_OK)
		status = put_quoted(out, text);
	return status != VRS_OK ? status : vrs_buf_puts(out, "\n");
}

static bool has_right_axis(const struct vrs_graph_data *g)
{
	bool any = false;
	for (int s = 0; s < g->series_count; s++)
		any = any || g->series[s].style == VRS_SERIES_RIGHT;
	return any;
}

/* One series of numbers; every one has a colour of its own, whatever it is drawn with. */
static enum vrs_status put_series(const struct vrs_graph_data *g, int s, struct vrs_buf *out)
{
	static const char *const kinds[] = {"linespoints pt 7 ps 0.7 lw 2", "points pt 7 ps 1.1", "", "", "steps lw 2"};
	static const char *const styles[] = {NULL, "lines lw 2", "lines lw 2 dt 2", "points pt 7 ps 0.9", "points pt 7 ps 0.35", "lines lw 1.5"};
	const struct vrs_series *one = &g->series[s];
	int color = s % 8 + 1;
	if (one->x_low) {
		enum vrs_status status = vrs_buf_printf(out, "'%s.tsv' index %d using 1:2:5:6:3:4 with boxxyerror fs transparent solid 0.3 lt %d notitle, \\\n"
							     "     ", g->id, s, color);
		int levels = !has_names(one) ? 0 : one->points < NAME_LEVELS ? one->points : NAME_LEVELS;
		for (int k = 0; k < levels && status == VRS_OK; k++)
			status = vrs_buf_printf(out, "'' index %d using 1:2:7 every %d::%d with labels offset 0,%.1f font ',12' notitle, \\\n     ", s,
						NAME_LEVELS, k, (k % 2 ? -1 : 1) * (0.9 + k / 2));
		return status != VRS_OK ? status : vrs_buf_printf(out, "'' index %d using 1:2 with points pt 7 ps 1.1 lt %d title ", s, color);
	}
	if (one->style == VRS_SERIES_RIGHT)
		return vrs_buf_printf(out, "'%s.tsv' index %d using 1:2 axes x1y2 with %s lt %d title ", g->id, s, styles[one->style], color);
	if (one->low)
		return vrs_buf_printf(out, "'%s.tsv' index %d using 1:2:3:4 with yerrorlines pt 7 ps 0.7 lw 2 lt %d title ", g->id, s, color);
	if (one->style == VRS_SERIES_DOTS && one->points < 16 * FEW_POINTS)
		return vrs_buf_printf(out, "'%s.tsv' index %d using 1:2 with points pt 7 ps 0.8 lt %d title ", g->id, s, color);
	return vrs_buf_printf(out, "'%s.tsv' index %d using 1:2 with %s lt %d title ", g->id, s, one->style ? styles[one->style] : kinds[g->kind], color);
}

static enum vrs_status put_plot(const struct vrs_graph_data *g, struct vrs_buf *out)
{
	enum vrs_status status = vrs_buf_puts(out, "plot ");
	for (int s = 0; status == VRS_OK && s < g->series_count; s++) {
		const struct vrs_series *one = &g->series[s];
		const char *comma = s ? ", \\\n     " : "";
		if (has_error_bars(g))
			status = vrs_buf_printf(out, "%s'%s.tsv' using %d:%d:%d:xtic(1) with histograms title ", comma, g->id, 3 * s + 2, 3 * s + 3, 3 * s + 4);
		else if (by_category(g))
			status = vrs_buf_printf(out, "%s'%s.tsv' using %d:xtic(1) with histograms title ", comma, g->id, 3 * s + 2);
		else if (!(status = vrs_buf_puts(out, comma)))
			status = put_series(g, s, out);
		if (status == VRS_OK)
			status = put_quoted(out, one->name);
	}
	return status != VRS_OK ? status : vrs_buf_puts(out, "\n");
}

/* Long names would take the width from the picture: then the key goes below it. */
static enum vrs_status put_key(const struct vrs_graph_data *g, struct vrs_buf *out)
{
	size_t longest = 0;
	for (int s = 0; s < g->series_count; s++)
		longest = strlen(g->series[s].name) > longest ? strlen(g->series[s].name) : longest;
	if (g->series_count == 1)
		return vrs_buf_puts(out, "unset key\n");
	if (longest > KEY_WIDTH && !by_category(g))
		return vrs_buf_puts(out, "set key below left maxcols 2 height 1\n");
	return VRS_OK;
}

/* Labels that slope begin left of the axis, points need room beside the first and the last. */
static enum vrs_status put_margins(const struct vrs_graph_data *g, struct vrs_buf *out)
{
	if (by_category(g) && g->category_count > 4)
		return vrs_buf_puts(out, "set lmargin at screen 0.2\n");
	int most = 0;
	for (int s = 0; s < g->series_count; s++)
		most = g->series[s].points > most && !g->series[s].style ? g->series[s].points : most;
	return g->kind == VRS_GRAPH_LINES && most > 0 && most < FEW_POINTS ? vrs_buf_puts(out, "set offsets graph 0.04, graph 0.04, 0, 0\n") : VRS_OK;
}

static enum vrs_status put_script(const struct vrs_graph_data *g, struct vrs_buf *out)
{
	static const char *const colors[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999"};
	int height = by_category(g) && g->category_count > 8 ? 560 : 460;
	enum vrs_status status = vrs_buf_printf(out, "# gnuplot %s.gp draws %s.svg and %s.png from %s.tsv\n"
						     "set terminal svg size 860,%d dynamic noenhanced font 'sans-serif,14' background 'white'\n"
						     "set output '%s.svg'\nset datafile separator tab\nset encoding utf8\nset grid ytics lc '#dddddd'\n"
						     "set border 3\nset tics nomirror\nset key outside top right\n", g->id, g->id, g->id, g->id, height, g->id);
	for (int i = 0; status == VRS_OK && i < 8; i++)
		status = vrs_buf_printf(out, "set linetype %d lc rgb '%s'\n", i + 1, colors[i]);
	if (status == VRS_OK)
		status = put_setting(out, "title", g->title);
	if (status == VRS_OK)
		status = put_setting(out, "xlabel", g->x_label);
	if (status == VRS_OK)
		status = put_setting(out, "ylabel", g->y_label);
	if (status == VRS_OK && (g->log_x || g->log_y))
		status = vrs_buf_printf(out, "set logscale %s%s\n", g->log_x ? "x" : "", g->log_y ? "y" : "");
	if (status == VRS_OK && g->y_pad > 0)
		status = vrs_buf_printf(out, "set offsets graph 0.05, graph 0.05, %g, %g\n", g->y_pad, g->y_pad);
	if (status == VRS_OK)
		status = put_key(g, out);
	if (status == VRS_OK)
		status = put_margins(g, out);
	if (status == VRS_OK && by_category(g)) {
		status = vrs_buf_printf(out, "set style data histograms\nset style histogram %s\nset style fill solid 0.85 border lc rgb '#444444'\n"
					     "set boxwidth 0.8\nset yrange [0:*]\nset xtics rotate by %d right\n",
					g->kind == VRS_GRAPH_STACKED ? "rowstacked" : has_error_bars(g) ? "errorbars gap 1 lw 1.5" : "clustered gap 1",
					g->category_count > 4 ? 35 : 0);
		if (status == VRS_OK && g->category_count <= 4)
			status = vrs_buf_puts(out, "set xtics norotate center\n");
	} else if (status == VRS_OK && g->kind == VRS_GRAPH_LINES && !g->log_y && !(g->y_pad > 0)) {
		status = vrs_buf_puts(out, "set yrange [0:*]\n");
	}
	if (status == VRS_OK && g->x_step > 0)
		status = vrs_buf_printf(out, "set xtics %g\n", g->x_step);
	if (status == VRS_OK && has_right_axis(g))
		status = vrs_buf_puts(out, "set border 11\nset ytics nomirror\nset y2tics\nset y2range [0:*]\n");
	if (status == VRS_OK && has_right_axis(g))
		status = put_setting(out, "y2label", g->y2_label);
	if (status == VRS_OK)
		status = put_plot(g, out);
	/* The picture for programs that show no SVG. */
	return status != VRS_OK ? status : vrs_buf_printf(out, "set terminal pngcairo size 1290,%d noenhanced font 'sans-serif,15' background 'white'\n"
						     "set output '%s.png'\nreplot\n", height * 3 / 2, g->id);
}

static enum vrs_status write_part(const char *folder, const char *id, const char *extension, const struct vrs_buf *text, struct vrs_error *err)
{
	char path[1024];
	if (snprintf(path, sizeof path, "%s/%s.%s", folder, id, extension) >= (int)sizeof path)
		return vrs_fail(err, VRS_ELIMIT, "the path %s is too long", folder);
	return vrs_file_replace(path, vrs_buf_str(text), text->len, err);
}

/* gnuplot follows links: what lies there goes first. */
static void remove_picture(const char *folder, const char *id, const char *extension)
{
	char path[1024];
	if (snprintf(path, sizeof path, "%s/%s.%s", folder, id, extension) < (int)sizeof path)
		(void)unlink(path);
}

static enum vrs_status stopped(struct vrs_error *err)
{
	return vrs_fail(err, VRS_ESTOPPED, "stopped on request; not all graphs were drawn");
}

static enum vrs_status draw(const char *folder, const char *id, struct vrs_error *err)
{
	struct vrs_buf cd;
	char script[64];
	remove_picture(folder, id, "svg");
	remove_picture(folder, id, "png");
	if (vrs_stop_requested())
		return stopped(err);
	vrs_buf_init(&cd, 4096);
	enum vrs_status status = vrs_buf_puts(&cd, "cd ");
	if (status == VRS_OK)
		status = put_quoted(&cd, folder);
	snprintf(script, sizeof script, "%s.gp", id);
	const char *const argv[] = {"gnuplot", "-d", "-e", vrs_buf_str(&cd), script, NULL};
	struct vrs_proc_options options = {.argv = argv, .timeout_seconds = GNUPLOT_SECONDS, .output_max = 4096};
	struct vrs_proc_result result;
	if (status == VRS_OK)
		status = vrs_proc_run(&options, &result, err);
	vrs_buf_fini(&cd);
	if (status == VRS_ENOTFOUND)
		return vrs_fail(err, status, "gnuplot is not installed (Debian package gnuplot-nox); scripts and data are in %s", folder);
	if (status != VRS_OK)
		return status;
	if (result.stopped) {
		remove_picture(folder, id, "svg");
		remove_picture(folder, id, "png");
		status = stopped(err);
	} else if (result.exit_code != 0) {
		status = vrs_fail(err, VRS_EINTERNAL, "gnuplot failed on %s/%s.gp: %.200s", folder, id, vrs_buf_str(&result.err));
	}
	vrs_proc_result_fini(&result);
	return status;
}

enum vrs_status vrs_report_graphs(const struct vrs_findings *findings, const char *folder, struct vrs_error *err)
{
	enum vrs_status status = findings->graph_count ? vrs_mkdir_own(folder, err) : VRS_OK;
	enum vrs_status missing = VRS_OK;
	for (int i = 0; status == VRS_OK && i < findings->graph_count; i++) {
		const struct vrs_graph_data *g = &findings->graphs[i];
		struct vrs_buf data, script;
		vrs_buf_init(&data, FILE_MAX);
		vrs_buf_init(&script, FILE_MAX);
		status = by_category(g) ? category_data(g, &data) : series_data(g, &data);
		if (status == VRS_OK)
			status = put_script(g, &script);
		if (status != VRS_OK)
			(void)vrs_fail(err, status, "cannot describe the graph %s: %s", g->id, vrs_status_str(status));
		else
			status = write_part(folder, g->id, "tsv", &data, err);
		if (status == VRS_OK)
			status = write_part(folder, g->id, "gp", &script, err);
		vrs_buf_fini(&data);
		vrs_buf_fini(&script);
		if (status == VRS_OK && missing != VRS_ENOTFOUND) { /* after a stop: old pictures go */
			status = draw(folder, g->id, err);
			if (status == VRS_ENOTFOUND || status == VRS_ESTOPPED) {
				missing = status;
				status = VRS_OK;
			}
		}
	}
	return status != VRS_OK ? status : missing;
}
