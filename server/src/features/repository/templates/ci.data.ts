/** Pipelines to start from. */

const text = (body: string) => `${body.trim()}\n`;

/** By name. */
export const ciTemplates: Readonly<Record<string, string>> = {
  Bash: text(`
# Checks every shell script of the repository.
stages: [test]

shellcheck:
  stage: test
  image: koalaman/shellcheck-alpine:stable
  script:
    - find . -name '*.sh' -print0 | xargs -0 -r shellcheck`),
  'C++': text(`
image: gcc:14

stages: [build, test]

build:
  stage: build
  script:
    - make
  artifacts:
    paths: [build/]
    expire_in: 1 day

test:
  stage: test
  script:
    - make test`),
  Clojure: text(`
image: clojure:temurin-21-lein

stages: [test]

cache:
  paths: [.m2/]

test:
  stage: test
  variables:
    LEIN_HOME: $CI_PROJECT_DIR/.lein
  script:
    - lein -U deps
    - lein test`),
  CMake: text(`
image: gcc:14

stages: [build, test]

build:
  stage: build
  before_script:
    - apt-get update && apt-get install -y --no-install-recommends cmake
  script:
    - cmake -S . -B build
    - cmake --build build --parallel
    - ctest --test-dir build --output-on-failure
  artifacts:
    paths: [build/]
    expire_in: 1 day`),
  Crystal: text(`
image: crystallang/crystal:latest

stages: [test]

cache:
  paths: [lib/]

test:
  stage: test
  before_script:
    - shards install
  script:
    - crystal tool format --check
    - crystal spec --junit_output report
  artifacts:
    when: always
    reports:
      junit: report/*.xml`),
  Dart: text(`
image: dart:stable

stages: [test]

variables:
  PUB_CACHE: $CI_PROJECT_DIR/.pub-cache

cache:
  paths: [.pub-cache/]

test:
  stage: test
  script:
    - dart pub get
    - dart analyze
    - dart test`),
  Django: text(`
image: python:3

stages: [test]

variables:
  PIP_CACHE_DIR: $CI_PROJECT_DIR/.pip
  POSTGRES_DB: app
  POSTGRES_USER: app
  POSTGRES_PASSWORD: only-for-tests
  DATABASE_URL: postgres://app:only-for-tests@postgres/app

cache:
  paths: [.pip/]

test:
  stage: test
  services: [postgres:17]
  before_script:
    - pip install -r requirements.txt
  script:
    - python manage.py check
    - python manage.py makemigrations --check --dry-run
    - python manage.py test`),
  Docker: text(`
# Builds the image of every branch; needs a runner that offers Docker, and the registry's address and login as variables.
stages: [build]

build-image:
  stage: build
  image: docker:cli
  services: [docker:dind]
  variables:
    IMAGE: $REGISTRY/$CI_PROJECT_PATH:$CI_COMMIT_REF_SLUG
  before_script:
    - echo "$REGISTRY_PASSWORD" | docker login -u "$REGISTRY_USER" --password-stdin "$REGISTRY"
  script:
    - docker build --pull -t "$IMAGE" .
    - docker push "$IMAGE"
  rules:
    - exists: [Dockerfile]`),
  dotNET: text(`
image: mcr.microsoft.com/dotnet/sdk:9.0

stages: [build, test]

variables:
  NUGET_PACKAGES: $CI_PROJECT_DIR/.nuget

cache:
  paths: [.nuget/]

build:
  stage: build
  script:
    - dotnet restore
    - dotnet build --no-restore --configuration Release

test:
  stage: test
  script:
    - dotnet test --configuration Release --logger "trx;LogFileName=report.trx"
  artifacts:
    when: always
    paths: ['**/report.trx']`),
  Elixir: text(`
image: elixir:latest

stages: [test]

variables:
  MIX_ENV: test

cache:
  key:
    files: [mix.lock]
  paths: [deps/, _build/]

test:
  stage: test
  before_script:
    - mix local.hex --force
    - mix local.rebar --force
    - mix deps.get
  script:
    - mix format --check-formatted
    - mix compile --warnings-as-errors
    - mix test`),
  'Getting-Started': text(`
# Three stages that run one after the other. Replace what they print by what you build with.
stages: [build, test, deploy]

build:
  stage: build
  script:
    - echo "Build here."

unit-tests:
  stage: test
  script:
    - echo "Tests of one kind run beside those of others."

lint:
  stage: test
  script:
    - echo "No findings."

deploy:
  stage: deploy
  environment: production
  script:
    - echo "Deploy here."
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH`),
  Go: text(`
image: golang:1

stages: [test, build]

variables:
  GOPATH: $CI_PROJECT_DIR/.go

cache:
  paths: [.go/pkg/mod/]

test:
  stage: test
  script:
    - go vet ./...
    - go test -race ./...

build:
  stage: build
  script:
    - go build -o out/ ./...
  artifacts:
    paths: [out/]
    expire_in: 1 week`),
  Gradle: text(`
image: gradle:jdk21

stages: [build, test]

variables:
  GRADLE_USER_HOME: $CI_PROJECT_DIR/.gradle
  GRADLE_OPTS: -Dorg.gradle.daemon=false

cache:
  key: $CI_COMMIT_REF_SLUG
  paths: [.gradle/]

build:
  stage: build
  script:
    - gradle assemble
  artifacts:
    paths: [build/libs/]
    expire_in: 1 week

test:
  stage: test
  script:
    - gradle check
  artifacts:
    when: always
    reports:
      junit: build/test-results/test/*.xml`),
  Julia: text(`
image: julia:1

stages: [test]

variables:
  JULIA_DEPOT_PATH: $CI_PROJECT_DIR/.julia

cache:
  paths: [.julia/packages/]

test:
  stage: test
  script:
    - julia --project=. -e 'using Pkg; Pkg.instantiate(); Pkg.test(coverage=true)'`),
  LaTeX: text(`
# Every document at the top of the repository becomes a PDF.
image: texlive/texlive:latest

stages: [build]

documents:
  stage: build
  script:
    - latexmk -pdf -interaction=nonstopmode -halt-on-error
  artifacts:
    paths: ['*.pdf']
    expire_in: 1 month`),
  Maven: text(`
image: maven:3-eclipse-temurin-21

stages: [test]

variables:
  MAVEN_OPTS: -Dmaven.repo.local=$CI_PROJECT_DIR/.m2

cache:
  paths: [.m2/]

verify:
  stage: test
  script:
    - mvn --batch-mode verify
  artifacts:
    when: always
    reports:
      junit: target/surefire-reports/*.xml`),
  Nodejs: text(`
image: node:24

stages: [test]

cache:
  key:
    files: [package-lock.json]
  paths: [.npm/]

test:
  stage: test
  script:
    - npm ci --cache .npm --prefer-offline
    - npm test`),
  Packer: text(`
image:
  name: hashicorp/packer:latest
  entrypoint: ['']

stages: [validate, build]

before_script:
  - packer init .

validate:
  stage: validate
  script:
    - packer fmt -check -recursive .
    - packer validate .

build:
  stage: build
  script:
    - packer build -color=false .
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
      when: manual`),
  PHP: text(`
image: composer:2

stages: [test]

cache:
  paths: [vendor/]

test:
  stage: test
  script:
    - composer install
    - vendor/bin/phpunit --log-junit report.xml
  artifacts:
    when: always
    reports:
      junit: report.xml`),
  Python: text(`
image: python:3

stages: [test]

variables:
  PIP_CACHE_DIR: $CI_PROJECT_DIR/.pip

cache:
  paths: [.pip/]

test:
  stage: test
  before_script:
    - pip install -r requirements.txt pytest
  script:
    - pytest --junitxml=report.xml
  artifacts:
    when: always
    reports:
      junit: report.xml`),
  Ruby: text(`
image: ruby:3

stages: [test]

cache:
  key:
    files: [Gemfile.lock]
  paths: [vendor/ruby/]

test:
  stage: test
  before_script:
    - bundle config set --local path vendor
    - bundle install
  script:
    - bundle exec rake`),
  Rust: text(`
image: rust:1

stages: [test]

variables:
  CARGO_HOME: $CI_PROJECT_DIR/.cargo

cache:
  paths: [.cargo/registry/, target/]

test:
  stage: test
  script:
    - cargo test --all --locked
    - cargo build --release --locked
  artifacts:
    paths: [target/release/]
    expire_in: 1 week`),
  Swift: text(`
image: swift:6.0

stages: [test]

cache:
  paths: [.build/]

test:
  stage: test
  script:
    - swift build
    - swift test --xunit-output report.xml
  artifacts:
    when: always
    reports:
      junit: report.xml`),
  Terraform: text(`
image:
  name: hashicorp/terraform:1
  entrypoint: ['']

stages: [validate, plan, apply]

cache:
  paths: [.terraform/]

before_script:
  - terraform init

validate:
  stage: validate
  script:
    - terraform fmt -check -recursive
    - terraform validate

plan:
  stage: plan
  script:
    - terraform plan -out=plan.out
  artifacts:
    paths: [plan.out]
    expire_in: 1 day

apply:
  stage: apply
  script:
    - terraform apply plan.out
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
      when: manual`),
};
