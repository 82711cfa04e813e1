from caesura.kernel.python import *  # noqa: F403  (the same names and types)
