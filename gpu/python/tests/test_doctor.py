"""The commands of `python -m cuprum`."""

import json
import os
import subprocess
import sys

import cuprum


def run(*arguments, **variables):
    environment = {**os.environ, "CUPRUM_DEVICE": "sim", **variables}
    return subprocess.run([sys.executable, "-m", "cuprum", *arguments], env=environment, capture_output=True, text=True)


def test_a_healthy_installation():
    done = run("doctor", "--json")
    report = json.loads(done.stdout)
    assert (done.returncode, report["healthy"], report["version"]) == (0, True, cuprum.__version__), done.stdout
    done = run("doctor")
    assert done.returncode == 0 and "Programs run on the simulator." in done.stdout, done.stdout + done.stderr


def test_a_fault_is_named_with_its_command():
    done = run("doctor", "--json", CUPRUM_NVRTC="/nowhere")
    report = json.loads(done.stdout)
    found = {finding["id"]: finding for finding in report["findings"]}
    assert done.returncode == 1 and not report["healthy"]
    assert found["nvrtc-variable"]["severity"] == "error" and found["nvrtc-variable"]["command"] == "unset CUPRUM_NVRTC"
    done = run("doctor", CUPRUM_NVRTC="/nowhere")
    assert "error: CUPRUM_NVRTC names /nowhere, which has no NVRTC. [nvrtc-variable]\n    unset CUPRUM_NVRTC\n" in done.stdout


def test_the_package_is_compared_with_its_extension(tmp_path):
    from cuprum import _cuprum

    text, is_healthy = _cuprum.diagnose(sys.executable, str(tmp_path), "0.0.1", "1.26.4", True)
    ids = [finding["id"] for finding in json.loads(text)["findings"]]
    assert not is_healthy and "python-version" in ids and "python-numpy" in ids


def test_info_and_usage():
    done = run("info")
    assert done.returncode == 0 and "Kernel cache" in done.stdout
    assert run("--help").returncode == 0
    done = run("doctor", "--xml")
    assert done.returncode == 2 and "python -m cuprum doctor" in done.stderr
