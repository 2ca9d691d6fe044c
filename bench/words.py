"""Do words find in first person what they find in third? The recipe `words` on rendered data, with a toy text tower.

    python bench/words.py [--data FOLDER] [--epochs N]

A tiny CLIP learns from third-person training frames and the names of their actions: a space of pictures and words, as
small as can be. Then first person is linked to it by pairs alone (`train words`), and judged in the zero-shot table on
held-out people: beside the same words without the link, and class heads on the same features (`train quick`), which
learn from third-person labels.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from actor_observer import load
from actor_observer.evaluation.compared.method import Method
from actor_observer.evaluation.tables.layout import as_markdown
from actor_observer.evaluation.tables.recognition_tables import recognition_table
from actor_observer.features.embed import embed_manifest
from actor_observer.features.feature_cache import FeatureCache
from actor_observer.features.look import Look
from actor_observer.frames.at import frames_at
from actor_observer.pairs.manifest import Manifest
from actor_observer.pairs.read import read_manifest
from actor_observer.playhouse import MINI
from actor_observer.training import recipe_named, train, with_settings
from actor_observer.training.planning.material import choose_material
from actor_observer.training.start import make_network
from tiny_networks import make_tokenizer

SIDE, RATE, BATCH = 64, 2.0, 64


def captioned(manifest: Manifest) -> tuple[Tensor, list[str]]:
    """Third-person training frames (N, 3, SIDE, SIDE), and the name of an action that goes on in each."""
    frames, names = [], []
    for take in manifest.of("train").labelled():
        times = [(action, at) for action in take.actions for at in np.arange(action.start + 0.25, action.end, 1 / RATE)]
        if times:
            frames.append(frames_at(take, [at for _, at in times], size=(SIDE, SIDE), threads=1))
            names += [manifest.classes[action.label].lower().replace("/", " ") for action, _ in times]
    return torch.cat(frames), names


def make_toy(manifest: Manifest, folder: Path, steps: int) -> str:
    """A tiny CLIP that has seen the third-person training frames with their captions."""
    import transformers

    torch.manual_seed(0)
    words = sorted({word for name in manifest.classes.values() for word in name.lower().replace("/", " ").split()})
    words = ["<pad>", "<bos>", "<eos>", "<unk>", "a", "person", "video", "of", ":", *words]
    words = list(dict.fromkeys(words))
    side = {"hidden_size": 96, "intermediate_size": 192, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = transformers.CLIPConfig(
        vision_config={**side, "image_size": SIDE, "patch_size": 8},
        text_config={**side, "vocab_size": len(words), "max_position_embeddings": 24, "eos_token_id": 2},
        projection_dim=48,
    )
    model: Any = transformers.CLIPModel(config)
    make_tokenizer(folder, words)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    frames, names = captioned(manifest)
    optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.05)
    generator = torch.Generator().manual_seed(0)
    loss = torch.zeros(())
    for _ in range(steps):
        chosen = torch.randint(len(frames), (BATCH,), generator=generator)
        told = [names[place] for place in chosen.tolist()]
        asked = tokenizer(told, padding=True, return_tensors="pt")
        pixels = (frames[chosen].float() / 255 - 0.5) / 0.5
        found = model(pixel_values=pixels, input_ids=asked["input_ids"], attention_mask=asked["attention_mask"])
        same = torch.tensor([[float(a == b) for b in told] for a in told])
        target = same / same.sum(dim=1, keepdim=True)  # a caption that comes twice is right twice
        logits = found.logits_per_image
        loss = -(target * logits.log_softmax(1) + target.T * logits.log_softmax(0)).sum(1).mean() / 2
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    print(f"toy CLIP: {len(frames)} frames, {steps} steps, last loss {loss.item():.2f} (chance {np.log(BATCH):.2f})")
    model.save_pretrained(folder)
    size = {"height": SIDE, "width": SIDE}
    told_size = {"do_resize": True, "size": size, "resample": 2, "image_mean": [0.5] * 3, "image_std": [0.5] * 3}
    (folder / "preprocessor_config.json").write_text(json.dumps(told_size))
    return f"hf:{folder}"


def main() -> None:
    """Train, judge, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=MINI)
    parser.add_argument("--steps", type=int, default=600, help="of the toy CLIP")
    parser.add_argument("--epochs", type=int, default=30, help="of the link and of the heads")
    asked = parser.parse_args()
    manifest = read_manifest(asked.data)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "toy").mkdir()
        backbone = make_toy(manifest, folder / "toy", asked.steps)
        usual = [f"network.backbone={backbone}", f"size={SIDE}", f"epochs={asked.epochs}", "look_rate=2"]
        words = with_settings(recipe_named("words"), usual)
        quick = with_settings(recipe_named("quick"), [*usual, "labelled_apart="])
        cache = FeatureCache(folder / "cache")
        for name, recipe in (("words", words), ("quick", quick)):
            train(recipe, asked.data, folder / name, cache=folder / "cache", device="cpu", quiet=True)
        unlinked, _ = make_network(words, choose_material(words, manifest))
        networks = {
            "class heads (quick)": load(folder / "quick"),
            "words, no link": unlinked.eval(),
            "words, linked (words)": load(folder / "words"),
        }
        test = manifest.of("test")
        look = Look(2.0, SIDE, "whole")
        methods = [Method(name, embed_manifest(network, test, look, cache)[0]) for name, network in networks.items()]
        found = recognition_table(methods, test)
        assert found is not None
        print(as_markdown(found))


if __name__ == "__main__":
    main()
