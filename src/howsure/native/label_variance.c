/* The variance of a sum over cases whose labels are unknown. See `label_variance.py`. */
#include "kernels.h"

enum { LANES = 8 };

/* `slopes` is (size, 2): what a case of either class adds. The numbers of cases lie `apart`. */
FOR_EACH_PROCESSOR PUBLIC int howsure_label_variance(int64_t size, int64_t apart, const double *chance,
                                                     const double *number, const double *slopes, double *found) {
    double sums[LANES] = {0};
    if (size < 0 || apart < 0 || apart > 1)
        return 1;
    for (int64_t first = 0; first < size; first += LANES) {
        const int some = size - first < LANES ? (int)(size - first) : LANES;
        for (int lane = 0; lane < some; lane++) {
            const double gap = slopes[2 * (first + lane) + 1] - slopes[2 * (first + lane)], each = chance[first + lane];
            sums[lane] += number[(first + lane) * apart] * (each * (1 - each)) * (gap * gap);
        }
    }
    found[0] = 0.0;
    for (int lane = 0; lane < LANES; lane++)
        found[0] += sums[lane];
    return 0;
}
