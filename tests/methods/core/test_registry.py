"""Names of methods: which are found, which are taken and which are refused."""

import numpy as np
import pytest
from scipy import stats

import howsure as hs
from howsure.methods.core import registry
from howsure.methods.core.lookup import METHOD_OF, OF_OTHERS, named
from howsure.methods.core.method import Method
from howsure.methods.core.registry import METHODS, Entry, Variant, find, register
from howsure.names import canonical, squeezed


def kind_of(name, **more):
    """Return a class of methods that is not registered, outside the package."""
    body = {"name": name, "at_levels": lambda self, *_: None, "__module__": "elsewhere", "__slots__": (), **more}
    return type("Own", (object,), body)


@pytest.mark.parametrize("name", ["bootstrap_bca", "BCA", " Bootstrap-BCa ", "bootstrap bca"])
def test_names_are_found_however_they_are_written(name):
    """Blanks, hyphens and capitals do not matter, nor whether it is a synonym."""
    assert canonical(name) in ("bootstrap_bca", "bca")
    assert find(name).method() == hs.methods.Bootstrap("bca")
    assert named(name) == hs.methods.Bootstrap("bca")


def test_methods_are_named_by_themselves_their_class_or_nothing():
    """None and 'auto' leave the choice; other things are refused, and unknown names have their nearest."""
    wilson = hs.methods.Wilson()
    assert named(wilson) is wilson
    assert named(hs.methods.Wilson) == wilson
    assert named(None) is named("auto") is named(" Auto") is None
    assert find("no_such_method") is None
    with pytest.raises(hs.HowsureError, match="wilson"):
        named("wilsn")
    with pytest.raises(hs.HowsureError, match="not int"):
        named(3)
    with pytest.raises(hs.HowsureError, match="not type"):
        named(int)


@pytest.mark.parametrize(
    "name, words",
    [
        ("My-Method", "small letters"),
        ("", "small letters"),
        ("auto", "small letters"),
        ("wilson", "taken by `Wilson`"),
        ("bca", "taken by `Bootstrap`"),
        (None, "needs a name"),
    ],
)
def test_names_that_cannot_be_are_refused(name, words):
    """Those that are not as they would be looked up, those that are taken, and none."""
    before = dict(METHODS)
    with pytest.raises(hs.HowsureError, match=words):
        register(kind_of(name))
    assert before.items() <= METHODS.items()


def test_a_class_defined_anew_takes_the_place_of_the_former():
    """So it does in a notebook; a class of another name may not."""
    register(kind_of("own_of_test"))
    later = kind_of("own_of_test", __doc__="What it does.\n\nAnd more.", synonyms=("other_of_test",))
    register(later)
    assert find("own_of_test").kind is find("other_of_test").kind is later
    assert find("own_of_test").variant == Variant("own_of_test", {}, "What it does.", ("other_of_test",))
    with pytest.raises(hs.HowsureError, match="taken by `Own`"):
        register(type("Another", (object,), dict(vars(later))))
    with pytest.raises(hs.HowsureError, match="taken by `Own`"):
        register(type("Another", (object,), {**vars(later), "name": "other_of_test", "synonyms": ()}))


def test_a_class_that_lacks_a_method_is_named_with_it():
    """It is not registered."""
    with pytest.raises(hs.HowsureError, match="`at_levels`"):
        type("Lacking", (Method,), {"name": "lacking_of_test", "__module__": "elsewhere"})
    assert find("lacking_of_test") is None


@pytest.mark.parametrize(
    "given, own",
    [
        ("Wilson score", "wilson"),
        ("Wilson with continuity correction", "wilson_cc"),
        ("exact (binomial)", "clopper_pearson"),
        ("Clopper–Pearson", "clopper_pearson"),
        ("mid-P", "mid_p"),
        ("normal approximation", "wald"),
        ("profile likelihood", "likelihood_ratio"),
        ("Delta method", "delta"),
        ("Bayesian", "bayes"),
        ("stud", "bootstrap_studentized"),
        ("bootstrap-t", "bootstrap_studentized"),
        ("basic", "bootstrap_basic"),
        ("BootstrapBCa", "bootstrap_bca"),
    ],
)
def test_other_packages_names_mean_a_method(given, own):
    """Names of R's boot and binom and of papers are understood; capitals, blanks and signs make no difference."""
    assert repr(named(given)) == repr(named(own))


def test_no_name_of_others_is_one_of_howsures():
    """A listed name means one method, and is no method's own name."""
    own = {squeezed(each) for entry in METHODS.values() for each in (entry.variant.name, *entry.variant.synonyms)}
    assert not own & set(METHOD_OF)
    assert sum(len(names.split()) for names in OF_OTHERS.values()) == len(METHOD_OF)


@pytest.mark.parametrize("name", ["hdi", "jackknife", "permutation"])
def test_a_name_that_is_near_no_other_has_a_remedy(name):
    """The error names the command that lists the methods."""
    with pytest.raises(hs.HowsureError, match="`howsure methods f1`") as caught:
        named(name)
    assert caught.value.code == "unknown-method"


def test_names_of_intervals_of_ratios():
    """Woolf's interval of the odds ratio and Simel's of likelihood ratios are the delta method of the logarithm."""
    tp, fn, fp, tn = 42, 5, 3, 50
    table, z = hs.from_counts(tp=tp, fn=fn, fp=fp, tn=tn), stats.norm.ppf(0.975)
    for name, metric, value, variance in (
        ("woolf", "dor", tp * tn / fp / fn, 1 / tp + 1 / fn + 1 / fp + 1 / tn),
        ("simel", "lr+", tp / 47 / (fp / 53), 1 / tp - 1 / 47 + 1 / fp - 1 / 53),
    ):
        found = hs.estimate(table, metric, method=name)
        away = np.exp(z * variance**0.5)
        np.testing.assert_allclose([found.low, found.high], [value / away, value * away], rtol=1e-6)


def test_a_class_whose_module_another_thread_executes_is_found_when_it_is_complete(monkeypatch):
    """A dataclass with slots is registered twice: before `dataclass` makes its final form, and after."""
    final = METHODS["wald"]
    early = type("Wald", (), {"__module__": final.kind.__module__})
    monkeypatch.setitem(METHODS, "wald", Entry(early, final.variant))
    monkeypatch.setattr(registry, "import_module", lambda name: METHODS.update({"wald": final}))
    assert find("wald") is final
