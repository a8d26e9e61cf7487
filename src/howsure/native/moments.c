/* Moments of numbers by bin, about its middle, with the bin as the unit. See `moments.py`. */
#include "kernels.h"

#include <math.h>

enum { ORDERS = 6, ORDERS_OF_CELLS = 4, BLOCK = 256 };
typedef double Four __attribute__((vector_size(32), aligned(8)));

/* `ends` has the smallest number and the bins that one unit has. Where a number lies in no bin it is refused. */
FOR_EACH_PROCESSOR PUBLIC int howsure_bin_moments(int64_t cells, int64_t bins, const double *numbers,
                                                  const double *counts, const double *ends, double *restrict of_counts,
                                                  double *restrict of_cells) {
    const double first = ends[0], scale = ends[1], beyond = (double)bins + 1.0; /* the last may be rounded up */
    const int32_t last = (int32_t)(bins - 1);
    if (bins < 1 || bins > INT32_MAX - 1)
        return 1;
    for (int64_t start = 0; start < cells; start += BLOCK) {
        const int size = (int)(cells - start < BLOCK ? cells - start : BLOCK);
        int32_t bin_of[BLOCK];
        double from_middle[BLOCK];
        int inside = 1;
        for (int each = 0; each < size; each++) { /* many at once: what follows goes one by one */
            const double place = (numbers[start + each] - first) * scale;
            inside &= (place >= 0.0) & (place < beyond);
            const int32_t bin = (int32_t)place;
            bin_of[each] = bin < last ? bin : last;
            from_middle[each] = place - (double)bin_of[each] - 0.5;
        }
        if (!inside)
            return 1;
        for (int each = 0; each < size; each++) {
            const double off = from_middle[each], square = off * off;
            const Four powers = {1.0, off, square, off * square};
            Four *const cell = (Four *)of_cells + bin_of[each];
            *cell += powers;
            double power = counts[start + each];
            if (power != 0.0) { /* of many classes most cells have no case */
                double *const counted = of_counts + (int64_t)bin_of[each] * ORDERS;
                for (int order = 0; order < ORDERS; order++, power *= off)
                    counted[order] += power;
            }
        }
    }
    return 0;
}

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
