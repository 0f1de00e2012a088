/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/conv_u8_template.h"
