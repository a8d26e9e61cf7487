"""Accumulators: accepted, stored and refused data; `test_parts` has every table and design."""

import pickle
import tracemalloc

import numpy as np
import pytest

import howsure as hs


class Tensor:
    """A tensor that shares its memory by DLPack alone, as those of frameworks without NumPy do."""

    def __init__(self, values):
        self._values = np.asarray(values)

    def __dlpack__(self, **keywords):
        return self._values.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self._values.__dlpack_device__()

    def __len__(self):
        return len(self._values)


class Rounded(Tensor):
    """A tensor of numbers that NumPy has no type for, such as bfloat16."""

    def __dlpack__(self, **keywords):
        raise BufferError("bfloat16 is not supported by NumPy")


class Thinking(Tensor):
    """A tensor like PyTorch's: an array, unless it is part of a graph, when its error names the remedy."""

    def __array__(self, *_, **__):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")


class OnDevice(Tensor):
    """A tensor in the memory of a GPU."""

    def __dlpack_device__(self):
        return (2, 0)

    def __dlpack__(self, **keywords):
        raise BufferError("the memory of a GPU is not shared")


def test_tensors_are_read_where_they_are():
    """Objects with nothing but DLPack are columns like arrays: labels, scores, weights and groups."""
    seen = hs.Accumulator(hs.scores, pos_label=1)
    seen.update(Tensor([0, 1, 1]), Tensor([0.2, 0.4, 0.9]), sample_weight=Tensor([1.0, 2.0, 1.0]))
    assert seen.table.counts.tolist() == [[1, 0], [0, 2], [0, 1]]
    table = hs.confusion(Tensor([True, False]), Tensor([True, True]), groups=Tensor([7, 8]))
    assert table.counts.tolist() == [[0, 1], [0, 1]]
    assert table.design.names.tolist() == [7, 8]


@pytest.mark.parametrize(
    "tensor, words",
    [
        (OnDevice, "the memory of a GPU is not shared. Move it to the processor's memory first, such as by `.cpu()`."),
        (Rounded, "bfloat16 is not supported by NumPy. Make it an array of ordinary numbers first, such as by `.float().numpy()`."),
        (Thinking, "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."),
    ],
)  # fmt: skip
def test_tensors_that_cannot_be_read_say_what_to_do(tensor, words):
    """One line has the column, the reason, and the one call that helps."""
    for call in (
        lambda: hs.confusion([0, 1], tensor([0, 1])),
        lambda: hs.scores([0, 1], tensor([0.1, 0.9])),
        lambda: hs.f1_score([0, 1], tensor([0, 1])),
    ):
        with pytest.raises(hs.HowsureError) as caught:
            call()
        assert str(caught.value).partition(" cannot be read: ")[2] == words


def test_indicators_may_be_tensors():
    """Multilabel batches are two-dimensional, and so are their tensors."""
    tensor = Tensor([[0, 1], [1, 1]])
    tensor.shape, tensor.ndim = (2, 2), 2
    assert hs.confusion(tensor, np.array([[0, 1], [1, 0]])).rows == 2


def test_batches_without_cases_add_nothing():
    """An empty partition, one whose labels are all left out, and weights that are all zero change no count."""
    seen = hs.Accumulator(hs.confusion, labels=["a", "b"])
    with pytest.raises(hs.HowsureError, match="No case was counted yet"):
        _ = seen.table
    seen.update([], [])
    seen.update(["a", "b"], ["a", "a"], sample_weight=[1.0, 2.0])
    seen.update(["b"], ["b"], sample_weight=[0.0])
    assert seen.table.counts.tolist() == [[1, 0], [2, 0]]
    assert (seen.batches, repr(seen)) == (1, "<Accumulator of confusion: 2 cases in 1 batch>")
    seen.reset()
    assert (seen.batches, repr(seen)) == (0, "<Accumulator of confusion: 0 cases in 0 batches>")


def test_a_refused_batch_changes_nothing():
    """Where a batch is refused, by its source or by those before, the cases counted so far stay as they are."""
    seen = hs.Accumulator(hs.confusion, labels=[0, 1])
    seen.update([0, 1], [0, 0])
    for batch, more in (([0, np.nan], {}), ([0, 1], {"sample_weight": [1, 2]}), ([0, 1], {"groups": [1, 2]})):
        with pytest.raises(hs.HowsureError):
            seen.update([0, 1], batch, **more)
    assert seen.table.counts.tolist() == [[1, 0], [1, 0]]


def test_classes_are_named_where_a_batch_may_lack_some():
    """Without names a batch of one class is refused with the remedy; batches with several classes are accepted."""
    seen = hs.Accumulator(hs.confusion)
    seen.update(["a", "c"], ["a", "a"])
    seen.update(["b", "c"], ["b", "b"])
    assert seen.table.labels.tolist() == ["a", "b", "c"]
    with pytest.raises(hs.HowsureError, match="Only the class 'b' occurs. Name all classes with `labels=`"):
        seen.update(["b"], ["b"])


def test_weights_of_another_size_are_refused():
    """A source brings extreme weights to an ordinary size, batch by batch, so that they would not add up."""
    seen = hs.Accumulator(hs.confusion, labels=[0, 1])
    with pytest.raises(hs.HowsureError, match="Multiply all batches' weights by one number"):
        seen.update([0, 1], [0, 1], sample_weight=[1e-30, 2e-30])


def test_accumulators_merge():
    """Workers send theirs as bytes; one merges with another of the same source, and their sum leaves both."""
    workers = [hs.Accumulator(hs.confusion, labels=[0, 1]) for _ in range(3)]
    for number, worker in enumerate(workers):
        worker.update([0, 1], [0, number % 2])
    total = sum(pickle.loads(pickle.dumps(workers)))
    assert total.table.counts.tolist() == [[3, 0], [2, 1]]
    assert total.batches == 3
    assert workers[0].batches == 1
    workers[0].merge(hs.Accumulator(hs.confusion, labels=[0, 1]))
    assert workers[0].table.rows == 2
    with pytest.raises(hs.HowsureError, match="same source"):
        workers[0].merge(hs.Accumulator(hs.scores))
    with pytest.raises(hs.HowsureError, match="same cases"):
        workers[0].merge(workers[0])
    with pytest.raises(hs.HowsureError, match="takes the function that counts"):
        hs.Accumulator("confusion")


def test_memory_grows_with_cells_and_clusters():
    """A thousand batches of a thousand cases use the memory of one batch; each cluster is stored once."""
    rng = np.random.default_rng(0)
    labels = rng.integers(3, size=(2, 1000))
    seen = hs.Accumulator(hs.confusion, labels=[0, 1, 2])
    seen.update(*labels)
    size = len(pickle.dumps(seen.table))
    tracemalloc.start()
    for _ in range(200):
        seen.update(*labels)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held < 100_000
    assert len(pickle.dumps(seen.table)) <= size + 10  # the number of cases has more digits
    grouped = hs.Accumulator(hs.confusion, labels=[0, 1, 2])
    for _ in range(20):
        grouped.update(*labels, groups=np.arange(1000) % 50)
    assert grouped.table.design.number == 50
    assert len(grouped.table.design.count) <= 50 * 9
