/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Draws a job of vrseg by chance, from the option table:   random_job NUMBER INPUTS OUTPUTS
 *
 * INPUTS and OUTPUTS are files of lines "NAME WORD ARGUMENT...", one of which is drawn; WORD is what NAME is: even or uneven (times of frames), and
 * exact (every sample is kept), joined (segments are) or neither.  Printed are lines of a word, a tab and arguments:
 *   input, output   names
 *   base            the job: options that change mattes, pictures or file
 *   variant         twice: options that change nothing
 *   killed          the same for a run that is killed
 *   kills           the signal, and one or two shares of the job's time
 *   cached          where the job is also made with the matte cache
 *   segments        segments that give the same pictures, where they have to
 * The same number gives the same job, as long as the table is the same.  A new option takes part by itself, but for a path or a word: what that may
 * be has to be said in drawings[].
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "config/option_table.h"
#include <vrseg/config.h>

#define LINES_MAX 200
#define TEXT_MAX 4096

/* What the row of an option does not say. */
static const struct drawing {
	const char *key;
	double chance;      /* 0: not drawn */
	const char *values; /* NULL: from the row */
	const char *needs;  /* KEY=VALUE, without which the option is refused or says nothing */
} drawings[] = {
	/* chosen by the lines of inputs and outputs */
	{"output.file", 0, NULL, NULL},
	{"output.encoder", 0, NULL, NULL},
	{"output.preset", 0, NULL, NULL},
	{"input.fps", 0, NULL, NULL},
	{"input.raw_format", 0, NULL, NULL},
	{"input.raw_size", 0, NULL, NULL},
	{"input.recursive", 0, NULL, NULL}, /* the input is no folder */
	/* the machine decides about bytes: frames in time, kernels that were faster, sums in any order */
	{"pipeline.live", 0, NULL, NULL},
	{"pipeline.live_fps", 0, NULL, NULL},
	{"pipeline.late_frames", 0, NULL, NULL},
	{"engine.autotune_kernels", 0, NULL, NULL},
	{"engine.deterministic", 0, NULL, NULL},
	/* vrtune searches for minutes */
	{"target.auto_tune", 0, NULL, NULL},
	/* others than the default are backends of devices, which have tests of their own, and ref, which takes minutes for the larger networks */
	{"engine.backend", 0.06, "cpu null", NULL},

	{"input.hwdecode", 0.05, "off", NULL},
	{"input.start", 0.12, "0.1 0.2 0.04 0.333", NULL},
	{"input.duration", 0.1, "0.05 0.2 0.25", NULL},
	{"input.layout", 0.08, NULL, NULL},
	{"input.projection", 0.08, "flat hequirect equirect fisheye fisheye:190", NULL},
	{"output.mode", 0.5, NULL, NULL},
	{"output.background", 0.2, "blur ../../../in/back.mp4 ../../../in/back.png", NULL},
	{"output.blur", 0.05, NULL, "output.background=blur"},
	{"output.fov", 0.04, "120 180 190 220", "output.mode=alpha"},
	{"output.alpha_color", 0.04, NULL, "output.mode=alpha"},
	{"output.alpha_size", 0.04, NULL, "output.mode=alpha"},
	{"output.player", 0.02, NULL, "output.mode=alpha"},
	{"output.bitrate", 0.04, "100k source", NULL},
	{"output.crf", 0.04, NULL, NULL},
	{"output.quality", 0.04, NULL, NULL},
	{"matte.refine", 0.4, "true false", NULL},
	{"matte.refine_full", 0.15, NULL, NULL},
	{"matte.refine_radius", 0.08, NULL, "matte.refine=true"},
	{"matte.refine_eps", 0.08, NULL, "matte.refine=true"},
	{"matte.refine_limit", 0.08, NULL, "matte.refine_full=true"},
	{"matte.exclude", 0.12, "0.1,0.1,0.4,0.4 0,0,1,0.2;0.5,0.5,0.5,0.5 ../../../in/mask.png", NULL},
	{"matte.smoothing", 0.2, NULL, NULL},
	{"matte.smoothing_window", 0.25, NULL, NULL},
	{"matte.motion_gate", 0.1, NULL, "matte.smoothing=0.4"},
	{"matte.skip_threshold", 0.1, NULL, "matte.skip_similar=true"},
	{"matte.stride", 0.2, NULL, NULL},
	{"matte.early_exit_threshold", 0.05, NULL, "matte.early_exit=true"},
	{"matte.early_exit_model", 0.05, "selfie_segmentation example_softmax2", "matte.early_exit=true"},
	{"matte.early_exit_size", 0.05, NULL, "matte.early_exit=true"},
	{"engine.model", 0.3, "example_recurrent selfie_segmentation_landscape example_matting example_prototypes example_softmax2 rvm_mobilenetv3",
	 NULL},
	{"engine.precision", 0.35, NULL, NULL},
	{"engine.device", 0.03, "0", NULL},
	{"pipeline.max_frames", 0.2, NULL, NULL},
	{"pipeline.every_nth", 0.15, NULL, NULL},
	{"pipeline.segment_frames", 0.5, "1 2 3 4 5 7 none", NULL},

	{"engine.device_frames", 0.05, NULL, "output.mode=alpha"},
	{"engine.max_memory_fraction", 0.08, "0.3 0.6 1", NULL},
	{"output.verify_pack", 0.05, NULL, "output.mode=alpha"},
	{"pipeline.process_count", 0.3, "1 2 3", "pipeline.processes=true"},
	{"pipeline.frame_timeout", 0.05, "300 none", NULL},
	{"cache.enabled", 0.2, NULL, NULL},
	{"cache.size_gb", 0.05, NULL, "cache.enabled=true"},
	{"cache.dir", 0.05, "../../cache.dir", "cache.enabled=true"},
	{"report.log_file", 0.05, "../log.txt", NULL},
	{"report.metrics_file", 0.05, "../metrics.prom", NULL},
	{"report.metrics_port", 0.03, "0", NULL},
	{"report.trace", 0.08, "../trace.json", NULL},
	{"report.strict", 0.03, NULL, NULL},
};

struct job {
	struct vrs_rng rng;
	struct vrs_settings settings;
	bool given[400]; /* for each row */
	char text[TEXT_MAX];
};

static double unit(struct job *job)
{
	return vrs_rng_unit(&job->rng);
}

static int below(struct job *job, int n)
{
	return (int)vrs_rng_below(&job->rng, (uint64_t)n);
}

static _Noreturn void fail(const char *what, const char *name)
{
	fprintf(stderr, "random_job: %s %s\n", what, name);
	exit(1);
}

static const struct drawing *drawing_of(const struct vrs_option *row)
{
	for (size_t i = 0; i < sizeof drawings / sizeof drawings[0]; i++)
		if (strcmp(drawings[i].key, row->key) == 0)
			return &drawings[i];
	return NULL;
}

/* The name of each word, without a value behind it: does the key stand there? */
static bool names(const char *words, const char *key)
{
	char word[VRS_KEY_MAX];

	for (int i = 0; vrs_words_get(words, i, word, sizeof word); i++) {
		word[strcspn(word, "=")] = '\0';
		if (strcmp(word, key) == 0)
			return true;
	}
	return false;
}

static bool changes_nothing(const struct vrs_option *row)
{
	return row->affects == VRS_AFFECTS_NOTHING;
}

static double chance_of(const struct vrs_option *row)
{
	const struct drawing *drawing = drawing_of(row);

	if (drawing)
		return drawing->chance;
	if (row->backend && strcmp(row->backend, "cpu") != 0) /* others say that it has no effect */
		return 0.03;
	if (changes_nothing(row))
		return row->tunable ? 0.35 : 0.08;
	return 0.1;
}

static void one_word(struct job *job, const char *words, char *buf, size_t size)
{
	int count = 0;

	while (vrs_words_get(words, count, buf, size))
		count++;
	(void)vrs_words_get(words, below(job, count), buf, size);
}

/* A number of the row's range: one of its ends, or one near the lower end where the range is longer than jobs of a second need. */
static double one_whole(struct job *job, const struct vrs_option *row, double usual)
{
	double room = row->traits & VRS_OPTION_WORKERS ? 4 : 16;
	double top = fmin(row->max, fmax(row->min + room, 2 * usual));

	if (below(job, 8) == 0)
		return below(job, 2) ? top : row->min;
	return row->min - 1 + floor(pow(top - row->min + 2, unit(job)));
}

static double one_real(struct job *job, const struct vrs_option *row)
{
	double low = row->min, span = row->max - row->min;

	if (below(job, 8) == 0)
		return below(job, 2) && span <= 1000 ? row->max : low;
	if (low > 0 && row->max / low > 50)
		return low * pow(row->max / low, unit(job));
	return span > 1000 ? low + pow(span + 1, unit(job)) - 1 : low + span * unit(job);
}

static void one_value(struct job *job, const struct vrs_option *row, char *buf, size_t size)
{
	const struct drawing *drawing = drawing_of(row);
	struct vrs_option_value usual;
	const int side[] = {64, 96, 128, 160};

	if (vrs_option_parse(row, row->default_text, row->key, &usual, NULL) != VRS_OK)
		fail("no default of", row->key);
	if (drawing && drawing->values)
		one_word(job, drawing->values, buf, size);
	else if (row->choices)
		one_word(job, row->choices, buf, size);
	else if (row->type == VRS_OPT_BOOL)
		snprintf(buf, size, "%s", usual.flag ? "false" : "true");
	else if (row->type == VRS_OPT_INT)
		snprintf(buf, size, "%.0f", one_whole(job, row, usual.number));
	else if (row->type == VRS_OPT_DOUBLE)
		snprintf(buf, size, "%.4g", one_real(job, row));
	else if (row->type == VRS_OPT_SIZE2)
		snprintf(buf, size, "%dx%d", side[below(job, 4)], side[below(job, 4)]);
	else if (row->type == VRS_OPT_COLOR)
		snprintf(buf, size, "%06x", (unsigned)below(job, 1 << 24));
	else
		fail("drawings[] says no values of", row->key);
	if (row->min_name && vrs_option_parse(row, buf, row->key, &usual, NULL) != VRS_OK) /* a number that has a word instead */
		snprintf(buf, size, "%s", row->min_name);
}

static void append(struct job *job, const char *flag, const char *value)
{
	size_t len = strlen(job->text);

	if (len + strlen(flag) + strlen(value) + 8 > TEXT_MAX)
		fail("too many options beside", flag);
	if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0)
		snprintf(job->text + len, TEXT_MAX - len, " --%s%s", strcmp(value, "true") == 0 ? "" : "no-", flag);
	else
		snprintf(job->text + len, TEXT_MAX - len, " --%s %s", flag, value);
}

/* Calibrations of the largest network take a minute. */
static bool takes_long(const struct vrs_settings *s)
{
	return strcmp(s->engine.model, "rvm_mobilenetv3") == 0 &&
	       (s->engine.precision == VRS_PRECISION_INT8 || s->engine.precision == VRS_PRECISION_MIXED || s->matte.scales > 1);
}

/* The option becomes part of the job unless the rules of options refuse it there. */
static bool add(struct job *job, const struct vrs_option *row, const char *text)
{
	struct vrs_settings before = job->settings;
	struct vrs_option_value value;

	if (vrs_option_parse(row, text, row->key, &value, NULL) != VRS_OK)
		fail(text, row->key);
	vrs_option_store(row, &value, &job->settings);
	if (vrs_settings_check(&job->settings, NULL) != VRS_OK || takes_long(&job->settings)) {
		job->settings = before;
		return false;
	}
	job->given[vrs_option_index(row)] = true;
	append(job, row->flag, text);
	return true;
}

/* What the option needs, unless it is given.  False: something else is given. */
static bool add_needs(struct job *job, const struct vrs_option *row)
{
	const struct drawing *drawing = drawing_of(row);
	char key[VRS_KEY_MAX], text[VRS_KEY_MAX];

	if (!drawing || !drawing->needs)
		return true;
	if (sscanf(drawing->needs, "%127[^=]=%127s", key, text) != 2)
		fail("needs of", row->key);
	const struct vrs_option *needed = vrs_option_find(key);
	if (!needed)
		fail("no option", key);
	if (!job->given[vrs_option_index(needed)])
		return changes_nothing(needed) == changes_nothing(row) && add(job, needed, text);
	char holds[VRS_PATH_MAX];
	return vrs_option_text(needed, &job->settings, holds, sizeof holds) == VRS_OK && strcmp(holds, text) == 0;
}

/* The option takes segments from a job that has them: other key frames, and so other bytes. */
static bool ends_segments(const struct job *job, const struct vrs_option *row)
{
	const struct vrs_option *frames = vrs_option_find("pipeline.segment_frames");

	return changes_nothing(row) && job->given[vrs_option_index(frames)] && job->settings.pipeline.segment_frames > 0 &&
	       names(VRS_RULE_ONE_GO, row->key);
}

/* Options that change nothing, or those that change something, in an order by chance, so that none always gives way to the same others. */
static void draw(struct job *job, bool nothing, double scale)
{
	int count, order[400];
	const struct vrs_option *rows = vrs_option_table(&count);
	char text[VRS_PATH_MAX];

	if (count > (int)(sizeof order / sizeof order[0]))
		fail("too many options", "");
	for (int i = 0; i < count; i++)
		order[i] = i;
	vrs_rng_shuffle(&job->rng, order, count);
	for (int i = 0; i < count; i++) {
		const struct vrs_option *row = &rows[order[i]];

		if (row->state != VRS_OPT_READY || !(row->programs & VRS_PROGRAM_VRSEG) || changes_nothing(row) != nothing)
			continue;
		double chance = unit(job) / scale;
		if (chance_of(row) > 0)
			one_value(job, row, text, sizeof text);
		if (chance < chance_of(row) && !job->given[order[i]] && !ends_segments(job, row) && add_needs(job, row))
			(void)add(job, row, text);
	}
}

/* The flags of a line of INPUTS or OUTPUTS. */
static void take_flags(struct job *job, const char *arguments)
{
	char flag[VRS_PATH_MAX], value[VRS_PATH_MAX];

	for (int i = 0; vrs_words_get(arguments, i, flag, sizeof flag); i++) {
		const struct vrs_option *row = strncmp(flag, "--", 2) == 0 ? vrs_option_find_flag(flag + 2, VRS_PROGRAM_VRSEG) : NULL;

		if (!row)
			fail("no option", flag);
		if (row->type == VRS_OPT_BOOL)
			strcpy(value, "true");
		else if (!vrs_words_get(arguments, ++i, value, sizeof value))
			fail("no value of", flag);
		if (!add(job, row, value))
			fail("the rules refuse", flag);
	}
}

/* One line of the file: its name, its word, and its arguments, which become part of the job. */
static void one_line(struct job *job, const char *file, char *name, char *word)
{
	static char lines[LINES_MAX][1024];
	int count = 0, len = 0;
	FILE *f = fopen(file, "r");

	if (!f)
		fail("cannot open", file);
	while (count < LINES_MAX && fgets(lines[count], sizeof lines[count], f))
		count++;
	fclose(f);
	if (count == 0)
		fail("nothing in", file);
	int at = below(job, count);
	const char *line = lines[at];
	if (sscanf(line, "%255s %31s%n", name, word, &len) != 2)
		fail("no word in a line of", file);
	lines[at][strcspn(line, "\n")] = '\0';
	if (line[len] == ' ')
		take_flags(job, line + len + 1);
}

/* Where a segment begins with other frames in mind than one go has (docs/vrseg.md, Same pictures). */
static bool segments_start_anew(const struct vrs_settings *s, bool is_even)
{
	return s->matte.skip_similar || (!is_even && (s->matte.follow || s->matte.smoothing < 1 || s->matte.stride > 1 || s->pipeline.every_nth > 1));
}

static void print_with(struct job *job, const struct job *base, const char *word, double scale)
{
	struct vrs_rng rng = job->rng;

	*job = *base;
	job->rng = rng;
	job->text[0] = '\0';
	draw(job, true, scale);
	printf("%s\t%s\n", word, job->text);
}

static void print_kills(struct job *job)
{
	printf("kills\t%s %.3f", below(job, 3) ? "KILL" : "TERM", unit(job));
	if (below(job, 2))
		printf(" %.3f", unit(job));
	putchar('\n');
}

static void print_job(struct job *job, const char *inputs, const char *outputs)
{
	char input[256], output[256], rate[32], kept[32];
	const double scales[] = {0.3, 0.6, 1};

	one_line(job, inputs, input, rate);
	one_line(job, outputs, output, kept);
	draw(job, false, scales[below(job, 3)]);
	printf("input\t%s\noutput\t%s\nbase\t%s\n", input, output, job->text);
	struct job base = *job;
	print_with(job, &base, "variant", 1);
	print_with(job, &base, "variant", 1);
	print_with(job, &base, "killed", 0.4);
	print_kills(job);
	if (below(job, 2))
		puts("cached\t");
	const char *const lengths[] = {"1", "2", "3", "4", "6", "none"};
	const char *length = lengths[below(job, 6)];
	if (strcmp(kept, "exact") == 0 && !segments_start_anew(&base.settings, strcmp(rate, "even") == 0))
		printf("segments\t --segment-frames %s\n", length);
}

int main(int argc, char **argv)
{
	static struct job job;
	struct vrs_config *config;

	if (argc != 4)
		fail("usage: random_job NUMBER INPUTS OUTPUTS", "");
	if (vrs_config_create(&config) != VRS_OK)
		fail("no memory", "");
	job.settings = *vrs_config_settings(config);
	vrs_config_destroy(config);
	vrs_rng_init(&job.rng, strtoull(argv[1], NULL, 10));
	print_job(&job, argv[2], argv[3]);
	return 0;
}
