"""A head that is added to the model in the box leaves the rest of it as it was."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from actor_observer import load
from actor_observer.errors import UserError
from actor_observer.features.identity import identify
from actor_observer.model import ActorObserverNet, NetworkConfig
from actor_observer.model.pretrained import BOX, read_pretrained
from add_heads import main as add_heads


def test_only_the_head_is_new(tmp_path: Path) -> None:
    shutil.copytree(BOX, tmp_path / "box")
    box = load()
    other = ActorObserverNet(replace(box.config, placing=2.5), pretrained=False)
    other.load_state_dict({**other.state_dict(), **box.state_dict()})
    assert other.placing is not None
    torch.nn.init.constant_(other.placing.views[0].bias, 0.75)  # type: ignore[arg-type]
    other.save_pretrained(tmp_path / "with head")
    add_heads((tmp_path / "with head",), out=tmp_path / "box")
    again = load(tmp_path / "box")
    assert again.config.placing == 2.5 and again.placing is not None
    assert float(again.placing.views[0].bias) == 0.75  # type: ignore[arg-type]
    assert identify(again).fingerprint == identify(box).fingerprint
    (_, before), (_, after) = read_pretrained(BOX), read_pretrained(tmp_path / "box")
    kept = [name for name in before if not name.startswith("placing.")]
    assert kept and all(torch.equal(before[name], after[name]) for name in kept)


def test_a_head_of_another_network_is_refused(tmp_path: Path) -> None:
    shutil.copytree(BOX, tmp_path / "box")
    ActorObserverNet(NetworkConfig(backbone="resnet18", placing=1.0), pretrained=False).save_pretrained(
        tmp_path / "other"
    )
    with pytest.raises(UserError, match="is not that of"):
        add_heads((tmp_path / "other",), out=tmp_path / "box")


def test_other_projections_leave_backbone_and_names_as_they_are(tmp_path: Path) -> None:
    shutil.copytree(BOX, tmp_path / "box")
    box = load()
    run = ActorObserverNet(replace(box.config, labels=(), label_names=(), naming="embedding"), pretrained=False)
    own = {name: tensor for name, tensor in box.state_dict().items() if name in run.state_dict()}
    run.load_state_dict({**run.state_dict(), **own})
    with torch.no_grad():
        run.projection.networks[0][-1][-1].bias += 1.0  # type: ignore[index]
    run.save_pretrained(tmp_path / "run")
    add_heads(projection=tmp_path / "run", out=tmp_path / "box")
    again = load(tmp_path / "box")
    assert identify(again).fingerprint != identify(box).fingerprint
    change = again.projection.networks[0][-1][-1].bias - box.projection.networks[0][-1][-1].bias  # type: ignore[index]
    assert torch.allclose(change, torch.ones_like(change), atol=0.01)
    kept = [name for name in box.state_dict() if name.startswith(("backbone.", "namer.", "classifier."))]
    assert kept and all(torch.equal(box.state_dict()[name], again.state_dict()[name]) for name in kept)
