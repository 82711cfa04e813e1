from caesura.kernel.rows_python import *  # noqa: F403  (the same names and types)
