"""The whole training step against the method's own words, one triplet after the other, in double precision."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode

from actor_observer.model.config import NetworkConfig
from actor_observer.model.network import ActorObserverNet
from actor_observer.model.steps.triplet import TripletLosses, TripletStep

SIZE = 512  # φ of resnet18, given in place of frames


def make(**settings: Any) -> TripletStep:
    config = NetworkConfig(backbone="resnet18", **{"videos": 6, "pairs": 3, "balance": False, **settings})
    return TripletStep(ActorObserverNet(config, pretrained=False).double()).train()


def batch(size: int) -> dict[str, Tensor]:
    pair = torch.randint(3, (size,))
    x, z, z_neg = torch.randn(3, size, SIZE, dtype=torch.float64)
    return {
        "x": x,
        "z": z,
        "z_neg": z_neg,
        "videos": torch.stack([2 * pair, 2 * pair + 1, 2 * pair + 1], 1),
        "pair": pair,
    }


class Reference:
    """The method as it is written, with dictionaries: no outside state, no vectors over the batch."""

    def __init__(self, step: TripletStep) -> None:
        self.net = step.network
        self.k, self.sums, self.loss = 0.1, dict[tuple[int, int], float](), dict[int, tuple[float, float]]()

    def __call__(self, b: dict[str, Tensor]) -> tuple[list[float], list[float], list[float]]:
        weights, losses, averages = [], [], []
        shared = self.net.config.heads == "shared"
        for i in range(len(b["x"])):
            frames = [b[name][i : i + 1] for name in ("x", "z", "z_neg")]
            roles = [("third", "positive", 0), ("first", "positive", 1), ("first", "negative", 1 if shared else 2)]
            w = 1.0
            for frame, video, (view, role, head) in zip(frames, b["videos"][i].tolist(), roles, strict=True):
                e = math.exp(self.net(frame, view, role).logit.item())
                before = self.sums.get((video, head))
                self.sums[video, head] = e if before is None else self.k * e + (1 - self.k) * before
                w *= e / self.sums[video, head]
            near, far = ((frames[0] - other).norm().item() for other in frames[1:])
            loss = 1 / (1 + math.exp(far - near))
            group = int(b["pair"][i]) if self.net.config.loss_average == "pair" else 0
            if group in self.loss:
                total, mean = self.loss[group]
                new = self.k * w + (1 - self.k) * total
                self.loss[group] = (new, (self.k * w * loss + (1 - self.k) * total * mean) / new)
            else:
                self.loss[group] = (w, loss)
            weights.append(w)
            losses.append(loss)
            averages.append(self.loss[group][1])
        return weights, losses, averages


@pytest.mark.parametrize("heads", ["separate", "shared"])
@pytest.mark.parametrize("loss_average", ["global", "pair"])
def test_it_follows_the_method_word_by_word(heads: str, loss_average: str) -> None:
    step = make(heads=heads, loss_average=loss_average)
    reference = Reference(step)
    for size in (1, 7, 15):
        b = batch(size)
        weights, losses, averages = reference(b)
        got: TripletLosses = step(**b)
        assert got.weight.tolist() == pytest.approx(weights, rel=1e-9)
        assert got.triplet_loss.tolist() == pytest.approx(losses, rel=1e-9)
        assert got.average.tolist() == pytest.approx(averages, rel=1e-9)
        triples = list(zip(weights, losses, averages, strict=True))
        value = sum(w * loss + w * (loss - average) for w, loss, average in triples) / size
        assert got.loss.item() == pytest.approx(value, rel=1e-9)


def logit_gradient(step: TripletStep, b: dict[str, Tensor]) -> tuple[Tensor, TripletLosses]:
    """The gradient that reaches f of x, z and z' (B, 3)."""
    seen: list[Tensor] = []
    hook = step.network.video_softmax.register_forward_pre_hook(lambda module, given: seen.append(given[0]))
    objectives = step(**b)
    hook.remove()
    return torch.autograd.grad(objectives.loss, seen[0])[0], objectives


def test_the_gradient_to_f_is_weight_times_loss_above_average() -> None:
    step = make()
    step(**batch(20))
    gradient, got = logit_gradient(step, batch(15))
    expected = got.weight * (got.triplet_loss - got.average) / 15
    torch.testing.assert_close(gradient, expected[:, None].expand(15, 3), rtol=0, atol=1e-12)


def test_the_running_loss_does_not_cancel_out() -> None:
    """With `L` shifted by δ before the batch, and no weight of its own, the gradient to f moves by −w·δ."""
    b = batch(15)
    gradients = []
    for shift in (0.0, 0.3):
        torch.manual_seed(1)
        step = make(loss_k=1e-12)  # the batch itself moves L by nothing
        step(**batch(4))
        step.network.running_loss.loss += shift
        gradient, got = logit_gradient(step, b)
        gradients.append(gradient)
    expected = -0.3 * got.weight[:, None].expand(15, 3) / 15
    torch.testing.assert_close(gradients[1] - gradients[0], expected, rtol=0, atol=1e-9)


def test_the_selectors_gradient_enters_the_backbone_too() -> None:
    step, b = make(), batch(5)
    b["x"].requires_grad_()
    parts = []
    for select in (True, False):
        torch.manual_seed(2)
        step = make(select=select)
        parts.append(torch.autograd.grad(step(**b).loss, b["x"])[0])
    assert not torch.allclose(parts[0], parts[1])


def test_without_the_selector_every_triplet_weighs_one() -> None:
    step = make(select=False)
    got = step(**batch(5))
    got.loss.backward()
    assert got.weight.tolist() == [1.0] * 5
    assert got.loss.item() == pytest.approx(got.triplet_loss.mean().item())
    assert all(not p.grad.any() for p in step.network.heads.parameters() if p.grad is not None)


def test_accumulated_parts_equal_the_whole_batch() -> None:
    whole, parts = make(), make()
    parts.load_state_dict(whole.state_dict())
    b = batch(12)
    whole(**b).loss.backward()
    for rows in torch.arange(12).split(4):
        (parts(**{name: value[rows] for name, value in b.items()}).loss / 3).backward()
    for one, other in zip(whole.parameters(), parts.parameters(), strict=True):
        if one.grad is not None:
            torch.testing.assert_close(one.grad, other.grad, rtol=1e-9, atol=1e-12)
    for name, value in whole.state_dict().items():
        torch.testing.assert_close(value, parts.state_dict()[name])


def test_validation_writes_no_state_at_all() -> None:
    step = make(labels=("a", "b"), balance=True)
    step(**batch(5))
    before = {name: value.clone() for name, value in step.state_dict().items()}
    step.eval()
    with torch.no_grad():
        step(**batch(5), labelled=torch.randn(2, SIZE).double(), label=torch.tensor([0, 1]))
    step(**batch(5))
    assert all(torch.equal(value, before[name]) for name, value in step.state_dict().items())


def test_labels_and_triplets_come_together_or_alone() -> None:
    step = make(labels=("a", "b", "c"), balance=True)
    labelled, label = torch.randn(4, SIZE).double(), torch.tensor([0, 2, 1, 1])
    both = step(**batch(5), labelled=labelled, label=label)
    expected = torch.nn.functional.cross_entropy(step.network.classify(labelled), label)
    torch.testing.assert_close(both.classification, expected.detach())
    for got in (both, step(**batch(0), labelled=labelled, label=label), step(**batch(5)), step(**batch(0))):
        step.zero_grad()
        got.loss.backward()
        heads = [*step.network.heads.parameters(), *step.network.classifier.parameters()]  # type: ignore[union-attr]
        assert all(parameter.grad is not None for parameter in heads)  # none is left out: all ranks stay in step
        assert torch.isfinite(got.loss)
    assert got.loss.item() == 0


def test_balanced_gradients_at_phi_have_the_triplet_gradients_norm() -> None:
    step = make(labels=("a", "b"), balance=True)
    b = batch(6)
    network = step.network
    streams: list[Any] = []
    forward = network.forward_triplets
    network.forward_triplets = lambda *given: streams.append(forward(*given)) or streams[0]  # type: ignore
    got = step(**b, labelled=torch.randn(4, SIZE).double(), label=torch.tensor([0, 1, 1, 0]))
    (gradient,) = torch.autograd.grad(got.loss, streams[0].phi)
    assert gradient[18:].norm().item() == pytest.approx(network.balance.norm.item(), rel=1e-9)  # labelled rows


def test_it_compiles_as_one_graph_where_nothing_is_balanced() -> None:
    step, same = make(labels=("a", "b")), make(labels=("a", "b"))
    same.load_state_dict(step.state_dict())
    compiled = torch.compile(step, fullgraph=True, backend="aot_eager")
    b = {**batch(6), "labelled": torch.randn(4, SIZE).double(), "label": torch.tensor([0, 1, 1, 0])}
    got, expected = compiled(**b), same(**b)
    torch.testing.assert_close(got, expected)
    got.loss.backward()
    expected.loss.backward()
    for one, other in zip(step.network.heads.parameters(), same.network.heads.parameters(), strict=True):
        torch.testing.assert_close(one.grad, other.grad)


def test_nothing_waits_for_a_devices_values() -> None:
    with FakeTensorMode():  # tensors without values: any look at one is an error
        config = NetworkConfig(backbone="resnet18", labels=("a", "b"), videos=6, pairs=3, loss_average="pair")
        step = TripletStep(ActorObserverNet(config, pretrained=False))
        index = torch.empty(6, 3, dtype=torch.int64)
        frames = torch.empty(4, 6, 3, 32, 32, dtype=torch.uint8)
        step(*frames[:3], index, index[:, 0], labelled=frames[3], label=index[:, 0]).loss.backward()


def test_no_frames_at_all_pass_through_a_real_backbone() -> None:
    step = make(labels=("a", "b"), balance=True).float()
    nothing = torch.zeros(0, 3, 32, 32)
    got = step(nothing, nothing, nothing, torch.zeros(0, 3, dtype=torch.int64))
    got.loss.backward()
    assert got.loss.item() == 0


def test_a_step_on_real_frames_in_bf16_with_a_compiled_backbone() -> None:
    config = NetworkConfig(backbone="resnet18", labels=("a", "b"), videos=6)
    network = ActorObserverNet(config, pretrained=False).to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    names = network.state_dict().keys()
    network.backbone.compile(backend="aot_eager")  # in place: the names of the parameters stay
    step = TripletStep(network).train()
    frames = torch.randint(256, (4, 3, 3, 32, 32), dtype=torch.uint8)
    with torch.autocast("cpu", torch.bfloat16):
        got = step(*frames[:3], torch.tensor([[0, 1, 1]] * 3), labelled=frames[3], label=torch.tensor([0, 1, 0]))
    got.loss.backward()
    assert network.state_dict().keys() == names
    assert got.loss.dtype == torch.float32
    assert all(parameter.grad is not None for parameter in network.parameters())


def test_it_learns_which_frame_corresponds() -> None:
    """Two views of the same hidden moments, through two different random maps."""
    hidden, clip = torch.randn(200, 6), torch.arange(200) // 50
    third, first = (hidden @ torch.randn(6, SIZE) / 2 + 0.1 * torch.randn(200, SIZE) for _ in range(2))
    config = NetworkConfig(
        **{"backbone": "resnet18", "heads": "shared", "selector_scale": 0.5, "videos": 8},  # type: ignore[arg-type]
        **{"projection": "per_view", "projection_size": 16, "projection_hidden": 32},  # type: ignore[arg-type]
    )
    network = ActorObserverNet(config, pretrained=False)
    step, optimiser = TripletStep(network), torch.optim.Adam(network.parameters(), lr=2e-3)

    def accuracy() -> float:
        with torch.no_grad():
            distances = torch.cdist(network(third, "third").features, network(first, "first").features)
        return (distances.diag()[:, None] < distances).float().mean().item()

    assert accuracy() < 0.65
    for _ in range(150):
        x = torch.randint(200, (32,))
        other = clip[x] * 50 + torch.randint(50, (32,))
        optimiser.zero_grad()
        step(third[x], first[x], first[other], torch.stack([clip[x], clip[x] + 4, clip[x] + 4], dim=1)).loss.backward()
        optimiser.step()
    assert accuracy() > 0.9
