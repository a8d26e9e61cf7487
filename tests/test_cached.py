"""Properties that are computed once for each object."""

import threading

from howsure.cached import cached_property


class Slow:
    """An object whose property waits until two threads compute it."""

    def __init__(self):
        self.both = threading.Barrier(2, timeout=60)

    @cached_property
    def value(self):
        """Wait for the other thread."""
        self.both.wait()
        return object()


def test_threads_that_compute_a_property_at_once_get_the_same_object():
    """Two threads that compute a property at the same time get the object that was stored first."""
    slow, found = Slow(), []
    other = threading.Thread(target=lambda: found.append(slow.value))
    other.start()
    found.append(slow.value)
    other.join()
    assert found[0] is found[1] is slow.value
