/* Moments of slopes by class. See `moments.py`. */
#include "kernels.h"

#include <math.h>

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
