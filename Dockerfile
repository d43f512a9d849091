# docker build -t sejongud .
# docker run --rm sejongud convert --level 5 samples/sejong.txt
# docker run --rm -u "$(id -u):$(id -g)" -v "$PWD:/data" -w /data sejongud convert in.txt out.conllu
FROM python:3.13-slim AS build
COPY . /source
RUN pip wheel --no-cache-dir --wheel-dir /wheels /source

FROM python:3.13-slim
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-index --find-links /wheels sejongud
COPY samples /usr/share/sejongud/samples
WORKDIR /usr/share/sejongud
USER nobody
ENTRYPOINT ["sejongud"]
CMD ["--help"]
