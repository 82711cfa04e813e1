"""The command `caesura`: Ctrl-C ends it in one line while the package is still being imported.

It is a module of its own because a module of the package could not run before the package is imported.
"""

import os
import signal
from types import FrameType

STOPPED = 130
"""The exit code after Ctrl-C, as shells have it."""


def main() -> None:
    """Import the command line and run it."""
    later = signal.getsignal(signal.SIGINT)
    if later is signal.default_int_handler:  # who started this may have chosen to ignore Ctrl-C
        signal.signal(signal.SIGINT, _stop)
    from caesura import cli

    signal.signal(signal.SIGINT, later)
    cli.main()


def _stop(number: int, frame: FrameType | None) -> None:
    """Leave at once: nothing is open yet, and code that is imported could swallow an exception."""
    try:
        os.write(2, b"\ncaesura: stopped\n")
    finally:
        os._exit(STOPPED)
