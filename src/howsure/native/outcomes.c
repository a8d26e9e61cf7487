/* The outcomes of each class in drawn tables. See `outcomes.py`. */
#include "kernels.h"

#include <string.h>

enum { LANES = 64, MOST_CLASSES = 20 };

/* `cells` is (classes, classes, draws), `found` (3, classes, draws): false negatives, false positives and true negatives.
 * Every sum is of counts alone, and in one order. */
FOR_EACH_PROCESSOR PUBLIC int howsure_outcomes(int64_t classes, int64_t draws, const double *cells, double *found) {
    double others[MOST_CLASSES][LANES], alarms[MOST_CLASSES][LANES], rejections[MOST_CLASSES][LANES], upto[LANES];
    if (classes < 1 || classes > MOST_CLASSES || draws < 0)
        return 1;
    for (int64_t first = 0; first < draws; first += LANES) {
        const int lanes = draws - first < LANES ? (int)(draws - first) : LANES;
        memset(alarms, 0, sizeof alarms);
        memset(rejections, 0, sizeof rejections);
        for (int64_t own = 0; own < classes; own++) {
            const double *row = cells + own * classes * draws + first;
            memset(upto, 0, sizeof upto);
            for (int64_t said = 0; said < classes; said++)
                for (int lane = 0; lane < lanes; lane++) {
                    others[said][lane] = upto[lane];
                    upto[lane] += row[said * draws + lane];
                }
            memset(upto, 0, sizeof upto);
            for (int64_t said = classes - 1; said >= 0; said--)
                for (int lane = 0; lane < lanes; lane++) {
                    others[said][lane] += upto[lane];
                    upto[lane] += row[said * draws + lane];
                }
            memcpy(found + own * draws + first, others[own], (size_t)lanes * sizeof(double));
            for (int64_t said = 0; said < classes; said++)
                if (said != own)
                    for (int lane = 0; lane < lanes; lane++) {
                        alarms[said][lane] += row[said * draws + lane];
                        rejections[said][lane] += others[said][lane];
                    }
        }
        for (int64_t said = 0; said < classes; said++) {
            memcpy(found + (classes + said) * draws + first, alarms[said], (size_t)lanes * sizeof(double));
            memcpy(found + (2 * classes + said) * draws + first, rejections[said], (size_t)lanes * sizeof(double));
        }
    }
    return 0;
}
