/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The build ID that linkers write into a library says more than its version: distributions mend a version without giving it another number. */
#include <vrseg/libraries.h>

#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"

#define ID_BYTES 8 /* that are shown of a build ID, which is a hash */

static const struct {
	const char *name;
	bool decodes;
} known[] = {
	{"libavcodec", true}, {"libavformat", true}, {"libavutil", true}, {"libswscale", true}, {"libdav1d", true}, {"libaom", true}, {"libvpx", true},
	{"libgav1", true}, {"libx264", false}, {"libx265", false}, {"libSvtAv1Enc", false}, {"librav1e", false}, {"libopenh264", false},
	{"libkvazaar", false}, {"libvvenc", false}, {"libxvidcore", false},
};
_Static_assert(sizeof known / sizeof known[0] <= VRS_CODEC_LIBRARIES, "there is room for each");

static int find(const char *path)
{
	const char *base = vrs_path_base(path), *end = strstr(base, ".so");
	size_t length = end ? (size_t)(end - base) : 0;

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (strlen(known[i].name) == length && memcmp(known[i].name, base, length) == 0)
			return (int)i;
	return -1;
}

/* The bytes of the note with the build ID among those of a segment of notes; NULL: there is none. */
static const uint8_t *find_id(const uint8_t *notes, size_t size)
{
	ElfW(Nhdr) note;

	for (size_t at = 0; at + sizeof note <= size;) {
		memcpy(&note, notes + at, sizeof note);
		size_t name = at + sizeof note, text = name + ((size_t)note.n_namesz + 3) / 4 * 4, next = text + ((size_t)note.n_descsz + 3) / 4 * 4;

		if (next > size)
			return NULL;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(notes + name, "GNU", 4) == 0 && note.n_descsz >= ID_BYTES)
			return notes + text;
		at = next;
	}
	return NULL;
}

static void describe_build(struct vrs_codec_library *library, const struct dl_phdr_info *info)
{
	const uint8_t *id = NULL;
	size_t length = strlen(library->build);

	for (int i = 0; i < info->dlpi_phnum && !id; i++)
		if (info->dlpi_phdr[i].p_type == PT_NOTE)
			id = find_id((const uint8_t *)(uintptr_t)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr), info->dlpi_phdr[i].p_memsz);
	if (!id)
		return;
	if (length > 0)
		library->build[length++] = ' ';
	for (int i = 0; i < ID_BYTES; i++)
		length += (size_t)snprintf(library->build + length, sizeof library->build - length, "%02x", id[i]);
}

struct builds {
	struct vrs_codec_library all[VRS_CODEC_LIBRARIES]; /* of each known one */
	bool loaded[VRS_CODEC_LIBRARIES];
};

static int look(struct dl_phdr_info *info, size_t size, void *cookie)
{
	struct builds *builds = cookie;
	int place = info->dlpi_name ? find(info->dlpi_name) : -1;

	(void)size;
	if (place >= 0) {
		builds->loaded[place] = true;
		describe_build(&builds->all[place], info);
	}
	return 0;
}

int vrs_codec_libraries(struct vrs_codec_library ret[VRS_CODEC_LIBRARIES])
{
	struct builds builds = {0};
	struct vrs_library versions[VRS_LIBRARIES];
	int count = (int)(sizeof known / sizeof known[0]), found = 0;

	vrs_libraries(versions);
	for (int i = 0; i < count; i++) {
		builds.all[i].name = known[i].name;
		builds.all[i].decodes = known[i].decodes;
		for (int k = 0; k < VRS_LIBRARIES; k++)
			if (strcmp(versions[k].name, known[i].name) == 0) { /* also where they are part of the program */
				snprintf(builds.all[i].build, sizeof builds.all[i].build, "%s", versions[k].version);
				builds.loaded[i] = true;
			}
	}
	(void)dl_iterate_phdr(look, &builds);
	for (int i = 0; i < count; i++)
		if (builds.loaded[i])
			ret[found++] = builds.all[i];
	return found;
}
