/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare_mattes WIDTHxHEIGHT mono|sbs|tb TRUTH < MATTES
 *
 * he figures of --truth for mattes that some other program, or an older vrseg, has made: raw 8-bit grey frames of WIDTHxHEIGHT in a layout.  Prints
 * a line for each figure: its key in results.json, the value as tables show it with two more digits, and whether more or less is better.  ffmpeg
 * gives such frames with `-fps_mode passthrough -f rawvideo -pix_fmt gray -`.
 *
 * Exit code 2 for wrong usage, 3 for files that cannot be read or hold no whole frame.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vrseg/quality.h>

struct pictures {
	int width, height, eyes, eye_width, eye_height;
	uint8_t *matte, *truth;
	FILE *truth_file;
};

static bool set_layout(struct pictures *p, const char *size, const char *layout)
{
	bool below = strcmp(layout, "tb") == 0, beside = strcmp(layout, "sbs") == 0;
	if (sscanf(size, "%dx%d", &p->width, &p->height) != 2 || p->width < 2 || p->height < 2 || p->width > 16384 || p->height > 16384)
		return false;
	p->eyes = below || beside ? 2 : 1;
	p->eye_width = beside ? p->width / 2 : p->width;
	p->eye_height = below ? p->height / 2 : p->height;
	return below || beside || strcmp(layout, "mono") == 0;
}

static struct vrs_matte eye_of(const struct pictures *p, uint8_t *picture, int eye)
{
	uint8_t *data = picture + (eye == 0 ? 0 : p->eye_width < p->width ? (size_t)p->eye_width : (size_t)p->eye_height * (size_t)p->width);
	return (struct vrs_matte){p->eye_width, p->eye_height, p->width, data};
}

static enum vrs_status add_frame(struct vrs_truth_meter *meter, const struct pictures *p, int64_t frame)
{
	enum vrs_status status = VRS_OK;
	for (int eye = 0; eye < p->eyes && status == VRS_OK; eye++) {
		struct vrs_matte matte = eye_of(p, p->matte, eye), truth = eye_of(p, p->truth, eye);
		status = vrs_truth_meter_add(meter, frame, eye, &matte, &truth, true);
	}
	return status;
}

static void print_figures(const struct vrs_truth_meter *meter)
{
	struct vrs_truth_sums sums;
	vrs_truth_meter_sums(meter, &sums);
	for (int i = 0; i < VRS_QUALITY_FIGURES; i++) {
		const struct vrs_quality_figure_info *info = vrs_quality_figure_info((enum vrs_quality_figure)i);
		double value = info->factor * vrs_quality_figure(&sums, (enum vrs_quality_figure)i);
		printf("%-26s %.*f (%s; %s is better)\n", info->key, info->decimals + 2, value, info->head, info->more_is_better ? "more" : "less");
	}
}

static int run(struct pictures *p)
{
	size_t samples = (size_t)p->width * (size_t)p->height;
	struct vrs_truth_meter *meter = NULL;
	int64_t frame = 0;
	enum vrs_status status = vrs_truth_meter_create(&meter, p->eyes, p->eye_width, p->eye_height, false);
	while (status == VRS_OK && fread(p->matte, 1, samples, stdin) == samples && fread(p->truth, 1, samples, p->truth_file) == samples)
		status = add_frame(meter, p, frame++);
	if (status == VRS_OK && frame > 0)
		print_figures(meter);
	vrs_truth_meter_destroy(meter);
	return status == VRS_OK && frame > 0 ? 0 : 3;
}

int main(int argc, char **argv)
{
	struct pictures p = {0};
	if (argc != 4 || !set_layout(&p, argv[1], argv[2])) {
		fprintf(stderr, "usage: compare_mattes WIDTHxHEIGHT mono|sbs|tb TRUTH < MATTES\n");
		return 2;
	}
	p.truth_file = fopen(argv[3], "rb");
	p.matte = calloc((size_t)p.width, (size_t)p.height);
	p.truth = calloc((size_t)p.width, (size_t)p.height);
	int code = p.truth_file && p.matte && p.truth ? run(&p) : 3;
	if (p.truth_file)
		fclose(p.truth_file);
	free(p.matte);
	free(p.truth);
	return code;
}
