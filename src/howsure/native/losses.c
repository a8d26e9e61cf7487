/* Losses of cells, their sums, their moments by bin, and cases tilted by them. See `losses.py`. */
#include "arithmetic.h"

enum { ORDERS = 6, LANES = 8, BLOCK = 256 };
typedef double Four __attribute__((vector_size(32), aligned(8)));

/* `given` is (rows, classes): 1 and the sum of squares of each row. That is of eight sums, in one order on every
 * processor. */
FOR_EACH_PROCESSOR PUBLIC int howsure_square_sums(int64_t rows, int64_t classes, const double *restrict given,
                                                  double *restrict found) {
    if (rows < 0 || classes < 0)
        return 1;
    for (int64_t row = 0; row < rows; row++) {
        const double *const own = given + row * classes;
        const int64_t whole = classes - classes % LANES;
        double sum = 1, sums[LANES] = {0}; /* which stay in registers */
        for (int64_t first = 0; first < whole; first += LANES)
            for (int lane = 0; lane < LANES; lane++)
                sums[lane] += own[first + lane] * own[first + lane];
        for (int64_t each = whole; each < classes; each++)
            sums[each - whole] += own[each] * own[each];
        for (int lane = 0; lane < LANES; lane++)
            sum += sums[lane];
        found[row] = sum;
    }
    return 0;
}

/* Losses are ``base + slope · given``, with a base for each row. `given` and `counts` are (rows, width); found are the
 * sums of losses and of counts. Each is of eight sums, in one order on every processor. */
FOR_EACH_PROCESSOR PUBLIC int howsure_loss_sums(int64_t rows, int64_t width, const double *restrict given,
                                                const double *restrict base, const double *restrict counts,
                                                const double *slope, double *restrict found) {
    double sums[LANES] = {0}, cases[LANES] = {0};
    const double by = slope[0];
    if (rows < 0 || width < 0)
        return 1;
    for (int64_t row = 0; row < rows; row++) {
        const double *const own = given + row * width, *const number = counts + row * width;
        const int64_t whole = width - width % LANES;
        for (int64_t first = 0; first < whole; first += LANES)
            for (int lane = 0; lane < LANES; lane++) {
                sums[lane] += (base[row] + by * own[first + lane]) * number[first + lane];
                cases[lane] += number[first + lane];
            }
        for (int64_t each = whole; each < width; each++) {
            sums[each - whole] += (base[row] + by * own[each]) * number[each];
            cases[each - whole] += number[each];
        }
    }
    found[0] = found[1] = 0;
    for (int lane = 0; lane < LANES; lane++) {
        found[0] += sums[lane];
        found[1] += cases[lane];
    }
    return 0;
}

/* Moments about the middle of each bin, with the bin as the unit. `settings` has the slope, the smallest loss and the
 * bins that one unit has. Where a loss lies in no bin it is refused. */
FOR_EACH_PROCESSOR PUBLIC int howsure_loss_moments(int64_t rows, int64_t width, int64_t bins, const double *given,
                                                   const double *base, const double *counts, const double *settings,
                                                   double *restrict of_counts, double *restrict of_cells) {
    const double slope = settings[0], first = settings[1], scale = settings[2];
    const double beyond = (double)bins + 1.0; /* the last may be rounded up */
    const int32_t last = (int32_t)(bins - 1);
    if (rows < 0 || width < 0 || bins < 1 || bins > INT32_MAX - 1)
        return 1;
    for (int64_t row = 0; row < rows; row++)
        for (int64_t start = row * width; start < (row + 1) * width; start += BLOCK) {
            const int64_t rest = (row + 1) * width - start;
            const int size = rest < BLOCK ? (int)rest : BLOCK;
            int32_t bin_of[BLOCK];
            double from_middle[BLOCK];
            int inside = 1;
            for (int each = 0; each < size; each++) { /* many at once: what follows goes one by one */
                const double place = (base[row] + slope * given[start + each] - first) * scale;
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

/* Weights, in place, times the exponential of ``pace · off - shift``, which is cut at ±bound, of at most 700; found are
 * the sums of the new ones times the powers 0 … 3 of how far losses are off. Each is of eight sums, in one order on
 * every processor. `settings` has pace, shift and bound. */
FOR_EACH_PROCESSOR PUBLIC int howsure_tilted(int64_t cells, const double *restrict off, const double *settings,
                                             double *restrict weights, double *restrict found) {
    const double pace = settings[0], shift = settings[1], bound = settings[2];
    double sums[4][LANES] = {{0}};
    if (cells < 0 || !(bound <= 700))
        return 1;
    for (int64_t first = 0; first < cells; first += BLOCK) {
        const int some = cells - first < BLOCK ? (int)(cells - first) : BLOCK;
        double power[BLOCK], place[BLOCK];
        if (pace != 0 || shift != 0)
            for (int each = 0; each < some; each++) { /* many at once */
                const double step = pace * off[first + each] - shift, above = step > -bound ? step : -bound;
                weights[first + each] *= exp_within(above < bound ? above : bound);
            }
        memcpy(power, weights + first, (size_t)some * sizeof *power);
        memcpy(place, off + first, (size_t)some * sizeof *place);
        for (int each = some; each % LANES; each++)
            power[each] = place[each] = 0;
        for (int each = 0; each < some; each += LANES)
            for (int lane = 0; lane < LANES; lane++) {
                const double of = place[each + lane], zeroth = power[each + lane], one = zeroth * of, two = one * of;
                sums[0][lane] += zeroth;
                sums[1][lane] += one;
                sums[2][lane] += two;
                sums[3][lane] += two * of;
            }
    }
    for (int order = 0; order < 4; order++) {
        found[order] = 0;
        for (int lane = 0; lane < LANES; lane++)
            found[order] += sums[order][lane];
    }
    return 0;
}
