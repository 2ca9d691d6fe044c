"""VideoSoftmax: its definition, its exact cases, and when it leaves its tables alone."""

import math
from collections import defaultdict

import pytest
import torch
from torch import Tensor

from actor_observer.model.losses.video_softmax import VideoSoftmax, log_frame_weights


def double(videos: int, heads: int = 3, k: float | None = 0.1) -> VideoSoftmax:
    return VideoSoftmax(videos, heads, k).double()


def batch(size: tuple[int, ...], videos: int, heads: int) -> tuple[Tensor, Tensor, Tensor]:
    logit = torch.randn(size, dtype=torch.float64) * 4
    return logit, torch.randint(videos, size), torch.randint(heads, size)


class Loop:
    """The definition, one frame after the other."""

    def __init__(self, k: float) -> None:
        self.k = k
        self.table: dict[tuple[int, int], float] = {}

    def __call__(self, logit: Tensor, video: Tensor, head: Tensor) -> list[float]:
        weights = []
        for f, *key in zip(*(x.flatten().tolist() for x in (logit, video, head)), strict=True):
            place = (int(key[0]), int(key[1]))
            before = self.table.get(place)
            self.table[place] = math.exp(f) if before is None else self.k * math.exp(f) + (1 - self.k) * before
            weights.append(math.exp(f) / self.table[place])
        return weights


@pytest.mark.parametrize("size", [(1,), (2,), (17,), (64,), (15, 3)])
def test_a_batch_equals_the_loop_over_its_frames(size: tuple[int, ...]) -> None:
    softmax, loop = double(videos=4, heads=2), Loop(0.1)
    for _ in range(5):
        logit, video, head = batch(size, 4, 2)
        weight = softmax(logit, video, head).exp()
        assert weight.flatten().tolist() == pytest.approx(loop(logit, video, head), rel=1e-12)
        assert (weight > 0).all()
        assert (weight <= 10 + 1e-9).all()  # 1/k
    for (video_index, head_index), value in loop.table.items():
        assert softmax.log_sum[video_index * 2 + head_index].item() == pytest.approx(math.log(value), abs=1e-12)


def test_any_cut_into_batches_gives_the_same() -> None:
    whole, cut = double(3), double(3)
    logit, video, head = batch((40,), 3, 3)
    expected = whole(logit, video, head)
    parts = [cut(*rows) for rows in zip(*(x.split([1, 7, 30, 2]) for x in (logit, video, head)), strict=True)]
    torch.testing.assert_close(torch.cat(parts), expected, rtol=0, atol=1e-12)
    torch.testing.assert_close(cut.log_sum, whole.log_sum, rtol=0, atol=1e-12)


def test_with_k_one_over_n_the_sum_is_the_mean_and_reading_gives_softmax() -> None:
    softmax = double(videos=2, heads=1, k=None)
    f = torch.randn(23, dtype=torch.float64) * 3
    video, head = torch.zeros(23, dtype=torch.int64), torch.zeros(23, dtype=torch.int64)
    for rows in torch.arange(23).split(5):  # one pass, in batches
        softmax(f[rows], video[rows], head[rows])
    assert softmax.log_sum[0].exp().item() == pytest.approx(f.exp().mean().item(), rel=1e-12)
    torch.testing.assert_close((f - softmax.log_sum[0]).exp(), 23 * f.softmax(0), rtol=1e-12, atol=0)
    softmax.eval()
    torch.testing.assert_close(softmax(f, video, head).exp(), 23 * f.softmax(0), rtol=1e-12, atol=0)


def test_a_first_visit_weighs_one() -> None:
    softmax = double(5, 1)
    weight = softmax(torch.tensor([9.0, -9.0]).double(), torch.tensor([4, 2]), torch.tensor([0, 0])).exp()
    assert weight.tolist() == [1.0, 1.0]


def test_the_order_within_a_table_of_triplets_is_row_by_row() -> None:
    logit, video = torch.randn(4, 3).double(), torch.zeros(4, 3, dtype=torch.int64)
    head = torch.tensor([[0, 1, 1]]).expand(4, 3)  # z and z' share a head: they meet in one table
    table, rows = double(1, 2), double(1, 2)
    one_by_one = [rows(logit[i : i + 1], video[i : i + 1], head[i : i + 1]) for i in range(4)]
    torch.testing.assert_close(table(logit, video, head), torch.cat(one_by_one), rtol=0, atol=1e-12)


def test_the_gradient_goes_through_the_frame_alone() -> None:
    softmax = double(1, 1)
    f = torch.randn(6, dtype=torch.float64, requires_grad=True)
    zeros = torch.zeros(6, dtype=torch.int64)
    weight = softmax(f, zeros, zeros).exp()
    (gradient,) = torch.autograd.grad(weight.sum(), f)
    torch.testing.assert_close(gradient, weight.detach())


def test_large_inputs_neither_overflow_nor_vanish() -> None:
    softmax = VideoSoftmax(1, 1)
    f = torch.tensor([500.0, -500.0, 500.0, 0.0])
    zeros = torch.zeros(4, dtype=torch.int64)
    log_weight = softmax(f, zeros, zeros)
    assert torch.isfinite(log_weight).all()
    assert torch.isfinite(softmax.log_sum).all()


def test_validation_neither_writes_nor_reads_the_tables() -> None:
    softmax = double(3, 1)
    softmax(*batch((20,), 3, 1))
    before = {name: value.clone() for name, value in softmax.state_dict().items()}
    softmax.eval()
    f = torch.randn(5, dtype=torch.float64)
    unknown = torch.full((5,), 12345)  # a test video has no entry
    weight = softmax(f, unknown, torch.zeros_like(unknown)).exp()
    torch.testing.assert_close(weight, 5 * f.softmax(0))
    assert all(torch.equal(value, before[name]) for name, value in softmax.state_dict().items())


def test_the_tables_are_saved_and_restored() -> None:
    softmax, resumed = double(3, 2), double(3, 2)
    softmax(*batch((20,), 3, 2))
    resumed.load_state_dict(softmax.state_dict())
    later = batch((20,), 3, 2)
    assert torch.equal(softmax(*later), resumed(*later))


def test_nothing_depends_on_values_that_a_device_would_have_to_send() -> None:
    softmax = VideoSoftmax(4, 2).to("meta")  # meta tensors have no values: any look at one is an error
    logit = torch.zeros(8, 3, device="meta", requires_grad=True)
    index = torch.zeros(8, 3, dtype=torch.int64, device="meta")
    softmax(logit, index, index).exp().sum().backward()


def test_it_compiles_as_one_graph() -> None:
    softmax, same = double(4, 2), double(4, 2)
    compiled = torch.compile(softmax, fullgraph=True, backend="aot_eager")
    rows = batch((9,), 4, 2)
    torch.testing.assert_close(compiled(*rows), same(*rows))
    torch.testing.assert_close(softmax.log_sum, same.log_sum)


def test_an_empty_batch_changes_nothing() -> None:
    softmax, empty = double(2), torch.zeros(0, dtype=torch.int64)
    assert softmax(torch.zeros(0, dtype=torch.float64), empty, empty).shape == (0,)
    assert softmax.count.sum() == 0


@pytest.mark.parametrize("settings", [{"videos": -1}, {"videos": 1, "heads": 0}, {"videos": 1, "k": 0.0}])
def test_bad_settings_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"VideoSoftmax needs|between 0 and 1"):
        VideoSoftmax(**settings)  # type: ignore[arg-type]


def test_exact_weights_are_each_videos_own_softmax() -> None:
    f, video = torch.randn(30, dtype=torch.float64) * 200, torch.randint(3, (30,)) * 7 - 5
    weight = log_frame_weights(f, video).exp()
    frames = defaultdict(list)
    for place, key in enumerate(video.tolist()):
        frames[key].append(place)
    for places in frames.values():
        torch.testing.assert_close(weight[places], len(places) * f[places].softmax(0))
