/* Margins of drawn tables, and the outcomes of each class in them. See `outcomes.py`. */
#include "kernels.h"

#include <string.h>

enum { LANES = 32, MOST_CLASSES = 20 };

/* `lanes` is a constant wherever this is inlined for as many as there may be: sums then stay in registers. */
ALWAYS_INLINE void margins_of(int64_t classes, int64_t draws, const double *cells, double *found, int lanes) {
    double *columns = found + classes * draws, upto[LANES];
    for (int64_t own = 0; own < classes; own++) {
        memset(upto, 0, sizeof upto);
        for (int64_t said = 0; said < classes; said++) {
            const double *cell = cells + (own * classes + said) * draws;
            double *column = columns + said * draws;
            for (int lane = 0; lane < lanes; lane++) {
                upto[lane] += cell[lane];
                column[lane] = own ? column[lane] + cell[lane] : cell[lane];
            }
        }
        memcpy(found + own * draws, upto, (size_t)lanes * sizeof(double));
    }
}

/* `cells` is (classes, classes, draws), `found` (2, classes, draws): sums of rows and of columns, each in order. */
FOR_EACH_PROCESSOR PUBLIC int howsure_margins(int64_t classes, int64_t draws, const double *cells, double *found) {
    int64_t first = 0;
    if (classes < 1 || draws < 0)
        return 1;
    for (; first + LANES <= draws; first += LANES)
        margins_of(classes, draws, cells + first, found + first, LANES);
    margins_of(classes, draws, cells + first, found + first, (int)(draws - first));
    return 0;
}

ALWAYS_INLINE void outcomes_of(int64_t classes, int64_t draws, const double *cells, double *found, int lanes) {
    double others[MOST_CLASSES][LANES], alarms[MOST_CLASSES][LANES], rejections[MOST_CLASSES][LANES], upto[LANES];
    memset(alarms, 0, sizeof alarms);
    memset(rejections, 0, sizeof rejections);
    for (int64_t own = 0; own < classes; own++) {
        const double *row = cells + own * classes * draws;
        memset(upto, 0, sizeof upto);
        for (int64_t said = 0; said < classes; said++)
            for (int lane = 0; lane < lanes; lane++) {
                others[said][lane] = upto[lane];
                upto[lane] += row[said * draws + lane];
            }
        memset(upto, 0, sizeof upto);
        for (int64_t said = classes - 1; said >= 0; said--) {
            const double *cell = row + said * draws;
            if (said == own)
                for (int lane = 0; lane < lanes; lane++) {
                    found[own * draws + lane] = others[said][lane] + upto[lane];
                    upto[lane] += cell[lane];
                }
            else
                for (int lane = 0; lane < lanes; lane++) {
                    rejections[said][lane] += others[said][lane] + upto[lane];
                    alarms[said][lane] += cell[lane];
                    upto[lane] += cell[lane];
                }
        }
    }
    for (int64_t said = 0; said < classes; said++) {
        memcpy(found + (classes + said) * draws, alarms[said], (size_t)lanes * sizeof(double));
        memcpy(found + (2 * classes + said) * draws, rejections[said], (size_t)lanes * sizeof(double));
    }
}

/* `cells` is (classes, classes, draws), `found` (3, classes, draws): false negatives, false positives and true negatives.
 * Every sum is of counts alone, and in one order. */
FOR_EACH_PROCESSOR PUBLIC int howsure_outcomes(int64_t classes, int64_t draws, const double *cells, double *found) {
    int64_t first = 0;
    if (classes < 1 || classes > MOST_CLASSES || draws < 0)
        return 1;
    for (; first + LANES <= draws; first += LANES)
        outcomes_of(classes, draws, cells + first, found + first, LANES);
    outcomes_of(classes, draws, cells + first, found + first, (int)(draws - first));
    return 0;
}
