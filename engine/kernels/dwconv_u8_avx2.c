/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/dwconv_u8_template.h"
