/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Guards: the libraries that pictures come from are found with version and build, each once, and it is known which have a part in mattes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <vrseg/libraries.h>

static void loaded_libraries(void **state)
{
	struct vrs_codec_library libraries[VRS_CODEC_LIBRARIES];
	struct vrs_library versions[VRS_LIBRARIES];
	int count = vrs_codec_libraries(libraries), ours = 0;

	(void)state;
	vrs_libraries(versions);
	assert_in_range(count, VRS_LIBRARIES, VRS_CODEC_LIBRARIES);
	for (int i = 0; i < count; i++) {
		for (int k = 0; k < VRS_LIBRARIES; k++) {
			if (strcmp(libraries[i].name, versions[k].name) != 0)
				continue;
			size_t length = strlen(versions[k].version);

			ours++;
			assert_true(libraries[i].decodes);
			assert_memory_equal(libraries[i].build, versions[k].version, length);
			if (libraries[i].build[length]) /* the linker has written a build ID, and the library is not part of the program */
				assert_int_equal(strspn(libraries[i].build + length + 1, "0123456789abcdef"), 16);
		}
		if (strcmp(libraries[i].name, "libx264") == 0) {
			assert_false(libraries[i].decodes);
			assert_true(libraries[i].build[0] == '\0' || strlen(libraries[i].build) == 16);
		}
		for (int k = 0; k < i; k++)
			assert_string_not_equal(libraries[i].name, libraries[k].name);
	}
	assert_int_equal(ours, VRS_LIBRARIES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(loaded_libraries)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
