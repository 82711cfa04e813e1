from caesura.kernel.cutting_python import *  # noqa: F403  (the same names and types)
