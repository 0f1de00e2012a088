/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --interactive: commands one after another, typed or from a pipe.  A command that fails says why and does not end the mode; a
 * signal does, but for the Ctrl-C of somebody who types: it ends the command.
 */
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/messages.h"
#include "base/printable.h"
#include "base/stop.h"
#include "base/str_parse.h"
#include "modes/command_line.h"
#include "modes/program.h"

#include <vrseg/log.h>

struct command {
	const char *name, *usage, *help;
	int min_words, max_words;         /* after the name */
	enum vrs_status (*run)(struct vrs_program_state *program, const char *const *words, struct vrs_error *err);
};

static enum vrs_status command_stats(struct vrs_program_state *program, const char *const *words, struct vrs_error *err)
{
	(void)words, (void)err;
	if (program->last_stats.frames_done)
		vrs_stage_report(&program->last_stats, &program->info, program->results);
	else
		fprintf(program->results, "nothing has run yet\n");
	return VRS_OK;
}

static enum vrs_status command_hardware(struct vrs_program_state *program, const char *const *words, struct vrs_error *err)
{
	(void)words;
	return vrs_mode_hardware(program, err);
}

static enum vrs_status command_models(struct vrs_program_state *program, const char *const *words, struct vrs_error *err)
{
	(void)words;
	return vrs_mode_list_models(program, err);
}

static enum vrs_status command_config(struct vrs_program_state *program, const char *const *words, struct vrs_error *err)
{
	if (words[0] && strcmp(words[0], "all") != 0)
		return vrs_fail(err, VRS_ECONFIG, "config takes only the word \"all\"");
	if (!words[0] && vrs_config_is_default(program->config)) {
		fprintf(program->results, "all settings have their defaults; config all lists them\n");
		return VRS_OK;
	}
	return vrs_config_print(program->config, program->results, words[0] ? VRS_WRITE_ALL : VRS_WRITE_CHANGED);
}

static enum vrs_status command_set(struct vrs_program_state *program, const char *const *words, struct vrs_error *err)
{
	char value[VRS_PATH_MAX], shown[VRS_PATH_MAX];
	const char *rate = NULL; /* the newest decides */
	const struct vrs_option *row = vrs_option_find(words[0]);
	if (row && (row->traits & VRS_OPTION_AT_START))
		return vrs_fail(err, VRS_ECONFIG, "%s has no effect after the start of the program", row->key);
	enum vrs_status status = vrs_config_set(program->config, words[0], words[1], VRS_SOURCE_FLAG, NULL, err);
	if (status == VRS_OK)
		status = vrs_config_outrank(program->config, words[0], &rate, err);
	if (status == VRS_OK)
		status = vrs_config_get(program->config, words[0], value, sizeof value);
	if (status != VRS_OK)
		return status;
	vrs_log_set_level((enum vrs_log_level)vrs_config_settings(program->config)->report.log_level);
	fprintf(program->results, "%s: %s\n", words[0], vrs_printable(shown, sizeof shown, value));
	return VRS_OK;
}

static enum vrs_status apply_reports(struct vrs_program_state *program, struct vrs_error *err)
{
	vrs_progress_destroy(program->meter);
	program->meter = NULL;
	return vrs_progress_create(&program->meter, (enum vrs_progress)program->settings.report.progress, program->aside)
		? vrs_fail_nomem(err) : VRS_OK;
}

/* Somebody who types ends a command by Ctrl-C or q; all other requests end the program. */
static bool is_to_end(const struct vrs_program_state *program)
{
	return vrs_stop_requested() && (!program->typed || vrs_stop_signal() != SIGINT);
}

static void forget_interrupt(const struct vrs_program_state *program)
{
	if (vrs_stop_requested() && !is_to_end(program))
		vrs_stop_reset();
}

static enum vrs_status command_run(struct vrs_program_state *program, const char *const *words, struct vrs_error *err)
{
	const char *output = words[1] ? words[2] : NULL;
	if (words[1] && (strcmp(words[1], "-o") != 0 || !output))
		return vrs_fail(err, VRS_ECONFIG, "run takes a FILE, and an output as -o OUT");
	if (strcmp(words[0], "-") == 0)
		return vrs_fail(err, VRS_ECONFIG, "commands come from standard input, so the video cannot; name a file");
	vrs_config_effective(program->config, &program->settings);
	program->input = words[0];
	if (output && !vrs_strcpy(program->settings.output.file, sizeof program->settings.output.file, output))
		return vrs_fail(err, VRS_ELIMIT, "the name of the output is too long");
	FILE *results = program->results;
	forget_interrupt(program);
	enum vrs_status status = apply_reports(program, err);
	if (status == VRS_OK)
		status = vrs_program_check_backend(program, err);
	if (status == VRS_OK)
		status = vrs_mode_video(program, err);
	vrs_job_destroy(program->job);
	program->job = NULL;
	program->results = results; /* a video on standard output moves them */
	forget_interrupt(program);
	return status;
}

static enum vrs_status command_help(struct vrs_program_state *program, const char *const *words, struct vrs_error *err);

static enum vrs_status command_quit(struct vrs_program_state *program, const char *const *words, struct vrs_error *err)
{
	(void)program, (void)words, (void)err;
	return VRS_END;
}

static const struct command commands[] = {
	{"run", "run FILE [-o OUT]", "cut out the people of a video with the settings as they are", 1, 3, command_run},
	{"set", "set KEY VALUE", "change a setting", 2, 2, command_set},
	{"config", "config [all]", "settings that differ from the defaults, or all, with where they come from", 0, 1, command_config},
	{"stats", "stats", "stages of the last run: what each costs and which one limits", 0, 0, command_stats},
	{"models", "models", "the networks", 0, 0, command_models},
	{"hardware", "hardware", "CPU, memory, devices and sensors", 0, 0, command_hardware},
	{"help", "help", "this list", 0, 0, command_help},
	{"quit", "quit", "end (also exit, or Ctrl-D)", 0, 0, command_quit},
	{NULL, NULL, NULL, 0, 0, NULL},
};

static enum vrs_status command_help(struct vrs_program_state *program, const char *const *words, struct vrs_error *err)
{
	(void)words, (void)err;
	for (const struct command *c = commands; c->name; c++)
		fprintf(program->results, "%-20s %s\n", c->usage, c->help);
	return VRS_OK;
}

static enum vrs_status execute(struct vrs_program_state *program, const char *const *words, int count, struct vrs_error *err)
{
	const char *name = strcmp(words[0], "exit") == 0 ? "quit" : words[0];
	const struct command *c = commands;
	while (c->name && strcmp(c->name, name) != 0)
		c++;
	if (!c->name)
		return vrs_fail(err, VRS_ECONFIG, "unknown command \"%.100s\"; help lists them", words[0]);
	if (count - 1 < c->min_words || count - 1 > c->max_words)
		return vrs_fail(err, VRS_ECONFIG, "usage: %s", c->usage);
	return c->run(program, words + 1, err);
}

static void complete_file(const char *word, vrs_candidate_fn found, void *cookie)
{
	char pattern[VRS_PATH_MAX];
	glob_t names;
	int n = snprintf(pattern, sizeof pattern, "%s*", word);
	if (n < 0 || (size_t)n >= sizeof pattern || strpbrk(word, "*?[") || glob(pattern, GLOB_MARK, NULL, &names) != 0)
		return;
	for (size_t i = 0; i < names.gl_pathc; i++)
		found(cookie, names.gl_pathv[i]);
	globfree(&names);
}

static void complete(const char *head, const char *word, vrs_candidate_fn found, void *cookie)
{
	size_t len = strlen(word);
	int rows;
	const struct vrs_option *option = vrs_option_table(&rows);
	if (head[strspn(head, " ")] == 0) {
		for (const struct command *c = commands; c->name; c++)
			if (strncmp(c->name, word, len) == 0)
				found(cookie, c->name);
	} else if (strncmp(head, "set ", 4) == 0 && head[4 + strspn(head + 4, " ")] == 0) {
		for (int i = 0; i < rows; i++)
			if (option[i].state == VRS_OPT_READY && strncmp(option[i].key, word, len) == 0)
				found(cookie, option[i].key);
	} else if (strncmp(head, "run ", 4) == 0 || strncmp(head, "set ", 4) == 0) {
		complete_file(word, found, cookie);
	}
}

enum vrs_status vrs_mode_interactive(struct vrs_program_state *program, struct vrs_error *err)
{
	struct vrs_command_line *line;
	const char *words[VRS_COMMAND_WORDS];
	enum vrs_status first = VRS_OK, status;
	int count, executed = 0, failed = 0;
	status = vrs_command_line_open(&line, "vrseg> ", complete, program->results, program->aside, err);
	if (status != VRS_OK)
		return status;
	while (!is_to_end(program)) {
		struct vrs_error why = {0};
		count = vrs_command_line_read(line, words, &why);
		if (count < 0)
			break;
		status = count ? execute(program, words, count, &why) : why.status;
		if (status == VRS_END)
			break;
		fflush(program->results);
		executed += count > 0 || status;
		if (status == VRS_OK)
			continue;
		vrs_log(VRS_LOG_ERROR, "%s", why.text[0] ? why.text : vrs_status_str(status));
		failed++;
		first = first ? first : status;
	}
	vrs_command_line_close(line);
	if (is_to_end(program))
		return VRS_ESTOPPED;
	/* somebody who types has seen it; a script wants to know */
	return failed && !program->typed ? vrs_fail(err, first, "%d of %d commands failed", failed, executed) : VRS_OK;
}
