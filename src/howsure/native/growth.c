/* Cells times exponentials. See `growth.py`. */
#include "arithmetic.h"

/* `grown` are (rows, width) and `pace` is (rows); `cells` and `slopes` are the same again after so many rows of their own.
 * Exponents are cut at ±bound, of at most 700. */
FOR_EACH_PROCESSOR PUBLIC int howsure_grown(int64_t rows, int64_t width, int64_t of_cells, int64_t of_slopes,
                                            const double *restrict cells, const double *restrict slopes, const double *restrict pace,
                                            const double *bound, double *restrict grown) {
    const double most = bound[0];
    if (rows < 0 || width < 0 || of_cells < 1 || of_slopes < 1 || !(most >= 0 && most <= 700))
        return 1;
    for (int64_t row = 0; row < rows; row++) {
        const double *const cell = cells + row % of_cells * width;
        const double *const slope = slopes + row % of_slopes * width;
        for (int64_t each = 0; each < width; each++) {
            const double step = pace[row] * slope[each], above = step < -most ? -most : step; /* or nan */
            grown[row * width + each] = cell[each] * exp_within(above > most ? most : above);
        }
    }
    return 0;
}
