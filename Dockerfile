# The operator's image: package.json, dist/ and the packages for production, on a Node without shell or package manager.
#
# The image that builds is pinned by version here, the one that runs is yours to name. For a build that gives the same image
# tomorrow, give both by digest:
#   docker build --build-arg NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:... --build-arg RUNTIME_IMAGE=...@sha256:... .
ARG NODE_IMAGE=node:24.21.0-bookworm-slim
# Distroless Node 24, `nodejs24-debian12:nonroot`, with the registry in front that you take it from. There is no default:
# without a registry the name would be looked up wherever the engine looks first, and anybody may hold it there.
ARG RUNTIME_IMAGE

FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json ./
# No package needs its install scripts, so none gets to run any.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src/ src/
RUN npm run build

FROM ${NODE_IMAGE} AS packages
WORKDIR /packages
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund --omit=dev

FROM ${RUNTIME_IMAGE}
ENV NODE_ENV=production
WORKDIR /app
# Owned by root and, whatever the umask of the checkout was, readable by the user below, who can change none of it.
COPY --chmod=0444 package.json LICENSE ./
COPY --from=packages /packages/node_modules/ node_modules/
COPY --from=build /build/dist/ dist/
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="postgresql-tenant-operator" \
      org.opencontainers.image.description="Databases for application teams on PostgreSQL servers outside Kubernetes" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# By number: Kubernetes cannot tell from a name that a user is not root (`runAsNonRoot`).
USER 65532:65532
# The hooks; health and metrics. PORT and METRICS_PORT set others.
EXPOSE 8080 9090
# Without a shell around it, so that SIGTERM reaches the process.
ENTRYPOINT ["/nodejs/bin/node"]
CMD ["dist/main.js"]
