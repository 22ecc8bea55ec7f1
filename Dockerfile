# Images of Cuprum, from a checkout:
#
#     docker build --target cpu --tag cuprum .         # the simulator: runs anywhere
#     docker run --rm -it cuprum
#     docker build --target cuda --tag cuprum-cuda .   # GPUs: the libraries of CUDA 13 (1 GB); the driver is the host's
#     docker run --rm -it --gpus all cuprum-cuda
#
# Both have the program `cuprum` and the Python package. The target `dev` has what a contributor needs.

FROM rust:1-slim-bookworm AS dev
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates g++ git libc6-dev python3 python3-pip python3-venv \
 && rm -rf /var/lib/apt/lists/* \
 && rustup component add clippy rustfmt
WORKDIR /cuprum

FROM dev AS build
COPY . .
# rust-toolchain.toml names a channel, which rustup would fetch although the image has the same compiler.
ENV RUSTUP_TOOLCHAIN=$RUST_VERSION
RUN cargo install --locked --path gpu --root /opt/cuprum \
 && python3 -m pip wheel --no-cache-dir --no-deps --wheel-dir /opt/cuprum/wheels ./gpu/python

FROM python:3.13-slim-bookworm AS base
COPY --from=build /opt/cuprum /opt/cuprum
ENV PATH=/opt/cuprum/bin:$PATH
RUN useradd --create-home --uid 1000 user
CMD ["python"]

FROM base AS cpu
RUN pip install --no-cache-dir "$(echo /opt/cuprum/wheels/*.whl)[sim]" matplotlib
ENV CUPRUM_DEVICE=sim
USER 1000
WORKDIR /home/user
RUN cuprum doctor \
 && python -m cuprum doctor \
 && python -c "import cuprum as cp, matplotlib.pyplot as plt; x = cp.linspace(0, 10, 500); plt.plot(x.get(), cp.sin(x).get()); plt.savefig('sine.png')"

FROM base AS cuda
# The container toolkit mounts the driver: `docker run --gpus all`.
ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility
RUN pip install --no-cache-dir "$(echo /opt/cuprum/wheels/*.whl)[cuda]" matplotlib
USER 1000
WORKDIR /home/user
