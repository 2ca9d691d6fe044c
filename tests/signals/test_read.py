"""Tables of any kind become signals; what cannot be one is refused on one line that says what to do."""

import datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from actor_observer.errors import TakeError
from actor_observer.signals import read_signal
from actor_observer.signals.cut_table import CUT_TIME, cut_table
from actor_observer.signals.thin import Thinner

AT = np.arange(400) / 50
WAVE = np.sin(3 * AT) * np.exp(-AT / 9)


def csv_of(path: Path, header: str, rows: list[str]) -> Path:
    path.write_text("\n".join([header, *rows]) + "\n")
    return path


def lines(times: list[object], values: np.ndarray = WAVE) -> list[str]:
    return [f"{time},{value:.6f}" for time, value in zip(times, values, strict=True)]


@pytest.mark.parametrize(
    ("header", "factor", "start", "unit"),
    [
        ("time,x", 1.0, 0.0, "s"),
        ("t,x", 1e3, 0.0, "ms"),
        ("stamp,x", 1e6, 5e6, "µs"),
        ("timestamp,x", 1e9, 1.7e18, "ns"),
        ("Time (ms),x", 1e3, 0.0, "ms"),
    ],
)
def test_the_unit_of_time_is_found(tmp_path: Path, header: str, factor: float, start: float, unit: str) -> None:
    stamps: list[object] = [int(start) + round(time * factor) if factor > 1 else time for time in AT]
    found = read_signal(csv_of(tmp_path / "a.csv", header, lines(stamps)))
    assert (found.unit, found.time) == (unit, header.split(",")[0])
    assert found.per_second == pytest.approx(50, rel=1e-3) and found.length == pytest.approx(8.0, abs=1e-3)
    assert np.allclose(found.groups[0].values[0], WAVE, atol=1e-4)


def test_dates_are_times_and_a_recording_time(tmp_path: Path) -> None:
    begin = datetime.datetime(2024, 5, 1, 12)
    stamps: list[object] = [(begin + datetime.timedelta(seconds=float(time))).isoformat(" ") for time in AT]
    found = read_signal(csv_of(tmp_path / "a.csv", "when,x", lines(stamps)), time="when")
    assert found.unit == "dates" and found.started == begin and found.length == pytest.approx(8.0)


def test_text_and_fixed_columns_are_left_out_and_missing_numbers_filled(tmp_path: Path) -> None:
    rows = [f"{t:.3f},{'' if n % 7 == 3 else f'{w:.5f}'},walk,1" for n, (t, w) in enumerate(zip(AT, WAVE, strict=True))]
    found = read_signal(csv_of(tmp_path / "a.csv", "time,x,label,fixed", rows))
    assert [group.name for group in found.groups] == ["x"] and "label" in " ".join(found.notes)
    assert np.abs(found.groups[0].values[0] - WAVE).max() < 0.02


def test_angles_are_unwrapped_and_groups_found(tmp_path: Path) -> None:
    turning = 100 * AT
    rows = [f"{t},{a % 360:.4f},{b:.4f}" for t, a, b in zip(AT, turning**1.01, WAVE, strict=True)]
    found = read_signal(csv_of(tmp_path / "a.csv", "time,joint_1,joint_2", rows))
    assert found.groups[0].columns == ("joint_1", "joint_2")
    assert np.allclose(found.groups[0].values[0], turning**1.01, atol=0.01)


def test_columns_choose_and_a_still_signal_says_nothing(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", time=AT, gyro=np.stack([WAVE, 2 * WAVE, WAVE**2], 1), still=np.ones(400))
    assert [group.name for group in read_signal(tmp_path / "a.npz").groups] == ["gyro"]
    still = read_signal(tmp_path / "a.npz", columns=["still"])
    assert still.still and "ever moves" in still.notes[-1]


def test_parquet_with_nested_lists_and_pictures(tmp_path: Path) -> None:
    state = pa.array([[float(w), float(2 * w)] for w in WAVE], pa.list_(pa.float32(), 2))
    ragged = pa.array([[1.0] * (n % 3) for n in range(400)])
    images = pa.array([{"bytes": b"png"}] * 400)
    columns = {"timestamp": AT, "observation.state": state, "action": state, "ragged": ragged, "image": images}
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    found = read_signal(tmp_path / "a.parquet")
    assert [len(group.columns) for group in found.groups] == [2]
    assert "action is the same as observation.state: counted once" in found.notes


def test_no_more_rows_are_kept_however_long_a_table_is() -> None:
    thin, held = Thinner(2, finest=0.01, most=2000, least=500), []
    for piece in range(60):
        times = piece * 10 + np.arange(1000) / 100
        thin.add(times, np.stack([times, np.sin(times)], axis=1))
        held.append(sum(len(some) for some, _ in thin._kept))
    times, values = thin.kept()
    assert max(held) <= 1000 + 1 and 500 <= len(times) <= 1001
    assert times[0] < 1 and times[-1] > 599 and np.abs(values[:, 0] - times).max() < 1e-3


def test_rows_far_denser_than_any_video_are_averaged(tmp_path: Path) -> None:
    at = np.arange(40_000) / 4000
    np.savez(tmp_path / "a.npz", t=at, gyro=np.stack([np.sin(at), np.cos(at)], 1))
    found = read_signal(tmp_path / "a.npz")
    assert found.per_second == pytest.approx(250, rel=0.01)
    assert np.abs(found.groups[0].values[0] - np.sin(found.times)).max() < 1e-3


BAD = {
    "x,y\n3,1\n1,2\n2,5\n": "no column says when: name it with --time COLUMN (x, y)",
    "time,name\n1,a\n2,b\n3,c\n": "no numbers in it besides the time",
    "time,x\n0,1\n1,2\n": "only 2 rows with a time",
    "time,x\n" + "".join(f"{t},{t % 3}\n" for t in [*range(20), 5, 6]): "runs backwards at row 21",
    "t,x\n" + "".join(f"{t},{t % 3}\n" for t in range(20, 0, -1)): "t runs backwards at row 2",
    "time,x\n" + "".join(f"{t},{t % 3}\n" for t in [*range(100), *range(100, 100_000, 1000)]): "are its units mixed?",
    "": "the file is empty",
    "a\0b": "it holds bytes that no text has",
    "time,x\n": "no row has a time in column time",
    "time,x\n" + "nan,1\n" * 50: "no row has a time in column time",
}


@pytest.mark.parametrize("content", [*BAD])
def test_what_is_no_signal_is_one_line(tmp_path: Path, content: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(content)
    with pytest.raises(TakeError) as error:
        read_signal(path, time="time" if content.startswith("time") else None)
    assert BAD[content] in str(error.value) and "\n" not in str(error.value)


def test_unknown_columns_and_other_files_are_one_line(tmp_path: Path) -> None:
    good = csv_of(tmp_path / "a.csv", "time,x", lines([*AT]))
    (tmp_path / "a.parquet").write_bytes(b"no parquet at all")
    (tmp_path / "a.npz").write_bytes(b"no arrays at all")
    np.savez(tmp_path / "b.npz", time=np.array([{}], dtype=object))
    for path, how, line in (
        (good, {"time": "clock"}, "--time clock: no such column; there are time, x"),
        (good, {"columns": ["z"]}, "--columns z: no such column of numbers; there are x"),
        (tmp_path / "a.parquet", {}, "not a parquet file"),
        (tmp_path / "a.npz", {}, "not arrays of numbers"),
        (tmp_path / "b.npz", {}, "objects, not numbers"),
    ):
        with pytest.raises(TakeError) as error:
            read_signal(path, **how)  # type: ignore[arg-type]
        assert line in str(error.value)


def test_a_table_is_cut_by_a_common_clock(tmp_path: Path) -> None:
    source = csv_of(tmp_path / "a.csv", "time,x", lines([100 + time for time in AT]))
    count = cut_table(source, tmp_path / "cut" / "a.csv", "time", lambda own: own + 10.0, (11.0, 13.0))
    table = np.genfromtxt(tmp_path / "cut" / "a.csv", delimiter=",", names=True)
    assert count == len(table) == 100 and table.dtype.names == (CUT_TIME, "time", "x")
    assert table[CUT_TIME][0] == 0.0 and table["time"][0] == 101.0
