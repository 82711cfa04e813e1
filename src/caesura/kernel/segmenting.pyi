from caesura.kernel.segmenting_python import *  # noqa: F403  (the same names and types)
