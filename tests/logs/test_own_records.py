"""Records of any evaluation: what names no item, and what is no score, is refused and never dropped in silence."""

import json

import pytest

import howsure as hs
from support.shell import run

ROLES = ("item", "model", "task")


def csv(path, head, rows):
    """Write a table with a comma between cells; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]))
    return path


@pytest.mark.parametrize("named", [False, True])
def test_files_are_not_joined_by_the_numbers_of_rows(named, tmp_path):
    """Two files without a column of items may have them in another order."""
    paths = [
        csv(tmp_path / "a.csv", "q,score", [(n, n % 2) for n in range(40)]),
        csv(tmp_path / "b.csv", "q,score", [(39 - n, (39 - n) % 2) for n in range(40)]),
    ]
    given = {"A": paths} if named else paths
    with pytest.raises(hs.HowsureError, match="a.csv' and '.*b.csv' have no names of items. Give `item`"):
        hs.read_log(given, score="score")
    assert hs.read_log(given, score="score", item="q").joined().shared == 40
    assert hs.read_log(paths[0], score="score").joined().shared == 40


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_rows_without_a_name(role, suffix, tmp_path):
    """Empty cells are no item, model or task named None."""
    pandas = pytest.importorskip("pandas")
    names = {name: [None if name == role and n in (4, 5) else f"{name} {n}" for n in range(40)] for name in ROLES}
    frame, path = pandas.DataFrame(names | {"score": [0, 1] * 20}), tmp_path / f"a{suffix}"
    {
        ".csv": lambda: frame.to_csv(path, index=False),
        ".jsonl": lambda: frame.to_json(path, orient="records", lines=True),
        ".parquet": lambda: frame.to_parquet(path),
    }[suffix]()
    said = f"'{role}' of '.*' names no {role} in 2 of 40 rows, the first of which is row 5"
    with pytest.raises(hs.HowsureError, match=said):
        hs.read_log(path, score="score", **dict(zip(ROLES, ROLES, strict=True)))


def test_numbers_of_items_are_the_same_as_floats(tmp_path):
    """An integer that one file stores as a float names the same item."""
    first = csv(tmp_path / "a.csv", "id,score", [(f"{n}.0", n % 2) for n in range(40)])
    second = csv(tmp_path / "b.csv", "id,score", [(n, n % 2) for n in range(40)])
    assert hs.read_log([first, second], score="score", item="id").joined().shared == 40


@pytest.mark.parametrize(
    "values, mean, said",
    [
        (["90%", "10%"], 0.5, None),
        (["85%", 0.5], 0.675, None),
        (["passed", "failed"], 0.5, None),
        (["success", "failure"], 0.5, None),
        ([0.5, ""], 0.5, None),
        ([0.5, "n/a"], 0.5, None),
        (["T", "F"], None, "holds no number: 'T', for example. Write numbers, such as 1 for right"),
        ([0.5, "good"], None, "has 'good', and numbers. Write numbers"),
        ([0.5, "inf"], None, "has 'inf', and numbers"),
        (["1", "yes!"], None, "has 'yes!', and numbers"),
        (["pass", "failde"], None, "has 'failde', and words with a value"),
    ],
)
def test_text_among_scores(values, mean, said, tmp_path):
    """Per cents and usual words have a value, other text is refused, and an empty cell is an item without a score."""
    path = csv(tmp_path / "a.csv", "id,score", [(n, values[n % 2]) for n in range(40)])
    if said is not None:
        with pytest.raises(hs.HowsureError, match=said):
            hs.read_log(path, score="score", item="id")
        return
    found = hs.evaluate_log(hs.read_log(path, score="score", item="id"))
    assert found["all", "a"].value == pytest.approx(mean)


def test_decimal_commas(tmp_path):
    """A comma before three digits may separate thousands, and is left to the user."""
    path = tmp_path / "a.csv"
    path.write_text("id;score\n" + "".join(f"{n};{('0,5', '1,0')[n % 2]}\n" for n in range(20)))
    log = hs.read_log(path, score="score", item="id")
    assert hs.estimate(log.table(), "mean") == 0.75
    path.write_text("id;score\n" + "".join(f"{n};{('0,5', '1,250')[n % 2]}\n" for n in range(20)))
    with pytest.raises(hs.HowsureError, match="'1,250'"):
        hs.read_log(path, score="score", item="id")


def test_other_files_in_a_folder_of_records(tmp_path):
    """They are left out with a caution each; a file passed by itself is refused."""
    for model in "AB":
        csv(tmp_path / f"{model}.csv", "id,score", [(n, n % 2) for n in range(40)])
    (tmp_path / "README.md").write_text("# x")
    (tmp_path / "C.csv").write_text("")
    csv(tmp_path / "D.csv", "id,other", [(1, 2)])
    log = hs.read_log(tmp_path, score="score", item="id")
    assert log.models == ("A", "B")
    assert "Left out, for they are no files of records: 'README.md'." in log.notes
    assert [name for name in ("C.csv", "D.csv") if any(f"'{name}' is left out" in note for note in log.notes)] == [
        "C.csv",
        "D.csv",
    ]
    assert run("evals", str(tmp_path / "C.csv"), "--score", "score").returncode == 2


@pytest.mark.parametrize(
    "role, column", [("model", "model"), ("model", "Model Name"), ("task", "task"), ("task", "benchmark")]
)
def test_a_column_of_models_or_tasks_that_is_not_named(role, column, tmp_path):
    """The rows of two models or tasks are no runs of one."""
    rows = [(n, name, n % 2) for name in ("first", "second") for n in range(20)]
    path = csv(tmp_path / "a.csv", f"id,{column},score", rows)
    with pytest.raises(hs.HowsureError, match=f"2 {role}s in the column '{column}' .*Name it, `{role}='{column}'`"):
        hs.read_log(path, score="score", item="id")
    assert set(hs.read_log(path, score="score", item="id", **{role: column})[role]) == {"first", "second"}


@pytest.mark.parametrize("column, score", [("metric", "score"), ("Evaluator Name", "score"), ("name", "value")])
def test_a_column_of_metrics_that_is_not_named(column, score, tmp_path):
    """The rows of two metrics are no runs of one; a column "name" beside "value" holds metrics, as Langfuse has it."""
    rows = [(n, name, n % 2) for name in ("correctness", "helpfulness") for n in range(20)]
    path = csv(tmp_path / "a.csv", f"id,{column},{score}", rows)
    with pytest.raises(hs.HowsureError, match=f"2 metrics in the column '{column}' .*Name it, `task='{column}'`"):
        hs.read_log(path, score=score, item="id")
    assert set(hs.read_log(path, score=score, item="id", task=column)["task"]) == {"correctness", "helpfulness"}
    of_tasks = csv(tmp_path / "b.csv", f"id,{column},{score},task", [(*row, "sums") for row in rows])
    with pytest.raises(hs.HowsureError, match="which would count as one. Keep the rows of one"):
        hs.read_log(of_tasks, score=score, item="id", task="task")


def test_one_row_for_each_metric(tmp_path):
    """The averages of an evaluation by several metrics are no items."""
    path = csv(tmp_path / "a.csv", "metric,score", [("faithfulness", 1.0), ("relevancy", 0.8), ("recall", 0.5)])
    with pytest.raises(hs.HowsureError, match="3 metrics in the column 'metric'"):
        hs.read_log(path, score="score")
    rubrics = csv(tmp_path / "c.csv", "id,criteria,score", [(n, f"mentions {n}", n % 2) for n in range(20)])
    assert len(hs.read_log(rubrics, score="score", item="id")["score"]) == 20
    items = csv(tmp_path / "b.csv", "name,value", [(f"q{n}", n % 2) for n in range(20)])
    assert len(hs.read_log(items, score="value", item="name")["score"]) == 20
    assert len(hs.read_log(items, score="value")["score"]) == 20


@pytest.mark.parametrize("column", ["arm", "prompt_version", "architecture"])
def test_conditions_of_each_item(column, tmp_path):
    """Answers to each item under two conditions are no runs of one; runs, and conditions of other items, are read."""
    rows = [(n, name, n % 2) for name in ("defended", "undefended") for n in range(20)]
    path = csv(tmp_path / "a.csv", f"id,{column},score", rows)
    said = f"each item under 2 conditions in the column '{column}' .*Name it, `model='{column}'`"
    with pytest.raises(hs.HowsureError, match=said):
        hs.read_log(path, score="score", item="id")
    assert hs.read_log(path, score="score", item="id", model=column).models == ("defended", "undefended")
    runs = csv(tmp_path / "b.csv", "id,run,score", rows)
    assert max(hs.read_log(runs, score="score", item="id")["run"]) == 2
    apart = csv(tmp_path / "c.csv", f"id,{column},score", [(n, "ab"[n % 2], n % 3 == 0) for n in range(20)])
    assert len(hs.read_log(apart, score="score", item="id")["score"]) == 20


def test_a_column_of_one_model_or_of_items(tmp_path):
    """One model need not be named, and a column with another value in each row holds no tasks."""
    path = csv(tmp_path / "a.csv", "task,model,score", [(n, "only", n % 2) for n in range(20)])
    assert len(hs.read_log(path, score="score")["score"]) == 20


@pytest.mark.parametrize("name", ["metrics", "criteria", "model", "task"])
def test_nested_values_name_no_metrics(name, tmp_path):
    """An object or a list for each answer, such as its metrics, is no name, and one of its fields may be the score."""
    path = tmp_path / "a.jsonl"
    rows = [{"id": n, name: {"right": n % 2}, "more": [n]} for n in range(20)]
    path.write_text("\n".join(map(json.dumps, rows)))
    assert sum(hs.read_log(path, score=f"{name}.right", item="id")["score"]) == 10
    path.write_text("\n".join(json.dumps({"id": n, "score": n % 2, name: [n, "a"]}) for n in range(20)))
    assert sum(hs.read_log(path, score="score", item="id")["score"]) == 10


@pytest.mark.parametrize("column", ["policy", "version"])
def test_a_condition_of_each_model_is_no_condition_of_an_item(column, tmp_path):
    """Two models, each with a version of its own, answer each item once."""
    rows = [(n, model, f"{model}1", n % 2) for model in "ab" for n in range(20)]
    path = csv(tmp_path / "a.csv", f"id,model,{column},score", rows)
    assert hs.read_log(path, score="score", item="id", model="model").models == ("a", "b")


def test_the_column_of_tasks_has_an_option_of_its_own(tmp_path):
    """In the shell --task selects tasks, so the remedy names the other option, and works."""
    path = csv(tmp_path / "a.csv", "id,task,score", [(n, name, n % 2) for name in ("x", "y") for n in range(20)])
    failed = run("evals", str(path), "--score", "score", "--item", "id")
    assert failed.returncode == 2
    assert "--task-column task" in failed.screen
    done = run("evals", str(path), "--score", "score", "--item", "id", "--task-column", "task")
    assert done.returncode == 0
    assert " y " in done.screen


@pytest.mark.parametrize("name", ["mean", "Average", "Std", "macro avg"])
def test_a_last_row_that_sums_up_is_refused(name, tmp_path):
    """The mean or the standard deviation of the items below them is no item."""
    path = tmp_path / "folds.csv"
    path.write_text(f"fold,accuracy\n1,0.91\n2,0.88\n3,0.93\n{name},0.907\n")
    with pytest.raises(hs.HowsureError, match=f"'{name}' in the column 'fold', and is no item"):
        hs.read_log(path, score="accuracy", item="fold")


@pytest.mark.parametrize("column", ["dataset", "Subject", "benchmark_name"])
def test_numbers_of_items_that_restart(column, tmp_path):
    """Question 0 of one data set and question 0 of another are two items: the mean is that of all answers."""
    rows = [
        (name, n, int(n % 4 > 0 if name == "x" else n == 0))
        for name, size in (("x", 40), ("y", 20))
        for n in range(size)
    ]
    path = csv(tmp_path / "a.csv", f"{column},id,score", rows)
    with pytest.raises(hs.HowsureError, match=f"column '{column}'.*count as one item. Name it, `task='{column}'`"):
        hs.read_log(path, score="score", item="id")
    log = hs.read_log(path, score="score", item="id", task=column)
    assert [float(hs.estimate(log.table(task=each), "mean")) for each in log.tasks] == [0.75, 0.05]
    level = csv(tmp_path / "b.csv", f"level,{column},id,score", [("ab"[n % 2], *row) for n, row in enumerate(rows)])
    with pytest.raises(hs.HowsureError, match=f"Give `item` a column of both, '{column}' and 'id'"):
        hs.read_log(level, score="score", item="id", task="level")
    apart = csv(tmp_path / "c.csv", f"{column},id,score", [(name, f"{name}{n}", score) for name, n, score in rows])
    assert hs.estimate(hs.read_log(apart, score="score", item="id").table(), "mean") == pytest.approx(31 / 60)


def test_the_remedy_for_restarting_numbers_runs_in_the_shell(tmp_path):
    """The option that the message names reads the file."""
    path = csv(tmp_path / "a.csv", "dataset,id,score", [(name, n, n % 2) for name in "xy" for n in range(20)])
    arguments = ["evals", str(path), "--score", "score", "--item", "id"]
    assert "--task-column dataset`, or" in run(*arguments).screen
    assert run(*arguments, "--task-column", "dataset").returncode == 0


@pytest.mark.parametrize("column", ["temperature", "num_fewshot"])
def test_conditions_of_named_models(column, tmp_path):
    """Of several models under several conditions, the remedy names the role that is free."""
    rows = [(n, model, at, n % 2) for model in "ab" for at in (0, 5) for n in range(20)]
    path = csv(tmp_path / "a.csv", f"id,model,{column},score", rows)
    with pytest.raises(hs.HowsureError, match=f"2 conditions .*Name it, `task='{column}'`, or keep the rows of one"):
        hs.read_log(path, score="score", item="id", model="model")
    assert hs.read_log(path, score="score", item="id", model="model", task=column).tasks == ("0", "5")


def test_rows_of_whole_models(tmp_path):
    """A leaderboard, one row for each model, holds no scores of items whose mean would be that of one model."""
    path = csv(tmp_path / "a.csv", "model,accuracy", [("a", 0.8), ("b", 0.7), ("c", 0.6)])
    with pytest.raises(hs.HowsureError, match="3 models in the column 'model'"):
        hs.read_log(path, score="accuracy")
    with pytest.raises(hs.HowsureError, match="Numbers of whole models, one row each"):
        hs.read_log(path, score="accuracy", model="model")


def test_a_summary_below_items_that_nobody_named(tmp_path):
    """A last row that sums up is found in the first column, too."""
    path = csv(tmp_path / "a.csv", "question,score", [*((f"q{n}", n % 2) for n in range(20)), ("Average", 0.5)])
    with pytest.raises(hs.HowsureError, match="'Average' in the column 'question', and is no item"):
        hs.read_log(path, score="score")
    rated = csv(tmp_path / "b.csv", "rating,score", [(("good", "average")[n % 2], n % 2) for n in range(20)])
    assert len(hs.read_log(rated, score="score")["score"]) == 20


def test_a_caution_for_items_that_nobody_named(tmp_path):
    """Repeated answers without a column of items are read, with a note; distinct ones, and clusters, without."""
    path = csv(tmp_path / "a.csv", "example_id,score", [(n % 20, n % 3 == 0) for n in range(40)])
    said = "each of 40 rows counts as an item, and the column 'example_id' has 20 values"
    assert any(said in note for note in hs.read_log(path, score="score").notes)
    assert not hs.read_log(path, score="score", item="example_id").notes
    assert not hs.read_log(path, score="score", cluster="example_id").notes
    apart = csv(tmp_path / "b.csv", "example_id,subject,score", [(n, "xy"[n % 2], n % 3 == 0) for n in range(40)])
    assert not hs.read_log(apart, score="score").notes


@pytest.mark.parametrize("column", ["subject", "category"])
def test_persons_and_kinds_of_answers_are_no_data_sets(column, tmp_path):
    """Numbers of persons, and values beside named items, are no data sets whose items restart."""
    for items, values in ((["pay", "find"], ["late", "wrong"]), (["q1", "q2"], [1, 2])):
        rows = [(item, value, at) for at, value in enumerate(values) for item in items] * 10
        log = hs.read_log(csv(tmp_path / "runs.csv", f"item,{column},score", rows), score="score", item="item")
        assert log.joined().shared == 2
    named = [(item, value, at) for at, value in enumerate(["late", "wrong"]) for item in ("q1", "q2")]
    with pytest.raises(hs.HowsureError, match="If its values are of answers, leave the column out of the file"):
        hs.read_log(csv(tmp_path / "runs.csv", f"item,{column},score", named), score="score", item="item")
