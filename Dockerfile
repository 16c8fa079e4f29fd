# quadscan in a container: `docker build --tag quadscan .`, then
# `docker run --rm --gpus all --volume "$PWD:/work" quadscan bench`. Without a GPU, leave `--gpus all`
# out: tables come from the emulator.
FROM rust:1.95-slim-trixie AS build
COPY . /quadscan
WORKDIR /quadscan
RUN cargo xtask bundle /bundle

# The same system, without what builds.
FROM debian:trixie-slim
COPY --from=build /bundle /opt/quadscan
# Results go to the folder that is mounted here.
WORKDIR /work
ENV NVIDIA_DRIVER_CAPABILITIES=compute,utility
ENTRYPOINT ["/opt/quadscan/quadscan"]
CMD ["bench"]
