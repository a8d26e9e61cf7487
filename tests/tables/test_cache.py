"""Caching of the last result, requested by several threads at once."""

from howsure.tables.cache import LastValueCache


class Interrupted:
    """A key during whose comparison another thread requests another value."""

    def __init__(self, meanwhile):
        self.meanwhile = meanwhile

    def __ne__(self, other):
        if isinstance(other, Interrupted):
            self.meanwhile()
        return not isinstance(other, Interrupted)


def test_what_another_thread_asks_for_meanwhile_is_not_returned():
    """Each caller gets the value of its own key, although another thread replaces the cached value in between."""
    last = LastValueCache()
    key = Interrupted(lambda: last.at("other", lambda: "of the other"))
    assert [last.at(key, lambda: "own") for _ in range(2)] == ["own", "own"]
