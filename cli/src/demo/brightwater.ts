/** The organisation that `millrace demo` makes, as data. */
import { brightwaterPlan } from './brightwater-plan.ts';
import type { Group, Organisation, Person, Project } from './organisation.ts';

const people: readonly Person[] = [
  { username: 'mara', name: 'Mara Lindqvist' },
  { username: 'jonas', name: 'Jonas Okafor' },
  { username: 'priya', name: 'Priya Raman' },
  { username: 'tomas', name: 'Tomas Herrera' },
  { username: 'elif', name: 'Elif Demir' },
];

/** Parents come first. */
const groups: readonly Group[] = [
  {
    path: 'brightwater',
    name: 'Brightwater',
    description: 'Metering and billing for small water utilities',
    members: { mara: 'owner', jonas: 'maintainer', priya: 'developer', tomas: 'developer', elif: 'reporter' },
  },
  {
    path: 'devices',
    name: 'Devices',
    parent: 'brightwater',
    description: 'What runs on the meters',
    members: { tomas: 'maintainer' },
  },
  {
    path: 'brightwater-handbook',
    name: 'Brightwater Handbook',
    description: 'How we work',
    members: { elif: 'owner', mara: 'maintainer', jonas: 'developer', priya: 'developer', tomas: 'developer' },
  },
];

const tariff = (base: string) => `#!/bin/sh
# Price of a reading: cubic metres -> cents.
base=${base}
per_cubic_metre=212
echo $((base + $1 * per_cubic_metre))
`;

const tariffTest = (base: number) => `#!/bin/sh
# Every case: cubic metres, expected cents.
set -eu
failed=0
while read -r volume expected; do
  got=$(sh src/tariff.sh "$volume")
  if [ "$got" = "$expected" ]; then echo "ok   $volume m3: $got"; else echo "FAIL $volume m3: $got, not $expected"; failed=1; fi
done <<CASES
0 ${base}
1 ${base + 212}
40 ${base + 8480}
CASES
exit $failed
`;

const billingPipeline = `stages: [check, test, package]

syntax:
  stage: check
  script:
    - for file in src/*.sh test/*.sh; do echo "checking $file"; sh -n "$file"; done

tariffs:
  stage: test
  script:
    - sh test/tariff-test.sh

invoices:
  stage: test
  script:
    - sh src/invoice.sh 40 > invoice.txt
    - cat invoice.txt
    - grep -q 'Total:' invoice.txt
  artifacts:
    paths: [invoice.txt]
    expire_in: 1 week

package:
  stage: package
  script:
    - tar -czf billing.tar.gz src
    - tar -tzf billing.tar.gz
  artifacts:
    name: billing-$CI_COMMIT_SHORT_SHA
    paths: [billing.tar.gz]
  rules:
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
    - if: $CI_COMMIT_TAG
`;

const portalPipeline = `workflow:
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH

pages:
  script:
    - mkdir -p out && cp -r public/. out/
    - grep -q '<title>' out/index.html
    - ls -l out
  artifacts:
    paths: [out/]

links:
  script:
    - if grep -rn 'href="http:' public; then echo 'plain http links'; exit 1; fi
    - echo 'all links are safe'
`;

const page = (title: string, lead: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>${title}</title>
  </head>
  <body>
    <h1>${title}</h1>
    <p>${lead}</p>
  </body>
</html>
`;

const firmware = (interval: number) => `/* Reads the pulse counter and sends a frame. */
#include "radio.h"

#define SEND_INTERVAL_SECONDS ${interval}

static unsigned long pulses;

void on_pulse(void) { pulses++; }

void tick(unsigned long now)
{
    if (now % SEND_INTERVAL_SECONDS == 0) radio_send(&pulses, sizeof pulses);
}
`;

const firmwarePipeline = `default:
  interruptible: true

frame size:
  script:
    - size=$(wc -c < src/meter.c)
    - echo "meter.c has $size bytes"
    - test "$size" -lt 4096

interval:
  script:
    - grep -E 'SEND_INTERVAL_SECONDS [0-9]+' src/meter.c
`;

const projects: readonly Project[] = [
  {
    path: 'billing',
    name: 'Billing',
    group: 'brightwater',
    description: 'From readings to invoices',
    visibility: 'internal',
    members: { elif: 'developer' },
    history: [
      {
        author: 'mara',
        message: 'Start billing',
        files: { 'README.md': '# Billing\n\nFrom readings to invoices.\n\n- `src/tariff.sh`: what a reading costs\n' },
      },
      {
        author: 'jonas',
        message: 'Price a reading',
        files: { 'src/tariff.sh': tariff('450'), 'test/tariff-test.sh': tariffTest(450) },
      },
      {
        author: 'priya',
        message: 'Print invoices\n\nOne line per reading and a total; the layout follows the paper form.',
        files: {
          'src/invoice.sh':
            '#!/bin/sh\ncents=$(sh src/tariff.sh "$1")\necho "Water: $1 m3"\necho "Total: $cents cents"\n',
        },
      },
      { author: 'jonas', message: 'Check, test and package in CI', files: { '.gitlab-ci.yml': billingPipeline } },
    ],
    tags: [{ name: 'v1.0.0', message: 'First release: tariffs and invoices' }],
    branches: [
      {
        name: 'invoice-header',
        changes: [
          {
            author: 'priya',
            message: 'Put a header on invoices',
            files: {
              'src/invoice.sh':
                '#!/bin/sh\ncents=$(sh src/tariff.sh "$1")\necho "Brightwater utilities"\necho\necho "Water: $1 m3"\necho "Total: $cents cents"\n',
            },
          },
        ],
        mergeRequest: {
          title: 'Put a header on invoices',
          description: 'Customers asked who the invoice is from.',
          reviewers: ['jonas'],
          becomes: 'merged',
        },
      },
      {
        name: 'tariff-2027',
        changes: [
          {
            author: 'priya',
            message: 'Raise the base price for 2027',
            files: { 'src/tariff.sh': tariff('480'), 'test/tariff-test.sh': tariffTest(480) },
          },
        ],
        mergeRequest: {
          title: 'Base price for 2027',
          description: 'As decided by the council in October.',
          reviewers: ['mara'],
          becomes: 'conflict',
        },
      },
      {
        name: 'round-totals',
        changes: [
          {
            author: 'elif',
            message: 'Round totals to ten cents',
            files: { 'src/round.sh': '#!/bin/sh\necho $((($1 + 5) / 10 * 10))\n' },
          },
        ],
        mergeRequest: {
          title: 'Round totals to ten cents',
          description: 'Not used by the invoice yet: comments on the rule are welcome.',
          becomes: 'draft',
        },
      },
      {
        name: 'broken-tests',
        changes: [
          {
            author: 'tomas',
            message: 'Try a price per litre',
            files: { 'src/tariff.sh': '#!/bin/sh\necho $(($1 * 1000 * 1))\n' },
          },
        ],
      },
    ],
    later: [
      {
        author: 'jonas',
        message: 'Correct the base price',
        files: { 'src/tariff.sh': tariff('455'), 'test/tariff-test.sh': tariffTest(455) },
      },
    ],
  },
  {
    path: 'portal',
    name: 'Customer portal',
    group: 'brightwater',
    description: 'What customers see',
    visibility: 'private',
    history: [
      {
        author: 'priya',
        message: 'Start the portal',
        files: {
          'README.md': '# Customer portal\n\nStatic pages, checked in CI.\n',
          'public/index.html': page('Brightwater', 'Your readings and invoices.'),
          '.gitlab-ci.yml': portalPipeline,
        },
      },
      {
        author: 'elif',
        message: 'Explain the meter',
        files: { 'public/meter.html': page('Your meter', 'It sends a reading every hour.') },
      },
    ],
    branches: [
      {
        name: 'contact-page',
        changes: [
          {
            author: 'tomas',
            message: 'Add a contact page',
            files: { 'public/contact.html': page('Contact', 'Call us, we are next door.') },
          },
        ],
        mergeRequest: {
          title: 'Add a contact page',
          description: 'Opening hours are still to come.',
          reviewers: ['priya', 'elif'],
          becomes: 'opened',
        },
      },
    ],
  },
  {
    path: 'meter-firmware',
    name: 'Meter firmware',
    group: 'brightwater/devices',
    description: 'Counts pulses, sends frames, sleeps',
    visibility: 'private',
    history: [
      {
        author: 'tomas',
        message: 'Count pulses and send frames',
        files: {
          'README.md': '# Meter firmware\n',
          'src/meter.c': firmware(900),
          'src/radio.h': '#pragma once\nvoid radio_send(const void *frame, unsigned size);\n',
          '.gitlab-ci.yml': firmwarePipeline,
        },
      },
      { author: 'tomas', message: 'Send once an hour: batteries last', files: { 'src/meter.c': firmware(3600) } },
    ],
    tags: [
      { name: 'v0.9.0', message: 'Field trial' },
      { name: 'v1.0.0', message: 'First series' },
    ],
    branches: [
      {
        name: 'send-daily',
        changes: [{ author: 'tomas', message: 'Send once a day', files: { 'src/meter.c': firmware(86_400) } }],
        mergeRequest: {
          title: 'Send once a day',
          description: 'Batteries would last ten years.',
          becomes: 'closed',
        },
      },
    ],
  },
  {
    path: 'handbook',
    name: 'Handbook',
    group: 'brightwater-handbook',
    description: 'How we work',
    visibility: 'public',
    history: [
      {
        author: 'elif',
        message: 'Write down how we review',
        files: {
          'README.md': '# Handbook\n\n1. [Reviews](reviews.md)\n',
          'reviews.md': '# Reviews\n\n- Answer within a day.\n- Say why.\n',
        },
      },
    ],
    branches: [
      {
        name: 'on-call',
        changes: [
          {
            author: 'jonas',
            message: 'Describe on-call weeks',
            files: { 'on-call.md': '# On call\n\nOne week each.\n' },
          },
        ],
        mergeRequest: {
          title: 'Describe on-call weeks',
          description: 'How we do it already.',
          reviewers: ['elif'],
          becomes: 'merged',
        },
      },
    ],
  },
];

export const brightwater: Organisation = { people, groups, projects, plan: brightwaterPlan };
