"""What one of several ranks does, for test_gather.py."""

from collections.abc import Callable
from pathlib import Path

import torch
from torch import distributed, nn
from torch.nn.parallel import DistributedDataParallel

from actor_observer.model.config import NetworkConfig
from actor_observer.model.losses.gather import gather
from actor_observer.model.losses.info_nce import SoftInfoNCE
from actor_observer.model.network import ActorObserverNet
from actor_observer.model.steps.triplet import TripletStep

SIZE, BATCH, LABELLED, STEPS = 512, 8, 4, 3


def train(rank: int, ranks: int) -> dict[str, torch.Tensor]:
    """A few steps of triplets, then of InfoNCE, on this rank's part of the same global batches."""
    torch.manual_seed(0)
    config = NetworkConfig(backbone="resnet18", heads="shared", labels=("a", "b"), videos=6, projection="per_view")
    network = ActorObserverNet(config, pretrained=False).double()
    network.backbone.requires_grad_(False)
    step: nn.Module = TripletStep(network).train()
    contrast: nn.Module = Contrast().double()
    if ranks > 1:
        step = DistributedDataParallel(step, broadcast_buffers=False)
        contrast = DistributedDataParallel(contrast)
    read = []
    parameters = [p for p in network.parameters() if p.requires_grad]
    optimiser = torch.optim.SGD([*parameters, *contrast.parameters()], lr=0.05)
    part, labelled_part = slice(*bounds(rank, ranks, BATCH)), slice(*bounds(rank, ranks, LABELLED))
    for _ in range(STEPS):
        pair = torch.randint(3, (BATCH,))
        frames = torch.randn(3, BATCH, SIZE, dtype=torch.float64)
        videos = torch.stack([2 * pair, 2 * pair + 1, 2 * pair + 1], dim=1)
        labelled, label = torch.randn(LABELLED, SIZE, dtype=torch.float64), torch.randint(2, (LABELLED,))
        got = step(*frames[:, part], videos[part], pair[part], labelled[labelled_part], label[labelled_part])
        time = torch.rand(2, BATCH, dtype=torch.float64)
        loss = contrast(frames[0, part], frames[1, part], time[0, part], time[1, part], pair[part], pair[part])
        optimiser.zero_grad()
        (got.loss + loss).backward()
        optimiser.step()
        read.append(torch.stack([got.weight, got.triplet_loss, got.average]))
    state = {f"network.{name}": value for name, value in network.state_dict().items() if "backbone" not in name}
    inner = contrast.module if ranks > 1 else contrast
    state.update({f"contrast.{name}": value for name, value in inner.state_dict().items()})
    return {**state, "read": torch.stack(read), "info_nce": loss.detach()}


class Contrast(nn.Module):
    """A map and a selector learned with InfoNCE, so that every kind of gradient is there."""

    def __init__(self) -> None:
        super().__init__()
        self.map = nn.Linear(SIZE, 4)
        self.weigh = nn.Linear(SIZE, 1)
        self.loss = SoftInfoNCE(learn_temperature=True)

    def forward(self, x: torch.Tensor, z: torch.Tensor, *others: torch.Tensor) -> torch.Tensor:
        rows = (torch.tanh(self.weigh(frames).squeeze(1)) for frames in (x, z))
        loss: torch.Tensor = self.loss(self.map(x), self.map(z), *others, *rows)
        return loss


def bounds(rank: int, ranks: int, size: int) -> tuple[int, int]:
    return rank * size // ranks, (rank + 1) * size // ranks


def train_and_save(rank: int, ranks: int, out: Path) -> None:
    torch.save(train(rank, ranks), out)


def gather_unequal(rank: int, ranks: int, out: Path) -> None:
    try:
        gather(torch.zeros(2 + rank))
    except ValueError as error:
        assert "equally many" in str(error)
    else:
        raise SystemExit("no complaint")
    distributed.barrier()


def in_group(work: Callable[[int, int, Path], None], rank: int, ranks: int, store: Path, out: Path) -> None:
    """Work as one of the ranks."""
    distributed.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=ranks)
    work(rank, ranks, out)
    distributed.destroy_process_group()
