/* Numbers, those of one side before those of the other. See `sides.py`. */
#include "kernels.h"

/* `firsts` is how many are not marked; numbers below `least` become 0. */
PUBLIC int howsure_sides(int64_t size, int64_t firsts, const uint8_t *is_second, const double *numbers,
                         const double *least, double *found) {
    double *first = found, *second = found + firsts;
    const double floor = least[0], *const end = found + size;
    if (size < 0 || firsts < 0 || firsts > size)
        return 1;
    for (int64_t index = 0; index < size; index++) {
        const int is_other = is_second[index] != 0;
        double *const place = is_other ? second : first; /* without a branch: nobody could foretell it */
        if (place == end)
            return 1;
        *place = numbers[index] < floor ? 0.0 : numbers[index];
        first += 1 - is_other;
        second += is_other;
    }
    return first != found + firsts; /* not so many are unmarked */
}
