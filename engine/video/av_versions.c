/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <vrseg/libraries.h>

#include <stdio.h>

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libswscale/swscale.h>

void vrs_libraries(struct vrs_library ret[VRS_LIBRARIES])
{
	static const char *const names[VRS_LIBRARIES] = {"libavcodec", "libavformat", "libavutil", "libswscale"};
	const unsigned versions[VRS_LIBRARIES] = {avcodec_version(), avformat_version(), avutil_version(), swscale_version()};
	for (int i = 0; i < VRS_LIBRARIES; i++) {
		ret[i].name = names[i];
		(void)snprintf(ret[i].version, sizeof ret[i].version, "%u.%u.%u", AV_VERSION_MAJOR(versions[i]), AV_VERSION_MINOR(versions[i]),
			       AV_VERSION_MICRO(versions[i]));
	}
}
