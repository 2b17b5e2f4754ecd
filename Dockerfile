# The controller: docker build -t tristate . && docker run --rm tristate version
FROM --platform=$BUILDPLATFORM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
COPY . .
ARG TARGETOS TARGETARCH VERSION=v0.0.0-dev
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath -buildvcs=false \
    -ldflags "-s -w -X github.com/tristate/tristate/internal/cli.Version=$VERSION" -o /tristate ./cmd/tristate

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /tristate /usr/local/bin/tristate
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/tristate"]
CMD ["run", "--leader-elect", "--health-address=:8081", "--metrics-address=:8080"]
