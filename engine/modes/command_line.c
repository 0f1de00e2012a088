/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "modes/command_line.h"

#include <histedit.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/printable.h"
#include "base/str_parse.h"

#include <vrseg/options.h>

#define REMEMBERED 500
#define MAX_LINE 4096

struct vrs_command_line {
	EditLine *edit;            /* NULL: no terminal */
	History *history;
	Tokenizer *tokenizer;
	const char *prompt;
	vrs_complete_fn complete;
	FILE *out;
	char history_file[VRS_PATH_MAX];
	char text[MAX_LINE];       /* without a terminal */
};

static struct vrs_command_line *self_of(EditLine *edit)
{
	struct vrs_command_line *line = NULL;
	el_get(edit, EL_CLIENTDATA, &line);
	return line;
}

static char *prompt_of(EditLine *edit)
{
	return (char *)(uintptr_t)self_of(edit)->prompt; /* libedit only prints it */
}

struct candidates {
	int count;
	char common[VRS_PATH_MAX]; /* what all begin with */
	FILE *list;                /* NULL: only count */
};

static void add_candidate(void *cookie, const char *candidate)
{
	struct candidates *c = cookie;
	size_t i = 0;
	if (c->list) {
		vrs_print_text(c->list, candidate);
		fputs("  ", c->list);
	}
	if (c->count++ == 0) {
		(void)vrs_strcpy(c->common, sizeof c->common, candidate); /* a long one is not completed */
		return;
	}
	while (c->common[i] && c->common[i] == candidate[i])
		i++;
	c->common[i] = 0;
}

/* Tab: as far as all candidates agree; where they do not, they are shown. */
static unsigned char on_tab(EditLine *edit, int key)
{
	struct vrs_command_line *line = self_of(edit);
	const LineInfo *info = el_line(edit);
	char head[MAX_LINE];
	size_t len = (size_t)(info->cursor - info->buffer);
	struct candidates c = {0};
	(void)key;
	if (len >= sizeof head)
		return CC_ERROR;
	memcpy(head, info->buffer, len);
	head[len] = 0;
	size_t begin = len;
	while (begin > 0 && head[begin - 1] != ' ')
		begin--;
	char word[MAX_LINE];
	(void)vrs_strcpy(word, sizeof word, head + begin); /* same size */
	head[begin] = 0;
	line->complete(head, word, add_candidate, &c);
	size_t typed = strlen(word), known = strlen(c.common);
	if (c.count == 0)
		return CC_REFRESH_BEEP;
	if (known > typed)
		el_insertstr(edit, c.common + typed);
	if (c.count == 1 && c.common[0] && c.common[known - 1] != '/')
		el_insertstr(edit, " ");
	if (c.count == 1 || known > typed)
		return CC_REFRESH;
	fputc('\n', line->out);
	c = (struct candidates){.list = line->out};
	line->complete(head, word, add_candidate, &c);
	fputc('\n', line->out);
	return CC_REDISPLAY;
}

static enum vrs_status open_terminal(struct vrs_command_line *line, FILE *aside)
{
	char folder[VRS_PATH_MAX];
	HistEvent event;
	line->edit = el_init("vrseg", stdin, line->out, aside);
	line->history = history_init();
	if (!line->edit || !line->history)
		return VRS_ENOMEM;
	history(line->history, &event, H_SETSIZE, REMEMBERED);
	history(line->history, &event, H_SETUNIQUE, 1);
	if (vrs_cache_dir(folder, sizeof folder, NULL) == VRS_OK &&
	    vrs_path_join(line->history_file, sizeof line->history_file, folder, "history") == VRS_OK)
		history(line->history, &event, H_LOAD, line->history_file); /* the first time there is none */
	el_set(line->edit, EL_CLIENTDATA, line);
	el_set(line->edit, EL_PROMPT, prompt_of);
	el_set(line->edit, EL_EDITOR, "emacs");
	el_set(line->edit, EL_SIGNAL, 1);
	el_set(line->edit, EL_HIST, history, line->history);
	el_set(line->edit, EL_ADDFN, "complete", "Complete the word", on_tab);
	el_set(line->edit, EL_BIND, "^I", "complete", NULL);
	el_source(line->edit, NULL); /* the user's ~/.editrc */
	return VRS_OK;
}

enum vrs_status vrs_command_line_open(struct vrs_command_line **ret_line, const char *prompt, vrs_complete_fn complete, FILE *out, FILE *aside,
				      struct vrs_error *err)
{
	struct vrs_command_line *line = vrs_calloc(1, sizeof *line);
	enum vrs_status status = line ? VRS_OK : VRS_ENOMEM;
	if (line) {
		line->prompt = prompt;
		line->complete = complete;
		line->out = out;
		line->tokenizer = tok_init(NULL);
		status = !line->tokenizer ? VRS_ENOMEM : isatty(STDIN_FILENO) ? open_terminal(line, aside) : VRS_OK;
	}
	if (status != VRS_OK) {
		vrs_command_line_close(line);
		return vrs_fail(err, status, "no memory for the command line");
	}
	*ret_line = line;
	return VRS_OK;
}

/* NULL: the end. */
static const char *next_line(struct vrs_command_line *line)
{
	HistEvent event;
	int len = 0;
	if (!line->edit)
		return fgets(line->text, sizeof line->text, stdin);
	const char *text = el_gets(line->edit, &len);
	if (text && len > 1)
		history(line->history, &event, H_ENTER, text);
	return len > 0 ? text : NULL;
}

int vrs_command_line_read(struct vrs_command_line *line, const char **ret_words, struct vrs_error *err)
{
	const char **words = NULL;
	int count = 0;
	const char *text = next_line(line);
	ret_words[0] = NULL;
	if (!text)
		return -1;
	if (text[strspn(text, " \t")] == '#')
		return 0; /* a comment of a script */
	tok_reset(line->tokenizer);
	if (tok_str(line->tokenizer, text, &count, &words) != 0 || count >= VRS_COMMAND_WORDS) {
		vrs_fail(err, VRS_EFORMAT, count >= VRS_COMMAND_WORDS ? "more than %d words in a line" : "a quote is not closed", VRS_COMMAND_WORDS - 1);
		return 0;
	}
	memcpy(ret_words, words, (size_t)count * sizeof *words);
	ret_words[count] = NULL;
	return count;
}

void vrs_command_line_close(struct vrs_command_line *line)
{
	HistEvent event;
	if (!line)
		return;
	if (line->history && line->history_file[0])
		history(line->history, &event, H_SAVE, line->history_file); /* a history that cannot be kept is no failure */
	if (line->edit)
		el_end(line->edit);
	if (line->history)
		history_end(line->history);
	if (line->tokenizer)
		tok_end(line->tokenizer);
	vrs_free(line);
}
