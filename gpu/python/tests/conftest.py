"""The tests run on the simulator unless CUPRUM_DEVICE says otherwise."""

import os

os.environ.setdefault("CUPRUM_DEVICE", "sim")

from hypothesis import HealthCheck, settings  # noqa: E402

# What is drawn is the same in every run; a first call may compile a kernel.
settings.register_profile("cuprum", derandomize=True, deadline=None, max_examples=40, suppress_health_check=list(HealthCheck))
settings.load_profile("cuprum")
