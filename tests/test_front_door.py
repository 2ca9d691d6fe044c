import subprocess
import sys

import pytest

import actor_observer


def test_names_at_the_front_door() -> None:
    assert actor_observer.ActorObserverNet.__module__.startswith("actor_observer.model")
    assert all(callable(getattr(actor_observer, name)) for name in ("load", "align", "see"))
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = actor_observer.no_such_name


def test_importing_the_package_does_not_import_torch() -> None:
    code = "import sys, actor_observer, actor_observer.cli; print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"
