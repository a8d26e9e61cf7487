"""Files are written whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

import howsure as hs
from howsure.sources.matrices import matrix_table
from howsure.writing import written

TABLE = hs.from_counts([[50, 3], [5, 42]])


def study():
    """Return a small study."""
    made = hs.Study(n_draws=100)
    made.add("a", [[50, 3], [5, 42]])
    made.add_metric("f1")
    return made


WRITERS = {
    "report.html": lambda path: hs.report_of(TABLE).save(path),
    "study.toml": lambda path: study().save(path),
    "records.csv": lambda path: study().summaries().save(path),
    "records.parquet": lambda path: study().summaries().save(path),
}


@pytest.fixture(params=WRITERS.items(), ids=WRITERS)
def save(request):
    """Return the name of a file and a function that writes it."""
    return request.param


def test_a_full_disk_leaves_what_was_there(save, tmp_path, monkeypatch):
    """If writing fails half way, the old file is unchanged, no other file is left, and one line gives the reason."""
    name, write = save
    path = tmp_path / name
    path.write_text("old")

    def full(self, *_, **__):
        with self.open("w") as file:
            file.write("half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    monkeypatch.setattr("pyarrow.parquet.write_table", lambda _, place: full(Path(place)))
    with pytest.raises(hs.HowsureError, match=f"{name}' cannot be written: No space left on device"):
        write(path)
    monkeypatch.undo()
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_a_writer_that_removes_what_it_cannot_fill_is_no_other_error(tmp_path):
    """PyArrow removes a file that a full disk leaves unfinished; the error still names the full disk."""

    def fill(place):
        Path(place).unlink()
        raise OSError(28, "No space left on device")

    with pytest.raises(hs.HowsureError, match="cannot be written: No space left on device"):
        written(tmp_path / "table.parquet", fill)
    assert not list(tmp_path.iterdir())


def test_a_link_to_itself_is_replaced_by_the_file(save, tmp_path):
    """A link that leads nowhere does not stop the writing."""
    name, write = save
    path = tmp_path / name
    path.symlink_to(path)
    write(path)
    assert path.is_file()
    assert not path.is_symlink()


READERS = {
    "cases": lambda path: hs.confusion("a", "b", data=str(path)),
    "matrix": lambda path: matrix_table(path, None),
    "log": hs.read_log,
    "table": hs.load,
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", ["link to itself", "link to nothing", "folder", "nothing", "empty", "binary"])
def test_what_is_no_file_of_data_is_one_line_of_error(reader, kind, tmp_path):
    """Links without a target, folders, missing, empty and binary files are named, and nothing else is raised."""
    path = tmp_path / "data.json"
    if kind == "link to itself":
        path.symlink_to(path)
    elif kind == "link to nothing":
        path.symlink_to(tmp_path / "gone.json")
    elif kind == "folder":
        path.mkdir()
    elif kind in {"empty", "binary"}:
        path.write_bytes(b"" if kind == "empty" else bytes(range(256)) * 8)
    with pytest.raises(hs.HowsureError, match=r"data\.json") as caught:
        READERS[reader](path)
    assert "Did you mean 'data.json'" not in str(caught.value)


def test_a_folder_that_is_not_there_is_named(save, tmp_path):
    """A file in no folder is one line of error."""
    name, write = save
    with pytest.raises(hs.HowsureError, match="cannot be written: No such file"):
        write(tmp_path / "nowhere" / name)


def test_what_is_no_path_is_refused(save):
    """A number names no file."""
    with pytest.raises(hs.HowsureError, match="named by a text or a path, not by 3"):
        save[1](3)


def test_links_and_permissions_stay(tmp_path):
    """A link still leads to its file, which keeps its permissions; a new file has the usual ones."""
    target, link = tmp_path / "target.md", tmp_path / "link.md"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    written(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    usual, fresh = tmp_path / "usual", tmp_path / "fresh"
    usual.write_text("")
    written(fresh, "new")
    assert fresh.stat().st_mode == usual.stat().st_mode


def test_what_is_no_plain_file_is_written_to(tmp_path):
    """A pipe is not replaced by a file."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    written(pipe, "said")
    assert os.read(reader, 10) == b"said"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
