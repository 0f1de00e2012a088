/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Guards: of crf, quality, bit rate and lossless the one of the strongest source decides, and two that are asked for at once are refused; one that a
 * case sets over them decides whatever source they have, also with the value that is its default.
 */
#include "config_check.h"

struct setting {
	const char *key, *value;
	enum vrs_value_source source;
};

static const struct {
	struct setting set[3];
	const char *crf, *quality, *bitrate, *lossless; /* afterwards */
	const char *refusal;
} cases[] = {
	/* nothing asks */
	{{{0}}, "20", "auto", "auto", "false", NULL},
	{{{"output.quality", "auto", VRS_SOURCE_FLAG}, {"output.crf", "18", VRS_SOURCE_PROFILE}}, "18", "auto", "auto", "false", NULL},
	{{{"output.lossless", "false", VRS_SOURCE_FLAG}, {"output.bitrate", "1M", VRS_SOURCE_FILE}}, "20", "auto", "1M", "false", NULL},
	/* the stronger source */
	{{{"output.quality", "90", VRS_SOURCE_FLAG}, {"output.crf", "18", VRS_SOURCE_PROFILE}}, "20", "90", "auto", "false", NULL},
	{{{"output.lossless", "true", VRS_SOURCE_ENV}, {"output.crf", "18", VRS_SOURCE_FILE}}, "20", "auto", "auto", "true", NULL},
	{{{"output.crf", "18", VRS_SOURCE_FLAG}, {"output.quality", "80", VRS_SOURCE_FILE}}, "18", "auto", "auto", "false", NULL},
	{{{"output.crf", "20", VRS_SOURCE_FLAG}, {"output.quality", "80", VRS_SOURCE_FILE}, {"output.bitrate", "1M", VRS_SOURCE_ENV}},
	 "20", "auto", "auto", "false", NULL},
	{{{"output.crf", "18,22", VRS_SOURCE_FILE}, {"output.quality", "80", VRS_SOURCE_FLAG}}, "20", "80", "auto", "false", NULL},
	/* the same source: of one file, whoever encodes tells */
	{{{"output.crf", "20", VRS_SOURCE_FILE}, {"output.quality", "80", VRS_SOURCE_FILE}}, "20", "80", "auto", "false", NULL},
	{{{"output.crf", "20", VRS_SOURCE_FLAG}, {"output.quality", "80", VRS_SOURCE_FLAG}}, "20", "80", "auto", "false",
	 "output.quality does not go with output.crf: each decides on size and quality; give one of them"},
	/* of the environment likewise, which serves commands that encode nothing, too */
	{{{"output.bitrate", "1M", VRS_SOURCE_ENV}, {"output.quality", "80", VRS_SOURCE_ENV}, {"output.crf", "25", VRS_SOURCE_FILE}}, "20", "80", "1M",
	 "false", NULL},
	/* two of a weaker source are no matter */
	{{{"output.bitrate", "1M", VRS_SOURCE_ENV}, {"output.quality", "80", VRS_SOURCE_ENV}, {"output.crf", "25", VRS_SOURCE_FLAG}}, "25", "auto",
	 "auto", "false", NULL},
};

static void the_strongest_decides(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct vrs_config *config = new_config();
		struct vrs_error err = {0};

		for (int k = 0; k < 3 && cases[i].set[k].key; k++)
			set_ok(config, cases[i].set[k].key, cases[i].set[k].value, cases[i].set[k].source);
		assert_int_equal(vrs_config_settle_rivals(config, &err), cases[i].refusal ? VRS_ECONFIG : VRS_OK);
		assert_string_equal(err.text, cases[i].refusal ? cases[i].refusal : "");
		assert_value(config, "output.crf", cases[i].crf);
		assert_value(config, "output.quality", cases[i].quality);
		assert_value(config, "output.bitrate", cases[i].bitrate);
		assert_value(config, "output.lossless", cases[i].lossless);
		assert_null(vrs_config_list(config, "output.crf"));
		vrs_config_destroy(config);
	}
}

static const struct {
	struct setting base[2];
	const char *later[2][2];
	const char *crf, *quality, *lossless;
	const char *refusal;
} later[] = {
	{{{"output.crf", "18", VRS_SOURCE_FLAG}}, {{"output.quality", "50"}}, "20", "50", "false", NULL},
	{{{"output.crf", "18,22", VRS_SOURCE_FILE}}, {{"output.lossless", "true"}}, "20", "auto", "true", NULL},
	{{{"output.quality", "80", VRS_SOURCE_FILE}}, {{"output.crf", "20"}}, "20", "auto", "false", NULL},
	{{{"output.crf", "18", VRS_SOURCE_FILE}, {"output.quality", "80", VRS_SOURCE_FILE}}, {{"output.lossless", "on"}}, "20", "auto", "true", NULL},
	/* what asks for nothing takes nothing away */
	{{{"output.crf", "18", VRS_SOURCE_FLAG}}, {{"output.lossless", "false"}, {"engine.threads", "2"}}, "18", "auto", "false", NULL},
	{{{"output.crf", "18", VRS_SOURCE_FLAG}}, {{"output.quality", "auto"}, {"output.crf", "25"}}, "25", "auto", "false", NULL},
	{{{"output.quality", "80", VRS_SOURCE_FILE}}, {{"output.crf", "18"}, {"output.crf", "20"}}, "20", "auto", "false", NULL},
	{{{0}}, {{"output.crf", "20"}, {"output.quality", "50"}}, "20", "50", "false",
	 "output.quality does not go with output.crf: each decides on size and quality; give one of them"},
};

static void the_newest_decides(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof later / sizeof later[0]; i++) {
		struct vrs_config *config = new_config();
		struct vrs_error err = {0};
		enum vrs_status status = VRS_OK;
		const char *decides = NULL;

		for (int k = 0; k < 2 && later[i].base[k].key; k++)
			set_ok(config, later[i].base[k].key, later[i].base[k].value, later[i].base[k].source);
		for (int k = 0; k < 2 && later[i].later[k][0]; k++) {
			set_ok(config, later[i].later[k][0], later[i].later[k][1], VRS_SOURCE_FLAG);
			status = vrs_config_outrank(config, later[i].later[k][0], &decides, &err);
		}
		assert_int_equal(status, later[i].refusal ? VRS_ECONFIG : VRS_OK);
		assert_string_equal(err.text, later[i].refusal ? later[i].refusal : "");
		assert_value(config, "output.crf", later[i].crf);
		assert_value(config, "output.quality", later[i].quality);
		assert_value(config, "output.lossless", later[i].lossless);
		assert_null(vrs_config_list(config, "output.crf"));
		vrs_config_destroy(config);
	}
}

static void who_is_outranked(void **state)
{
	(void)state;
	struct vrs_config *config = new_config();

	assert_false(vrs_config_is_outranked(config, "output.crf"));
	set_ok(config, "output.quality", "80", VRS_SOURCE_FILE);
	assert_true(vrs_config_is_outranked(config, "output.crf"));
	assert_true(vrs_config_is_outranked(config, "output.lossless"));
	assert_false(vrs_config_is_outranked(config, "output.quality"));
	assert_false(vrs_config_is_outranked(config, "output.preset"));
	vrs_config_destroy(config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_strongest_decides), cmocka_unit_test(the_newest_decides),
					   cmocka_unit_test(who_is_outranked)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
