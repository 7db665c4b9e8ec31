/** Images to start from: one stage that builds, and a small one that runs. */

const text = (body: string) => `${body.trim()}\n`;

/** By name. */
export const dockerfiles: Readonly<Record<string, string>> = {
  Binary: text(`
FROM debian:stable-slim
WORKDIR /app
COPY ./app /app/app
USER nobody
CMD ["/app/app"]`),
  'Binary-alpine': text(`
FROM alpine:3
RUN apk add --no-cache ca-certificates
WORKDIR /app
COPY ./app /app/app
USER nobody
CMD ["/app/app"]`),
  Golang: text(`
FROM golang:1 AS build
WORKDIR /src
COPY go.* ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -o /app ./...

FROM gcr.io/distroless/static
COPY --from=build /app /app
USER nonroot
ENTRYPOINT ["/app"]`),
  HTTPd: text(`
FROM httpd:2
COPY ./public/ /usr/local/apache2/htdocs/`),
  Java: text(`
FROM eclipse-temurin:21 AS build
WORKDIR /src
COPY . .
RUN ./gradlew --no-daemon build

FROM eclipse-temurin:21-jre
COPY --from=build /src/build/libs/*.jar /app.jar
USER nobody
CMD ["java", "-jar", "/app.jar"]`),
  Nginx: text(`
FROM nginx:stable-alpine
COPY ./public/ /usr/share/nginx/html/`),
  Node: text(`
FROM node:24 AS build
WORKDIR /app
COPY package*.json ./
RUN npm ci --omit=dev
COPY . .

FROM node:24-slim
WORKDIR /app
COPY --from=build /app /app
ENV NODE_ENV=production
USER node
CMD ["npm", "start"]`),
  PHP: text(`
FROM composer:2 AS packages
WORKDIR /app
COPY composer.* ./
RUN composer install --no-dev --no-scripts

FROM php:8-apache
COPY --from=packages /app/vendor /var/www/html/vendor
COPY . /var/www/html/`),
  Python: text(`
FROM python:3-slim
WORKDIR /app
COPY requirements.txt ./
RUN pip install --no-cache-dir -r requirements.txt
COPY . .
USER nobody
CMD ["python", "main.py"]`),
  Ruby: text(`
FROM ruby:3-slim
WORKDIR /app
RUN apt-get update && apt-get install -y --no-install-recommends build-essential && rm -rf /var/lib/apt/lists/*
COPY Gemfile* ./
RUN bundle install
COPY . .
USER nobody
CMD ["bundle", "exec", "ruby", "main.rb"]`),
  Rust: text(`
FROM rust:1 AS build
WORKDIR /src
COPY . .
RUN cargo install --locked --path . --root /out

FROM debian:stable-slim
COPY --from=build /out/bin/ /usr/local/bin/
USER nobody
CMD ["app"]`),
};
