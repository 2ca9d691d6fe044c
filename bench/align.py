"""How well does `align` put two videos in step?

    python bench/align.py cuts FOLDER... [--cuts 4]                                      your synchronous recordings
    python bench/align.py cuts --sets NAME=PATH... [--cuts 4] [--every 3]                two cameras on one event
    python bench/align.py events MOTION... [--cuts 3] [--wide]                           all views, cameras and people
    python bench/align.py groups MOTION                                                  strangers, two events
    python bench/align.py moments DATA [--together DATA] [--real DATA] [--write]         every moment placed

See bench/align_folder.py, bench/align_cuts.py, bench/align_events.py, bench/align_groups.py and
bench/align_moments.py.
"""

from __future__ import annotations

import sys

import tyro

import align_cuts
import align_events
import align_groups
import align_moments
from actor_observer.errors import UserError

if __name__ == "__main__":
    try:
        tyro.extras.subcommand_cli_from_dict(
            {
                "cuts": align_cuts.main,
                "events": align_events.main,
                "groups": align_groups.main,
                "moments": align_moments.main,
            }
        )
    except UserError as error:
        sys.exit(str(error))
