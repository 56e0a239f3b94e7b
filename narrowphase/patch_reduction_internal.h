// SPDX-License-Identifier: MIT
// Which points of a contact patch are kept, for boxes and for any other shapes. Not installed.
#pragma once

namespace sunder::detail {

// Of more than four points (x, y in the plane across the normal, z their separations) up to four that span the patch; see
// boxAxisManifold. A point deeper than all of these by more than `deeper` takes the place of its nearest one. x and y are
// overwritten with the points in units of the patch's size. Returns how many indices are in kept.
int reducePatch(double x[], double y[], const double z[], int count, double deeper, int kept[4]);

}  // namespace sunder::detail
