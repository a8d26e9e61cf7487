"""`howsure study`: run a study file, or create one from a folder of matrices."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from cyclopts import App

from howsure.cli.examples import shown
from howsure.cli.options import Metrics, Page, TableFormat, split
from howsure.cli.output import command_line, say_written, write_grid
from howsure.errors import HowsureError
from howsure.escapes import printable
from howsure.grids import json_text

if TYPE_CHECKING:
    from howsure.study import Records, Study

SUFFIXES = (".csv", ".tsv", ".xlsx", ".ods")

study_app = App(name="study", help="Many experiments: folds, seeds, sites.")


@study_app.command(help_epilogue=shown("study run"))
def run(
    file: Path,
    /,
    *,
    out: Path | None = None,
    parquet: bool = False,
    rope: float | None = None,
    html: Page = None,
    how: TableFormat = "table",
) -> None:
    """Print the summaries, aggregates and ranks of a study.

    Parameters
    ----------
    file
        The study, as TOML; `howsure study init` writes one.
    out
        Folder for the results: summaries, aggregates, comparisons and ranks as JSON and CSV, all columns.
    parquet
        Also write Parquet; needs PyArrow.
    rope
        Largest negligible difference, for the comparisons.
    how
        How to print.
    """
    from howsure.study import Study

    study = Study.load(file)
    page = None
    if html is not None:
        from howsure.report.study import report_of_study

        about = {"title": str(file), "command": command_line()}
        page = report_of_study(study, rope=rope, files=[file], **about).save(html)
    reports = _reports(study, rope)
    if how == "json":
        sys.stdout.write(json_text({name: report.records() for name, report in reports.items()}))
    for title in ("summaries", "aggregates") if how != "json" else ():
        write_grid(reports[title].grid(), how=how, title=f"{file} · {title}")
    if how == "table" and len(study.experiments) > 1:
        for metric in study.wanted():
            write_grid(study.ranks(metric).grid(), how=how, title=f"{file} · ranks · {metric}")
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        for name, report in reports.items():
            for suffix in (".json", ".csv", *([".parquet"] if parquet else [])):
                report.save(out / f"{name}{suffix}")
    say_written(page)
    say_written(out)


def _reports(study: Study, rope: float | None) -> dict[str, Records]:
    from howsure.study import Records

    reports = {
        "summaries": study.summaries(),
        "random": study.summaries(source="random"),
        "aggregates": study.aggregate(),
    }
    if len(study.experiments) > 1:
        metrics = study.wanted()
        pairs = [study.comparisons(metric, rope=rope) for metric in metrics]
        compared = tuple(each for one in pairs for each in one.records())
        reports["comparisons"] = Records(objects={}, rows=compared, shown=("metric",))
        ranks = [{"metric": metric} | each for metric in metrics for each in study.ranks(metric).records()]
        reports["ranks"] = Records(objects={}, rows=tuple(ranks), shown=("metric",))
    return reports


@study_app.command(help_epilogue=shown("study init"))
def init(
    folder: Path,
    /,
    *,
    metrics: Metrics = None,
    aggregation: str | None = None,
    name: str = "study.toml",
) -> None:
    """Create a study from a folder of confusion matrices: one CSV, TSV, xlsx or ods file per experiment.

    A file `mlp_0.csv` becomes the experiment `mlp/0`, a file `site/mlp.csv` the experiment `site/mlp`.

    Parameters
    ----------
    folder
        Folder of the matrices, to which the study file is written.
    metrics
        Metrics as spec strings, such as f1@macro; see `howsure metrics`. The default is a common selection.
    aggregation
        Aggregation method for each group, such as dl, reml_knha, nadeau_bengio or tables.
    name
        Name of the study file; an existing file is not overwritten.
    """
    from howsure.estimates.estimation import default_metrics
    from howsure.study import Study

    if not folder.is_dir():
        raise HowsureError(f"There is no folder '{folder}'. Give the folder that holds the matrices.")
    path = folder / name
    if path.exists():
        raise HowsureError(f"'{path}' exists already. Remove it, or give another --name.")
    files = sorted(each for each in folder.rglob("*") if each.suffix.lower() in SUFFIXES and each.is_file())
    if not files:
        raise HowsureError(f"'{folder}' holds no matrix: no file with the suffix {', '.join(SUFFIXES)}.")
    study = Study()
    for file in files:
        found = file.relative_to(folder)
        study.add(_experiment_name(found), {"matrix": found.as_posix()}, folder=folder)
    first = next(iter(study.experiments.values()))
    wanted = split(metrics) or default_metrics(first.table)
    for metric in wanted:
        study.add_metric(metric, aggregation=aggregation)
    study.save(path)
    number = f"{len(files)} experiments in {len(study.groups)} groups"
    written = shlex.quote(str(path))
    sys.stdout.write(printable(f"{path}: {number}. Run it: howsure study run {written}") + "\n")


def _experiment_name(file: Path) -> str:
    """Return an experiment's name from its path; the last underscore or hyphen separates group and experiment."""
    parts = file.with_suffix("").parts
    if len(parts) > 1:
        return "/".join(parts)
    cut = max(parts[0].rfind("_"), parts[0].rfind("-"))
    return parts[0] if cut < 1 or cut == len(parts[0]) - 1 else f"{parts[0][:cut]}/{parts[0][cut + 1 :]}"
