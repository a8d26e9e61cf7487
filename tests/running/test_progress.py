"""Progress bars: for long work, also of background threads."""

import builtins
import sys
import time
from itertools import count

import pytest

import howsure as hs
from howsure.running import progress as module
from howsure.running.progress import followed
from howsure.sources.duckdb_files import OPENED, percent_read


class Bar:
    """A mock bar that records its calls."""

    task_ids = (0,)

    def __init__(self):
        self.seen = []
        self.stopped = False

    def update(self, _, *, completed):
        """Remember how much is done."""
        self.seen.append(completed)

    def stop(self):
        """Remember the end."""
        self.stopped = True


def test_work_is_followed_from_another_thread(monkeypatch):
    """The bar advances with the work, and ends with it, also after an error; without an observer there is none."""
    bars, asked = [], count()
    monkeypatch.setattr(module, "_bar", lambda *_: bars.append(Bar()) or bars[-1])
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    monkeypatch.setattr(module, "PAUSE", 0.001)
    with followed("counting", lambda: 10.0 * next(asked)):
        time.sleep(0.05)
    assert not bars
    monkeypatch.setattr(module, "_is_watched", lambda: True)

    def fail():
        while next(asked) < 5 or not (bars and bars[0].seen):
            time.sleep(0.001)
        raise InterruptedError

    with pytest.raises(InterruptedError), followed("counting", lambda: 10.0 * next(asked)):
        fail()
    assert bars[0].stopped
    assert bars[0].seen == sorted(set(bars[0].seen))


def test_a_notebook_without_widgets_is_not_warned(monkeypatch):
    """Without ipywidgets the bar is plain text: rich's own bar looks for the package at every refresh."""
    monkeypatch.setattr(builtins, "get_ipython", type("ZMQInteractiveShell", (), {}), raising=False)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    bar = module._bar("counting", 10)
    bar.update(bar.task_ids[0], completed=5)
    bar.stop()


def test_files_say_how_far_they_are_read(tmp_path, monkeypatch):
    """A watched count of a file gives the same as an unwatched one; the connection reports its progress."""
    path = tmp_path / "cases.csv"
    path.write_text("y,p\n" + "1,1\n0,1\n" * 500)
    alone = hs.confusion("y", "p", data=path)
    monkeypatch.setattr(module, "_is_watched", lambda: True)
    assert (hs.confusion("y", "p", data=path).counts == alone.counts).all()
    assert all(each.query_progress() <= 100 for each in OPENED)
    assert percent_read() <= 100
