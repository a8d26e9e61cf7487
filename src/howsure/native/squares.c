/* Sums of squared differences from each class. See `squares.py`. */
#include "kernels.h"

enum { LANES = 8 };

/* `scores` and `found` are (rows, classes). Each sum of squares is of eight sums, in one order on every processor. */
FOR_EACH_PROCESSOR PUBLIC int howsure_square_losses(int64_t rows, int64_t classes, const double *restrict scores,
                                                    double *restrict found) {
    if (rows < 0 || classes < 0)
        return 1;
    for (int64_t row = 0; row < rows; row++) {
        const double *const own = scores + row * classes;
        double *const losses = found + row * classes;
        double sum = 1, sums[LANES] = {0};
        const int64_t whole = classes - classes % LANES;
        for (int64_t first = 0; first < whole; first += LANES)
            for (int lane = 0; lane < LANES; lane++) /* which stay in registers */
                sums[lane] += own[first + lane] * own[first + lane];
        for (int64_t each = whole; each < classes; each++)
            sums[each - whole] += own[each] * own[each];
        for (int lane = 0; lane < LANES; lane++)
            sum += sums[lane];
        for (int64_t each = 0; each < classes; each++) {
            const double loss = sum - 2 * own[each];
            losses[each] = loss > 0 ? loss : 0; /* rounding may leave it below */
        }
    }
    return 0;
}
