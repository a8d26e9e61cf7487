"""The command line, run as a shell user would."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from cyclopts import App

import howsure as hs
from howsure.cli.app import app as shell
from support.examples import CANCER
from support.shell import run, run_apart

ROOT = Path(__file__).parents[2]
REPORT = ["report", CANCER, "--y-true", "label", "--y-pred", "logistic"]


def test_report_prints_the_estimates():
    """The table has each metric with the value and interval that Python gives."""
    result = run(*REPORT)
    assert result.returncode == 0, result.stderr
    for each in hs.evaluate(hs.confusion("label", "logistic", data=CANCER)).values():
        assert f"{each.value:.3f}" in result.stdout
        assert f"[{each.low:.3f}, {each.high:.3f}]" in result.stdout
    assert "569 cases, positive class malignant (37.3 %)" in result.stdout


@pytest.mark.parametrize(
    "asked, shown",
    [
        (["roc_auc"], ["roc_auc"]),
        (["roc_auc", "f1"], ["f1", "roc_auc"]),
        (["f1"], ["f1", "roc_auc", "average_precision"]),
    ],
)
def test_metrics_of_scores_are_asked_for_beside_those_of_predictions(asked, shown):
    """With a column of scores, metrics of scores and of predictions use their own tables, as in Python."""
    options = [word for name in asked for word in ("--metrics", name)]
    result = run("report", CANCER, "--y-true", "label", "--y-score", "score_forest", *options, "--format", "json")
    assert result.returncode == 0, result.stderr
    found = {each["metric"]: each["low"] for each in json.loads(result.stdout)["estimates"]}
    assert list(found) == shown
    tables = hs.scores("label", "score_forest", data=CANCER)
    for name, low in found.items():
        threshold = 0.5 if name == "f1" else None
        assert low == hs.estimate(tables, name, threshold=threshold).low


@pytest.mark.thorough
def test_a_process_of_its_own_prints_the_same():
    """A command started from a shell prints the same as in these tests; an error ends it with code 2."""
    apart = run_apart(*REPORT)
    assert (apart.returncode, apart.stdout) == (0, run(*REPORT).stdout)
    refused = run_apart("report", "none.csv", "--y-true", "label", "--y-pred", "logistic")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "no file 'none.csv'" in refused.stderr


def test_json_and_csv_are_for_machines():
    """JSON and CSV can be parsed, have full precision, and list all cases first and then each group."""
    content = json.loads(run(*REPORT, "--format", "json", "--metrics", "f1,mcc", "--by", "tumour_size").stdout)
    tables = hs.confusion("label", "logistic", data=CANCER, by="tumour_size")
    assert [each["tumour_size"] for each in content["tables"]] == [None, *tables]
    assert len(content["estimates"]) == 8
    first, last = content["estimates"][0], content["estimates"][-1]
    assert (first["tumour_size"], first["low"]) == (None, hs.estimate(tables.overall, first["metric"]).low)
    assert last["low"] == hs.estimate(tables[last["tumour_size"]], last["metric"]).low
    rows = list(csv.DictReader(io.StringIO(run(*REPORT, "--format", "csv", "--level", "0.8").stdout)))
    assert (
        float(rows[0]["high"])
        == hs.evaluate(hs.confusion("label", "logistic", data=CANCER), confidence_level=0.8)["accuracy"].high
    )


@pytest.mark.parametrize("how, words", [("markdown", "| f1 |"), ("html", "<table"), ("latex", r"\begin{tabular}")])
def test_formats(how, words):
    """Markdown, HTML and LaTeX come as such."""
    assert words in run(*REPORT, "--format", how).stdout


def test_options_reach_the_estimates():
    """Method, seed, clusters, weights and per-class reports are those of Python."""
    clustered = run(*REPORT, "--groups", "fold", "--metrics", "accuracy", "--format", "json")
    table = hs.confusion("label", "logistic", data=CANCER, groups="fold")
    assert json.loads(clustered.stdout)["estimates"][0]["low"] == hs.estimate(table, "accuracy").low
    drawn = run(*REPORT, "--method", "bayes", "--seed", "3", "--metrics", "f1", "--format", "json")
    expected = hs.estimate(hs.confusion("label", "logistic", data=CANCER), "f1", method="bayes", random_state=3)
    assert json.loads(drawn.stdout)["estimates"][0]["high"] == expected.high
    weighted = run(*REPORT, "--sample-weight", "score_forest", "--metrics", "accuracy")
    assert "569 cases of different weights" in weighted.stdout
    assert "malignant" in run(*REPORT, "--per-class").stdout


@pytest.mark.parametrize("options", [["--groups", "fold", "--groups", "tumour_size"], ["--groups", "fold,tumour_size"]])
def test_two_columns_of_groups_are_crossed_factors(options):
    """Given twice or with a comma, `--groups` has the design of two crossed factors; three columns are refused."""
    result = run(*REPORT, *options, "--metrics", "accuracy", "--format", "json")
    table = hs.confusion("label", "logistic", data=CANCER, groups=["fold", "tumour_size"])
    assert json.loads(result.stdout)["estimates"][0]["low"] == hs.estimate(table, "accuracy").low
    assert table.design.number == (5, 3)
    result = run(*REPORT, "--groups", "fold", "tumour_size", "label")
    assert result.returncode == 2
    assert "`--groups` has 3 columns" in result.stderr


MODELS = ["--y-true", "label", "--y-pred", "logistic", "forest", "--metric", "accuracy", "--format", "json"]


@pytest.mark.parametrize(
    "command",
    [
        [*REPORT, "--metric", "accuracy", "--format", "json"],
        ["compare", CANCER, *MODELS],
        ["leaderboard", CANCER, *MODELS, "--seed", "0"],
        ["plan", CANCER, "--y-true", "label", "--y-pred", "logistic", "--width", "0.05", "--format", "json"],
    ],
)
def test_a_fixed_factor_leaves_clusters_of_the_other(command):
    """Of two columns in `--groups` one is `--fixed`: the results are those of clusters of the other."""
    factors = [*command, "--groups", "fold", "tumour_size"]
    fixed = run(*factors, "--fixed", "tumour_size")
    assert fixed.returncode == 0, fixed.stderr
    assert fixed.stdout == run(*command, "--groups", "fold").stdout != run(*factors).stdout
    for groups in (["--groups", "fold"], []):
        refused = run(*command, *groups, "--fixed", "fold")
        assert (refused.returncode, refused.stdout) == (2, "")
        assert "`--fixed` is 'fold', and `--groups` has not two columns." in refused.stderr


@pytest.mark.parametrize("file", [[CANCER], ["-", "--input-format", "csv"]], ids=["file", "standard input"])
def test_a_file_without_definitions_changes_no_output(file, tmp_path, monkeypatch):
    """With `--use` a command prints what it prints without; only then are the shared options parsed."""
    (tmp_path / "own.py").write_text("")
    calls = []
    parse = App.parse_args
    monkeypatch.setattr(App, "parse_args", lambda self, *a, **k: calls.append(self) or parse(self, *a, **k))
    stdin = Path(CANCER).read_bytes()
    command = ["report", *file, *REPORT[2:], "--format", "csv"]
    plain = run(*command, stdin=stdin)
    assert plain.returncode == 0, plain.stderr
    assert any(each is shell for each in calls)
    assert not any(each is shell.meta for each in calls)
    assert run("--use", tmp_path / "own.py", *command, stdin=stdin).stdout == plain.stdout
    assert any(each is shell.meta for each in calls)


def test_scores_add_their_metrics_and_give_predictions():
    """A column of scores adds ROC AUC and average precision, and predictions at a threshold if requested."""
    arguments = ["report", CANCER, "--y-true", "label", "--y-score", "score_logistic", "--format", "json"]
    scored = hs.scores("label", "score_logistic", data=CANCER, pos_label="malignant")
    content = json.loads(run(*arguments, "--threshold", "0.3", "--labels", "benign", "malignant").stdout)
    found = {each["metric"]: each for each in content["estimates"]}
    assert found["roc_auc"]["low"] == hs.estimate(scored, "roc_auc").low
    assert found["recall"]["high"] == hs.estimate(scored.at(0.3), "recall").high
    both = json.loads(run(*REPORT, "--y-score", "score_logistic", "--format", "json", "--by", "tumour_size").stdout)
    assert sum(each["metric"] == "average_precision" for each in both["estimates"]) == 4


def test_labels_choose_the_positive_class():
    """The last of two labels given is the positive class."""
    assert "positive class benign" in run(*REPORT, "--labels", "malignant", "benign").stdout


def test_matrix(tmp_path):
    """A confusion matrix in a file gives the estimates of its table."""
    path = tmp_path / "matrix.csv"
    path.write_text("true,no,yes\nno,50,3\nyes,5,42\n")
    content = json.loads(run("matrix", str(path), "--format", "json", "--metrics", "f1").stdout)
    assert content["estimates"][0]["low"] == hs.estimate(hs.from_counts([[50, 3], [5, 42]]), "f1").low
    assert content["tables"][0]["labels"] == ["no", "yes"]


def test_lists():
    """`metrics` and `methods` list every one there is."""
    from howsure.methods.library import METHODS
    from howsure.metrics.registry import REGISTRY

    listed = run("metrics", "--format", "csv").stdout
    assert len(REGISTRY.shipped) > 50
    assert all(f"\n{definition.name}" in listed for definition in REGISTRY.shipped)
    assert "\nroc_auc+max_fpr=1+min_tpr=0+standardized=true,scores," in listed
    assert all(f"\n{name}," in run("methods", "--format", "csv").stdout for name in list(METHODS)[:3])


@pytest.mark.parametrize("name", ["flow", "two_rates", "extremes", "nam_blackwelder", "anytime"])
def test_pages_of_methods_have_whole_sentences(name):
    """The page of a method does not end in the middle of a sentence, before the formula of its docstring."""
    page = {each["method"]: each[name] for each in json.loads(run("methods", name, "--format", "json").stdout)}
    assert page["how it works"].endswith(".")


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["report", "none.csv", "--y-true", "a", "--y-pred", "b"], "no file 'none.csv'"),
        (["report", CANCER, "--y-true", "lable", "--y-pred", "logistic"], "Did you mean 'label'"),
        ([*REPORT, "--metrics", "fx"], "no metric 'fx'"),
        ([*REPORT, "--method", "wilsn"], "Did you mean 'wilson'"),
        ([*REPORT, "--level", "95"], "Did you mean 0.95"),
        ([*REPORT, "--groups", "folds"], "Did you mean 'fold'"),
        (["report", CANCER], "y-true"),
        (["report", CANCER, "--y-true", "label"], "--y-score"),
        (["report", CANCER, "--y-true", "label", "--y-score", "scores_logistic"], "Did you mean 'score_logistic'"),
        (["reprot"], "report"),
    ],
)
def test_errors_end_with_one_message_and_exit_code_2(arguments, words):
    """Bad input gives exit code 2, a message on stderr or of the parser, nothing of a traceback."""
    result = run(*arguments)
    assert result.returncode == 2
    assert words in result.stderr + result.stdout
    assert "Traceback" not in result.stderr


def test_markup_in_labels_is_shown_as_text(tmp_path):
    """Terminal or HTML markup in labels is printed literally."""
    path = tmp_path / "a.csv"
    path.write_text("t,p\n[red]x[/red],[red]x[/red]\n<b>y</b>,[red]x[/red]\n<b>y</b>,<b>y</b>\n")
    arguments = ["report", str(path), "--y-true", "t", "--y-pred", "p", "--per-class"]
    assert "[red]x[/red]" in run(*arguments).stdout
    assert "&lt;b&gt;y&lt;/b&gt;" in run(*arguments, "--format", "html").stdout


def test_every_option_of_every_command_has_a_description():
    """The help of a command has a text for each of its arguments and options."""
    commands = {name: shell[name] for name in shell if not name.startswith("-")}
    commands |= {f"study {name}": shell["study"][name] for name in shell["study"] if not name.startswith("-")}
    bare = [
        (name, argument.names[0])
        for name, command in commands.items()
        if command.default_command
        for argument in command.assemble_argument_collection(parse_docstring=True)
        if argument.show and not argument.parameter.help
    ]
    assert len(commands) > 20
    assert bare == []


def test_help_describes_every_option():
    """`--help` of the main command lists its options with their meanings."""
    text = run("report", "--help").stdout
    for option in ("--y-true", "--y-pred", "--metrics", "--method", "--level", "--by", "--groups", "--format"):
        assert option in text
    assert "no-" not in text.replace("--no-check", "")


def test_report_is_written_as_a_page(tmp_path):
    """`--html` writes the report with its command and seed, prints the table too, and has each group."""
    target = tmp_path / "report.html"
    result = run(*REPORT, "--by", "tumour_size", "--metrics", "f1", "--seed", "3", "--html", str(target))
    assert result.returncode == 0, result.stderr
    assert "tumour_size = small" in " ".join(result.stdout.split())
    found = json.loads(target.read_text().split('id="howsure-results">')[1].split("</script>")[0])
    assert found["seed"] == "3"
    assert [each["group"]["tumour_size"] for each in found["tables"]] == [None, "large", "medium", "small"]
    direct = hs.estimate(hs.confusion("label", "logistic", data=CANCER), "f1")
    assert found["estimates"][0]["intervals"]["0.95"] == [direct.low, direct.high]
    assert "howsure report" in target.read_text()


@pytest.mark.thorough
def test_models_stand_side_by_side(tmp_path):
    """Several columns of predictions make one table with a column for each model, and one report."""
    target = tmp_path / "report.md"
    models = ["--y-pred", "logistic", "--y-pred", "forest", "--labels", "benign", "--labels", "malignant"]
    scores = ["--y-score", "score_logistic", "--y-score", "score_forest"]
    arguments = ["report", CANCER, "--y-true", "label", *models, *scores, "--metrics", "f1"]
    printed = " ".join(run(*arguments, "--html", str(target)).stdout.split())
    table = hs.confusion("label", "forest", data=CANCER, labels=["benign", "malignant"])
    shown = str(hs.estimate(table, "f1")).partition(" (")[0]
    assert f"{shown} roc_auc" in printed
    assert "Each bar" not in printed
    assert "F1 of forest is" in target.read_text()
    paired = hs.paired("label", ["logistic", "forest"], data=CANCER, labels=["benign", "malignant"])
    assert hs.compare(paired, "f1").sentence().replace("_", "\\_") in target.read_text()
    assert "model = forest" in " ".join(run(*arguments, "--per-class").stdout.split())
    one_score = run("report", CANCER, "--y-true", "label", *models[:4], "--y-score", "score_forest")
    assert one_score.returncode != 0
    assert "2 columns of predictions and 1 of scores" in one_score.stderr


def test_rows_that_are_left_out_are_counted(tmp_path):
    """Rows with a label that is not among the named classes are counted in the report."""
    data = tmp_path / "some.csv"
    data.write_text("y,p\n" + "a,a\nb,b\nb,a\n" * 9 + "c,c\n" * 4)
    target = tmp_path / "report.md"
    run("report", str(data), "--y-true", "y", "--y-pred", "p", "--labels", "a", "--labels", "b", "--html", str(target))
    assert "4 rows were left out" in target.read_text()


def test_several_models_keep_numbers_and_groups():
    """CSV and JSON of several models have the records of one model, with the model and the groups as columns."""
    arguments = ["report", CANCER, "--y-true", "label", "--y-pred", "logistic", "forest", "--metrics", "f1"]
    groups = ["--by", "tumour_size,fold"]
    rows = list(csv.DictReader(io.StringIO(run(*arguments, *groups, "--format", "csv").stdout)))
    assert list(rows[0])[:4] == ["model", "tumour_size", "fold", "metric"]
    assert [(row["model"], row["tumour_size"], row["fold"]) for row in rows[:3]] == [
        ("logistic", "", ""), ("forest", "", ""), ("logistic", "large", "0")
    ]  # fmt: skip
    tables = hs.confusion("label", "forest", data=CANCER, by=["tumour_size", "fold"])
    large = next(row for row in rows if (row["model"], row["tumour_size"], row["fold"]) == ("forest", "large", "1"))
    assert float(large["low"]) == pytest.approx(hs.estimate(tables["large", 1], "f1").low, rel=1e-12)
    content = json.loads(run(*arguments, "--by", "tumour_size", "--by", "fold", "--format", "json").stdout)
    assert [each["model"] for each in content["tables"][:2]] == ["logistic", "forest"]
    assert content["estimates"][1]["value"] == hs.estimate(tables.overall, "f1").value


@pytest.mark.parametrize(
    "how, start", [("markdown", "| all cases |"), ("latex", "all cases &"), ("html", "all cases<")]
)
def test_groups_in_one_table(how, start):
    """Formats of one table have the groups' column under its name, all cases first."""
    text = run(*REPORT, "--by", "tumour_size", "--metrics", "f1", "--format", how).stdout
    assert text.count("medium") == 1
    assert "tumour" in text.partition(start)[0]
    assert text.index(start) < text.index("large")


def test_the_page_shows_what_the_terminal_shows(tmp_path):
    """Drawn intervals are the same on the terminal and on the page, with no seed named."""
    target = tmp_path / "report.html"
    arguments = ["--method", "bayes", "--metrics", "mcc", "--by", "tumour_size", "--format", "json"]
    printed = json.loads(run(*REPORT, *arguments, "--html", str(target)).stdout)["estimates"]
    found = json.loads(target.read_text().split('id="howsure-results">')[1].split("</script>")[0])["estimates"]
    shown = {each["group"]["tumour_size"]: each["intervals"]["0.95"] for each in found if each["metric"] == "mcc"}
    assert shown == {each["tumour_size"]: [each["low"], each["high"]] for each in printed}
    assert len(shown) == 4


MINE = """
import howsure as hs

@hs.define_metric(form="outcomes", range=(-1, 1))
def benefit(tp, fn, fp, tn):
    return (tp - fp / 4) / (tp + fn + fp + tn)

class Wide(hs.methods.Method):
    name = "wide"

    def at_levels(self, metric, table, rng=None):
        inner = hs.methods.Delta().at_levels(metric, table, rng)
        return lambda level: inner(1 - (1 - level) / 2)
"""


def test_metrics_and_methods_of_ones_own_are_used(tmp_path):
    """A Python file's metrics and methods are known by name to every command, with the delta method's own numbers."""
    file = tmp_path / "mine.py"
    file.write_text(MINE)
    asked = ("--metrics", "benefit", "--method", "wide", "--format", "json", "--use", str(file))
    (found,) = json.loads(run(*REPORT, *asked).stdout)["estimates"]
    (tn, fp), (fn, tp) = hs.confusion("label", "logistic", data=CANCER).counts
    share = np.array([tp, fp]) / (tn + fp + fn + tp)
    value = share[0] - share[1] / 4
    assert found["value"] == pytest.approx(value)
    variance = (share[0] + share[1] / 16 - value**2) / (tn + fp + fn + tp)
    assert found["standard_error"] == pytest.approx(np.sqrt(variance))
    assert found["method"] == "wide"
    compared = run("compare", CANCER, "--y-true", "label", "--y-pred", "logistic", "forest", *asked)
    assert "benefit" in compared.stdout, compared.stderr
    assert "benefit" in run("--use", str(file), "metrics").stdout


@pytest.mark.parametrize(
    "name, text, words",
    [
        ("mine.py", "1 / 0", "mine.py' cannot be used: ZeroDivisionError: division by zero"),
        (
            "mine.py",
            "import howsure as hs\nclass Mine(hs.methods.Method):\n    name = 'mine'",
            "`Mine` lacks `at_levels`",
        ),
        ("mine.txt", "", "takes a Python file, which ends in .py, not"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(tmp_path, name, text, words):
    """The error is one line, with the cause."""
    file = tmp_path / name
    file.write_text(text)
    result = run("metrics", "--use", str(file))
    assert result.returncode == 2
    assert words in result.stderr
    assert result.stderr.count("\n") == 1


DOUBTFUL = {  # command → columns of a file that is refused, and the requested arguments
    "report": ("label,pred\nill,ill \nwell,well\nill,ill\n", ["--y-pred", "pred"]),
    "compare": ("label,pred,more\nill,ill ,ill\nwell,well,ill\nill,ill,ill\n", ["--y-pred", "pred", "more"]),
    "reviewed": ("label,pred,seen\nill,ill ,ill\nwell,well,\nill,ill,\n", ["--y-pred", "pred", "--reviewed", "seen"]),
    "review-plan": (
        "label,pred\nill,ill \nwell,well\nill,ill\n",
        ["--y-pred", "pred", "--metric", "recall@macro", "--budget", "5"],
    ),
    "report of scores": ("label,score\nill,0.2\nill ,0.7\nill,0.5\n", ["--y-score", "score", "--pos-label", "ill"]),
    "compare of scores": (
        "label,score,more\nill,0.2,0.3\nill ,0.7,0.6\nill,0.5,0.1\n",
        ["--y-score", "score", "more"],
    ),
}


@pytest.mark.parametrize("case", DOUBTFUL)
def test_data_that_are_doubted_are_taken_with_an_option(case, tmp_path):
    """If a command refuses suspicious data, the error names `--no-check`, which accepts them."""
    content, asked = DOUBTFUL[case]
    path = tmp_path / "cases.csv"
    path.write_text(content)
    command = [case.partition(" ")[0], str(path), "--y-true", "label", *asked]
    refused = run(*command)
    assert refused.returncode == 2
    assert refused.stderr.endswith("If the data are correct, pass `--no-check`.\n")
    taken = run(*command, "--no-check")
    assert taken.returncode == 0, taken.stderr
    assert taken.stdout


def test_scores_without_labels_are_doubted_like_others(tmp_path):
    """`unlabelled --no-check` accepts labelled cases in the same format, which calibrate the scores."""
    (tmp_path / "new.csv").write_text("score\n0.2\n0.8\n0.4\n")
    rows = "".join(f"{label},0.{score}\n" for score in range(1, 10) for label in ("ill", "ill "))
    (tmp_path / "old.csv").write_text(f"label,score\n{rows}")
    command = ["unlabelled", tmp_path / "new.csv", "--y-score", "score", "--labelled", tmp_path / "old.csv"]
    command += ["--y-true", "label", "--calibration", "isotonic", "--seed", "0", "--metrics", "accuracy"]
    assert "pass `--no-check`" in run(*command).stderr
    assert run(*command, "--no-check").returncode == 0


def test_cases_whose_labels_are_left_out_are_counted_whatever_they_are(tmp_path):
    """A report on some of the classes counts the other cases, also if their labels encode missing values."""
    path, page = tmp_path / "cases.csv", tmp_path / "page.md"
    path.write_text("label,pred\n" + "a,a\nb,b\na,b\nunknown,null\n" * 5)
    command = ["report", path, "--y-true", "label", "--y-pred", "pred", "--labels", "a", "b", "--html", page]
    assert run(*command).returncode == 0
    assert "5 cases" in page.read_text()


def test_a_threshold_beyond_probabilities_is_refused_in_one_line():
    """`--threshold 1.5` of probabilities ends with code 2, and `--threshold inf` predicts no case positive."""
    for command in (
        ["report", CANCER, "--y-true", "label", "--y-score", "score_logistic", "--threshold"],
        ["unlabelled", CANCER, "--y-score", "score_logistic", "--threshold"],
    ):
        refused = run(*command, "1.5")
        assert (refused.returncode, refused.stdout) == (2, "")
        assert "`--threshold` is 1.5, and all scores lie from 0 to 1. Give a threshold there" in refused.stderr
        assert run(*command, "inf").returncode == 0


def test_confidence_sequences_are_asked_for_by_name():
    """`--method anytime` gives the interval that covers at every look."""
    found = run(*REPORT, "--method", "anytime", "--metrics", "f1", "--format", "json")
    expected = hs.estimate(hs.confusion("label", "logistic", data=CANCER), "f1", method="anytime")
    assert found.returncode == 0
    assert f'"low": {expected.low}' in found.stdout
    assert "anytime" in run("methods").stdout


def test_words_that_belong_to_no_option(tmp_path):
    """The word is named, with the place of the options; a wrong command has the nearest ones."""
    asked = run("require", tmp_path / "a.csv", "--y-true", "label", "--y-score", "score", "recall>0.9")
    assert asked.returncode == 2
    assert "Nothing takes 'recall>0.9'. Name the option, see `howsure require --help`" in asked.stderr
    assert "There is no command 'reprt'. Did you mean 'report'" in run("reprt", "a.csv").stderr


def test_cautions_about_scores_are_printed(tmp_path):
    """Confidences in the predicted class have the caution that the report in HTML has."""
    random = np.random.default_rng(0)
    score, lines = random.random(60), ["y,p,confidence"]
    lines += [f"{place % 2},{int(each > 0.5)},{max(each, 1 - each)}" for place, each in enumerate(score)]
    (tmp_path / "scores.csv").write_text("\n".join(lines))
    for said in ([], ["--y-pred", "p"]):
        result = run(
            "report", tmp_path / "scores.csv", "--y-true", "y", "--y-score", "confidence", *said, "-m", "roc_auc"
        )
        assert "probabilities of the predicted class" in " ".join(result.stdout.split())
