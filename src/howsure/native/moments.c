/* Moments of slopes by class, and sums of powers. See `moments.py`. */
#include "kernels.h"

#include <math.h>

enum { LANES = 4, RUN = 128, BLOCK = 1024, MOST_POWERS = 32 };
typedef double Few __attribute__((vector_size(8 * LANES)));

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

/* Adds the sums of the complements and of the powers of a block, run by run; the sums of a run are in few lanes, which
 * are added up one after the other. `most` is a constant wherever this is inlined: the sums then stay in registers. */
ALWAYS_INLINE void add_powers(int most, const double *base, const double *weight, double *found) {
    for (int first = 0; first < BLOCK; first += RUN) {
        Few own[MOST_POWERS + 1];
        for (int order = 0; order <= most; order++)
            own[order] = (Few){0};
        for (int each = first; each < first + RUN; each += LANES) {
            Few number, power;
            memcpy(&number, base + each, sizeof number);
            memcpy(&power, weight + each, sizeof power);
            own[0] += power * (1 - number);
#pragma GCC unroll 32
            for (int order = 1; order <= most; order++) {
                power *= number;
                own[order] += power;
            }
        }
        for (int lane = 0; lane < LANES; lane++)
            for (int order = 0; order <= most; order++)
                found[order] += own[order][lane];
    }
}

/* The sums of the complements of numbers to one, and of their powers 1 … most, each weighted. The numbers lie `stride`
 * apart, their weights `apart`. Each sum is of many sums of a block, in one order on every processor. */
FOR_EACH_PROCESSOR PUBLIC int howsure_chance_sums(int64_t size, int64_t most, int64_t stride, int64_t apart,
                                                  const double *numbers, const double *weights, double *found) {
    double base[BLOCK], weight[BLOCK], sums[MOST_POWERS + 1] = {0};
    if (size < 0 || most < 0 || most > MOST_POWERS)
        return 1;
    for (int each = 0; each < BLOCK && size; each++)
        weight[each] = weights[0];
    for (int64_t first = 0; first < size; first += BLOCK) {
        const int some = size - first < BLOCK ? (int)(size - first) : BLOCK;
        const double *own = numbers + first, *own_weight = weight;
        if (some < BLOCK || stride != 1) {
            for (int each = 0; each < some; each++)
                base[each] = numbers[(first + each) * stride];
            own = base;
        }
        if (some < BLOCK || apart > 1 || apart < 0) {
            for (int each = 0; each < some; each++)
                weight[each] = weights[(first + each) * apart];
        } else if (apart == 1)
            own_weight = weights + first;
        for (int each = some; each < BLOCK; each++)
            base[each] = weight[each] = 0.0;
        if (most <= 2)
            add_powers(2, own, own_weight, sums);
        else if (most <= 12)
            add_powers(12, own, own_weight, sums);
        else
            add_powers(MOST_POWERS, own, own_weight, sums);
    }
    memcpy(found, sums, (size_t)(most + 1) * sizeof *sums);
    return 0;
}
