/** Small projects to start from, each with a pipeline that builds and tests it. */

export interface ProjectTemplateData {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly files: Readonly<Record<string, string>>;
}

const text = (body: string) => `${body.replace(/^\n/, '').trimEnd()}\n`;

const readme = (title: string, run: string) =>
  text(`
# ${title}

Started from a template of Millrace. Run it:

\`\`\`
${run}
\`\`\`

Every push runs the pipeline in \`.gitlab-ci.yml\`.`);

export const projectTemplates: readonly ProjectTemplateData[] = [
  {
    name: 'plainhtml',
    title: 'Plain HTML',
    description: 'A page with a style sheet, and nothing to install',
    files: {
      'README.md': readme('A page', 'open public/index.html'),
      'public/index.html': text(`
<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>Hello</title>
    <link rel="stylesheet" href="style.css">
  </head>
  <body>
    <h1>Hello</h1>
    <p>This page is in <code>public/index.html</code>.</p>
  </body>
</html>`),
      'public/style.css': text(`
body {
  font-family: system-ui, sans-serif;
  margin: 3rem auto;
  max-width: 40rem;
  padding: 0 1rem;
}`),
      '.gitlab-ci.yml': text(`
check:
  script:
    - test -s public/index.html
    - grep -q "<title>" public/index.html
  artifacts:
    paths: [public/]
    expire_in: 1 week`),
    },
  },
  {
    name: 'node',
    title: 'Node.js',
    description: 'A server and its test, without packages',
    files: {
      'README.md': readme('A server', 'npm start'),
      'package.json': text(`
{
  "name": "app",
  "version": "0.1.0",
  "private": true,
  "type": "module",
  "engines": { "node": ">=18" },
  "scripts": {
    "start": "node src/main.js",
    "test": "node --test"
  }
}`),
      'src/main.js': text(`
import { server } from './server.js';

const port = Number(process.env.PORT ?? 3000);
server().listen(port, () => console.log(\`http://localhost:\${port}\`));`),
      'src/server.js': text(`
import { createServer } from 'node:http';

export function server() {
  return createServer((request, response) => {
    response.setHeader('Content-Type', 'text/plain; charset=utf-8');
    response.end('Hello\\n');
  });
}`),
      'test/server.test.js': text(`
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { server } from '../src/server.js';

test('says hello', async () => {
  const listening = server().listen(0);
  await once(listening, 'listening');
  const answer = await fetch(\`http://localhost:\${listening.address().port}/\`);
  assert.equal(await answer.text(), 'Hello\\n');
  listening.close();
});`),
      '.gitignore': 'node_modules/\n',
      '.gitlab-ci.yml': text(`
test:
  image: node:24
  script:
    - npm test`),
    },
  },
  {
    name: 'python',
    title: 'Python',
    description: 'A package with a command and its test, without dependencies',
    files: {
      'README.md': readme('A command', 'python3 -m app World'),
      'pyproject.toml': text(`
[project]
name = "app"
version = "0.1.0"
requires-python = ">=3.9"

[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"`),
      'app/__init__.py': text(`
def greeting(name: str) -> str:
    return f"Hello, {name}!"`),
      'app/__main__.py': text(`
import sys

from app import greeting

print(greeting(sys.argv[1] if len(sys.argv) > 1 else "World"))`),
      'tests/__init__.py': '',
      'tests/test_greeting.py': text(`
import unittest

from app import greeting


class GreetingTest(unittest.TestCase):
    def test_names_whom_it_greets(self) -> None:
        self.assertEqual(greeting("Ada"), "Hello, Ada!")`),
      '.gitignore': '__pycache__/\n*.egg-info/\n.venv/\nbuild/\ndist/\n',
      '.gitlab-ci.yml': text(`
test:
  image: python:3
  script:
    - python3 -m unittest discover -s tests -t .`),
    },
  },
  {
    name: 'go',
    title: 'Go',
    description: 'A server and its test',
    files: {
      'README.md': readme('A server', 'go run .'),
      'go.mod': 'module example.com/app\n\ngo 1.19\n',
      'main.go': text(`
package main

import (
	"fmt"
	"log"
	"net/http"
)

func hello(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprintln(w, "Hello")
}

func main() {
	http.HandleFunc("/", hello)
	log.Fatal(http.ListenAndServe(":8080", nil))
}`),
      'main_test.go': text(`
package main

import (
	"net/http/httptest"
	"testing"
)

func TestHello(t *testing.T) {
	answer := httptest.NewRecorder()
	hello(answer, httptest.NewRequest("GET", "/", nil))
	if got := answer.Body.String(); got != "Hello\\n" {
		t.Errorf("got %q", got)
	}
}`),
      '.gitignore': '/app\n/out/\n*.test\n',
      '.gitlab-ci.yml': text(`
test:
  image: golang:1
  script:
    - go vet ./...
    - go test ./...
    - go build -o out/ .
  artifacts:
    paths: [out/]
    expire_in: 1 week`),
    },
  },
  {
    name: 'rust',
    title: 'Rust',
    description: 'A program and its test, without crates',
    files: {
      'README.md': readme('A program', 'cargo run'),
      'Cargo.toml': text(`
[package]
name = "app"
version = "0.1.0"
edition = "2021"

[dependencies]`),
      'Cargo.lock': text(`
# This file is automatically @generated by Cargo.
# It is not intended for manual editing.
version = 3

[[package]]
name = "app"
version = "0.1.0"`),
      'src/main.rs': text(`
fn greeting(name: &str) -> String {
    format!("Hello, {name}!")
}

fn main() {
    let name = std::env::args().nth(1).unwrap_or_else(|| "World".into());
    println!("{}", greeting(&name));
}

#[cfg(test)]
mod tests {
    use super::greeting;

    #[test]
    fn names_whom_it_greets() {
        assert_eq!(greeting("Ada"), "Hello, Ada!");
    }
}`),
      '.gitignore': 'target/\n',
      '.gitlab-ci.yml': text(`
test:
  image: rust:1
  script:
    - cargo test --locked
    - cargo build --release --locked`),
    },
  },
];
