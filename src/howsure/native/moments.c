/* Moments of slopes by class, and sums of powers. See `moments.py`. */
#include "kernels.h"

#include <math.h>

enum { LANES = 32, BLOCK = 1024 };

/* Of each class: its counts, their squares, and second and fourth moments of the slopes. Empty cells are passed over. */
PUBLIC int howsure_class_moments(int64_t cells, int64_t classes, const int64_t *truth, const double *counts,
                                 const double *squares, const double *slopes, double *found) {
    for (int64_t index = 0; index < cells; index++) {
        const double count = counts[index], square = squares[index];
        const double slope = count == 0.0 ? 0.0 : slopes[index]; /* no branch: nobody could foretell it */
        const double second = slope * slope, ratio = square / (count > 0.0 ? count : INFINITY);
        if (truth[index] < 0 || truth[index] >= classes)
            return 1;
        double *const own = found + 4 * truth[index];
        own[0] += count;
        own[1] += square;
        own[2] += square * second;
        own[3] += square * ratio * ratio * second * second;
    }
    return 0;
}

/* The sums of weighted powers 1 … most of numbers, which lie `stride` apart as their weights `apart`. Each is of many
 * sums of a block, in one order on every processor. */
FOR_EACH_PROCESSOR PUBLIC int howsure_power_sums(int64_t size, int64_t most, int64_t stride, int64_t apart,
                                                 const double *numbers, const double *weights, double *found) {
    double base[BLOCK], power[BLOCK];
    if (size < 0 || most < 0)
        return 1;
    for (int64_t order = 0; order < most; order++)
        found[order] = 0.0;
    for (int64_t first = 0; first < size; first += BLOCK) {
        const int some = size - first < BLOCK ? (int)(size - first) : BLOCK;
        for (int each = 0; each < some; each++) {
            base[each] = numbers[(first + each) * stride];
            power[each] = weights[(first + each) * apart] * base[each];
        }
        for (int each = some; each % LANES; each++)
            base[each] = power[each] = 0.0;
        for (int64_t order = 0; order < most; order++) {
            double sums[LANES] = {0};
            for (int each = 0; each < some; each += LANES)
                for (int lane = 0; lane < LANES; lane++) {
                    sums[lane] += power[each + lane];
                    power[each + lane] *= base[each + lane];
                }
            for (int lane = 0; lane < LANES; lane++)
                found[order] += sums[lane];
        }
    }
    return 0;
}
