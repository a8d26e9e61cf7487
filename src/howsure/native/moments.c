/* Moments of numbers by bin, about its middle, with the bin as the unit. See `moments.py`. */
#include "kernels.h"

#include <math.h>

enum { ORDERS = 6, ORDERS_OF_CELLS = 4 };

/* `ends` has the smallest number and the bins that one unit has. Where a number lies in no bin it is refused. */
FOR_EACH_PROCESSOR PUBLIC int howsure_bin_moments(int64_t cells, int64_t bins, const double *numbers,
                                                  const double *counts, const double *ends, double *of_counts,
                                                  double *of_cells) {
    const double first = ends[0], scale = ends[1], beyond = (double)bins + 1.0; /* the last may be rounded up */
    for (int64_t index = 0; index < cells; index++) {
        const double place = (numbers[index] - first) * scale;
        if (!(place >= 0.0 && place < beyond))
            return 1;
        int64_t bin = (int64_t)place;
        bin = bin < bins ? bin : bins - 1;
        const double from_middle = place - (double)bin - 0.5, square = from_middle * from_middle;
        const double powers[ORDERS_OF_CELLS] = {1.0, from_middle, square, from_middle * square};
        double *const cell = of_cells + bin * ORDERS_OF_CELLS, *const counted = of_counts + bin * ORDERS;
        for (int order = 0; order < ORDERS_OF_CELLS; order++)
            cell[order] += powers[order];
        double power = counts[index];
        if (power != 0.0) /* of many classes most cells have no case */
            for (int order = 0; order < ORDERS; order++, power *= from_middle)
                counted[order] += power;
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
