from caesura.kernel.resampling_python import *  # noqa: F403  (the same names and types)
