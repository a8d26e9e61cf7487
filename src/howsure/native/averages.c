/* Averages over classes of ratios of their counts: values and slopes, of counts and of tables of which most cells are
 * products of a factor of either class. See `averages.py` and `products.py`. */
#include "kernels.h"

#include <math.h>

/* One average: coefficients of hits, row and column totals, so many places apart, whether classes count by their row
 * totals, how often each does, and the values of classes that are constants (nan: the ratio). */
typedef struct {
    const double *above, *below, *times, *constants;
    int64_t apart;
    double by_total;
} Average;

ALWAYS_INLINE double form(const double *by, int64_t apart, double hits, double row, double column) {
    return by[0] * hits + by[apart] * row + by[2 * apart] * column;
}

ALWAYS_INLINE double slopes_of(const Average average, int64_t classes, const double *restrict hits,
                               const double *restrict rows, const double *restrict columns, double *restrict by_hit,
                               double *restrict by_row, double *restrict by_column) {
    const double *const above = average.above, *const below = average.below, counts = average.by_total;
    const int64_t apart = average.apart;
    double total = 0, sum = 0;
    for (int64_t each = 0; each < classes; each++) { /* value, weight and times of each class */
        const double part = form(above, apart, hits[each], rows[each], columns[each]);
        const double whole = form(below, apart, hits[each], rows[each], columns[each]);
        const double constant = average.constants[each];
        const double own = isnan(constant) && whole == 0.0 ? 0.0 : average.times[each];
        by_hit[each] = !isnan(constant) ? constant : whole == 0.0 ? 0.0 : part / whole;
        by_row[each] = own * (counts * rows[each] + (1 - counts));
        by_column[each] = own;
    }
    for (int64_t each = 0; each < classes; each++) {
        total += by_row[each];
        sum += by_hit[each] * by_row[each];
    }
    for (int64_t each = 0; each < classes; each++) {
        const double whole = form(below, apart, hits[each], rows[each], columns[each]);
        const int varies = isnan(average.constants[each]) && whole != 0.0;
        const double slope = varies ? by_row[each] / (total * whole) : 0.0, value = by_hit[each];
        const double by_weight = counts * by_column[each] * (value - sum / total) / total;
        by_hit[each] = slope * (above[0] - value * below[0]);
        by_row[each] = slope * (above[apart] - value * below[apart]) + by_weight;
        by_column[each] = slope * (above[2 * apart] - value * below[2 * apart]);
    }
    return sum / total;
}

/* How much a class adds to the bias of an average for one of its outcomes, of coefficients a and b in the ratio, and
 * `of_row` in the share of its class. */
ALWAYS_INLINE double bias_of(double count, double a, double b, double of_row, double above, double below, double share,
                             double total, double times, double weight, double by_total, const double *nudges) {
    const double part = nudges[0] * count, nudge = part < nudges[1] ? part : nudges[1], square = nudge * nudge;
    const double value = above / below;
    const double first = (a - value * b) * below / (below * below - square * b * b), second = -2 * first * b / below;
    const double rise = by_total * times * (of_row - share) * total / (total * total - square);
    const double bend = weight * second + 2 * rise * (first - (value + square / 2 * second) / total);
    return isfinite(bend) ? count * bend : 0.0;
}

/* Outcomes are (tables, averages, classes), `above` and `below` (3, averages). `nudges` has the part of a count by which it is changed, and the most that
 * it is. */
FOR_EACH_PROCESSOR PUBLIC int howsure_average_bias(int64_t tables, int64_t averages, int64_t classes,
                                                   const double *above, const double *below, const double *by_total,
                                                   const double *times, const double *constants, const double *tp,
                                                   const double *fn, const double *fp, const double *tn,
                                                   const double *nudges, double *restrict found) {
    if (tables < 0 || averages < 0 || classes < 0)
        return 1;
    for (int64_t table = 0; table < tables * averages; table++) {
        const int64_t which = table % averages, start = table * classes;
        const double *const over = above + which, *const under = below + which, *const time = times + which * classes;
        const double *const constant = constants + which * classes;
        const double a[] = {over[0] + over[averages] + over[2 * averages], over[averages], over[2 * averages]};
        const double b[] = {under[0] + under[averages] + under[2 * averages], under[averages], under[2 * averages]};
        double every = 0, sum = 0;
        for (int64_t each = 0; each < classes; each++)
            every += time[each];
        for (int64_t each = 0; each < classes; each++) {
            const int64_t place = start + each;
            if (!isnan(constant[each]) || time[each] == 0.0)
                continue;
            const double counts[] = {tp[place], fn[place], fp[place], tn[place]};
            const double row = counts[0] + counts[1], column = counts[0] + counts[2];
            const double total = row + counts[2] + counts[3], share = row / total;
            const double part = form(over, averages, counts[0], row, column);
            const double whole = form(under, averages, counts[0], row, column);
            const double weight = time[each] * (by_total[which] != 0.0 ? share : 1 / every);
            double own = 0;
            for (int outcome = 0; outcome < 4; outcome++)
                own += bias_of(counts[outcome], outcome < 3 ? a[outcome] : 0.0, outcome < 3 ? b[outcome] : 0.0,
                               outcome < 2 ? 1.0 : 0.0, part, whole, share, total, time[each], weight, by_total[which],
                               nudges);
            sum += own;
        }
        found[table] = sum / 2;
    }
    return 0;
}

/* `cells` and `slopes` are (tables, averages, 3 · classes + wrong): right predictions, wrong ones that are told one by
 * one, and the factors of the others, of the true and of the predicted class. Cells are scaled to so many cases, and
 * found are second and third moments of the slopes. The scratch is of six numbers a class. */
FOR_EACH_PROCESSOR PUBLIC int howsure_product_points(int64_t tables, int64_t averages, int64_t classes, int64_t wrong,
                                                     const int64_t *truth, const int64_t *prediction,
                                                     const double *above, const double *below, const double *by_total,
                                                     const double *times, const double *constants, const double *cases,
                                                     double *restrict cells, double *restrict values,
                                                     double *restrict slopes, double *restrict seconds,
                                                     double *restrict thirds, double *restrict scratch) {
    const int64_t told = classes + wrong, entries = told + 2 * classes;
    double *const hits = scratch, *const rows = hits + classes, *const columns = rows + classes;
    double *const by_hit = columns + classes, *const by_row = by_hit + classes, *const by_column = by_row + classes;
    if (tables < 0 || averages < 0 || classes < 0 || wrong < 0)
        return 1;
    for (int64_t each = 0; each < wrong; each++)
        if (truth[each] < 0 || truth[each] >= classes || prediction[each] < 0 || prediction[each] >= classes)
            return 1;
    for (int64_t table = 0; table < tables * averages; table++) {
        const int64_t which = table % averages;
        const Average average = {above + which, below + which, times + which * classes, constants + which * classes,
                                 averages, by_total[which]};
        double *const cell = cells + table * entries, *const slope = slopes + table * entries;
        double *const of_truth = cell + told, *const of_prediction = of_truth + classes;
        double n = 0, n1 = 0, n2 = 0, n3 = 0, m = 0, m1 = 0, m2 = 0, m3 = 0, second = 0, third = 0, all = 0;
        for (int64_t each = 0; each < classes; each++) {
            n += of_truth[each];
            m += of_prediction[each];
        }
        for (int64_t each = 0; each < classes; each++) {
            const double same = of_truth[each] * of_prediction[each]; /* right predictions are no products */
            hits[each] = cell[each];
            rows[each] = cell[each] + (of_truth[each] * m - same);
            columns[each] = cell[each] + (of_prediction[each] * n - same);
        }
        for (int64_t each = 0; each < wrong; each++) {
            rows[truth[each]] += cell[classes + each];
            columns[prediction[each]] += cell[classes + each];
        }
        for (int64_t each = 0; each < classes; each++)
            all += rows[each];
        const double scale = cases[which] / all;
        for (int64_t each = 0; each < 3 * classes; each++)
            hits[each] *= scale;
        for (int64_t each = 0; each < told + classes; each++) /* of products one factor */
            cell[each] *= scale;
        values[table] = slopes_of(average, classes, hits, rows, columns, by_hit, by_row, by_column);
        for (int64_t each = 0; each < classes; each++) {
            slope[each] = by_hit[each] + by_row[each] + by_column[each];
            slope[told + each] = by_row[each];
            slope[told + classes + each] = by_column[each];
        }
        for (int64_t each = 0; each < wrong; each++)
            slope[classes + each] = by_row[truth[each]] + by_column[prediction[each]];
        for (int64_t each = 0; each < told; each++) {
            const double square = cell[each] * slope[each] * slope[each];
            second += square;
            third += square * slope[each];
        }
        n *= scale;
        for (int64_t each = 0; each < classes; each++) {
            const double row = by_row[each], column = by_column[each], both = row + column;
            const double row1 = of_truth[each] * row, row2 = row1 * row, column1 = of_prediction[each] * column;
            const double column2 = column1 * column, same = of_truth[each] * of_prediction[each] * both * both;
            n1 += row1;
            n2 += row2;
            n3 += row2 * row;
            m1 += column1;
            m2 += column2;
            m3 += column2 * column;
            second -= same;
            third -= same * both;
        }
        seconds[table] = second + n2 * m + 2 * n1 * m1 + n * m2;
        thirds[table] = third + n3 * m + 3 * (n2 * m1 + n1 * m2) + n * m3;
    }
    return 0;
}
