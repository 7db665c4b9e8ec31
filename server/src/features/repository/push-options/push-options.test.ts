/** What `git push -o` asks for, as it is written in the ecosystem. */
import { expect, it } from 'vitest';
import { readPushOptions } from './push-options.ts';

it('options of pipelines: with and without quotes, several variables', () => {
  expect(readPushOptions(['ci.skip', 'ci.variable="A=b c"', 'ci.variable=B=x=y', 'ci.variable=C=']).ci).toEqual({
    skip: true,
    none: false,
    variables: [
      { key: 'A', value: 'b c' },
      { key: 'B', value: 'x=y' },
      { key: 'C', value: '' },
    ],
    inputs: {},
  });
  const given = ['ci.input=a=b', 'ci.input="list=[1, 2]"', 'ci.input=a=c=d', 'ci.input=__proto__=x'];
  const { inputs } = readPushOptions(given).ci;
  expect(Object.entries(inputs)).toEqual([
    ['a', 'c=d'],
    ['list', '[1, 2]'],
    ['__proto__', 'x'],
  ]);
  expect(readPushOptions(['ci.no_pipeline', 'ci.skip=false']).ci).toMatchObject({ skip: false, none: true });
});

it('options of merge requests, by both names', () => {
  const options = [
    'merge_request.create',
    'mr.target=release',
    'merge_request.title="Some: title"',
    'merge_request.description=first\\nsecond',
    'merge_request.draft',
    'merge_request.squash=false',
    'merge_request.remove_source_branch',
    'merge_request.merge_when_pipeline_succeeds',
    'merge_request.assign=@ada, 12',
    'merge_request.assign=carl',
    'merge_request.unassign=eve',
    'merge_request.reviewer=dora',
    'merge_request.target_project=group/project',
    'merge_request.label=first step, bug',
    'mr.label="third"',
    'merge_request.unlabel=late',
    'merge_request.milestone=v1.0 soon',
  ];
  const read = readPushOptions(options);
  expect(read).toMatchObject({ warnings: [], written: options });
  expect(read.mergeRequest).toEqual({
    create: true,
    target: 'release',
    title: 'Some: title',
    description: 'first\nsecond',
    draft: true,
    squash: false,
    removeSourceBranch: true,
    autoMerge: true,
    assign: ['ada', '12', 'carl'],
    unassign: ['eve'],
    reviewers: ['dora'],
    targetProject: 'group/project',
    labels: ['first step', 'bug', 'third'],
    unlabel: ['late'],
    milestone: 'v1.0 soon',
  });
  expect(readPushOptions(['mr.auto_merge']).mergeRequest).toEqual({ autoMerge: true });
  expect(readPushOptions([]).mergeRequest).toBeNull();
});

it('what is not known, not there or not whole is told', () => {
  const told = (option: string) => readPushOptions([option]).warnings;
  for (const option of ['nonsense', 'ci.nonsense', 'merge_request.toString', 'x.y=z', '', 'ci', 'constructor.name'])
    expect(told(option)).toEqual([`The push option '${option}' is not known.`]);
  for (const option of ['merge_request.label', 'mr.unlabel=', 'merge_request.milestone'])
    expect(told(option)).toEqual([`The push option '${option}' needs a value.`]);
  for (const wrong of ['ci.input', 'ci.input=a', 'ci.input==a'])
    expect(told(wrong)).toEqual([`The push option '${wrong}' is not of the form ci.input="name=value".`]);
  expect(told('ci.variable=x')).toEqual([expect.stringContaining('is not of the form ci.variable="KEY=value"')]);
  expect(told('mr.target')).toEqual(["The push option 'mr.target' needs a value."]);
  expect(told('integrations.skip_ci')).toEqual([]);
  expect(readPushOptions(['secret_push_protection.skip_all'])).toMatchObject({
    skipSecretPushProtection: true,
    warnings: [],
  });
});
