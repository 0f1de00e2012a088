/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One value of one row: text to value with all checks, value to text. */
#ifndef VRS_CONFIG_OPTION_VALUE_H
#define VRS_CONFIG_OPTION_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vrseg/options.h>

struct vrs_option_value {
	bool is_interval;     /* integer rows: "16-32"; number holds the lower end */
	int low, high;
	union {                       /* as the field of the settings holds it */
		bool flag;            /* VRS_OPT_BOOL */
		int number;           /* VRS_OPT_INT, VRS_OPT_ENUM */
		double real;          /* VRS_OPT_DOUBLE */
		int size2[2];
		uint8_t color[3];
		char text[VRS_PATH_MAX]; /* VRS_OPT_STRING */
	};
};

/*
 * Parse text for a row.  On failure VRS_ECONFIG with "LABEL: what is wrong and what is right".
 */
enum vrs_status vrs_option_parse(const struct vrs_option *row, const char *text, const char *label, struct vrs_option_value *ret_value,
				 struct vrs_error *err);
/* Store into the field of a row that has one. */
void vrs_option_store(const struct vrs_option *row, const struct vrs_option_value *value, struct vrs_settings *settings);
/* Read the field of a row that has one. */
void vrs_option_load(const struct vrs_option *row, const struct vrs_settings *settings, struct vrs_option_value *ret_value);
/* Text that vrs_option_parse accepts again. VRS_ELIMIT when buf is too small. */
enum vrs_status vrs_option_print(const struct vrs_option *row, const struct vrs_option_value *value, char *buf, size_t size);
/* "0 to 1024, or auto"; "" for rows without a range. */
void vrs_option_range_text(const struct vrs_option *row, char *buf, size_t size);

#endif
