"""The tests run on the simulator unless CUPRUM_DEVICE says otherwise."""

import importlib
import os

import pytest

os.environ.setdefault("CUPRUM_DEVICE", "sim")

from hypothesis import HealthCheck, settings  # noqa: E402

# Examples are reproducible; a first call may compile a kernel.
settings.register_profile("cuprum", derandomize=True, deadline=None, max_examples=40, suppress_health_check=list(HealthCheck))
settings.load_profile("cuprum")

# The semantics are those of NumPy 2.4. Tests that disagree with older packages are skipped: the package, the version
# that agrees, and the prefixes of the tests' names.
SINCE = [
    (
        "numpy",
        (2, 4),
        "dicts of widths, dtypes of shares, orders of powers, arrays of one element as numbers and iterators as indices changed",
        [
            "test_forms.py::test_as_in_numpy[pad by axes]",
            "test_forms.py::test_as_in_numpy[strong share]",
            "test_functions.py::test_parameters_are_those_of_numpy",
            "test_indexing.py::test_elements_in_one_axis",
            "test_ndarray.py::test_operators[",
            "test_scalars.py::test_conversions[complex-",
            "test_scalars.py::test_numbers[",
        ],
    ),
    (
        "sklearn",
        (1, 8),
        "it brings these arrays to the host by itself",
        [
            "test_scikit_learn.py::test_scalers[StandardScaler",
            "test_scikit_learn.py::test_classification[",
            "test_scikit_learn.py::test_regression[d2_absolute_error_score",
            "test_scikit_learn.py::test_pairwise[manhattan_distances",
        ],
    ),
]


def version_of(package):
    try:
        text = importlib.import_module(package).__version__
    except ImportError:
        return None
    return tuple(int(part) for part in text.split(".")[:2])


def pytest_collection_modifyitems(items):
    for package, since, what, tests in SINCE:
        found = version_of(package)
        if found is None or found >= since:
            continue
        mark = pytest.mark.skip(reason=f"{package} {'.'.join(map(str, found))}: {what} in {'.'.join(map(str, since))}")
        for item in items:
            if any(f"{item.path.name}::{item.name}".startswith(test) for test in tests):
                item.add_marker(mark)


@pytest.fixture(scope="module")
def several_devices(request):
    """Shows as many simulated devices as the module's `DEVICES` says; on GPUs two are needed."""
    import cuprum

    patch = pytest.MonkeyPatch()
    patch.setenv("CUPRUM_SIM_DEVICES", str(request.module.DEVICES))
    if cuprum.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("two GPUs are needed")
    yield
    patch.undo()
