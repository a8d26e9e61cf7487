/* Straight lines between points. See `interpolation.py`. */
#include "kernels.h"

#include <float.h>

enum { CELLS = 4096 };

/* Cells of equal width from the first place to the last, which are halved lest their distance overflow. Rounding never
 * puts the larger of two numbers into the lower cell: what lies in lower cells lies below. */
typedef struct {
    double first, scale;
} Grid;

ALWAYS_INLINE Grid grid_of(double first, double last) {
    const double scale = CELLS / (last / 2 - first / 2);
    return (Grid){first / 2, scale < DBL_MAX ? scale : DBL_MAX};
}

ALWAYS_INLINE int cell_of(double place, Grid grid) {
    const double cell = (place / 2 - grid.first) * grid.scale;
    return cell < CELLS ? (int)cell : CELLS;
}

/* Known places are finite and ascend. Of a case within them only those in its own cell are searched, of which there is hardly ever one. */
FOR_EACH_PROCESSOR PUBLIC int howsure_interpolated(int64_t cases, int64_t points, const double *places,
                                                   const double *known, const double *values, double *found) {
    if (cases < 0 || points < 1 || points > INT32_MAX)
        return 1;
    int32_t below[CELLS + 2] = {0}; /* known places in lower cells */
    const double first = known[0], last = known[points - 1];
    const Grid grid = grid_of(first, last);
    if (!(first >= -DBL_MAX && last <= DBL_MAX)) /* or nan */
        return 1;
    for (int64_t point = 1; point < points; point++)
        if (!(known[point] >= known[point - 1]))
            return 1;
    for (int64_t point = 0; point < points; point++)
        below[cell_of(known[point], grid) + 1]++;
    for (int cell = 1; cell <= CELLS + 1; cell++)
        below[cell] += below[cell - 1];
    for (int64_t index = 0; index < cases; index++) {
        const double place = places[index];
        if (!(place > first) || place >= last) {
            found[index] = values[place >= last ? points - 1 : 0];
            continue;
        }
        const int cell = cell_of(place, grid);
        int32_t low = below[cell], high = below[cell + 1];
        while (low < high) { /* past those that are not above */
            const int32_t middle = low + (high - low) / 2;
            if (known[middle] <= place)
                low = middle + 1;
            else
                high = middle;
        }
        const double *const x = known + low - 1, *const y = values + low - 1;
        found[index] = place == x[0] ? y[0] : (y[1] - y[0]) / (x[1] - x[0]) * (place - x[0]) + y[0];
    }
    return 0;
}
