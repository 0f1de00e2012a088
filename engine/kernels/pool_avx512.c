/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kernels/pool_template.h"
