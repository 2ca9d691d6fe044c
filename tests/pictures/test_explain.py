"""`explain`: pictures of one frame, or of two, and one clear line for what cannot be explained."""

from pathlib import Path

import pytest
from PIL import Image

from actor_observer.cli import main
from actor_observer.errors import TakeError, UserError
from actor_observer.pictures.explain import explain
from tiny import write_video


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_video(tmp_path_factory.mktemp("my videos") / "\udcff$b$<c>@home, a long name.mp4", frames=24, fps=8)


def test_a_frame_and_a_pair_of_frames(
    folder: Path, video: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["explain", f"{video}@1.5", "--model", str(folder), "--view", "first", "--out", str(tmp_path / "one")])
    assert capsys.readouterr().out.split("\n")[:-1] == [str(tmp_path / "one" / "activation.png")]
    drawn = explain(f"{video}@1.5", tmp_path / "two", "first", f"{video}@0.5", folder).pictures
    assert [path.name for path in drawn] == ["activation.png", "similarity.png"]
    for path in drawn:
        with Image.open(path) as picture:
            assert picture.size[0] == 1200


def test_what_cannot_be_explained_is_one_line(folder: Path, video: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"@9: the video ends at 3\.0 s"):
        explain(f"{video}@9", tmp_path, model=folder)
    with pytest.raises(UserError, match="give a video and a time"):
        explain(str(video.parent / "plain.mp4"), tmp_path, model=folder)
    with pytest.raises(TakeError, match="no such file"):
        explain("no-such.mp4@1", tmp_path, model=folder)
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"activation\.png: cannot be written"):
        explain(f"{video}@1", tmp_path / "file", model=folder)
