"""Words as a query, alone and with moments; and names of actions from words."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import actor_observer as ao
from actor_observer.cli import main
from actor_observer.errors import UserError
from actor_observer.features.models import frozen_network
from actor_observer.features.words import embed_words, name_words, read_templates

LABELS = ["pour water", "open the door"]


@pytest.fixture(scope="session")
def clip_index(videos: list[Path], hf_networks: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    place, backbone = tmp_path_factory.mktemp("words") / "moments", f"hf:{hf_networks('CLIP')}"
    assert str(ao.index(videos, place, "first", backbone=backbone)).endswith("search it with words, too")
    return place, backbone


@pytest.mark.parametrize("name", ["CLIP", "Siglip", "Siglip2"])
def test_a_text_is_what_transformers_makes_of_it(name: str, hf_networks: Any) -> None:
    transformers = pytest.importorskip("transformers")
    folder = hf_networks(name)
    model, tokenizer = (getattr(transformers, kind).from_pretrained(folder) for kind in ("AutoModel", "AutoTokenizer"))
    texts = ["a person pours water", "open the door"]
    full = {"padding": "max_length", "max_length": 32} if name != "CLIP" else {"padding": True}
    told = tokenizer(texts, return_tensors="pt", **full)
    told = {key: told[key] for key in (("input_ids", "attention_mask") if name == "CLIP" else ("input_ids",))}
    with torch.inference_mode():
        said = model.eval().get_text_features(**told)
        expected = torch.nn.functional.normalize(getattr(said, "pooler_output", said), dim=1)  # 4 gives the tensor
    found = embed_words(frozen_network(f"hf:{folder}"), texts)
    np.testing.assert_allclose(found, expected.numpy(), atol=1e-5)
    assert np.abs(found[0] - found[1]).max() > 0.01


def test_words_find_the_moments_nearest_to_them(
    clip_index: tuple[Path, str], videos: list[Path], tmp_path: Path
) -> None:
    place, backbone = clip_index
    network = frozen_network(backbone)
    said = embed_words(network, ["pours water"])[0]
    found = ao.search(place, "pours water", backbone=backbone, apart=0.0, top=24)
    assert found.view is None and found.picture is None and len(found.hits) == 24
    for hit in found.hits[:3]:  # by hand: the moments are where the network puts them, without their take's mean
        seen = ao.see(network, hit.video, "first", look_rate=1.0)
        vector = seen.features[np.abs(seen.times - hit.time).argmin()]
        assert hit.distance == pytest.approx(float(np.linalg.norm(vector - said)), abs=1e-4)
    assert (tmp_path / "out" / "sheet.jpg") in found.save(tmp_path / "out")


def test_an_index_knows_whose_features_it_holds_from_whatever_folder(
    clip_index: tuple[Path, str], videos: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, backbone = clip_index
    expected = ao.search(place, "pours water", backbone=backbone).hits
    folder = Path(backbone.removeprefix("hf:"))
    monkeypatch.chdir(folder.parent)
    assert ao.search(place, "pours water", backbone=f"hf:{folder.name}").hits == expected
    ao.index(videos, tmp_path / "here", "first", backbone=f"hf:{folder.name}")
    monkeypatch.chdir(tmp_path)
    assert ao.search("here", "pours water").hits == ao.search(place, "pours water").hits == expected


def test_words_and_a_moment_are_asked_together(clip_index: tuple[Path, str], videos: list[Path]) -> None:
    place, backbone = clip_index
    moment = f"{videos[0]}@2.5"
    alone = ao.search(place, moment, backbone=backbone, view="first", top=24, apart=0.0)
    both = ao.search(place, ["pours water", moment], backbone=backbone, view="first", top=24, apart=0.0)
    words = ao.search(place, "pours water", backbone=backbone, top=24, apart=0.0)
    assert both.picture is not None and both.query.startswith("pours water + ")

    def far(found: Any) -> dict[tuple[str, float], float]:
        return {(hit.video, hit.time): hit.distance for hit in found.hits}

    a, b, c = far(alone), far(words), far(both)
    cosine = {key: (2 - a[key] ** 2 / 1 + 2 - b[key] ** 2) for key in a}  # to the sum, up to a factor
    ranked = sorted(a, key=lambda key: -cosine[key])
    assert ranked[0] == min(c, key=lambda key: c[key])


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("", "nothing to look for"),
        (" \t", "nothing to look for"),
        ("вода льётся", "knows none of these words"),
        ("water " * 10000, "10002 pieces of words, .* reads at most 32"),
        ("photo.jgp", "neither a picture"),
    ],
)
def test_words_that_cannot_be_asked_are_one_line(query: str, why: str, clip_index: tuple[Path, str]) -> None:
    place, backbone = clip_index
    with pytest.raises(UserError, match=why) as caught:
        ao.search(place, query, backbone=backbone)
    assert "\n" not in str(caught.value)


def test_an_index_without_words_names_what_would_have_them(
    videos: list[Path], network: Any, hf_networks: Any, tmp_path: Path
) -> None:
    ao.index(videos[:1], tmp_path / "own", "first", model=network)
    with pytest.raises(
        UserError, match=r"knows no words; --backbone hf:openai/clip.* does .*, or a run of the recipe words"
    ):
        ao.search(tmp_path / "own", "pours water", model=network)
    backbone = f"hf:{hf_networks('ViT')}"
    ao.index(videos[:1], tmp_path / "vit", "first", backbone=backbone)
    with pytest.raises(UserError, match=r"no words here: its backbone hf:.* knows no words"):
        ao.search(tmp_path / "vit", "pours water", backbone=backbone)


@pytest.mark.parametrize("name", ["CLIP", "Siglip"])
def test_a_network_without_its_vocabulary_says_so(
    name: str, videos: list[Path], hf_networks: Any, tmp_path: Path
) -> None:
    folder = shutil.copytree(hf_networks(name), tmp_path / name)
    for file in folder.glob("token*"):
        file.unlink()
    with pytest.raises(UserError, match=f"hf:{folder}: its words cannot be read") as caught:
        embed_words(frozen_network(f"hf:{folder}"), ["pours water"])
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400
    done = ao.index(videos[:1], tmp_path / "moments", "first", backbone=f"hf:{folder}")
    assert not done.words and "not by words: hf:" in str(done)  # nothing is promised that a search would refuse


def test_a_backbone_that_has_learned_on_has_left_its_words(hf_networks: Any) -> None:
    network = frozen_network(f"hf:{hf_networks('CLIP')}")
    next(network.backbone.parameters()).data.add_(0.1)
    with pytest.raises(UserError, match="the backbone is no longer that of hf:"):
        embed_words(network, ["water"])


def test_actions_are_named_from_words(videos: list[Path], hf_networks: Any, tmp_path: Path) -> None:
    backbone = f"hf:{hf_networks('CLIP')}"
    network = frozen_network(backbone)
    (tmp_path / "templates.txt").write_text("{}\n\na person {}\n")
    asked: dict[str, Any] = {"labels": LABELS, "backbone": backbone, "look_rate": 2.0}
    found = ao.recognise(videos[0], "first", **asked, templates=tmp_path / "templates.txt")
    assert (
        found.labels == tuple(LABELS) and not found.to_dict()["calibrated"] and found.warning.startswith("uncalibrated")
    )
    seen = ao.see(network, videos[0], "first", look_rate=2.0)
    said = name_words(network, LABELS, read_templates(tmp_path / "templates.txt"))
    scale = float(np.exp(2.6592))  # where CLIP starts
    raised = np.exp(scale * seen.features @ said.T)
    expected = (raised / raised.sum(axis=1, keepdims=True)).mean(axis=0)
    np.testing.assert_allclose(found.whole, expected, atol=1e-4)
    (tmp_path / "templates.txt").write_text("no place for it\n")
    with pytest.raises(UserError, match=r"must have one \{\} where the label goes"):
        ao.recognise(videos[0], "first", **asked, templates=tmp_path / "templates.txt")


def test_labels_that_say_nothing_are_one_line(videos: list[Path], hf_networks: Any) -> None:
    backbone = f"hf:{hf_networks('CLIP')}"
    for labels, why in ((["a"], "at least two"), (["a", " "], "an empty label"), (["a", "a"], "the same")):
        with pytest.raises(UserError, match=why):
            ao.recognise(videos[0], "first", labels=labels, backbone=backbone)
    with pytest.raises(UserError, match="add --labels"):
        ao.recognise(videos[0], "first", backbone=backbone)


def test_the_command_takes_words(
    clip_index: tuple[Path, str], videos: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    place, backbone = clip_index
    asked = [str(place), "pours water", f"{videos[0]}@1.5", "--backbone", backbone, "--view", "first", "--json"]
    main(["search", *asked])
    assert json.loads(capsys.readouterr().out)["query"] == f"pours water + {videos[0]}@1.5"
    main(["recognise", str(videos[0]), "--view", "first", "--labels", *LABELS, "--backbone", backbone])
    said = capsys.readouterr().out
    assert "uncalibrated" in said and "pour water" in said


def test_the_studio_takes_words(clip_index: tuple[Path, str]) -> None:
    from actor_observer.web import library

    place, _ = clip_index  # which says whose features it holds
    asked: dict[str, Any] = {"time": None, "view": None, "in_view": "", "subject": None, "top": 3, "model": None}
    assert len(library.find(str(place), "pours water", **asked)["hits"]) == 3
    with pytest.raises(UserError, match="Write what happens, in words"):
        library.find(str(place), "/etc/secret.png", **asked)
