/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * count_people LIST WIDTHxHEIGHT LAYOUT REPEAT MIN_PERCENT < mattes
 *
 * Counts which people of a list (tests/footage/vtest_people.txt) are in the mattes of both eyes.  Mattes are raw 8-bit grey frames of WIDTHxHEIGHT in
 * LAYOUT (mono, sbs, tb), REPEAT frames for each frame of the list; every eye shows the whole picture that the list is about (768x576).
 *
 * A person is seen when the matte is at least 0.5 in SEEN of the box: people fill a little under half of their boxes, so that is about half a body.
 * Eyes that show the same picture should have the same matte: their agreement is the IoU of {at least 0.5}.  What is in the matte beside all boxes,
 * widened by a quarter, is stray, as a share of all boxes.  Change is the mean difference of mattes of consecutive pictures, x 1000.
 *
 * Exit code 1 when less than MIN_PERCENT of the people who are not hidden are in all eyes, 2 for wrong usage, 3 for mattes that end early.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST_WIDTH 768
#define LIST_HEIGHT 576
#define MOST_PEOPLE 1024
#define SEEN 0.2
#define AROUND 0.25 /* of a box's size on each side: still the person */

struct person {
	int frame, box[4];
	bool hidden;
};

struct counter {
	struct person people[MOST_PEOPLE];
	int count;
	int width, height, eyes, eye_width, eye_height; /* of the picture, of an eye */
	bool below;                                      /* eyes lie one below the other */
	uint8_t *matte, *past;
	int listed, in_all, in_some, hidden, hidden_seen, frames, pictures;
	double agreement, worst, stray, change;
	int worst_frame;
};

static bool read_list(struct counter *c, const char *file)
{
	char line[256], word[16];
	FILE *in = fopen(file, "r");
	if (!in)
		return false;
	while (c->count < MOST_PEOPLE && fgets(line, sizeof line, in)) {
		struct person *p = &c->people[c->count];
		int got = sscanf(line, "%d %d %d %d %d %15s", &p->frame, &p->box[0], &p->box[1], &p->box[2], &p->box[3], word);
		p->hidden = got == 6 && strcmp(word, "hidden") == 0;
		c->count += line[0] != '#' && got >= 5;
	}
	fclose(in);
	return c->count > 0;
}

static bool set_layout(struct counter *c, const char *size, const char *layout)
{
	if (sscanf(size, "%dx%d", &c->width, &c->height) != 2 || c->width < 2 || c->height < 2 || c->width > 16384 || c->height > 16384)
		return false;
	c->below = strcmp(layout, "tb") == 0;
	c->eyes = strcmp(layout, "mono") == 0 ? 1 : 2;
	c->eye_width = c->eyes == 2 && !c->below ? c->width / 2 : c->width;
	c->eye_height = c->below ? c->height / 2 : c->height;
	return c->eyes == 1 || c->below || strcmp(layout, "sbs") == 0;
}

static const uint8_t *eye_row(const struct counter *c, int eye, int y)
{
	return c->matte + (size_t)(y + (c->below ? eye * c->eye_height : 0)) * (size_t)c->width + (c->below ? 0 : eye * c->eye_width);
}

/* The box in samples of the eye: left, top, right, bottom, with so much around it. */
static void scale_box(const struct counter *c, const int box[4], double around, int ret[4])
{
	const double sx = (double)c->eye_width / LIST_WIDTH, sy = (double)c->eye_height / LIST_HEIGHT;
	const double ends[4] = {(box[0] - around * box[2]) * sx, (box[1] - around * box[3]) * sy, (box[0] + (1 + around) * box[2]) * sx,
		(box[1] + (1 + around) * box[3]) * sy};
	for (int i = 0; i < 4; i++) {
		int most = i % 2 ? c->eye_height : c->eye_width;
		ret[i] = ends[i] < 0 ? 0 : ends[i] > most ? most : (int)ends[i];
	}
}

static bool is_seen(const struct counter *c, const struct person *p, int eye)
{
	int box[4];
	long in = 0;
	scale_box(c, p->box, 0, box);
	for (int y = box[1]; y < box[3]; y++)
		for (int x = box[0]; x < box[2]; x++)
			in += eye_row(c, eye, y)[x] >= 128;
	return (double)in >= SEEN * (box[2] - box[0]) * (box[3] - box[1]);
}

/* What the matte holds beside the people, of the area of their boxes; clears what is in a box. */
static double stray_of(struct counter *c, int frame)
{
	double boxes = 0, stray = 0;
	for (int i = 0; i < c->count; i++) {
		int box[4];
		if (c->people[i].frame != frame)
			continue;
		scale_box(c, c->people[i].box, 0, box);
		boxes += (double)(box[2] - box[0]) * (box[3] - box[1]);
		scale_box(c, c->people[i].box, AROUND, box);
		for (int eye = 0; eye < c->eyes; eye++)
			for (int y = box[1]; y < box[3]; y++)
				memset(c->matte + (eye_row(c, eye, y) - c->matte) + box[0], 0, (size_t)(box[2] - box[0]));
	}
	for (size_t i = 0; i < (size_t)c->width * (size_t)c->height; i++)
		stray += c->matte[i] >= 128;
	return boxes > 0 ? stray / c->eyes / boxes : 0;
}

static void count_frame(struct counter *c, int frame)
{
	int all = 0, some = 0, listed = 0;
	for (int i = 0; i < c->count; i++) {
		const struct person *p = &c->people[i];
		int eyes = 0;
		if (p->frame != frame)
			continue;
		for (int eye = 0; eye < c->eyes; eye++)
			eyes += is_seen(c, p, eye);
		if (p->hidden) {
			c->hidden++;
			c->hidden_seen += eyes == c->eyes;
			continue;
		}
		listed++;
		all += eyes == c->eyes;
		some += eyes > 0 && eyes < c->eyes;
		if (eyes < c->eyes)
			printf("frame %d: %s at %d,%d %dx%d\n", frame, eyes ? "in one eye only" : "missed", p->box[0], p->box[1], p->box[2], p->box[3]);
	}
	if (!listed)
		return;
	c->frames++;
	c->listed += listed;
	c->in_all += all;
	c->in_some += some;
	c->stray += stray_of(c, frame);
}

static void compare_eyes(struct counter *c, int frame)
{
	long both = 0, either = 0;
	for (int y = 0; y < c->eye_height && c->eyes == 2; y++) {
		const uint8_t *left = eye_row(c, 0, y), *right = eye_row(c, 1, y);
		for (int x = 0; x < c->eye_width; x++) {
			both += left[x] >= 128 && right[x] >= 128;
			either += left[x] >= 128 || right[x] >= 128;
		}
	}
	double agreement = either ? (double)both / (double)either : 1;
	c->agreement += agreement;
	if (c->pictures == 0 || agreement < c->worst) {
		c->worst = agreement;
		c->worst_frame = frame;
	}
}

static void compare_past(struct counter *c)
{
	double sum = 0;
	size_t samples = (size_t)c->width * (size_t)c->height;
	for (size_t i = 0; i < samples && c->pictures > 0; i++)
		sum += abs(c->matte[i] - c->past[i]);
	c->change += sum / 255 / (double)samples;
	memcpy(c->past, c->matte, samples);
}

static int run(struct counter *c, int repeat, double min_percent)
{
	size_t samples = (size_t)c->width * (size_t)c->height;
	for (int frame = 0; fread(c->matte, 1, samples, stdin) == samples; frame++) {
		if (frame % repeat)
			continue;
		compare_eyes(c, frame / repeat);
		compare_past(c);
		c->pictures++;
		count_frame(c, frame / repeat);
	}
	if (c->listed == 0)
		return 3;
	printf("%d frames with %d people: %d in %s (%.1f %%), %d in one eye only, %d missed\n", c->frames, c->listed, c->in_all,
	       c->eyes == 2 ? "both eyes" : "the matte", 100.0 * c->in_all / c->listed, c->in_some, c->listed - c->in_all - c->in_some);
	printf("%d of %d people that are hidden by more than half\n", c->hidden_seen, c->hidden);
	if (c->eyes == 2)
		printf("eyes agree by %.4f, worst %.4f in frame %d\n", c->agreement / c->pictures, c->worst, c->worst_frame);
	printf("stray matte: %.3f of the people's boxes; change from picture to picture: %.2f\n", c->stray / c->frames,
	       c->pictures > 1 ? 1000 * c->change / (c->pictures - 1) : 0);
	return 100.0 * c->in_all < min_percent * c->listed;
}

int main(int argc, char **argv)
{
	struct counter *c = calloc(1, sizeof *c);
	int repeat = argc == 6 ? atoi(argv[4]) : 0, code = 2;
	if (c && repeat > 0 && set_layout(c, argv[2], argv[3]) && read_list(c, argv[1])) {
		c->matte = calloc((size_t)c->width, (size_t)c->height);
		c->past = calloc((size_t)c->width, (size_t)c->height);
		code = c->matte && c->past ? run(c, repeat, atof(argv[5])) : 3;
		free(c->matte);
		free(c->past);
	} else {
		fprintf(stderr, "usage: count_people LIST WIDTHxHEIGHT mono|sbs|tb REPEAT MIN_PERCENT < mattes\n");
	}
	free(c);
	return code;
}
