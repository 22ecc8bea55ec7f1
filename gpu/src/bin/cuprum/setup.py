"""Fetches the pinned NVRTC (the run-time compiler of CUDA C++) into the user's folder, or into the one that is named.

    python3 gpu/src/bin/cuprum/setup.py [FOLDER]

Kernels are compiled at run time, also for the simulator, and NVRTC needs no GPU and no CUDA toolkit. The wheel is got
with pip, from the index that pip is configured with, and checked against the digests below; only the two libraries and
the licence are unpacked. Does nothing where they are there already. Nothing is written outside the folder. The last line
that is printed is the folder of the libraries.
"""

import glob
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile

VERSION = "13.0.88"
WHEELS = {
    "x86_64": (
        "manylinux2010_x86_64",
        "ad9b6d2ead2435f11cbb6868809d2adeeee302e9bb94bcf0539c7a40d80e8575",
    ),
    "aarch64": (
        "manylinux2014_aarch64",
        "d27f20a0ca67a4bb34268a5e951033496c5b74870b868bacd046b1b8e0c3267b",
    ),
}
# The compiler comes last: where it is, the rest is too, even if an earlier run was interrupted.
MEMBERS = [
    ("nvidia_cuda_nvrtc-%s.dist-info/licenses/License.txt" % VERSION, "License.txt"),
    ("nvidia/cu13/lib/libnvrtc-builtins.so.13.0", "libnvrtc-builtins.so.13.0"),
    ("nvidia/cu13/lib/libnvrtc.so.13", "libnvrtc.so.13"),
]


def fail(message):
    sys.exit("cuprum setup: " + message)


def has_pip(python):
    return subprocess.run([python, "-m", "pip", "--version"], capture_output=True).returncode == 0


def pip(scratch):
    """The Python whose pip is used: this one, or that of a throw-away environment."""
    if has_pip(sys.executable):
        return sys.executable
    environment = os.path.join(scratch, "venv")
    subprocess.run([sys.executable, "-m", "venv", environment], capture_output=True)
    python = os.path.join(environment, "bin", "python")
    if not (os.path.exists(python) and has_pip(python)):
        fail("this Python has neither pip nor venv; install pip (on Debian: apt-get install python3-pip) "
             "or set CUPRUM_NVRTC to the path of a libnvrtc.so")
    return python


def download(scratch):
    machine = platform.machine()
    if platform.system() != "Linux" or machine not in WHEELS:
        fail("no NVRTC is known for %s %s; set CUPRUM_NVRTC to the path of one" % (platform.system(), machine))
    tag, digest = WHEELS[machine]
    command = [pip(scratch), "-m", "pip", "download", "nvidia-cuda-nvrtc==" + VERSION, "--no-deps", "--quiet",
               "--disable-pip-version-check", "--only-binary=:all:", "--platform", tag, "--dest", scratch]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    wheels = glob.glob(os.path.join(scratch, "*.whl"))
    if done.returncode != 0 or len(wheels) != 1:
        sys.stderr.write(done.stdout.decode(errors="replace")[-2000:])
        fail("pip could not download nvidia-cuda-nvrtc==%s" % VERSION)
    found = hashlib.sha256()
    with open(wheels[0], "rb") as wheel:
        for block in iter(lambda: wheel.read(1 << 20), b""):
            found.update(block)
    if found.hexdigest() != digest:
        fail("%s has sha256 %s, expected %s" % (os.path.basename(wheels[0]), found.hexdigest(), digest))
    return wheels[0]


def users_folder():
    """The folder in which the library looks: see `folders.rs`."""
    root = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(root, "cuprum")


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else users_folder()
    target = os.path.join(root, "nvidia", "cu13", "lib")
    if not all(os.path.exists(os.path.join(target, name)) for _, name in MEMBERS[1:]):
        fetch(root, target)
    print(target)


def fetch(root, target):
    os.makedirs(target, exist_ok=True)
    print("fetching NVRTC %s (90 MB) into %s" % (VERSION, root), file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(dir=root, prefix="fetch-") as scratch:
        with zipfile.ZipFile(download(scratch)) as wheel:
            for member, name in MEMBERS:
                partial = os.path.join(scratch, name)
                with wheel.open(member) as source, open(partial, "wb") as out:
                    shutil.copyfileobj(source, out, 1 << 20)
                # A rename within the folder: another process sees the whole file or none.
                os.replace(partial, os.path.join(target, name))


main()
