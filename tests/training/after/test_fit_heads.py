"""What a run fits once its embedding stands; and the same run on a backbone of the hub's kind."""

from pathlib import Path

import numpy as np
import pytest
import torch

from actor_observer import load
from actor_observer.features import FeatureCache, Look, embed_features
from actor_observer.pairs import read_manifest
from actor_observer.training import train
from actor_observer.training.after.fit_heads import fit_after
from actor_observer.training.planning.material import choose_material
from training.small import quick


def test_a_run_ends_with_names_and_chances(data: Path, tmp_path: Path) -> None:
    widths = ["network.naming_reduced=4", "network.naming_hidden=8", "network.naming_context=1"]
    recipe = quick("network.naming=views", "network.placing=1", "epochs=1", "far_share=0.4", *widths)
    run = train(recipe, data, tmp_path / "run", cache=tmp_path / "cache", device="cpu", quiet=True)
    network = load(run)
    assert network.namer is not None and network.namer.mean.any(), "the names were fitted"
    assert network.placing is not None
    assert any(view.weight.any() for view in network.placing.views), "the chance was fitted"  # type: ignore[operator, union-attr]
    manifest = read_manifest(data)
    material = choose_material(recipe, manifest)
    takes = [*material.takes, *material.validation_takes]
    look = Look(recipe.look_rate, recipe.size, recipe.crop)
    phi, _ = FeatureCache(tmp_path / "cache").features("mobilenet_v2", network.backbone, takes, look)
    one = embed_features(network, {takes[0].id: phi[takes[0].id]})[takes[0].id]
    assert one.scores is not None and np.allclose(one.scores.sum(axis=1), 1, atol=1e-5)
    assert one.chance is not None and ((one.chance > 0) & (one.chance < 1)).all()
    before = (run / "model.safetensors").read_bytes()
    fit_after(run, recipe, material, phi, torch.device("cpu"), lambda line: None)
    assert (run / "model.safetensors").read_bytes() == before, "fitting twice changes nothing"


def test_quick_learns_on_a_model_of_the_hubs_kind(data: Path, tmp_path: Path) -> None:
    """`network.backbone=hf:facebook/dinov2-small`, with a tiny model of that architecture."""
    transformers = pytest.importorskip("transformers")
    small = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "image_size": 28, "patch_size": 14}
    transformers.Dinov2Model(transformers.Dinov2Config(**small)).save_pretrained(tmp_path / "dino")
    recipe = quick(f"network.backbone=hf:{tmp_path / 'dino'}", "init=imagenet", "epochs=1", "labelled_share=0")
    run = train(recipe, data, tmp_path / "run", cache=tmp_path / "cache", device="cpu", quiet=True)
    assert load(run).backbone.feature_size == 16
